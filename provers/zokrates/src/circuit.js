/**
 * The circuits of `hash-preimage` in ZoKrates' language, each for one function and number of bytes, from
 * the standard library that zokrates-js carries. The README says why each is written as it is.
 *
 * A circuit's public input is what it returns: two elements for a digest of bytes, one for a digest
 * that is an element. Its message is private.
 */

import { createHash } from "node:crypto";

import { Failure } from "nizk-protocol";

import {
  BYTES_OF_ELEMENT,
  elementsOf,
  FUNCTIONS,
  functionOf,
  POSEIDON_FIRST,
  POSEIDON_NEXT,
} from "./functions.js";

/** Bytes that one permutation of SHA3-256 absorbs: 200 - 2 * 32 (FIPS 202, section 6.1). */
const SHA3_RATE = 136;

/** Bytes of a block of SHA-256 and of BLAKE2s. */
const BLOCK = 64;

/**
 * What a circuit is made for.
 *
 * @typedef {object} Circuit
 * @property {string} function one of the names of FUNCTIONS
 * @property {number} bytes length of the message
 * @property {"bytes" | "elements"} message in what form the message enters the circuit
 * @property {"embedded" | "standard-library"} gadget sha256 alone: the compression function that the
 *   compiler embeds, or the standard library's own hash of bytes
 */

/** Sizes that the statement has (STATEMENTS.md). */
export const MOST_BYTES = 4096;

/**
 * A circuit that exists, from what somebody asks for; else throws a Failure that names what is wrong.
 *
 * @param {string} name
 * @param {number} bytes
 * @param {string} message
 * @param {string} [gadget]
 * @returns {Circuit}
 */
export function circuitOf(name, bytes, message, gadget = "embedded") {
  const names = FUNCTIONS.map((one) => one.name);
  if (!names.includes(name)) {
    throw wrong("function", name, names.join(", "));
  }
  if (!Number.isInteger(bytes) || bytes < 1 || bytes > MOST_BYTES) {
    throw wrong("bytes", bytes, `an integer from 1 to ${MOST_BYTES}`);
  }
  if (message !== "bytes" && message !== "elements") {
    throw wrong("message", message, "bytes, elements");
  }
  if (gadget !== "embedded" && gadget !== "standard-library") {
    throw wrong("gadget", gadget, "embedded, standard-library");
  }
  if (gadget === "standard-library" && name !== "sha256") {
    throw Failure.unsupported(
      "standard-library-gadget-is-of-sha256",
      "variant.gadget",
      `variant.gadget is standard-library, supported with function ${name} is embedded`,
    );
  }
  if (message === "elements" && functionOf(name).over === "bytes") {
    throw Failure.unsupported(
      "elements-need-a-function-over-a-field",
      "variant.message",
      `variant.message is elements, supported with function ${name}, which hashes bytes, is bytes`,
    );
  }
  return { function: name, bytes, message, gadget };
}

/**
 * @param {string} member
 * @param {unknown} value
 * @param {string} legal
 */
function wrong(member, value, legal) {
  return Failure.invalidRequest(member, `${member} is ${JSON.stringify(value)}, legal is ${legal}`);
}

/** Half of a digest as an element, from bytes. */
const HALF_OF_BYTES = `
def half(u8[16] bytes) -> field {
    bool[128] mut bits = [false; 128];
    for u32 i in 0..16 {
        bool[8] byte = u8_to_bits(bytes[i]);
        for u32 j in 0..8 {
            bits[i * 8 + j] = byte[j];
        }
    }
    return pack128(bits);
}
`;

/** Bytes as a big-endian integer. */
const ELEMENT_OF_BYTES = `
import "utils/casts/u8_to_field";

def element<N>(u8[N] bytes) -> field {
    field mut integer = 0;
    for u32 i in 0..N {
        integer = integer * 256 + u8_to_field(bytes[i]);
    }
    return integer;
}
`;

/**
 * The source of a circuit.
 *
 * @param {Circuit} circuit
 * @returns {string}
 */
export function sourceOf(circuit) {
  return sourceByFunction(circuit).trimStart();
}

/**
 * SHA-256 of the source, 64 hexadecimal digits: what a compiled circuit is known by.
 *
 * @param {Circuit} circuit
 * @returns {string}
 */
export function fingerprintOf(circuit) {
  return createHash("sha256").update(sourceOf(circuit)).digest("hex");
}

/**
 * The arguments of a circuit for a message: arrays of decimal numbers.
 *
 * @param {Circuit} circuit
 * @param {Uint8Array} message
 * @returns {string[][]}
 */
export function argumentsOf(circuit, message) {
  const bytes = circuit.message === "bytes" ? [Array.from(message, String)] : [];
  const elements =
    functionOf(circuit.function).over === "elements" ? [elementsOf(message).map(String)] : [];
  return [...bytes, ...elements];
}

/** @param {Circuit} circuit */
function sourceByFunction(circuit) {
  switch (circuit.function) {
    case "sha256":
      return circuit.gadget === "embedded"
        ? sha256(circuit.bytes)
        : sha256OfTheLibrary(circuit.bytes);
    case "sha3-256":
      return sha3(circuit.bytes);
    case "blake2s":
      return blake2s(circuit.bytes);
    case "mimc-sponge":
      return overElements(circuit, "hashes/mimcSponge/mimcFeistel", mimcSpongeChain);
    case "mimc-7":
      return overElements(circuit, "hashes/mimc7/mimc7", mimc7Chain);
    case "poseidon":
      return overElements(circuit, "hashes/poseidon/poseidon", poseidonChain);
    default:
      throw new Error(`there is no circuit for ${circuit.function}`);
  }
}

/**
 * The compression function as the compiler embeds it, with the padding of FIPS 180-4, section 5.1.1,
 * around the message: a one, zeros, and the length in bits.
 *
 * @param {number} bytes
 */
function sha256(bytes) {
  const blocks = Math.floor((bytes + 8) / BLOCK) + 1;
  const bits = blocks * BLOCK * 8;
  const zeros = bits - bytes * 8 - 1 - 32;
  return `
import "hashes/sha256/embed/shaRoundNoBoolCheck" as compress;
import "hashes/sha256/embed/IVconstants" as start;
import "utils/casts/u8_to_bits";
import "utils/casts/u32_to_bits";
import "utils/pack/bool/pack128";

def main(private u8[${bytes}] message) -> field[2] {
    bool[${bits}] mut bits = [...[false; ${bytes * 8}], true, ...[false; ${zeros}], ...u32_to_bits(${bytes * 8})];
    for u32 i in 0..${bytes} {
        // compress takes any element for a bit; these are bits of a u8, which main checks.
        bool[8] byte = u8_to_bits(message[i]);
        for u32 j in 0..8 {
            bits[i * 8 + j] = byte[j];
        }
    }
    bool[256] mut state = start();
    for u32 i in 0..${blocks} {
        state = compress(bits[i * 512..i * 512 + 256], bits[i * 512 + 256..i * 512 + 512], state);
    }
    return [pack128(state[0..128]), pack128(state[128..256])];
}
`;
}

/**
 * The standard library's hash of bytes, padding included: what earlier work measured. Its sums of bits
 * become longer with every addition, so that constraints stay about as many and their terms do not.
 *
 * @param {number} bytes
 */
function sha256OfTheLibrary(bytes) {
  return `
import "hashes/sha256/sha256Padded" as sha256Padded;
import "utils/pack/u32/pack128";

def main(private u8[${bytes}] message) -> field[2] {
    u32[8] digest = sha256Padded(message);
    return [pack128(digest[0..4]), pack128(digest[4..8])];
}
`;
}

/**
 * The sponge of FIPS 202, one permutation a block, around the permutation of the standard library.
 *
 * @param {number} bytes
 */
function sha3(bytes) {
  const blocks = Math.floor(bytes / SHA3_RATE) + 1;
  const padded = blocks * SHA3_RATE;
  return `
from "hashes/keccak/keccak" import keccakf, from_bytes, to_bytes;
import "utils/casts/u8_to_bits";
import "utils/pack/bool/pack128";
${HALF_OF_BYTES}
def main(private u8[${bytes}] message) -> field[2] {
    u8[${padded}] mut padded = [...message, ...[0u8; ${padded - bytes}]];
    padded[${bytes}] = padded[${bytes}] ^ 0x06;
    padded[${padded - 1}] = padded[${padded - 1}] ^ 0x80;
    u8[200] mut state = [0u8; 200];
    for u32 i in 0..${blocks} {
        for u32 j in 0..${SHA3_RATE} {
            state[j] = state[j] ^ padded[i * ${SHA3_RATE} + j];
        }
        state = to_bytes(keccakf(from_bytes(state)));
    }
    return [half(state[0..16]), half(state[16..32])];
}
`;
}

/**
 * BLAKE2s of RFC 7693, section 3.3, around the compression function of the standard library: the last
 * block is filled with zeros and counts the bytes of the message alone.
 *
 * @param {number} bytes
 */
function blake2s(bytes) {
  const blocks = Math.ceil(bytes / BLOCK);
  return `
from "hashes/blake2/blake2s_p" import blake2s_compression, swap_u32;
import "utils/casts/u8_to_bits";
import "utils/casts/u32_from_bits";
import "utils/pack/u32/pack128";

// The initial state, the first word with the parameters: no key, a digest of 32 bytes.
const u32[8] START = [
    0x6A09E667 ^ 0x01010020, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A,
    0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19
];

def word(u8[4] bytes) -> u32 {
    return u32_from_bits([
        ...u8_to_bits(bytes[3]), ...u8_to_bits(bytes[2]), ...u8_to_bits(bytes[1]), ...u8_to_bits(bytes[0])
    ]);
}

def main(private u8[${bytes}] message) -> field[2] {
    u8[${blocks * BLOCK}] padded = [...message, ...[0u8; ${blocks * BLOCK - bytes}]];
    u32[8] mut state = START;
    for u32 i in 0..${blocks} {
        u32[16] mut words = [0u32; 16];
        for u32 j in 0..16 {
            words[j] = word(padded[i * 64 + j * 4..i * 64 + j * 4 + 4]);
        }
        bool last = i == ${blocks - 1};
        u32 count = last ? ${bytes} : (i + 1) * 64;
        state = blake2s_compression(state, words, [count, 0], last);
    }
    for u32 i in 0..8 {
        state[i] = swap_u32(state[i]);
    }
    return [pack128(state[0..4]), pack128(state[4..8])];
}
`;
}

/**
 * A function over elements: the message as elements, then the chain. Under `message=bytes` the elements
 * are arguments as well, and are shown to be composed of the bytes: an element that were a sum of its
 * bits would stand with all of them in every constraint after it.
 *
 * @param {Circuit} circuit
 * @param {string} library where its permutation is
 * @param {(elements: number) => string} chain statements that take the elements e and return the digest
 */
function overElements(circuit, library, chain) {
  const elements = Math.ceil(circuit.bytes / BYTES_OF_ELEMENT);
  if (circuit.message === "elements") {
    return `
import "${library}" as permutation;

def main(private field[${elements}] e) -> field {
${chain(elements)}
}
`;
  }
  const whole = (elements - 1) * BYTES_OF_ELEMENT;
  return `
import "${library}" as permutation;
${ELEMENT_OF_BYTES}
def main(private u8[${circuit.bytes}] message, private field[${elements}] e) -> field {
    for u32 i in 0..${elements - 1} {
        assert(e[i] == element(message[i * ${BYTES_OF_ELEMENT}..(i + 1) * ${BYTES_OF_ELEMENT}]));
    }
    assert(e[${elements - 1}] == element(message[${whole}..${circuit.bytes}]));
${chain(elements)}
}
`;
}

/** @param {number} elements */
function mimcSpongeChain(elements) {
  return `    field[2] mut state = [0, 0];
    for u32 i in 0..${elements} {
        state = permutation(state[0] + e[i], state[1], 0);
    }
    return state[0];`;
}

/** @param {number} elements */
function mimc7Chain(elements) {
  return `    field mut r = 0;
    for u32 i in 0..${elements} {
        r = r + e[i] + permutation::<91>(e[i], r);
    }
    return r;`;
}

/** @param {number} elements */
function poseidonChain(elements) {
  const lines = [`    field mut state = permutation(e[0..${Math.min(POSEIDON_FIRST, elements)}]);`];
  for (let start = POSEIDON_FIRST; start < elements; start += POSEIDON_NEXT) {
    const end = Math.min(start + POSEIDON_NEXT, elements);
    lines.push(`    state = permutation([state, ...e[${start}..${end}]]);`);
  }
  return [...lines, "    return state;"].join("\n");
}
