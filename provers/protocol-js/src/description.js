/** What a runner says about itself: the ground on which every request is judged. */

/** @typedef {"compile" | "setup" | "witness" | "prove" | "verify"} Phase */

/**
 * The phases of the protocol, in the order in which they happen.
 *
 * @type {readonly Phase[]}
 */
export const PHASES = ["compile", "setup", "witness", "prove", "verify"];

/**
 * One system: library, version, scheme, field or curve. The members are those of PROTOCOL.md.
 *
 * @typedef {object} SystemDescription
 * @property {string} system
 * @property {string} scheme
 * @property {string | null} curve
 * @property {{ name: string, modulus: string, bits: number }} field
 * @property {object} properties
 * @property {{ phase: Phase, includes: Phase[] }[]} phases
 * @property {{ phase: Phase, reason: string }[]} absent_phases
 * @property {{ minimum: number, maximum: number | null, how: string }} threads
 * @property {"constant" | "varies"} proof_size
 * @property {StatementDescription[]} statements
 * @property {OptionDescription[]} options
 * @property {{ where: string, bits: number[], reason: string }[]} malleable
 */

/**
 * @typedef {object} StatementDescription
 * @property {string} statement
 * @property {{ name: string, minimum: number, maximum: number, rule: "any" }} size
 * @property {VariantDescription[]} variants
 * @property {{ variant: Record<string, string>, check: string, reason: string }[]} unsound
 */

/** @typedef {{ name: string, values: string[], default: string }} VariantDescription */

/**
 * @typedef {object} IntegerOption
 * @property {string} name
 * @property {"integer"} type
 * @property {number} minimum
 * @property {number} maximum
 * @property {number[]} [values] the only legal ones; every one of the range where missing
 * @property {number} default
 * @property {string} help
 */

/**
 * @typedef {object} ChoiceOption
 * @property {string} name
 * @property {"choice"} type
 * @property {string[]} values
 * @property {string} default
 * @property {string} help
 */

/** @typedef {IntegerOption | ChoiceOption} OptionDescription */

/**
 * Whether the system times a phase by itself.
 *
 * @param {SystemDescription} description
 * @param {Phase} phase
 */
export function times(description, phase) {
  return description.phases.some((timed) => timed.phase === phase);
}

/**
 * What is wrong with a description; empty for a good one. Meant for the tests of a runner.
 *
 * @param {SystemDescription} description
 * @returns {string[]}
 */
export function descriptionFaults(description) {
  const { statements, options, field } = description;
  const faults = PHASES.filter((phase) => placesOf(description, phase) !== 1).map(
    (phase) => `phase ${phase} has not exactly one place`,
  );
  faults.push(...doubled(options).map((name) => `option ${name} occurs twice`));
  for (const option of options.filter((one) => !defaultIsLegal(one))) {
    faults.push(`the default of option ${option.name} is not legal`);
  }
  for (const { variants, unsound } of statements) {
    faults.push(...doubled(variants).map((name) => `variant ${name} occurs twice`));
    for (const variant of variants.filter((one) => !one.values.includes(one.default))) {
      faults.push(`the default of variant ${variant.name} is not legal`);
    }
    for (const [name, value] of unsound.flatMap((one) => Object.entries(one.variant))) {
      if (!variants.some((one) => one.name === name && one.values.includes(value))) {
        faults.push(`unsound variant ${name}=${value} does not exist`);
      }
    }
  }
  if (!/^0x[1-9a-f][0-9a-f]{0,63}$/u.test(field.modulus)) {
    faults.push("the field's modulus is not in canonical hexadecimal");
  }
  return faults;
}

/**
 * In how many places a phase stands; being included in several others is one.
 *
 * @param {SystemDescription} description
 * @param {Phase} phase
 */
function placesOf(description, phase) {
  const timed = description.phases.filter((one) => one.phase === phase).length;
  const absent = description.absent_phases.filter((one) => one.phase === phase).length;
  const included = description.phases.some((one) => one.includes.includes(phase));
  return timed + absent + (included ? 1 : 0);
}

/** @param {OptionDescription} option */
function defaultIsLegal(option) {
  if (option.type === "choice") {
    return option.values.includes(option.default);
  }
  return isLegalInteger(option, option.default);
}

/**
 * Whether an integer option may have a value.
 *
 * @param {IntegerOption} option
 * @param {number} value
 */
export function isLegalInteger(option, value) {
  const inRange = value >= option.minimum && value <= option.maximum;
  return inRange && (option.values?.includes(value) ?? true);
}

/** @param {readonly { name: string }[]} named */
function doubled(named) {
  const names = named.map((one) => one.name);
  return names.filter((name, position) => names.indexOf(name) !== position);
}
