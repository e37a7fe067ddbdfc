import assert from "node:assert/strict";
import test from "node:test";

import { circuitOf } from "../src/circuit.js";
import { failureOf, Instance, LibraryError } from "../src/library.js";

/**
 * What an action of the library throws.
 *
 * @param {Instance} instance
 * @param {Parameters<Instance["call"]>[0]} action
 * @returns {LibraryError}
 */
function thrownBy(instance, action) {
  let thrown;
  assert.throws(
    () => instance.call(action),
    (error) => {
      thrown = error;
      return error instanceof LibraryError;
    },
  );
  return /** @type {LibraryError} */ (/** @type {unknown} */ (thrown));
}

test("memory that runs out has a name, and a fresh instance goes on", async () => {
  const instance = await Instance.create("ark");
  const source = `def main(field a) -> field { field[60000000] x = [a; 60000000]; return x[3]; }`;
  const thrown = thrownBy(instance, (provider) => provider.compile(source));
  assert.equal(thrown.kind, "out-of-memory");
  assert.equal(instance.usable, false);
  const failure = failureOf(thrown, circuitOf("sha256", 64, "bytes"), "compile");
  const { kind, message } = /** @type {import("nizk-protocol").Failure} */ (failure);
  assert.equal(kind, "out-of-memory");
  assert.match(
    message,
    /^sha256 over 64 bytes ran out of memory in phase compile with [0-9]+ MiB of at most 4096 MiB of WebAssembly's memory$/u,
  );
  assert.match(
    thrownBy(instance, (provider) => provider.compile("")).message,
    /broke in an earlier/u,
  );

  const fresh = await Instance.create("ark");
  assert.ok(fresh.memoryBytes < 2 ** 26, "its memory is its own");
  const { constraintCount } = fresh.call((provider) =>
    provider.compile("def main(private field a) -> field { return a * a; }"),
  );
  assert.ok(fresh.usable && constraintCount === 1);
});

test("a trap without a word is no lack of memory while there is some", async () => {
  const instance = await Instance.create("ark");
  const thrown = thrownBy(instance, () => {
    throw new WebAssembly.RuntimeError("unreachable");
  });
  assert.equal(thrown.kind, "broken");
  assert.equal(instance.usable, false);
});

test("an error that the library returns leaves it usable", async () => {
  const instance = await Instance.create("ark");
  const thrown = thrownBy(instance, (provider) => provider.compile("def main() -> { }"));
  assert.equal(thrown.kind, "refused");
  assert.ok(!thrown.message.includes("\n"));
  assert.ok(instance.usable);
});

test("a panic is told in the library's own words and is no lack of memory", async (context) => {
  const log = context.mock.method(console, "error");
  const instance = await Instance.create("ark");
  const g1 = ["0x1", "0xz"];
  const g2 = [g1, g1];
  const key = {
    scheme: "g16",
    curve: "bn128",
    alpha: g1,
    beta: g2,
    gamma: g2,
    delta: g2,
    gamma_abc: [],
  };
  const proof = { scheme: "g16", curve: "bn128", proof: { a: g1, b: g2, c: g1 }, inputs: [] };
  const thrown = thrownBy(instance, (provider) => provider.verify(key, proof));
  assert.equal(thrown.kind, "broken");
  assert.match(thrown.message, /^panicked at .*OddLength$/u);
  assert.equal(instance.usable, false);
  assert.equal(log.mock.callCount(), 0, "nothing is said on the console");
});
