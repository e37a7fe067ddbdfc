"""The paper and its supplement: LaTeX and generated files to PDF, always the same bytes."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from nizkbench.errors import NizkBenchError
from nizkbench.words import listed

_ERROR = re.compile(r"^(?:!|[^\s:]+:\d+:) .*$", re.MULTILINE)
_WARNING = re.compile(r"^(?:LaTeX|Package \w+) Warning: .*undefined.*$", re.MULTILINE)


#: LaTeX asks nothing, stops at the first error, and says in which line it is.
HOW = ("-interaction=nonstopmode", "-halt-on-error", "-file-line-error")

#: The documents that are typeset, by their names in the folder of sources.
DOCUMENTS = ("paper", "supplement")


def build_paper(sources: Path, generated: Path, output: Path, epoch: int) -> None:
    """Typeset the document of `sources` that has the name of `output`, a PDF.

    `generated` is the folder of numbers, tables and figures, and `epoch` (seconds since 1970) the
    only date that TeX sees. LaTeX's own files stay beside the output, so that the next call does
    only what a change needs. `NizkBenchError` where there is no such document, with LaTeX's first
    complaint where it fails, and for a reference that is defined nowhere.
    """
    document = output.stem
    if document not in DOCUMENTS:
        raise NizkBenchError(
            f"{output} is none of the documents, which are {listed(DOCUMENTS)}: name the PDF so"
        )
    if shutil.which("latexmk") is None or shutil.which("pdflatex") is None:
        raise NizkBenchError(
            "latexmk or pdflatex was not found; enter the project by `./enter`, "
            "which names the packages that are missing"
        )
    work = output.parent.resolve() / "latex" / document
    work.mkdir(parents=True, exist_ok=True)
    environment = os.environ | {
        "TEXINPUTS": f".{os.pathsep}{generated.resolve()}{os.pathsep}",
        "SOURCE_DATE_EPOCH": str(epoch),
        "FORCE_SOURCE_DATE": "1",
        "max_print_line": "2000",
    }
    latexmk = ["latexmk", "-pdf", "-norc", f"-outdir={work}"]
    done = subprocess.run(
        [*latexmk, *HOW, f"{document}.tex"],
        cwd=sources,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    log = work / f"{document}.log"
    text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    if done.returncode != 0:
        # What latexmk remembers of a failed run would make the next one fail as well.
        subprocess.run(
            [*latexmk, "-C", f"{document}.tex"],
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
        raise NizkBenchError(f"the {document} cannot be typeset: {said} (whole log: {kept})")
    undefined = _WARNING.search(text)
    if undefined:
        raise NizkBenchError(f"the {document} refers to what is not there: {undefined.group()}")
    shutil.copyfile(work / f"{document}.pdf", output)
