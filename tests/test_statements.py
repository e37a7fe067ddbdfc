"""What the harness knows of a statement: its public input, and what must be rejected."""

from typing import Any

import msgspec
import pytest

from nizkbench.errors import NizkBenchError
from nizkbench.hash_reference import FUNCTIONS, ORDER, OVER_A_FIELD, digest, message
from nizkbench.messages import (
    BatchVerification,
    Field,
    Properties,
    RunRequest,
    SizeRange,
    Statement,
    Stop,
    System,
    ThreadLimits,
    Variant,
    ZeroKnowledge,
)
from nizkbench.range_reference import GROUPS
from nizkbench.reference import FIELDS
from nizkbench.statements import definition
from nizkbench.tampering import Artifacts

SEED = bytes(range(32))


def system(*functions: str) -> System:
    return System(
        system="toy/nothing/bn254",
        scheme="none",
        curve="bn254",
        field=Field("bn254-fr", hex(FIELDS["bn254-fr"]), 254),
        properties=Properties(
            "none", True, False, ZeroKnowledge("no", ""), "", BatchVerification(False, "")
        ),
        phases=(),
        absent_phases=(),
        threads=ThreadLimits(1, 1, ""),
        proof_size="constant",
        statements=(
            Statement(
                "hash-preimage",
                SizeRange("bytes", 1, 4096, "any"),
                (Variant("function", functions, functions[0]),),
                (),
            ),
        ),
        options=(),
        malleable=(),
    )


def request(count: int, **variant: str) -> RunRequest:
    return RunRequest(
        id="a",
        system="toy/nothing/bn254",
        statement="hash-preimage",
        size={"bytes": count},
        variant=variant,
        options={},
        threads=1,
        seed=SEED.hex(),
        instances="fresh",
        stop=Stop(0, 1, 1, 1.0),
        phases=("prove",),
    )


def artifacts(function: str, count: int = 40) -> Artifacts:
    public: dict[str, Any] = {
        "statement": "hash-preimage",
        "function": function,
        "bytes": count,
        "digest": digest(function, message(SEED, 3, count)).hex(),
    }
    return Artifacts(bytes(96), bytes(40), public)


def test_the_public_input_is_the_digest_of_the_instances_message() -> None:
    found = definition("hash-preimage").public_input(
        system("sha256", "blake2s"), request(40, function="blake2s"), 3
    )
    assert found == artifacts("blake2s").public_input


def test_a_function_that_is_not_given_is_the_systems_default() -> None:
    found = definition("hash-preimage").public_input(system("poseidon"), request(40), 3)
    assert found == artifacts("poseidon").public_input


@pytest.mark.parametrize("function", FUNCTIONS)
def test_wrong_digests_are_well_formed_and_differ(function: str) -> None:
    one = artifacts(function)
    found = definition("hash-preimage").wrong_public_inputs(one, ORDER)
    assert set(found) == {"reject-wrong-digest"}
    digests = [change.artifacts.public_input["digest"] for change in found["reject-wrong-digest"]]
    assert len(set(digests)) == len(digests) >= 3
    for text in digests:
        assert text != one.public_input["digest"]
        assert len(bytes.fromhex(text)) == 32
        assert function not in OVER_A_FIELD or int(text, 16) < ORDER


@pytest.mark.parametrize("function", FUNCTIONS)
def test_misshapen_public_inputs_are_all_different(function: str) -> None:
    one = artifacts(function)
    found = definition("hash-preimage").misshapen_public_inputs(one, ORDER)
    shown = [repr(sorted(change.artifacts.public_input.items())) for change in found]
    assert len(set(shown)) == len(shown) >= 9
    assert repr(sorted(one.public_input.items())) not in shown


def test_known_answers_are_of_the_systems_functions_and_small() -> None:
    found = list(definition("hash-preimage").known_answers(system("sha256", "poseidon")))
    assert {known["function"] for _, known in found} == {"sha256", "poseidon"}
    for members, known in found:
        content = message(
            bytes.fromhex(members["seed"]), members["first_instance"], members["size"]["bytes"]
        )
        assert known["digest"] == digest(known["function"], content).hex()
    assert [members["size"]["bytes"] for members, _ in found] == [1, 65]
    assert len({members["seed"] for members, _ in found}) > 1


def test_an_unknown_statement_is_refused_in_one_sentence() -> None:
    with pytest.raises(NizkBenchError, match="'factoring' is not known, there are mimc-preimage"):
        definition("factoring")


def ranges(*bits: str) -> System:
    statement = Statement(
        "range", SizeRange("values", 1, 32, "power-of-two"), (Variant("bits", bits, bits[0]),), ()
    )
    field = Field("bls12-381-fr", hex(FIELDS["bls12-381-fr"]), 255)
    return msgspec.structs.replace(system("sha256"), field=field, statements=(statement,))


def ranged(values: int, bits: str) -> Artifacts:
    asked = msgspec.structs.replace(
        request(1, bits=bits), statement="range", size={"values": values}
    )
    public = definition("range").public_input(ranges("64", "8"), asked, 3)
    return Artifacts(b"proof", b"key", public)


@pytest.mark.parametrize("values", [1, 2, 5])
def test_wrong_commitments_are_points_and_never_the_right_ones(values: int) -> None:
    right = ranged(values, "8")
    found = definition("range").wrong_public_inputs(right, FIELDS["bls12-381-fr"])
    assert set(found) == {"reject-wrong-commitments"}
    group = GROUPS["jubjub"]
    for change in found["reject-wrong-commitments"]:
        commitments = change.artifacts.public_input["commitments"]
        assert commitments != right.public_input["commitments"], change.what
        assert len(commitments) == values
        for one in commitments:
            assert group.encode(group.decode(bytes.fromhex(one))).hex() == one, change.what
    named = " ".join(change.what for change in found["reject-wrong-commitments"])
    assert "identity" in named
    assert "outside the group" in named
    assert ("exchanged" in named) == (values > 1)


def test_misshapen_ranges_are_none_that_a_runner_would_write() -> None:
    right = ranged(2, "8")
    broken = definition("range").misshapen_public_inputs(right, FIELDS["bls12-381-fr"])
    assert len({change.what for change in broken}) == len(broken) >= 15
    assert all(change.artifacts.public_input != right.public_input for change in broken)


def test_known_answers_of_ranges_are_those_of_the_system() -> None:
    answers = list(definition("range").known_answers(ranges("64", "8")))
    assert {members["first_instance"] for members, _ in answers} == {0, 1}
    assert {known["bits"] for _, known in answers} == {8, 16, 32, 64}
    assert {known["values"] for _, known in answers} == {1, 2, 8}


def test_sizes_that_are_no_power_of_two_are_refused_where_the_rule_says_so() -> None:
    size = SizeRange("values", 1, 32, "power-of-two")
    assert [count for count in range(34) if size.refusal(count) is None] == [1, 2, 4, 8, 16, 32]
