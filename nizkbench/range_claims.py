"""What this project claims of proofs of ranges, decided over a run of that experiment.

Subjects are systems, at 64 bits; `SYSTEM with bits=8` is one at other bits, `SYSTEM with batch=16`
its batches of so many proofs, whose metric `verify-batch` is the time of all of them.
"""

from dataclasses import dataclass
from typing import Final

from nizkbench.claim_register import members
from nizkbench.claims import Terms
from nizkbench.predicates import Subjects
from nizkbench.range_results import RangeResults
from nizkbench.results import system_label

#: What the register has these claims under.
EXPERIMENT: Final = "range-proofs"


@dataclass(frozen=True, slots=True)
class RangeTerms(Terms):
    """The systems of the experiment on equal terms: at 64 bits, on one thread."""

    @property
    def series(self) -> dict[str, str]:
        """System → its series at 64 bits."""
        ranges = RangeResults(self.results)
        found = {system: ranges.series(system) for system in ranges.systems}
        return {system: series for system, series in found.items() if series is not None}

    def members(self, subjects: Subjects) -> tuple[str, ...]:
        """The systems that a name of the register stands for."""
        return members(EXPERIMENT, subjects)

    def place(self, size: int) -> str:
        """A number of values in words."""
        return "for one value" if size == 1 else f"for {size} values"

    def name(self, subject: str) -> str:
        """What a subject is called in a sentence."""
        system, _, changed = subject.partition(" with ")
        label = system_label(system)
        return f"{label} ({changed})" if changed else label


def range_terms(results: RangeResults) -> RangeTerms:
    """What the experiment has to say to the claims on it."""
    return RangeTerms(results.results, "equal")
