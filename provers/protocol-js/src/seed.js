/** Seeds and what follows from them; the definitions are in STATEMENTS.md. */

import { createHash } from "node:crypto";

/** Bytes of one SHA-512 digest. */
const DIGEST_BYTES = 64;

/** The 32 bytes from which everything random in a statement follows. */
export class Seed {
  #bytes;

  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.#bytes = bytes;
  }

  /**
   * Reads 64 lower-case hexadecimal digits; nothing else is a seed.
   *
   * @param {string} text
   * @returns {Seed | undefined}
   */
  static parse(text) {
    return /^[0-9a-f]{64}$/u.test(text) ? new Seed(Buffer.from(text, "hex")) : undefined;
  }

  /**
   * The digest that a field reduces to `element(label, seed, index)`: SHA-512 over
   * `"nizk-bench/v1" ‖ 0 ‖ label ‖ 0 ‖ seed ‖ LE64(index)`.
   *
   * @param {string} label
   * @param {bigint} index
   * @returns {Uint8Array}
   */
  digest(label, index) {
    const number = Buffer.alloc(8);
    number.writeBigUInt64LE(index);
    const hash = createHash("sha512").update(`nizk-bench/v1\0${label}\0`, "ascii");
    return Uint8Array.from(hash.update(this.#bytes).update(number).digest());
  }

  /**
   * The message of an instance of `hash-preimage`: the first bytes of the digests with the labels
   * `hash/message/0`, `hash/message/1` and so on.
   *
   * @param {bigint} index
   * @param {number} bytes
   * @returns {Uint8Array}
   */
  message(index, bytes) {
    const message = new Uint8Array(bytes);
    for (let start = 0; start < bytes; start += DIGEST_BYTES) {
      const digest = this.digest(`hash/message/${start / DIGEST_BYTES}`, index);
      message.set(digest.subarray(0, bytes - start), start);
    }
    return message;
  }
}
