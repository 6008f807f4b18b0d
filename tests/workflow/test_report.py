"""The report of a run: all figures and tables under their sections, with the verdicts, also in a browser."""

import base64
import gzip
import html
import json
import os
import re
import shutil
import time
from pathlib import Path

import pytest
import yaml
from browser import Page
from checkouts import ROOT, rules

from study.claims.report_captions import PAGE, captions, front_page
from study.claims.words import counts, read_verdicts
from study.claims.words import said as said_of
from study.workflow import report as marks
from study.workflow.job import InputError

STYLE = "src/study/workflow/report.css"
SHOWN = {  # of each part one file, and its section
    "results/claims.csv": ("1 Claims", "Other"),
    "figures/fig11_angular_cdfs.png": ("2 Paper A, directional data", "B.1.2 Cumulative distribution functions"),
    "figures/bfig2_samplers.png": ("3 Paper B, rotations", "3.3 A Laplace mechanism on SO(3)"),
    "figures/vector_noise.png": ("4 The note, vectors", "3 From Euclidean to spherical coordinates"),
    "figures/audit.png": ("5 Beyond the papers", "01 Levels stated, certified and audited"),
    "figures/checkins.png": ("6 Check-ins", "Other"),
    "results/provenance.json": ("7 Configuration and provenance", "Other"),
}
NAMES = "Paper", "The note", "Beyond the papers"
LETTERS = {"2": "A", "3": "B", "4": "N", "5": "beyond"}


@pytest.fixture(scope="module")
def report(smoke_run, tmp_path_factory):
    """The report of the smoke run, written without a warning."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    output = smoke_run.snakemake("--report", path, "--report-stylesheet", smoke_run.source / STYLE)
    assert "Report created" in output and "arning" not in output
    return path


def part(report, name):
    """A part of the data of the report, such as its results."""
    text = report.read_text(encoding="utf-8")
    return json.loads(re.search(rf'<script id="{name}">\s*var \w+ = (.*?);\s*</script>', text, re.S)[1])


@pytest.fixture(scope="module")
def results(report):
    """By file what the report has of it."""
    return part(report, "results")


@pytest.fixture(scope="module")
def places(report):
    """By file its category and section."""
    found = part(report, "categories").items()
    return {file: (a, b) for a, sections in found for b, files in sections.items() for file in files}


@pytest.fixture(scope="module")
def found(smoke_run):
    """The verdicts of the smoke run."""
    return read_verdicts(smoke_run.directory / "results/claims.csv")


@pytest.fixture(scope="module")
def sources(smoke_run):
    """The sources by their letters."""
    folder = smoke_run.source / "config/claims"
    return {p.stem: yaml.load(p.read_text("utf-8"), yaml.CSafeLoader) for p in sorted(folder.glob("*.yaml"))}


def test_each_figure_and_table_is_in_the_report(smoke_run, plan, results):
    """All tables but those of single cells, which are collected, and those of the rows of single datasets."""
    cells = {
        name
        for name, (text, _) in rules(smoke_run).items()
        if "{" in text.partition("output:")[2].partition("log:")[0] and name != "collect_results"
    }
    made = {name for name, row in plan.rows.items() if row["rule"] not in cells}
    expected = {name for name in made if re.fullmatch(r"figures/.*[.]png|results/.*[.]csv", name)}
    assert len(expected) > 75
    assert set(results) == expected | {PAGE, "results/provenance.json"}
    for file, shown in results.items():
        content = base64.b64decode(shown["data_uri"].partition("base64,")[2])
        assert content == (smoke_run.directory / file).read_bytes(), file
        if file.endswith("html"):  # browsers do not show a longer address in a frame
            assert len(shown["data_uri"]) < 2_000_000


def test_each_is_under_its_section(places, found, sources):
    assert {file: places[file] for file in SHOWN} == SHOWN
    assert sorted({category for category, _ in places.values()}) == [one for one, _ in SHOWN.values()]
    for file, (category, section) in places.items():
        if letter := LETTERS.get(category[0]):
            assert any(section.endswith(f" {part['title']}") for part in sources[letter]["sections"]), file
            seen = found.loc[(found["figure"] == file) | (found["measured_in"] == file), "source"]
            # what goes beyond the papers may be what a claim of theirs is judged by
            assert seen.empty or letter == "beyond" or letter in set(seen), file


@pytest.fixture(scope="module")
def in_order(places, sources):
    """By category its sections, in the order of their source."""

    def position(category, section):
        parts = sources[letter]["sections"] if (letter := LETTERS.get(category[0])) else []
        return [n for n, part in enumerate(parts) if section.endswith(f" {part['title']}")], section

    found = {}
    for category, section in sorted(set(places.values()), key=lambda place: (place[0], position(*place))):
        found.setdefault(category, []).append(section)
    return found


def test_sections_sort_as_in_their_source(in_order, sources):
    """By their names, as a browser sorts them; without the numbers they would not."""
    assert all(sorted(sections) == sections and sections for sections in in_order.values())
    titles = [section.partition(" ")[2] for section in in_order["2 Paper A, directional data"]]
    assert len(titles) > 10 and sorted(titles) != titles


def text_of(caption):
    """The words of a caption."""
    return " ".join(html.unescape(re.sub("<[^>]*>", "", caption)).split())


def test_captions_say_what_is_seen_and_what_held(results, places, found, sources):
    for file, shown in results.items():
        said = shown["caption"]
        assert len(text_of(said)) > 100 and "{{" not in said and "system-message" not in said, file
        rows = found[found["figure" if file.endswith("png") else "measured_in"] == file]
        listed = re.findall(r"<li>(?:<p>)?<strong>([a-z ]+)</strong>", said)
        assert listed == list(map(said_of, rows.itertuples())), file
        for row in rows.itertuples():
            assert any(f"{row.title} [{name}" in text_of(said) for name in NAMES), file
        if file.endswith("csv"):
            content = base64.b64decode(shown["data_uri"].partition("base64,")[2]).decode()
            assert all(f">{name}<" in said for name in content.splitlines()[0].split(",")), file
    assert counts(found, sources) in text_of(results["results/claims.csv"]["caption"])
    labels = [(*places[file], shown["labels"]["result"]) for file, shown in results.items()]
    assert len(set(labels)) == len(labels)  # a section shows one result of each name


def test_a_changed_verdict_changes_the_captions(found, sources, smoke_run, monkeypatch):
    monkeypatch.chdir(smoke_run.directory)
    texts = [path.read_text(encoding="utf-8") for path in smoke_run.source.glob("src/study/**/caption.rst")]
    files = ["figures/theorem_24.png", "results/theorem_24/theorem_24.csv", "figures/survey_size.png"]
    before = captions(files, texts, found, sources)
    for file, said in before.items():
        written = smoke_run.directory / f"results/captions/{file.removeprefix('results/')}.rst"
        assert written.read_text(encoding="utf-8") == said
    other = found.copy()
    changed = other["claim"] == "theorem_24_outer"
    assert changed.sum() == 1 and set(other.loc[changed, "verdict"]) == {"reproduced"}
    other.loc[changed, ["verdict", "status", "expected_verdict"]] = ["refuted", "changed", "reproduced"]
    after = captions(files, texts, other, sources)
    assert [before[file] != after[file] for file in files] == [True, True, False]
    assert "- **refuted**\\  \\(changed\\: expected reproduced\\)" in after[files[0]]
    assert front_page(found, [], sources) != front_page(other, [], sources)
    other.loc[changed, ["status", "dataset"]] = ["reported", "mine"]
    assert "- **refuted**\\  on mine\\, your file: " in captions(files[:1], texts, other, sources)[files[0]]
    with pytest.raises(InputError, match=r"no caption[.]rst has an entry of figures/new.png"):
        captions(["figures/new.png"], texts, found, sources)


def test_verdicts_older_than_the_results_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkdir("results")
    names = ("results/a.csv", "results/claims.csv")
    for name in names:
        (tmp_path / name).touch()
    with pytest.raises(InputError, match=r"a[.]csv[.]rst is missing: run the study first"):
        marks.title("results/captions/a.csv.rst", names)
    caption = tmp_path / "caption.rst"
    caption.write_text(".. Errors\n\nOf all.\n", encoding="utf-8")
    assert marks.title(str(caption), names) == "Errors"
    for name in names:
        os.utime(name, ns=(0, time.time_ns() + 10**9))
        with pytest.raises(InputError, match=f"{name} is newer than what .*caption.rst says of it"):
            marks.title(str(caption), names)
        os.utime(name, ns=(0, 0))


def test_a_section_that_the_source_has_not_is_refused(sources):
    with pytest.raises(InputError, match=r"figures/one[.]png: config/claims/A[.]yaml has no section 'Section 9'"):
        marks.Contents(sources).figure("one", "A", "Section 9")


def test_the_report_has_no_path_of_the_machine_and_no_venue_of_the_data(report, results, smoke_run):
    text = report.read_text(encoding="utf-8")
    for path in (smoke_run.source, smoke_run.directory, ROOT, Path.home()):
        assert len(path.parts) == 1 or str(path) not in text
    assert not re.search(r"rejected[.]csv|summary[.]csv|parquet", " ".join(f for f in results if "checkins" in f))
    with gzip.open(smoke_run.directory / "data/generated/city.txt.gz", "rt", encoding="utf-8") as lines:
        venues = {line.split("\t")[1] for line in lines}
    assert len(venues) > 100 and min(map(len, venues)) == 24
    for file in [file for file in results if file.endswith("csv")]:
        content = (smoke_run.directory / file).read_text(encoding="utf-8")
        assert not venues & set(re.findall(r"\w{24}", content)), file


# As a browser shows it. Where there is none, this is skipped, and the run says so.

DRIVER = """
(async () => {
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const until = async (holds) => { for (let n = 0; n < 400 && !holds(); n++) await wait(25); return holds(); };
const links = () => [...document.querySelectorAll("#app > div > nav ul > li > a")];
const named = (list) => list.map((link) => link.textContent);
const rows = () => [...document.querySelectorAll("#app > div > nav tbody tr")];
async function overflow() {
  await until(() => !document.getAnimations().length);
  return ["html", "#app > div > nav", "#app > div > .grow"].map((name) => document.querySelector(name))
    .map((node) => node.scrollWidth - node.clientWidth);
}
async function home() {
  document.querySelector("#app nav nav li a").click();
  await until(() => named(links()).includes("Workflow"));
}
async function shown(row) {
  const [eye, about] = row.querySelectorAll("a"), before = app.state.resultPath;
  eye.click();
  await until(() => app.state.resultPath !== before);
  const path = app.state.resultPath, image = () => document.querySelector("#app .p-3 > img");
  await until(() => image() && image().src === results[path].data_uri && image().naturalWidth > 0);
  const fits = image().naturalWidth > 500 && image().getBoundingClientRect().right <= innerWidth;
  about.click();
  const caption = () => document.querySelector("#app > div > nav .prose");
  await until(caption);
  return { path, fits, caption: caption().textContent, over: await overflow() };
}
await until(() => links().length > 3);
const found = { categories: named(links()).slice(3), sections: {}, labels: {}, figures: [] };
found.over = [await overflow()];
for (const category of found.categories) {
  await home();
  links().find((link) => link.textContent === category).click();
  await until(() => !named(links()).includes("Workflow"));
  found.sections[category] = rows().length ? ["Other"] : named(links());
  found.over.push(await overflow());
  for (const section of found.sections[category]) {
    if (section !== "Other") {
      await home();
      links().find((link) => link.textContent === category).click();
      await until(() => named(links()).includes(section));
      links().find((link) => link.textContent === section).click();
    }
    await until(() => rows().length);
    found.labels[[category, section]] = rows().map((row) => row.querySelector("td").textContent);
    found.over.push(await overflow());
    const figure = rows().find((row) => row.textContent.startsWith("Figure: "));
    if (figure && !found.figures.some((one) => one.category === category))
      found.figures.push({ category, ...await shown(figure) });
  }
}
await home();
return JSON.stringify(found);
})()
"""


@pytest.fixture(scope="module")
def page(browser, report, tmp_path_factory):
    """The report in a browser without a network."""
    folder = tmp_path_factory.mktemp("page")
    shutil.copy(report, folder / "report.html")  # away from the files that it is made of
    opened = Page(browser, folder / "profile", (folder / "report.html").as_uri())
    yield opened
    opened.close()


@pytest.mark.parametrize("width", [1400, 420])
def test_a_browser_shows_every_section(width, page, results, places, in_order):
    page.resize(width)
    shown = json.loads(page.run(DRIVER))
    assert shown["categories"] == list(in_order) and shown["sections"] == in_order
    for place, labels in shown["labels"].items():
        expected = {results[f]["labels"]["result"] for f, where in places.items() if ",".join(where) == place}
        assert set(labels) == expected, place
        assert [label[:7] for label in labels] == sorted(label[:7] for label in labels)  # figures first
    assert len(shown["labels"]) == len(set(places.values())) and len(shown["figures"]) == 6
    for figure in shown["figures"]:
        assert figure["fits"] and figure["over"] == [0, 0, 0], figure["path"]
        assert " ".join(figure["caption"].split()) == text_of(results[figure["path"]]["caption"])
    assert shown["over"] == [[0, 0, 0]] * len(shown["over"])


def test_the_page_of_the_claims_opens_in_the_report(page, found):
    page.run("app.showCategory('1 Claims')")
    page.run("setTimeout(() => document.querySelector('#app > div > nav tbody tr a').click())")
    rows_of = "document.querySelectorAll('tr.claim').length"
    count = f"document.readyState === 'complete' ? {rows_of} : 0"  # while it loads it has only the first rows
    for _ in range(100):
        frames = [one["context"]["id"] for one in page.told("Runtime.executionContextCreated")]
        if (rows := page.run(count, contextId=frames[-1])) > 0:
            break
        time.sleep(0.1)
    assert rows == len(found)
    click = "const row = document.querySelector('tr.claim'); row.querySelector('button').click(); row.id"
    opened = "[...document.querySelectorAll('tr.more:not([hidden])')].map((row) => row.id)"
    first = page.run(click, contextId=frames[-1])
    assert page.run(opened, contextId=frames[-1]) == [f"more-{first}"]


def test_the_browser_reports_no_error_and_asks_for_nothing(page):
    asked = {event["request"]["url"].partition(":")[0] for event in page.told("Network.requestWillBeSent")}
    assert asked == {"file", "data"}
    said = [event for event in page.told("Runtime.consoleAPICalled") if event["type"] in ("error", "assert")]
    entries = [one["entry"] for one in page.told("Log.entryAdded") if one["entry"]["level"] == "error"]
    assert said == entries == page.told("Runtime.exceptionThrown") == []
