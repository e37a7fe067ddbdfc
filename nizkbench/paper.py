"""The paper: LaTeX sources and generated files to one PDF, the same bytes from the same inputs."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from nizkbench.errors import NizkBenchError

_ERROR = re.compile(r"^(?:!|[^\s:]+:\d+:) .*$", re.MULTILINE)
_WARNING = re.compile(r"^(?:LaTeX|Package \w+) Warning: .*undefined.*$", re.MULTILINE)


def build_paper(sources: Path, generated: Path, output: Path, epoch: int) -> None:
    """Typeset `sources/main.tex` with the files of `generated` into the PDF `output`.

    `epoch` (seconds since 1970) is the only date that TeX sees. LaTeX's own files stay beside the
    output, so that the next call does only what a change needs. `NizkBenchError` with LaTeX's
    first complaint where it fails, and for a reference that is defined nowhere.
    """
    if shutil.which("latexmk") is None or shutil.which("pdflatex") is None:
        raise NizkBenchError(
            "latexmk or pdflatex was not found; enter the project by `./enter`, "
            "which names the packages that are missing"
        )
    work = output.parent.resolve() / "latex"
    work.mkdir(parents=True, exist_ok=True)
    environment = os.environ | {
        "TEXINPUTS": f".{os.pathsep}{generated.resolve()}{os.pathsep}",
        "SOURCE_DATE_EPOCH": str(epoch),
        "FORCE_SOURCE_DATE": "1",
        "max_print_line": "2000",
    }
    latexmk = ["latexmk", "-pdf", "-norc", f"-outdir={work}"]
    done = subprocess.run(
        [*latexmk, "-interaction=nonstopmode", "-halt-on-error", "-file-line-error", "main.tex"],
        cwd=sources,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    log = work / "main.log"
    text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    if done.returncode != 0:
        # What latexmk remembers of a failed run would make the next one fail as well.
        subprocess.run(
            [*latexmk, "-C", "main.tex"],
            cwd=sources,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        kept = work / "failed.log"
        kept.write_text(text, encoding="utf-8")
        complaint = _ERROR.search(text)
        said = complaint.group() if complaint else f"latexmk ended with status {done.returncode}"
        raise NizkBenchError(f"the paper cannot be typeset: {said} (whole log: {kept})")
    undefined = _WARNING.search(text)
    if undefined:
        raise NizkBenchError(f"the paper refers to what is not there: {undefined.group()}")
    shutil.copyfile(work / "main.pdf", output)
