/**
 * JSON read without losing what JSON.parse would: a member given twice is refused, integers are exact,
 * `15.0` is not the integer 15, and a value that has the wrong type can still be quoted back.
 */

import { Failure } from "./failure.js";

/**
 * A JSON value: integers from -2^63 to 2^64 - 1 that are written as such are bigint, all other numbers
 * are number, objects are maps.
 *
 * @typedef {null | boolean | bigint | number | string | JsonArray | JsonObject} Json
 * @typedef {Json[]} JsonArray
 * @typedef {Map<string, Json>} JsonObject
 */

/** Deepest nesting that is read, as in serde_json. */
const DEEPEST = 128;

/** Longest quotation of a value in a message, in characters. */
const QUOTED_CHARACTERS = 80;

/** Exact integers, as the 64 bits of other languages hold them. */
const LEAST_INTEGER = -(2n ** 63n);
const GREATEST_INTEGER = 2n ** 64n - 1n;

const WHITE_SPACE = /[ \t\n\r]*/uy;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/uy;
const LONE_SURROGATE = /\p{Surrogate}/u;
const WORDS = new Map(
  /** @type {const} */ ([
    ["true", true],
    ["false", false],
    ["null", null],
  ]),
);

/**
 * Reads a JSON text whole; throws a SyntaxError whose message says what is wrong where.
 *
 * @param {string} text
 * @returns {Json}
 */
export function parseJson(text) {
  const reader = new Reader(text);
  const value = reader.value(0);
  reader.end();
  return value;
}

/** Reads one text from left to right. */
class Reader {
  #text;
  #position = 0;

  /** @param {string} text */
  constructor(text) {
    this.#text = text;
  }

  /**
   * @param {number} depth
   * @returns {Json}
   */
  value(depth) {
    if (depth > DEEPEST) {
      throw this.#wrong(`values are nested more than ${DEEPEST} deep`);
    }
    this.#match(WHITE_SPACE);
    const first = this.#text[this.#position];
    if (first === "{") {
      return this.#object(depth);
    }
    if (first === "[") {
      return this.#array(depth);
    }
    if (first === '"') {
      return this.#string();
    }
    for (const [word, value] of WORDS) {
      if (this.#text.startsWith(word, this.#position)) {
        this.#position += word.length;
        return value;
      }
    }
    return this.#number();
  }

  end() {
    this.#match(WHITE_SPACE);
    if (this.#position < this.#text.length) {
      throw this.#wrong("there is more after the value");
    }
  }

  /** @param {number} depth */
  #object(depth) {
    /** @type {JsonObject} */
    const members = new Map();
    this.#list("}", () => {
      this.#match(WHITE_SPACE);
      const name = this.#string();
      if (members.has(name)) {
        throw this.#wrong(`member ${quoted(name)} is given twice`);
      }
      this.#match(WHITE_SPACE);
      if (this.#text[this.#position] !== ":") {
        throw this.#wrong("a colon is missing");
      }
      this.#position += 1;
      members.set(name, this.value(depth + 1));
    });
    return members;
  }

  /** @param {number} depth */
  #array(depth) {
    /** @type {JsonArray} */
    const items = [];
    this.#list("]", () => void items.push(this.value(depth + 1)));
    return items;
  }

  /**
   * What stands between brackets, separated by commas.
   *
   * @param {string} closing
   * @param {() => void} readOne
   */
  #list(closing, readOne) {
    this.#position += 1;
    this.#match(WHITE_SPACE);
    if (this.#text[this.#position] === closing) {
      this.#position += 1;
      return;
    }
    for (;;) {
      readOne();
      this.#match(WHITE_SPACE);
      const next = this.#text[this.#position];
      if (next !== "," && next !== closing) {
        throw this.#wrong(`neither a comma nor ${closing} follows`);
      }
      this.#position += 1;
      if (next === closing) {
        return;
      }
    }
  }

  #string() {
    const start = this.#position;
    if (this.#text[start] !== '"') {
      throw this.#wrong("a text is missing");
    }
    let end = start + 1;
    while (end < this.#text.length && this.#text[end] !== '"') {
      end += this.#text[end] === "\\" ? 2 : 1;
    }
    this.#position = end + 1;
    const text = this.#decoded(this.#text.slice(start, end + 1));
    if (LONE_SURROGATE.test(text)) {
      throw this.#wrong("a text has half of a surrogate pair");
    }
    return text;
  }

  /**
   * @param {string} quotedText
   * @returns {string}
   */
  #decoded(quotedText) {
    try {
      return JSON.parse(quotedText);
    } catch {
      throw this.#wrong("a text ends too early, or has an escape or a character that is not legal");
    }
  }

  #number() {
    const found = this.#match(NUMBER);
    if (found === undefined) {
      throw this.#wrong("a value is missing");
    }
    if (/^-?[0-9]+$/u.test(found) && found.length <= 20 && found !== "-0") {
      const integer = BigInt(found);
      if (integer >= LEAST_INTEGER && integer <= GREATEST_INTEGER) {
        return integer;
      }
    }
    const number = Number(found);
    if (!Number.isFinite(number)) {
      throw this.#wrong("a number is out of range");
    }
    return number;
  }

  /**
   * @param {RegExp} pattern sticky
   * @returns {string | undefined}
   */
  #match(pattern) {
    pattern.lastIndex = this.#position;
    const found = pattern.exec(this.#text)?.[0];
    this.#position += found?.length ?? 0;
    return found;
  }

  /** @param {string} what */
  #wrong(what) {
    return new SyntaxError(`${what} at character ${this.#position + 1}`);
  }
}

/**
 * A value as JSON on one line, cut after QUOTED_CHARACTERS.
 *
 * @param {Json} value
 * @returns {string}
 */
export function shown(value) {
  if (typeof value === "string") {
    return quoted(value);
  }
  if (typeof value === "number" && Number.isInteger(value) && Math.abs(value) < 1e16) {
    return `${Object.is(value, -0) ? "-0" : value}.0`;
  }
  if (Array.isArray(value)) {
    return `an array of ${value.length}`;
  }
  if (value instanceof Map) {
    return `an object of ${value.size}`;
  }
  return String(value);
}

/**
 * A text in quotation marks on one line, cut after QUOTED_CHARACTERS.
 *
 * @param {string} text
 * @returns {string}
 */
export function quoted(text) {
  const cut = Array.from(text.slice(0, 2 * QUOTED_CHARACTERS))
    .slice(0, QUOTED_CHARACTERS)
    .join("");
  return JSON.stringify(cut.length < text.length ? `${cut}…` : cut);
}

/** The members of an object, taken out one by one. */
export class Members {
  #prefix;
  #members;

  /**
   * @param {string} prefix what stands before the names in messages, such as `size.`
   * @param {JsonObject} members
   */
  constructor(prefix, members) {
    this.#prefix = prefix;
    this.#members = members;
  }

  /**
   * The members of a request or of a file, which is an object.
   *
   * @param {Json} value
   */
  static of(value) {
    if (value instanceof Map) {
      return new Members("", new Map(value));
    }
    throw Failure.invalidRequest(null, `the line is ${shown(value)}, legal is a JSON object`);
  }

  /**
   * The object that stands as member `name`; empty where it is missing.
   *
   * @param {string} name
   */
  object(name) {
    const value = this.take(name);
    if (value === undefined || value instanceof Map) {
      return new Members(`${this.#prefix}${name}.`, new Map(value));
    }
    throw this.wrong(name, value, "an object");
  }

  /**
   * Full name of a member, as messages call it.
   *
   * @param {string} name
   */
  full(name) {
    return `${this.#prefix}${name}`;
  }

  /**
   * Takes a member out, if it is there.
   *
   * @param {string} name
   */
  take(name) {
    const value = this.#members.get(name);
    this.#members.delete(name);
    return value;
  }

  /**
   * Takes a member out that has to be there.
   *
   * @param {string} name
   * @param {string} legal
   */
  require(name, legal) {
    const value = this.take(name);
    if (value === undefined) {
      const full = this.full(name);
      throw Failure.invalidRequest(full, `member ${full} is missing, legal is ${legal}`);
    }
    return value;
  }

  /**
   * A text that has to be there.
   *
   * @param {string} name
   * @param {string} legal
   */
  text(name, legal) {
    const value = this.require(name, legal);
    if (typeof value === "string") {
      return value;
    }
    throw this.wrong(name, value, legal);
  }

  /**
   * An integer of a range that has to be there.
   *
   * @param {string} name
   * @param {number} minimum
   * @param {number} maximum
   */
  integer(name, minimum, maximum) {
    const legal = range(minimum, maximum);
    const value = this.require(name, legal);
    if (typeof value === "bigint" && value >= minimum && value <= maximum) {
      return Number(value);
    }
    throw this.wrong(name, value, legal);
  }

  /**
   * One of several names that has to be there.
   *
   * @template {string} T
   * @param {string} name
   * @param {readonly T[]} values
   * @returns {T}
   */
  choice(name, values) {
    const legal = listed(values);
    const value = this.require(name, legal);
    const chosen = values.find((one) => one === value);
    if (chosen === undefined) {
      throw this.wrong(name, value, legal);
    }
    return chosen;
  }

  /**
   * The failure of a member whose value is not legal.
   *
   * @param {string} name
   * @param {Json} value
   * @param {string} legal
   */
  wrong(name, value, legal) {
    const full = this.full(name);
    return Failure.invalidRequest(full, `${full} is ${shown(value)}, legal is ${legal}`);
  }

  /**
   * Throws if something is left: the failure names the first member that nobody asked for.
   *
   * @param {string} legal
   */
  finish(legal) {
    const [left] = this.#members.keys();
    if (left !== undefined) {
      const full = this.full(left);
      throw Failure.invalidRequest(full, `member ${quoted(full)} is unknown, legal is ${legal}`);
    }
  }
}

/**
 * A range in words.
 *
 * @param {number | bigint} minimum
 * @param {number | bigint} maximum
 */
export function range(minimum, maximum) {
  return `an integer from ${minimum} to ${maximum}`;
}

/**
 * Names in words.
 *
 * @param {readonly (string | number)[]} values
 */
export function listed(values) {
  return values.length === 0 ? "none" : values.join(", ");
}
