"""A profile says exactly what is measured, and refuses what it does not know."""

import copy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nizkbench.profile import Mimc, ProfileError, read_profile
from tests.harness import experiment, parameters, series


@pytest.mark.parametrize("name", ["smoke", "standard", "full"])
def test_the_profiles_of_the_repository_can_be_read(name: str) -> None:
    profile = read_profile(name)
    assert profile.name == name
    assert {one.track for one in profile.mimc.series} == {"main", "priced", "as-published"}


def test_a_profile_inherits_what_it_does_not_say() -> None:
    standard, smoke = read_profile("standard").mimc, read_profile("smoke").mimc
    assert smoke.series == standard.series
    assert smoke.limits.memory_bytes == standard.limits.memory_bytes
    assert smoke.rounds != standard.rounds


def test_papermill_hands_over_the_same_experiment() -> None:
    mimc = read_profile("standard").mimc
    assert Mimc.of(mimc.parameters()) == mimc


def places(table: dict[str, Any], path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """The paths of all parameters of an experiment, tables among them."""
    found = []
    for name, value in table.items():
        found.append((*path, name))
        if isinstance(value, dict):
            found += places(value, (*path, name))
    return found


PARAMETERS = parameters()
PLACES = places(PARAMETERS)


def changed(path: tuple[str, ...], value: object, *, remove: bool = False) -> dict[str, Any]:
    """The parameters with one of them replaced, added or removed."""
    table = copy.deepcopy(PARAMETERS)
    inner = table
    for name in path[:-1]:
        inner = inner[name]
    if remove:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return table


@pytest.mark.parametrize("path", PLACES, ids=".".join)
def test_a_missing_parameter_is_refused_by_name(path: tuple[str, ...]) -> None:
    with pytest.raises(ProfileError, match=path[-1]):
        Mimc.of(changed(path, None, remove=True))


@pytest.mark.parametrize("path", PLACES, ids=".".join)
def test_an_ill_typed_parameter_is_refused_with_its_place(path: tuple[str, ...]) -> None:
    with pytest.raises(ProfileError, match=r"\.".join(path)):
        Mimc.of(changed(path, None))


@given(
    name=st.text(st.characters(categories=["Ll"]), min_size=1),
    table=st.sampled_from([(), ("blocks",), ("samples",), ("limits",)]),
)
def test_an_unknown_parameter_is_refused_by_name(name: str, table: tuple[str, ...]) -> None:
    path = (*table, name)
    if path in PLACES:
        return
    with pytest.raises(ProfileError) as refused:
        Mimc.of(changed(path, 1))
    assert f"`{name}`" in str(refused.value)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"seed": "00"}, "seed"),
        ({"seed": "GG" * 32}, "seed"),
        ({"rounds": []}, "rounds"),
        ({"rounds": [6]}, "rounds"),
        ({"rounds": [16384]}, "rounds"),
        ({"rounds": [15, 15]}, "twice"),
        ({"rounds": [15.5]}, "rounds"),
        ({"rounds": ["15"]}, "rounds"),
        ({"rounds": "15"}, "rounds"),
        ({"threads": ["two"]}, "threads"),
        ({"threads": ["one", "one"]}, "twice"),
        ({"series": []}, "series"),
        ({"series": [series(track="side")]}, "track"),
        ({"series": [series(instances="some")]}, "instances"),
        ({"series": [series(round=3)]}, "`round`"),
        ({"series": [series(rounds=[7, 7])]}, "twice"),
        ({"series": [series(options={"queries": 1.5})]}, "options"),
        ({"bit_flips": 0}, "bit_flips"),
    ],
)
def test_a_senseless_value_is_refused(change: dict[str, Any], word: str) -> None:
    with pytest.raises(ProfileError) as refused:
        experiment(**change)
    assert word in str(refused.value)
    assert "\n" not in str(refused.value)


@given(low=st.integers(2, 1000), high=st.integers(2, 1000))
def test_a_minimum_above_its_maximum_is_refused(low: int, high: int) -> None:
    blocks = PARAMETERS["blocks"] | {"minimum": low, "maximum": high}
    if low <= high:
        assert experiment(blocks=blocks).blocks.maximum == high
    else:
        with pytest.raises(ProfileError, match="more than"):
            experiment(blocks=blocks)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("name = ", "no TOML"),
        ('inherits = "nobody"', "nobody"),
        ("inherits = 3", "name of a profile"),
        ('inherits = "own"', "inherits from itself"),
        ('name = "own"', "mimc"),
        ('inherits = "standard"\nname = "Own Name"', "name"),
        ('inherits = "standard"\nname = "own"\nspeed = "high"', "speed"),
    ],
)
def test_a_file_that_is_no_profile_is_refused_in_one_sentence(
    tmp_path: Path, text: str, word: str
) -> None:
    path = tmp_path / "own.toml"
    path.write_text(text)
    with pytest.raises(ProfileError) as refused:
        read_profile(path)
    assert word in str(refused.value)
    assert "\n" not in str(refused.value)


def test_an_unknown_profile_is_refused_with_those_that_exist() -> None:
    with pytest.raises(ProfileError, match=r"no profile swift.*smoke"):
        read_profile("swift")
