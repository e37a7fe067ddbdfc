/**
 * Proofs and verifying keys as bytes. ZoKrates writes them as JSON with coordinates in hexadecimal and has
 * no other form for a proof, so these bytes are the runner's: every coordinate as 32 big-endian bytes in
 * the order in which ZoKrates writes them, x before y, and a before b of a + b * u. There is one
 * serialisation of every proof, and what is not one is rejected.
 */

import { Rejection } from "nizk-protocol";

import { COORDINATE_ORDER, isInG1, isInG2 } from "./curve.js";
import { integerOf } from "./field.js";

/** @typedef {[string, string]} G1Json */
/** @typedef {[[string, string], [string, string]]} G2Json */

/**
 * The points of a proof.
 *
 * @typedef {object} ProofPoints
 * @property {G1Json} a
 * @property {G2Json} b
 * @property {G1Json} c
 */

/**
 * A verifying key as ZoKrates writes it.
 *
 * @typedef {object} VerifyingKey
 * @property {"g16"} scheme
 * @property {"bn128"} curve
 * @property {G1Json} alpha
 * @property {G2Json} beta
 * @property {G2Json} gamma
 * @property {G2Json} delta
 * @property {G1Json[]} gamma_abc one for the constant, then one for each public input
 */

const COORDINATE_BYTES = 32;
const G1_BYTES = 2 * COORDINATE_BYTES;
const G2_BYTES = 4 * COORDINATE_BYTES;

/** Bytes of a proof: two points of G1, one of G2. */
export const PROOF_BYTES = 2 * G1_BYTES + G2_BYTES;

/** Bytes that one coordinate and a sign in its unused bits would take for each of the three points. */
export const COMPRESSED_PROOF_BYTES = PROOF_BYTES / 2;

/**
 * @param {ProofPoints} points
 * @returns {Uint8Array}
 */
export function serialiseProof({ a, b, c }) {
  return bytesOfDigits([a, b, c].flat(2));
}

/**
 * The points of a proof that is to be trusted in nothing.
 *
 * @param {Uint8Array} bytes
 * @returns {ProofPoints}
 */
export function readProof(bytes) {
  if (bytes.length !== PROOF_BYTES) {
    throw new Rejection(`the proof has ${bytes.length} bytes, legal are ${PROOF_BYTES}`);
  }
  const reader = new PointReader(bytes, "proof");
  return { a: reader.g1("A"), b: reader.g2("B"), c: reader.g1("C") };
}

/**
 * @param {VerifyingKey} key
 * @returns {Uint8Array}
 */
export function serialiseKey({ alpha, beta, gamma, delta, gamma_abc }) {
  return bytesOfDigits([alpha, beta, gamma, delta, gamma_abc].flat(2));
}

/**
 * A verifying key for a number of public inputs, to be trusted in nothing.
 *
 * @param {Uint8Array} bytes
 * @param {number} inputs
 * @returns {VerifyingKey}
 */
export function readKey(bytes, inputs) {
  const legal = 3 * G2_BYTES + (inputs + 2) * G1_BYTES;
  if (bytes.length !== legal) {
    throw new Rejection(
      `the verifying key has ${bytes.length} bytes after its header, legal are ${legal}`,
    );
  }
  const reader = new PointReader(bytes, "verifying key");
  return {
    scheme: "g16",
    curve: "bn128",
    alpha: reader.g1("alpha"),
    beta: reader.g2("beta"),
    gamma: reader.g2("gamma"),
    delta: reader.g2("delta"),
    gamma_abc: Array.from({ length: inputs + 1 }, (_, i) => reader.g1(`gamma_abc ${i}`)),
  };
}

/**
 * An element as ZoKrates reads it.
 *
 * @param {bigint} element
 */
export function elementInDigits(element) {
  return `0x${element.toString(16).padStart(2 * COORDINATE_BYTES, "0")}`;
}

/**
 * Coordinates one after another.
 *
 * @param {string[]} coordinates each `0x` and 64 hexadecimal digits
 */
function bytesOfDigits(coordinates) {
  const digits = coordinates.map((text) => text.slice(2).padStart(2 * COORDINATE_BYTES, "0"));
  return Uint8Array.from(Buffer.from(digits.join(""), "hex"));
}

/** Takes points from bytes, each on the curve and in its subgroup. */
class PointReader {
  #bytes;
  #what;
  #position = 0;

  /**
   * @param {Uint8Array} bytes
   * @param {string} what they are, for messages
   */
  constructor(bytes, what) {
    this.#bytes = bytes;
    this.#what = what;
  }

  /**
   * @param {string} name
   * @returns {G1Json}
   */
  g1(name) {
    const [x, y] = [this.#coordinate(name), this.#coordinate(name)];
    if (!isInG1([x, y])) {
      throw new Rejection(`point ${name} of the ${this.#what} is not on the curve`);
    }
    return [elementInDigits(x), elementInDigits(y)];
  }

  /**
   * @param {string} name
   * @returns {G2Json}
   */
  g2(name) {
    /** @type {[bigint, bigint]} */
    const x = [this.#coordinate(name), this.#coordinate(name)];
    /** @type {[bigint, bigint]} */
    const y = [this.#coordinate(name), this.#coordinate(name)];
    if (!isInG2([x, y])) {
      throw new Rejection(
        `point ${name} of the ${this.#what} is not on the curve or not in its subgroup`,
      );
    }
    return [
      [elementInDigits(x[0]), elementInDigits(x[1])],
      [elementInDigits(y[0]), elementInDigits(y[1])],
    ];
  }

  /** @param {string} name */
  #coordinate(name) {
    const end = this.#position + COORDINATE_BYTES;
    const coordinate = integerOf(this.#bytes.subarray(this.#position, end));
    this.#position = end;
    if (coordinate >= COORDINATE_ORDER) {
      throw new Rejection(
        `a coordinate of point ${name} of the ${this.#what} is not below the order of its field`,
      );
    }
    return coordinate;
  }
}
