"""The sum at the end of `just test` is right, and cannot be green for the wrong reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.totals import Totals, main, of_cargo, of_go, of_pytest

CARGO = """
running 3 tests
test proof::accepts ... ok
test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.10s
test result: FAILED. 4 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s
error: test failed, to rerun pass `-p nizk-bellman --lib`
"""
GO = """
=== RUN   TestProof
=== RUN   TestProof/bn254
    --- PASS: TestProof/bn254 (0.01s)
--- PASS: TestProof (0.01s)
--- SKIP: TestLong (0.00s)
--- FAIL: TestTamper (0.00s)
FAIL
FAIL\tnizk-bench/provers/gnark [build failed]
"""
JUNIT = """<testsuites><testsuite>
<testcase name="a"/><testcase name="b"><failure/></testcase>
<testcase name="c"><error/></testcase><testcase name="d"><skipped/></testcase>
</testsuite></testsuites>"""


def test_each_language_is_counted() -> None:
    assert of_cargo(CARGO) == Totals(6, 1, 1)
    assert of_go(GO) == Totals(1, 2, 1)
    assert of_pytest(JUNIT) == Totals(1, 2, 1)


def test_code_that_does_not_compile_is_a_failure() -> None:
    assert of_cargo("error[E0425]: cannot find value `x`\nerror: could not compile `a`").failed == 1


def write(results: Path, cargo: str, go: str, junit: str) -> None:
    (results / "cargo.txt").write_text(cargo)
    (results / "go.txt").write_text(go)
    (results / "pytest.xml").write_text(junit)


def test_sum_closes_the_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    passing = '<testsuites><testsuite><testcase name="a"/></testsuite></testsuites>'
    write(tmp_path, "test result: ok. 2 passed; 0 failed; 0 ignored;", "--- PASS: A", passing)
    assert main(tmp_path) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "4 passed, 0 failed"
    assert (tmp_path / "totals.txt").read_text() == "4 passed, 0 failed\n"


@pytest.mark.parametrize("silent", ["cargo.txt", "go.txt", "pytest.xml"])
def test_suite_that_ran_nothing_is_a_failure(tmp_path: Path, silent: str) -> None:
    passing = '<testsuites><testsuite><testcase name="a"/></testsuite></testsuites>'
    write(tmp_path, "test result: ok. 2 passed; 0 failed; 0 ignored;", "--- PASS: A", passing)
    (tmp_path / silent).unlink()
    assert main(tmp_path) == 1
