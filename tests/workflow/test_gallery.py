"""The committed pictures: the verdicts of the results are the claims', and the gallery shows every figure."""

import json
import re
from pathlib import Path

import make_gallery as gallery
import numpy as np
import pandas as pd
import pytest
from matplotlib.image import imread

from study.claims.claims import FAILED, read_claims
from study.claims.verdicts import AS_EXPECTED

ROOT = Path(__file__).resolve().parents[2]
README, RESULTS = (path.read_text(encoding="utf-8") for path in (gallery.README, gallery.RESULTS))
FIGURES = gallery.figures_of_study()
AGAIN = "after `make results`: python tools/make_gallery.py"


def expected(claims):
    """The table of a run in which each claim has the verdict that config/claims/ expects."""
    rows = [
        {key: claim.get(key, "") for key in ("source", "excerpt", "verdict", "severity")}
        | {"claim": name, "status": AS_EXPECTED, "dataset": ""}
        | {"fault": claim.get("fault", name) if claim["verdict"] in FAILED else ""}
        for name, claim in claims.items()
    ]
    return pd.DataFrame(rows)


@pytest.fixture(scope="module")
def all_claims():
    return read_claims(ROOT / "config/claims")


@pytest.fixture(scope="module")
def found(all_claims):
    return expected(all_claims["claims"])


def out_of_date(found, sources):
    """What of the picture of the verdicts does not show these claims."""
    rows = {who: [str(number) for number in row.values()] for who, row in gallery.verdicts(found, sources).items()}
    table = [line.split(",") for line in gallery.VERDICTS.read_text(encoding="utf-8").splitlines()[1:]]
    text = gallery.described(found, sources)
    right = {
        "docs/verdicts.csv": {who: row for who, *row in table} == rows,
        "docs/verdicts.svg": gallery.BARS.read_text(encoding="utf-8") == gallery.picture(found, sources),
        "docs/results.md": RESULTS.count(f"![{text}](verdicts.svg)") == 1,
    }
    return [name for name, holds in right.items() if not holds]


def test_the_results_page_says_the_numbers_of_a_run():
    text = (ROOT / "docs/results.md").read_text(encoding="utf-8")
    rows = gallery.numbers()
    assert len(rows) > 15 and gallery.untrue(text, rows) == [], AGAIN
    wrong = text.replace("is 0.91 rad", "is 1.0 rad").replace("at most 0.0044", "at most 0.004")
    wrong = wrong.replace("raw reports is 0.45 h", "raw reports is 0.44 h").replace("But 0.2 %", "But 0.3 %")
    assert [line.partition(" ")[0] for line in gallery.untrue(wrong, rows)] == ["divided", "the", "But", "The"]


def test_the_picture_of_the_verdicts_shows_the_claims(found, all_claims):
    assert out_of_date(found, all_claims["sources"]) == [], AGAIN


def test_a_picture_of_other_verdicts_is_seen(found, all_claims):
    """One claim of B fails that held before, by a fault of its own."""
    other = found.copy()
    place = other.index[(other["source"] == "B") & (other["verdict"] == "reproduced")][0]
    other.loc[place, ["verdict", "severity", "fault"]] = "refuted", "misprint", "other"
    assert out_of_date(other, all_claims["sources"]) == ["docs/verdicts.csv", "docs/verdicts.svg", "docs/results.md"]


def test_the_picture_can_be_read_on_light_and_dark_pages():
    """It has a background of its own, texts of 12 points or more, and nothing that is fetched."""
    text = gallery.BARS.read_text(encoding="utf-8")
    width, height = re.search(r'viewBox="0 0 (\d+) (\d+)"', text).groups()
    assert f'<rect width="{width}" height="{height}" rx="6" fill="#ffffff"/>' in text.splitlines()[2]
    assert min(int(size) for size in re.findall(r'font-size="(\d+)"', text)) >= 12
    assert "href" not in text and "<image" not in text and len(text) < 10_000
    # 14 px of a usual font are at most 7.5 px wide on average
    ends = [(float(x), len(content)) for x, content in re.findall(r'<text x="([\d.]+)"[^>]*start[^>]*>(.*?)<', text)]
    assert len(ends) > 8 and max(x + 7.5 * length for x, length in ends) <= int(width)


def test_the_gallery_shows_every_figure(plan):
    """Each with a picture; of the tables that describe the same experiment, all are held."""
    names = {figure.name for figure in FIGURES}
    assert {f"figures/{name}.png" for name in names} == {n for n in plan.files if re.match("figures/.*png", n)}
    assert {path.stem for path in gallery.PICTURES.glob("*.png")} == names, AGAIN
    assert sorted(" ".join(gallery.QUESTIONS.values()).split()) == sorted(names)
    tables = {table for figure in FIGURES for table in figure.tables}
    assert set(pd.read_csv(gallery.TABLES)["table"]) == tables <= plan.files, AGAIN


def test_the_page_of_the_gallery_is_that_of_the_captions():
    text = gallery.PAGE.read_text(encoding="utf-8")
    assert text == gallery.page(FIGURES, gallery.commit_of_pictures()), "python tools/make_gallery.py --page"
    assert "{{" not in text and len(FIGURES) > 30


def test_the_tool_writes_the_claims_of_the_readme(all_claims):
    assert gallery.with_claims(README, all_claims["claims"], all_claims["sources"]) == README, "--page"


def test_pictures_are_small():
    sizes = {path.name: path.stat().st_size for path in gallery.PICTURES.glob("*.png")}
    assert max(sizes.values()) <= 60_000 and sum(sizes.values()) <= 2_500_000
    for path in gallery.PICTURES.glob("*.png"):
        assert min(imread(path).shape[:2]) >= 300


def test_pictures_show_the_tables_of_the_run_that_is_here():
    """If the whole study has been run here: the figures whose tables have changed since, by name."""
    try:
        gallery.run_of_study(ROOT)
    except SystemExit as reason:
        pytest.skip(str(reason))
    assert gallery.changed(ROOT, FIGURES) == {}, AGAIN


@pytest.fixture
def tables(tmp_path, monkeypatch):
    """A folder with the tables of two figures, of which the committed file knows."""
    rng = np.random.default_rng(1)
    for name in ("a", "b"):
        path = tmp_path / f"results/{name}/{name}.csv"
        path.parent.mkdir(parents=True)
        values = np.append(rng.normal(1.0, 1.0, 40), [1e300, np.inf])
        pd.DataFrame({"distribution": ["x", "y"] * 21, "value": values}).to_csv(path, index=False)
    monkeypatch.setattr(gallery, "TABLES", tmp_path / "tables.csv")
    figures = [FIGURES[0]._replace(name=name, tables=[f"results/{name}/{name}.csv"]) for name in ("a", "b")]
    names = [figure.tables[0] for figure in figures]
    rows = [[name, json.dumps(gallery.summary(tmp_path / name))] for name in names]
    gallery.write(gallery.TABLES, ["table", "summary"], rows)
    return tmp_path, figures


@pytest.mark.parametrize(
    ("change", "seen"),
    [
        (lambda table: table.assign(value=table["value"] * (1.0 + 1e-9)), False),
        (lambda table: table.replace({"value": {1e300: 3e300}}), False),
        (lambda table: table.assign(value=table["value"] + 1e-3), True),
        (lambda table: table.iloc[:-1], True),
        (lambda table: table.rename(columns={"distribution": "mechanism"}), True),
        (lambda table: table.assign(distribution=["x", "y", "z"] * 14), True),
    ],
    ids=["rounding", "lost digits", "values", "rows", "columns", "texts"],
)
def test_figures_whose_table_has_changed_are_named(tables, change, seen):
    folder, figures = tables
    path = folder / "results/b/b.csv"
    assert gallery.changed(folder, figures) == {}
    change(pd.read_csv(path)).to_csv(path, index=False)
    assert gallery.changed(folder, figures) == ({"b": ["results/b/b.csv"]} if seen else {})
