from hypothesis import given
from hypothesis import strategies as st

from nizkbench.quantities import Quantity, escape, exact, latex, plain, power, unescape

POSITIVE = st.floats(min_value=1e-3, max_value=1e12)


def test_digits_that_the_interval_cannot_hold_are_not_written() -> None:
    assert plain(Quantity(12_345_678.0, 12_045_678.0, 12_645_678.0, "ns")) == "12.3\u202fms"
    assert plain(Quantity(12_345_678.0, 12_345_000.0, 12_346_000.0, "ns")) == "12.35\u202fms"


def test_interval_and_value_have_the_same_decimals_and_unit() -> None:
    shown = plain(Quantity(999.6e6, 990e6, 1009e6, "ns"), interval=True)
    assert shown == "1000\u202fms [990–1009]"


def test_exact_sizes_are_written_to_the_byte() -> None:
    assert plain(exact(192, "bytes")) == "192\u202fB"
    assert plain(exact(9999, "bytes")) == "9999\u202fB"
    assert plain(exact(197_100, "bytes")) == "197.1\u202fkB"


def test_what_was_not_measured_is_a_dash_and_never_zero() -> None:
    assert plain(None) == "–"
    assert latex(None) == "--"


def test_latex_uses_siunitx_with_the_same_digits_as_plain_text() -> None:
    quantity = Quantity(3.75e6, 3.67e6, 3.83e6, "ns")
    assert latex(quantity, interval=True) == (r"\qty{3.75}{\milli\second} [\numrange{3.67}{3.83}]")
    assert plain(quantity, interval=True) == "3.75\u202fms [3.67–3.83]"


def test_value_that_may_be_zero_keeps_the_digits_of_its_interval() -> None:
    assert plain(Quantity(0.0, -0.03, 0.03), interval=True) == "0.00 [-0.03–0.03]"


def test_value_whose_interval_contains_zero_is_rounded_as_its_interval() -> None:
    assert plain(Quantity(-0.006, -1.004, 0.992), interval=True) == "0.0 [-1.0–1.0]"
    assert plain(Quantity(-0.02, -1.23, 1.19), interval=True) == "0.0 [-1.2–1.2]"
    assert plain(Quantity(0.31, -0.52, 1.14), interval=True) == "0.3 [-0.5–1.1]"


@given(POSITIVE, st.floats(min_value=1e-4, max_value=0.5))
def test_rounding_never_moves_a_value_out_of_its_interval(value: float, share: float) -> None:
    quantity = Quantity(value, value * (1 - share), value * (1 + share))
    written = float(plain(quantity))
    assert abs(written - value) <= value * share * 1.0001 + value * 5e-4


@given(
    st.text(st.characters(codec="utf-8") | st.sampled_from("\\&%$#_{}~^×≤≥<>⁰²−√ηρ\u202f\u00a0"))
)
def test_escaped_text_comes_back_as_it_was(text: str) -> None:
    assert unescape(escape(text)) == text


@given(st.text())
def test_escaped_text_has_no_bare_special_character(text: str) -> None:
    kept = escape(text)
    for place, character in enumerate(kept):
        if character in "%&#_":
            assert kept[place - 1] == "\\"


def test_a_power_is_raised_in_text_and_in_latex() -> None:
    assert power(2, 20) == "2²⁰"
    assert escape(power(2, 20)) == "2$^2$$^0$"
