"""Pages that people read: no serious finding of axe-core, and none wider than its window, in light and in dark.

They need axe-core, which DIRPRIV_AXE names, and a browser; docs/maintain.md says how. The built documentation and
the page of claims are tested where they are.
"""

import os
from pathlib import Path

import pytest
from browser import Page

from dirpriv.release import TimeColumn
from dirpriv.release.survey import page as survey_page
from dirpriv.release.survey.survey import Survey

ROOT = Path(__file__).resolve().parents[2]
FOUND = """
axe.run(document, {resultTypes: ["violations"]}).then(({violations}) => violations
  .filter(({impact}) => ["serious", "critical"].includes(impact))
  .flatMap(({id, nodes}) => nodes.map(({target}) => `${id}: ${target}`)))
"""
WRONG = '<html lang="en"><title>x</title><main><h1 style="color: #ddd">title</h1><input><pre>WIDE</pre></main>'


@pytest.fixture
def opened(browser, tmp_path):
    """A page of a browser that has axe-core."""
    if "DIRPRIV_AXE" not in os.environ:
        pytest.skip("needs axe-core: DIRPRIV_AXE is the path of its axe.min.js")
    page = Page(browser, tmp_path / "profile", "about:blank")
    page.call("Page.addScriptToEvaluateOnNewDocument", source=Path(os.environ["DIRPRIV_AXE"]).read_text("utf-8"))
    yield page
    page.close()


def findings(page, path):
    """What is wrong with a page, by width and colours."""
    page.call("Page.navigate", url=path.as_uri())
    page.run("new Promise((done) => document.readyState === 'complete' ? done() : addEventListener('load', done))")
    found = []
    for colours in ("light", "dark"):
        page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": colours}])
        for width in (1400, 420):
            page.resize(width)
            page.run("new Promise((done) => setTimeout(done, 400))")  # the documentation's script waits for 300 ms
            wide = page.run("document.documentElement.scrollWidth") > width
            found += [f"{path.name}, {width}, {colours}: {one}" for one in ["too wide"] * wide + page.run(FOUND)]
    return found


def test_a_wrong_page_is_seen(opened, tmp_path):
    (tmp_path / "wrong.html").write_text(WRONG.replace("WIDE", "w" * 100), encoding="utf-8")
    found = findings(opened, tmp_path / "wrong.html")
    assert {one.partition(": ")[2].partition(":")[0] for one in found} == {"too wide", "color-contrast", "label"}


def test_pages_of_surveys_and_levels(opened, tmp_path):
    survey = Survey("When did you arrive?", TimeColumn("time", level=1.0, radius="3h", cells=96))
    (tmp_path / "draft.html").write_text(survey_page.page(survey), encoding="utf-8")
    words = dict.fromkeys(survey_page.WORDS, "https://example.org/privacy")
    (tmp_path / "survey.html").write_text(survey_page.page(survey, **words), encoding="utf-8")
    pages = tmp_path / "draft.html", tmp_path / "survey.html", ROOT / "docs/levels.html"
    assert [one for path in pages for one in findings(opened, path)] == []


@pytest.mark.parametrize("folder", ["docs/_build/html", "results"])
def test_pages_that_were_built(opened, folder):
    pages = [path for path in sorted((ROOT / folder).rglob("*.html")) if path.name != "report.html"]  # of Snakemake
    if not pages:
        pytest.skip(f"there is no page in {folder}")
    assert [one for path in pages for one in findings(opened, path)] == []
