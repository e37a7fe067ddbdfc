"""What the LaTeX of the paper asks of a run."""

import re


def keys(prose: str) -> set[str]:
    """The keys of `numbers.json` that prose names: numbers, sentences and rows of tables."""
    found = set(re.findall(r"\\result\{([^}#]+)\}", prose))
    found |= {f"finding.{key}" for key in re.findall(r"\\finding\{([^}#]+)\}", prose)}
    return found | {f"rows.{key}" for key in re.findall(r"\\whenrows\{([^}#]+)\}", prose)}
