/** The system `zokrates/groth16/bn254`: what it says of itself, its sessions and its verifiers. */

import { ACCEPTED, PublicInput, Rejection, rejected } from "nizk-protocol";

import { argumentsOf, circuitOf, MOST_BYTES, sourceOf } from "./circuit.js";
import { FIELD_ORDER } from "./field.js";
import { FUNCTIONS, functionOf, publicElements } from "./functions.js";
import { failureOf, Instance, ZOKRATES_VERSION } from "./library.js";
import {
  COMPRESSED_PROOF_BYTES,
  elementInDigits,
  PROOF_BYTES,
  readKey,
  readProof,
  serialiseKey,
  serialiseProof,
} from "./serialisation.js";

/** @typedef {import("nizk-protocol").Configuration} Configuration */
/** @typedef {import("nizk-protocol").Seed} Seed */
/** @typedef {import("../../protocol-js/src/system.js").System} System */
/** @typedef {import("../../protocol-js/src/system.js").Session} Session */
/** @typedef {import("../../protocol-js/src/system.js").Verdict} Verdict */
/** @typedef {import("../../protocol-js/src/system.js").Verifier} Verifier */
/** @typedef {import("./circuit.js").Circuit} Circuit */
/** @typedef {import("./serialisation.js").ProofPoints} ProofPoints */
/** @typedef {import("./serialisation.js").VerifyingKey} VerifyingKey */

/** Bytes of one public element. */
const ELEMENT_BYTES = 32;

/** @type {import("../../protocol-js/src/description.js").SystemDescription} */
const description = {
  system: "zokrates/groth16/bn254",
  scheme: "groth16",
  curve: "bn254",
  field: { name: "bn254-fr", modulus: `0x${FIELD_ORDER.toString(16)}`, bits: 254 },
  properties: {
    trusted_setup: "per-circuit",
    transparent: false,
    post_quantum: false,
    zero_knowledge: {
      level: "yes",
      source: `ZoKrates ${ZOKRATES_VERSION}, README.md: "a toolbox for zkSNARKs on Ethereum"`,
    },
    assumptions: "generic bilinear group model on BN254, honest set-up",
    batch_verification: {
      supported: false,
      source:
        "zokrates-js, index.d.ts: verify takes one proof, and nothing in the library takes many",
    },
  },
  phases: [
    { phase: "compile", includes: [] },
    { phase: "setup", includes: [] },
    { phase: "witness", includes: [] },
    { phase: "prove", includes: [] },
    { phase: "verify", includes: [] },
  ],
  absent_phases: [],
  threads: {
    minimum: 1,
    maximum: 1,
    how: "WebAssembly without threads, and V8's own work on the same thread (node --single-threaded)",
  },
  proof_size: "constant",
  statements: [
    {
      statement: "hash-preimage",
      size: { name: "bytes", minimum: 1, maximum: MOST_BYTES, rule: "any" },
      variants: [
        {
          name: "function",
          values: FUNCTIONS.map((one) => one.name),
          default: "sha256",
        },
        { name: "message", values: ["bytes", "elements"], default: "bytes" },
        { name: "gadget", values: ["embedded", "standard-library"], default: "embedded" },
      ],
      unsound: [],
    },
  ],
  options: [
    {
      name: "backend",
      type: "choice",
      values: ["ark", "bellman"],
      default: "ark",
      help: "the prover inside ZoKrates: ark-groth16 or bellman_ce",
    },
  ],
  malleable: [],
};

/** @type {System} */
export const ZOKRATES = {
  description,
  legal: (configuration) => void circuitOfConfiguration(configuration),
  open: async (configuration, seed) => {
    const circuit = circuitOfConfiguration(configuration);
    const backend = backendOf(configuration);
    return new ZokratesSession(circuit, backend, seed, await Instance.create(backend));
  },
  verifier: async (configuration, verifyingKey) => {
    const circuit = circuitOfConfiguration(configuration);
    const inputs = functionOf(circuit.function).over === "bytes" ? 2 : 1;
    return new ZokratesVerifier(circuit, backendOf(configuration), readKey(verifyingKey, inputs));
  },
};

/** @param {Configuration} configuration */
function circuitOfConfiguration(configuration) {
  const { size } = configuration;
  const variant = (/** @type {string} */ name) => configuration.variant(name);
  return circuitOf(variant("function"), size, variant("message"), variant("gadget"));
}

/** @param {Configuration} configuration */
function backendOf(configuration) {
  return configuration.optionChoice("backend") === "bellman" ? "bellman" : "ark";
}

/**
 * One circuit at work.
 *
 * @implements {Session}
 */
class ZokratesSession {
  #circuit;
  #backend;
  #seed;
  #instance;
  /** @type {import("zokrates-js").CompilationArtifacts | undefined} */
  #compiled;
  /** @type {{ vk: VerifyingKey, pk: Uint8Array } | undefined} */
  #keys;
  #message = new Uint8Array();
  #publicInput = new PublicInput(new Uint8Array(32));
  /** @type {bigint[]} */
  #elements = [];
  #witness = new Uint8Array();
  #proof = new Uint8Array();

  /**
   * @param {Circuit} circuit
   * @param {"ark" | "bellman"} backend
   * @param {Seed} seed
   * @param {Instance} instance
   */
  constructor(circuit, backend, seed, instance) {
    this.#circuit = circuit;
    this.#backend = backend;
    this.#seed = seed;
    this.#instance = instance;
  }

  compile() {
    this.#compiled = this.#call("compile", (provider) => provider.compile(sourceOf(this.#circuit)));
  }

  setup() {
    const { program } = this.#circuitAtHand();
    const { vk, pk } = this.#call("setup", (provider) => provider.setup(program));
    this.#keys = { vk: /** @type {VerifyingKey} */ (vk), pk };
  }

  async giveBackMemory() {
    this.#instance = await Instance.create(this.#backend);
  }

  /** @param {bigint} index */
  loadInstance(index) {
    const { function: name, bytes } = this.#circuit;
    this.#witness = new Uint8Array();
    this.#proof = new Uint8Array();
    this.#message = Uint8Array.from(this.#seed.message(index, bytes));
    this.#publicInput = new PublicInput(functionOf(name).digest(this.#message));
    this.#elements = publicElements(name, this.#publicInput.digest);
  }

  witness() {
    const compiled = this.#circuitAtHand();
    const { witness } = this.#call("witness", (provider) =>
      provider.computeWitness(compiled, argumentsOf(this.#circuit, this.#message), {
        logCallback: () => undefined,
      }),
    );
    this.#witness = Uint8Array.from(witness);
  }

  prove() {
    const { program } = this.#circuitAtHand();
    const { pk } = this.#keysAtHand();
    const { proof } = this.#call("prove", (provider) =>
      provider.generateProof(program, this.#witness, pk),
    );
    this.#proof = Uint8Array.from(serialiseProof(/** @type {ProofPoints} */ (proof)));
  }

  verify() {
    const { vk } = this.#keysAtHand();
    try {
      return this.#call("verify", (provider) => judge(provider, vk, this.#elements, this.#proof));
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
    return serialiseKey(this.#keysAtHand().vk);
  }

  publicInput() {
    return this.#publicInput;
  }

  /** @returns {import("../../protocol-js/src/system.js").Size[]} */
  sizes() {
    return [
      { of: "proof", encoding: "uncompressed", bytes: PROOF_BYTES },
      { of: "proof", encoding: "compressed", bytes: COMPRESSED_PROOF_BYTES },
      { of: "verifying_key", encoding: "uncompressed", bytes: this.verifyingKey().length },
      { of: "proving_key", encoding: "uncompressed", bytes: this.#keysAtHand().pk.length },
      { of: "public_input", encoding: "native", bytes: this.#elements.length * ELEMENT_BYTES },
      { of: "witness", encoding: "native", bytes: this.#witness.length },
    ];
  }

  counters() {
    const constraints = this.#circuitAtHand().constraintCount ?? 0;
    // ZoKrates' witness begins with its number of entries, the constant one and the digest among them.
    const variables = Buffer.from(this.#witness.buffer).readUInt32LE(0);
    // Both back ends add one row for the constant and for each public input, then take a power of two
    // (ark-groth16 0.3, `r1cs_to_qap.rs`; bellman_ce 0.3, `groth16/generator.rs`).
    const rows = constraints + 1 + this.#elements.length;
    return [
      { name: "constraints", value: constraints },
      { name: "variables", value: variables },
      { name: "domain", value: 2 ** Math.ceil(Math.log2(rows)) },
    ];
  }

  /**
   * Calls the library; what goes wrong in it becomes the failure of the request.
   *
   * @template T
   * @param {string} phase
   * @param {(provider: import("zokrates-js").ZoKratesProvider) => T} action
   * @returns {T}
   */
  #call(phase, action) {
    try {
      return this.#instance.call(action);
    } catch (thrown) {
      throw failureOf(thrown, this.#circuit, phase);
    }
  }

  #circuitAtHand() {
    if (this.#compiled === undefined) {
      throw new Error("the circuit has not been compiled");
    }
    return this.#compiled;
  }

  #keysAtHand() {
    if (this.#keys === undefined) {
      throw new Error("the keys have not been made");
    }
    return this.#keys;
  }
}

/**
 * A verifying key from a file.
 *
 * @implements {Verifier}
 */
class ZokratesVerifier {
  #circuit;
  #backend;
  #key;
  /** @type {Instance | undefined} */
  #instance;

  /**
   * @param {Circuit} circuit
   * @param {"ark" | "bellman"} backend
   * @param {VerifyingKey} key
   */
  constructor(circuit, backend, key) {
    this.#circuit = circuit;
    this.#backend = backend;
    this.#key = key;
  }

  /**
   * @param {PublicInput} publicInput
   * @param {Uint8Array} proof
   * @returns {Promise<Verdict>}
   */
  async verify(publicInput, proof) {
    if (!this.#instance?.usable) {
      this.#instance = await Instance.create(this.#backend);
    }
    const elements = publicElements(this.#circuit.function, publicInput.digest);
    return this.#instance.call((provider) => judge(provider, this.#key, elements, proof));
  }
}

/**
 * What is timed as `verify`: the points of the proof are read and checked, then the library verifies. A
 * proof that cannot be read is a Rejection.
 *
 * @param {import("zokrates-js").ZoKratesProvider} provider
 * @param {VerifyingKey} key
 * @param {bigint[]} elements
 * @param {Uint8Array} bytes
 * @returns {Verdict}
 */
function judge(provider, key, elements, bytes) {
  const proof = {
    scheme: "g16",
    curve: "bn128",
    proof: readProof(bytes),
    inputs: elements.map(elementInDigits),
  };
  return provider.verify(key, proof) ? ACCEPTED : rejected("the pairings do not agree");
}
