"""Every runner keeps every promise, and the suite notices one that does not."""

import itertools
import json
import stat
import sys
from pathlib import Path

import pytest

from nizkbench.conform import (
    Subject,
    conform,
    malformed_requests,
    option_findings,
    schema_fault,
)
from nizkbench.messages import Legal, RunRequest, decode_classify_record, decode_describe
from nizkbench.runner import (
    Answer,
    BrokenRunnerError,
    Limits,
    Runner,
    describe,
    find_runners,
)
from nizkbench.statements import definition
from nizkbench.tampering import Artifacts, bit_flips, flip_positions

RUNNERS = sorted(find_runners())


def artifacts(proof: bytes = bytes(96)) -> Artifacts:
    public = {
        "statement": "mimc-preimage",
        "rounds": 3,
        "image": "0x2",
        "constants": ["0x0", "0x1", "0x6"],
    }
    return Artifacts(proof, b"", public)


def test_all_four_libraries_have_a_runner() -> None:
    assert {"bellman", "bulletproofs", "gnark", "winterfell"} <= set(RUNNERS)


#: Where the keys of one circuit take half a minute, one system stands for all of a runner, whose
#: others have the same circuits; `nizkbench conform RUNNER` has no such limit, nor the next.
STANDS_FOR_ALL = {("gnark", "hash-preimage"): "gnark/groth16/bn254"}

#: Where the keys of every variant take long, the first one stands for what another set-up changes.
ONE_OTHER_SETUP = {"hash-preimage"}


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNNERS)
def test_runner_keeps_every_promise(name: str) -> None:
    runner = find_runners()[name]
    systems = describe(runner).systems
    proven = dict.fromkeys(one.statement for system in systems for one in system.statements)
    for place, statement in enumerate(proven):
        system = STANDS_FOR_ALL.get((name, statement))
        every = statement not in ONE_OTHER_SETUP
        findings = list(
            conform(runner, system=system, statement=statement, every_other_setup=every)
        )
        broken = [f"{f.subject}: {f.promise} [{f.detail}]" for f in findings if not f.kept]
        assert not broken, "\n".join(broken)
        # Of a second statement it is checked what the statement itself decides.
        assert len(findings) > (15 if place else 100), statement


@pytest.mark.parametrize("count", [1, 2, 8, 256])
def test_flips_are_distinct_and_reach_both_ends(count: int) -> None:
    positions = flip_positions(1536, count)
    assert len(set(positions)) == count
    assert positions[0] == 0
    assert count == 1 or positions[-1] == 1535
    gaps = {b - a for a, b in itertools.pairwise(positions)}
    assert not gaps or max(gaps) - min(gaps) <= 1


def test_a_flip_changes_one_bit_and_nothing_else() -> None:
    for tampering in bit_flips(artifacts(), 256):
        before, after = bytes(96), tampering.artifacts.proof
        changed = [a ^ b for a, b in zip(before, after, strict=True)]
        assert sum(bin(byte).count("1") for byte in changed) == 1


def test_wrong_public_inputs_are_reduced_and_differ() -> None:
    for tamperings in definition("mimc-preimage").wrong_public_inputs(artifacts(), 7).values():
        for tampering in tamperings:
            public = tampering.artifacts.public_input
            assert public != artifacts().public_input
            assert all(int(e, 16) < 7 for e in [public["image"], *public["constants"]])


def test_a_record_with_a_misspelt_member_is_noticed() -> None:
    good = b'{"type":"done","id":"a","samples":3,"stopped_by":"maximum"}'
    assert schema_fault(good) == ""
    assert "sample" in schema_fault(good.replace(b"samples", b"sample"))


def test_an_unsupported_configuration_without_a_rule_is_noticed() -> None:
    named = (
        b'{"type":"error","id":"a","kind":"unsupported","message":"too many","option":"threads",'
        b'"rule":"threads-beyond-processors"}'
    )
    assert schema_fault(named) == ""
    unnamed = named.replace(b',"rule":"threads-beyond-processors"', b"")
    assert "rule" in schema_fault(unnamed)
    assert schema_fault(unnamed.replace(b"unsupported", b"internal")) == ""


def test_a_legal_request_is_answered_by_nothing_but_its_id() -> None:
    assert schema_fault(b'{"type":"legal","id":"a"}') == ""
    assert "seconds" in schema_fault(b'{"type":"legal","id":"a","seconds":1.0}')
    record = decode_classify_record(b'{"type":"legal","id":"a"}')
    assert record == Legal(id="a")


LYING_RUNNER = """#!{python}
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps({{"type": "verdict", "id": request["id"], "accepted": True, "reason": ""}}))
"""


@pytest.mark.slow
def test_a_verifier_that_accepts_everything_is_found_out(tmp_path: Path) -> None:
    real = find_runners()["bulletproofs"]
    liar = tmp_path / "liar"
    liar.write_text(
        f'#!/bin/sh\nif [ "$1" = verify ]; then exec {tmp_path}/verify; fi\n'
        f'exec "{real.path()}" "$@"\n'
    )
    (tmp_path / "verify").write_text(LYING_RUNNER.format(python=sys.executable))
    for script in (liar, tmp_path / "verify"):
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
    lying = Runner(name="bulletproofs", language="rust", folder=tmp_path, binary=str(liar))
    broken = {f.promise.split(":")[-1].strip() for f in conform(lying, 8) if not f.kept}
    for check in ("reject-bit-flips", "reject-wrong-image", "reject-wrong-constants"):
        assert any(promise.startswith(check) for promise in broken), broken


def test_a_proof_that_takes_too_long_is_forgiven_to_proof_of_work_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    description = _describe()
    systems = description["systems"]
    assert isinstance(systems, list)
    systems[0]["options"] = [
        {"name": name, "type": "integer", "default": 1, "help": "a number", **bounds}
        for name, bounds in (
            ("queries", {"minimum": 1, "maximum": 255}),
            ("grinding", {"minimum": 0, "maximum": 32}),
        )
    ]
    described = decode_describe(json.dumps(description).encode())
    subject = Subject(
        find_runners()["bellman"], described.systems[0], described.systems[0].statements[0]
    )
    patience = {}

    def slow(_runner: Runner, request: RunRequest, limits: Limits) -> Answer:
        patience[str(request.options)] = limits.timeout_seconds
        return Answer("timeout", None, "took too long", (), None)  # type: ignore[arg-type]

    monkeypatch.setattr("nizkbench.conform.run", slow)
    findings = list(option_findings(subject))
    assert [f.promise for f in findings if f.kept] == [
        "option grinding = 32 is proven, or unsupported by a named rule, or still sought after 3 s"
    ]
    assert len(findings) == 4
    assert [seconds > 60 for seconds in patience.values()] == [not f.kept for f in findings]


def test_an_unbuilt_runner_is_one_sentence(tmp_path: Path) -> None:
    absent = Runner(name="absent", language="rust", folder=tmp_path, binary="nizk-absent")
    with pytest.raises(BrokenRunnerError, match="not built") as raised:
        list(conform(absent))
    assert "\n" not in str(raised.value)


def test_at_least_thirty_malformed_requests_each_breaking_one_rule() -> None:
    runner = find_runners()["bellman"]
    described = decode_describe(json.dumps(_describe()).encode())
    subject = Subject(runner, described.systems[0], described.systems[0].statements[0])
    names = [name for name, _ in malformed_requests(subject)]
    assert len(names) == len(set(names)) >= 30


def _describe() -> dict[str, object]:
    return {
        "type": "describe",
        "protocol": 1,
        "runner": "bellman",
        "library": {"name": "bellman", "version": "0.14.0"},
        "build": {"target": "x", "profile": "release", "features": [], "target_cpu": "generic"},
        "systems": [
            {
                "system": "bellman/groth16/bls12-381",
                "scheme": "groth16",
                "curve": "bls12-381",
                "field": {"name": "f7", "modulus": "0x7", "bits": 3},
                "properties": {
                    "trusted_setup": "per-circuit",
                    "transparent": False,
                    "post_quantum": False,
                    "zero_knowledge": {"level": "yes", "source": "docs"},
                    "assumptions": "none",
                    "batch_verification": {"supported": False, "source": "nothing takes many"},
                },
                "phases": [{"phase": "prove", "includes": []}],
                "absent_phases": [],
                "threads": {"minimum": 1, "maximum": None, "how": "rayon"},
                "proof_size": "constant",
                "statements": [
                    {
                        "statement": "mimc-preimage",
                        "size": {"name": "rounds", "minimum": 7, "maximum": 15, "rule": "any"},
                        "variants": [
                            {"name": "constants", "values": ["fixed"], "default": "fixed"}
                        ],
                        "unsound": [],
                    }
                ],
                "options": [],
                "malleable": [],
            }
        ],
    }
