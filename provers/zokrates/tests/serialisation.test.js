import assert from "node:assert/strict";
import test from "node:test";

import { COORDINATE_ORDER, isInG1, isInG2 } from "../src/curve.js";
import { bytesOf } from "../src/field.js";
import {
  PROOF_BYTES,
  readKey,
  readProof,
  serialiseKey,
  serialiseProof,
} from "../src/serialisation.js";

/** @typedef {import("../src/curve.js").G2} G2 */

/** The generator of G2 (EIP-197). */
const G2 = /** @type {G2} */ ([
  [
    10857046999023057135944570762232829481370756359578518086990519993285655852781n,
    11559732032986387107991004021392285783925812861821192530917403151452391805634n,
  ],
  [
    8495653923123431417604973247489272438418190587263600148770280649306958101930n,
    4082367875863433681332203403145435568316851327593401208105741076214120093531n,
  ],
]);

/** A point of the twist that is not in the subgroup: x = 2 + u, a root of x^3 + 3 / (9 + u) as y. */
const OUTSIDE = /** @type {G2} */ ([
  [2n, 1n],
  [
    0x101f7278419308b95099eca02dcee0c5381f4d26d1d62313f057167f064101cen,
    0x2b76c179599bb92a963dac85546a005a777f7c13f6a7b75d5918b6b5808f5fden,
  ],
]);

/** The same cleared of the cofactor 2p - r, computed in affine coordinates with Python's integers. */
const CLEARED = /** @type {G2} */ ([
  [
    0x27d409ede13256511fb71acc9b73965ec3ee0cf9768aa74bfdaa33a3d1af123cn,
    0x0cc52155d015f5bfe14a977f613d2d1fc2dd71966abf025a3dea3444afb7eeedn,
  ],
  [
    0x190aaa70c451efd5ff89aa542eedd6c7e897ab8af6cddfa401f3441593f8ec08n,
    0x0c4e19e7e4f2445558334ade78c9e7a25e33d14a264c6e7764ca0d7899a981dfn,
  ],
]);

/** @param {...bigint} coordinates */
function bytes(...coordinates) {
  return Uint8Array.from(Buffer.concat(coordinates.map(bytesOf)));
}

/** A proof of points that are legal and nothing more. */
const PROOF = bytes(1n, 2n, ...G2.flat(), 1n, COORDINATE_ORDER - 2n);

test("points of the subgroup are told from others", () => {
  assert.ok(isInG2(G2));
  assert.ok(isInG2(CLEARED));
  assert.ok(!isInG2(OUTSIDE));
  assert.ok(!isInG2([G2[0], [G2[1][0], G2[1][1] + 1n]]));
  assert.ok(
    !isInG2([
      [0n, 0n],
      [0n, 0n],
    ]),
  );
  assert.ok(isInG1([1n, 2n]));
  assert.ok(!isInG1([1n, 3n]));
  assert.ok(!isInG1([0n, 0n]));
});

test("a proof is read as it is written", () => {
  assert.equal(PROOF.length, PROOF_BYTES);
  assert.deepEqual(serialiseProof(readProof(PROOF)), PROOF);
});

test("a proof that nobody would write is rejected", () => {
  const [x, y] = [G2[0], G2[1]];
  /** @type {[Uint8Array, RegExp][]} */
  const proofs = [
    [PROOF.subarray(1), /has 255 bytes/u],
    [Uint8Array.of(...PROOF, 0), /has 257 bytes/u],
    [new Uint8Array(), /has 0 bytes/u],
    [bytes(1n + COORDINATE_ORDER, 2n, ...G2.flat(), 1n, 2n), /not below the order/u],
    [bytes(1n, 2n + COORDINATE_ORDER, ...G2.flat(), 1n, 2n), /not below the order/u],
    [bytes(1n, 2n, x[0] + COORDINATE_ORDER, x[1], ...y, 1n, 2n), /not below the order/u],
    [bytes(1n, 3n, ...G2.flat(), 1n, 2n), /point A of the proof/u],
    [bytes(0n, 0n, ...G2.flat(), 1n, 2n), /point A of the proof/u],
    [bytes(1n, 2n, ...OUTSIDE.flat(), 1n, 2n), /point B of the proof/u],
    [bytes(1n, 2n, x[1], x[0], ...y, 1n, 2n), /point B of the proof/u],
    [bytes(1n, 2n, ...G2.flat(), 2n, 1n), /point C of the proof/u],
  ];
  for (const [proof, reason] of proofs) {
    assert.throws(() => readProof(proof), { name: "Rejection", message: reason });
  }
});

test("every single bit of a proof matters", () => {
  for (let bit = 0; bit < PROOF.length * 8; bit += 1) {
    const flipped = PROOF.with(bit >> 3, (PROOF[bit >> 3] ?? 0) ^ (1 << (bit & 7)));
    assert.throws(() => readProof(flipped), { name: "Rejection" }, `bit ${bit}`);
  }
});

test("a key is read as it is written, for its number of public inputs alone", () => {
  const key = bytes(1n, 2n, ...G2.flat(), ...CLEARED.flat(), ...G2.flat(), 1n, 2n, 1n, 2n);
  assert.deepEqual(serialiseKey(readKey(key, 1)), key);
  for (const inputs of [0, 2]) {
    assert.throws(() => readKey(key, inputs), { name: "Rejection", message: /legal are/u });
  }
  const outside = bytes(1n, 2n, ...G2.flat(), ...OUTSIDE.flat(), ...G2.flat(), 1n, 2n, 1n, 2n);
  assert.throws(() => readKey(outside, 1), { message: /point gamma of the verifying key/u });
});
