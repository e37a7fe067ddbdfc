import assert from "node:assert/strict";
import test from "node:test";

import { malformed } from "./malformed.js";
import { answers, finish, request } from "./process.js";

const LINE_END = Buffer.from("\n");

/** @param {...Uint8Array} lines */
function joined(...lines) {
  return Buffer.concat(lines.flatMap((line) => [line, LINE_END]));
}

/** @param {Record<string, unknown>} changes */
function line(changes) {
  return Buffer.from(JSON.stringify(request(changes)));
}

test("every malformed request is answered by one error that names the member", () => {
  const bad = malformed();
  const ended = finish(["run"], joined(...bad.map(([text]) => text), line({})));
  assert.equal(ended.status, 1);
  const errors = ended.ofType("error");
  assert.equal(errors.length, bad.length);
  for (const [number, [text, option]] of bad.entries()) {
    const { kind, message, option: named } = errors[number] ?? {};
    const shown = `${Buffer.from(text).toString("latin1").slice(0, 200)}: ${message}`;
    assert.equal(kind, "invalid-request", shown);
    assert.equal(named, option, shown);
    assert.ok(message.length > 0 && message.length < 500 && !message.includes("\n"), shown);
    if (option !== null) {
      assert.ok(message.includes(option) && message.includes("legal is"), shown);
    }
  }
  assert.equal(ended.ofType("done").length, 1, "the process went on");
});

test("classify refuses what run refuses in the same words and nothing else", () => {
  const input = joined(
    ...malformed().map(([text]) => text),
    line({ id: "legal" }),
    line({ id: "legal" }),
    line({ id: "fault", options: { fault: "unsupported" } }),
    line({ id: "threads", threads: 2 }),
    line({ id: "last" }),
  );
  const expected = finish(["run"], input)
    .records.filter((record) => ["done", "error"].includes(record.type))
    .map((record) => (record.type === "done" ? { type: "legal", id: record.id } : record));
  const classified = finish(["classify"], input);
  assert.deepEqual(classified.records, expected);
  assert.equal(classified.ofType("legal").length, 2);
  assert.equal(classified.status, 1);
});

test("a legal request is not carried out", () => {
  const broken = request({ id: "b", options: { fault: "throw-setup" } });
  const ended = answers("classify", request(), broken);
  assert.deepEqual(ended.records, [
    { type: "legal", id: "a" },
    { type: "legal", id: "b" },
  ]);
  assert.equal(ended.log, "");
  assert.equal(ended.status, 0);
});

test("an unsupported configuration names its rule and no other failure does", () => {
  for (const [changes, rule] of [
    [{ options: { fault: "unsupported" } }, "fault-of-the-toy"],
    [{ threads: 1_000_000 }, "threads-beyond-processors"],
    [{ seed: "00" }, undefined],
  ]) {
    const error = answers("classify", request(/** @type {object} */ (changes))).the("error");
    assert.equal(error.rule, rule);
    assert.equal(error.kind === "unsupported", rule !== undefined);
  }
});

test("too many threads are refused with the number there may be", () => {
  const error = answers("run", request({ threads: 1_000_000 })).the("error");
  assert.equal(error.option, "threads");
  assert.match(
    error.message,
    /^threads is 1000000, supported are at most [1-9][0-9]*, as many as there are processors this process may use$/u,
  );
});

test("an id serves once even where its request was refused", () => {
  const ended = answers(
    "run",
    request({ id: "x", seed: "00" }),
    request({ id: "x" }),
    request({ id: "y" }),
    request({ id: "y" }),
  );
  assert.deepEqual(
    ended.ofType("error").map(({ id, option }) => [id, option]),
    [
      ["x", "seed"],
      ["x", "id"],
      ["y", "id"],
    ],
  );
  assert.equal(ended.the("done").id, "y");
});

test("a process measures at one thread count", () => {
  const ended = answers(
    "classify",
    request({ id: "refused", threads: 3, seed: "00" }),
    request({ id: "first" }),
    request({ id: "other", threads: 2 }),
    request({ id: "same" }),
  );
  assert.deepEqual(
    ended.ofType("legal").map(({ id }) => id),
    ["first", "same"],
  );
  assert.deepEqual(
    ended.ofType("error").map(({ option }) => option),
    ["seed", "threads"],
  );
});

test("describe is one object and status zero", () => {
  const ended = answers("describe");
  assert.equal(ended.status, 0);
  const describe = ended.the("describe");
  assert.equal(ended.records.length, 1);
  assert.equal(describe.protocol, 1);
  assert.equal(describe.runner, "toy");
  assert.equal(describe.systems[0].curve, null);
  assert.deepEqual(describe.systems[0].options[1].values, [2, 4, 8, 16]);
});

test("a wrong command line is one sentence and status two", () => {
  for (const parameters of [[], ["prove"], ["run", "fast"], ["--help"], [""]]) {
    const ended = finish(parameters, "");
    assert.equal(ended.status, 2, parameters.join(" "));
    assert.deepEqual(ended.records, []);
    assert.equal(ended.log.trimEnd().split("\n").length, 1, ended.log);
  }
});

test("a runner may have commands of its own", () => {
  assert.equal(finish(["echo", "a", "b", "c"], "").status, 3);
});
