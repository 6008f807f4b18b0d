"""The article: every number in it is of the results, no text is markup, and the same run has the same bytes."""

import io
import json
import re
import shutil
from itertools import count

import pandas as pd
import pytest
import typst
import yaml
from checkouts import ROOT
from pypdf import PdfReader

from study.article import write
from study.article.prose import figures_of, tables_of
from study.claims.claims import read_claims
from study.claims.verdicts import AS_EXPECTED, REPORTED
from study.claims.words import groups, number, read_verdicts
from study.workflow import checked_yaml

PROSE = checked_yaml.read(ROOT / "src/study/article/article.yaml")
NUMBER = re.compile(r"\d+(?:[.]\d+)?")
OF_SOURCES = re.compile(
    r"\b(?:Sections?|Figures?|Theorem|Corollary|Eqs?[.]|Appendix) \d[\d.]*\w?|\b(?:19|20)\d\d\b|\b\d+ (?:mm|km|m)\b"
)
"""Numbers that the prose may have: those that name a part of a source, years and lengths."""
MADE = {"robustness": {"date": "2026", "verdicts": {"one": {"run": "refuted"}}}, "version": "0.1.0", "commit": "abcdef"}
FIRST = 10_000
RESULT_TEXTS = ["accepted", "finding", "headline", "reason"]


@pytest.fixture(scope="module")
def run(smoke_run):
    """The claims, sources and tables of the smoke run, and figures without a text."""
    results, folder = smoke_run.directory / "results", smoke_run.source / "config/claims"
    sources = {p.stem: yaml.load(p.read_text("utf-8"), yaml.CSafeLoader) for p in sorted(folder.glob("*.yaml"))}
    tables = {name: pd.read_csv(results / name) for name in tables_of(PROSE)}
    return read_verdicts(results / "claims.csv"), sources, tables


@pytest.fixture(scope="module")
def blank(tmp_path_factory):
    """A page without a text in place of each figure."""
    folder = tmp_path_factory.mktemp("figures")
    page = typst.compile(b"#set page(width: 85mm, height: 60mm)\n#rect()")
    paths = [folder / f"{name}.pdf" for name in figures_of(PROSE)]
    for path in paths:
        path.write_bytes(page)
    return paths


def numbered(claims, tables):
    """The results with another number, which nothing else has, in place of each; with these by claim and by table."""
    numbers = count(FIRST)
    claims = claims.assign(verdict=claims["expected_verdict"], status=AS_EXPECTED, changes="")
    claims = claims[claims["expected_verdict"] != ""].reset_index(drop=True)
    for column in ("value", "low", "high"):
        claims[column] = [float(next(numbers)) for _ in claims.index]
    for column in RESULT_TEXTS:
        claims[column] = [NUMBER.sub(lambda match: str(next(numbers)), text) for text in claims[column]]
    tables = {name: table.copy() for name, table in tables.items()}
    for table in tables.values():
        for column in ("value", "low", "high", "kappa"):
            table[column] = [float(next(numbers)) for _ in table.index]
    return claims, tables


def test_every_number_of_the_results_is_in_the_article_and_no_other_is(run, blank):
    """Nor is a text of the results markup."""
    claims, sources, tables = run
    claims, tables = numbered(claims, tables)
    on_file = claims.iloc[:1].assign(dataset="mine", status=REPORTED, title="#panic() *a* $b$ <c> @d")
    document = write.content(PROSE, pd.concat([on_file, claims]), sources, tables, **MADE)
    pages = PdfReader(io.BytesIO(write.pdf(document, blank))).pages
    text = " ".join("\n".join(page.extract_text() for page in pages).split())
    assert "On the file of the user: mine" in text and "#panic() *a* $b$ <c> @d" in text
    expected = {number(value) for column in ("value", "low", "high") for value in claims[column]}
    others = claims[claims["verdict"] != "reproduced"]
    told = [*claims["accepted"], *others["finding"], *others.loc[others["verdict"] == "undecidable", "reason"]]
    told += [*claims.loc[claims["claim"].isin(re.findall(r"{(\w+)[.]headline}", json.dumps(PROSE))), "headline"]]
    expected |= {found for words in told for found in NUMBER.findall(words)}
    rows = tables["survey_size/survey_size.csv"]
    rows = rows[(rows["population"] == "one_direction") & (rows["epsilon"] == 1.0)]
    assert len(rows) > 3
    expected |= {f"{value:.0f}" for column in ("value", "low", "high") for value in rows[column]}
    in_text = set(NUMBER.findall(text))
    assert len(expected) > 600 and expected - in_text == set()
    # what is left names parts of the sources or of the article, is of a title of a claim, or counts claims
    words = [json.dumps(PROSE, ensure_ascii=False), json.dumps(sources, ensure_ascii=False)]
    words += [*claims["title"], *claims["place"], *claims["unit"], MADE["version"]]
    allowed = {found for one in words for found in NUMBER.findall(one)} | {str(place) for place in range(1, 20)}
    allowed |= set(map(str, counts_of(claims, sources)))
    assert {one for one in in_text - allowed if not FIRST <= float(one) < 2 * FIRST} == set()


def counts_of(claims, sources):
    """How many claims each source makes, rebuilt ones, and all that hold, fail or cannot be decided."""
    own = claims[(claims["source"] != "beyond") & (claims["excerpt"] != "quoted")]
    parts = [own, *groups(claims, sources).values()]
    numbers = [len(of) for of in parts] + [of["excerpt"].isin(["reconstructed", "absent"]).sum() for of in parts]
    return [*numbers, *(n for of in parts for n in of["verdict"].value_counts())]


def test_the_article_follows_the_verdicts(run):
    """One claim fewer that holds, and one more that fails: counts change, and a sentence on it is left out."""
    claims, sources, tables = run
    other = {"verdict": "refuted", "severity": "privacy", "fault": "exponential_radius", "status": "changed"}
    here = claims["claim"] == "exponential_radius"
    assert list(claims.loc[here, "verdict"]) == ["reproduced"]
    changed = claims.assign(**{column: claims[column].mask(here, value) for column, value in other.items()})
    own = (claims["status"] != REPORTED) & (claims["source"] != "beyond") & (claims["excerpt"] != "quoted")
    counts = [write.totals(one[own]) for one in (claims, changed)]
    assert [counts[1][key] - counts[0][key] for key in ("claims", "hold", "fail", "faults")] == [0, -1, 1, 1]
    documents = [write.content(PROSE, one, sources, tables, **MADE) for one in (claims, changed)]
    before, after = (json.dumps(one, default=int) for one in documents)
    for text, numbers in ((before, counts[0]), (after, counts[1])):
        assert f"Of these, {numbers['hold']} hold, {numbers['fail']} fail" in text
        assert f"through {numbers['faults']} separate faults" in text
    assert "warning of the note is right" in before and "warning of the note is right" not in after


def test_the_article_of_a_run_has_its_length_and_the_same_bytes_elsewhere(run, smoke_run, blank, tmp_path, monkeypatch):
    """The figures lie in another folder, and the machine has another date and time zone."""
    claims, sources, tables = run
    made = (smoke_run.directory / "results/article.pdf").read_bytes()
    reader = PdfReader(io.BytesIO(made))
    assert 8 <= len(reader.pages) <= 12 and len(made) < 6e6
    assert not {"/CreationDate", "/ModDate"} & set(reader.metadata)
    document = write.content(PROSE, claims, sources, tables, **MADE)
    first = write.pdf(document, blank)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    assert write.pdf(document, [shutil.copy(path, tmp_path) for path in blank]) == first


SETTINGS = set("where columns names references equation code figures table wide of list numbered".split())
"""Keys of the prose whose values are no sentences."""


def texts_of(node):
    """All sentences of the prose."""
    if isinstance(node, str):
        return [node]
    parts = [value for key, value in node.items() if key not in SETTINGS] if isinstance(node, dict) else node
    return [text for part in parts for text in texts_of(part)]


def typed_numbers(text):
    """Numbers of a text of the prose that are typed and name no part of a source."""
    return NUMBER.findall(OF_SOURCES.sub("", re.sub(r"{[^}]*}", "", text)))


def test_the_prose_has_no_typed_number():
    texts = texts_of(PROSE)
    assert len(texts) > 60 and {text for text in texts if typed_numbers(text)} == set()
    assert typed_numbers("Of 124 claims in Section 3 of 2021, {all.holding:.2f} hold at 0.5.") == ["124", "0.5"]


def test_the_prose_speaks_of_claims_that_there_are():
    """A sentence on any other would be left out of every article."""
    claims = {*read_claims(ROOT / "config/claims")["claims"], "all", "ours", "software"}
    parts = [*PROSE["abstract"], *(part for section in PROSE["sections"] for part in section["parts"])]
    named = {name for part in parts if isinstance(part, dict) for name in part.get("of", ())}
    named |= {name for text in texts_of(PROSE) for name in re.findall(r"{(\w+)[.]\w+", text)}
    assert len(named) > 20 and named <= claims
