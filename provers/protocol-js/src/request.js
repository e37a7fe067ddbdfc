/** Requests: read strictly, validated against what the runner describes. */

import { statSync } from "node:fs";

import { Configuration } from "./configuration.js";
import { isLegalInteger, PHASES } from "./description.js";
import { Failure, inOneLine } from "./failure.js";
import { listed, Members, parseJson, quoted, range, shown } from "./json.js";
import { MAXIMUM_LINE_BYTES, TOO_LONG } from "./lines.js";
import { Seed } from "./seed.js";

/** @typedef {import("./description.js").OptionDescription} OptionDescription */
/** @typedef {import("./description.js").Phase} Phase */
/** @typedef {import("./description.js").StatementDescription} StatementDescription */
/** @typedef {import("./description.js").SystemDescription} SystemDescription */
/** @typedef {import("./json.js").Json} Json */
/** @typedef {import("./system.js").System} System */

/** Longest `id` in bytes. */
const MAXIMUM_ID_BYTES = 128;

/** Greatest index of an instance. */
const GREATEST_INDEX = 2n ** 64n - 1n;

/** Most threads that a request can name. */
const MOST_THREADS = 2 ** 32 - 1;

/** How many proofs a request may ask to be verified together. */
const FEWEST_TOGETHER = 2;
const MOST_TOGETHER = 1024;

const RUN_MEMBERS =
  "type, id, system, statement, size, variant, options, threads, seed, instances, first_instance," +
  " stop, phases, batch, artifacts";
const VERIFY_MEMBERS =
  "type, id, system, statement, size, variant, options, public_input, verifying_key, proof";

/**
 * When a loop ends.
 *
 * @typedef {object} Stop
 * @property {number} warmup
 * @property {number} minimum
 * @property {number} maximum
 * @property {number} seconds
 */

/**
 * A request of `RUNNER run`.
 *
 * @typedef {object} RunRequest
 * @property {System} system
 * @property {Configuration} configuration
 * @property {Seed} seed
 * @property {"fresh" | "fixed"} instances
 * @property {bigint} firstInstance
 * @property {Stop} stop
 * @property {Phase[]} phases
 * @property {string | undefined} artifacts
 */

/**
 * A request of `RUNNER verify`.
 *
 * @typedef {object} VerifyRequest
 * @property {System} system
 * @property {Configuration} configuration
 * @property {string} publicInput
 * @property {string} verifyingKey
 * @property {string} proof
 */

/** A line that is an object with an `id`: as far as every answer must be able to name it. */
export class Envelope {
  #members;

  /**
   * @param {string} id
   * @param {Members} members
   */
  constructor(id, members) {
    this.id = id;
    this.#members = members;
  }

  /**
   * Reads a line as far as its `id`.
   *
   * @param {Uint8Array | typeof TOO_LONG} line
   */
  static read(line) {
    if (line === TOO_LONG) {
      throw Failure.invalidRequest(
        null,
        `the line is longer than ${MAXIMUM_LINE_BYTES} bytes, which is the longest legal`,
      );
    }
    const members = Members.of(parse(line));
    const legal = `a string of 1 to ${MAXIMUM_ID_BYTES} bytes`;
    const id = members.text("id", legal);
    if (id === "" || Buffer.byteLength(id) > MAXIMUM_ID_BYTES) {
      throw members.wrong("id", id, legal);
    }
    return new Envelope(id, members);
  }

  /**
   * Reads the rest as a request to run.
   *
   * @param {readonly System[]} systems
   * @returns {RunRequest}
   */
  intoRun(systems) {
    const members = this.#members;
    members.choice("type", ["run"]);
    const { system, cell } = readCell(members, systems);
    const threads = readThreads(members, system.description);
    const seed = readSeed(members);
    const instances = members.choice("instances", /** @type {const} */ (["fresh", "fixed"]));
    const stop = readStop(members);
    const firstInstance = readFirstInstance(members, stop);
    const phases = readPhases(members);
    refuseBatch(members, system.description, phases);
    const artifacts = readArtifacts(members);
    members.finish(RUN_MEMBERS);
    const configuration = new Configuration({ ...cell, threads });
    return { system, configuration, seed, instances, firstInstance, stop, phases, artifacts };
  }

  /**
   * Reads the rest as a request to verify.
   *
   * @param {readonly System[]} systems
   * @returns {VerifyRequest}
   */
  intoVerify(systems) {
    const members = this.#members;
    members.choice("type", ["verify"]);
    const { system, cell } = readCell(members, systems);
    const publicInput = members.text("public_input", "the path of a file");
    const verifyingKey = members.text("verifying_key", "the path of a file");
    const proof = members.text("proof", "the path of a file");
    members.finish(VERIFY_MEMBERS);
    const configuration = new Configuration(cell);
    return { system, configuration, publicInput, verifyingKey, proof };
  }
}

/** @param {Uint8Array} line */
function parse(line) {
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(line);
  } catch {
    throw Failure.invalidRequest(null, "the line is not UTF-8, legal is JSON in UTF-8");
  }
  try {
    return parseJson(text);
  } catch (thrown) {
    throw Failure.invalidRequest(null, `the line is not a legal JSON object: ${inOneLine(thrown)}`);
  }
}

/**
 * What `run` and `verify` have in common: system, statement, size, variant and options.
 *
 * @param {Members} members
 * @param {readonly System[]} systems
 */
function readCell(members, systems) {
  const name = members.choice(
    "system",
    systems.map((one) => one.description.system),
  );
  const system = /** @type {System} */ (systems.find((one) => one.description.system === name));
  const { statements, options } = system.description;
  const statementName = members.choice(
    "statement",
    statements.map((one) => one.statement),
  );
  const statement = /** @type {StatementDescription} */ (
    statements.find((one) => one.statement === statementName)
  );
  const size = readSize(members, statement);
  const variant = readVariant(members, statement);
  const chosen = readOptions(members, options);
  return {
    system,
    cell: { system: name, statement: statementName, size, variant, options: chosen },
  };
}

/**
 * @param {Members} members
 * @param {StatementDescription} statement
 */
function readSize(members, { size: { name, minimum, maximum } }) {
  const size = members.object("size");
  const value = size.integer(name, minimum, maximum);
  size.finish(name);
  return value;
}

/**
 * @param {Members} members
 * @param {StatementDescription} statement
 */
function readVariant(members, { variants }) {
  const given = members.object("variant");
  const variant = new Map();
  for (const { name, values, default: byDefault } of variants) {
    const value = whereMissing(given.take(name), byDefault);
    if (!values.some((legal) => legal === value)) {
      throw given.wrong(name, value, listed(values));
    }
    variant.set(name, value);
  }
  given.finish(listed(variants.map((one) => one.name)));
  return variant;
}

/**
 * PROTOCOL.md names an option at fault by its own name alone.
 *
 * @param {Members} members
 * @param {readonly OptionDescription[]} described
 */
function readOptions(members, described) {
  const given = members.object("options");
  const options = new Map();
  for (const option of described) {
    const value = given.take(option.name);
    options.set(option.name, value === undefined ? option.default : readOption(option, value));
  }
  try {
    given.finish(listed(described.map((one) => one.name)));
  } catch (thrown) {
    const { message, option } = /** @type {Failure} */ (thrown);
    throw Failure.invalidRequest(option?.replace(/^options\./u, "") ?? null, message);
  }
  return options;
}

/**
 * @param {OptionDescription} option
 * @param {Json} value
 */
function readOption(option, value) {
  if (option.type === "choice") {
    const chosen = option.values.find((legal) => legal === value);
    if (chosen !== undefined) {
      return chosen;
    }
    throw wrongOption(option.name, value, listed(option.values));
  }
  if (typeof value === "bigint" && isLegalInteger(option, Number(value))) {
    return Number(value);
  }
  const legal = option.values ? listed(option.values) : range(option.minimum, option.maximum);
  throw wrongOption(option.name, value, legal);
}

/**
 * @param {string} name
 * @param {Json} value
 * @param {string} legal
 */
function wrongOption(name, value, legal) {
  return Failure.invalidRequest(name, `option ${name} is ${shown(value)}, legal is ${legal}`);
}

/**
 * @param {Members} members
 * @param {SystemDescription} description
 */
function readThreads(members, { threads: { minimum, maximum } }) {
  return members.integer("threads", minimum, maximum ?? MOST_THREADS);
}

/** @param {Members} members */
function readSeed(members) {
  const legal = "64 lower-case hexadecimal digits";
  const text = members.text("seed", legal);
  const seed = Seed.parse(text);
  if (seed === undefined) {
    throw members.wrong("seed", text, legal);
  }
  return seed;
}

/**
 * @param {Members} members
 * @returns {Stop}
 */
function readStop(members) {
  const mostSamples = 1_000_000;
  const mostSeconds = 86_400;
  const stop = members.object("stop");
  const warmup = stop.integer("warmup", 0, 1000);
  const minimum = stop.integer("minimum", 1, mostSamples);
  const maximum = stop.integer("maximum", 1, mostSamples);
  if (maximum < minimum) {
    const legal = `an integer from stop.minimum, which is ${minimum}, to ${mostSamples}`;
    throw stop.wrong("maximum", BigInt(maximum), legal);
  }
  const legal = `a number above 0 and at most ${mostSeconds}`;
  const given = stop.require("seconds", legal);
  const seconds =
    typeof given === "bigint" || typeof given === "number" ? Number(given) : Number.NaN;
  if (!(seconds > 0 && seconds <= mostSeconds)) {
    throw stop.wrong("seconds", given, legal);
  }
  stop.finish("warmup, minimum, maximum, seconds");
  return { warmup, minimum, maximum, seconds };
}

/**
 * The first instance leaves room for all the loop may use after it.
 *
 * @param {Members} members
 * @param {Stop} stop
 */
function readFirstInstance(members, { warmup, maximum }) {
  const greatest = GREATEST_INDEX - BigInt(warmup + maximum);
  const given = whereMissing(members.take("first_instance"), 0n);
  if (typeof given === "bigint" && given >= 0n && given <= greatest) {
    return given;
  }
  throw members.wrong("first_instance", given, range(0, greatest));
}

/** @param {Members} members */
function readPhases(members) {
  const legal = `a non-empty array of ${listed(PHASES)}, each at most once`;
  const given = members.require("phases", legal);
  if (!Array.isArray(given) || given.length === 0) {
    throw members.wrong("phases", given, legal);
  }
  /** @type {Phase[]} */
  const phases = [];
  for (const item of given) {
    const phase = PHASES.find((one) => one === item);
    if (phase === undefined || phases.includes(phase)) {
      const what = phase === undefined ? shown(item) : `${phase} twice`;
      throw Failure.invalidRequest("phases", `phases has ${what}, legal is ${legal}`);
    }
    phases.push(phase);
  }
  return phases;
}

/**
 * Refuses proofs that are to be verified together, which no library behind this package does, and
 * anything else that is called so.
 *
 * @param {Members} members
 * @param {SystemDescription} description
 * @param {readonly Phase[]} phases
 */
function refuseBatch(members, description, phases) {
  const given = members.take("batch");
  if (given === undefined) {
    return;
  }
  if (typeof given !== "bigint" || given < FEWEST_TOGETHER || given > MOST_TOGETHER) {
    throw members.wrong("batch", given, range(FEWEST_TOGETHER, MOST_TOGETHER));
  }
  if (!phases.includes("verify")) {
    throw Failure.invalidRequest(
      "batch",
      `batch is ${shown(given)}, legal is none without verify among the phases`,
    );
  }
  throw Failure.unsupported(
    "no-batch-verification",
    "batch",
    `batch is ${shown(given)}, supported is none, since ${description.system} verifies proofs one by one`,
  );
}

/** @param {Members} members */
function readArtifacts(members) {
  const legal = "the path of an existing folder";
  const given = members.take("artifacts");
  if (given === undefined) {
    return undefined;
  }
  if (typeof given !== "string") {
    throw members.wrong("artifacts", given, legal);
  }
  if (!isFolder(given)) {
    throw Failure.invalidRequest("artifacts", `artifacts is ${quoted(given)}, legal is ${legal}`);
  }
  return given;
}

/**
 * A default for what is missing, which null is not.
 *
 * @template T
 * @param {T | undefined} given
 * @param {T} byDefault
 */
function whereMissing(given, byDefault) {
  return given === undefined ? byDefault : given;
}

/** @param {string} path */
function isFolder(path) {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // Whatever keeps it from being seen keeps it from being written to.
  }
}
