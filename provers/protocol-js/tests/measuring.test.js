import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import test from "node:test";

import { answers, folderFor, request, TOY } from "./process.js";

/**
 * One member of some records.
 *
 * @param {Record<string, any>[]} records
 * @param {string} member
 */
function column(records, member) {
  return records.map((record) => record[member]);
}

/** @param {Record<string, unknown>} changes */
function stopped(changes) {
  return { stop: { warmup: 0, minimum: 1, maximum: 1, seconds: 1, ...changes } };
}

test("the maximum ends the loop and warm-up is not counted", () => {
  const stop = stopped({ warmup: 2, maximum: 4, seconds: 3600 });
  const ended = answers("run", request({ ...stop, first_instance: 5 }));
  assert.equal(ended.status, 0);
  for (const phase of ["witness", "prove", "verify"]) {
    const samples = ended.samples(phase);
    assert.deepEqual(column(samples, "sample"), [0, 1, 2, 3, 4, 5]);
    assert.deepEqual(column(samples, "instance"), [5, 6, 7, 8, 9, 10]);
    assert.deepEqual(column(samples, "warmup"), [true, true, false, false, false, false]);
  }
  assert.deepEqual(ended.the("done"), { type: "done", id: "a", samples: 4, stopped_by: "maximum" });
});

test("the seconds end the loop but not before the minimum", () => {
  const stop = stopped({ warmup: 1, minimum: 3, maximum: 50, seconds: 1e-9 });
  const ended = answers("run", request(stop));
  assert.equal(ended.samples("prove").length, 4);
  assert.equal(ended.the("done").stopped_by, "seconds");
  assert.equal(ended.the("done").samples, 3);
});

test("the seconds are those of the counted timed phases", () => {
  const stop = stopped({ warmup: 3, maximum: 50, seconds: 0.05 });
  const ended = answers("run", request({ ...stop, options: { milliseconds: 20 } }));
  const counted = ended.ofType("sample").filter((one) => one.phase !== "setup" && !one.warmup);
  const last = Math.max(...column(counted, "sample"));
  const total = (/** @type {Record<string, any>[]} */ samples) =>
    column(samples, "wall_ns").reduce((sum, wall) => sum + wall, 0);
  assert.ok(total(counted) >= 50_000_000);
  assert.ok(total(counted.filter((one) => one.sample !== last)) < 50_000_000);
  assert.ok(ended.samples("prove").every((one) => one.wall_ns >= 19_000_000));
});

test("set-up is timed once and belongs to no instance", () => {
  const setup = answers("run", request()).samples("setup");
  assert.deepEqual(column(setup, "instance"), [null]);
  assert.deepEqual(column(setup, "sample"), [0]);
  assert.deepEqual(column(setup, "warmup"), [false]);
});

test("what stays is written once, what varies for every sample", () => {
  const ended = answers("run", request());
  const counters = (/** @type {string} */ name) =>
    ended.ofType("counter").filter((one) => one.name === name);
  assert.deepEqual(column(counters("constraints"), "sample"), [null]);
  assert.deepEqual(column(counters("threads"), "value"), [1]);
  assert.deepEqual(column(counters("pow_nonce"), "sample"), [0, 1, 2, 3]);
  assert.deepEqual(ended.the("size"), {
    ...{ type: "size", id: "a", of: "proof", encoding: "native", bytes: 15, sample: null },
  });
  assert.equal(ended.the("security").bits, 0.5);
  assert.deepEqual(ended.the("check"), {
    ...{ type: "check", id: "a", check: "self-verify", passed: true, detail: "" },
  });
});

test("a fixed instance stays the same", () => {
  const ended = answers("run", request({ instances: "fixed", first_instance: 9 }));
  assert.deepEqual(column(ended.samples("prove"), "instance"), [9, 9, 9, 9]);
});

test("the largest first instance leaves room for the loop and is written exactly", () => {
  const largest = 2n ** 64n - 5n;
  const textOf = (/** @type {bigint} */ first) => {
    const line = JSON.stringify(request({ first_instance: "?" })).replace('"?"', `${first}`);
    return spawnSync(process.execPath, [TOY, "run"], { input: line }).stdout.toString();
  };
  assert.ok(textOf(largest).includes(`"instance":${2n ** 64n - 2n},`));
  assert.ok(textOf(largest + 1n).includes('"option":"first_instance"'));
});

test("only the phases asked for are recorded and every proof is verified once", () => {
  for (const phases of [["prove"], ["witness"], ["witness", "prove"], ["verify", "witness"]]) {
    const ended = answers("run", request({ phases }));
    assert.equal(ended.status, 0, ended.log);
    assert.deepEqual(new Set(column(ended.ofType("sample"), "phase")), new Set(phases));
    assert.equal(ended.the("check").passed, true);
    assert.equal(ended.the("size").bytes, 15);
  }
});

test("verification alone uses one proof", () => {
  const ended = answers("run", request({ phases: ["verify"], first_instance: 4 }));
  assert.deepEqual(column(ended.samples("verify"), "instance"), [4, 4, 4, 4]);
  const made = ended.ofType("counter").filter((one) => one.name === "pow_nonce");
  assert.deepEqual(column(made, "value"), [1]);
});

test("without witness, prove and verify there is no loop", () => {
  const ended = answers("run", request({ phases: ["compile", "setup"] }));
  assert.deepEqual(column(ended.ofType("sample"), "phase"), ["setup"]);
  assert.equal(ended.the("done").stopped_by, "no-loop");
  assert.equal(ended.the("done").samples, 0);
});

test("the artifacts are those of the first counted sample", (context) => {
  const folder = folderFor(context);
  const read = (/** @type {string} */ name) => readFileSync(path.join(folder, name));
  assert.equal(answers("run", request({ artifacts: folder })).status, 0);
  const warm = [read("proof.bin"), read("public_input.json")];
  answers("run", request({ artifacts: folder, first_instance: 1, ...stopped({}) }));
  assert.deepEqual([read("proof.bin"), read("public_input.json")], warm);
  assert.equal(read("verifying_key.bin").length, 32 + 3);
  const file = JSON.parse(read("public_input.json").toString());
  assert.deepEqual(Object.keys(file), ["statement", "function", "bytes", "digest"]);
  assert.equal(file.bytes, 15);
});

test("the same seed gives the same statement and another seed another", (context) => {
  const folder = folderFor(context);
  const publicInput = (/** @type {string} */ seed) => {
    answers("run", request({ seed: seed.repeat(32), artifacts: folder }));
    return readFileSync(path.join(folder, "public_input.json"), "utf8");
  };
  const first = publicInput("01");
  assert.equal(publicInput("01"), first);
  assert.notEqual(publicInput("02"), first);
});

test("times are never zero and memory is null or real", () => {
  for (const sample of answers("run", request()).ofType("sample")) {
    assert.ok(Number.isInteger(sample.wall_ns) && sample.wall_ns > 0);
    assert.ok(Number.isInteger(sample.user_ns) && Number.isInteger(sample.system_ns));
    assert.ok(sample.peak_rss_bytes === null || sample.peak_rss_bytes > 2 ** 20);
  }
});

test("an exception is an internal error on one line and the next request is answered", () => {
  for (const [fault, words] of [
    ["throw-setup", "the toy broke in its setup"],
    ["throw-prove", "the toy broke in proof 2"],
  ]) {
    const faulty = request({ id: "faulty", options: { fault } });
    const ended = answers("run", faulty, request({ id: "next" }));
    assert.equal(ended.status, 1);
    const { id, kind, message } = ended.the("error");
    assert.deepEqual([id, kind, message], ["faulty", "internal", `exception: ${words}`]);
    assert.equal(ended.the("done").id, "next");
    assert.equal(ended.log, `exception: ${words}\n`);
    const kept = ended.samples("prove").filter((sample) => sample.id === "faulty");
    assert.equal(kept.length, fault === "throw-prove" ? 2 : 0, "records before it stay");
  }
});

test("a proof that its own verifier rejects is an internal error", () => {
  const faulty = request({ id: "faulty", options: { fault: "wrong-proof" } });
  const ended = answers("run", faulty, request({ id: "next" }));
  const [check] = ended.ofType("check");
  assert.deepEqual([check?.passed, check?.detail], [false, "the message has another digest"]);
  assert.equal(ended.the("error").kind, "internal");
  assert.equal(ended.the("done").id, "next");
});

test("memory that runs out is an error of its own and the next request is answered", () => {
  const faulty = request({ id: "faulty", options: { fault: "out-of-memory" } });
  const ended = answers("run", faulty, request({ id: "next" }));
  assert.equal(ended.the("error").kind, "out-of-memory");
  assert.equal(ended.the("error").rule, undefined);
  assert.equal(ended.the("done").id, "next");
});

test("a reader that goes away ends the runner quietly", async () => {
  const child = spawn(process.execPath, [TOY, "run"], { stdio: ["pipe", "pipe", "pipe"] });
  const stop = stopped({ minimum: 1000, maximum: 1000, seconds: 3600 });
  child.stdin.write(`${JSON.stringify(request({ ...stop, options: { milliseconds: 5 } }))}\n`);
  let log = "";
  child.stderr.on("data", (chunk) => {
    log += chunk;
  });
  child.stdout.once("data", () => child.stdout.destroy());
  const status = await new Promise((resolve) => child.on("close", resolve));
  assert.equal(status, 1);
  assert.equal(log, "");
});

test("records are handed over while a request is at work, but not one by one", async () => {
  const child = spawn(process.execPath, [TOY, "run"], { stdio: ["pipe", "pipe", "inherit"] });
  const stop = stopped({ minimum: 100, maximum: 100, seconds: 3600 });
  child.stdin.end(`${JSON.stringify(request({ ...stop, options: { milliseconds: 5 } }))}\n`);
  let chunks = 0;
  let records = 0;
  for await (const chunk of child.stdout) {
    chunks += 1;
    records += chunk.toString().split("\n").length - 1;
  }
  assert.ok(records > 400, `${records} records`);
  assert.ok(chunks > 2 && chunks < 60, `${chunks} times`);
});
