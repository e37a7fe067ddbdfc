"""What an interval of a runner's time over a plain program's shows of the harness.

`nizkbench.overhead` measures the interval; figures, tables and sentences read it.
"""

from enum import StrEnum
from typing import Self

#: A runner costs nothing if its median is at most this multiple of the plain program's.
MARGIN = 1.03

#: The margin in words.
MARGIN_WORDS = f"{MARGIN - 1:.0%}".replace("%", " %")


class Cost(StrEnum):
    """What an interval of a ratio shows of a runner, and how that is said."""

    WITHIN = f"at most {MARGIN_WORDS} slower"  # or faster
    SLOWER = f"over {MARGIN_WORDS} slower"
    UNDECIDED = "undecided"

    @classmethod
    def of(cls, low: float, high: float) -> Self:
        """What the interval from `low` to `high` shows: all of it lies on one side of `MARGIN`."""
        if high <= MARGIN:
            return cls.WITHIN
        return cls.SLOWER if low > MARGIN else cls.UNDECIDED
