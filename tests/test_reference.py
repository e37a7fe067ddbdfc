"""The independent reference says what STATEMENTS.md says, and the known answers are its."""

import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nizkbench.errors import NizkBenchError
from nizkbench.reference import (
    EXTENSIONS,
    FIELDS,
    Extension,
    element,
    field_modulus,
    mimc,
    mimc_in_extension,
    mimc_instance,
    mimc_vectors,
)

PRIME_FIELDS = sorted(set(FIELDS) - set(EXTENSIONS))

#: F_7[X] / (X² − 3), of which 3 is no square.
SMALL = Extension(prime=7, degree=2, nonresidue=3)

VECTORS = Path(__file__).parent.parent / "data" / "vectors" / "mimc-preimage.json"


def is_probable_prime(n: int) -> bool:
    """Decide by Miller-Rabin with the first 24 prime bases."""
    bases = [p for p in range(2, 90) if all(p % q for q in range(2, p))]
    odd, twos = n - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in bases:
        x = pow(base, odd, n)
        if x in (1, n - 1):
            continue
        if not any((x := x * x % n) == n - 1 for _ in range(twos - 1)):
            return False
    return True


@pytest.mark.parametrize("field", FIELDS)
def test_every_field_has_a_prime_below_it_and_fits_the_derivation(field: str) -> None:
    prime = EXTENSIONS[field].prime if field in EXTENSIONS else field_modulus(field)
    assert is_probable_prime(prime)
    assert field_modulus(field) < 2**256


@pytest.mark.parametrize("name", EXTENSIONS)
def test_polynomial_of_every_extension_is_irreducible(name: str) -> None:
    # Lidl and Niederreiter, Finite Fields, theorem 3.75: X⁴ − w is, if w is no square and 4 divides
    # p − 1.
    field = EXTENSIONS[name]
    assert field.degree == 4
    assert field.prime % 4 == 1
    assert pow(field.nonresidue, (field.prime - 1) // 2, field.prime) == field.prime - 1


def test_elements_of_an_extension_are_integers_of_its_coordinates() -> None:
    # (2 + 3X)(1 + 5X) = 2 + 13X + 15X² = 47 + 13X = 5 + 6X.
    assert SMALL.multiply(2 + 7 * 3, 1 + 7 * 5) == 5 + 7 * 6
    assert SMALL.add(2 + 7 * 3, 6 + 7 * 5) == 1 + 7 * 1
    assert [SMALL.coordinates(value) for value in (0, 6, 7, 48)] == [[0, 0], [6, 0], [0, 1], [6, 6]]


def test_every_element_but_zero_of_an_extension_has_the_order_that_a_field_gives_it() -> None:
    for value in range(1, SMALL.order):
        power = 1
        for _ in range(SMALL.order - 1):
            power = SMALL.multiply(power, value)
        assert power == 1


@given(
    left=st.integers(0, 6),
    right=st.integers(0, 6),
    constants=st.lists(st.integers(0, 6), max_size=9),
)
def test_mimc_in_an_extension_is_that_of_its_prime_field_on_the_prime_field(
    left: int, right: int, constants: list[int]
) -> None:
    assert mimc_in_extension(left, right, constants, SMALL) == mimc(left, right, constants, 7)


def test_unknown_field_is_refused_in_one_sentence() -> None:
    with pytest.raises(NizkBenchError, match="'goldilocks' is not known") as raised:
        field_modulus("goldilocks")
    assert "\n" not in str(raised.value)


def test_element_is_the_documented_hash() -> None:
    seed = bytes(range(32))
    digest = hashlib.sha512(
        b"nizk-bench/v1\x00mimc/constant\x00" + seed + (3).to_bytes(8, "little")
    ).digest()
    value = sum(byte << (8 * place) for place, byte in enumerate(digest))
    assert element("mimc/constant", seed, 3, 2**64 - 2**32 + 1) == value % (2**64 - 2**32 + 1)


def test_mimc_by_hand_over_seven() -> None:
    # (2, 3), c = (1, 5): round 1: 3 + 3³ = 30 ≡ 2, right 2; round 2: 2 + 7³ ≡ 2.
    assert mimc(2, 3, [1], 7) == 2
    assert mimc(2, 3, [1, 5], 7) == 2
    # (1, 4), c = (1, 2, 3): 4 + 8 = 12 ≡ 5; 1 + 7³ ≡ 1; 5 + 4³ = 69 ≡ 6.
    assert mimc(1, 4, [1, 2, 3], 7) == 6


@given(
    left=st.integers(0, 2**64),
    right=st.integers(0, 2**64),
    constants=st.lists(st.integers(0, 2**64), min_size=2, max_size=20),
    field=st.sampled_from(PRIME_FIELDS),
)
def test_feistel_can_be_undone_from_its_last_two_states(
    left: int, right: int, constants: list[int], field: str
) -> None:
    order = FIELDS[field]
    last, before = mimc(left, right, constants, order), mimc(left, right, constants[:-1], order)
    for constant in reversed(constants):
        last, before = before, (last - pow(before + constant, 3, order)) % order
    assert (last, before) == (left % order, right % order)


def test_known_answers_are_remade_from_the_reference() -> None:
    assert json.loads(VECTORS.read_text(encoding="utf-8")) == mimc_vectors()


def test_instances_share_constants_and_differ_in_preimage() -> None:
    seed = bytes(32)
    first, second = (mimc_instance("f128", 15, seed, j) for j in (0, 1))
    assert first.constants == second.constants
    assert (first.left, first.right) != (second.left, second.right)
    assert first.image != second.image
