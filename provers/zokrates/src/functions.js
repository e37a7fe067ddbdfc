/**
 * The functions of `hash-preimage` as native code: what the digest of an instance is computed with.
 * STATEMENTS.md defines them; the circuits are in `circuit.js`.
 */

import { createHash } from "node:crypto";

import * as poseidonLite from "poseidon-lite";

import { bytesOf, integerOf } from "./field.js";
import { mimc7Chain, mimcSpongeChain } from "./mimc.js";

/** Bytes of the message that one element takes: 2^248 is below the order of the field. */
export const BYTES_OF_ELEMENT = 31;

/** Elements that the chain of Poseidon takes in its first step and, beside the digest so far, in each other. */
export const POSEIDON_FIRST = 6;
export const POSEIDON_NEXT = 5;

/** Poseidon over one to six elements, as poseidon-lite names them. */
const POSEIDON = [
  poseidonLite.poseidon1,
  poseidonLite.poseidon2,
  poseidonLite.poseidon3,
  poseidonLite.poseidon4,
  poseidonLite.poseidon5,
  poseidonLite.poseidon6,
];

/**
 * A function of the statement.
 *
 * @typedef {object} HashFunction
 * @property {string} name
 * @property {"bytes" | "elements"} over what it hashes
 * @property {(message: Uint8Array) => Uint8Array} digest its 32 bytes
 */

/** @type {readonly HashFunction[]} */
export const FUNCTIONS = [
  overBytes("sha256", "sha256"),
  overBytes("sha3-256", "sha3-256"),
  overBytes("blake2s", "blake2s256"),
  overElements("mimc-sponge", mimcSpongeChain),
  overElements("mimc-7", mimc7Chain),
  overElements("poseidon", poseidonChain),
];

/**
 * The function of a name, which is one of the names of FUNCTIONS.
 *
 * @param {string} name
 * @returns {HashFunction}
 */
export function functionOf(name) {
  const found = FUNCTIONS.find((one) => one.name === name);
  if (found === undefined) {
    throw new Error(`there is no function ${name}`);
  }
  return found;
}

/**
 * The message in pieces of 31 bytes, each as an unsigned big-endian integer.
 *
 * @param {Uint8Array} message
 * @returns {bigint[]}
 */
export function elementsOf(message) {
  const elements = [];
  for (let start = 0; start < message.length; start += BYTES_OF_ELEMENT) {
    elements.push(integerOf(message.subarray(start, start + BYTES_OF_ELEMENT)));
  }
  return elements;
}

/**
 * The elements that a verifier is handed for a digest: its halves where the function hashes bytes,
 * else the element that it is.
 *
 * @param {string} name
 * @param {Uint8Array} digest
 * @returns {bigint[]}
 */
export function publicElements(name, digest) {
  if (functionOf(name).over === "elements") {
    return [integerOf(digest)];
  }
  return [integerOf(digest.subarray(0, 16)), integerOf(digest.subarray(16))];
}

/**
 * @param {string} name
 * @param {string} algorithm as OpenSSL calls it
 * @returns {HashFunction}
 */
function overBytes(name, algorithm) {
  const digest = (/** @type {Uint8Array} */ message) =>
    Uint8Array.from(createHash(algorithm).update(message).digest());
  return { name, over: "bytes", digest };
}

/**
 * @param {string} name
 * @param {(elements: bigint[]) => bigint} chain
 * @returns {HashFunction}
 */
function overElements(name, chain) {
  return { name, over: "elements", digest: (message) => bytesOf(chain(elementsOf(message))) };
}

/**
 * Poseidon of the first six elements, then of the digest so far and the next five, until none is left.
 *
 * @param {bigint[]} elements at least one
 * @returns {bigint}
 */
function poseidonChain(elements) {
  let state = poseidon(elements.slice(0, POSEIDON_FIRST));
  for (let start = POSEIDON_FIRST; start < elements.length; start += POSEIDON_NEXT) {
    state = poseidon([state, ...elements.slice(start, start + POSEIDON_NEXT)]);
  }
  return state;
}

/**
 * @param {bigint[]} elements one to six
 * @returns {bigint}
 */
function poseidon(elements) {
  const permutation = POSEIDON[elements.length - 1];
  if (permutation === undefined) {
    throw new Error(`Poseidon takes one to six elements, not ${elements.length}`);
  }
  return permutation(elements);
}
