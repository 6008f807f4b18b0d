"""The claims in the workflow: what an edit of a distribution does to verdicts, how a run fails, and the page shown."""

import re
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest
import yaml

from study.claims.check import number_of
from study.claims.claims import read_claims, tables_of
from study.claims.require_expected import unexpected
from study.claims.words import read_verdicts

SAMPLER = "src/dirpriv/distributions/purkayastha.py"


# Verdicts follow the results.

CHEAP = ("purkayastha_angle_simulated", "angle_formula", "theorem_24_outer", "theorem_24_middle")
"""Claims that need three short jobs; the first rests on the sampler."""
SMALL = {
    "expected_distances": {
        "distributions": ["purkayastha"],
        "dimensions": [2, 3],
        "kappas": [1.0, 10.0],
        "draws": 400_000,
    }
}


def test_a_changed_distribution_turns_the_claims_that_rest_on_it(project, tmp_path):
    """With κ → 1.1 κ in the sampler. The intervals, of 99.9 %, are a hundredth of the change or less."""
    copied = project.copy(tmp_path)
    folder = copied.source / "config/claims"
    path = folder / "A.yaml"
    book = yaml.safe_load(path.read_text(encoding="utf-8"))
    book["claims"] = {name: book["claims"][name] for name in CHEAP}
    book["claims"][CHEAP[0]]["measure"]["where"] |= {"dim": [2, 3], "kappa": [1.0, 10.0]}
    path.write_text(yaml.safe_dump(book, allow_unicode=True, sort_keys=False), encoding="utf-8")
    for other in set(folder.glob("*.yaml")) - {path}:
        other.unlink()
    run = copied.with_config(SMALL, tmp_path / "small.yaml")
    run.configs = ("config/smoke.yaml", *run.configs)

    def verdicts():
        run.snakemake("--cores", "2", "results/claims.csv")
        return read_verdicts(run.directory / "results/claims.csv").set_index("claim").loc[list(CHEAP)]

    before = verdicts()
    assert list(before["verdict"]) == ["reproduced", "reproduced", "reproduced", "refuted"]
    run.edit(
        SAMPLER,
        "return directions.draw_by_threshold(size, kappa, thresholds,",
        "return directions.draw_by_threshold(size, 1.1 * kappa, thresholds,",
    )
    after = verdicts()
    assert after.loc[CHEAP[0], "verdict"] == "not reproduced" and after.loc[CHEAP[0], "status"] == "changed"
    assert "kappa = 1" in after.loc[CHEAP[0], "counter_example"]
    assert (after["verdict"] == before["verdict"]).sum() == 3


def test_every_number_of_a_text_follows_its_table(smoke_run):
    """With a column half as large again, so is each number that a text shows of it."""
    claims = read_claims(smoke_run.source / "config/claims")["claims"]
    tables = {path.removeprefix("results/"): smoke_run.directory / path for path in tables_of(claims)}
    tables = {name: pd.read_csv(path) for name, path in tables.items()}
    followed = 0
    for name, claim in claims.items():
        for number in claim.get("numbers", {}).values():
            table = number.get("table", claim["measure"]["table"])
            column = number.get("value", claim["measure"]["value"])
            before = number_of(number, claim, tables.__getitem__, name)
            if number.get("take") == "rows" or "against" in number or np.isnan(before):
                continue
            larger = tables | {table: tables[table].assign(**{column: 1.5 * tables[table][column]})}
            assert np.isclose(number_of(number, claim, larger.__getitem__, name), 1.5 * before), name
            followed += 1
    assert followed > 25


def test_an_unexpected_verdict_fails_the_run_and_loses_nothing(smoke_run, tmp_path):
    copied = smoke_run.copy(tmp_path)
    before = copied.results()
    title = '    title: "Theorem 24: the middle bound"\n'
    copied.edit("config/claims/A.yaml", f"    severity: accuracy\n{title}", title)
    copied.edit(
        "config/claims/A.yaml",
        "verdict: refuted\n    finding: >-\n      The theorem's sentence",
        "verdict: reproduced\n    finding: >-\n      The theorem's sentence",
    )
    output = copied.snakemake("--cores", "2", succeeds=False)
    for text in (
        "Error in require_expected_claims: 1 claim has",
        "theorem_24_middle (A, Theorem 24, middle term): refuted, expected reproduced",
        "reading = wrapped_laplace_between",
        "results/theorem_24/readings.csv",
    ):
        assert text in output
    assert "Traceback" not in output
    after = copied.results()
    assert set(before) - set(after) == {"results/claims_confirmed.txt"}
    found = read_verdicts(copied.directory / "results/claims.csv").set_index("claim")
    assert found.loc["theorem_24_middle", "status"] == "changed"
    assert b"changed: expected reproduced" in after["results/claims.html"]


def test_a_verdict_on_a_file_of_the_users_is_reported(smoke_run, tmp_path):
    """Of a claim that is false of the city and of the same rows in a file, only the former fails the run."""
    copied = smoke_run.copy(tmp_path)
    shutil.copy(smoke_run.directory / "data/generated/city.txt.gz", tmp_path / "mine.txt.gz")
    path = copied.source / "config/claims/A.yaml"
    book = yaml.safe_load(path.read_text(encoding="utf-8"))
    false = book["claims"]["time_histogram_order"]
    false |= {"relation": "below", "expected": 0.1, "verdict": "reproduced"}
    false["measure"]["where"] |= {"n": 500, "epsilon": [0.1, 3.16]}
    book["claims"] = {"false": false}
    path.write_text(yaml.safe_dump(book, allow_unicode=True, sort_keys=False), encoding="utf-8")
    for name in ("B.yaml", "N.yaml", "beyond.yaml"):
        (path.parent / name).unlink()
    mine = {"layout": "tsmc2014", "path": str(tmp_path / "mine.txt.gz")}
    run = copied.with_config({"datasets": {"mine": mine}}, tmp_path / "mine.yaml")
    run.snakemake("--cores", "2", "results/claims.csv")
    found = read_verdicts(run.directory / "results/claims.csv")
    assert list(found["dataset"]) == ["mine", "city"] and set(found["verdict"]) == {"not reproduced"}
    assert list(found["status"]) == ["reported", "changed"]
    problems = unexpected(found, {"changed": "fail", "undecided": "fail"})
    assert len(problems) == 1 and "population = city" not in problems[0]
    assert unexpected(found[found["dataset"] == "mine"], {"changed": "fail", "undecided": "fail"}) == []


# The page, as a browser shows it.


@pytest.fixture(scope="module")
def shown(browser, smoke_run, tmp_path_factory):
    """Gives the page as it stands in a browser without a network, for what follows the # of its address.

    Where there is no browser, what the page does on a click goes untested, and the run says so; its text is
    tested everywhere (tests/study/test_claims.py).
    """
    page = tmp_path_factory.mktemp("page") / "claims.html"  # away from the files it is made of
    shutil.copy(smoke_run.directory / "results/claims.html", page)
    options = ["--allow-file-access-from-files", "--virtual-time-budget=10000"]

    def show(fragment, frame=""):
        profile = tmp_path_factory.mktemp("profile")
        if frame:
            page.with_name("frame.html").write_text(frame, encoding="utf-8")
        address = page.with_name("frame.html") if frame else page
        command = [*browser, *options, f"--user-data-dir={profile}", "--dump-dom", f"{address.as_uri()}#{fragment}"]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=120)
        assert done.returncode == 0 and ("<table" in done.stdout or frame), done.stderr
        return done.stdout

    return show


def rows_shown(dom):
    """Names of the claims whose rows are not hidden."""
    rows = re.findall(r'<tr class="claim" id="([\w-]+)"[^>]*?( hidden="")?>', dom)
    return [name for name, hidden in rows if not hidden]


def test_the_page_shows_the_table_filters_it_and_opens_a_figure(shown, smoke_run):
    found = read_verdicts(smoke_run.directory / "results/claims.csv")
    refuted = found.loc[(found["verdict"] == "refuted") & (found["source"] == "A"), "claim"]
    dom = shown("verdict=refuted&source=A&claim=theorem_24_middle")
    assert sorted(rows_shown(dom)) == sorted(refuted) and 0 < len(refuted) < len(found)
    assert "hidden" not in heading(dom, "Paper A, Section 3.6.2:") and 'hidden=""' in heading(dom, "The note, Erlang:")
    opened = re.findall(r'<tr class="more" id="more-(\w+)">', dom)
    assert opened == ["theorem_24_middle"]
    picture = dom[dom.index('id="more-theorem_24_middle"') :]
    width = re.search(r'class="picture" data-figure="theorem_24"[^>]*data-width="(\d+)"', picture)
    assert width and int(width[1]) > 500  # decoded, with the width of the file

    named = (found["says"] + found["reconstruction"]).str.contains("Humbert series")
    dom = shown("text=humbert%20series")
    assert sorted(rows_shown(dom)) == sorted(found.loc[named, "claim"])
    assert "data-width" not in dom  # no figure is open

    # the link of a finding opens the row of its claim
    linked = shown("theorem_24_middle")
    assert '<a href="#theorem_24_middle">' in linked and sorted(rows_shown(linked)) == sorted(found["claim"])
    assert f"{len(found)} of {len(found)} verdicts shown" in linked
    assert re.findall(r'<tr class="more" id="more-(\w+)">', linked) == ["theorem_24_middle"]


def heading(dom, text):
    """The opening tag of the group of rows that begins with a heading."""
    return dom[: dom.index(text)].rpartition("<tbody")[2]


NARROW = """<!DOCTYPE html><html><body>
<iframe src="claims.html" style="width: 420px; height: 800px; border: 0"></iframe><script>
addEventListener("load", () => {
  const inner = document.querySelector("iframe").contentDocument, row = inner.querySelector("tr.claim");
  const box = name => row.querySelector(name).getBoundingClientRect();
  const verdict = box(".verdict"), title = box("button");
  const all = [inner.documentElement.scrollWidth, verdict.left, verdict.right, verdict.top, title.top];
  document.body.dataset.measured = all.join(" ");
});
</script></body></html>
"""


def test_a_row_begins_with_its_verdict_on_a_narrow_screen(shown):
    """At 420 pixels nothing reaches beyond the screen. A frame is so narrow, a window never is."""
    dom = shown("", NARROW)
    measured = re.search(r'data-measured="([^"]*)"', dom)[1]
    width, left, right, top, below = map(float, measured.split())
    assert width <= 420 and 0 <= left < 40 and 40 < right < 420 and top <= below
