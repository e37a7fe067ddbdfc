# The front door: every command a person types. Start them through ./enter, which brings the tools.

set shell := ["bash", "-euo", "pipefail", "-c"]

# Snakemake decides what must be made again; a profile is one of profiles/*.toml.
# A run that was killed leaves no lock behind: what must not be written twice at once has its own.
make := "snakemake --nolock --rerun-incomplete --cores all --quiet host reason rules --config"
provers := "provers/Cargo.toml"
zokrates := "provers/zokrates"
web := "nizkbench/web"

[private]
default:
    @{{ just_executable() }} --list --unsorted

# Says in one sentence what is wrong with a name, where Snakemake would say it in twelve lines.
[no-exit-message, private]
ready PROFILE RECORDS="":
    @nizkbench ready {{ PROFILE }} {{ RECORDS }}

# The report that was built last is the one that build/report leads to.
[private]
lead PROFILE:
    @ln -sfn {{ PROFILE }}/report build/report
    @echo "the report: build/report/index.html"

# What this machine will do to the times, and what to do about it
[group('look around')]
doctor:
    nizkbench doctor

# Every claim with its verdict and why, of the recorded runs or of FOLDER/PROFILE and what is beside it
[group('look around')]
[no-exit-message]
claims PROFILE="standard" FOLDER="data/reference":
    @nizkbench claims {{ FOLDER }}/{{ PROFILE }}

# A run and those beside it, with verdicts and what was built from them, as one RO-Crate, build/PROFILE.zip
[group('one step')]
bundle PROFILE="standard" RECORDS="runs":
    nizkbench bundle {{ RECORDS }}/{{ PROFILE }} --build build/{{ PROFILE }} --into build/{{ PROFILE }}.zip

# Verify a bundle and lay it out in a new folder, to be analysed there without measuring
[group('one step')]
unbundle FILE INTO:
    nizkbench unbundle {{ FILE }} --into {{ INTO }}

# Write what the recorded runs say and cost, and what each step took, into ARTIFACT.md
[group('one step')]
artifact:
    nizkbench artifact

# Where a number of the paper comes from, by its key or as it is printed, of what was built last
[group('look around')]
whence KEY PROFILE="standard": (ready PROFILE)
    @[ -e build/{{ PROFILE }}/generated/numbers.json ] || {{ make }} profile={{ PROFILE }} records=data/reference/{{ PROFILE }} -- build/{{ PROFILE }}/generated/numbers.json > /dev/null
    @nizkbench whence {{ quote(KEY) }} --numbers build/{{ PROFILE }}/generated/numbers.json

# Where a run of this machine agrees with the recorded one on ratios, orders and growth, and where not
[group('look around')]
[no-exit-message]
compare RUN="runs/standard":
    @nizkbench compare {{ RUN }}

# JupyterLab on the notebooks; the first cell of the one that opens shows a figure of the recorded run
[group('look around')]
lab:
    jupyter lab $([ "$(id -u)" != 0 ] || echo --allow-root) notebooks/visit.ipynb

# Every system at two sizes, from nothing to one page of results
[group('reproduce')]
smoke: (reproduce "smoke")

# From nothing to the paper and the report of a profile
[group('reproduce')]
reproduce PROFILE="standard": (ready PROFILE)
    {{ make }} profile={{ PROFILE }} -- all
    @{{ just_executable() }} lead {{ PROFILE }}

# Paper, supplement and report from the recorded runs, or those of a folder, without measuring
[group('reproduce')]
rebuild PROFILE="standard" RECORDS="": (ready PROFILE if RECORDS == "" { "data/reference/" + PROFILE } else { RECORDS })
    {{ make }} profile={{ PROFILE }} records={{ if RECORDS == "" { "data/reference/" + PROFILE } else { RECORDS } }} -- all
    @{{ just_executable() }} lead {{ PROFILE }}

# The runners and the plain programs they are compared with, into build/bin/
[group('one step')]
build:
    {{ make }} profile=standard -- binaries

# Carry out a profile, or go on with it where it was stopped; the records go to runs/PROFILE/
[group('one step')]
measure PROFILE="standard": (ready PROFILE)
    {{ make }} profile={{ PROFILE }} -- measure

# The grid of STARK options in SHARDS parts, one to a core; the records go to runs/PROFILE-stark-grid/
[group('one step')]
grid PROFILE="standard" SHARDS="1": (ready PROFILE)
    {{ make }} profile={{ PROFILE }} shards={{ SHARDS }} -- grid

# The grid's executed notebook with interactive figures, build/PROFILE/report/stark-grid.html
[group('one step')]
grid-report PROFILE="standard" RECORDS="": (ready PROFILE)
    {{ make }} profile={{ PROFILE }} {{ if RECORDS == "" { "" } else { "grid_records=" + RECORDS } }} -- grid_report

# Why 42 queries proved six times slower than 41: measured again, on the published library and today's
[group('one step')]
p1-grinding PROFILE="standard": (ready PROFILE)
    {{ make }} profile={{ PROFILE }} -- p1_grinding

# Hash functions in circuits and alone; the records go to runs/PROFILE-hash-functions/
[group('one step')]
hash-functions PROFILE="standard": (ready PROFILE)
    {{ make }} profile={{ PROFILE }} -- hash_functions

# The executed notebook on hash functions, build/PROFILE/report/hash-functions.html
[group('one step')]
hash-report PROFILE="standard" RECORDS="": (ready PROFILE)
    {{ make }} profile={{ PROFILE }} {{ if RECORDS == "" { "" } else { "hash_records=" + RECORDS } }} -- hash_report

# Ranges of committed values, one and many at once; the records go to runs/PROFILE-range-proofs/
[group('one step')]
range-proofs PROFILE="standard": (ready PROFILE)
    {{ make }} profile={{ PROFILE }} -- range_proofs

# The executed notebook on ranges, build/PROFILE/report/range-proofs.html
[group('one step')]
range-report PROFILE="standard" RECORDS="": (ready PROFILE)
    {{ make }} profile={{ PROFILE }} {{ if RECORDS == "" { "" } else { "range_records=" + RECORDS } }} -- range_report

# What the harness itself costs: every runner against a plain program; kept beside the records
[group('one step')]
overhead PROFILE="standard": (ready PROFILE)
    {{ make }} profile={{ PROFILE }} -- overhead

# Estimates from the records of runs/PROFILE/, or of the folder RECORDS
[group('one step')]
analyse PROFILE="standard" RECORDS="": (ready PROFILE RECORDS)
    {{ make }} profile={{ PROFILE }} {{ if RECORDS == "" { "" } else { "records=" + RECORDS } }} -- analyse

# The paper and its supplement, build/PROFILE/paper.pdf and supplement.pdf
[group('one step')]
paper PROFILE="standard" RECORDS="": (ready PROFILE RECORDS)
    {{ make }} profile={{ PROFILE }} {{ if RECORDS == "" { "" } else { "records=" + RECORDS } }} -- paper

# The report with explorer, claims, notebooks and manifests, build/report/index.html; no network
[group('one step')]
report PROFILE="standard" RECORDS="": (ready PROFILE RECORDS)
    {{ make }} profile={{ PROFILE }} {{ if RECORDS == "" { "" } else { "records=" + RECORDS } }} -- report
    @{{ just_executable() }} lead {{ PROFILE }}

# Keep what is complete of a profile as reference: runs/PROFILE*/ to data/reference/PROFILE*/
[group('one step')]
record PROFILE="standard":
    #!/usr/bin/env bash
    set -euo pipefail
    complete() { # RUN: a grid is complete when all of its shards are, and have been merged
        [ -e "$1/.complete" ] && return
        [ -e "$1/manifest.json" ] || return
        local shard
        for shard in "$1"/shard-*; do [ -e "$shard/.complete" ] || return; done
    }
    recorded=0
    for experiment in "" -stark-grid -p1-grinding -hash-functions -range-proofs; do
        run=runs/{{ PROFILE }}$experiment kept=data/reference/{{ PROFILE }}$experiment
        if complete "$run"; then
            if [ -e "$kept/overhead.parquet" ] && [ ! -e "$run/overhead.parquet" ]; then
                echo "error: $kept has the cost of the harness and $run has not; 'just overhead {{ PROFILE }}' measures it." >&2
                exit 1
            fi
            rm -rf "$kept"
            mkdir -p "$kept"
            cp "$run"/manifest.json "$run"/*.parquet "$kept"/
            echo "$kept"
            recorded=1
        fi
    done
    [ "$recorded" = 1 ] || { echo "error: no run of {{ PROFILE }} is complete; 'just reproduce {{ PROFILE }}' goes on with them." >&2; exit 1; }

# A runner for a new library, in rust, go, node or python, that keeps the protocol; and what is left
[group('extend')]
new-runner NAME LANGUAGE:
    @nizkbench new-runner {{ quote(NAME) }} {{ quote(LANGUAGE) }}
    @# In the environment of Nix, runners are read-only: this one is made here.
    env -u NIZK_BENCH_BIN {{ make }} profile=standard -- build/bin/nizk-{{ NAME }}
    nizkbench conform {{ NAME }} --structure

# Every test: pytest, cargo test, go test and node --test, with one sum at the end
[group('check')]
test: build
    #!/usr/bin/env bash
    set -uo pipefail
    results=build/tests
    rm -rf "$results" && mkdir -p "$results" || exit 1
    status=0
    # Node's tests, which keep one core for minutes, run beside the next; what they say is told after.
    mapfile -d '' -t node < <(find provers -name node_modules -prune -o -name '*.test.js' -print0)
    node --test --test-reporter=tap "${node[@]}" >"$results/node.txt" 2>&1 &
    beside=$!
    trap 'kill "$beside" 2>/dev/null' EXIT
    # Ignored are tests that need Node and ZoKrates' packages, which the build has brought.
    cargo test --manifest-path {{ provers }} --workspace --locked -- --include-ignored 2>&1 | tee "$results/cargo.txt" || status=1
    go -C provers test -v ./... 2>&1 | tee "$results/go.txt" || status=1
    wait "$beside" || status=1
    trap - EXIT
    cat "$results/node.txt"
    # A module to a core (tests/conftest.py); in their order, since the longest are not the last.
    pytest --numprocesses auto --no-loadscope-reorder --durations=25 --durations-min=10 --junitxml="$results/pytest.xml" || status=1
    python tests/totals.py "$results" || status=1
    exit $status

# Whether a runner (all of them if none is named) keeps the protocol and proves what it says
[group('check')]
conform RUNNER="" *OPTIONS: build
    nizkbench conform {{ RUNNER }} {{ OPTIONS }}

# Formatting, lints and types of every language, warnings as errors; numbers typed into the paper
[group('check')]
lint:
    nizkbench numbers --lint paper
    ruff format --check
    ruff check
    mypy
    cargo fmt --manifest-path {{ provers }} --all --check
    cargo clippy --manifest-path {{ provers }} --workspace --all-targets --locked -- -D warnings
    @unformatted=$(git ls-files -z 'provers/*.go' | xargs -0 gofmt -l); test -z "$unformatted" || { echo "error: gofmt would change $unformatted" >&2; exit 1; }
    go -C provers vet ./...
    [ -d {{ zokrates }}/node_modules ] || npm ci --prefix {{ zokrates }} --no-audit --no-fund --silent
    npm --prefix {{ zokrates }} --silent run check
    {{ zokrates }}/node_modules/.bin/eslint --config {{ zokrates }}/eslint.config.js {{ web }}
    {{ zokrates }}/node_modules/.bin/prettier --config {{ zokrates }}/.prettierrc.json --log-level warn --check {{ web }}/*.js {{ web }}/*.css

# Remove what can be made again from sources and records; runs/ and the environment stay
[group('check')]
clean:
    if [ -d build ]; then find build -mindepth 1 -maxdepth 1 ! -name nix -exec rm -rf {} +; fi
    rm -rf provers/target .snakemake .mypy_cache .ruff_cache .pytest_cache .hypothesis
