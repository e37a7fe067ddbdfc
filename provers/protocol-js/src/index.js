/**
 * The runner protocol of nizk-bench (PROTOCOL.md) for JavaScript: messages, loop, clock, peak memory,
 * CPU time, seeds and errors. A runner implements System, Session and Verifier (system.js) for its
 * circuit and hands them to main.
 */

export { complain, main, USAGE } from "./command.js";
export { Configuration } from "./configuration.js";
export { descriptionFaults } from "./description.js";
export { Failure, inOneLine, Rejection } from "./failure.js";
export { linesOf, TOO_LONG } from "./lines.js";
export { PublicInput } from "./public_input.js";
export { Output } from "./record.js";
export { Seed } from "./seed.js";
export { ACCEPTED, rejected } from "./system.js";
