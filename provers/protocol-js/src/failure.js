/**
 * Why a request ends without `done`.
 *
 * @typedef {"invalid-request" | "unsupported" | "out-of-memory" | "timeout" | "internal"} FailureKind
 */

/** A failure that is answered with an `error` record. */
export class Failure extends Error {
  /**
   * @param {FailureKind} kind whose fault it is
   * @param {string} message one sentence with the name, the value given and what is legal
   * @param {string | null} option the member at fault, such as `backend` or `size.bytes`
   * @param {string | null} rule the rule that an unsupported configuration breaks, in kebab case
   */
  constructor(kind, message, option = null, rule = null) {
    super(message);
    this.name = "Failure";
    this.kind = kind;
    this.option = option;
    this.rule = rule;
  }

  /**
   * A request that breaks a rule of the protocol or of the description.
   *
   * @param {string | null} option
   * @param {string} message
   */
  static invalidRequest(option, message) {
    return new Failure("invalid-request", message, option);
  }

  /**
   * A request legal by itself that cannot be carried out in this combination: the name of the rule,
   * the member that breaks it given the others, and the rule as a sentence.
   *
   * @param {string} rule
   * @param {string} option
   * @param {string} message
   */
  static unsupported(rule, option, message) {
    return new Failure("unsupported", message, option, rule);
  }

  /**
   * A library that failed where it should not.
   *
   * @param {string} message
   */
  static internal(message) {
    return new Failure("internal", message);
  }

  /**
   * A library that had not enough memory.
   *
   * @param {string} message
   */
  static outOfMemory(message) {
    return new Failure("out-of-memory", message);
  }
}

/** A proof, key or public input that cannot be used, for a reason in one sentence. */
export class Rejection extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "Rejection";
  }
}

/** Longest part of an exception's message that goes into a record, in characters. */
const QUOTED_CHARACTERS = 300;

/**
 * What was thrown, in words on one line.
 *
 * @param {unknown} thrown
 * @returns {string}
 */
export function inOneLine(thrown) {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  const line = text.split(/\s+/u).filter(Boolean).join(" ");
  return Array.from(line || "no message")
    .slice(0, QUOTED_CHARACTERS)
    .join("");
}
