import { main } from "nizk-protocol";

import { circuitCommand, witnessCommand } from "./commands.js";
import { PACKAGE_VERSION } from "./library.js";
import { ZOKRATES } from "./system.js";

process.exitCode = await main(
  {
    name: "zokrates",
    library: { name: "zokrates-js", version: PACKAGE_VERSION },
    build: {
      target: "wasm32-unknown-unknown",
      profile: "release",
      features: [`node ${process.version}`, ...process.execArgv],
      target_cpu: "generic",
    },
    systems: [ZOKRATES],
    commands: { circuit: circuitCommand, witness: witnessCommand },
  },
  process.argv.slice(2),
);
