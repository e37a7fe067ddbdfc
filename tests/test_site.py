"""The report as its reader meets it: in a browser, from the disk, without a network."""

import os
import random
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlencode

import nbformat.v4
import plotly.graph_objects as go
import polars as pl
import pytest

from nizkbench import layout
from nizkbench.analysis import analyse
from nizkbench.claim_verdicts import Judged, judged
from nizkbench.estimate import write_tables
from nizkbench.explorer import explorer_script
from nizkbench.figures import LATER_MARKERS, MARKERS
from nizkbench.hash_results import read_hash_results
from nizkbench.points import points, read_points, write_points
from nizkbench.quantities import Quantity, plain
from nizkbench.records import read_run
from nizkbench.report import WEB, report_page, write_report, write_shared
from nizkbench.results import Results, results_of, variant_of
from nizkbench.site import front_page, write_site
from tests.browser import Browser, NoBrowserError, browser

ROOT = layout.root()
MAIN = "standard"
RUNS = (MAIN, "standard-stark-grid", "standard-p1-grinding", "full-hash-functions")

#: What a browser may take for all pages together, which is "well under 20 MB".
MOST_BYTES = 18_000_000


@dataclass(frozen=True)
class Site:
    """A built report, and the tables that it was built from."""

    folder: Path
    configurations: pl.DataFrame
    estimates: pl.DataFrame
    false_positives: pl.DataFrame
    results: Results
    verdicts: Sequence[Judged]
    notebooks: Mapping[str, Path]

    @property
    def front(self) -> Path:
        return self.folder / "index.html"

    def wide(self, *metrics: str) -> pl.DataFrame:
        """Configurations with some metrics as columns, null where one has none."""
        found = self.configurations
        for metric in metrics:
            values = self.estimates.filter(pl.col("metric") == metric).select(
                "run", "configuration", pl.col("value").alias(metric)
            )
            found = found.join(values, on=["run", "configuration"], how="left")
        return found

    def told(self, run: str, configuration: str) -> dict[str, tuple[float, str]]:
        """The value of every metric of a configuration, and how it is written."""
        rows = self.estimates.filter(
            (pl.col("run") == run) & (pl.col("configuration") == configuration)
        )
        return {row["metric"]: (row["value"], written(row)) for row in rows.iter_rows(named=True)}


def written(row: Mapping[str, object]) -> str:
    value, low, high = (row[name] for name in ("value", "low", "high"))
    assert isinstance(value, float)
    low, high = (one if isinstance(one, float) else value for one in (low, high))
    unit = str(row["unit"])
    text = plain(Quantity(value, low, high, "1" if unit == "bits" else unit), interval=True)
    return f"{text}\u202fbits" if unit == "bits" else text


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The report of the recorded runs, with the smaller grid."""
    folder = tmp_path_factory.mktemp("report")
    recorded = layout.reference()
    main = read_run(recorded / MAIN)
    tables = analyse(main.records)
    results = results_of(main, tables)
    verdicts = judged(results, read_hash_results(recorded / "full-hash-functions"), None)
    write_points(points([recorded / name for name in RUNS]), folder / "points")
    write_tables({"false_positives": tables["false_positives"]}, folder)
    notebooks = {"mimc.html": ROOT / "notebooks/mimc.ipynb"}
    report = folder / "report"
    write_site(results, read_points(folder / "points"), verdicts, notebooks, report)
    write_shared(report)
    write_report(notebooks["mimc.html"], report / "mimc.html", {"index.html": "nizk-bench"})
    return Site(
        report,
        pl.read_parquet(folder / "points/configurations.parquet"),
        pl.read_parquet(folder / "points/estimates.parquet"),
        pl.read_parquet(folder / "false_positives.parquet"),
        results,
        verdicts,
        notebooks,
    )


@pytest.fixture(scope="module")
def window() -> Iterator[Browser]:
    yield from _window(1280, 1000)


@pytest.fixture
def telephone() -> Iterator[Browser]:
    yield from _window(390, 800)


def _window(width: int, height: int) -> Iterator[Browser]:
    try:
        with browser(width, height) as found:
            yield found
    except NoBrowserError as error:
        if os.environ.get("CI"):
            pytest.fail(str(error))
        pytest.skip(str(error))


def view(**chosen: str | Sequence[str]) -> str:
    """What stands behind the # of the address for a view."""
    return f"#{urlencode(chosen, doseq=True)}"


def shown(window: Browser) -> int:
    """How many points the plot has, which is what the page says."""
    drawn = window.number(
        "return document.getElementById('plot').data.filter((trace) => trace.customdata)"
        ".reduce((sum, trace) => sum + trace.x.length, 0)"
    )
    assert window.number("return +document.getElementById('count').dataset.shown") == drawn
    return int(drawn)


def chip(facet: str, value: str) -> str:
    return f'.chip[data-facet="{facet}"][data-value="{value}"]'


def test_pages_load_from_the_disk_without_a_complaint(site: Site, window: Browser) -> None:
    for page in ("index.html", "mimc.html"):
        window.open(site.folder / page)
        assert window.complaints() == []
    window.open(site.front)
    links = window.run(
        "return [...document.querySelectorAll('a[href], script[src], link[href]')]"
        ".map((one) => one.getAttribute('href') ?? one.getAttribute('src'))"
    )
    assert isinstance(links, list)
    for link in links:
        if link.startswith("#"):
            assert window.run("return document.querySelector(arguments[0]) !== null", link), link
        else:
            assert (site.folder / link).is_file(), link


def test_a_complaint_would_be_seen(tmp_path: Path, window: Browser) -> None:
    broken = tmp_path / "broken.html"
    broken.write_text("<script src=missing.js></script><script>throw Error('x')</script>")
    window.open(broken)
    assert len(window.complaints()) == 2


def test_figures_of_a_notebook_are_drawn(tmp_path: Path, window: Browser) -> None:
    figure = go.Figure(go.Scatter(x=[1, 2], y=[3, 4])).to_plotly_json()
    output = nbformat.v4.new_output(  # type: ignore[no-untyped-call]
        "display_data", data={"application/vnd.plotly.v1+json": figure}
    )
    cell = nbformat.v4.new_code_cell("draw()", outputs=[output])  # type: ignore[no-untyped-call]
    page = report_page(nbformat.v4.new_notebook(cells=[cell]))  # type: ignore[no-untyped-call]
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    write_shared(tmp_path)
    window.open(tmp_path / "page.html")
    assert window.number("return document.querySelectorAll('.figure .point').length") == 2
    assert window.complaints() == []


def test_same_records_make_the_same_bytes(site: Site, tmp_path: Path) -> None:
    again = read_points(site.folder.parent / "points")
    for path in write_site(site.results, again, site.verdicts, site.notebooks, tmp_path):
        assert path.read_bytes() == (site.folder / path.name).read_bytes(), path.name


def test_folders_stand_as_they_were_given(site: Site) -> None:
    given = {name: f"data/reference/{name}" for name in RUNS}
    found = replace(read_points(site.folder.parent / "points"), folders=given)
    page = front_page(site.results, found, site.verdicts, site.notebooks)
    assert str(ROOT) not in page + explorer_script(found)


def test_filters_leave_as_many_points_as_the_tables_have(site: Site, window: Browser) -> None:
    wide = site.wide("size:proof", "time_to_proof")
    has_both = pl.col("size:proof").is_not_null() & pl.col("time_to_proof").is_not_null()
    window.open(site.front, view(x="size:proof", y="time_to_proof"))
    assert shown(window) == wide.filter(has_both).height
    assert wide.filter(has_both).height < wide.height

    chosen = has_both
    for facet, value, by in (
        ("threads", "one", pl.col("threads_label") == "one"),
        ("run", MAIN, pl.col("run") == MAIN),
        ("soundness", "sound", pl.col("sound")),
        ("size", "255 rounds", (pl.col("size") == 255) & (pl.col("size_name") == "rounds")),
        ("system", "winterfell/stark/f128", pl.col("system") == "winterfell/stark/f128"),
    ):
        before = shown(window)
        window.click(chip(facet, value))
        chosen &= by
        assert shown(window) == wide.filter(chosen).height < before
    assert shown(window) > 0

    # A second value of one facet adds its points, and the first one again takes its own away.
    window.click(chip("size", "4095 rounds"))
    both = wide.filter(
        has_both,
        pl.col("threads_label") == "one",
        pl.col("run") == MAIN,
        "sound",
        pl.col("size").is_in([255, 4095]),
        pl.col("system") == "winterfell/stark/f128",
    )
    assert shown(window) == both.height
    window.click("#everything")
    assert shown(window) == wide.filter(has_both).height


def test_words_choose_by_options(site: Site, window: Browser) -> None:
    window.open(
        site.front, view(x="size:proof", y="verify", run="standard-stark-grid", find="blowup=8")
    )
    options = site.configurations.filter(pl.col("run") == "standard-stark-grid")["options"]
    wanted = [text for text in options if '"blowup":8,' in text]
    assert shown(window) == len(wanted) > 0


def test_pointer_and_click_tell_what_the_tables_have(site: Site, window: Browser) -> None:
    chosen = {"run": MAIN, "threads": "one", "track": "main", "size": "4095 rounds"}
    window.open(site.front, view(x="size:proof", y="time_to_proof", **chosen))
    rows = site.configurations.filter(
        pl.col("run") == MAIN,
        pl.col("threads_label") == "one",
        pl.col("track") == "main",
        pl.col("size") == 4095,
    )
    assert shown(window) == rows.height > 5
    window.run("document.getElementById('plot').scrollIntoView({ block: 'center' })")
    for number, row in enumerate(rows.iter_rows(named=True)):
        told = site.told(MAIN, row["configuration"])
        x, y = (told[metric][0] for metric in ("size:proof", "time_to_proof"))
        place = window.run(
            "const plot = document.getElementById('plot'), { xaxis, yaxis } = plot._fullLayout;"
            "const box = plot.querySelector('.main-svg').getBoundingClientRect();"
            "return [box.left + xaxis._offset + xaxis.d2p(arguments[0]),"
            " box.top + yaxis._offset + yaxis.d2p(arguments[1])]",
            x,
            y / 1e9,
        )
        assert isinstance(place, list)
        window.point_at(*place)
        label = window.text(".hoverlayer")
        assert row["series"] in label
        for metric in ("size:proof", "time_to_proof"):
            assert told[metric][1] in label
        if number < 3:
            window.point_at(*place, click=True)
            assert pinned(window) == told
            assert row["configuration"] in window.text("#pinned")
            window.run("document.getElementById('plot').scrollIntoView({ block: 'center' })")


def pinned(window: Browser) -> dict[str, tuple[float, str]]:
    """Every metric of the pinned configuration: its value, and how it is written."""
    found = window.run(
        "return [...document.querySelectorAll('#pinned tr[data-metric]')].map((row) =>"
        " [row.dataset.metric, row.querySelector('data').value,"
        " row.querySelector('data').textContent])"
    )
    assert isinstance(found, list)
    return {metric: (float(value), text) for metric, value, text in found}


def test_every_number_of_sampled_configurations_is_that_of_the_tables(
    site: Site, window: Browser
) -> None:
    chance = random.Random(5)
    for run in RUNS:
        names = site.configurations.filter((pl.col("run") == run) & (pl.col("outcome") == "done"))[
            "configuration"
        ].to_list()
        for configuration in chance.sample(names, 4):
            window.open(
                site.front, view(x="size", y="verify", run=run, pin=f"{run}/{configuration}")
            )
            told = site.told(run, configuration)
            assert pinned(window) == told
            assert "verify" in told


def test_address_restores_the_view(site: Site, window: Browser) -> None:
    window.open(site.front)
    window.click(chip("threads", "all"))
    window.click(chip("system", "gnark/plonk/bn254"))
    window.run(
        "for (const [id, value] of [['x', 'constraints'], ['y', 'verify'], ['yscale', 'linear']]) {"
        " const node = document.getElementById(id); node.value = value;"
        " node.dispatchEvent(new Event('change')); }"
    )
    window.run("document.querySelector('details.more').open = true")
    window.click("#shown tbody tr button")

    def seen() -> tuple[object, ...]:
        return (
            shown(window),
            window.texts(".chip[aria-pressed=true]"),
            *(window.run(f"return document.getElementById('{one}').value") for one in ("x", "y")),
            *(
                window.run(f"return document.getElementById('{one}').value")
                for one in ("xscale", "yscale")
            ),
            window.run("return document.getElementById('plot').layout.yaxis.type"),
            window.text("#pinned"),
        )

    before, address = seen(), window.chrome.current_url
    assert before[2:6] == ("constraints", "verify", "log", "linear")
    window.open(site.front)
    assert seen() != before
    window.open(site.front, f"#{address.partition('#')[2]}")
    assert seen() == before


def test_legend_has_the_shape_of_every_marker() -> None:
    script = (WEB / "explorer.js").read_text(encoding="utf-8")
    shapes = script[
        script.index("const shapes = {") : script.index("};", script.index("const shapes"))
    ]
    for marker in (*MARKERS, *LATER_MARKERS):
        assert re.search(rf'"?{marker}"?: "M', shapes), marker


def test_unsound_variants_are_marked(site: Site, window: Browser) -> None:
    window.open(site.front, view(x="size", y="verify", run=MAIN))
    drawn = window.run(
        "return document.getElementById('plot').data.filter((trace) => trace.customdata)"
        ".flatMap((trace) => trace.customdata.map((key, at) => [key, trace.marker.symbol[at]]))"
    )
    assert isinstance(drawn, list)
    opened = {key.partition("/")[2] for key, symbol in drawn if symbol.endswith("-open")}
    unsound = site.configurations.filter((pl.col("run") == MAIN) & ~pl.col("sound"))
    assert opened == set(unsound["configuration"]) != set()


def test_what_has_no_times_is_told_and_never_drawn(site: Site, window: Browser) -> None:
    failed = site.configurations.filter(pl.col("outcome") != "done")
    keys = {f"{run}/{one}" for run, one in failed.select("run", "configuration").iter_rows()}
    assert keys
    window.open(site.front, view(x="size", y="security:conjectured"))
    told = window.run(
        "return [...document.querySelectorAll('#without-times tr[data-configuration]')]"
        ".map((row) => row.dataset.configuration)"
    )
    assert isinstance(told, list)
    assert set(told) == keys
    drawn = window.run(
        "return document.getElementById('plot').data.flatMap((trace) => trace.customdata ?? [])"
    )
    assert isinstance(drawn, list)
    assert len(drawn) > 1000
    assert not keys & set(drawn)
    for reason in failed["reason"]:
        assert reason in window.text("#without-times")


def test_every_claim_stands_with_its_verdicts(site: Site, window: Browser) -> None:
    claims = tomllib.loads((ROOT / "data/claims.toml").read_text(encoding="utf-8"))["claims"]
    window.open(site.front)
    assert window.texts("#claims tbody td:first-child") == [
        claim["key"].upper() for claim in claims
    ]
    by_key = {one.claim.key: one for one in site.verdicts}
    for claim in claims:
        row = f'#claims tr[data-key="{claim["key"]}"]'
        said = window.text(row)
        assert claim["text"] in said
        for verdict in (by_key[claim["key"]].published, by_key[claim["key"]].equal):
            if verdict is not None:
                assert f"{verdict.outcome}{verdict.sentence}" in said

    window.run(
        "const outcome = document.getElementById('claims-outcome'); outcome.value = 'contradicted';"
        "outcome.dispatchEvent(new Event('change'))"
    )
    contradicted = sum(
        "contradicted" in {str(side.outcome) for side in (one.published, one.equal) if side}
        for one in site.verdicts
    )
    assert 0 < contradicted < len(claims)
    assert window.text("#claims-count") == f"{contradicted} of {len(claims)} claims"
    rows = "#claims tbody tr:not([hidden])"
    assert len(window.texts(rows)) == contradicted


def test_false_positive_rate_of_the_control_is_printed(site: Site, window: Browser) -> None:
    window.open(site.front)
    headline = site.false_positives.filter(pl.col("metric") == "time_to_proof").row(0, named=True)
    said = window.text("#control-rate")
    assert f"in {headline['positives']} of {headline['comparisons']} cases" in said
    assert f"({100 * headline['rate']:.1f}\u202f% [" in said
    rates = window.run(
        "return [...document.querySelectorAll('#control-rates tr[data-metric]')].map((row) =>"
        " [row.dataset.metric, row.querySelector('data').value])"
    )
    assert isinstance(rates, list)
    assert {metric: float(rate) for metric, rate in rates} == dict(
        site.false_positives.select("metric", "rate").iter_rows()
    )


def test_manifest_of_every_run_is_told(site: Site, window: Browser) -> None:
    window.open(site.front)
    assert window.texts("#runs h3") == list(RUNS)
    for place, name in enumerate(RUNS):
        manifest = read_run(layout.reference() / name).manifest
        article = window.texts("#runs article")[place]
        for asked in (
            manifest["machine"]["kernel"],
            manifest["machine"]["processor"],
            manifest["revision"]["commit"],
            manifest["identity"]["seed"],
            *manifest["locks"].values(),
            *manifest["identity"]["binaries"].values(),
        ):
            assert asked in article


def test_page_fits_a_telephone(site: Site, telephone: Browser) -> None:
    telephone.open(site.front)
    assert telephone.complaints() == []
    wide = telephone.number("return document.documentElement.scrollWidth")
    assert wide <= telephone.number("return window.innerWidth") <= 390


def test_report_stays_of_a_sane_size(site: Site) -> None:
    grid = site.configurations.filter(pl.col("run") == "standard-stark-grid").height
    data = (site.folder / "points.js").stat().st_size
    # The largest grid that is recorded has sixteen times as many cells.
    assert data * 17_765 / grid < MOST_BYTES


def test_points_are_the_estimates_of_the_analysis(site: Site) -> None:
    estimates = site.results.estimates.filter(
        pl.col("statistic").is_in(["geometric mean", "exact"]) & pl.col("value").is_not_null()
    )
    found = site.estimates.filter(pl.col("run") == MAIN)
    same = found.join(estimates, on=["configuration", "metric"], suffix="_analysed")
    assert same.height > 2000
    for name in ("value", "low", "high"):
        assert same[name].equals(same[f"{name}_analysed"], null_equal=True)
    # What has several encodings stands in the one that tables have.
    for series, size in (
        ("gnark PLONK BN254, constants=fixed", 63),
        ("bulletproofs R1CS ristretto255", 255),
    ):
        rows = site.configurations.filter(
            (pl.col("series") == series)
            & (pl.col("size") == size)
            & (pl.col("threads_label") == "one")
        )
        sent = site.results.size_of(series, "proof", size)
        assert sent is not None
        assert site.told(MAIN, rows["configuration"][0])["size:proof"][0] == sent.value


def test_variants_can_be_sought(site: Site, window: Browser) -> None:
    rows = site.configurations.filter(pl.col("run") == "full-hash-functions")
    wanted = rows.filter(
        pl.col("variant").map_elements(
            lambda v: variant_of(v)["function"] == "poseidon", pl.Boolean
        ),
        pl.col("outcome") == "done",
    )
    window.open(
        site.front, view(x="size", y="prove", run="full-hash-functions", find="function=poseidon")
    )
    assert shown(window) == wanted.height > 0
