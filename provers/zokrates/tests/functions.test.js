import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import test from "node:test";

import { blake2s } from "@noble/hashes/blake2.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { sha3_256 } from "@noble/hashes/sha3.js";

import { bytesOf, integerOf } from "../src/field.js";
import { elementsOf, functionOf, publicElements } from "../src/functions.js";

/** Sizes around the blocks of every function. */
const SIZES = [1, 31, 32, 55, 56, 62, 63, 64, 65, 128, 135, 136, 137, 186, 256, 4096];

/**
 * @param {string} name
 * @param {Uint8Array} message
 */
function digest(name, message) {
  return Buffer.from(functionOf(name).digest(message)).toString("hex");
}

/** @param {number} bytes */
function messageOf(bytes) {
  const digests = Array.from({ length: Math.ceil(bytes / 64) }, (_, k) =>
    createHash("sha512").update(`nizk-bench vector ${k}`).digest(),
  );
  return Uint8Array.from(Buffer.concat(digests).subarray(0, bytes));
}

/** @param {...bigint} elements */
function messageOfElements(...elements) {
  return Uint8Array.from(Buffer.concat(elements.map((one) => bytesOf(one).subarray(1))));
}

test("functions over bytes give the published digests of abc", () => {
  const abc = Uint8Array.from(Buffer.from("abc"));
  // FIPS 180-4's example, FIPS 202's example, RFC 7693, appendix B.
  assert.equal(
    digest("sha256", abc),
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  );
  assert.equal(
    digest("sha3-256", abc),
    "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532",
  );
  assert.equal(
    digest("blake2s", abc),
    "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982",
  );
});

test("functions over bytes give what an independent implementation gives", () => {
  for (const bytes of SIZES) {
    const message = messageOf(bytes);
    for (const [name, other] of /** @type {const} */ ([
      ["sha256", sha256],
      ["sha3-256", sha3_256],
      ["blake2s", blake2s],
    ])) {
      const expected = Buffer.from(other(message)).toString("hex");
      assert.equal(digest(name, message), expected, `${name} of ${bytes} bytes`);
    }
  }
});

test("Poseidon gives the digests of circomlib's tests", () => {
  // circomlib, test/poseidoncircuit.js.
  assert.equal(
    digest("poseidon", messageOfElements(1n, 2n)),
    "115cc0f5e7d690413df64c6b9662e9cf2a3617f2743245519e19607a4417189a",
  );
  assert.equal(
    digest("poseidon", messageOfElements(1n, 2n, 3n, 4n)),
    "299c867db6c1fdd79dcefa40e4510b9837e60ebb1ce0663dbaa525df65250465",
  );
});

test("functions over elements give what circomlibjs gives", () => {
  const file = readFileSync(new URL("vectors.json", import.meta.url), "utf8");
  const { vectors } = JSON.parse(file);
  assert.ok(vectors.length > 10);
  for (const { bytes, ...digests } of vectors) {
    for (const [name, expected] of Object.entries(digests)) {
      assert.equal(digest(name, messageOf(bytes)), expected, `${name} of ${bytes} bytes`);
    }
  }
});

test("a message is cut into pieces of 31 bytes, the last one possibly shorter", () => {
  const message = Uint8Array.from({ length: 64 }, (_, i) => i + 1);
  const elements = elementsOf(message);
  assert.deepEqual(elements.slice(2), [0x3f40n]);
  assert.deepEqual(elements.slice(0, 2), [
    integerOf(message.subarray(0, 31)),
    integerOf(message.subarray(31, 62)),
  ]);
  assert.equal(elementsOf(new Uint8Array(31)).length, 1);
  assert.equal(elementsOf(new Uint8Array(32)).length, 2);
});

test("a digest of bytes is handed over as its halves, one of elements as itself", () => {
  const bytes = Uint8Array.from({ length: 32 }, (_, i) => i);
  assert.deepEqual(publicElements("blake2s", bytes), [
    0x000102030405060708090a0b0c0d0e0fn,
    0x101112131415161718191a1b1c1d1e1fn,
  ]);
  assert.deepEqual(publicElements("mimc-7", bytes), [integerOf(bytes)]);
});
