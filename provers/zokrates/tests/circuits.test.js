/**
 * What the circuits prove, at the level of their constraints: honest witnesses satisfy them, and what a
 * dishonest prover could put in their place does not.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { argumentsOf, circuitOf, sourceOf } from "../src/circuit.js";
import { functionOf, publicElements } from "../src/functions.js";
import { Instance, LibraryError } from "../src/library.js";
import { R1cs, readWitness } from "./r1cs.js";

/** @typedef {import("../src/circuit.js").Circuit} Circuit */

/** @param {number} bytes */
function messageOf(bytes) {
  return Uint8Array.from({ length: bytes }, (_, i) => (i * 7 + 3) % 256);
}

/** A compiled circuit with its constraints. */
class Compiled {
  #instance;
  #artifacts;

  /**
   * @param {Circuit} circuit
   * @param {Instance} instance
   */
  constructor(circuit, instance) {
    this.circuit = circuit;
    this.#instance = instance;
    this.#artifacts = instance.call((provider) =>
      provider.compile(sourceOf(circuit), { snarkjs: true }),
    );
    this.r1cs = new R1cs(this.#artifacts.snarkjs?.program ?? new Uint8Array());
  }

  /**
   * The values of all wires for a message; the digest stands in wires 1 and 2, or in wire 1 alone.
   *
   * @param {Uint8Array} message
   */
  witness(message) {
    const { snarkjs } = this.#instance.call((provider) =>
      provider.computeWitness(this.#artifacts, argumentsOf(this.circuit, message), {
        snarkjs: true,
        logCallback: () => undefined,
      }),
    );
    return readWitness(snarkjs?.witness ?? new Uint8Array());
  }

  /** @param {Uint8Array} message */
  digest(message) {
    const name = this.circuit.function;
    return publicElements(name, functionOf(name).digest(message));
  }

  /**
   * A witness with other public elements.
   *
   * @param {readonly bigint[]} witness
   * @param {readonly bigint[]} digest
   */
  withDigest(witness, digest) {
    return [witness[0] ?? 0n, ...digest, ...witness.slice(1 + digest.length)];
  }

  /**
   * The bytes of the message as constraints have them: the wire of each, and those of its bits from the
   * lowest. A byte is a linear constraint on one wire and the sum of eight that are bits.
   */
  byteWires() {
    const bits = new Set(this.r1cs.booleanWires());
    const found = new Map();
    for (const [a, b, c] of this.r1cs.constraints) {
      const terms = [a, b, c].flat().filter(([wire]) => wire !== 0);
      const byWeight = terms
        .filter(([wire]) => bits.has(wire))
        .map(([wire, factor]) => ({ wire, weight: weightOf(factor) }))
        .sort((one, other) => one.weight - other.weight);
      const rest = terms.filter(([wire]) => !bits.has(wire));
      const isSum = byWeight.length === 8 && byWeight.every(({ weight }, i) => weight === 2 ** i);
      if (isSum && rest.length === 1) {
        found.set(
          rest[0]?.[0],
          byWeight.map(({ wire }) => wire),
        );
      }
    }
    return found;
  }
}

/**
 * A factor without its sign, as far as a number holds it.
 *
 * @param {bigint} factor
 */
function weightOf(factor) {
  const order = 21888242871839275222246405745257275088548364400416034343698204186575808495617n;
  return Number(factor < order / 2n ? factor : order - factor);
}

/** Circuits small enough to be evaluated constraint by constraint. */
const SMALL = [
  circuitOf("sha256", 5, "bytes"),
  circuitOf("sha256", 70, "bytes"), // two blocks
  circuitOf("sha256", 5, "bytes", "standard-library"),
  circuitOf("sha256", 70, "bytes", "standard-library"),
  circuitOf("sha3-256", 5, "bytes"),
  circuitOf("blake2s", 5, "bytes"),
  circuitOf("blake2s", 70, "bytes"), // two blocks
  circuitOf("mimc-sponge", 33, "bytes"),
  circuitOf("mimc-sponge", 33, "elements"),
  circuitOf("mimc-7", 33, "bytes"),
  circuitOf("mimc-7", 33, "elements"),
  circuitOf("poseidon", 33, "bytes"),
  circuitOf("poseidon", 33, "elements"),
  circuitOf("poseidon", 200, "bytes"), // seven elements: a chain of two calls
];

/** Of longer messages the first and the last byte stand for all, since each takes a while. */
const FEW_BYTES = 40;

/**
 * The place of the constraint that makes a wire a bit and says nothing else.
 *
 * @param {R1cs} r1cs
 * @param {number} wire
 */
function bitConstraint(r1cs, wire) {
  return r1cs.constraints.findIndex((constraint) => {
    const wires = new Set(constraint.flat().map(([one]) => one));
    wires.delete(0);
    return wires.size === 1 && wires.has(wire);
  });
}

for (const circuit of SMALL) {
  const { function: name, bytes, message: form, gadget } = circuit;
  test(`${name} (${gadget}) over ${bytes} bytes as ${form} holds for the message of its digest alone`, async (context) => {
    const compiled = new Compiled(circuit, await Instance.create("ark"));
    const { r1cs } = compiled;
    const message = messageOf(bytes);
    const honest = compiled.witness(message);
    const digest = compiled.digest(message);

    await context.test("the honest witness satisfies it and has the digest in front", () => {
      assert.equal(r1cs.header.publicInputs + r1cs.header.outputs, digest.length);
      assert.deepEqual(honest.slice(0, 1 + digest.length), [1n, ...digest]);
      assert.deepEqual(r1cs.violated(honest), []);
    });

    await context.test("another digest is rejected in every element", () => {
      for (const position of digest.keys()) {
        const other = digest.with(position, (digest[position] ?? 0n) ^ 1n);
        assert.notDeepEqual(r1cs.violated(compiled.withDigest(honest, other)), []);
      }
    });

    await context.test("another message is rejected", () => {
      for (const position of [0, bytes - 1]) {
        const other = message.with(position, (message[position] ?? 0) ^ 0x80);
        const witness = compiled.witness(other);
        assert.deepEqual(r1cs.violated(witness), []);
        assert.notDeepEqual(r1cs.violated(compiled.withDigest(witness, digest)), []);
      }
    });

    await context.test("a message one byte longer is rejected", () => {
      const longer = Uint8Array.of(...message, 0);
      const digestOfLonger = compiled.digest(longer);
      assert.notDeepEqual(r1cs.violated(compiled.withDigest(honest, digestOfLonger)), []);
      if (form === "bytes") {
        const refused = (/** @type {unknown} */ thrown) =>
          thrown instanceof LibraryError && thrown.kind === "refused";
        assert.throws(() => compiled.witness(longer), refused);
      }
    });

    if (form === "elements") {
      await context.test("nothing shows that the elements are made of bytes", () => {
        assert.equal(compiled.byteWires().size, 0);
      });
      return;
    }

    await context.test("every byte of the message is eight bits and no more", () => {
      const byteWires = compiled.byteWires();
      const values = Array.from(byteWires.keys(), (wire) => honest[wire]);
      const sorted = (/** @type {(bigint | undefined)[]} */ list) => list.map(String).sort();
      assert.deepEqual(sorted(values), sorted(Array.from(message, BigInt)));
      assert.equal(new Set(Array.from(byteWires.values()).flat()).size, 8 * bytes);
    });

    await context.test("what is no bit is rejected where the byte stays the same", () => {
      const every = Array.from(compiled.byteWires().values());
      for (const bits of bytes > FEW_BYTES ? [every[0], every.at(-1)] : every) {
        for (const [position, wire] of bits.slice(1).entries()) {
          // Twice this bit is one of the next, so that the sum does not tell.
          const lower = bits[position];
          const witness = honest.with(wire, (honest[wire] ?? 0n) + 1n);
          const moved = witness.with(lower, (witness[lower] ?? 0n) - 2n);
          const violated = r1cs.violated(moved);
          assert.ok(
            [wire, lower].some((one) => violated.includes(bitConstraint(r1cs, one))),
            "what follows from the bits is violated, and not that they are bits",
          );
        }
        if (name === "sha3-256") {
          break; // One byte of so many constraints is enough.
        }
      }
    });

    await context.test("a byte that its bits do not make is rejected", () => {
      const wires = Array.from(compiled.byteWires().keys());
      for (const wire of bytes > FEW_BYTES ? [wires[0], wires.at(-1)] : wires) {
        assert.notDeepEqual(r1cs.violated(honest.with(wire, (honest[wire] ?? 0n) + 256n)), []);
      }
    });
  });
}

test("constraints are as many as committed, and digests as the native ones", async (context) => {
  const file = new URL("constraints.json", import.meta.url);
  const { circuits } = JSON.parse(readFileSync(file, "utf8"));
  assert.ok(circuits.length > 30);
  for (const { function: name, bytes, message: form, gadget, constraints } of circuits) {
    const title = `${name} over ${bytes} bytes as ${form}${gadget === undefined ? "" : `, ${gadget}`}`;
    await context.test(title, async () => {
      const circuit = circuitOf(name, bytes, form, gadget);
      const instance = await Instance.create("ark");
      const artifacts = instance.call((provider) => provider.compile(sourceOf(circuit)));
      assert.equal(artifacts.constraintCount, constraints);
      const message = messageOf(bytes);
      const { output } = instance.call((provider) =>
        provider.computeWitness(artifacts, argumentsOf(circuit, message), {
          logCallback: () => undefined,
        }),
      );
      const digest = publicElements(name, functionOf(name).digest(message));
      assert.deepEqual([JSON.parse(output)].flat().map(BigInt), digest);
    });
  }
});

test("a circuit that does not exist is refused with what there is", () => {
  for (const [name, bytes, form, option, kind] of /** @type {const} */ ([
    ["md5", 5, "bytes", "function", "invalid-request"],
    ["sha256", 0, "bytes", "bytes", "invalid-request"],
    ["sha256", 4097, "bytes", "bytes", "invalid-request"],
    ["sha256", Number.NaN, "bytes", "bytes", "invalid-request"],
    ["sha256", 5, "bits", "message", "invalid-request"],
    ["sha256", 5, "elements", "variant.message", "unsupported"],
    ["blake2s", 5, "elements", "variant.message", "unsupported"],
  ])) {
    assert.throws(() => circuitOf(name, bytes, form), { option, kind });
  }
  const kind = "unsupported";
  assert.throws(() => circuitOf("blake2s", 5, "bytes", "standard-library"), { kind });
  assert.throws(() => circuitOf("sha256", 5, "bytes", "md5"), { kind: "invalid-request" });
});
