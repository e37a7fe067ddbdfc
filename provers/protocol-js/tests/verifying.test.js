import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import test from "node:test";

import { answers, folderFor, request } from "./process.js";

/**
 * A folder with a proof and what belongs to it.
 *
 * @param {import("node:test").TestContext} context
 * @param {Record<string, unknown>} variant
 */
function proven(context, variant = {}) {
  const folder = folderFor(context);
  assert.equal(answers("run", request({ variant, artifacts: folder })).status, 0);
  return folder;
}

/**
 * @param {string} folder
 * @param {Record<string, unknown>} changes
 */
function toVerify(folder, changes = {}) {
  return {
    ...{ type: "verify", id: "a", system: "toy/nothing/none", statement: "hash-preimage" },
    ...{ size: { bytes: 15 }, variant: {}, options: {} },
    public_input: path.join(folder, "public_input.json"),
    verifying_key: path.join(folder, "verifying_key.bin"),
    proof: path.join(folder, "proof.bin"),
    ...changes,
  };
}

/**
 * @param {string} folder
 * @param {Record<string, unknown>} changes
 */
function accepted(folder, changes = {}) {
  const ended = answers("verify", toVerify(folder, changes));
  assert.equal(ended.status, 0, JSON.stringify(ended.records));
  const verdict = ended.the("verdict");
  assert.equal(verdict.accepted, verdict.reason === "");
  return verdict.accepted;
}

test("an honest proof is accepted in another process", (context) => {
  for (const variant of [{}, { message: "elements" }]) {
    assert.ok(accepted(proven(context, variant), { variant }));
  }
});

test("changed files are rejected, not errors", (context) => {
  /** @type {[string, (bytes: Buffer) => Uint8Array][]} */
  const changes = [
    ["proof.bin", (bytes) => bytes.fill(1, 3, 4)],
    ["proof.bin", (bytes) => Buffer.concat([bytes, Buffer.of(0)])],
    ["proof.bin", (bytes) => bytes.subarray(1)],
    ["proof.bin", () => Buffer.alloc(0)],
    ["verifying_key.bin", (bytes) => bytes.fill(1, 0, 1)],
    ["verifying_key.bin", (bytes) => Buffer.concat([bytes, Buffer.of(0)])],
    ["verifying_key.bin", (bytes) => bytes.subarray(0, 31)],
    ["public_input.json", (bytes) => Buffer.concat([bytes, Buffer.from("x")])],
    ["public_input.json", () => Buffer.alloc(0)],
  ];
  const folder = proven(context);
  for (const [name, change] of changes) {
    const file = path.join(folder, name);
    const before = readFileSync(file);
    writeFileSync(file, change(Buffer.from(before)));
    assert.ok(!accepted(folder), name);
    writeFileSync(file, before);
  }
  assert.ok(accepted(folder));
});

test("a public input that nobody would write is rejected", (context) => {
  const folder = proven(context);
  const file = path.join(folder, "public_input.json");
  const good = readFileSync(file, "utf8");
  const digest = JSON.parse(good).digest;
  for (const [part, other] of [
    ["hash-preimage", "mimc-preimage"],
    ["sha256", "poseidon"],
    [":15", ":16"],
    [":15", ":15.0"],
    [":15", ':"15"'],
    [":15", ':15,"bytes":15'],
    [":15", ':15,"rounds":15'],
    ['"bytes":15,', ""],
    [digest, digest.toUpperCase()],
    [digest, `0x${digest}`],
    [digest, digest.slice(2)],
    [`"${digest}"`, "7"],
    [digest, "0".repeat(64)],
    ["}", "} x"],
    ["}", ""],
    ["{", "\ufeff{"],
  ]) {
    const bad = good.replace(String(part), String(other));
    assert.notEqual(bad, good);
    writeFileSync(file, bad);
    assert.ok(!accepted(folder), bad);
  }
  writeFileSync(file, ` ${good}\n`);
  assert.ok(accepted(folder), "white space is JSON's own");
});

test("a digest that is no element is rejected where the function hashes elements", (context) => {
  const variant = { function: "poseidon" };
  const folder = proven(context, variant);
  const reason = (/** @type {string} */ digest) => {
    const file = { statement: "hash-preimage", function: "poseidon", bytes: 15, digest };
    writeFileSync(path.join(folder, "public_input.json"), JSON.stringify(file));
    return answers("verify", toVerify(folder, { variant })).the("verdict").reason;
  };
  const order = "30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001";
  assert.match(reason(order), /an element below the order/u);
  assert.match(reason(order.replace(/1$/u, "0")), /the message has another digest/u);
});

test("a key of another variant or size is rejected", (context) => {
  const folder = proven(context);
  assert.ok(!accepted(folder, { variant: { message: "elements" } }));
  assert.ok(!accepted(folder, { size: { bytes: 16 } }));
});

test("a kept key serves no other configuration", (context) => {
  const folder = proven(context);
  const ended = answers(
    "verify",
    toVerify(folder, { id: "first" }),
    toVerify(folder, { id: "other", variant: { message: "elements" } }),
    toVerify(folder, { id: "again" }),
  );
  assert.deepEqual(
    ended.ofType("verdict").map(({ accepted: verdict }) => verdict),
    [true, false, true],
  );
});

test("a missing file is an error that names its member", (context) => {
  const folder = proven(context);
  for (const member of ["public_input", "verifying_key", "proof"]) {
    for (const missing of [
      path.join(folder, "missing"),
      "\0",
      path.join(folder, "proof.bin", "x"),
    ]) {
      const ended = answers("verify", toVerify(folder, { [member]: missing }));
      assert.equal(ended.status, 1);
      const { kind, option } = ended.the("error");
      assert.deepEqual([kind, option], ["invalid-request", member]);
    }
  }
});

test("a file that cannot be read is a rejection", (context) => {
  const folder = proven(context);
  for (const member of ["public_input", "verifying_key", "proof"]) {
    assert.ok(!accepted(folder, { [member]: folder }), member);
  }
});

test("an exception of the library is a rejection that says so", (context) => {
  const folder = proven(context);
  const ended = answers(
    "verify",
    toVerify(folder, { options: { fault: "throw-verifier" } }),
    toVerify(folder, { id: "b" }),
  );
  assert.equal(ended.status, 0);
  const [broken, sound] = ended.ofType("verdict");
  assert.equal(broken?.accepted, false);
  assert.match(broken?.reason, /the library broke/u);
  assert.equal(sound?.accepted, true);
});

test("a malformed request to verify is one error", (context) => {
  const folder = proven(context);
  const changes = [
    { type: "run" },
    { system: "nobody" },
    { threads: 1 },
    { proof: 7 },
    { size: { bytes: 0 } },
  ].map((change, number) => toVerify(folder, { ...change, id: `bad-${number}` }));
  const ended = answers("verify", ...changes, toVerify(folder, { id: "good" }));
  assert.equal(ended.status, 1);
  assert.equal(ended.ofType("error").length, changes.length);
  assert.equal(ended.the("verdict").accepted, true);
});
