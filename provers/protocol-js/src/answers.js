/**
 * Requests one after another, each answered before the next is read: what every verb that reads
 * requests has in common.
 */

import { writeSync } from "node:fs";

import { Failure, inOneLine } from "./failure.js";
import { quoted } from "./json.js";
import { linesOf } from "./lines.js";
import { Closed } from "./record.js";
import { Envelope } from "./request.js";

/** @typedef {import("./record.js").Output} Output */

/**
 * Answers every request of a stream: `carryOut` pushes its records, the last one too, unless it throws;
 * then the last one is the error. Whether none of them threw.
 *
 * @param {AsyncIterable<Uint8Array>} input
 * @param {Output} output
 * @param {(envelope: Envelope) => Promise<void>} carryOut
 * @returns {Promise<boolean>}
 */
export async function answerAll(input, output, carryOut) {
  /** @type {Set<string>} */
  const ids = new Set();
  let noneFailed = true;
  for await (const line of linesOf(input)) {
    let id = null;
    try {
      const envelope = Envelope.read(line);
      id = envelope.id;
      if (ids.has(id)) {
        const message = `id is ${quoted(id)}, which an earlier request of this process had`;
        throw Failure.invalidRequest("id", `${message}, legal is one of its own`);
      }
      ids.add(id);
      await carryOut(envelope);
    } catch (thrown) {
      noneFailed = false;
      output.push(errorRecord(id, failureOf(thrown)));
    }
    output.flush();
  }
  return noneFailed;
}

/**
 * What was thrown as the failure of a request. An exception that nobody expected is logged and is
 * an internal error; that nobody reads the records any more is no failure of a request.
 *
 * @param {unknown} thrown
 * @returns {Failure}
 */
function failureOf(thrown) {
  if (thrown instanceof Failure) {
    return thrown;
  }
  if (thrown instanceof Closed) {
    throw thrown;
  }
  const message = `exception: ${inOneLine(thrown)}`;
  log(message);
  return Failure.internal(message);
}

/**
 * The end of a request that failed.
 *
 * @param {string | null} id
 * @param {Failure} failure
 */
export function errorRecord(id, { kind, message, option, rule }) {
  return { type: "error", id, kind, message, option, rule: rule ?? undefined };
}

/**
 * A line of the log; a closed standard error is no reason to end.
 *
 * @param {string} line
 */
function log(line) {
  try {
    writeSync(2, `${line}\n`);
  } catch {
    // There is nobody left to tell.
  }
}
