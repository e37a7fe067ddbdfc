"""The hash functions of STATEMENTS.md are the published ones, and the known answers are theirs."""

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nizkbench import layout
from nizkbench.errors import NizkBenchError
from nizkbench.hash_reference import (
    FUNCTIONS,
    ORDER,
    OVER_A_FIELD,
    PIECE,
    VECTOR_BYTES,
    chained_poseidon,
    digest,
    elements,
    hash_vectors,
    message,
    mimc_7,
    mimc_sponge,
    poseidon,
)
from nizkbench.profile import read_profile

#: The empty leaf of Tornado Cash's tree and the node above two of them (github.com/tornadocash/
#: tornado-core, contracts/MerkleTreeWithHistory.sol, zeros), which is MiMC's sponge of both.
TORNADO_LEAF = 0x2FE54C60D3ACABF3343A35B6EBA15DB4821B340F76E741E2249685ED4899AF6C
TORNADO_NODE = 0x256A6135777EEE2FD26F54B8B7037A25439D5235CAEE224154186D2B8A52E31D


@pytest.mark.parametrize(
    ("function", "content", "answer"),
    [
        # FIPS 180-4 and FIPS 202, examples; RFC 7693, appendix B.
        ("sha256", b"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ("sha3-256", b"abc", "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"),
        ("blake2s", b"abc", "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982"),
    ],
)
def test_functions_over_bytes_have_the_published_digests(
    function: str, content: bytes, answer: str
) -> None:
    assert digest(function, content).hex() == answer


def test_mimc_sponge_is_that_of_a_tree_in_use() -> None:
    assert mimc_sponge([TORNADO_LEAF, TORNADO_LEAF]) == TORNADO_NODE


@pytest.mark.parametrize(
    ("inputs", "answer"),
    [
        # github.com/iden3/go-iden3-crypto, mimc7/mimc7_test.go.
        ([12], 0x237C92644DBDDB86D8A259E0E923AAAB65A93F1EC5758B8799988894AC0958FD),
        ([78, 41], 0x067F3202335EA256AE6E6AADCD2D5F7F4B06A00B2D1E0DE903980D5AB552DC70),
    ],
)
def test_mimc_7_has_the_published_digests(inputs: list[int], answer: int) -> None:
    assert mimc_7(inputs) == answer


def test_poseidon_has_the_published_digest() -> None:
    # github.com/iden3/circomlibjs, test/poseidon.js.
    answer = 7853200120776062878684798364095072458815029376092732009249414926327459813530
    assert poseidon([1, 2]) == answer


def test_long_messages_are_chained() -> None:
    inputs = list(range(1, 14))
    first = poseidon(inputs[:6])
    second = poseidon([first, *inputs[6:11]])
    assert chained_poseidon(inputs) == poseidon([second, *inputs[11:]])
    assert chained_poseidon(inputs[:6]) == first


@given(st.binary(min_size=1, max_size=200))
def test_a_message_and_its_elements_say_the_same(content: bytes) -> None:
    found = elements(content)
    assert all(one < 2**248 < ORDER for one in found)
    lengths = [31] * (len(content) // 31) + ([len(content) % 31] if len(content) % 31 else [])
    rest = (one.to_bytes(n, "big") for one, n in zip(found, lengths, strict=True))
    assert b"".join(rest) == content


@given(st.binary(min_size=32, max_size=32), st.integers(0, 2**63), st.integers(1, 300))
def test_messages_are_the_documented_stream(seed: bytes, instance: int, count: int) -> None:
    found = message(seed, instance, count)
    assert len(found) == count
    block = (count - 1) // 64
    label = f"hash/message/{block}".encode()
    known = hashlib.sha512(
        b"nizk-bench/v1\x00" + label + b"\x00" + seed + instance.to_bytes(8, "little")
    ).digest()
    assert known.startswith(found[64 * block :])


def test_digests_over_a_field_are_elements() -> None:
    for function in FUNCTIONS:
        found = digest(function, bytes(40))
        assert len(found) == 32
        if function in OVER_A_FIELD:
            assert int.from_bytes(found, "big") < ORDER


def test_an_unknown_function_is_refused_in_one_sentence() -> None:
    with pytest.raises(NizkBenchError, match="'md5' is not known to the reference, which has sha"):
        digest("md5", b"")


def test_the_known_answers_are_those_of_the_reference() -> None:
    path = layout.root() / "data" / "vectors" / "hash-preimage.json"
    assert json.loads(path.read_text(encoding="utf-8")) == hash_vectors()


@pytest.mark.parametrize("name", ["standard", "full"])
def test_every_size_that_a_profile_measures_has_a_known_answer(name: str) -> None:
    parameters = read_profile(name).hash_functions
    assert parameters is not None
    asked = {size for line in parameters.lines() for size in line.sizes}
    assert asked <= set(VECTOR_BYTES)


@pytest.mark.parametrize("function", sorted(OVER_A_FIELD))
def test_functions_over_a_field_do_not_tell_lengths_apart_which_the_statement_does(
    function: str,
) -> None:
    whole, rest = bytes(range(1, PIECE + 1)), b"\x01\x02"
    one, other = whole + rest, whole + b"\x00" + rest
    assert len(one) != len(other)
    assert digest(function, one) == digest(function, other)
    assert digest(function, one) != digest(function, one + b"\x00")
