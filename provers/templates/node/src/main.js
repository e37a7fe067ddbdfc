import { main } from "../../../protocol-js/src/index.js";

import { MEASURED } from "./system.js";

process.exitCode = await main(
  {
    name: "newcomer",
    library: { name: "newcomer", version: "0.0.0" },
    build: {
      target: "javascript",
      profile: "release",
      features: [`node ${process.version}`, ...process.execArgv],
      target_cpu: "generic",
    },
    systems: [MEASURED],
  },
  process.argv.slice(2),
);
