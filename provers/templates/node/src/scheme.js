/** The two functions that only the library can carry out. Everything else is `system.js`. */

import { Failure, Rejection } from "../../../protocol-js/src/index.js";

/** @typedef {import("../../../protocol-js/src/system.js").Verdict} Verdict */

/**
 * The serialised proof that somebody knows the message with this digest; timed as `prove`.
 *
 * @param {Uint8Array} message the prover's alone
 * @param {Uint8Array} digest its 32 bytes
 * @returns {Uint8Array}
 */
export function prove(message, digest) {
  void [message, digest];
  throw Failure.unsupported(
    "not-implemented",
    "system",
    "proving is not implemented yet: write the function prove in provers/newcomer/src/scheme.js",
  );
}

/**
 * Whether a serialised proof convinces; timed as `verify`. The bytes are not to be trusted: a proof
 * that cannot be read is a rejection, and so are bytes left over behind it.
 *
 * @param {Uint8Array} digest its 32 bytes
 * @param {Uint8Array} proof
 * @returns {Verdict}
 */
export function verify(digest, proof) {
  void [digest, proof];
  throw new Rejection(
    "verifying is not implemented yet: write the function verify in provers/newcomer/src/scheme.js",
  );
}
