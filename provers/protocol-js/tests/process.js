/** Starting the toy runner and reading its records. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The program of the toy. */
export const TOY = fileURLToPath(new URL("toy.js", import.meta.url));

/** @typedef {Record<string, any>} Value */

/** What a process left behind. */
export class Ended {
  /**
   * @param {number | null} status
   * @param {Value[]} records
   * @param {string} log
   */
  constructor(status, records, log) {
    this.status = status;
    this.records = records;
    this.log = log;
  }

  /**
   * The records of one type, in order.
   *
   * @param {string} name
   */
  ofType(name) {
    return this.records.filter((record) => record.type === name);
  }

  /**
   * The samples of one phase, in order.
   *
   * @param {string} phase
   */
  samples(phase) {
    return this.ofType("sample").filter((record) => record.phase === phase);
  }

  /**
   * The only record of a type.
   *
   * @param {string} name
   * @returns {Value}
   */
  the(name) {
    const found = this.ofType(name);
    assert.equal(found.length, 1, `${JSON.stringify(this.records)}\n${this.log}`);
    return found[0] ?? {};
  }
}

/**
 * Runs the toy with this input to its end.
 *
 * @param {string[]} parameters
 * @param {string | Uint8Array} input
 */
export function finish(parameters, input) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [TOY, ...parameters], {
    input,
    maxBuffer: 2 ** 28,
  });
  const lines = stdout.toString().split("\n").filter(Boolean);
  return new Ended(
    status,
    lines.map((line) => JSON.parse(line)),
    stderr.toString(),
  );
}

/**
 * Runs the toy with one verb and these requests.
 *
 * @param {string} verb
 * @param {...Value} requests
 */
export function answers(verb, ...requests) {
  return finish([verb], requests.map((request) => `${JSON.stringify(request)}\n`).join(""));
}

/**
 * A legal request to run, with these members changed; undefined takes one away.
 *
 * @param {Value} changes
 * @returns {Value}
 */
export function request(changes = {}) {
  return {
    ...{ type: "run", id: "a", system: "toy/nothing/none", statement: "hash-preimage" },
    ...{ size: { bytes: 15 }, variant: {}, options: {}, threads: 1 },
    ...{ seed: "00".repeat(32), instances: "fresh" },
    stop: { warmup: 1, minimum: 2, maximum: 3, seconds: 60 },
    phases: ["compile", "setup", "witness", "prove", "verify"],
    ...changes,
  };
}

/**
 * A folder that is removed after a test.
 *
 * @param {import("node:test").TestContext} context
 */
export function folderFor(context) {
  const folder = mkdtempSync(path.join(tmpdir(), "nizk-protocol-"));
  context.after(() => rmSync(folder, { recursive: true }));
  return folder;
}
