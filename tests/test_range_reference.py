"""The groups of `range` are the published ones, and the known answers are theirs."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nizkbench import layout
from nizkbench.errors import NizkBenchError
from nizkbench.range_reference import (
    BITS,
    GROUPS,
    Group,
    Opening,
    commitments,
    group_over,
    openings,
    range_vectors,
)

SEED = bytes(range(32))

every_group = pytest.mark.parametrize("group", GROUPS.values(), ids=GROUPS)


def test_multiples_of_the_base_point_are_those_of_the_specification() -> None:
    """RFC 9496, appendix A.1."""
    group = GROUPS["ristretto255"]
    base, _ = group.base_points()
    published = {
        0: "0000000000000000000000000000000000000000000000000000000000000000",
        1: "e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76",
        2: "6a493210f7499cd17fecb510ae0cea23a110e8d5b901f8acadd3095c73a3b919",
        3: "94741f5d5d52755ece4f23f044ee27d5d1ea1e2bd196b462166b16152a9d0259",
    }
    for factor, encoded in published.items():
        assert group.encode(group.multiply(factor, base)).hex() == encoded


def test_invalid_encodings_of_the_specification_are_refused() -> None:
    """RFC 9496, appendix A.2: not canonical, negative, no square, a negative xy, and y = 0."""
    for encoded in (
        "00ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "f3ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "26948d35ca62e643e26a83177332e6b6afeb9d08e4268b650f1f5bbd8d81d371",
        "3eb858e78f5a7254d8c9731174a94f76755fd3941c0ac93735c07ba14579630e",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ):
        with pytest.raises(NizkBenchError):
            GROUPS["ristretto255"].decode(bytes.fromhex(encoded))


def test_blinding_generator_is_that_of_the_library() -> None:
    """Of bulletproofs 4.0, `PedersenGens::default().B_blinding`, as its runner commits with it."""
    group = GROUPS["ristretto255"]
    encoded = group.encode(group.base_points()[1]).hex()
    assert encoded == "8c9240b456a9e6dc65c377a1048d745f94a08cdb7f44cbcd7b46f34048871134"


def test_identity_of_jubjub_is_encoded_as_one() -> None:
    group = GROUPS["jubjub"]
    assert group.encode(group.IDENTITY) == (1).to_bytes(32, "little")
    with pytest.raises(NizkBenchError, match="no point"):
        group.decode((1 | 1 << 255).to_bytes(32, "little"))
    with pytest.raises(NizkBenchError, match="canonical"):
        group.decode((group.P + 1).to_bytes(32, "little"))


@every_group
def test_generators_are_of_prime_order_and_not_each_other(group: Group) -> None:
    value, blinding = group.base_points()
    for point in (value, blinding):
        x, y = group.affine(point)
        assert (-x * x + y * y - 1 - group.D * x * x * y * y) % group.P == 0
        assert group.encode(point) != group.encode(group.IDENTITY)
        assert group.encode(group.multiply(group.ORDER, point)) == group.encode(group.IDENTITY)
    assert group.encode(value) != group.encode(blinding)


@every_group
def test_sum_has_no_exceptions(group: Group) -> None:
    """The curve constant is no square, and minus one is."""
    assert pow(group.D, (group.P - 1) // 2, group.P) == group.P - 1
    assert pow(-1, (group.P - 1) // 2, group.P) == 1


@every_group
@given(
    one=st.integers(0, 2**64 - 1),
    other=st.integers(0, 2**64 - 1),
    blinding=st.integers(0, 2**251),
)
def test_commitments_add_up(group: Group, one: int, other: int, blinding: int) -> None:
    total = group.commit(Opening(one + other, blinding))
    left, right = group.commit(Opening(one, blinding)), group.commit(Opening(other, 0))
    assert group.encode(group.add(left, right)) == group.encode(total)
    assert group.encode(group.decode(group.encode(total))) == group.encode(total)


@every_group
def test_fewer_bits_are_the_lowest_of_the_same_value(group: Group) -> None:
    wide = openings(group, 64, 3, SEED, 2)
    for bits in BITS:
        narrow = openings(group, bits, 3, SEED, 2)
        assert [one.value for one in narrow] == [one.value % 2**bits for one in wide]
        assert [one.blinding for one in narrow] == [one.blinding for one in wide]
    assert commitments(group, 64, 3, SEED, 2)[:2] == commitments(group, 64, 2, SEED, 2)
    assert commitments(group, 64, 1, SEED, 2) != commitments(group, 64, 1, SEED, 3)


def test_group_is_that_of_the_field() -> None:
    assert group_over("bls12-381-fr").NAME == "jubjub"
    with pytest.raises(NizkBenchError, match="no group is defined for range over bn254-fr"):
        group_over("bn254-fr")


def test_committed_known_answers_are_remade() -> None:
    path = layout.root() / "data" / "vectors" / "range.json"
    assert json.loads(path.read_text(encoding="utf-8")) == range_vectors()
