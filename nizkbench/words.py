"""Sentences from computed parts."""

from collections.abc import Sequence


def listed(words: Sequence[str]) -> str:
    """Words as a sentence lists them: `a, b and c`; at least one."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def capitalised(text: str) -> str:
    """A text as a sentence begins with it: its first letter is a capital, the others stay."""
    return f"{text[:1].upper()}{text[1:]}"
