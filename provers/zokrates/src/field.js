/** The scalar field of BN254, in which ZoKrates' circuits live. */

/** Its order. */
export const FIELD_ORDER =
  21888242871839275222246405745257275088548364400416034343698204186575808495617n;

/**
 * Bytes as an unsigned big-endian integer.
 *
 * @param {Uint8Array} bytes
 * @returns {bigint}
 */
export function integerOf(bytes) {
  return BigInt(`0x${Buffer.from(bytes).toString("hex") || "0"}`);
}

/**
 * An integer below 2^256 as 32 big-endian bytes.
 *
 * @param {bigint} integer
 * @returns {Uint8Array}
 */
export function bytesOf(integer) {
  return Uint8Array.from(Buffer.from(integer.toString(16).padStart(64, "0"), "hex"));
}
