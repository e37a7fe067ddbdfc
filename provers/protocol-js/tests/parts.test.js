import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import test from "node:test";

import { Configuration } from "../src/configuration.js";
import { descriptionFaults, PHASES } from "../src/description.js";
import { parseJson, quoted, shown } from "../src/json.js";
import { headerOf } from "../src/key_file.js";
import { linesOf, MAXIMUM_LINE_BYTES, TOO_LONG } from "../src/lines.js";
import { collectGarbage, Meter } from "../src/measurement.js";
import { toLine } from "../src/record.js";
import { Seed } from "../src/seed.js";

const SEED = Seed.parse(Buffer.from(Array.from({ length: 32 }, (_, i) => i)).toString("hex"));

test("the digest of a seed is that of the definition", () => {
  // Python: hashlib.sha512(b"nizk-bench/v1\0mimc/constant\0" + bytes(range(32)) +
  // (258).to_bytes(8, "little")).hexdigest()
  assert.equal(
    Buffer.from(SEED?.digest("mimc/constant", 258n) ?? []).toString("hex"),
    "ac2eb712658ba01e320c1e1f00cdaeb582d3e1e81085cd17fa8508d575a90865" +
      "2118ef970e7862ff200b5ca28318b1bff2c2b3dc6ef68811e52abb0a6a3ba8c8",
  );
});

test("a message is the first bytes of its digests", () => {
  const message = Buffer.from(SEED?.message(7n, 130) ?? []);
  const digests = [0, 1, 2].map((k) => SEED?.digest(`hash/message/${k}`, 7n) ?? new Uint8Array());
  assert.deepEqual(message, Buffer.concat(digests).subarray(0, 130));
  assert.deepEqual(Buffer.from(SEED?.message(7n, 64) ?? []), message.subarray(0, 64));
});

test("only 64 lower-case digits are a seed", () => {
  const bad = ["", "00", "0".repeat(63), "0".repeat(65), "g".repeat(64), "A".repeat(64)];
  for (const text of [...bad, `${"0".repeat(64)}\n`]) {
    assert.equal(Seed.parse(text), undefined, text);
  }
});

test("numbers keep what they are written as", () => {
  /** @type {[string, unknown][]} */
  const cases = [
    ["0", 0n],
    ["-15", -15n],
    ["18446744073709551615", 18446744073709551615n],
    ["18446744073709551616", 2 ** 64],
    ["15.0", 15],
    ["1e1", 10],
    ["-0", -0],
  ];
  for (const [text, value] of cases) {
    assert.ok(Object.is(parseJson(text), value), text);
  }
});

test("JSON is read as JSON.parse reads it", () => {
  const texts = [
    ' {"a" : [1.5, true, false, null, "\\u00e9\\n\\ud83d\\ude00 \u007f"], "": {}, "b": [] } \n',
    '"\\\\"',
    "[[[[]]]]",
    '"é\u2028"',
  ];
  for (const text of texts) {
    assert.deepEqual(plain(parseJson(text)), JSON.parse(text), text);
  }
  const long = `"${"\\n".repeat(2 ** 20)}${"x".repeat(2 ** 20)}"`;
  assert.equal(parseJson(long), JSON.parse(long));
});

test("what JSON.parse refuses is refused", () => {
  const texts = [
    ...'{,[,],},:,[1,],[,1],{a:1},{\'a\':1},{"a"},{"a":},01,1.,.5,+1,1e,-,tru,nul,NaN'.split(
      /,(?=[^\]1])/u,
    ),
    ...['"', '"\\', '"\\x"', '"\\u12"', '"a\nb"', '"\t"', "1 2", "[1 2]", "\u00a01", ""],
  ];
  for (const text of texts) {
    assert.throws(() => JSON.parse(text), SyntaxError, text);
    assert.throws(() => parseJson(text), SyntaxError, text);
  }
});

test("what JSON.parse would lose is refused", () => {
  for (const text of ['{"a":1,"a":1}', '{"a":{"b":1,"\\u0062":2}}', '"\\ud800"', "1e999"]) {
    assert.doesNotThrow(() => JSON.parse(text), text);
    assert.throws(() => parseJson(text), SyntaxError, text);
  }
  assert.throws(() => parseJson("[".repeat(1000)), /nested/u);
});

test("values are quoted on one line and cut", () => {
  assert.equal(shown(15), "15.0");
  assert.equal(shown(2n ** 64n - 1n), "18446744073709551615");
  assert.equal(shown(new Map([["a", null]])), "an object of 1");
  assert.equal(quoted("a\nb"), '"a\\nb"');
  assert.equal(quoted("😀".repeat(81)), `"${"😀".repeat(80)}…"`);
  assert.equal(quoted("😀".repeat(80)), `"${"😀".repeat(80)}"`);
});

test("lines are read whole over chunks, and a last line without an end is a line", async () => {
  const text = "a\n\nbc\nd";
  for (const size of [1, 2, 3, 100]) {
    const chunks = text.match(new RegExp(`[^]{1,${size}}`, "gu")) ?? [];
    assert.deepEqual(await lines(chunks), ["a", "", "bc", "d"]);
  }
  assert.deepEqual(await lines([]), []);
  assert.deepEqual(await lines(["a\n"]), ["a"]);
});

test("the longest line is read and one byte more is not", async () => {
  const longest = "x".repeat(MAXIMUM_LINE_BYTES);
  assert.deepEqual(await lines([longest, "\n", longest, "y\nz"]), [longest, TOO_LONG, "z"]);
});

test("records are written exactly", () => {
  const record = {
    type: "a",
    instance: 2n ** 64n - 1n,
    none: null,
    left: undefined,
    list: [1, "é"],
  };
  assert.equal(
    toLine(record),
    '{"type":"a","instance":18446744073709551615,"none":null,"list":[1,"é"]}\n',
  );
});

test("the header of a key is that of the definition", () => {
  const configuration = new Configuration({
    ...{ system: "toy/nothing/none", statement: "hash-preimage", size: 258, options: new Map() },
    variant: new Map([
      ["message", "bytes"],
      ["function", "sha256"],
    ]),
  });
  const text = "nizk-bench/v1/key\0toy/nothing/none\0function=sha256,message=bytes\0";
  const message = Buffer.concat([Buffer.from(text), Buffer.of(2, 1, 0, 0, 0, 0, 0, 0)]);
  assert.deepEqual(headerOf(configuration), createHash("sha256").update(message).digest());
});

test("wall time covers a pause, CPU time work alone", () => {
  const meter = new Meter();
  const pause = meter.measure(() => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  });
  assert.ok(pause.wallNs >= 49_000_000n);
  assert.ok(pause.userNs + pause.systemNs < 40_000_000);
  const work = meter.measure(() => {
    const start = process.cpuUsage();
    while (process.cpuUsage(start).user + process.cpuUsage(start).system < 20_000) {
      createHash("sha512").update("work").digest();
    }
  });
  assert.ok(work.userNs + work.systemNs >= 20_000_000);
});

test("the peak of a region is its own", (context) => {
  const meter = new Meter();
  const touch = (/** @type {number} */ mebibytes) => {
    const { peakRssBytes } = meter.measure(() => void new Uint8Array(mebibytes * 2 ** 20).fill(1));
    collectGarbage();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100); // V8 unmaps in a thread.
    return peakRssBytes;
  };
  const [large, small] = [touch(96), touch(1)];
  if (large === null || small === null) {
    context.skip("this kernel cannot say, and then null is recorded");
    return;
  }
  assert.ok(large > small + 48 * 2 ** 20, `${large} after ${small}`);
});

test("a description with faults is told them all", () => {
  /** @type {import("../src/description.js").SystemDescription} */
  const good = {
    ...{ system: "a/b", scheme: "b", curve: null, properties: {}, proof_size: "constant" },
    field: { name: "f", modulus: "0x7", bits: 3 },
    phases: PHASES.map((phase) => ({ phase, includes: [] })),
    ...{ absent_phases: [], threads: { minimum: 1, maximum: 1, how: "one" }, malleable: [] },
    ...{ statements: [], options: [] },
  };
  assert.deepEqual(descriptionFaults(good), []);
  const phases = good.phases.slice(1);
  const option = {
    name: "o",
    type: /** @type {const} */ ("choice"),
    values: ["a"],
    default: "b",
    help: "",
  };
  const bad = {
    ...good,
    phases,
    options: [option, option],
    field: { ...good.field, modulus: "0x07" },
  };
  assert.equal(descriptionFaults(bad).length, 5);
});

/** @param {string[]} chunks */
async function lines(chunks) {
  const found = [];
  for await (const line of linesOf(Readable.from(chunks.map((chunk) => Buffer.from(chunk))))) {
    found.push(line === TOO_LONG ? line : Buffer.from(line).toString());
  }
  return found;
}

/**
 * A value as JSON.parse gives it.
 *
 * @param {import("../src/json.js").Json} value
 * @returns {unknown}
 */
function plain(value) {
  if (value instanceof Map) {
    return Object.fromEntries(Array.from(value, ([name, member]) => [name, plain(member)]));
  }
  if (Array.isArray(value)) {
    return value.map(plain);
  }
  return typeof value === "bigint" ? Number(value) : value;
}
