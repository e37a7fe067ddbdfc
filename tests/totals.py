"""Sum up what the test runners of four languages said, as `just test` does at its end."""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

CARGO_RESULT = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored", re.M)
NODE_RESULT = re.compile(r"^# (pass|fail|cancelled|skipped|todo) (\d+)$", re.M)
GO_RESULT = re.compile(r"^--- (PASS|FAIL|SKIP): ", re.M)
GO_BROKEN_PACKAGE = re.compile(r"^FAIL\t\S+ \[(?:build|setup) failed\]", re.M)


@dataclass(frozen=True)
class Totals:
    """How many tests ended in which way."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    @property
    def run(self) -> int:
        """Tests that were carried out."""
        return self.passed + self.failed

    def __add__(self, other: Totals) -> Totals:
        return Totals(
            self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped
        )

    def __str__(self) -> str:
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"{self.passed} passed, {self.failed} failed{skipped}"


def of_pytest(junit: str) -> Totals:
    """Read pytest's JUnit XML; an error in a fixture or while collecting is a failure."""
    totals = Totals()
    for case in ET.fromstring(junit).iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            totals += Totals(failed=1)
        elif case.find("skipped") is not None:
            totals += Totals(skipped=1)
        else:
            totals += Totals(passed=1)
    return totals


def of_cargo(output: str) -> Totals:
    """Read the closing lines of cargo's test programs; one that ends without is a failure."""
    totals = Totals()
    for passed, failed, ignored in CARGO_RESULT.findall(output):
        totals += Totals(int(passed), int(failed), int(ignored))
    broken = re.search(r"^error(\[E\d+\])?: (?!test failed|\d+ target)", output, re.M)
    return totals + Totals(failed=1 if broken else 0)


def of_go(output: str) -> Totals:
    """Read `go test -v`: its top-level tests, and packages that did not build."""
    endings = GO_RESULT.findall(output)
    return Totals(
        endings.count("PASS"),
        endings.count("FAIL") + len(GO_BROKEN_PACKAGE.findall(output)),
        endings.count("SKIP"),
    )


def of_node(output: str) -> Totals:
    """Read the closing lines of `node --test --test-reporter=tap`; without them it broke off."""
    counts = dict(NODE_RESULT.findall(output))
    if "pass" not in counts or "fail" not in counts:
        return Totals(failed=1)
    return Totals(
        int(counts["pass"]),
        int(counts["fail"]) + int(counts.get("cancelled", 0)),
        int(counts.get("skipped", 0)) + int(counts.get("todo", 0)),
    )


SUITES = {"cargo.txt": of_cargo, "go.txt": of_go, "node.txt": of_node, "pytest.xml": of_pytest}


def main(results: Path) -> int:
    """Print the sum of the suites in `results`; 1 if a test failed or a suite ran none."""
    total = Totals()
    silent = []
    for name, read in SUITES.items():
        path = results / name
        suite = read(path.read_text(encoding="utf-8")) if path.exists() else Totals()
        print(f"{Path(name).stem}: {suite}")
        if suite.run == 0:
            silent.append(Path(name).stem)
        total += suite
    for name in silent:
        print(f"error: {name} ran no test; its output in {results} says why.", file=sys.stderr)
    total += Totals(failed=len(silent))
    (results / "totals.txt").write_text(f"{total}\n", encoding="utf-8")
    print(total)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
