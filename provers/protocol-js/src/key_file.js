/**
 * The file of a verifying key: 32 bytes that bind it to system, variant and size, then the library's
 * own bytes.
 */

import { createHash } from "node:crypto";

import { Rejection } from "./failure.js";

/** @typedef {import("./configuration.js").Configuration} Configuration */

/** Bytes of the header. */
export const HEADER_BYTES = 32;

/**
 * SHA-256 over `"nizk-bench/v1/key" ‖ 0 ‖ system ‖ 0 ‖ canonical variant ‖ 0 ‖ LE64(size)`; the
 * statement has no constants.
 *
 * @param {Configuration} configuration
 * @returns {Buffer}
 */
export function headerOf(configuration) {
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(configuration.size));
  const { system } = configuration;
  const names = `nizk-bench/v1/key\0${system}\0${configuration.canonicalVariant()}\0`;
  return createHash("sha256").update(names).update(size).digest();
}

/**
 * A key file as it is written.
 *
 * @param {Configuration} configuration
 * @param {Uint8Array} libraryBytes
 */
export function composeKeyFile(configuration, libraryBytes) {
  return Buffer.concat([headerOf(configuration), libraryBytes]);
}

/**
 * The library's bytes of a key file that belongs to a configuration.
 *
 * @param {Uint8Array} file
 * @param {Configuration} configuration
 */
export function openKeyFile(file, configuration) {
  if (file.length < HEADER_BYTES) {
    throw new Rejection(
      `the verifying key has ${file.length} bytes, its header alone has ${HEADER_BYTES}`,
    );
  }
  if (!headerOf(configuration).equals(file.subarray(0, HEADER_BYTES))) {
    throw new Rejection("the verifying key belongs to another system, variant or size");
  }
  return file.subarray(HEADER_BYTES);
}
