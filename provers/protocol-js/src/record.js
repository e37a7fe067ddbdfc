/** Records on standard output, one JSON object a line. */

import { writeSync } from "node:fs";

/** Version of the protocol. */
export const PROTOCOL = 1;

/**
 * How long records of samples may be held, in nanoseconds: waking the reader disturbs the next
 * sample, so it is not done after each.
 */
const LONGEST_HELD = 100_000_000n;

/** How long a full pipe is left alone before it is tried again, in milliseconds. */
const FULL_PIPE_PAUSE = 1;

/**
 * A record as a line. Numbers of any size are written exactly, which JSON.stringify refuses for bigint.
 *
 * @param {object} record
 * @returns {string}
 */
export function toLine(record) {
  return `${toJson(record)}\n`;
}

/**
 * @param {unknown} value
 * @returns {string}
 */
function toJson(value) {
  if (typeof value === "bigint") {
    return value.toString();
  }
  if (Array.isArray(value)) {
    return `[${value.map(toJson).join(",")}]`;
  }
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${toJson(member)}`).join(",")}}`;
  }
  return JSON.stringify(value);
}

/** Nobody reads the records any more, or they cannot be written. */
export class Closed extends Error {
  /** @param {NodeJS.ErrnoException} cause */
  constructor(cause) {
    super(`standard output failed: ${cause.message}`);
    this.name = "Closed";
    /** Whether the reader went away, which is its good right. */
    this.byReader = cause.code === "EPIPE";
  }
}

/** Standard output. Lines written together reach the reader together. */
export class Output {
  #pending = "";
  #flushed = process.hrtime.bigint();

  /** @param {number} descriptor of the file to write to */
  constructor(descriptor = 1) {
    this.descriptor = descriptor;
  }

  /**
   * Holds a record until the next flush.
   *
   * @param {object} record
   */
  push(record) {
    this.#pending += toLine(record);
  }

  /** Hands all held records to the reader. */
  flush() {
    let rest = Buffer.from(this.#pending);
    this.#pending = "";
    while (rest.length > 0) {
      rest = rest.subarray(this.#writeSome(rest));
    }
    this.#flushed = process.hrtime.bigint();
  }

  /** Hands them over if that was last done LONGEST_HELD ago. */
  flushIfDue() {
    if (process.hrtime.bigint() - this.#flushed >= LONGEST_HELD) {
      this.flush();
    }
  }

  /** @param {Uint8Array} bytes */
  #writeSome(bytes) {
    try {
      return writeSync(this.descriptor, bytes);
    } catch (thrown) {
      const error = /** @type {NodeJS.ErrnoException} */ (thrown);
      if (error.code !== "EAGAIN") {
        throw new Closed(error);
      }
      // Whoever started the process made the pipe non-blocking, and it is full.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FULL_PIPE_PAUSE);
      return 0;
    }
  }
}
