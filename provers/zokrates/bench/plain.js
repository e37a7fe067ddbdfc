/**
 * Prove and verify with zokrates-js alone, in the runner's pattern: a fresh instance for every proof,
 * one proof verified again and again. The circuit is the runner's, and so is how a proof becomes bytes
 * and comes back, for which the library has no format; of the protocol there is nothing.
 *
 *     plain-zokrates prove|verify SAMPLES
 *
 * writes `{"PHASE":[nanoseconds of each sample]}` after one sample that warms up. Which circuit it is
 * comes from the environment: NIZK_PLAIN_SYSTEM, NIZK_PLAIN_SIZE (bytes), NIZK_PLAIN_VARIANT and
 * NIZK_PLAIN_OPTIONS (name=value joined by commas), NIZK_PLAIN_THREADS and NIZK_PLAIN_SEED.
 */

import { Seed } from "nizk-protocol";
import { initialize } from "zokrates-js";

import { argumentsOf, circuitOf, sourceOf } from "../src/circuit.js";
import { functionOf, publicElements } from "../src/functions.js";
import { elementInDigits, readProof, serialiseProof } from "../src/serialisation.js";

/** @typedef {import("../src/serialisation.js").ProofPoints} ProofPoints */

const SYSTEM = "zokrates/groth16/bn254";

/**
 * @param {string} name
 * @param {string} missing
 */
function setting(name, missing) {
  return process.env[`NIZK_PLAIN_${name}`] || missing;
}

/**
 * @param {string} name
 * @returns {Record<string, string>}
 */
function pairs(name) {
  const given = setting(name, "");
  return Object.fromEntries(given === "" ? [] : given.split(",").map((pair) => pair.split("=", 2)));
}

/**
 * How long an action takes, in nanoseconds, and what it returns.
 *
 * @template T
 * @param {() => T} action
 * @returns {[number, T]}
 */
function timed(action) {
  const begun = process.hrtime.bigint();
  const returned = action();
  return [Number(process.hrtime.bigint() - begun), returned];
}

/** @returns {never} */
function refuse() {
  throw new Error(
    "usage: plain-zokrates prove|verify SAMPLES, and the environment of bench/plain.js",
  );
}

const [phase, count] = process.argv.slice(2);
const samples = Number(count);
const seed = Seed.parse(setting("SEED", "0".repeat(64))) ?? refuse();
const { function: name = "sha256", message = "bytes", gadget } = pairs("VARIANT");
const circuit = circuitOf(name, Number(setting("SIZE", "32")), message, gadget);
const { backend = "ark" } = pairs("OPTIONS");
if (
  (phase !== "prove" && phase !== "verify") ||
  !Number.isInteger(samples) ||
  samples < 1 ||
  (backend !== "ark" && backend !== "bellman") ||
  setting("SYSTEM", SYSTEM) !== SYSTEM ||
  setting("THREADS", "1") !== "1"
) {
  refuse();
}

const provider = (await initialize()).withOptions({ backend, scheme: "g16", curve: "bn128" });
const compiled = provider.compile(sourceOf(circuit));
const { vk, pk } = provider.setup(compiled.program);

/** @param {number} index */
function messageOf(index) {
  return Uint8Array.from(seed.message(BigInt(index), circuit.bytes));
}

/** @param {number} index */
function witnessOf(index) {
  const options = { logCallback: () => undefined };
  return provider.computeWitness(compiled, argumentsOf(circuit, messageOf(index)), options).witness;
}

/** @param {Uint8Array} witness */
function prove(witness) {
  const { proof } = provider.generateProof(compiled.program, witness, pk);
  return serialiseProof(/** @type {ProofPoints} */ (proof));
}

/**
 * @param {Uint8Array} bytes
 * @param {bigint[]} digest
 */
function verify(bytes, digest) {
  const inputs = digest.map(elementInDigits);
  const proof = { scheme: "g16", curve: "bn128", proof: readProof(bytes), inputs };
  return provider.verify(vk, proof);
}

const first = Uint8Array.from(prove(witnessOf(0)));
const digest = publicElements(name, functionOf(name).digest(messageOf(0)));
const times = [];
for (let sample = 0; sample <= samples; sample += 1) {
  if (phase === "prove") {
    const witness = witnessOf(sample);
    times.push(timed(() => prove(witness))[0]);
  } else {
    const [time, accepted] = timed(() => verify(first, digest));
    if (!accepted) {
      throw new Error("the proof to be verified is rejected");
    }
    times.push(time);
  }
}
process.stdout.write(`${JSON.stringify({ [phase]: times.slice(1) })}\n`);
