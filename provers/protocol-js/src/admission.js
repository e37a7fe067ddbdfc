/**
 * Whether a request to run can be carried out: all that `run` finds out before it begins, and all that
 * `classify` does.
 */

import { Failure } from "./failure.js";
import { withinProcessors } from "./threads.js";

/** @typedef {import("./request.js").Envelope} Envelope */
/** @typedef {import("./system.js").System} System */

/** Judges the requests of one process. */
export class Admission {
  /** @type {number | undefined} the thread count, once a request has fixed it */
  #threads;
  #systems;

  /** @param {readonly System[]} systems */
  constructor(systems) {
    this.#systems = systems;
  }

  /**
   * The request of an envelope, if it can be carried out.
   *
   * @param {Envelope} envelope
   */
  admit(envelope) {
    const request = envelope.intoRun(this.#systems);
    this.#fixThreads(request.configuration.threads);
    request.system.legal?.(request.configuration);
    return request;
  }

  /**
   * A process measures at one thread count, that of its first well-formed request.
   *
   * @param {number} threads
   */
  #fixThreads(threads) {
    if (this.#threads === undefined) {
      withinProcessors(threads);
      this.#threads = threads;
    } else if (this.#threads !== threads) {
      throw Failure.invalidRequest(
        "threads",
        `threads is ${threads}, legal in this process is ${this.#threads} alone, as first asked for`,
      );
    }
  }
}
