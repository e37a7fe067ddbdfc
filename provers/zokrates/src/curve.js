/**
 * Whether points are what a verifier may compute with: on BN254, and in the subgroup of prime order.
 *
 * The back end `ark` looks at neither (`to_g1` and `to_g2` of ZoKrates, `zokrates_ark/src/lib.rs`, read
 * coordinates alone), so the runner does. All of G1 is of prime order; for G2, psi(Q) = [6x^2]Q holds
 * in the subgroup and nowhere else (as in gnark-crypto, `ecc/bn254/g2.go`, `IsInSubGroup`), where x is the
 * parameter of the curve.
 */

/** Order of the field of the coordinates. */
export const COORDINATE_ORDER =
  21888242871839275222246405745257275088696311157297823662689037894645226208583n;

/** @typedef {readonly [bigint, bigint]} Fp2 a + b * u with u^2 = -1 */
/** @typedef {readonly [bigint, bigint]} G1 coordinates */
/** @typedef {readonly [Fp2, Fp2]} G2 coordinates */
/** @typedef {readonly [Fp2, Fp2, Fp2]} Jacobian x / z^2 and y / z^3; z is zero at infinity */

const P = COORDINATE_ORDER;

/** The curve's parameter and what the endomorphism multiplies by. */
const PARAMETER = 4965661367192848881n;
const EIGENVALUE = 6n * PARAMETER * PARAMETER;

/** @type {Fp2} */
const ZERO = [0n, 0n];
/** @type {Fp2} */
const ONE = [1n, 0n];
/** @type {Fp2} what the twist divides by, of order 6 */
const XI = [9n, 1n];

/** @type {Fp2} 3 / XI */
const TWIST_B = multiply([3n, 0n], inverse(XI));

/** Factors of psi: XI^((p - 1) / 3) and XI^((p - 1) / 2). */
const PSI_X = power(XI, (P - 1n) / 3n);
const PSI_Y = power(XI, (P - 1n) / 2n);

/**
 * Whether coordinates below the order are a point of G1, which infinity has none of.
 *
 * @param {G1} point
 */
export function isInG1([x, y]) {
  return (y * y - x * x * x - 3n) % P === 0n;
}

/**
 * Whether coordinates below the order are a point of G2, which infinity has none of.
 *
 * @param {G2} point
 */
export function isInG2([x, y]) {
  const right = add(multiply(multiply(x, x), x), TWIST_B);
  return equal(multiply(y, y), right) && isOfPrimeOrder([x, y]);
}

/**
 * Whether a point of the twist is in the subgroup of prime order.
 *
 * @param {G2} point
 */
function isOfPrimeOrder([x, y]) {
  const image = [multiply(conjugate(x), PSI_X), multiply(conjugate(y), PSI_Y)];
  const [multipleX, multipleY, z] = multipleOf([x, y], EIGENVALUE);
  const z2 = multiply(z, z);
  const [imageX = ZERO, imageY = ZERO] = image;
  return (
    !equal(z, ZERO) &&
    equal(multipleX, multiply(imageX, z2)) &&
    equal(multipleY, multiply(imageY, multiply(z2, z)))
  );
}

/**
 * @param {G2} point
 * @param {bigint} scalar at least 1
 * @returns {Jacobian}
 */
function multipleOf([x, y], scalar) {
  /** @type {Jacobian} */
  let sum = [x, y, ONE];
  for (const bit of scalar.toString(2).slice(1)) {
    sum = doubled(sum);
    if (bit === "1") {
      sum = plus(sum, [x, y]);
    }
  }
  return sum;
}

/**
 * Twice a point, with a = 0 in the curve's equation.
 *
 * @param {Jacobian} point
 * @returns {Jacobian}
 */
function doubled([x, y, z]) {
  const y2 = multiply(y, y);
  const s = times(multiply(x, y2), 4n);
  const m = times(multiply(x, x), 3n);
  const x3 = subtract(multiply(m, m), times(s, 2n));
  const y3 = subtract(multiply(m, subtract(s, x3)), times(multiply(y2, y2), 8n));
  return [x3, y3, times(multiply(y, z), 2n)];
}

/**
 * The sum of a point and one with coordinates.
 *
 * @param {Jacobian} left
 * @param {G2} right
 * @returns {Jacobian}
 */
function plus([x1, y1, z1], [x2, y2]) {
  if (equal(z1, ZERO)) {
    return [x2, y2, ONE];
  }
  const z1z1 = multiply(z1, z1);
  const h = subtract(multiply(x2, z1z1), x1);
  const r = subtract(multiply(y2, multiply(z1z1, z1)), y1);
  if (equal(h, ZERO)) {
    return equal(r, ZERO) ? doubled([x1, y1, z1]) : [ONE, ONE, ZERO];
  }
  const h2 = multiply(h, h);
  const h3 = multiply(h2, h);
  const v = multiply(x1, h2);
  const x3 = subtract(subtract(multiply(r, r), h3), times(v, 2n));
  const y3 = subtract(multiply(r, subtract(v, x3)), multiply(y1, h3));
  return [x3, y3, multiply(z1, h)];
}

/**
 * @param {bigint} integer
 * @returns {bigint}
 */
function reduced(integer) {
  const rest = integer % P;
  return rest < 0n ? rest + P : rest;
}

/**
 * @param {Fp2} left
 * @param {Fp2} right
 * @returns {Fp2}
 */
function multiply([a, b], [c, d]) {
  return [reduced(a * c - b * d), reduced(a * d + b * c)];
}

/**
 * @param {Fp2} left
 * @param {Fp2} right
 * @returns {Fp2}
 */
function add([a, b], [c, d]) {
  return [reduced(a + c), reduced(b + d)];
}

/**
 * @param {Fp2} left
 * @param {Fp2} right
 * @returns {Fp2}
 */
function subtract([a, b], [c, d]) {
  return [reduced(a - c), reduced(b - d)];
}

/**
 * @param {Fp2} element
 * @param {bigint} factor
 * @returns {Fp2}
 */
function times([a, b], factor) {
  return [reduced(a * factor), reduced(b * factor)];
}

/**
 * @param {Fp2} element
 * @returns {Fp2}
 */
function conjugate([a, b]) {
  return [a, reduced(-b)];
}

/**
 * @param {Fp2} left
 * @param {Fp2} right
 */
function equal([a, b], [c, d]) {
  return a === c && b === d;
}

/**
 * @param {Fp2} base
 * @param {bigint} exponent
 * @returns {Fp2}
 */
function power(base, exponent) {
  let result = ONE;
  for (const bit of exponent.toString(2)) {
    result = multiply(result, result);
    result = bit === "1" ? multiply(result, base) : result;
  }
  return result;
}

/**
 * By Fermat: the inverse of the norm is its power p - 2.
 *
 * @param {Fp2} element
 * @returns {Fp2}
 */
function inverse([a, b]) {
  const [inverseOfNorm] = power([reduced(a * a + b * b), 0n], P - 2n);
  return [reduced(a * inverseOfNorm), reduced(-b * inverseOfNorm)];
}
