/**
 * A system that proves nothing, for the tests: its proof is the message itself. Its options make it fail
 * in every way the loop has to survive.
 */

import { createHash } from "node:crypto";

import { ACCEPTED, Failure, main, PublicInput, Rejection, rejected } from "../src/index.js";

/** @typedef {import("../src/configuration.js").Configuration} Configuration */
/** @typedef {import("../src/system.js").Session} Session */
/** @typedef {import("../src/system.js").System} System */

/** @type {import("../src/description.js").SystemDescription} */
const description = {
  system: "toy/nothing/none",
  scheme: "nothing",
  curve: null,
  field: { name: "m31", modulus: "0x7fffffff", bits: 31 },
  properties: { trusted_setup: "none" },
  phases: [
    { phase: "setup", includes: [] },
    { phase: "witness", includes: [] },
    { phase: "prove", includes: [] },
    { phase: "verify", includes: [] },
  ],
  absent_phases: [{ phase: "compile", reason: "there is no circuit" }],
  threads: { minimum: 1, maximum: null, how: "it has one thread" },
  proof_size: "constant",
  statements: [
    {
      statement: "hash-preimage",
      size: { name: "bytes", minimum: 1, maximum: 1024, rule: "any" },
      variants: [
        { name: "function", values: ["sha256", "poseidon"], default: "sha256" },
        { name: "message", values: ["bytes", "elements"], default: "bytes" },
      ],
      unsound: [],
    },
  ],
  options: [
    {
      ...{ name: "milliseconds", type: "integer", minimum: 0, maximum: 1000, default: 0 },
      help: "how long a proof takes",
    },
    {
      ...{ name: "power", type: "integer", minimum: 2, maximum: 16, values: [2, 4, 8, 16] },
      ...{ default: 4, help: "a number of which few are legal" },
    },
    {
      name: "fault",
      type: "choice",
      values: [
        ...["none", "unsupported", "throw-setup", "throw-prove", "throw-verifier", "wrong-proof"],
        ...["out-of-memory"],
      ],
      default: "none",
      help: "how it fails",
    },
  ],
  malleable: [],
};

/** @type {System} */
const TOY = {
  description,
  legal: (configuration) => {
    if (configuration.optionChoice("fault") === "unsupported") {
      throw Failure.unsupported(
        "fault-of-the-toy",
        "fault",
        "fault is unsupported, which is unsupported",
      );
    }
  },
  open: async (configuration, seed) => new ToySession(configuration, seed),
  verifier: async (configuration, verifyingKey) => {
    if (Buffer.from(verifyingKey).toString() !== "toy") {
      throw new Rejection("the verifying key is not three letters long");
    }
    return {
      verify: async (publicInput, proof) => {
        if (configuration.optionChoice("fault") === "throw-verifier") {
          throw new Error("the toy broke");
        }
        return judge(publicInput, proof);
      },
    };
  },
};

/** @implements {Session} */
class ToySession {
  #configuration;
  #seed;
  #message = new Uint8Array();
  #proof = new Uint8Array();
  #proofs = 0;

  /**
   * @param {Configuration} configuration
   * @param {import("../src/seed.js").Seed} seed
   */
  constructor(configuration, seed) {
    this.#configuration = configuration;
    this.#seed = seed;
  }

  setup() {
    if (this.#failsBy("throw-setup")) {
      throw new Error("the toy broke\nin its setup");
    }
    if (this.#failsBy("out-of-memory")) {
      throw Failure.outOfMemory("the toy has no memory");
    }
  }

  /** @param {bigint} index */
  loadInstance(index) {
    this.#proof = new Uint8Array();
    this.#message = Uint8Array.from(this.#seed.message(index, this.#configuration.size));
  }

  prove() {
    if (this.#failsBy("throw-prove") && this.#proofs === 2) {
      throw new Error("the toy broke in proof 2");
    }
    const pause = this.#configuration.optionInteger("milliseconds");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause);
    this.#proofs += 1;
    this.#proof = Uint8Array.from(this.#message);
    if (this.#failsBy("wrong-proof")) {
      this.#proof = this.#proof.map((byte) => byte ^ 1);
    }
  }

  verify() {
    return judge(this.publicInput(), this.#proof);
  }

  proof() {
    return this.#proof;
  }

  verifyingKey() {
    return Buffer.from("toy");
  }

  publicInput() {
    return new PublicInput(digestOf(this.#message));
  }

  /** @returns {import("../src/system.js").Size[]} */
  sizes() {
    return [{ of: "proof", encoding: "native", bytes: this.#proof.length }];
  }

  counters() {
    return [{ name: "constraints", value: this.#configuration.optionInteger("power") }];
  }

  /** @returns {import("../src/system.js").Security[]} */
  security() {
    return [{ kind: "conjectured", bits: 0.5, source: "a toy" }];
  }

  sampleCounters() {
    return [{ name: "pow_nonce", value: this.#proofs }];
  }

  /** @param {string} fault */
  #failsBy(fault) {
    return this.#configuration.optionChoice("fault") === fault;
  }
}

/** @param {Uint8Array} message */
function digestOf(message) {
  return Uint8Array.from(createHash("sha256").update(message).digest());
}

/**
 * @param {PublicInput} publicInput
 * @param {Uint8Array} proof
 */
function judge(publicInput, proof) {
  return Buffer.compare(digestOf(proof), publicInput.digest) === 0
    ? ACCEPTED
    : rejected("the message has another digest");
}

process.exitCode = await main(
  {
    name: "toy",
    library: { name: "toy", version: "0.0.0" },
    build: { target: "none", profile: "release", features: [], target_cpu: "generic" },
    systems: [TOY],
    commands: { echo: async (parameters) => parameters.length },
  },
  process.argv.slice(2),
);
