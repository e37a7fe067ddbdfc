"""A grid has every legal combination once, and nothing that a runner refuses."""

import itertools
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest

from nizkbench.choice import EARLIER_CHANGED, EARLIER_DEFAULT, PUBLISHED_BEST
from nizkbench.grid import balanced, combinations, grid_of, imbalance, shard_of
from nizkbench.plan import Configuration
from nizkbench.profile import Crossing, ProfileError, StarkGrid, read_profile
from nizkbench.security import security
from tests.harness import SYSTEM, Repository, grid_parameters, repository

SEED = bytes(range(32))


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository with the revealing runner, which this process works in."""
    made = repository(tmp_path)
    monkeypatch.chdir(made.root)
    monkeypatch.setenv("NIZK_BENCH_BIN", made.environment["NIZK_BENCH_BIN"])
    return made


def grid(**crossings: dict[str, Any]) -> StarkGrid:
    return StarkGrid.of(grid_parameters(crossings=crossings))


def crossing(**changes: object) -> dict[str, Any]:
    return {"systems": [SYSTEM], "rounds": [7]} | changes


def cell(**options: int | str) -> Configuration:
    return Configuration(
        track="grid",
        series="any",
        system=SYSTEM,
        statement="mimc-preimage",
        size_name="rounds",
        size=7,
        variant={},
        options=dict(options),
        instances="fresh",
        threads=1,
        threads_label="one",
    )


def test_a_crossing_has_every_combination_of_its_lists(small: Repository) -> None:
    made, used = grid_of(
        grid(all=crossing(rounds=[15, 31], options={"strength": [1, 2, 3], "fault": ["none"]}))
    )
    found = {(one.size, one.options["strength"]) for one in made.cells}
    assert found == set(itertools.product([15, 31], [1, 2, 3]))
    assert len(made.cells) == 6
    assert not made.excluded
    assert used.keys() == {SYSTEM}


def test_an_option_that_no_list_names_keeps_its_default(small: Repository) -> None:
    made, _ = grid_of(grid(all=crossing()))
    assert [one.options for one in made.cells] == [{"fault": "none", "strength": 1}]


def test_all_stands_for_every_value_that_the_runner_describes(small: Repository) -> None:
    made, used = grid_of(grid(all=crossing(options={"fault": "all"})))
    described = {option.name: option for option in used[SYSTEM].system.options}["fault"].values
    assert described is not None
    assert [one.options["fault"] for one in made.cells] == list(described)


def test_one_at_a_time_changes_one_option_of_the_first_values(small: Repository) -> None:
    lists = {"strength": [3, 1, 2], "fault": ["slow", "none"]}
    made, _ = grid_of(grid(all=crossing(rounds=[15], combine="one-at-a-time", options=lists)))
    found = {(one.options["strength"], one.options["fault"]) for one in made.cells}
    assert found == {(3, "slow"), (1, "slow"), (2, "slow"), (3, "none")}


def test_what_the_runner_refuses_is_excluded_with_its_rule(small: Repository) -> None:
    made, _ = grid_of(grid(all=crossing(options={"strength": [6, 7, 8]})))
    assert [one.options["strength"] for one in made.cells] == [6]
    assert made.by_rule() == {"strength-below-rounds": 2}
    assert "less than rounds, 7" in made.excluded[0].message


def test_a_cell_of_two_crossings_is_measured_once_and_names_both(small: Repository) -> None:
    made, _ = grid_of(
        grid(
            one=crossing(options={"strength": [1, 2]}),
            other=crossing(options={"strength": [2, 3]}),
        )
    )
    named = {one.options["strength"]: one.series for one in made.cells}
    assert named == {1: "one", 2: "one+other", 3: "other"}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"systems": ["revealing/preimage/f7"]}, "no runner offers this system"),
        ({"options": {"colour": [1]}}, "the system has no option colour, it has fault, strength"),
        ({"options": {"strength": "all"}}, "strength is a range of integers, name its values"),
    ],
)
def test_a_crossing_that_asks_for_what_does_not_exist_is_refused(
    small: Repository, changes: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ProfileError, match=sentence):
        grid_of(grid(all=crossing(**changes)))


def test_shards_are_disjoint_and_make_up_the_whole_whatever_the_order_of_the_cells() -> None:
    cells = [cell(strength=number) for number in range(100)]
    for shards in (1, 2, 3, 7):
        parts = [shard_of(cells, SEED, one, shards) for one in range(1, shards + 1)]
        found = Counter(one.configuration for part in parts for one in part)
        assert found == Counter(one.configuration for one in cells)
        assert max(map(len, parts)) - min(map(len, parts)) <= 1
        assert parts[0] == shard_of(cells[::-1], SEED, 1, shards)


def test_a_balanced_part_of_a_product_has_every_pair_of_levels_as_often_as_the_whole() -> None:
    product = itertools.product(range(4), range(3), range(2), range(2), "abc")
    cells = [cell(a=a, b=b, c=c, d=d, e=e) for a, b, c, d, e in product]
    kept = balanced(cells, 36, SEED)
    assert len({one.configuration for one in kept}) == 36
    for first, second in itertools.combinations("abcde", 2):
        pairs = Counter((one.options[first], one.options[second]) for one in kept)
        everywhere = Counter((one.options[first], one.options[second]) for one in cells)
        for pair, frequency in everywhere.items():
            assert abs(pairs[pair] - frequency * 36 / len(cells)) <= 1, (first, second, pair)


def test_a_balanced_part_is_far_better_than_a_random_one_and_follows_from_its_seed() -> None:
    product = itertools.product(range(5), range(4), range(3), range(3), range(3))
    cells = [cell(a=a, b=b, c=c, d=d, e=e) for a, b, c, d, e in product if a + b != 5]
    kept = balanced(cells, 60, SEED)
    assert kept == balanced(cells[::-1], 60, SEED)
    assert kept != balanced(cells, 60, bytes(32))
    random = shard_of(cells, SEED, 1, len(cells) // 60)
    assert imbalance(kept, cells) < imbalance(random, cells) / 3


def test_a_part_as_large_as_the_whole_is_the_whole() -> None:
    cells = [cell(strength=number) for number in range(5)]
    assert balanced(cells, 5, SEED) == tuple(cells)
    assert balanced(cells, 9, SEED) == tuple(cells)


def test_earlier_work_lies_on_the_grid_of_every_profile_but_smoke() -> None:
    default = {name: EARLIER_DEFAULT[name] for name in EARLIER_CHANGED}
    for name in ("standard", "full"):
        profile = read_profile(name).stark_grid
        assert profile is not None
        alone = profile.crossings["one-at-a-time"]
        best = profile.crossings["individually-best"]
        assert alone.cells == best.cells == "all"
        assert {option: values[0] for option, values in alone.options.items()} == default
        published = profile.crossings["published-best"]
        assert published.cells == "all"
        for option in EARLIER_CHANGED:
            assert PUBLISHED_BEST[option] in published.options[option], option
        assert EARLIER_DEFAULT["grinding"] in published.options["grinding"]
        # Whatever turns out best of what any crossing has at the default, it can be put together.
        for option in ("queries", "folding", "remainder_max_degree"):
            if best.options[option] != "all":
                assert set(alone.options[option]) <= set(best.options[option])


def test_the_whole_grid_contains_its_balanced_part() -> None:
    standard, full = read_profile("standard").stark_grid, read_profile("full").stark_grid
    assert standard is not None
    assert full is not None
    assert standard.crossings.keys() == full.crossings.keys()
    for name, part in standard.crossings.items():
        whole = full.crossings[name]
        assert whole.cells == "all"
        assert msgspec.structs.replace(part, cells="all") == whole


def test_queries_are_tuned_to_the_least_that_reaches_a_level() -> None:
    """The profiles' triples of blowup, grinding and queries, found again by our own formulas."""
    profile = read_profile("full").stark_grid
    assert profile is not None
    tuned = profile.crossings["tuned"].together
    assert tuned is not None
    assert tuned.options == ("blowup", "grinding", "queries")
    settings = [
        {name: EARLIER_DEFAULT[name] for name in EARLIER_CHANGED}
        | {"rounds": 255, "field": "f128", "extension": extension, "queries": queries}
        | {"blowup": blowup, "grinding": grinding, "remainder_max_degree": 127}
        | {"batching_constraints": "linear", "batching_deep": "linear"}
        for extension in ("none", "quadratic")
        for blowup in (2, 4, 8, 16)
        for grinding in (0, 8, 16)
        for queries in range(10, 256)
    ]
    bits = security(pl.DataFrame(settings))
    least = [
        bits.filter(pl.col("extension") == extension, pl.col(f"{notion}_bits") >= level - 1e-9)
        .group_by("blowup", "grinding")
        .agg(pl.col("queries").min())
        .sort("blowup", "grinding")
        for notion, level, extension in (
            ("conjectured", 100, "none"),
            ("conjectured", 127, "none"),
            ("ldr", 100, "quadratic"),
        )
    ]
    assert list(tuned.values) == pl.concat(least).rows()


def test_options_that_go_together_are_crossed_with_the_others(small: Repository) -> None:
    together = {"options": ["strength", "fault"], "values": [[1, "none"], [2, "slow"]]}
    made, _ = grid_of(grid(all=crossing(rounds=[7, 15], together=together)))
    assert [(one.size, one.options["strength"], one.options["fault"]) for one in made.cells] == [
        (7, 1, "none"),
        (7, 2, "slow"),
        (15, 1, "none"),
        (15, 2, "slow"),
    ]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"together": {"options": ["strength"], "values": [[1]]}}, "length >= 2"),
        ({"together": {"options": ["strength", "fault"], "values": [[1]]}}, "not one value each"),
        (
            {"together": {"options": ["strength", "fault"], "values": [[1, "none"], [1, "none"]]}},
            "values",
        ),
        (
            {
                "together": {"options": ["strength", "fault"], "values": [[1, "none"]]},
                "combine": "one-at-a-time",
            },
            "no meaning",
        ),
        (
            {
                "together": {"options": ["strength", "fault"], "values": [[1, "none"]]},
                "options": {"fault": ["slow"]},
            },
            "fault is in both",
        ),
    ],
)
def test_options_together_that_make_no_sense(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ProfileError, match=message):
        grid(all=crossing(**changed))


def test_an_unknown_option_together(small: Repository) -> None:
    together = {"options": ["strength", "colour"], "values": [[1, "red"]]}
    with pytest.raises(ProfileError, match="no option colour"):
        grid_of(grid(all=crossing(together=together)))


def test_combinations_carry_the_variant(small: Repository) -> None:
    _, used = grid_of(grid(all=crossing()))
    asked = Crossing(systems=(SYSTEM,), rounds=(7,))
    made = list(combinations("all", asked, {"constants": "unbound"}, used))
    assert [one.variant for one in made] == [{"constants": "unbound"}]
