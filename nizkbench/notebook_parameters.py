"""What a notebook is given: the parameters of an experiment, checked before anything starts.

A notebook is an experiment: `notebooks/NAME.ipynb` has the parameters of the table NAME of a
profile, besides `profile`, `records`, and what `BESIDE` adds.
"""

from collections.abc import Mapping
from typing import Any

from nizkbench.profile import (
    GridPart,
    HashFunctions,
    Mimc,
    NotebookParameters,
    ProfileError,
    RangeProofs,
    StarkGrid,
    read_profile,
)

#: The experiments that have a notebook, by its name.
EXPERIMENTS: dict[str, type[NotebookParameters]] = {
    kind.SECTION: kind for kind in (Mimc, StarkGrid, HashFunctions, RangeProofs)
}

#: Parameters of a notebook that are no part of the experiment's profile.
BESIDE = {StarkGrid.SECTION: GridPart}

#: The variable that tells a notebook of the file that `nizkbench beside` wrote.
KEPT_VARIABLE = "NIZK_BENCH_BESIDE"


def experiment[E: NotebookParameters](kind: type[E], profile: str, given: Mapping[str, Any]) -> E:
    """The parameters of a profile with those that are given in their place.

    A parameter that is None is the profile's. `ProfileError` names one that is unknown or of the
    wrong type, or a profile without this experiment.
    """
    found: E | None = getattr(read_profile(profile), kind.SECTION)
    if found is None:
        raise ProfileError(f"profile {profile} has no section {kind.SECTION}")
    return kind.of(found.parameters() | _chosen(given))


def grid_part(given: Mapping[str, Any]) -> GridPart:
    """What of a grid is measured; a parameter that is None has its default.

    `ProfileError` names one that is unknown or of the wrong type.
    """
    return GridPart.of(_chosen(given))


def all_parameters(name: str, profile: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """All parameters of a notebook but `profile` and `records`, the profile's and those given."""
    beside: dict[str, Any] = {}
    if kind := BESIDE.get(name):
        beside = {one: given[one] for one in kind.__struct_fields__ if one in given}
        kind.of(beside)
    own = {one: value for one, value in given.items() if one not in beside}
    return experiment(EXPERIMENTS[name], profile, own).parameters() | beside


def _chosen(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value is not None}
