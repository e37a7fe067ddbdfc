/** How many threads there may be. */

import { readFileSync } from "node:fs";

import { Failure } from "./failure.js";

/**
 * Refuses more threads than there are processors this process may use: they would take turns, and what
 * is recorded as so many threads would not be.
 *
 * @param {number} threads
 */
export function withinProcessors(threads) {
  const processors = countProcessors();
  if (threads > processors) {
    throw Failure.unsupported(
      "threads-beyond-processors",
      "threads",
      `threads is ${threads}, supported are at most ${processors}, as many as there are processors` +
        " this process may use",
    );
  }
}

/**
 * The processors of this process's CPU affinity (proc(5): `Cpus_allowed`, a mask in hexadecimal).
 * os.availableParallelism would also count a quota of CPU time.
 */
function countProcessors() {
  const status = readFileSync("/proc/self/status", "latin1");
  const mask = /^Cpus_allowed:\s*([0-9a-f,]+)$/mu.exec(status)?.[1];
  if (mask === undefined) {
    throw Failure.internal("the CPU affinity cannot be read from /proc/self/status");
  }
  const bits = BigInt(`0x${mask.replaceAll(",", "")}`).toString(2);
  return bits.replaceAll("0", "").length;
}
