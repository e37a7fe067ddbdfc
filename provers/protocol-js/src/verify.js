/** `RUNNER verify`: a proof from files, judged in another process than the one that made it. */

import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";

import { answerAll } from "./answers.js";
import { Failure, inOneLine, Rejection } from "./failure.js";
import { quoted } from "./json.js";
import { openKeyFile } from "./key_file.js";
import { PublicInput } from "./public_input.js";
import { rejected } from "./system.js";

/** @typedef {import("./request.js").VerifyRequest} VerifyRequest */
/** @typedef {import("./system.js").Verdict} Verdict */

/** No file of any runner is this long; a longer one is not read. */
const MAXIMUM_FILE_BYTES = 256 * 2 ** 20;

/**
 * A verifying key ready for use, with what it was prepared from.
 *
 * @typedef {object} Prepared
 * @property {string} path
 * @property {import("./configuration.js").Configuration} configuration
 * @property {import("./system.js").Verifier} verifier
 */

/**
 * Answers every request of a stream; whether all of them ended in a verdict.
 *
 * @param {readonly import("./system.js").System[]} systems
 * @param {AsyncIterable<Uint8Array>} input
 * @param {import("./record.js").Output} output
 */
export function verify(systems, input, output) {
  const judge = new Judge();
  return answerAll(input, output, async (envelope) => {
    const request = envelope.intoVerify(systems);
    const { accepted, reason } = await judge.judge(request);
    output.push({ type: "verdict", id: envelope.id, accepted, reason });
  });
}

/** What lasts from one request to the next. */
class Judge {
  /** @type {Prepared | undefined} the last key prepared: proofs for one key come in a row */
  #prepared;

  /**
   * @param {VerifyRequest} request
   * @returns {Promise<Verdict>}
   */
  async judge(request) {
    const publicInput = read("public_input", request.publicInput);
    const proof = read("proof", request.proof);
    const key = this.#serves(request) ? undefined : read("verifying_key", request.verifyingKey);
    try {
      const input = PublicInput.fromJson(publicInput(), request.configuration);
      const bytes = proof();
      const verifier = await this.#verifierOf(request, key);
      return await verifier.verify(input, bytes);
    } catch (thrown) {
      return rejected(
        thrown instanceof Rejection
          ? thrown.message
          : `the library broke over the files: ${inOneLine(thrown)}`,
      );
    }
  }

  /** @param {VerifyRequest} request */
  #serves({ verifyingKey, configuration }) {
    const prepared = this.#prepared;
    return prepared?.path === verifyingKey && prepared.configuration.equals(configuration);
  }

  /**
   * @param {VerifyRequest} request
   * @param {(() => Uint8Array) | undefined} key undefined where the one kept serves
   */
  async #verifierOf({ system, configuration, verifyingKey }, key) {
    if (key === undefined && this.#prepared !== undefined) {
      return this.#prepared.verifier;
    }
    const libraryBytes = openKeyFile(key?.() ?? new Uint8Array(), configuration);
    const verifier = await system.verifier(configuration, libraryBytes);
    this.#prepared = { path: verifyingKey, configuration, verifier };
    return verifier;
  }
}

/**
 * Reads a file whole. One that is missing is a fault of the request and thrown here; anything else is a
 * fault of the file, thrown when its bytes are asked for.
 *
 * @param {string} member
 * @param {string} path
 * @returns {() => Uint8Array}
 */
function read(member, path) {
  let bytes = new Uint8Array();
  try {
    bytes = readAtMost(member, path);
  } catch (thrown) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (thrown);
    // A path with a zero byte in it is none, which Node says in its own way.
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ERR_INVALID_ARG_VALUE") {
      throw Failure.invalidRequest(
        member,
        `${member} is ${quoted(path)}, legal is the path of a file`,
      );
    }
    const rejection =
      thrown instanceof Rejection ? thrown : new Rejection(`${member} cannot be read: ${message}`);
    return () => {
      throw rejection;
    };
  }
  return () => bytes;
}

/**
 * @param {string} member
 * @param {string} path
 */
function readAtMost(member, path) {
  const descriptor = openSync(path, "r");
  try {
    if (fstatSync(descriptor).size > MAXIMUM_FILE_BYTES) {
      throw new Rejection(
        `${member} is longer than ${MAXIMUM_FILE_BYTES} bytes, which nothing of this runner is`,
      );
    }
    return Uint8Array.from(readFileSync(descriptor));
  } finally {
    closeSync(descriptor);
  }
}
