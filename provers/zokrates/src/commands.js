/** The command lines beside the protocol: `circuit` and `witness`, for a prover in another language. */

import { parseArgs } from "node:util";

import { complain, Failure, inOneLine, linesOf, Output, TOO_LONG, USAGE } from "nizk-protocol";

import { circuitOf } from "./circuit.js";
import { WitnessWriter, writeCircuit } from "./circuit_folder.js";

/**
 * `circuit --function F --bytes N --message M --gadget G --into FOLDER`: compiles a circuit into a folder,
 * unless it is there. One line on standard output: what the folder has, or the error. The exit status is that of
 * the protocol.
 *
 * @param {string[]} parameters
 */
export async function circuitCommand(parameters) {
  const options = optionsOf(parameters, ["function", "bytes", "message", "gadget", "into"]);
  if (options === undefined) {
    return usage(
      "circuit takes --function F --bytes N --message bytes|elements" +
        " --gadget embedded|standard-library --into FOLDER",
    );
  }
  const { function: name = "", bytes = "", message = "", gadget = "", into = "" } = options;
  return answer(async () => {
    const number = /^[0-9]{1,9}$/u.test(bytes) ? Number(bytes) : Number.NaN;
    const circuit = circuitOf(name, number, message, gadget);
    return { type: "circuit", ...(await writeCircuit(circuit, into)) };
  });
}

/**
 * `witness FOLDER`: for every line of standard input, a message of as many bytes as the circuit takes
 * in lower-case hexadecimal digits, one line with the path of its witness, or with the error. Every
 * witness takes the place of the one before.
 *
 * @param {string[]} parameters
 */
export async function witnessCommand(parameters) {
  const [folder] = parameters;
  if (folder === undefined || parameters.length > 1) {
    return usage("witness takes one folder, which the command circuit has written");
  }
  /** @type {WitnessWriter | undefined} */
  let writer;
  let status = await answer(async () => {
    writer = WitnessWriter.open(folder);
    return undefined;
  });
  for await (const line of writer === undefined ? [] : linesOf(process.stdin)) {
    const ended = await answer(async () => {
      const digits = line === TOO_LONG ? "" : Buffer.from(line).toString("latin1");
      return { wtns: await writer?.write(digits) };
    });
    status = Math.max(status, ended);
  }
  return status;
}

/**
 * Writes what an action gives as one line, or the error that it throws; the exit status.
 *
 * @param {() => Promise<object | undefined>} action
 */
async function answer(action) {
  const output = new Output();
  let status = 0;
  try {
    const record = await action();
    if (record !== undefined) {
      output.push(record);
    }
  } catch (thrown) {
    const failure = thrown instanceof Failure ? thrown : Failure.internal(inOneLine(thrown));
    const { kind, message, option, rule } = failure;
    output.push({ type: "error", kind, message, option, rule: rule ?? undefined });
    status = 1;
  }
  output.flush();
  return status;
}

/**
 * The values of options that are all given, once each and with nothing beside them.
 *
 * @param {string[]} parameters
 * @param {string[]} names
 * @returns {Record<string, string> | undefined}
 */
function optionsOf(parameters, names) {
  try {
    const options = Object.fromEntries(
      names.map((name) => [name, { type: /** @type {const} */ ("string"), multiple: true }]),
    );
    const { values } = parseArgs({ args: parameters, options, strict: true });
    const single = names.map((name) => [name, /** @type {string[]} */ (values[name])]);
    return single.every(([, given]) => given?.length === 1)
      ? Object.fromEntries(single.map(([name, given]) => [name, given?.[0]]))
      : undefined;
  } catch {
    return undefined;
  }
}

/** @param {string} sentence */
function usage(sentence) {
  complain(sentence);
  return USAGE;
}
