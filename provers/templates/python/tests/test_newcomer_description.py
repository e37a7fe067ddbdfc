"""What the runner says of itself holds together."""

from nizk_newcomer.system import DESCRIPTION


def test_the_description_has_no_faults() -> None:
    assert DESCRIPTION.faults() == []
