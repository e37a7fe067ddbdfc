/**
 * MiMC over the scalar field of BN254 as circomlib defines it and STATEMENTS.md repeats: the
 * permutation in Feistel form with x^5, and the keyed one with x^7 (Albrecht, Grassi, Rechberger, Roy,
 * Tiessen: MiMC, ASIACRYPT 2016, section 2.1 and 5).
 *
 * It stands here because the only package with both, circomlibjs, brings ethers and WebAssembly
 * of its own into the process that is measured. The tests hold it against circomlibjs.
 */

import { keccak_256 } from "@noble/hashes/sha3.js";

import { integerOf, FIELD_ORDER as ORDER } from "./field.js";

const SPONGE_ROUNDS = 220;
const MIMC7_ROUNDS = 91;

/** The first and the last constant of the sponge are zero, since they do not matter there. */
const SPONGE_CONSTANTS = constants("mimcsponge", SPONGE_ROUNDS).with(SPONGE_ROUNDS - 1, 0n);
const MIMC7_CONSTANTS = constants("mimc", MIMC7_ROUNDS);

/**
 * The sponge with rate and capacity of one element each and key 0: every element is added to the left
 * half, then permuted. The digest is the left half.
 *
 * @param {bigint[]} elements
 * @returns {bigint}
 */
export function mimcSpongeChain(elements) {
  /** @type {[bigint, bigint]} */
  let state = [0n, 0n];
  for (const element of elements) {
    state = feistel((state[0] + element) % ORDER, state[1]);
  }
  return state[0];
}

/**
 * The chain of circomlib's MultiMiMC7 with key 0: r becomes r + e + MiMC7(e, r).
 *
 * @param {bigint[]} elements
 * @returns {bigint}
 */
export function mimc7Chain(elements) {
  return elements.reduce((r, element) => (r + element + mimc7(element, r)) % ORDER, 0n);
}

/**
 * The permutation with key 0; the halves are not exchanged after the last round.
 *
 * @param {bigint} left
 * @param {bigint} right
 * @returns {[bigint, bigint]}
 */
function feistel(left, right) {
  for (const [round, constant] of SPONGE_CONSTANTS.entries()) {
    const sum = (left + constant) % ORDER;
    const square = (sum * sum) % ORDER;
    const mixed = (right + square * square * sum) % ORDER;
    [left, right] = round < SPONGE_ROUNDS - 1 ? [mixed, left] : [left, mixed];
  }
  return [left, right];
}

/**
 * @param {bigint} element
 * @param {bigint} key
 * @returns {bigint}
 */
function mimc7(element, key) {
  let state = element;
  for (const constant of MIMC7_CONSTANTS) {
    const sum = (state + key + constant) % ORDER;
    const square = (sum * sum) % ORDER;
    state = (((square * square) % ORDER) * ((square * sum) % ORDER)) % ORDER;
  }
  return (state + key) % ORDER;
}

/**
 * Round constants: the first is zero, number i is Keccak-256 applied i + 1 times to the name, read as a
 * big-endian integer and reduced (circomlib, `src/mimc7.js` and `src/mimcsponge.js`).
 *
 * @param {string} name
 * @param {number} rounds
 * @returns {bigint[]}
 */
function constants(name, rounds) {
  const all = [0n];
  let hash = keccak_256(new TextEncoder().encode(name));
  for (let round = 1; round < rounds; round += 1) {
    hash = keccak_256(hash);
    all.push(integerOf(hash) % ORDER);
  }
  return all;
}
