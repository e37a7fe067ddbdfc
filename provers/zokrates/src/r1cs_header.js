/**
 * The header of a constraint system in iden3's binary format
 * (https://github.com/iden3/r1csfile, doc/r1cs_bin_format.md).
 */

import { FIELD_ORDER } from "./field.js";

const HEADER_SECTION = 1;

/**
 * @typedef {object} R1csHeader
 * @property {number} wires variables with the constant one
 * @property {number} outputs
 * @property {number} publicInputs
 * @property {number} privateInputs
 * @property {number} constraints
 */

/**
 * The sections of a binary file of iden3 by their type: "r1cs" or "wtns", a version, their number, then
 * each with its type and length.
 *
 * @param {Uint8Array} file
 * @param {string} magic
 * @returns {Map<number, DataView>}
 */
export function sectionsOf(file, magic) {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (Buffer.from(file.subarray(0, 4)).toString("latin1") !== magic) {
    throw new Error(`the file does not begin with ${magic}`);
  }
  const sections = new Map();
  let position = 12;
  for (let left = view.getUint32(8, true); left > 0; left -= 1) {
    const length = Number(view.getBigUint64(position + 4, true));
    const start = file.byteOffset + position + 12;
    sections.set(view.getUint32(position, true), new DataView(file.buffer, start, length));
    position += 12 + length;
  }
  if (position !== file.byteLength) {
    throw new Error(`the sections of the file end at ${position}, the file at ${file.byteLength}`);
  }
  return sections;
}

/**
 * A little-endian integer of 32 bytes.
 *
 * @param {DataView} view
 * @param {number} position
 */
export function elementAt(view, position) {
  return [3, 2, 1, 0].reduce(
    (integer, word) => (integer << 64n) | view.getBigUint64(position + word * 8, true),
    0n,
  );
}

/**
 * @param {Uint8Array} file a constraint system over the scalar field of BN254
 * @returns {R1csHeader}
 */
export function readHeader(file) {
  const header = sectionsOf(file, "r1cs").get(HEADER_SECTION);
  if (header === undefined) {
    throw new Error("the constraint system has no header");
  }
  if (header.getUint32(0, true) !== 32 || elementAt(header, 4) !== FIELD_ORDER) {
    throw new Error("the constraint system is over another field");
  }
  return {
    wires: header.getUint32(36, true),
    outputs: header.getUint32(40, true),
    publicInputs: header.getUint32(44, true),
    privateInputs: header.getUint32(48, true),
    constraints: header.getUint32(60, true),
  };
}
