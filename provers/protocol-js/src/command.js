/** The command line of every runner: `describe`, `run`, `classify`, `verify`. */

import { writeSync } from "node:fs";

import { classify } from "./classify.js";
import { Closed, Output, PROTOCOL } from "./record.js";
import { run } from "./run.js";
import { verify } from "./verify.js";

/** @typedef {import("./system.js").System} System */

/** Exit status of a wrong command line. */
export const USAGE = 2;

/**
 * A runner: its name, the library it measures and the systems it implements.
 *
 * @typedef {object} Runner
 * @property {string} name as in `runner.toml`
 * @property {{ name: string, version: string }} library
 * @property {{ target: string, profile: string, features: string[], target_cpu: string }} build
 * @property {System[]} systems
 * @property {Record<string, (parameters: string[]) => Promise<number>>} [commands] what the runner can
 *   do beside the protocol: from the arguments after the name to the exit status
 */

/**
 * The whole command line of a runner. The exit status is 0 if no request ended in an error, 1 if any
 * did, 2 for a wrong command line.
 *
 * @param {Runner} runner
 * @param {string[]} parameters after the name of the program
 * @returns {Promise<number>}
 */
export async function main(runner, parameters) {
  const [name = "", ...rest] = parameters;
  const other = Object.entries(runner.commands ?? {}).find(([command]) => command === name)?.[1];
  try {
    if (other !== undefined) {
      return await other(rest);
    }
    const verb = VERBS.get(name);
    if (verb === undefined || rest.length > 0) {
      const legal = [...VERBS.keys(), ...Object.keys(runner.commands ?? {})];
      complain(
        `${runner.name} takes one command, legal are ${legal.slice(0, -1).join(", ")} and` +
          ` ${legal.at(-1)}, the first ${VERBS.size} without anything after them`,
      );
      return USAGE;
    }
    return (await verb(runner, new Output())) ? 0 : 1;
  } catch (thrown) {
    if (thrown instanceof Closed && thrown.byReader) {
      return 1; // Whoever closed the pipe knows that nothing more will come.
    }
    complain(thrown instanceof Error ? thrown.message : String(thrown));
    return 1;
  }
}

/**
 * One sentence on standard error; that it is closed is no reason to end otherwise.
 *
 * @param {string} sentence
 */
export function complain(sentence) {
  try {
    writeSync(2, `error: ${sentence}\n`);
  } catch {
    // There is nobody left to tell.
  }
}

/** @type {Map<string, (runner: Runner, output: Output) => Promise<boolean>>} */
const VERBS = new Map([
  ["describe", describe],
  ["run", (runner, output) => run(runner.systems, process.stdin, output)],
  ["classify", (runner, output) => classify(runner.systems, process.stdin, output)],
  ["verify", (runner, output) => verify(runner.systems, process.stdin, output)],
]);

/**
 * @param {Runner} runner
 * @param {Output} output
 */
async function describe({ name, library, build, systems }, output) {
  const descriptions = systems.map((system) => system.description);
  output.push({
    type: "describe",
    protocol: PROTOCOL,
    runner: name,
    library,
    build,
    systems: descriptions,
  });
  output.flush();
  return true;
}
