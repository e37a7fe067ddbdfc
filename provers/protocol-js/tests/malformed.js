/** Requests that break one rule each, for whoever has to refuse them. */

import { request } from "./process.js";

/**
 * The lines, and the member that the error has to name.
 *
 * @returns {[Uint8Array, string | null][]}
 */
export function malformed() {
  /** @type {[string | Uint8Array, string | null][]} */
  const lines = [
    ["", null],
    ["prove it", null],
    ["{", null],
    ["[1, 2]", null],
    ["17", null],
    ["null", null],
    ["{} {}", null],
    ['"run"', null],
    [Uint8Array.of(...Buffer.from('{"id":"'), 0xff, ...Buffer.from('"}')), null],
    ['{"type":"run","type":"run","id":"twice"}', null],
    ['{"type":"run","t\\u0079pe":"run","id":"twice"}', null],
    ['{"id":"deep","a":{"b":1,"b":2}}', null],
    ['{"id":"\\ud800"}', null],
    ['{"id":"a",}', null],
    ['{"id":01}', null],
    ['{"id":1e999}', null],
    ["{}", "id"],
    ["[".repeat(100_000), null],
    ["x".repeat(5 * 2 ** 20), null],
    [`{"id":"${"x".repeat(4 * 2 ** 20 - 9)}"}`, "id"],
  ];
  /** @type {(changes: Record<string, number | string>) => Record<string, unknown>} */
  const stop = (changes) => ({
    stop: { warmup: 0, minimum: 1, maximum: 1, seconds: 1, ...changes },
  });
  /** @type {[Record<string, unknown>, string][]} */
  const changes = [
    [{ type: undefined }, "type"],
    [{ type: "verify" }, "type"],
    [{ id: undefined }, "id"],
    [{ id: "" }, "id"],
    [{ id: 7 }, "id"],
    [{ id: "é".repeat(65) }, "id"],
    [{ speed: "fast" }, "speed"],
    [{ system: undefined }, "system"],
    [{ system: "nobody/nothing/nowhere" }, "system"],
    [{ statement: "factoring" }, "statement"],
    [{ size: undefined }, "size.bytes"],
    [{ size: 15 }, "size"],
    [{ size: {} }, "size.bytes"],
    [{ size: { bytes: 15, rounds: 15 } }, "size.rounds"],
    [{ size: { bytes: 0 } }, "size.bytes"],
    [{ size: { bytes: 1025 } }, "size.bytes"],
    [{ size: { bytes: -15 } }, "size.bytes"],
    [{ size: { bytes: 15.5 } }, "size.bytes"],
    [{ size: { bytes: "15" } }, "size.bytes"],
    [{ size: { bytes: 1e30 } }, "size.bytes"],
    [{ variant: { colour: "blue" } }, "variant.colour"],
    [{ variant: { function: "md5" } }, "variant.function"],
    [{ variant: { function: 1 } }, "variant.function"],
    [{ variant: { function: null } }, "variant.function"],
    [{ variant: ["function"] }, "variant"],
    [{ options: { turbo: 1 } }, "turbo"],
    [{ options: { milliseconds: 1001 } }, "milliseconds"],
    [{ options: { milliseconds: -1 } }, "milliseconds"],
    [{ options: { milliseconds: true } }, "milliseconds"],
    [{ options: { power: 3 } }, "power"],
    [{ options: { fault: "every" } }, "fault"],
    [{ options: { fault: 1 } }, "fault"],
    [{ threads: undefined }, "threads"],
    [{ threads: 0 }, "threads"],
    [{ threads: 2 ** 32 }, "threads"],
    [{ threads: "all" }, "threads"],
    [{ seed: undefined }, "seed"],
    [{ seed: "00" }, "seed"],
    [{ seed: "AB".repeat(32) }, "seed"],
    [{ instances: "stale" }, "instances"],
    [{ first_instance: -1 }, "first_instance"],
    [{ first_instance: "one" }, "first_instance"],
    [{ stop: undefined }, "stop.warmup"],
    [stop({ warmup: 1001 }), "stop.warmup"],
    [stop({ minimum: 0 }), "stop.minimum"],
    [stop({ minimum: 2 }), "stop.maximum"],
    [stop({ maximum: 1_000_001 }), "stop.maximum"],
    [stop({ seconds: 0 }), "stop.seconds"],
    [stop({ seconds: 86_401 }), "stop.seconds"],
    [stop({ seconds: "1" }), "stop.seconds"],
    [stop({ patience: 1 }), "stop.patience"],
    [{ phases: undefined }, "phases"],
    [{ phases: [] }, "phases"],
    [{ phases: "prove" }, "phases"],
    [{ phases: ["prove", "celebrate"] }, "phases"],
    [{ phases: ["prove", "prove"] }, "phases"],
    [{ artifacts: "/nonexistent/folder" }, "artifacts"],
    [{ artifacts: 7 }, "artifacts"],
  ];
  const requests = changes.map(([change, option], number) => {
    const id = "id" in change ? {} : { id: `bad-${number}` };
    return /** @type {[string, string]} */ ([
      JSON.stringify(request({ ...change, ...id })),
      option,
    ]);
  });
  // JSON.stringify would write this as the integer that it is not.
  const float = JSON.stringify(request({ id: "float" })).replace('"bytes":15', '"bytes":15.0');
  return [...lines, ...requests, /** @type {[string, string]} */ ([float, "size.bytes"])].map(
    ([line, option]) => [Uint8Array.from(Buffer.from(line)), option],
  );
}
