/** `RUNNER classify`: which requests to run can be carried out, without carrying them out. */

import { Admission } from "./admission.js";
import { answerAll } from "./answers.js";

/**
 * Answers every request of a stream; whether all of them are legal.
 *
 * @param {readonly import("./system.js").System[]} systems
 * @param {AsyncIterable<Uint8Array>} input
 * @param {import("./record.js").Output} output
 */
export function classify(systems, input, output) {
  const admission = new Admission(systems);
  return answerAll(input, output, async (envelope) => {
    admission.admit(envelope);
    output.push({ type: "legal", id: envelope.id });
  });
}
