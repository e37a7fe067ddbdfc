/** The public input of `hash-preimage`, in memory and as a file (STATEMENTS.md). */

import { Failure, inOneLine, Rejection } from "./failure.js";
import { Members, parseJson } from "./json.js";

/** @typedef {import("./configuration.js").Configuration} Configuration */

/** The statement that this package knows. */
export const HASH_PREIMAGE = "hash-preimage";

/** Bytes of every digest. */
const DIGEST_BYTES = 32;

/** Functions whose digest is an element of BN254's scalar field, and the order of that field. */
const OVER_ELEMENTS = ["mimc-sponge", "mimc-7", "poseidon"];
const BN254_ORDER = 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001n;

const DIGEST = "64 lower-case hexadecimal digits";

/** A digest that is public. */
export class PublicInput {
  /** @param {Uint8Array} digest its 32 bytes */
  constructor(digest) {
    if (digest.length !== DIGEST_BYTES) {
      throw new Error(`a digest has ${DIGEST_BYTES} bytes, not ${digest.length}`);
    }
    this.digest = digest;
  }

  /**
   * The file of STATEMENTS.md.
   *
   * @param {Configuration} configuration
   */
  toJson(configuration) {
    return JSON.stringify({
      statement: configuration.statement,
      function: configuration.variant("function"),
      bytes: configuration.size,
      digest: Buffer.from(this.digest).toString("hex"),
    });
  }

  /**
   * Reads the file of another process. Whatever is not exactly what toJson could have written for
   * this configuration is rejected.
   *
   * @param {Uint8Array} file
   * @param {Configuration} configuration
   */
  static fromJson(file, configuration) {
    try {
      return read(file, configuration);
    } catch (thrown) {
      const known =
        thrown instanceof Failure || thrown instanceof SyntaxError || thrown instanceof TypeError;
      throw known ? new Rejection(`public input: ${inOneLine(thrown)}`) : thrown;
    }
  }
}

/**
 * @param {Uint8Array} file
 * @param {Configuration} configuration
 */
function read(file, configuration) {
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(file);
  const members = Members.of(parseJson(text));
  const name = configuration.variant("function");
  members.choice("statement", [configuration.statement]);
  members.choice("function", [name]);
  members.integer("bytes", configuration.size, configuration.size);
  const digits = members.text("digest", DIGEST);
  if (!/^[0-9a-f]{64}$/u.test(digits)) {
    throw members.wrong("digest", digits, DIGEST);
  }
  if (OVER_ELEMENTS.includes(name) && BigInt(`0x${digits}`) >= BN254_ORDER) {
    throw members.wrong("digest", digits, `an element below the order of the field of ${name}`);
  }
  members.finish("statement, function, bytes, digest");
  return new PublicInput(Uint8Array.from(Buffer.from(digits, "hex")));
}
