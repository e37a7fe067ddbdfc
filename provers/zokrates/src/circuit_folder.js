/**
 * A compiled circuit as a folder, and its witnesses: what a native prover of ZoKrates' circuits needs.
 *
 * | file | what |
 * | --- | --- |
 * | `circuit.r1cs` | the constraint system in iden3's format; wires: one, digest, then the rest |
 * | `program.bin` | the program that computes witnesses, as ZoKrates serialises it |
 * | `abi.json` | names and types of its arguments |
 * | `circuit.json` | what the others are; it is written last, so that a folder with it is whole |
 */

import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";

import { Failure } from "nizk-protocol";

import { argumentsOf, circuitOf, fingerprintOf, sourceOf } from "./circuit.js";
import { failureOf, Instance, PACKAGE_VERSION } from "./library.js";
import { readHeader } from "./r1cs_header.js";

/** @typedef {import("./circuit.js").Circuit} Circuit */

/**
 * The content of `circuit.json`.
 *
 * @typedef {object} CircuitFile
 * @property {string} function
 * @property {number} bytes
 * @property {"bytes" | "elements"} message
 * @property {"embedded" | "standard-library"} gadget
 * @property {number} constraints
 * @property {number} variables wires, with the constant one and the digest
 * @property {number} public_inputs elements of the digest: wires 1 to this one
 * @property {string} zokrates_js version
 * @property {string} source_sha256 of the source in ZoKrates' language
 */

/**
 * Compiles a circuit into a folder, unless the folder has just this circuit.
 *
 * @param {Circuit} circuit
 * @param {string} folder made where it is missing
 * @returns {Promise<CircuitFile>}
 */
export async function writeCircuit(circuit, folder) {
  const there = readCircuitFile(folder);
  if (there !== undefined && isOf(there, circuit)) {
    return there;
  }
  const instance = await Instance.create("ark");
  const { program, abi, snarkjs } = compile(instance, circuit);
  const header = readHeader(snarkjs.program);
  /** @type {CircuitFile} */
  const file = {
    function: circuit.function,
    bytes: circuit.bytes,
    message: circuit.message,
    gadget: circuit.gadget,
    constraints: header.constraints,
    variables: header.wires,
    public_inputs: header.outputs + header.publicInputs,
    zokrates_js: PACKAGE_VERSION,
    source_sha256: fingerprintOf(circuit),
  };
  try {
    mkdirSync(folder, { recursive: true });
    replace(folder, "circuit.r1cs", snarkjs.program);
    replace(folder, "program.bin", program);
    replace(folder, "abi.json", `${JSON.stringify(abi)}\n`);
    replace(folder, "circuit.json", `${JSON.stringify(file)}\n`);
  } catch (error) {
    throw Failure.internal(
      `the circuit could not be written: ${/** @type {Error} */ (error).message}`,
    );
  }
  return file;
}

/** Computes the witnesses of one circuit, which is read once. */
export class WitnessWriter {
  /** @type {Instance | undefined} */
  #instance;
  #program;
  #abi;
  #file;

  /**
   * @param {Circuit} circuit
   * @param {Uint8Array} program
   * @param {import("zokrates-js").Abi} abi
   * @param {string} file where each witness is written
   */
  constructor(circuit, program, abi, file) {
    this.circuit = circuit;
    this.#program = program;
    this.#abi = abi;
    this.#file = file;
  }

  /**
   * @param {string} folder as writeCircuit left it
   * @returns {WitnessWriter}
   */
  static open(folder) {
    const circuit = readCircuitFile(folder);
    if (circuit === undefined) {
      throw Failure.invalidRequest(
        "folder",
        `the folder is ${JSON.stringify(folder)}, legal is one that the command circuit has written`,
      );
    }
    if (!isOf(circuit, circuit)) {
      throw Failure.invalidRequest(
        "folder",
        `the folder ${JSON.stringify(folder)} has a circuit of another version, legal is one that` +
          " the command circuit of this version has written",
      );
    }
    try {
      const program = readFileSync(path.join(folder, "program.bin"));
      const abi = JSON.parse(readFileSync(path.join(folder, "abi.json"), "utf8"));
      const file = path.resolve(folder, `witness-${process.pid}.wtns`);
      return new WitnessWriter(circuit, Uint8Array.from(program), abi, file);
    } catch (error) {
      throw Failure.internal(
        `the circuit could not be read: ${/** @type {Error} */ (error).message}`,
      );
    }
  }

  /**
   * Computes the witness of a message and writes it in the place of the one before.
   *
   * @param {string} digits the message, two lower-case hexadecimal digits a byte
   * @returns {Promise<string>} the path of the witness
   */
  async write(digits) {
    const { bytes } = this.circuit;
    if (digits.length !== 2 * bytes || !/^[0-9a-f]*$/u.test(digits)) {
      throw Failure.invalidRequest(
        "message",
        `the message has ${digits.length} characters, legal are ${2 * bytes} lower-case hexadecimal digits`,
      );
    }
    const message = Uint8Array.from(Buffer.from(digits, "hex"));
    const witness = await this.#compute(message);
    try {
      replace(path.dirname(this.#file), path.basename(this.#file), witness);
    } catch (error) {
      throw Failure.internal(
        `the witness could not be written: ${/** @type {Error} */ (error).message}`,
      );
    }
    return this.#file;
  }

  /** @param {Uint8Array} message */
  async #compute(message) {
    if (!this.#instance?.usable) {
      this.#instance = await Instance.create("ark");
    }
    try {
      const { snarkjs } = this.#instance.call((provider) =>
        provider.computeWitness(
          { program: this.#program, abi: this.#abi },
          argumentsOf(this.circuit, message),
          { snarkjs: true, logCallback: () => undefined },
        ),
      );
      return snarkjs?.witness ?? new Uint8Array();
    } catch (thrown) {
      throw failureOf(thrown, this.circuit, "witness");
    }
  }
}

/**
 * @param {Instance} instance
 * @param {Circuit} circuit
 */
function compile(instance, circuit) {
  try {
    const { program, abi, snarkjs } = instance.call((provider) =>
      provider.compile(sourceOf(circuit), { snarkjs: true }),
    );
    if (snarkjs === undefined) {
      throw Failure.internal("ZoKrates wrote no constraint system");
    }
    return { program, abi, snarkjs };
  } catch (thrown) {
    throw failureOf(thrown, circuit, "compile");
  }
}

/**
 * What a folder says of its circuit, if it says something legal.
 *
 * @param {string} folder
 * @returns {CircuitFile | undefined}
 */
function readCircuitFile(folder) {
  try {
    const file = JSON.parse(readFileSync(path.join(folder, "circuit.json"), "utf8"));
    return { ...file, ...circuitOf(file.function, file.bytes, file.message, file.gadget) };
  } catch {
    return undefined;
  }
}

/**
 * Whether a folder's circuit is what compiling would give.
 *
 * @param {CircuitFile} file
 * @param {Circuit} circuit
 */
function isOf(file, circuit) {
  return (
    file.function === circuit.function &&
    file.bytes === circuit.bytes &&
    file.message === circuit.message &&
    file.gadget === circuit.gadget &&
    file.zokrates_js === PACKAGE_VERSION &&
    file.source_sha256 === fingerprintOf(circuit)
  );
}

/**
 * Writes a file under a name of its own, then gives it its name: whoever reads sees it whole.
 *
 * @param {string} folder
 * @param {string} name
 * @param {string | Uint8Array} content
 */
function replace(folder, name, content) {
  const unfinished = path.join(folder, `.${name}.${process.pid}`);
  writeFileSync(unfinished, content);
  renameSync(unfinished, path.join(folder, name));
}
