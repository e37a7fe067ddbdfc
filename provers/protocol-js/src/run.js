/** `RUNNER run`: the loop that every system is measured by. */

import { writeFileSync } from "node:fs";
import path from "node:path";

import { Admission } from "./admission.js";
import { answerAll } from "./answers.js";
import { times } from "./description.js";
import { Failure } from "./failure.js";
import { composeKeyFile } from "./key_file.js";
import { collectGarbage, Meter } from "./measurement.js";
import { ACCEPTED } from "./system.js";

/** @typedef {import("./description.js").Phase} Phase */
/** @typedef {import("./record.js").Output} Output */
/** @typedef {import("./request.js").RunRequest} RunRequest */
/** @typedef {import("./system.js").Session} Session */

/**
 * What one execution of a phase belongs to.
 *
 * @typedef {object} Position
 * @property {number} sample
 * @property {bigint | null} instance
 * @property {boolean} warmup
 */

/** @type {Position} */
const ONCE = { sample: 0, instance: null, warmup: false };

/**
 * Answers every request of a stream; whether all of them ended in `done`.
 *
 * @param {readonly import("./system.js").System[]} systems
 * @param {AsyncIterable<Uint8Array>} input
 * @param {Output} output
 */
export function run(systems, input, output) {
  const admission = new Admission(systems);
  const meter = new Meter();
  return answerAll(input, output, async (envelope) => {
    const request = admission.admit(envelope);
    const session = await request.system.open(request.configuration, request.seed);
    const loop = new Loop(envelope.id, request, session, meter, output);
    const { samples, stoppedBy } = await loop.carryOut();
    output.push({ type: "done", id: envelope.id, samples, stopped_by: stoppedBy });
  });
}

/** One request at work. */
class Loop {
  #id;
  #request;
  #session;
  #meter;
  #output;

  /**
   * @param {string} id
   * @param {RunRequest} request
   * @param {Session} session
   * @param {Meter} meter
   * @param {Output} output
   */
  constructor(id, request, session, meter, output) {
    this.#id = id;
    this.#request = request;
    this.#session = session;
    this.#meter = meter;
    this.#output = output;
  }

  /** @returns {Promise<{ samples: number, stoppedBy: "maximum" | "seconds" | "no-loop" }>} */
  async carryOut() {
    // What one phase left behind must not count as the memory of the next.
    this.#execute("compile", ONCE, () => this.#session.compile?.());
    await this.#giveBackMemory();
    this.#execute("setup", ONCE, () => this.#session.setup?.());
    await this.#giveBackMemory();
    this.#output.flush();
    if (
      !["witness", "prove", "verify"].some((phase) => this.#records(/** @type {Phase} */ (phase)))
    ) {
      return { samples: 0, stoppedBy: "no-loop" };
    }
    const { warmup, minimum, maximum, seconds } = this.#request.stop;
    let spent = 0n;
    let counted = 0;
    for (let sample = 0; ; sample += 1) {
      const position = { sample, instance: this.#instanceOf(sample), warmup: sample < warmup };
      const took = this.#takeSample(position);
      if (!position.warmup) {
        spent += took;
        counted += 1;
        if (counted === 1) {
          this.#writeWhatStays(position);
        }
      }
      this.#output.flushIfDue();
      if (counted === maximum) {
        return { samples: counted, stoppedBy: "maximum" };
      }
      if (counted >= minimum && Number(spent) / 1e9 >= seconds) {
        return { samples: counted, stoppedBy: "seconds" };
      }
    }
  }

  async #giveBackMemory() {
    await this.#session.giveBackMemory?.();
    collectGarbage();
  }

  /**
   * Whether executions of this phase are timed and written.
   *
   * @param {Phase} phase
   */
  #records(phase) {
    const { system, phases } = this.#request;
    return times(system.description, phase) && phases.includes(phase);
  }

  /** Whether one proof serves all samples: nothing but verification is asked for. */
  #verifiesOneProof() {
    return this.#records("verify") && !this.#records("witness") && !this.#records("prove");
  }

  /** @param {number} sample */
  #instanceOf(sample) {
    const { firstInstance, instances } = this.#request;
    const fresh = instances === "fresh" && !this.#verifiesOneProof();
    return fresh ? firstInstance + BigInt(sample) : firstInstance;
  }

  /**
   * One pass of the loop; the time of its timed phases.
   *
   * @param {Position} position
   */
  #takeSample(position) {
    let spent = 0n;
    if (position.sample === 0 || !this.#verifiesOneProof()) {
      this.#session.loadInstance(position.instance ?? 0n);
      spent += this.#execute("witness", position, () => this.#session.witness?.());
      if (this.#records("prove") || this.#records("verify")) {
        spent += this.#execute("prove", position, () => this.#session.prove());
        this.#writeWhatVaries(position.sample);
      }
    }
    if (this.#records("verify")) {
      spent += this.#verify(position);
    }
    return spent;
  }

  /**
   * Executes a phase, timed if it is to be recorded; its time then, else nothing.
   *
   * @param {Phase} phase
   * @param {Position} position
   * @param {() => void} action
   */
  #execute(phase, { sample, instance, warmup }, action) {
    if (!this.#records(phase)) {
      action();
      return 0n;
    }
    const { wallNs, userNs, systemNs, peakRssBytes } = this.#meter.measure(action);
    this.#output.push({
      ...{ type: "sample", id: this.#id, phase, sample, instance, warmup },
      ...{ wall_ns: wallNs, user_ns: userNs, system_ns: systemNs, peak_rss_bytes: peakRssBytes },
    });
    return wallNs;
  }

  /**
   * Verifies the proof at hand. One that its own verifier rejects ends the request.
   *
   * @param {Position} position
   */
  #verify(position) {
    let verdict = ACCEPTED;
    const spent = this.#execute("verify", position, () => {
      verdict = this.#session.verify();
    });
    if (verdict.accepted) {
      return spent;
    }
    this.#writeSelfVerify(false, verdict.reason);
    throw Failure.internal(
      `the system's own verifier rejects its proof of instance ${position.instance}: ${verdict.reason}`,
    );
  }

  /**
   * @param {boolean} passed
   * @param {string} detail
   */
  #writeSelfVerify(passed, detail) {
    this.#output.push({ type: "check", id: this.#id, check: "self-verify", passed, detail });
  }

  /** @param {number} sample */
  #writeWhatVaries(sample) {
    const id = this.#id;
    for (const size of this.#session.sampleSizes?.() ?? []) {
      this.#output.push({ type: "size", id, ...size, sample });
    }
    for (const counter of this.#session.sampleCounters?.() ?? []) {
      this.#output.push({ type: "counter", id, ...counter, sample });
    }
  }

  /**
   * After the first counted sample: that its proof verifies (seen above, or seen to now without the
   * clock), what is the same for all proofs, and the artifacts.
   *
   * @param {Position} position
   */
  #writeWhatStays(position) {
    if (!this.#records("verify")) {
      if (!this.#records("prove")) {
        this.#session.prove();
        this.#writeWhatVaries(position.sample);
      }
      this.#verify(position);
    }
    this.#writeSelfVerify(true, "");
    const [id, sample] = [this.#id, null];
    for (const size of this.#session.sizes()) {
      this.#output.push({ type: "size", id, ...size, sample });
    }
    const threads = { name: "threads", value: this.#request.configuration.threads };
    for (const counter of [...(this.#session.counters?.() ?? []), threads]) {
      this.#output.push({ type: "counter", id, ...counter, sample });
    }
    for (const security of this.#session.security?.() ?? []) {
      this.#output.push({ type: "security", id, ...security });
    }
    if (this.#request.artifacts !== undefined) {
      this.#writeArtifacts(this.#request.artifacts);
    }
  }

  /** @param {string} folder */
  #writeArtifacts(folder) {
    const { configuration } = this.#request;
    const files = {
      "proof.bin": this.#session.proof(),
      "verifying_key.bin": composeKeyFile(configuration, this.#session.verifyingKey()),
      "public_input.json": this.#session.publicInput().toJson(configuration),
    };
    for (const [name, content] of Object.entries(files)) {
      const file = path.join(folder, name);
      try {
        writeFileSync(file, content);
      } catch (thrown) {
        const { message } = /** @type {Error} */ (thrown);
        throw Failure.internal(`${file} could not be written: ${message}`);
      }
    }
  }
}
