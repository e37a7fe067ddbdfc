"""Refuses prose with a measured number typed by hand."""

import re
import tomllib
from collections.abc import Container
from pathlib import Path

from nizkbench.errors import NizkBenchError

#: The file beside the prose that lists what may stand in `\quoted{…}`, and where each comes from.
QUOTED_FILE = "quoted.toml"

_PREFIXES = "nano|micro|milli|kilo|mega|giga|tera|kibi|mebi|gibi|tebi"
_UNITS = (
    r"ns|[µμu]s|\\us|\$?\\mu\$?\s*s|ms|s|secs?|min|h|hours?|days?|"
    rf"(?:{_PREFIXES})?(?:seconds?|minutes?|bytes?|bits?)|[kKMGT]?i?B|[kKMGT]i?bit|[kMG]?Hz|"
    r"times|fold|x|percent|\\?%|\\times|×|"
    rf"\\(?:{_PREFIXES}|second|byte|minute|percent)"
)
_SPACE = r"(?:\s|~|\\,|\\;|\\:|\\!|-|\\ |\$|\}\{|\{|\})"
_TYPED = re.compile(rf"(?<![\w.\\-])(\d[\d.,]*)(?:{_SPACE})*(?:{_UNITS})(?![A-Za-z])")
#: No count has one. Lengths of the layout and numbers of parts are left out beforehand.
_DECIMAL = re.compile(r"(?<![\w.\\])\d*\.\d+(?![\w.]|\s*\\(?:line|text|column)width)")
_LENGTH = re.compile(r"-?\d*\.?\d+(?:pt|ex|em|cm|mm)\b")
_PART = re.compile(r"\b(?:Section|Chapter|Table|Figure|Equation|Appendix|Theorem)s?[\s~]+[\d.]+\d")
_NUMBER = r"\d[\d.,]*"
_BETWEEN = rf"(?:{_SPACE}|–|—|−|,|;|to\b)"
#: What has an interval was measured, with a unit or without.
_INTERVAL = re.compile(
    rf"(?<![\w.\\]){_NUMBER}(?:{_SPACE})*\[{_BETWEEN}*{_NUMBER}{_BETWEEN}+{_NUMBER}(?:{_SPACE})*\]"
)
_FACTOR = re.compile(r"\bfactors?\s+of[\s~]+\$?\d[\d.,]*")
_SIUNITX = re.compile(r"\\(?:qty|num|SI|si|qtyrange|numrange|qtylist|numlist)\b")
_ARGUMENT = r"\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}"
_QUOTED = re.compile(rf"\\quoted\s*{_ARGUMENT}")
_BY_KEY = re.compile(
    r"\\(?:result|resultinterval|finding|verdict|cite\w*|label|"
    rf"ref|cref|Cref|input|include|includegraphics|renewcommand)\s*(?:\[[^\]]*\])?(?:{_ARGUMENT})+"
)
_COMMENT = re.compile(r"(?<!\\)%.*")
_BEGIN = r"\begin{document}"


def typed_numbers(text: str, quoted: Container[str] = ()) -> list[tuple[int, str]]:
    r"""Lines and fragments of LaTeX prose that look like a measured number typed by hand.

    Those of this run stand in `\result{…}`. Constants of a protocol and numbers of earlier work
    stand in `\quoted{…}` and must be in `quoted`. Everything else that has a unit is found,
    wherever the line is broken, and so is every decimal, every number before an interval in
    brackets, every factor and every macro of siunitx.
    What stands before `\begin{document}` is no prose.
    """
    prose = _COMMENT.sub("", text)
    if _BEGIN in prose:
        preamble, _, body = prose.partition(_BEGIN)
        prose = "\n" * preamble.count("\n") + body
    found = []
    for match in _QUOTED.finditer(prose):
        if " ".join(match[1].split()) not in quoted:
            found.append((match.start(), match.group()))
    for macro in (_QUOTED, _BY_KEY, _LENGTH, _PART):
        prose = macro.sub(_blank, prose)
    for pattern in (_TYPED, _DECIMAL, _INTERVAL, _FACTOR, _SIUNITX):
        found += [(match.start(), match.group()) for match in pattern.finditer(prose)]
    return [
        (prose.count("\n", 0, start) + 1, " ".join(fragment.split()))
        for start, fragment in sorted(found)
    ]


def _blank(match: re.Match[str]) -> str:
    """As many characters and lines as matched, of which none is looked at again."""
    return re.sub(r"[^\n]", "_", match.group())


def quoted_constants(folder: Path) -> dict[str, str]:
    r"""What prose below `folder` may say in `\quoted{…}`, and where each comes from."""
    path = folder / QUOTED_FILE
    if not path.is_file():
        return {}
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise NizkBenchError(f"{path} is no TOML ({error})") from error
    return {constant: str(source) for constant, source in table.items()}


def lint(folder: Path) -> None:
    """Refuse prose with a measured number typed by hand; every place is named."""
    quoted = quoted_constants(folder)
    places = [
        f"{path}:{line}: {fragment}"
        for path in sorted(folder.rglob("*.tex"))
        for line, fragment in typed_numbers(path.read_text(encoding="utf-8"), quoted)
    ]
    if places:
        raise NizkBenchError(
            "numbers typed by hand, where \\result{key} is needed, or \\quoted{number} and a line"
            f" in {folder / QUOTED_FILE}: " + "; ".join(places)
        )
