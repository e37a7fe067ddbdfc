"""A plan is a pure function of the profile, and its blocks are shuffled as it says."""

import random
import subprocess
import sys
from collections import Counter
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nizkbench.messages import Describe, System
from nizkbench.plan import (
    block_order,
    configurations,
    cores_of,
    invocation_seed,
)
from nizkbench.profile import ProfileError
from nizkbench.runner import Offer, Runner
from tests.harness import SOURCES, SYSTEM, experiment, series

identities = st.lists(st.text("0123456789abcdef", min_size=12, max_size=12), unique=True)
seeds = st.binary(min_size=32, max_size=32)


@pytest.fixture(scope="module")
def offers() -> dict[str, Offer]:
    """The revealing runner's one system, as it describes itself."""
    runner = SOURCES / "tests" / "runners" / "revealing.py"
    said = subprocess.run([sys.executable, runner, "describe"], capture_output=True, check=True)
    described = msgspec.json.decode(said.stdout, type=Describe)
    me = Runner("revealing", "python", runner.parent, "nizk-revealing")
    return {SYSTEM: Offer(me, described, described.systems[0])}


@given(identities, seeds, st.integers(0, 10_000))
def test_a_block_measures_every_configuration_once(
    names: list[str], seed: bytes, block: int
) -> None:
    assert sorted(block_order(names, seed, block)) == sorted(names)


@given(identities, seeds, st.integers(0, 100), st.randoms())
def test_the_order_depends_on_seed_and_block_alone(
    names: list[str], seed: bytes, block: int, chance: random.Random
) -> None:
    shuffled = chance.sample(names, len(names))
    assert block_order(names, seed, block) == block_order(shuffled, seed, block)


@given(identities, seeds, st.integers(0, 100), st.data())
def test_a_configuration_that_has_stopped_leaves_the_order_of_the_others(
    names: list[str], seed: bytes, block: int, data: st.DataObject
) -> None:
    left = set(data.draw(st.lists(st.sampled_from(names), unique=True))) if names else set()
    whole = block_order(names, seed, block)
    assert block_order(left, seed, block) == [name for name in whole if name in left]


def test_every_configuration_comes_first_as_often_as_any_other() -> None:
    names = [f"{number:012x}" for number in range(4)]
    first = Counter(block_order(names, bytes(32), block)[0] for block in range(2000))
    # 500 expected, standard deviation 19.4: six of them to either side.
    assert all(383 < first[name] < 617 for name in names)


def test_blocks_prove_other_instances_and_share_them_within_a_block() -> None:
    fresh = [invocation_seed(bytes(32), block, "fresh") for block in range(100)]
    assert len(set(fresh)) == 100
    assert len({invocation_seed(bytes(32), block, "fixed") for block in range(100)}) == 1


def test_a_plan_is_the_same_every_time(offers: dict[str, Offer]) -> None:
    wanted = experiment(threads=["one", "all"], series=[series(), series("slow")])
    once, again = (configurations(wanted, offers, 4) for _ in range(2))
    assert once == again
    assert len({one.configuration for one in once}) == len(once) == 2 * 2 * 2


def test_what_is_not_said_takes_the_defaults_of_the_system(offers: dict[str, Offer]) -> None:
    (one,) = configurations(
        experiment(rounds=[7], series=[{"track": "main", "system": SYSTEM}]), offers, 2
    )
    assert one.variant == {"constants": "public"}
    assert one.options == {"fault": "none", "strength": 1}


def test_a_spelt_out_default_is_the_same_configuration(offers: dict[str, Offer]) -> None:
    plain, spelt = (
        configurations(experiment(rounds=[7], series=[one]), offers, 2)[0]
        for one in (
            {"track": "main", "system": SYSTEM},
            series(variant={"constants": "public"}, options={"fault": "none", "strength": 1}),
        )
    )
    assert plain.configuration == spelt.configuration


def test_series_cut_off_and_replace_the_sizes(offers: dict[str, Offer]) -> None:
    def sizes(change: dict[str, object] | None = None) -> list[int]:
        wanted = experiment(rounds=[7, 15, 63], series=[series() | (change or {})])
        return [one.size for one in configurations(wanted, offers, 2)]

    assert sizes() == [7, 15, 63]
    assert sizes({"rounds_maximum": 15}) == [7, 15]
    assert sizes({"rounds": [8, 9]}) == [8, 9]
    with pytest.raises(ProfileError, match="no rounds left"):
        sizes({"rounds": [8, 9], "rounds_maximum": 7})


def test_no_system_gets_more_threads_than_it_can_use(offers: dict[str, Offer]) -> None:
    wanted = experiment(threads=["one", "all"])
    assert {one.threads for one in configurations(wanted, offers, 8)} == {1}
    assert cores_of("all", (0, 1, 5)) == (0, 1, 5)
    assert cores_of("one", (0, 1, 5)) == (5,)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"system": "revealing/other"}, r"revealing/other.*there are revealing/preimage/f128"),
        ({"variant": {"colour": "red"}}, r"no variant colour, it has constants"),
        ({"variant": {"constants": "fixed"}}, r"constants is fixed, legal are public, unbound"),
        ({"options": {"queries": 3}}, r"no option queries, it has fault, strength"),
        ({"options": {"strength": 9}}, r"strength is 9, legal are 1 to 8"),
        ({"options": {"strength": "8"}}, r"strength is 8, legal are 1 to 8"),
        ({"options": {"fault": "flood!"}}, r"fault is flood!, legal are none, crash"),
    ],
)
def test_what_a_system_does_not_have_is_refused_by_name(
    offers: dict[str, Offer], change: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ProfileError, match=rf"series 1 .*{sentence}"):
        configurations(experiment(series=[series(**change)]), offers, 2)


def test_the_same_series_twice_is_refused(offers: dict[str, Offer]) -> None:
    with pytest.raises(ProfileError, match=r"series 2 .* is the same as series 1"):
        configurations(experiment(series=[series(), series()]), offers, 2)


def test_sizes_that_only_circuits_take_are_refused_for_traces(offers: dict[str, Offer]) -> None:
    offer = offers[SYSTEM]
    statement = offer.system.statements[0]
    rule = msgspec.structs.replace(statement.size, rule="power-of-two-minus-one")
    system: System = msgspec.structs.replace(
        offer.system, statements=(msgspec.structs.replace(statement, size=rule),)
    )
    strict = {SYSTEM: Offer(offer.runner, offer.describe, system)}
    assert configurations(experiment(rounds=[7, 15, 31]), strict, 2)
    for refused in (8, 14, 16):
        with pytest.raises(ProfileError, match=f"rounds is {refused}, legal are powers of two"):
            configurations(experiment(rounds=[refused]), strict, 2)
