"""A value with its interval and unit, written for a reader: in plain text and in LaTeX.

Rounding follows the interval: a digit that the interval cannot hold is not written.
"""

import math
import re
from dataclasses import dataclass

#: Steps of a unit from large to small: (factor to the base unit, plain symbol, siunitx macro).
SCALES: dict[str, tuple[tuple[float, str, str], ...]] = {
    "ns": (
        (1e9, "s", r"\second"),
        (1e6, "ms", r"\milli\second"),
        (1e3, "µs", r"\micro\second"),
        (1.0, "ns", r"\nano\second"),
    ),
    "bytes": (
        (1e9, "GB", r"\giga\byte"),
        (1e6, "MB", r"\mega\byte"),
        (1e3, "kB", r"\kilo\byte"),
        (1.0, "B", r"\byte"),
    ),
    "percent": ((0.01, "%", r"\percent"),),
}

#: Below this many bytes an exact size is written to the byte, as the papers about proofs do.
EXACT_BYTES = 10_000

#: What stands where a configuration has no value.
MISSING = "–"

#: The digits as exponents.
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"

_LATEX_ESCAPES = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "×": r"$\times$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "<": r"$<$",
    ">": r"$>$",
    **{raised: rf"$^{digit}$" for digit, raised in enumerate(_RAISED)},
    "−": r"$-$",
    "√": r"$\surd$",
    "η": r"$\eta$",
    "ρ": r"$\rho$",
    "\u202f": r"\,",
    "\u00a0": "~",
}

#: What `escape` writes → the character that it stands for; the longest first.
_ESCAPED = {
    latex: character
    for character, latex in sorted(_LATEX_ESCAPES.items(), key=lambda pair: -len(pair[1]))
}
_ANY_ESCAPED = re.compile("|".join(map(re.escape, _ESCAPED)))


@dataclass(frozen=True, slots=True)
class Quantity:
    """A value in its base unit (`ns`, `bytes`, `percent` of one, or `1`) with its interval.

    `low` and `high` equal `value` where the value is exact.
    """

    value: float
    low: float
    high: float
    unit: str = "1"

    @property
    def exact(self) -> bool:
        """Whether the value was the same in every sample, so that no interval belongs to it."""
        return self.low == self.value == self.high


def exact(value: float, unit: str = "1") -> Quantity:
    """A quantity without uncertainty."""
    return Quantity(value, value, value, unit)


def significant_decimals(value: float, low: float, high: float, *, exact_digits: int = 3) -> int:
    """Decimals that an interval supports: one significant digit of its half-width.

    Two where that digit is a one or a two, since rounding would move it by a quarter or more; never
    less than one significant digit of the value and of `low`, never more than four. Where the
    interval contains zero, the value may have none: it is rounded as its interval is. A value
    without an interval has `exact_digits`. The result may be negative: so many places before the
    point.
    """
    if not math.isfinite(value) or value == low == high == 0:
        return 0
    half_width = (high - low) / 2
    if half_width <= 0:
        return exact_digits - 1 - math.floor(math.log10(abs(value)))
    place = math.floor(math.log10(half_width))
    wanted = -place + (1 if round(half_width / 10.0**place, 6) < 3 else 0)
    if low <= 0 <= high:
        return wanted
    leading = math.floor(math.log10(abs(value)))
    # On a logarithmic scale an interval may reach far below its middle: its end is no zero.
    lowest = -math.floor(math.log10(low)) if low > 0 else wanted
    return min(max(wanted, lowest, -leading), 3 - leading)


def _scale(quantity: Quantity) -> tuple[float, str, str]:
    steps = SCALES.get(quantity.unit)
    if steps is None:
        return 1.0, "", ""
    if quantity.unit == "bytes" and quantity.exact and abs(quantity.value) < EXACT_BYTES:
        return steps[-1]
    for factor, plain, latex in steps:
        if abs(quantity.value) >= factor:
            return factor, plain, latex
    return steps[-1]


def _digits(number: float, decimals: int) -> str:
    if decimals < 0:
        return str(int(round(number, decimals)))
    # Adding zero turns what rounds to "-0" into "0".
    return f"{round(number, decimals) + 0.0:.{decimals}f}"


def _parts(quantity: Quantity) -> tuple[str, str, str, str, str]:
    """Digits of value, low and high at one scale and rounding, and the unit twice."""
    factor, plain, latex = _scale(quantity)
    value, low, high = (x / factor for x in (quantity.value, quantity.low, quantity.high))
    if quantity.exact and float(value).is_integer():
        decimals = 0
    else:
        decimals = significant_decimals(
            value, low, high, exact_digits=4 if quantity.unit == "bytes" else 3
        )
    value_digits, low_digits, high_digits = (_digits(x, decimals) for x in (value, low, high))
    return value_digits, low_digits, high_digits, plain, latex


def plain(quantity: Quantity | None, *, interval: bool = False) -> str:
    """`12.3 ms`, or with its interval `12.3 ms [12.1–12.6]`; a dash where nothing was measured."""
    if quantity is None:
        return MISSING
    value, low, high, unit, _ = _parts(quantity)
    text = f"{value}\u202f{unit}" if unit else value
    if interval and not quantity.exact:
        text += f" [{low}–{high}]"
    return text


def times(ratio: Quantity | None) -> str:
    """A ratio with its interval: `5.2 [4.9–5.6] times`."""
    return f"{plain(ratio, interval=True)} times"


def latex(quantity: Quantity | None, *, interval: bool = False) -> str:
    """The same as `plain` in siunitx's macros."""
    if quantity is None:
        return "--"
    value, low, high, _, unit = _parts(quantity)
    text = rf"\qty{{{value}}}{{{unit}}}" if unit else rf"\num{{{value}}}"
    if interval and not quantity.exact:
        text += rf" [\numrange{{{low}}}{{{high}}}]"
    return text


def interval_latex(quantity: Quantity) -> str:
    """The bounds alone, in siunitx's macros."""
    _, low, high, _, unit = _parts(quantity)
    if unit:
        return rf"\qtyrange{{{low}}}{{{high}}}{{{unit}}}"
    return rf"\numrange{{{low}}}{{{high}}}"


def power(base: int, exponent: int) -> str:
    """A power as plain text: `2²⁰`."""
    return f"{base}{''.join(_RAISED[int(digit)] for digit in str(exponent))}"


def escape(text: str) -> str:
    """Plain text as LaTeX, every special character made harmless."""
    return "".join(_LATEX_ESCAPES.get(character, character) for character in text)


def unescape(text: str) -> str:
    """The plain text that `escape` made LaTeX of."""
    return _ANY_ESCAPED.sub(lambda found: _ESCAPED[found.group()], text)
