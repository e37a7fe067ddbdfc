/** Constraint systems and witnesses in iden3's binary formats, for tests: read, changed and evaluated. */

import { FIELD_ORDER } from "../src/field.js";
import { elementAt, readHeader, sectionsOf } from "../src/r1cs_header.js";

/** @typedef {[number, bigint][]} LinearCombination wires and their factors */

const CONSTRAINTS_SECTION = 2;
const VALUES_SECTION = 2;

/** A constraint system. */
export class R1cs {
  /** @param {Uint8Array} file */
  constructor(file) {
    this.header = readHeader(file);
    this.constraints = readConstraints(sectionsOf(file, "r1cs").get(CONSTRAINTS_SECTION));
    if (this.constraints.length !== this.header.constraints) {
      throw new Error("the header counts other constraints than there are");
    }
  }

  /**
   * Positions of the constraints that a witness does not satisfy.
   *
   * @param {readonly bigint[]} witness
   */
  violated(witness) {
    const value = (/** @type {LinearCombination} */ combination) =>
      combination.reduce((sum, [wire, factor]) => sum + factor * (witness[wire] ?? 0n), 0n);
    return this.constraints.flatMap(([a, b, c], position) =>
      (value(a) * value(b) - value(c)) % FIELD_ORDER === 0n ? [] : [position],
    );
  }

  /** Wires w with a constraint w * (1 - w) = 0 or one that says the same. */
  booleanWires() {
    return this.constraints.flatMap((constraint) => {
      const wires = new Set(constraint.flat().map(([wire]) => wire));
      wires.delete(0);
      const [wire = 0] = wires;
      return wires.size === 1 && this.#holdsForBitsAlone(constraint, wire) ? [wire] : [];
    });
  }

  /**
   * A quadratic equation in one wire that 0 and 1 solve has no other solution.
   *
   * @param {LinearCombination[]} constraint
   * @param {number} wire
   */
  #holdsForBitsAlone([a = [], b = [], c = []], wire) {
    const at = (/** @type {LinearCombination} */ one, /** @type {bigint} */ x) =>
      one.reduce((sum, [position, factor]) => sum + factor * (position === wire ? x : 1n), 0n);
    return [0n, 1n, 2n]
      .map((x) => (at(a, x) * at(b, x) - at(c, x)) % FIELD_ORDER === 0n)
      .every((holds, x) => holds === x < 2);
  }
}

/**
 * @param {DataView | undefined} section
 * @returns {[LinearCombination, LinearCombination, LinearCombination][]}
 */
function readConstraints(section) {
  if (section === undefined) {
    throw new Error("the constraint system has no constraints");
  }
  let position = 0;
  const combination = () => {
    /** @type {LinearCombination} */
    const terms = [];
    const count = section.getUint32(position, true);
    position += 4;
    for (let term = 0; term < count; term += 1) {
      terms.push([section.getUint32(position, true), elementAt(section, position + 4)]);
      position += 36;
    }
    return terms;
  };
  /** @type {[LinearCombination, LinearCombination, LinearCombination][]} */
  const constraints = [];
  while (position < section.byteLength) {
    constraints.push([combination(), combination(), combination()]);
  }
  return constraints;
}

/**
 * The values of all wires.
 *
 * @param {Uint8Array} file
 * @returns {bigint[]}
 */
export function readWitness(file) {
  const values = sectionsOf(file, "wtns").get(VALUES_SECTION);
  if (values === undefined) {
    throw new Error("the witness has no values");
  }
  return Array.from({ length: values.byteLength / 32 }, (_, wire) => elementAt(values, wire * 32));
}
