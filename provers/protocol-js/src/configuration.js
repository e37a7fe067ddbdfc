/** One cell of a grid, validated: what a session may rely on. */
export class Configuration {
  /**
   * @param {object} parts
   * @param {string} parts.system
   * @param {string} parts.statement
   * @param {number} parts.size
   * @param {ReadonlyMap<string, string>} parts.variant every name that the system has
   * @param {ReadonlyMap<string, string | number>} parts.options every name that the system has
   * @param {number} [parts.threads] 1 for `verify`, which runs outside the loop
   */
  constructor({ system, statement, size, variant, options, threads = 1 }) {
    /** Name of the system. */
    this.system = system;
    /** Name of the statement. */
    this.statement = statement;
    /** Size of the statement, such as its number of bytes. */
    this.size = size;
    /** Threads to compute with. */
    this.threads = threads;
    this.#variant = variant;
    this.#options = options;
  }

  /** @type {ReadonlyMap<string, string>} */
  #variant;
  /** @type {ReadonlyMap<string, string | number>} */
  #options;

  /**
   * Value of a variant of the statement; undefined where the system does not have it.
   *
   * @param {string} name
   * @returns {string | undefined}
   */
  findVariant(name) {
    return this.#variant.get(name);
  }

  /**
   * Value of a variant of the statement. A name that the description does not have is a fault of
   * the runner and thrown as such.
   *
   * @param {string} name
   * @returns {string}
   */
  variant(name) {
    const value = this.#variant.get(name);
    if (value === undefined) {
      throw new Error(`the description of ${this.system} has no variant ${name}`);
    }
    return value;
  }

  /**
   * Value of an option that is one of several names.
   *
   * @param {string} name
   * @returns {string}
   */
  optionChoice(name) {
    const value = this.#options.get(name);
    if (typeof value !== "string") {
      throw new Error(`the description of ${this.system} has no choice ${name}`);
    }
    return value;
  }

  /**
   * Value of an integer option.
   *
   * @param {string} name
   * @returns {number}
   */
  optionInteger(name) {
    const value = this.#options.get(name);
    if (typeof value !== "number") {
      throw new Error(`the description of ${this.system} has no integer option ${name}`);
    }
    return value;
  }

  /**
   * The variant as `name=value` joined by `,`, names in alphabetical order.
   *
   * @returns {string}
   */
  canonicalVariant() {
    const pairs = Array.from(this.#variant, ([name, value]) => `${name}=${value}`);
    return pairs.sort().join(",");
  }

  /**
   * Whether another configuration asks for the same, threads aside.
   *
   * @param {Configuration} other
   * @returns {boolean}
   */
  equals(other) {
    const text = (/** @type {Configuration} */ one) =>
      JSON.stringify([
        one.system,
        one.statement,
        one.size,
        one.canonicalVariant(),
        Array.from(one.#options).sort(),
      ]);
    return text(this) === text(other);
  }
}
