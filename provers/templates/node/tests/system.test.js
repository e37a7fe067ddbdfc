import assert from "node:assert/strict";
import test from "node:test";

import { descriptionFaults } from "../../../protocol-js/src/description.js";
import { MEASURED } from "../src/system.js";

test("the description has no faults", () => {
  assert.deepEqual(descriptionFaults(MEASURED.description), []);
});
