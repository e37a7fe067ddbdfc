# What depends on what, from the runners to the paper. The Justfile is how a person starts it:
#
#     snakemake --config profile=standard -- all
#     snakemake --config profile=standard records=data/reference/standard -- paper
#
# Everything right of the records is in build/PROFILE/ and can be deleted. Records stay in
# runs/PROFILE/, which no rule declares as its output, so that no rule can delete them.

import json
import os
import shutil
import subprocess
from pathlib import Path

from nizkbench.errors import NizkBenchError
from nizkbench.layout import recorded_beside
from nizkbench.paper import DOCUMENTS
from nizkbench.profile import read_profile
from nizkbench.runner import find_runners

# Matrices here are small: threads of the linear algebra would only wait for one another.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# So are most tables, and as many stages as there are cores run at once.
os.environ.setdefault("POLARS_MAX_THREADS", "1")

PROFILE = config.get("profile", "standard")
RECORDED = config.get("records")
RECORDS = RECORDED or f"runs/{PROFILE}"
BUILD = f"build/{PROFILE}"


def beside(experiment):
    """The records of an experiment that are kept with those that are read."""
    found = recorded_beside(Path(RECORDED), experiment)
    return None if found is None else str(found)


# Beside recorded tables stand those of the other experiments, if they are recorded at all.
GRID_RECORDED = config.get("grid_records") or (beside("stark-grid") if RECORDED else None)
GRID_RECORDS = GRID_RECORDED or f"runs/{PROFILE}-stark-grid"
P1_RECORDED = config.get("p1_records") or (beside("p1-grinding") if RECORDED else None)
P1_RECORDS = P1_RECORDED or f"runs/{PROFILE}-p1-grinding"
HASH_RECORDED = config.get("hash_records") or (beside("hash-functions") if RECORDED else None)
HASH_RECORDS = HASH_RECORDED or f"runs/{PROFILE}-hash-functions"
RANGE_RECORDED = config.get("range_records") or (beside("range-proofs") if RECORDED else None)
RANGE_RECORDS = RANGE_RECORDED or f"runs/{PROFILE}-range-proofs"
# As many shards as asked for, else as many as were begun, else one.
BEGUN = {path.name.rpartition("-of-")[2] for path in Path(GRID_RECORDS).glob("shard-*-of-*")}
SHARDS = int(config.get("shards") or (BEGUN.pop() if len(BEGUN) == 1 else 1))
GENERATED = f"{BUILD}/generated"
PDFS = [f"{BUILD}/{document}.pdf" for document in DOCUMENTS]
TABLES = "configurations invocations samples sizes counters checks security stops".split()
ANALYSED = "estimates ratios scaling grinding control false_positives harness threads".split()

try:
    HAS_GRID = bool(GRID_RECORDED or (read_profile(PROFILE).stark_grid and not RECORDED))
    HAS_HASHES = bool(HASH_RECORDED or (read_profile(PROFILE).hash_functions and not RECORDED))
    HAS_RANGES = bool(RANGE_RECORDED or (read_profile(PROFILE).range_proofs and not RECORDED))
    HAS_P1 = HAS_GRID and bool(P1_RECORDED or (read_profile(PROFILE).p1_grinding and not RECORDED))
    RUNNERS = find_runners()
    LANGUAGES = {name: runner.language for name, runner in RUNNERS.items()}
except NizkBenchError as error:
    raise WorkflowError(f"error: {error}")


def modules(*names):
    """Files of the package that a stage's result follows from."""
    return [f"nizkbench/{name}.py" for name in ("errors", "records", *names)]


def sources(folder, *suffixes):
    """Files below a folder that a build reads, in a stable order; build folders are left out."""
    return sorted(
        str(path)
        for path in Path(folder).rglob("*")
        if path.suffix in suffixes and not {"target", "vendor", "node_modules"} & {*path.parts}
    )


ANALYSIS = modules(
    "analysis", "estimate", "grinding", "intervals", "distributions", "plan", "ratios", "scaling", "cli/estimate"
)
# What decides a claim: its predicate in the register, and what carries it out.
DECIDING = [
    "data/claims.toml",
    *modules("claims", "claim_register", "predicates", "security", "words"),
]
READING = DECIDING + modules(
    *("results", "quantities", "criteria", "findings", "figures", "lead", "estimate", "coverage", "plan"),
    "harness_cost", "intervals", "distributions",
)

GRID_READING = DECIDING + modules(
    *("grid", "grid_results", "grid_figures", "grid_tables", "grid_findings", "grid_advice"),
    *("grid_claims", "grid_prose", "cells", "choice"),
    "cost_model",
    *("effects", "operations", "proof_size", "security", "figures", "harness_cost", "tables", "quantities", "intervals", "distributions"),
    *("p1_grinding", "p1_published", "p1_together"),
)

HASH_READING = DECIDING + modules(
    *("hash_results", "hash_figures", "hash_tables", "hash_prose", "hash_claims", "hash_speed"),
    *("hash_reference", "trials", "analysed", "analysis", "estimate", "figures", "harness_cost", "tables", "quantities"),
    "intervals", "distributions",
)

RANGE_READING = DECIDING + modules(
    *("range_results", "range_figures", "range_tables", "range_prose", "range_claims"),
    "range_reference",
    *("analysed", "analysis", "estimate", "figures", "harness_cost", "tables", "quantities", "intervals", "distributions"),
)

RUST = [name for name, language in LANGUAGES.items() if language == "rust"]
GO = [name for name, language in LANGUAGES.items() if language == "go"]
NODE = [name for name, language in LANGUAGES.items() if language == "node"]
PYTHON = [name for name, language in LANGUAGES.items() if language == "python"]
# Programs beside the runners that measure what is no proof of a statement.
PROGRAMS = ["hash-speed", "published-p1"]
COMPARED_RUST = [name for name in RUST if RUNNERS[name].plain]
COMPARED_GO = [name for name in GO if RUNNERS[name].plain]
COMPARED_SCRIPTS = [name for name in NODE + PYTHON if RUNNERS[name].plain]



def one_of(names):
    """A pattern of these names; of none, one that nothing matches, where an empty one takes any."""
    return "|".join(names) or "(?!)"


# A profile and the one that the others inherit from.
PROFILES = [path for path in (f"profiles/{PROFILE}.toml", "profiles/standard.toml") if Path(path).exists()]

# What a finished run is known by: a stamp of this build, or the recorded tables themselves.
if RECORDED:
    MEASURED = [f"{RECORDS}/manifest.json", *(f"{RECORDS}/{name}.parquet" for name in TABLES)]
else:
    MEASURED = [f"{BUILD}/measured"]
HARNESS_COST = f"{RECORDS}/overhead.parquet"
COMPARED = [HARNESS_COST] if Path(HARNESS_COST).exists() else []
ESTIMATES = [f"{BUILD}/{name}.parquet" for name in ANALYSED]
if GRID_RECORDED:
    GRID_MEASURED = [
        f"{GRID_RECORDS}/manifest.json",
        *(f"{GRID_RECORDS}/{name}.parquet" for name in TABLES),
    ]
else:
    GRID_MEASURED = [f"{BUILD}/grid/measured"]
if P1_RECORDED:
    # Records from before the published instance was timed lack its table.
    P1_TABLES = [f"{P1_RECORDS}/manifest.json", f"{P1_RECORDS}/published.parquet"]
    P1_MEASURED = [path for path in P1_TABLES if Path(path).exists()]
else:
    P1_MEASURED = [f"{BUILD}/p1-measured"]
if HASH_RECORDED:
    HASH_TABLES = [f"{HASH_RECORDS}/manifest.json", *(f"{HASH_RECORDS}/{name}.parquet" for name in TABLES)]
    HASH_MEASURED = [*HASH_TABLES, f"{HASH_RECORDS}/speed.parquet"]
else:
    HASH_MEASURED = [f"{BUILD}/hashes-measured"]
HASH_RESULTS = [*HASH_MEASURED, *HASH_READING] if HAS_HASHES else []
HASH_OPTION = f" --hashes {HASH_RECORDS}" if HAS_HASHES else ""
if RANGE_RECORDED:
    RANGE_MEASURED = [
        f"{RANGE_RECORDS}/manifest.json",
        *(f"{RANGE_RECORDS}/{name}.parquet" for name in TABLES),
    ]
else:
    RANGE_MEASURED = [f"{BUILD}/ranges-measured"]
RANGE_RESULTS = [*RANGE_MEASURED, *RANGE_READING] if HAS_RANGES else []
RANGE_OPTION = f" --ranges {RANGE_RECORDS}" if HAS_RANGES else ""
P1_MODULES = ("p1_grinding", "p1_published", "p1_together")
GRID_OPTION = f" --grid {GRID_RECORDS}" if HAS_GRID else ""
# Beside the whole grid, the part of it that this profile measures.
PART = f"{Path(GRID_RECORDS).parent}/{PROFILE}-stark-grid"
HAS_PART = bool(GRID_RECORDED) and PART != GRID_RECORDED and Path(f"{PART}/manifest.json").exists()
PART_OPTION = f" --grid-part {PART}" if HAS_PART else ""
P1_OPTION = f" --p1-grinding {P1_RECORDS}" if HAS_P1 else ""
GRID_RESULTS = [*GRID_MEASURED, *GRID_READING] if HAS_GRID else []
P1_RESULTS = [*P1_MEASURED, *modules(*P1_MODULES)] if HAS_P1 else []
RESULTS = [*MEASURED, *COMPARED, *ESTIMATES, "build/coverage.parquet", *READING]
# The analyses of the other experiments, which figures, tables, numbers and report all need.
BESIDE = [f"{BUILD}/beside.pickle"] if HAS_GRID or HAS_HASHES or HAS_RANGES else []
BESIDE_OPTION = f" --beside {BESIDE[0]}" if BESIDE else ""
# A page on one experiment alone does not wait for the others; from recorded tables all are made.
KEPT, KEPT_OPTION = (BESIDE, BESIDE_OPTION) if RECORDED else ([], "")

# What the explorer of the report shows: every run that is there, and what a run is finished by.
RUNS = {
    folder: measured
    for folder, measured, there in (
        (RECORDS, MEASURED, True),
        (GRID_RECORDS, GRID_MEASURED, HAS_GRID),
        (P1_RECORDS, P1_MEASURED, HAS_P1),
        (HASH_RECORDS, HASH_MEASURED, HAS_HASHES),
        (RANGE_RECORDS, RANGE_MEASURED, HAS_RANGES),
    )
    if there
}
REPORT = f"{BUILD}/report"
POINTS = expand(f"{BUILD}/points/{{name}}", name=["configurations.parquet", "estimates.parquet", "runs.json"])
# What all pages of the report have beside them.
SHARED = expand(f"{REPORT}/{{name}}", name=["plotly.min.js", "site.css"])
# Executed notebooks as pages, and the notebook of each.
PAGES = {
    page: notebook
    for page, notebook, there in (
        ("mimc.html", f"{BUILD}/mimc.ipynb", True),
        ("stark-grid.html", f"{BUILD}/stark_grid.ipynb", HAS_GRID),
        ("hash-functions.html", f"{BUILD}/hash_functions.ipynb", HAS_HASHES),
        ("range-proofs.html", f"{BUILD}/range_proofs.ipynb", HAS_RANGES),
    )
    if there
}
SEE = "--see index.html=nizk-bench"


rule all:
    input:
        PDFS,
        f"{REPORT}/index.html",
        expand(f"{REPORT}/{{page}}", page=PAGES),
        f"{BUILD}/summary.md",


# ---- runners -----------------------------------------------------------------------------------

if "NIZK_BENCH_BIN" in os.environ:
    # Nix has built them, and they are inputs of nothing that could be made again here.
    BUILT = []
    PLAIN = []

    rule binaries:
        shell:
            "echo 'runners are those of {binaries}'".format(
                binaries=os.environ["NIZK_BENCH_BIN"]
            )

else:
    BUILT = expand("build/bin/nizk-{name}", name=RUST + PROGRAMS + GO + NODE + PYTHON)
    PLAIN = expand("build/bin/plain-{name}", name=COMPARED_RUST + COMPARED_GO + COMPARED_SCRIPTS)

    rule binaries:
        input:
            BUILT,
            PLAIN,

    # `--examples`, of which there are none, lets what benchmarks depend on choose features too: runner
    # and plain program link the same builds of the same libraries, which are compiled once.
    rule rust_runners:
        input:
            sources("provers", ".rs"),
            sources("provers", ".toml"),
            "provers/Cargo.lock",
        output:
            expand("build/bin/nizk-{name}", name=RUST + PROGRAMS),
        shell:
            """
            cargo build --quiet --release --locked --manifest-path provers/Cargo.toml --bins --examples
            cp $(for file in {output}; do echo "${{CARGO_TARGET_DIR:-provers/target}}/release/$(basename "$file")"; done) build/bin/
            """

    # The plain programs that the runners are compared with. Cargo alone knows what it calls the
    # executables of benchmarks, and says so in its messages.
    rule rust_plain_programs:
        input:
            sources("provers", ".rs"),
            sources("provers", ".toml"),
            "provers/Cargo.lock",
        output:
            expand("build/bin/plain-{name}", name=COMPARED_RUST),
        run:
            built = subprocess.run(
                "cargo bench --quiet --locked --manifest-path provers/Cargo.toml"
                " --bench plain --no-run --message-format json-render-diagnostics".split(),
                check=True,
                stdout=subprocess.PIPE,
            )
            for message in map(json.loads, built.stdout.splitlines()):
                if message.get("executable") and message["target"]["name"] == "plain":
                    name = Path(message["manifest_path"]).parent.name
                    shutil.copy(message["executable"], f"build/bin/plain-{name}")

    rule go_plain_program:
        input:
            sources("provers", ".go"),
            "provers/go.mod",
            "provers/go.sum",
        output:
            "build/bin/plain-{go}",
        wildcard_constraints:
            go=one_of(GO),
        shell:
            "go test -C provers -c -trimpath -buildvcs=false -o $PWD/{output} ./{wildcards.go}"

    rule go_runner:
        input:
            sources("provers", ".go"),
            "provers/go.mod",
            "provers/go.sum",
        output:
            "build/bin/nizk-{go}",
        wildcard_constraints:
            go=one_of(GO),
        shell:
            "go build -C provers -trimpath -buildvcs=false -o $PWD/{output} ./{wildcards.go}"


    # Of Node and Python, what runs is the source itself. The launchers name it by its hash, so that a
    # run is of one source as it is of one binary elsewhere.
    LAUNCHER = """
            {{
                echo '#!/bin/sh'
                echo "# $(cat {input} | sha256sum | cut -d ' ' -f 1), SHA-256 of the source and its lock file"
                echo 'exec "$(dirname -- "$(readlink -f -- "$0")")/../../provers/{wildcards.name}/'$(basename {output})'" "$@"'
            }} > {output}
            chmod +x {output}
            """

    rule node_runner:
        input:
            sources("provers", ".js"),
            lambda wildcards: f"provers/{wildcards.name}/package.json",
            lambda wildcards: f"provers/{wildcards.name}/package-lock.json",
        output:
            "build/bin/nizk-{name}",
        wildcard_constraints:
            name=one_of(NODE),
        shell:
            "npm ci --prefix provers/{wildcards.name} --no-audit --no-fund --silent" + LAUNCHER

    rule python_runner:
        input:
            sources("provers/protocol-py/src", ".py"),
            lambda wildcards: sources(f"provers/{wildcards.name}", ".py"),
            "uv.lock",
        output:
            "build/bin/nizk-{name}",
        wildcard_constraints:
            name=one_of(PYTHON),
        shell:
            LAUNCHER

    # The packages of a runner in Node are brought when the runner itself is.
    rule plain_script:
        input:
            lambda wildcards: f"build/bin/nizk-{wildcards.name}",
            lambda wildcards: sources(f"provers/{wildcards.name}", ".js", ".py"),
        output:
            "build/bin/plain-{name}",
        wildcard_constraints:
            name=one_of(COMPARED_SCRIPTS),
        shell:
            LAUNCHER


# ---- records -----------------------------------------------------------------------------------

rule measure:
    input:
        BUILT,
        PROFILES,
    output:
        touch(f"{BUILD}/measured"),
    # Nothing else may run while this measures.
    threads: workflow.cores
    # Status 3: the run is complete, and some configurations have no times. That is a result.
    shell:
        "nizkbench measure {PROFILE} || test $? = 3"


# The grid of the STARK's options, in as many shards as the configuration says, each measured by the
# experiment's notebook. A shard computes on one core; they run beside each other on the cores of one machine, or as jobs of a cluster:
#
#     snakemake --executor slurm --jobs 8 --cores 1 --slurm-status-command squeue \
#         --default-resources slurm_partition=NAME runtime=300 mem_mb=9000 \
#         --config profile=full shards=8 -- grid
rule grid_shard:
    input:
        BUILT,
        PROFILES,
    output:
        f"{BUILD}/grid/{{shard}}-of-{{shards}}.ipynb",
    wildcard_constraints:
        shard="[0-9]+",
        shards="[0-9]+",
    # Between them they have all cores of this machine, so that nothing else runs while they measure.
    threads: max(1, workflow.cores // SHARDS)
    shell:
        "nizkbench notebook stark_grid --profile {PROFILE} --into {output}"
        " -p 'shard=\"{wildcards.shard}/{wildcards.shards}\"'"


rule grid:
    input:
        expand(f"{BUILD}/grid/{{shard}}-of-{SHARDS}.ipynb", shard=range(1, SHARDS + 1)),
    output:
        touch(f"{BUILD}/grid/measured"),
    localrule: True
    shell:
        "nizkbench grid merge {PROFILE}"


# The experiment of earlier work on the number of queries, repeated.
rule p1_grinding:
    input:
        BUILT,
        PROFILES,
    output:
        touch(f"{BUILD}/p1-measured"),
    threads: workflow.cores
    shell:
        "nizkbench p1-grinding {PROFILE} --into {BUILD}"


# Hash functions in circuits, and alone.
rule hash_functions:
    input:
        BUILT,
        PROFILES,
    output:
        touch(f"{BUILD}/hashes-measured"),
    threads: workflow.cores
    # Status 3: some circuits do not fit into memory. That is a result.
    shell:
        "nizkbench measure {PROFILE} --experiment hash_functions || test $? = 3"


# Ranges of committed values.
rule range_proofs:
    input:
        BUILT,
        PROFILES,
    output:
        touch(f"{BUILD}/ranges-measured"),
    threads: workflow.cores
    # Status 3: some configurations have no times. That is a result.
    shell:
        "nizkbench measure {PROFILE} --experiment range_proofs || test $? = 3"


# The cost of the harness, kept beside the records; not part of `all`, since it needs a quiet machine.
rule overhead:
    input:
        BUILT,
        PLAIN,
    params:
        out=HARNESS_COST,
    threads: workflow.cores
    shell:
        "nizkbench overhead --out {params.out}"


# ---- estimates ---------------------------------------------------------------------------------

rule analyse:
    input:
        ESTIMATES,


rule estimates:
    input:
        MEASURED,
        ANALYSIS,
    output:
        ESTIMATES,
    params:
        records=RECORDS,
    shell:
        "nizkbench estimate {params.records} --into {BUILD}"


# Depends on the estimators alone: made once for all profiles.
rule coverage:
    input:
        modules(
            "coverage", "estimate", "grinding", "intervals", "distributions", "plan", "ratios", "scaling", "cli/coverage"
        ),
    output:
        "build/coverage.parquet",
    shell:
        "nizkbench coverage --into build > /dev/null"


# Analysed once, and read by every rule below that shows them.
rule beside:
    input:
        GRID_RESULTS,
        P1_RESULTS,
        HASH_RESULTS,
        RANGE_RESULTS,
        f"{PART}/manifest.json" if HAS_PART else [],
        READING,
        ANALYSIS,
        modules("beside", "cli/beside", "grid_claims", *P1_MODULES),
    output:
        f"{BUILD}/beside.pickle",
    params:
        options=f"{GRID_OPTION}{P1_OPTION}{PART_OPTION}{HASH_OPTION}{RANGE_OPTION}",
    shell:
        "nizkbench beside{params.options} --into {output}"


# ---- figures, tables, numbers ------------------------------------------------------------------

rule figures:
    input:
        RESULTS,
        BESIDE,
        modules("cli/figures"),
    output:
        directory(f"{GENERATED}/figures"),
    priority: 20  # longest of those that can begin together
    params:
        records=RECORDS,
        beside=BESIDE_OPTION,
    shell:
        "nizkbench figures {params.records} --analysis {BUILD} --into {output}"
        "{params.beside}"


rule tables:
    input:
        RESULTS,
        BESIDE,
        modules("tables", "cli/tables", "claim_verdicts", "analysed"),
    output:
        folder=directory(f"{GENERATED}/tables"),
        summary=f"{BUILD}/summary.md",
    params:
        records=RECORDS,
        beside=BESIDE_OPTION,
    shell:
        "nizkbench tables {params.records} --analysis {BUILD} --into {output.folder}"
        " --summary {output.summary}{params.beside}"


rule numbers:
    input:
        RESULTS,
        BESIDE,
        modules("hash_numbers") if HAS_HASHES else [],
        modules("range_numbers") if HAS_RANGES else [],
        modules("grid_numbers", "grid_prose") if HAS_GRID else [],
        modules("numbers", "tables", "typed_numbers", "made_from", "cli/numbers"),
    output:
        f"{GENERATED}/numbers.tex",
        f"{GENERATED}/numbers.json",
        f"{GENERATED}/runs.json",
    params:
        records=RECORDS,
        beside=BESIDE_OPTION,
    shell:
        "nizkbench numbers {params.records} --analysis {BUILD} --into {GENERATED}"
        "{params.beside}"


# ---- paper and report --------------------------------------------------------------------------

rule paper:
    input:
        PDFS,


rule typeset:
    input:
        sources("paper", ".tex", ".sty", ".bib", ".toml"),
        rules.figures.output,
        rules.tables.output,
        rules.numbers.output,
        modules("paper", "typed_numbers", "words", "cli/paper", "cli/numbers"),
    output:
        f"{BUILD}/{{document}}.pdf",
    wildcard_constraints:
        document="|".join(DOCUMENTS),
    params:
        records=RECORDS,
    shell:
        "nizkbench numbers --lint paper &&"
        " nizkbench paper {params.records} --generated {GENERATED} --into {output}"


rule notebook:
    input:
        RESULTS,
        ANALYSIS,
        "notebooks/mimc.ipynb",
        PROFILES,
        modules("tables", "analysed", "beside", "p1_published", "p1_together", "notebook", "notebook_parameters", "notebook_run", "cli/notebook"),
    output:
        f"{BUILD}/mimc.ipynb",
    priority: 15  # longest of those that can begin together
    params:
        records=f"--records {RECORDED}" if RECORDED else "",
    shell:
        "nizkbench notebook mimc --profile {PROFILE} {params.records} --into {output}"


rule report:
    input:
        f"{REPORT}/index.html",
        expand(f"{REPORT}/{{page}}", page=PAGES),


rule shared:
    input:
        "nizkbench/web/site.css",
        modules("report", "cli/shared"),
    output:
        SHARED,
    shell:
        "nizkbench shared --into {REPORT} > /dev/null"


rule points:
    input:
        *RUNS.values(),
        READING,
        modules("points", "cells", "grinding", "cli/points"),
    output:
        POINTS,
    params:
        runs=" ".join(RUNS),
    shell:
        "nizkbench points {params.runs} --into {BUILD}/points > /dev/null"


rule site:
    input:
        RESULTS,
        BESIDE,
        POINTS,
        SHARED,
        PAGES.values(),
        sources("nizkbench/web", ".html", ".js"),
        modules("claim_verdicts", "analysed", "explorer", "made_from", "points", "report", "site", "cli/site"),
    output:
        expand(f"{REPORT}/{{name}}", name=["index.html", "points.js", "explorer.js", "claims.js", "runs.json"]),
    params:
        records=RECORDS,
        pages=" ".join(f"--page {page}={notebook}" for page, notebook in PAGES.items()),
        beside=BESIDE_OPTION,
    shell:
        "nizkbench site {params.records} --analysis {BUILD} --points {BUILD}/points --into {REPORT}"
        " {params.pages}{params.beside} > /dev/null"


rule mimc_page:
    input:
        rules.notebook.output,
        SHARED,
        "nizkbench/web/notebook.html",
        modules("report", "cli/report"),
    output:
        f"{REPORT}/mimc.html",
    shell:
        "nizkbench report {input[0]} --into {output} {SEE}"


# ---- the grid of the STARK's options -----------------------------------------------------------

if HAS_GRID:

    rule grid_notebook:
        input:
            GRID_MEASURED,
            KEPT,
            GRID_READING,
            READING,
            ANALYSIS,
            "notebooks/stark_grid.ipynb",
            PROFILES,
            modules("analysed", "notebook", "notebook_parameters", "notebook_run", "cli/notebook"),
        output:
            f"{BUILD}/stark_grid.ipynb",
        params:
            records=GRID_RECORDS,
            beside=KEPT_OPTION,
        shell:
            "nizkbench notebook stark_grid --profile {PROFILE} --records {params.records}{params.beside} --into {output}"

    rule grid_report:
        input:
            f"{REPORT}/stark-grid.html",

    rule grid_page:
        input:
            f"{BUILD}/stark_grid.ipynb",
            SHARED,
            "nizkbench/web/notebook.html",
            modules("report", "cli/report"),
        output:
            f"{REPORT}/stark-grid.html",
        shell:
            "nizkbench report {input[0]} --into {output} {SEE}"


# ---- hash functions -----------------------------------------------------------------------------

if HAS_HASHES:

    rule hash_notebook:
        input:
            HASH_MEASURED,
            KEPT,
            HASH_READING,
            READING,
            ANALYSIS,
            "notebooks/hash_functions.ipynb",
            PROFILES,
            modules("analysed", "notebook", "notebook_parameters", "notebook_run", "cli/notebook"),
        output:
            f"{BUILD}/hash_functions.ipynb",
        params:
            records=HASH_RECORDS,
            beside=KEPT_OPTION,
        shell:
            "nizkbench notebook hash_functions --profile {PROFILE} --records {params.records}{params.beside} --into {output}"

    rule hash_report:
        input:
            f"{REPORT}/hash-functions.html",

    rule hash_page:
        input:
            f"{BUILD}/hash_functions.ipynb",
            SHARED,
            "nizkbench/web/notebook.html",
            modules("report", "cli/report"),
        output:
            f"{REPORT}/hash-functions.html",
        shell:
            "nizkbench report {input[0]} --into {output} {SEE}"


# ---- ranges of committed values -----------------------------------------------------------------

if HAS_RANGES:

    rule range_notebook:
        input:
            RANGE_MEASURED,
            KEPT,
            RANGE_READING,
            READING,
            ANALYSIS,
            "notebooks/range_proofs.ipynb",
            PROFILES,
            modules("analysed", "notebook", "notebook_parameters", "notebook_run", "cli/notebook"),
        output:
            f"{BUILD}/range_proofs.ipynb",
        params:
            records=RANGE_RECORDS,
            beside=KEPT_OPTION,
        shell:
            "nizkbench notebook range_proofs --profile {PROFILE} --records {params.records}{params.beside} --into {output}"

    rule range_report:
        input:
            f"{REPORT}/range-proofs.html",

    rule range_page:
        input:
            f"{BUILD}/range_proofs.ipynb",
            SHARED,
            "nizkbench/web/notebook.html",
            modules("report", "cli/report"),
        output:
            f"{REPORT}/range-proofs.html",
        shell:
            "nizkbench report {input[0]} --into {output} {SEE}"
