/** The runner as a process: what the harness and a native prover see. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";

import { descriptionFaults } from "nizk-protocol";

import { circuitOf, sourceOf } from "../src/circuit.js";
import { functionOf, publicElements } from "../src/functions.js";
import { ZOKRATES } from "../src/system.js";
import { R1cs, readWitness } from "./r1cs.js";

/** @typedef {Record<string, any>} Value */

const LAUNCHER = fileURLToPath(new URL("../nizk-zokrates", import.meta.url));
const SYSTEM = "zokrates/groth16/bn254";

/**
 * @param {string[]} parameters
 * @param {string} input
 * @param {string} program
 */
function finish(parameters, input = "", program = LAUNCHER) {
  const { status, stdout, stderr } = spawnSync(program, parameters, { input, encoding: "utf8" });
  /** @type {Value[]} */
  const records = stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return { status, records, log: stderr };
}

/**
 * @param {string} verb
 * @param {...Value} requests
 */
function answers(verb, ...requests) {
  return finish([verb], requests.map((one) => `${JSON.stringify(one)}\n`).join(""));
}

/**
 * @param {Value} changes
 * @returns {Value}
 */
function request(changes = {}) {
  return {
    ...{ type: "run", id: "a", system: SYSTEM, statement: "hash-preimage", size: { bytes: 40 } },
    ...{ variant: { function: "poseidon" }, options: {}, threads: 1, seed: "01".repeat(32) },
    ...{ instances: "fresh", stop: { warmup: 1, minimum: 2, maximum: 2, seconds: 60 } },
    phases: ["compile", "setup", "witness", "prove", "verify"],
    ...changes,
  };
}

/** @param {import("node:test").TestContext} context */
function folderFor(context) {
  const folder = mkdtempSync(path.join(tmpdir(), "nizk-zokrates-"));
  context.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

/**
 * @param {string} folder
 * @param {Value} changes
 */
function toVerify(folder, changes = {}) {
  return {
    ...{ type: "verify", id: "a", system: SYSTEM, statement: "hash-preimage", size: { bytes: 40 } },
    ...{ variant: { function: "poseidon" }, options: {} },
    public_input: path.join(folder, "public_input.json"),
    verifying_key: path.join(folder, "verifying_key.bin"),
    proof: path.join(folder, "proof.bin"),
    ...changes,
  };
}

/** @param {Value[]} records */
function verdicts(records) {
  return records.map(({ accepted }) => accepted);
}

test("the description has no faults and names what is measured", () => {
  assert.deepEqual(descriptionFaults(ZOKRATES.description), []);
  const { records, status } = finish(["describe"]);
  assert.equal(status, 0);
  assert.deepEqual(records[0]?.library, { name: "zokrates-js", version: "1.1.9" });
  assert.ok(records[0]?.build.features.includes("--single-threaded"));
});

for (const backend of ["ark", "bellman"]) {
  test(`${backend} proves what another process accepts, and nothing else`, (context) => {
    const folder = folderFor(context);
    const options = { backend };
    const ran = answers("run", request({ options, artifacts: folder }));
    assert.equal(ran.status, 0, JSON.stringify(ran));
    for (const phase of ["compile", "setup"]) {
      assert.equal(ran.records.filter((one) => one.phase === phase).length, 1);
    }
    for (const phase of ["witness", "prove", "verify"]) {
      assert.equal(ran.records.filter((one) => one.phase === phase).length, 3);
    }
    const sizes = Object.fromEntries(
      ran.records
        .filter(({ type }) => type === "size")
        .map(({ of, encoding, bytes }) => [`${of} ${encoding}`, bytes]),
    );
    assert.equal(sizes["proof uncompressed"], 256);
    assert.equal(sizes["proof compressed"], 128);
    assert.equal(sizes["verifying_key uncompressed"], 448 + 2 * 64);
    assert.equal(sizes["public_input native"], 32);
    assert.equal(statSync(path.join(folder, "proof.bin")).size, 256);
    assert.equal(statSync(path.join(folder, "verifying_key.bin")).size, 32 + 448 + 2 * 64);

    const proof = readFileSync(path.join(folder, "proof.bin"));
    const change = (/** @type {string} */ name, /** @type {string | Uint8Array} */ content) => {
      const file = path.join(folder, name);
      writeFileSync(file, content);
      return file;
    };
    const input = JSON.parse(readFileSync(path.join(folder, "public_input.json"), "utf8"));
    const digest = input.digest.replace(/.$/u, (/** @type {string} */ last) =>
      last === "0" ? "1" : "0",
    );
    // The negative of A: a point of the curve, so that the pairings have to tell.
    const order = 21888242871839275222246405745257275088696311157297823662689037894645226208583n;
    const y = BigInt(`0x${proof.subarray(32, 64).toString("hex")}`);
    const negative = Buffer.from(proof);
    negative.set(Buffer.from((order - y).toString(16).padStart(64, "0"), "hex"), 32);
    const ended = answers(
      "verify",
      toVerify(folder, { id: "good", options }),
      toVerify(folder, {
        id: "digest",
        options,
        public_input: change("d", JSON.stringify({ ...input, digest })),
      }),
      toVerify(folder, { id: "negative", options, proof: change("n", negative) }),
      toVerify(folder, {
        id: "longer",
        options,
        proof: change("l", Buffer.concat([proof, Buffer.of(0)])),
      }),
      toVerify(folder, { id: "shorter", options, proof: change("s", proof.subarray(0, 255)) }),
      toVerify(folder, { id: "bytes", options, size: { bytes: 41 } }),
      toVerify(folder, { id: "again", options }),
    );
    assert.equal(ended.status, 0);
    assert.deepEqual(verdicts(ended.records), [true, false, false, false, false, false, true]);
    for (const { accepted, reason } of ended.records) {
      assert.equal(reason === "", accepted);
    }
  });
}

test("a proof of the elements is no proof of the bytes", (context) => {
  const folder = folderFor(context);
  const variant = { function: "poseidon", message: "elements" };
  assert.equal(answers("run", request({ variant, artifacts: folder })).status, 0);
  const ended = answers(
    "verify",
    toVerify(folder, { id: "elements", variant }),
    toVerify(folder, { id: "bytes" }),
  );
  assert.deepEqual(verdicts(ended.records), [true, false]);
});

test("everything is computed on one thread", () => {
  const { records } = answers("run", request());
  const samples = records.filter(({ type }) => type === "sample");
  assert.ok(samples.length >= 8);
  for (const { phase, wall_ns, user_ns, system_ns } of samples) {
    const cpu = user_ns + system_ns;
    assert.ok(cpu <= 1.05 * wall_ns + 20e6, `${phase}: ${cpu} ns of CPU time in ${wall_ns} ns`);
  }
});

test("more than one thread and elements of bytes are refused before anything is done", () => {
  const ended = answers(
    "classify",
    request({ id: "threads", threads: 2 }),
    request({ id: "elements", variant: { function: "sha256", message: "elements" } }),
    request({ id: "legal" }),
  );
  const [threads, elements, legal] = ended.records;
  assert.deepEqual([threads?.kind, threads?.option], ["invalid-request", "threads"]);
  assert.deepEqual([elements?.kind, elements?.option], ["unsupported", "variant.message"]);
  assert.equal(elements?.rule, "elements-need-a-function-over-a-field");
  assert.equal(legal?.type, "legal");
});

test("a circuit and its witnesses are what a native prover needs", (context) => {
  const folder = path.join(folderFor(context), "deep", "circuit");
  const parameters = [
    "--function",
    "poseidon",
    "--bytes",
    "40",
    "--message",
    "bytes",
    "--gadget",
    "embedded",
    "--into",
    folder,
  ];
  const made = finish(["circuit", ...parameters]);
  assert.equal(made.status, 0, JSON.stringify(made));
  const circuit = JSON.parse(readFileSync(path.join(folder, "circuit.json"), "utf8"));
  assert.deepEqual(made.records, [{ type: "circuit", ...circuit }]);
  const r1cs = new R1cs(readFileSync(path.join(folder, "circuit.r1cs")));
  assert.equal(circuit.constraints, r1cs.constraints.length);
  assert.equal(circuit.variables, r1cs.header.wires);
  assert.equal(circuit.public_inputs, 1);
  const source = sourceOf(circuitOf("poseidon", 40, "bytes"));
  assert.equal(circuit.source_sha256, createHash("sha256").update(source).digest("hex"));

  const before = statSync(path.join(folder, "circuit.r1cs")).mtimeMs;
  assert.deepEqual(finish(["circuit", ...parameters]).records, made.records);
  assert.equal(
    statSync(path.join(folder, "circuit.r1cs")).mtimeMs,
    before,
    "nothing was made again",
  );

  const messages = ["00".repeat(40), "00", "FF".repeat(40), `${"00".repeat(39)}ff`];
  const ended = finish(["witness", folder], messages.map((digits) => `${digits}\n`).join(""));
  assert.equal(ended.status, 1);
  const [first, short, upper, last] = ended.records;
  assert.deepEqual([short?.option, upper?.option], ["message", "message"]);
  assert.equal(first?.wtns, last?.wtns);
  const witness = readWitness(readFileSync(last?.wtns));
  const message = Uint8Array.from(Buffer.from(String(messages[3]), "hex"));
  assert.deepEqual(r1cs.violated(witness), []);
  const digest = publicElements("poseidon", functionOf("poseidon").digest(message));
  assert.deepEqual(witness.slice(0, 2), [1n, ...digest]);
});

test("a folder without a circuit of this version is refused", (context) => {
  const folder = folderFor(context);
  for (const content of [
    undefined,
    "",
    "null",
    "{}",
    '{"function":"poseidon","bytes":40,"message":"bytes"}',
  ]) {
    if (content !== undefined) {
      writeFileSync(path.join(folder, "circuit.json"), content);
    }
    const { status, records } = finish(["witness", folder], "00\n");
    assert.equal(status, 1);
    assert.equal(records.length, 1);
    assert.deepEqual([records[0]?.kind, records[0]?.option], ["invalid-request", "folder"]);
  }
});

test("a circuit that does not exist is an error, a wrong command line a sentence", (context) => {
  const into = path.join(folderFor(context), "circuit");
  const circuit = (/** @type {string[]} */ ...values) =>
    finish([
      "circuit",
      ...["function", "bytes", "message", "gadget", "into"].flatMap((name, i) => [
        `--${name}`,
        values[i] ?? "",
      ]),
    ]);
  for (const [values, option] of /** @type {[string[], string][]} */ ([
    [["md5", "40", "bytes", "embedded", into], "function"],
    [["poseidon", "0", "bytes", "embedded", into], "bytes"],
    [["poseidon", "4.5", "bytes", "embedded", into], "bytes"],
    [["poseidon", "40", "bits", "embedded", into], "message"],
    [["poseidon", "40", "bytes", "md5", into], "gadget"],
    [["sha256", "40", "elements", "embedded", into], "variant.message"],
    [["poseidon", "40", "bytes", "standard-library", into], "variant.gadget"],
  ])) {
    const { status, records } = circuit(...values);
    assert.deepEqual([status, records.length, records[0]?.option], [1, 1, option]);
  }
  for (const parameters of [
    ["circuit"],
    ["circuit", "--bytes", "1"],
    ["witness"],
    ["witness", "a", "b"],
    ["circuit", "--x"],
  ]) {
    const { status, records, log } = finish(parameters);
    assert.deepEqual([status, records], [2, []]);
    assert.equal(log.trimEnd().split("\n").length, 1, log);
  }
});

test("the runner finds itself through a link", (context) => {
  const folder = folderFor(context);
  mkdirSync(path.join(folder, "bin"));
  const link = path.join(folder, "bin", "nizk-zokrates");
  symlinkSync(path.relative(path.dirname(link), LAUNCHER), link);
  assert.equal(finish(["describe"], "", link).records[0]?.runner, "zokrates");
});

test("the plain program times the circuits of the runner", () => {
  const program = fileURLToPath(new URL("../plain-zokrates", import.meta.url));
  process.env.NIZK_PLAIN_SIZE = "1";
  process.env.NIZK_PLAIN_VARIANT = "function=mimc-7,message=elements";
  for (const phase of ["prove", "verify"]) {
    const { records, status, log } = finish([phase, "2"], "", program);
    assert.equal(status, 0, log);
    assert.equal(records[0]?.[phase].length, 2);
    assert.ok(records[0]?.[phase].every((/** @type {number} */ time) => time > 0));
  }
  for (const wrong of [["compile", "2"], ["prove", "0"], ["prove"]]) {
    const { status, log } = finish(wrong, "", program);
    assert.notEqual(status, 0);
    assert.match(log, /usage: plain-zokrates/u);
  }
  process.env.NIZK_PLAIN_VARIANT = "function=md5";
  assert.notEqual(finish(["prove", "1"], "", program).status, 0);
});
