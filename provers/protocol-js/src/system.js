/**
 * What a runner implements: a System that opens Sessions, one per request, and prepares Verifiers from
 * the bytes of a key. Types alone.
 *
 * Phases are synchronous, so that nothing of the event loop runs inside a timed region; what stands
 * around them may wait.
 */

/** @typedef {import("./configuration.js").Configuration} Configuration */
/** @typedef {import("./description.js").SystemDescription} SystemDescription */
/** @typedef {import("./public_input.js").PublicInput} PublicInput */
/** @typedef {import("./seed.js").Seed} Seed */

/**
 * One library, version, scheme and field or curve.
 *
 * @typedef {object} System
 * @property {SystemDescription} description what `describe` prints and requests are validated against
 * @property {(configuration: Configuration) => void} [legal] throws `Failure.unsupported` for
 *   combinations that no single range of the description can exclude. Nothing is computed beyond that.
 * @property {(configuration: Configuration, seed: Seed) => Promise<Session>} open begins one
 *   configuration, which is legal. Never timed.
 * @property {(configuration: Configuration, verifyingKey: Uint8Array) => Promise<Verifier>} verifier
 *   prepares the verifying key of another process: what stands after the header, which has been
 *   checked; the bytes are not to be trusted. Throws a Rejection for a key that cannot be used.
 */

/**
 * One configuration at work. The loop calls `compile` and `setup` once, then `loadInstance`, `witness`,
 * `prove`, `verify` for each sample. Phases that a description does not time may be missing.
 *
 * @typedef {object} Session
 * @property {() => void} [compile] source circuit to constraint system
 * @property {() => void} [setup] constraint system to keys; the verifying key is prepared here
 * @property {() => Promise<void>} [giveBackMemory] gives freed memory back to the system, after
 *   `compile` and after `setup`. Never timed.
 * @property {(index: bigint) => void} loadInstance derives an instance and drops what the last
 *   sample left behind. Never timed.
 * @property {() => void} [witness] instance to full assignment
 * @property {() => void} prove leaves the serialised proof. Called again without a new `loadInstance`
 *   only after another `witness`.
 * @property {() => Verdict} verify judges the serialised proof with the prepared verifying key. May be
 *   called many times for one proof.
 * @property {() => Uint8Array} proof the serialised proof, exactly the bytes its size is counted by
 * @property {() => Uint8Array} verifyingKey what a verifier must hold, without the header
 * @property {() => PublicInput} publicInput of the loaded instance
 * @property {() => Size[]} sizes the same for every proof; asked once, after the first counted sample
 * @property {() => Counter[]} [counters] as sizes; the loop itself adds `threads`
 * @property {() => Security[]} [security] as sizes
 * @property {() => Size[]} [sampleSizes] asked after every sample that made a proof
 * @property {() => Counter[]} [sampleCounters] asked after every sample that made a proof
 */

/**
 * A prepared verifying key.
 *
 * @typedef {object} Verifier
 * @property {(publicInput: PublicInput, proof: Uint8Array) => Promise<Verdict>} verify judges a proof.
 *   Neither argument is to be trusted, except that the public input is one of the request's statement
 *   and size.
 */

/**
 * What a verifier says about a proof; why in one sentence, empty when accepted.
 *
 * @typedef {{ accepted: true, reason: "" } | { accepted: false, reason: string }} Verdict
 */

/**
 * @typedef {object} Size
 * @property {"proof" | "verifying_key" | "proving_key" | "public_input" | "witness" | "commitments"} of
 * @property {"compressed" | "uncompressed" | "native"} encoding
 * @property {number} bytes
 */

/** @typedef {{ name: string, value: number | bigint }} Counter */

/**
 * @typedef {object} Security
 * @property {"conjectured" | "proven-unique-decoding" | "proven-list-decoding"} kind
 * @property {number} bits
 * @property {string} source
 */

/** @type {Verdict} */
export const ACCEPTED = Object.freeze({ accepted: true, reason: "" });

/**
 * @param {string} reason
 * @returns {Verdict}
 */
export function rejected(reason) {
  return { accepted: false, reason };
}
