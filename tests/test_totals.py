"""The sum at the end of `just test` is right, and cannot be green for the wrong reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.totals import Totals, main, of_cargo, of_go, of_node, of_pytest

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
NODE = """
not ok 3 - a digest is hexadecimal
1..3
# tests 5
# suites 0
# pass 2
# fail 1
# cancelled 1
# skipped 1
# todo 0
"""
JUNIT = """<testsuites><testsuite>
<testcase name="a"/><testcase name="b"><failure/></testcase>
<testcase name="c"><error/></testcase><testcase name="d"><skipped/></testcase>
</testsuite></testsuites>"""


def test_each_language_is_counted() -> None:
    assert of_cargo(CARGO) == Totals(6, 1, 1)
    assert of_go(GO) == Totals(1, 2, 1)
    assert of_node(NODE) == Totals(2, 2, 1)
    assert of_pytest(JUNIT) == Totals(1, 2, 1)


def test_code_that_does_not_compile_is_a_failure() -> None:
    assert of_cargo("error[E0425]: cannot find value `x`\nerror: could not compile `a`").failed == 1


def test_a_suite_that_breaks_off_is_a_failure() -> None:
    assert of_node("ok 1 - a digest is hexadecimal\n").failed == 1


def write(results: Path, cargo: str, go: str, junit: str) -> None:
    (results / "cargo.txt").write_text(cargo)
    (results / "go.txt").write_text(go)
    (results / "node.txt").write_text("# pass 3\n# fail 0\n")
    (results / "pytest.xml").write_text(junit)


def test_sum_closes_the_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    passing = '<testsuites><testsuite><testcase name="a"/></testsuite></testsuites>'
    write(tmp_path, "test result: ok. 2 passed; 0 failed; 0 ignored;", "--- PASS: A", passing)
    assert main(tmp_path) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "7 passed, 0 failed"
    assert (tmp_path / "totals.txt").read_text() == "7 passed, 0 failed\n"


@pytest.mark.parametrize("silent", ["cargo.txt", "go.txt", "node.txt", "pytest.xml"])
def test_suite_that_ran_nothing_is_a_failure(tmp_path: Path, silent: str) -> None:
    passing = '<testsuites><testsuite><testcase name="a"/></testsuite></testsuites>'
    write(tmp_path, "test result: ok. 2 passed; 0 failed; 0 ignored;", "--- PASS: A", passing)
    (tmp_path / silent).unlink()
    assert main(tmp_path) == 1
