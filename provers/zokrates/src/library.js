/**
 * zokrates-js, one instance at a time: its memory can be seen and be given back, and what goes
 * wrong inside WebAssembly has a name.
 */

import { readFileSync } from "node:fs";

import { Failure, inOneLine, Rejection } from "nizk-protocol";
import { initialize, metadata } from "zokrates-js";

/** @typedef {import("zokrates-js").ZoKratesProvider} Provider */

/** Most bytes that a memory of WebAssembly with 32-bit addresses can have: 2^16 pages of 2^16 bytes. */
const MEMORY_LIMIT = 2 ** 32;

/** Version of the package, which is not that of ZoKrates. */
export const PACKAGE_VERSION = readPackageVersion();

/** Version of ZoKrates inside. */
export const ZOKRATES_VERSION = metadata.version;

/** What went wrong inside the library. */
export class LibraryError extends Error {
  /**
   * @param {"out-of-memory" | "broken" | "refused"} kind broken: it panicked or trapped; refused: it
   *   returned an error
   * @param {string} message in one line
   * @param {number} memoryBytes the memory of WebAssembly when it happened
   */
  constructor(kind, message, memoryBytes) {
    super(message);
    this.name = "LibraryError";
    this.kind = kind;
    this.memoryBytes = memoryBytes;
  }
}

/** @type {WebAssembly.Module | undefined} */
let compiled;

/**
 * An instance of the library with a memory of its own. zokrates-js keeps one instance in a variable
 * of its module, so that making a new one ends the one before it.
 */
export class Instance {
  /** @type {Provider} */
  #provider;
  /** @type {WebAssembly.Memory} */
  #memory;
  #usable = true;

  /**
   * @param {Provider} provider
   * @param {WebAssembly.Memory} memory
   */
  constructor(provider, memory) {
    this.#provider = provider;
    this.#memory = memory;
  }

  /**
   * A fresh instance; the memory of the one before it becomes garbage.
   *
   * zokrates-js hands out neither its memory nor its code, so both are seen while it instantiates:
   * the code is compiled once in a process, and what V8 has optimised of it stays.
   *
   * @param {"ark" | "bellman"} backend
   * @returns {Promise<Instance>}
   */
  static async create(backend) {
    const instantiate = WebAssembly.instantiate;
    /** @type {WebAssembly.Memory | undefined} */
    let memory;
    const observed = async (
      /** @type {BufferSource} */ bytes,
      /** @type {WebAssembly.Imports} */ imports,
    ) => {
      compiled ??= await WebAssembly.compile(bytes);
      const instance = await instantiate(compiled, imports);
      if (instance.exports.memory instanceof WebAssembly.Memory) {
        memory = instance.exports.memory;
      }
      return { instance, module: compiled };
    };
    WebAssembly.instantiate = /** @type {typeof WebAssembly.instantiate} */ (
      /** @type {unknown} */ (observed)
    );
    try {
      const provider = await initialize();
      if (memory === undefined) {
        throw new LibraryError("broken", "zokrates-js was not instantiated as expected", 0);
      }
      const options = /** @type {const} */ ({ backend, scheme: "g16", curve: "bn128" });
      return new Instance(provider.withOptions(options), memory);
    } catch (thrown) {
      throw thrown instanceof LibraryError ? thrown : nameOf(thrown, [], 0);
    } finally {
      WebAssembly.instantiate = instantiate;
    }
  }

  /** Bytes of the memory of WebAssembly, which never shrinks. */
  get memoryBytes() {
    return this.#memory.buffer.byteLength;
  }

  /** Whether it may be called: not after a trap, which leaves its memory in any state. */
  get usable() {
    return this.#usable;
  }

  /**
   * Calls the library. What it says on the console when it panics goes into the error.
   *
   * @template T
   * @param {(provider: Provider) => T} action
   * @returns {T}
   */
  call(action) {
    if (!this.#usable) {
      throw new LibraryError("broken", "the library broke in an earlier call", this.memoryBytes);
    }
    /** @type {string[]} */
    const said = [];
    const { error } = console;
    console.error = (...words) => void said.push(words.join(" "));
    try {
      return action(this.#provider);
    } catch (thrown) {
      if (thrown instanceof Rejection) {
        throw thrown; // It was thrown before the library was called.
      }
      const named = nameOf(thrown, said, this.memoryBytes);
      this.#usable = named.kind === "refused";
      throw named;
    } finally {
      console.error = error;
    }
  }
}

/**
 * What was thrown, with its kind. A panic of Rust says so on the console before it traps; an allocation
 * that fails traps without a word, and asks for at most half of the address space, so that none can fail
 * before the other half is taken.
 *
 * @param {unknown} thrown
 * @param {string[]} said
 * @param {number} memoryBytes
 * @returns {LibraryError}
 */
function nameOf(thrown, said, memoryBytes) {
  // The library's hook adds a stack of JavaScript to the words of a panic.
  const words = inOneLine(said.length > 0 ? said.join(" ").split(/\s+Stack:/u)[0] : thrown);
  if (thrown instanceof WebAssembly.RuntimeError) {
    // A vector longer than half of the address space is refused in these words before it is allocated.
    const exhausted =
      said.length > 0
        ? /capacity overflow/u.test(words)
        : words === "unreachable" && memoryBytes >= MEMORY_LIMIT / 2;
    return new LibraryError(exhausted ? "out-of-memory" : "broken", words, memoryBytes);
  }
  if (thrown instanceof RangeError && /call stack/u.test(words)) {
    return new LibraryError("broken", words, memoryBytes);
  }
  // V8 says so where it cannot copy what the library returns, or cannot make the memory itself.
  if (thrown instanceof RangeError || /out of memory|allocation failed/iu.test(words)) {
    return new LibraryError("out-of-memory", words, memoryBytes);
  }
  return new LibraryError("refused", words, memoryBytes);
}

/**
 * What went wrong as the failure of a request.
 *
 * @param {unknown} thrown
 * @param {import("./circuit.js").Circuit} circuit
 * @param {string} phase
 * @returns {unknown} a Failure, or what was thrown where the library has not thrown it
 */
export function failureOf(thrown, circuit, phase) {
  if (!(thrown instanceof LibraryError)) {
    return thrown;
  }
  const what = `${circuit.function} over ${circuit.bytes} bytes`;
  if (thrown.kind !== "out-of-memory") {
    const verb = thrown.kind === "broken" ? "broke" : "failed";
    return Failure.internal(`ZoKrates ${verb} in phase ${phase} of ${what}: ${thrown.message}`);
  }
  const mebibytes = (/** @type {number} */ bytes) => `${Math.round(bytes / 2 ** 20)} MiB`;
  return Failure.outOfMemory(
    `${what} ran out of memory in phase ${phase} with ${mebibytes(thrown.memoryBytes)} of at most` +
      ` ${mebibytes(MEMORY_LIMIT)} of WebAssembly's memory`,
  );
}

function readPackageVersion() {
  const file = new URL("package.json", import.meta.resolve("zokrates-js"));
  return String(JSON.parse(readFileSync(file, "utf8")).version);
}
