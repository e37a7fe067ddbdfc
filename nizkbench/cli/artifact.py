"""`nizkbench artifact`: the parts of ARTIFACT.md that follow from recorded runs."""

from typing import Annotated

import typer


def artifact(
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; fail where a part is not up to date.")
    ] = False,
) -> None:
    """Write what the recorded runs say and cost, and each step took, into ARTIFACT.md."""
    from nizkbench import layout
    from nizkbench.artifact import COMMAND, parts, spliced
    from nizkbench.errors import NizkBenchError

    path = layout.root() / "ARTIFACT.md"
    text = path.read_text(encoding="utf-8")
    made = spliced(text, parts(layout.root() / "data"))
    if check:
        if made != text:
            raise NizkBenchError(f"{path.name} is not what the recorded runs say; `{COMMAND}`")
    else:
        path.write_text(made, encoding="utf-8")
    print(path.name)
