/** The system as the protocol sees it: what it says of itself, and its loop around `scheme.js`. */

import { createHash } from "node:crypto";

import { PublicInput, Rejection, rejected } from "../../../protocol-js/src/index.js";
import { prove, verify } from "./scheme.js";

/** @typedef {import("../../../protocol-js/src/configuration.js").Configuration} Configuration */
/** @typedef {import("../../../protocol-js/src/seed.js").Seed} Seed */
/** @typedef {import("../../../protocol-js/src/system.js").Session} Session */
/** @typedef {import("../../../protocol-js/src/system.js").System} System */

/**
 * Every word of this is printed in tables: EXTENDING.md says what each must be.
 *
 * @type {import("../../../protocol-js/src/description.js").SystemDescription}
 */
const description = {
  system: "newcomer/scheme/f64",
  scheme: "scheme",
  curve: null,
  field: { name: "f64", modulus: "0xffffffff00000001", bits: 64 },
  properties: {
    trusted_setup: "none",
    transparent: true,
    post_quantum: false,
    zero_knowledge: {
      level: "no",
      source: "not said yet: quote the library, and where it stands",
    },
    assumptions: "not said yet",
    batch_verification: {
      supported: false,
      source: "not said yet: whether it verifies many proofs in one call, and what says so",
    },
  },
  phases: [
    { phase: "prove", includes: ["compile", "witness"] },
    { phase: "verify", includes: ["compile"] },
  ],
  absent_phases: [
    { phase: "setup", reason: "not said yet: time it, or say why the scheme has none" },
  ],
  threads: { minimum: 1, maximum: 1, how: "it computes on one thread" },
  proof_size: "constant",
  statements: [
    {
      statement: "hash-preimage",
      size: { name: "bytes", minimum: 1, maximum: 4096, rule: "any" },
      variants: [{ name: "function", values: ["sha256"], default: "sha256" }],
      unsound: [],
    },
  ],
  options: [],
  malleable: [],
};

/**
 * One library, scheme and field.
 *
 * @type {System}
 */
export const MEASURED = {
  description,
  open: async (configuration, seed) => new Proving(configuration, seed),
  verifier: async (_configuration, verifyingKey) => {
    if (verifyingKey.length > 0) {
      throw new Rejection("the scheme has no verifying key, and there is one");
    }
    return { verify: async (publicInput, proof) => verify(publicInput.digest, proof) };
  },
};

/**
 * One configuration at work.
 *
 * @implements {Session}
 */
class Proving {
  #seed;
  #bytes;
  #message = new Uint8Array();
  #digest = new Uint8Array();
  #proof = new Uint8Array();

  /**
   * @param {Configuration} configuration
   * @param {Seed} seed
   */
  constructor(configuration, seed) {
    this.#seed = seed;
    this.#bytes = configuration.size;
  }

  /** @param {bigint} index */
  loadInstance(index) {
    this.#proof = new Uint8Array();
    this.#message = Uint8Array.from(this.#seed.message(index, this.#bytes));
    this.#digest = Uint8Array.from(createHash("sha256").update(this.#message).digest());
  }

  prove() {
    this.#proof = Uint8Array.from(prove(this.#message, this.#digest));
  }

  verify() {
    try {
      return verify(this.#digest, this.#proof);
    } catch (thrown) {
      if (thrown instanceof Rejection) {
        return rejected(thrown.message);
      }
      throw thrown;
    }
  }

  proof() {
    return this.#proof;
  }

  verifyingKey() {
    return new Uint8Array();
  }

  publicInput() {
    return new PublicInput(this.#digest);
  }

  /** @returns {import("../../../protocol-js/src/system.js").Size[]} */
  sizes() {
    return [{ of: "proof", encoding: "native", bytes: this.#proof.length }];
  }
}
