"""The smoke run: all that the pages speak of is made, with logs, and nothing else is touched."""

import json
import re

import list_tables
import pandas as pd
import pytest
import yaml
from checkouts import ROOT, rules

TIDY = {"experiment", "population", "mechanism", "calibration", "dim", "epsilon", "n", "metric", "value"}
TIDY |= {"standard_error", "low", "high", "expected", "unit"}


def files_in(checkout, pattern):
    """Files of a run by a pattern of their names."""
    return {path.relative_to(checkout.directory).as_posix() for path in checkout.directory.glob(pattern)}


def rows_of(page):
    """The cells of each row of the tables of a page."""
    lines = (ROOT / page).read_text(encoding="utf-8").splitlines()
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line.startswith("| ")]


def test_every_figure_and_table_is_made(smoke_run, plan):
    made = smoke_run.results()
    timed = {name for name in plan.files if "sampling" in name}
    assert len(plan.files) > 150 and len(timed) == 16
    assert set(made) == plan.files - timed
    assert all((smoke_run.directory / name).stat().st_size > 0 for name in plan.files)
    figures = {name for name in plan.files if name.startswith("figures/")}
    assert len(figures) > 50 and {name.rpartition(".")[0] + ".png" for name in figures} <= figures
    for name in figures:
        start = b"\x89PNG" if name.endswith("png") else b"%PDF-"
        content = (smoke_run.directory / name).read_bytes()
        assert content.startswith(start) and len(content) > 5000, name
        if name.endswith("png"):  # at 300 dots per inch as wide as one column of a journal, or as both
            assert int.from_bytes(content[16:20]) in (1003, 2055), name


def test_every_figure_can_be_read_in_print(smoke_run, plan):
    """``tests/recorder`` has looked at all that were drawn; CONTRIBUTING says how wide they are printed."""
    pages = {name for name in plan.files if name.startswith("figures/") and name.endswith("png")}
    texts = [path.read_text(encoding="utf-8") for path in (smoke_run.directory.parent / "recorded/faults").iterdir()]
    said = [found for text in texts for found in re.findall(r"(\w+), printed (\d+) mm wide: (.*)", text)]
    widths = {f"figures/{name}.png": f"{width} mm" for name, width, _ in said}
    assert set(widths) == pages and len(said) == len(pages)
    assert [entry for entry in said if entry[2] != "no faults"] == []
    rows = [cells for cells in rows_of("CONTRIBUTING.md") if cells[0].endswith(" mm")]
    assert {f"figures/{name}.png": width for width, names in rows for name in re.findall(r"\w+", names)} == widths


def test_pages_name_what_is_made_and_nothing_else(plan):
    """The page of the tables has every folder, and tables that are made."""
    made, told = {name.split("/")[1] for name in plan.files if re.match(r"results/\w+/", name)}, set()
    for first, *others in rows_of("docs/tables.md"):
        for folder, table in re.findall(r"`(\w+)/([^`]*)`", first):
            told.add(folder)
            files = {name for name in plan.files if name.startswith(f"results/{folder}/")}
            assert files and (not table or f"results/{folder}/{table}" in files), first
            of_other_files = others[-1] if len(others) > 1 else ""
            for named in re.findall(r"`\*?([^`]*\.(?:csv|parquet))`", of_other_files):
                assert any(name.endswith(named) for name in files), (folder, named)
            for rule in re.findall(r"`(\w+)`", others[0]) if of_other_files else []:
                tables = {name for name in plan.of_rules(rule) if name.startswith("results/")}
                folders = {name.split("/")[1] for name in tables if name.count("/") > 1}
                assert folders & {name for name, _ in re.findall(r"`(\w+)/([^`]*)`", first)}, (folder, rule)
    assert told == made


def test_the_page_of_the_tables_has_what_captions_say_of_them():
    """After a change of a caption: python tools/list_tables.py --write"""
    text = list_tables.PAGE.read_text(encoding="utf-8")
    assert list_tables.filled(text) == text and len(list_tables.table().splitlines()) > 60
    assert list_tables.ENTRY.findall("results/a/b.csv : B\n    One ``x``\n    of two.\n\nresults/a/c.png : C\n") == [
        ("a/b.csv", "B", "    One ``x``\n    of two.\n")
    ]
    assert "{{" not in list_tables.table()


NOT_IN_A_SMALL_RUN = {"declared, not proved", "stated, not proved"}
"""Values that captions of tables name, of mechanisms of one's own."""


def unnamed(caption, results):
    """What the entries of tables in a caption name, and what is neither a column nor a text of the table."""
    names, wrong = set(), set()
    for path, text in re.findall(r"^results/(\S+\.csv) : .*\n((?:    .*\n?)+)", caption, re.M):
        table, said = pd.read_csv(results / path), set(re.findall("``([^`]+)``", text))
        texts = table.select_dtypes(exclude="number").stack().unique()
        names |= {(path, name) for name in said}
        wrong |= {(path, name) for name in said - {*table, *texts} - NOT_IN_A_SMALL_RUN}
    return names, wrong


def test_the_captions_of_tables_name_columns_and_values_that_are_there(smoke_run):
    results, names = smoke_run.directory / "results", set()
    for path in (ROOT / "src/study/experiments").glob("*/caption.rst"):
        said, wrong = unnamed(path.read_text(encoding="utf-8"), results)
        names |= said
        assert wrong == set(), path
    assert len(names) > 100
    caption = "results/persons/persons.csv : Errors\n    ``bias`` and ``epsilon``, not\n    ``level``.\n"
    assert unnamed(caption, results)[1] == {("persons/persons.csv", "level")}


def test_tables_are_tidy_and_complete(smoke_run):
    config = yaml.safe_load((smoke_run.source / "config/config.yaml").read_text(encoding="utf-8"))
    folder = smoke_run.directory / "results"
    for name, mechanisms, populations in (
        ("circular_mean", config["mechanisms"], {"one_direction", "city"}),
        ("survey_size", config["mechanisms"], {"one_direction", "city"}),
        ("mean_direction", config["mean_direction"]["mechanisms"], {"one_direction", "spread"}),
    ):
        table = pd.read_csv(folder / name / f"{name}.csv")
        assert set(table.columns) >= TIDY
        assert set(table["mechanism"]) == set(mechanisms) and set(table["population"]) == populations
    ratios = pd.read_csv(folder / "survey_size/ratios.csv")
    assert {"mechanism", "calibration", "epsilon", "n", "ratio", "ratio_low", "ratio_high"} <= set(ratios)
    assert list(pd.read_csv(folder / "checkins/city.rejected.csv")) == ["line", "reason", "text"]
    assert list(pd.read_csv(folder / "checkins/city.summary.csv")) == ["quantity", "value"]


def test_each_job_has_a_log_and_a_benchmark(smoke_run, plan):
    logs = {row["log-file(s)"] for row in plan.rows.values()}
    made = files_in(smoke_run, "logs/**/*.log")
    assert logs == made and len(logs) > 80
    for log in logs:
        text = (smoke_run.directory / log).read_text(encoding="utf-8")
        assert text.rstrip().endswith("done"), log
        benchmark = log.replace("logs/", "benchmarks/", 1).removesuffix("log") + "tsv"
        assert pd.read_csv(smoke_run.directory / benchmark, sep="\t")["s"][0] > 0, log


def test_benchmarks_are_collected_and_the_time_is_told(smoke_run):
    table = pd.read_csv(smoke_run.directory / "results/benchmarks.csv").set_index("rule")
    assert set(table.index) == set(rules(smoke_run)) - {"all", "download_file", "unpack_member"}
    paths = list((smoke_run.directory / "benchmarks").rglob("*.tsv"))
    seconds = [pd.read_csv(path, sep="\t")["s"].item() for path in paths]
    assert table["jobs"].sum() == len(seconds) and table["longest_seconds"].max() == max(seconds)
    assert table["seconds"].sum() == pytest.approx(sum(seconds), abs=0.01 * len(table))
    assert (table["longest_seconds"] > 0).all()
    output = (smoke_run.source.parent / "output.txt").read_text(encoding="utf-8")
    told = re.findall(r"^About .*min.*$", output, flags=re.M)
    assert told, output
    assert re.fullmatch(r"About \d+ min on 2 cores, going by a run elsewhere\.", told[0])
    assert all(re.fullmatch(r"About \d+ min left\.", line) for line in told[1:])


@pytest.mark.parametrize("rule", ["time_sampling", "time_rotation_sampling"])
def test_samplers_are_timed_with_one_thread(smoke_run, rule):
    """Although Snakemake gives these jobs all cores, and tells the libraries so."""
    log = (smoke_run.directory / f"logs/{rule}.log").read_text(encoding="utf-8")
    assert "threads of BLAS: [1]\n" in log


def test_the_results_of_the_study_are_left_alone(smoke_run, project):
    def files(checkout):
        paths = [path for path in checkout.source.rglob("*") if path.is_file()]
        relative = {path.relative_to(checkout.source).as_posix(): path.read_bytes() for path in paths}
        return {name: content for name, content in relative.items() if "__pycache__" not in name}

    left, before = files(smoke_run), files(project)
    theirs = {name for name, content in left.items() if content == b"of the study at full size"}
    assert theirs == {
        "results/circular_mean/circular_mean.csv",
        "figures/survey_size.png",
        "data/generated/city.txt.gz",
    }
    assert {name: content for name, content in left.items() if name not in theirs} == before


def test_provenance_has_a_digest_of_each_rule_and_of_each_class(smoke_run):
    record = json.loads((smoke_run.directory / "results/provenance.json").read_text(encoding="utf-8"))
    digests = record["source"]["digests"]
    of_rules = set(rules(smoke_run)) - {"all"}
    of_classes = {"purkayastha", "wrapped_laplace", "polar_laplace", "rotation_laplace", "uniform"}
    assert set(digests) >= {*of_rules, *of_classes, "audit_cases"}
    assert all(re.fullmatch("[0-9a-f]{16}", digest) for digest in digests.values())
    assert len({digests[name] for name in of_rules}) == len(of_rules)


def test_the_terminal_has_a_line_for_each_job_and_ends_with_what_came_out(smoke_run):
    """Neither a list of files nor a table of rules."""
    text = (smoke_run.source.parent / "output.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.strip()]
    begun = [re.fullmatch(r"(\d+) of (\d+): (\w.*)", line) for line in lines]
    numbers = [(int(found[1]), int(found[2])) for found in begun if found]
    jobs = len(list((smoke_run.directory / "benchmarks").rglob("*.tsv")))
    assert numbers == [(number, jobs) for number in range(1, jobs + 1)]
    others = [line for line, found in zip(lines, begun, strict=True) if not found and "min left" not in line]
    assert len([line for line in others if " % done, about " not in line]) < 20
    assert max(map(len, lines)) < 400
    claims, page, figures, report, time = lines[-5:]
    assert claims.startswith("Claims. Paper A: ") and "changed" not in claims
    assert len(re.findall(r"[.;] [^;:]+: \d+ (as expected|not decided here)", claims)) == 5
    assert page.endswith(str(smoke_run.directory / "results/claims.html"))
    assert figures == f"Figures: {smoke_run.directory / 'figures'}" and "results/report.html" in report
    assert re.fullmatch(r"Done in \d+:\d\d:\d\d\.", time)
