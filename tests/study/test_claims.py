"""The claims: which rows they are about, what makes a verdict, and what is said of it."""

import re
import shutil
from bisect import bisect_left
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from looks import faults, styled  # noqa: F401

from study.claims import page as claims_html
from study.claims import plot as plot_claims
from study.claims import verdicts as claim_verdicts
from study.claims.check import OF_NO_DATASET, check, unlike_sample
from study.claims.claims import figures_of, headlines_of, read_claims, tables_of, texts_of
from study.claims.require_expected import unexpected
from study.claims.rows import measured, missing_cells, select, with_interval
from study.claims.verdicts import decide
from study.claims.words import counts, read_verdicts
from study.claims.words import said as said_of
from study.workflow.job import InputError, write_csv

CONFIG = Path(__file__).resolve().parents[2] / "config"
PNG = "data:image/png;base64,"
SETTINGS = {"confidence": 0.95, "certainty": 0.999999, "changed": "fail", "undecided": "fail", "timings": True}
TABLE = pd.DataFrame(
    {
        "distribution": ["a", "a", "b", "b"],
        "kappa": [1.0, 2.0, 1.0, 2.0],
        "value": [2.0, 8.0, 1.0, 2.0],
        "low": [1.9, 7.6, 0.95, 1.9],
        "high": [2.1, 8.4, 1.05, 2.1],
    }
)


def claim(**changes):
    """A claim on TABLE, true of it, with some keys changed; those of its measure by a leading underscore."""
    made = {
        "source": "A", "place": "Theorem 0", "excerpt": "printed", "kind": "statement",
        "title": "a is above 1", "says": "It is.", "quantity": "value of a", "because": "we say so",
        "verdict": "reproduced", "figure": "one", "relation": "above", "expected": 1.0,
    }  # fmt: skip
    measure = {"table": "t/t.csv", "where": {"distribution": "a"}, "by": ["kappa"], "value": "value"}
    measure |= {key[1:]: value for key, value in changes.items() if key.startswith("_")}
    changes = {key: value for key, value in changes.items() if not key.startswith("_")}
    return made | {"measure": measure} | changes


def row_of(table=TABLE, settings=SETTINGS, **changes):
    """What is found of one claim."""
    return check({"one": claim(**changes)}, lambda name: table, settings).iloc[0]


def verdict(table=TABLE, settings=SETTINGS, **changes):
    return row_of(table, settings, **changes)["verdict"]


# The rows.


def test_rows_are_selected_by_values_lists_and_bounds():
    assert list(select(TABLE, {"kappa": 2}, "c").index) == [1, 3]
    assert list(select(TABLE, {"distribution": ["a", "b"], "kappa": {"above": 1.0, "at_most": 2.0}}, "c").index) == [
        1,
        3,
    ]
    assert list(select(TABLE, {}, "c").index) == [0, 1, 2, 3]
    with pytest.raises(InputError, match=r"claim c: .*no column lwa.*distribution, kappa"):
        select(TABLE, {"lwa": "a"}, "c")
    assert missing_cells(TABLE, {"distribution": "a", "kappa": [1.0, 2.0]}) == []
    assert missing_cells(TABLE, {"distribution": "a", "kappa": [1.0, 3.0, 4.0]}) == [{"kappa": 3.0}, {"kappa": 4.0}]


def test_rows_are_compared_by_ratio_and_difference():
    measure = claim(_against={"where": {"distribution": "b"}, "as": "ratio"})["measure"]
    rows = measured(lambda name: TABLE, measure, "c")
    assert list(rows["measured"]) == [2.0, 4.0]
    error = 0.1 / 1.959964 / 2.0  # of each side, as a share of it
    assert np.allclose(rows["error"], np.hypot(error, error), rtol=1e-6, atol=0.0)
    one = with_interval(rows.iloc[:1], 0.95).iloc[0]
    assert np.isclose(one["high"], 2.0 * np.exp(0.05 * np.sqrt(2.0))) and np.isclose(one["low"] * one["high"], 4.0)
    measure["against"]["as"] = "difference"
    assert list(measured(lambda name: TABLE, measure, "c")["measured"]) == [1.0, 6.0]
    measure["against"]["on"] = ["low"]
    assert measured(lambda name: TABLE, measure, "c").shape[0] == 1  # 1.9 is in both
    twice = pd.concat([TABLE, TABLE])
    with pytest.raises(InputError, match="several rows"):
        measured(lambda name: twice, claim(_against={"where": {"distribution": "b"}, "as": "ratio"})["measure"], "c")


def test_an_interval_holds_for_all_rows_at_once():
    rows = measured(lambda name: TABLE, claim()["measure"], "c")
    alone, together = with_interval(rows.iloc[:1], 0.95), with_interval(rows, 0.95)
    assert np.isclose(alone["high"].iloc[0], 2.1)
    assert np.isclose(together["high"].iloc[0], 2.0 + 0.1 * 2.241403 / 1.959964)
    exact = with_interval(measured(lambda name: TABLE, claim(_exact=True)["measure"], "c"), 0.95)
    assert (exact["low"] == exact["high"]).all()


# The verdicts.


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "reproduced"),
        ({"expected": 2.0, "_exact": True}, "refuted"),  # 2 is not above 2
        ({"expected": 2.0, "relation": "near", "tolerance": 6.0}, "undecidable"),  # 8.4 is beyond 8
        ({"expected": 2.0, "relation": "near", "rows": "some", "_exact": True}, "reproduced"),
        ({"expected": 1.95}, "undecidable"),  # an interval crosses it
        ({"expected": 2.2}, "not reproduced"),  # contradicted, but not beyond doubt
        ({"expected": 3.0}, "refuted"),
        ({"expected": 3.0, "kind": "result"}, "not reproduced"),
        ({"expected": 3.0, "rows": "some"}, "reproduced"),
        ({"expected": 30.0, "rows": "some"}, "refuted"),
        ({"expected": 5.0, "rows": "unknown", "relation": "near", "tolerance": 0.1}, "undecidable"),
        ({"expected": 50.0, "rows": "unknown", "relation": "near", "tolerance": 0.1}, "refuted"),
        ({"expected": 5.0, "rows": "unknown", "relation": "near", "tolerance": 5.0}, "reproduced"),
        ({"expected": [1.0, 9.0], "relation": "within"}, "reproduced"),
        ({"expected": {"column": "value"}, "relation": "near", "tolerance": 0.06, "tolerance_of": "value"},
         "reproduced"),
        ({"expected": {"column": "high"}, "relation": "below", "_exact": True}, "reproduced"),
        # a part of the grid shows no claim about all of it, but refutes it
        ({"_where": {"distribution": "a", "kappa": [1.0, 2.0, 3.0]}}, "undecidable"),
        ({"_where": {"distribution": "a", "kappa": [1.0, 2.0, 3.0]}, "expected": 3.0}, "refuted"),
        ({"_where": {"distribution": "a", "kappa": [2.0, 3.0]}, "rows": "some", "expected": 30.0}, "undecidable"),
        ({"_where": {"distribution": "a", "kappa": [2.0, 3.0]}, "rows": "unknown", "expected": 30.0}, "undecidable"),
        ({"_where": {"distribution": "c"}}, "undecidable"),
        ({"_value": {"column": "distribution", "equals": "a"}, "_exact": True, "relation": "near"}, "reproduced"),
        ({"_against": {"where": {"distribution": "b"}, "as": "ratio"}, "expected": 1.5}, "reproduced"),
    ],
)  # fmt: skip
def test_verdicts(changes, expected):
    assert verdict(**changes) == expected


def test_a_value_that_is_not_there_decides_nothing_unless_it_stands_for_infinity():
    table = TABLE.assign(value=[2.0, np.nan, 1.0, 2.0])
    found = row_of(table)
    assert found["verdict"] == "undecidable" and "could not be computed" in found["reason"]
    assert verdict(table, _exact=True, _missing="infinite") == "reproduced"
    assert verdict(table, _exact=True, _missing="infinite", relation="below", expected=9.0) == "refuted"


def test_claims_about_speed_are_left_open_where_nothing_is_timed():
    assert verdict(timed=True) == "reproduced"
    found = row_of(settings=SETTINGS | {"timings": False}, timed=True)
    assert found["verdict"] == "undecidable" and np.isnan(found["value"])


def test_a_true_claim_is_seldom_contradicted():
    """Claims true to the brim in each of 20 rows: at 95 % at most one in 40 is contradicted, on one side.

    Of 100 claims more than 16 are with a probability below 1e-9 (binomial). Intervals of 95 % for each row
    alone, as if the others were not there, contradict 40 % of them: 16 or fewer with a probability below 2e-7.
    """
    claims, rows = 100, 20
    draws = np.random.default_rng(3).standard_normal((claims, rows))

    def contradicted(confidence):
        settings = SETTINGS | {"confidence": confidence}
        tables = (pd.DataFrame({"measured": row, "error": 1.0, "relative": False}) for row in draws)
        found = [decide(table, claim(expected=0.0), [], settings) for table in tables]
        return sum(one["contradicted"] for one in found)

    assert contradicted(0.95) <= 16
    assert contradicted(1.0 - rows * 0.05) > 16  # divided among the rows it is 95 % for each


def test_a_claim_that_fails_says_how_bad_it_is_and_by_which_fault():
    known = {"expected": 3.0, "verdict": "refuted", "severity": "privacy"}
    assert tuple(row_of(**known)[["severity", "fault"]]) == ("privacy", "one")
    assert tuple(row_of(**known, fault="shared")[["severity", "fault"]]) == ("privacy", "shared")
    holds = known | {"expected": 1.0, "fault": "shared"}
    assert tuple(row_of(**holds)[["severity", "fault"]]) == ("", "")


def test_a_verdict_is_told_at_half_and_at_twice_its_tolerance():
    def verdicts(**changes):
        return tuple(row_of(_exact=True, **changes)[["at_half", "verdict", "at_twice"]])

    near = {"relation": "near", "expected": 5.0}  # the values are 2 and 8
    assert verdicts(**near, tolerance=4.0) == ("refuted", "reproduced", "reproduced")
    assert verdicts(**near, tolerance=2.0) == ("refuted", "refuted", "reproduced")
    assert verdicts(expected=9.0, tolerance=1.0, tolerance_of="value", relation="near")[0] == "refuted"
    assert verdicts(expected=[2.0, 8.0], relation="within") == ("refuted", "reproduced", "reproduced")
    assert verdicts() == ("", "reproduced", "")  # no tolerance


@pytest.mark.parametrize(("relative", "relation"), [(False, "above"), (False, "near"), (True, "below")])
def test_what_a_run_detects_it_shows(relative, relation):
    """A true value beyond the border by ``detectable`` is contradicted in 97.5 % of runs, or more.

    Of 400 runs fewer than 380 contradict it with a probability below 0.002 (binomial). Half of it, a likely
    mistake, is shown in half of the runs: more than 240 of 400 do with a probability below 0.001.
    """
    made = claim(relation=relation, expected=2.0, **({"tolerance": 0.5} if relation == "near" else {}))
    border = 2.5 if relation == "near" else 2.0
    sign = -1 if relation == "above" else 1
    rng, error = np.random.default_rng(8), 0.05

    def rows(value, noise):
        value = value * np.exp(error * noise) if relative else value + error * noise
        return pd.DataFrame({"measured": [value], "error": error, "relative": relative})

    def decided(value, noise):
        return decide(rows(value, noise), made, [], SETTINGS)

    def shown(beyond):
        """How many of 400 runs contradict it: none but the farthest off, which are looked for by halving."""

        def contradicted(noise):
            return bool(decided(border + sign * beyond, noise)["contradicted"])

        runs = np.sort(rng.standard_normal(400))[::sign]
        some = [contradicted(noise) for noise in runs[::20]]
        assert some == sorted(some)
        return len(runs) - bisect_left(runs, True, key=contradicted)

    detectable = decided(border, rng.standard_normal())["detectable"]
    assert shown(detectable) >= 380 and shown(detectable / 2.0) <= 240
    exact = rows(border, rng.standard_normal()).assign(error=0.0)
    assert np.isnan(decide(exact, made, [], SETTINGS)["detectable"])


def test_the_counter_example_is_the_row_that_fails_most():
    found = row_of(expected=9.0)
    assert found["counter_example"].startswith("kappa = 1: value of a = 2 [1.8856, 2.1144] where > 9 is accepted")
    assert found["counter_example"].endswith("(not fulfilled in 2 of 2 rows)")
    assert (found["severity"], found["fault"]) == ("", "one")  # none of which we knew
    assert (found["rows"], found["rows_fulfilling"], found["status"]) == (2, 0, "changed")
    assert row_of()["counter_example"] == ""
    changed = row_of(TABLE.assign(value=[2.0, 0.5, 1.0, 2.0]), _exact=True)
    assert changed["counter_example"].startswith("kappa = 2: value of a = 0.5")


# Several datasets.

ON_DATA = {"population": "city", "kappa": [1.0, 2.0]}


def on_data(where=ON_DATA, given=("mine",), unlike=None, **populations):
    """What is found of a claim on the data of the city; with the values by dataset."""
    rows = [
        {"population": name, "kappa": kappa, "value": value}
        for name, values in populations.items()
        for kappa, value in zip((1.0, 2.0), values, strict=False)
    ]
    made = claim(_where=where, _exact=True, _by=["kappa"], needs="places worldwide", finding="In the city.")
    return check({"one": made}, lambda name: pd.DataFrame(rows), SETTINGS, given, unlike=unlike)


def test_a_claim_about_data_is_judged_on_each_dataset_and_only_built_in_ones_fail():
    found = on_data(mine=[0.5, 2.0], city=[2.0, 2.0], world=[0.1, 0.1])
    assert list(found["dataset"]) == ["mine", "city"]
    assert list(found["verdict"]) == ["refuted", "reproduced"]
    assert list(found["status"]) == ["reported", "as expected"] and found["expected_verdict"][0] == ""
    assert found["counter_example"][0].startswith("kappa = 1: value of a = 0.5")
    assert "population = mine" in found["rows_are"][0]
    assert list(found["finding"]) == ["", "In the city."]  # which says nothing about a file
    assert unexpected(found, SETTINGS) == []
    said = "Paper A: 1 of 1 reproduced; On mine: 0 of 1 reproduced, 1 failure (1 refuted)"
    assert counts(found, SOURCES) == said

    built_in = on_data(mine=[2.0, 2.0], city=[0.5, 2.0])
    assert list(built_in["verdict"]) == ["reproduced", "refuted"]
    assert len(unexpected(built_in, SETTINGS)) == 1
    # the same name, read from a file of the user's
    replaced = on_data(given=["city"], city=[0.5, 2.0])
    assert list(replaced["dataset"]) == ["city"] and unexpected(replaced, SETTINGS) == []


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({}, "it needs places worldwide"),
        ({"mine": [2.0]}, "it needs places worldwide"),
        ({"mine": [2.0, np.nan]}, "a cell has no value"),
    ],
)
def test_a_file_that_decides_nothing_is_reported(values, reason):
    found = on_data(city=[2.0, 2.0], **values)
    assert list(found["verdict"]) == ["undecidable", "reproduced"]
    assert reason in found["reason"][0] and unexpected(found, SETTINGS) == []
    grid = on_data(city=[2.0], mine=[2.0])  # what the grid does not have is no fault of the file
    assert grid["reason"][0] == "1 cell is not in the results: kappa = 2"
    built_in = on_data(given=(), city=values.get("mine", []), world=[2.0, 2.0])
    assert list(built_in["verdict"]) == ["undecidable"] and len(unexpected(built_in, SETTINGS)) == 1


def test_check_ins_unlike_the_real_sample_are_named(tmp_path):
    """On the page beside every verdict on them, and above what a user's file says."""
    rows = [("mine", "regularity", 0.5, 0.6, 0.4, "no"), ("mine", "hours", np.nan, 0.0, 0.5, "no")]
    rows += [("city", "regularity", 0.5, 0.6, 0.6, "yes")]
    columns = ["population", "statistic", "at", "target", "value", "within"]
    unlike = unlike_sample(pd.DataFrame(rows, columns=columns))
    assert unlike == {"mine": "regularity at 0.5: 0.4, not 0.6; hours: 0.5, not 0"}
    found = on_data(mine=[2.0, 2.0], city=[2.0, 2.0], unlike=unlike)
    assert dict(zip(found["dataset"], found["unlike_sample"], strict=True)) == {**unlike, "city": ""}
    write_csv(found, tmp_path / "claims.csv")
    text = " ".join(page_of(read_verdicts(tmp_path / "claims.csv"), "It is 2.0.").split())
    assert "What your file mine says</h2> <p>Its check-ins are unlike the real sample" in text
    assert re.search(r'<a href="#one-mine">a is above 1</a>: 2, accepted &gt; 1</li>', text)
    lacking = page_of(on_data(city=[2.0, 2.0]), "It is 2.0.")
    assert ": this cannot be said, as it needs places worldwide</li>" in " ".join(lacking.split())
    assert text.count(unlike["mine"]) == 2 and "Unlike the real sample</dt>" in text


def test_a_claim_that_no_figure_shows_names_its_table(tmp_path):
    made = claim()
    del made["figure"]
    write_csv(check({"one": made}, lambda name: TABLE, SETTINGS), tmp_path / "claims.csv")
    found = read_verdicts(tmp_path / "claims.csv")
    assert found.loc[0, "figure"] == "" and found.loc[0, "command"] == "snakemake --cores all results/t/t.csv"
    assert figures_of({"one": made}) == []
    text = page_of(found, "It is 2.0.")
    assert "<dt>Figure</dt>" not in text and "results/t/t.csv" in text


def test_a_claim_about_no_data_stands_once():
    for where in ({"kappa": [1.0, 2.0]}, ON_DATA | {"population": "one_direction"}):
        found = on_data(where, one_direction=[2.0, 2.0])
        assert list(found["dataset"]) == [""] and list(found["status"]) == ["as expected"]


def test_these_claims_are_about_data(book):
    named = [claim["measure"]["where"].get("population") for claim in book["claims"].values()]
    about = [dataset for dataset in named if dataset not in OF_NO_DATASET]
    assert set(about) == {"city", "world"} and len(about) >= 5


# The file of the claims.


@pytest.fixture(scope="module")
def book():
    return read_claims(CONFIG / "claims")


def test_the_claims_of_the_three_sources_and_ours(book):
    claims = book["claims"]
    assert len(claims) >= 40
    assert {entry["source"] for entry in claims.values()} == {"A", "B", "N", "beyond"}
    assert all((entry["excerpt"] == "ours") == (entry["source"] == "beyond") for entry in claims.values())
    assert {entry["verdict"] for entry in claims.values()} == set(claim_verdicts.VERDICTS)
    assert all(entry["because"] and entry["measure"]["table"] for entry in claims.values())
    refuted = [entry for entry in claims.values() if entry["verdict"] == "refuted"]
    assert all(entry["kind"] == "statement" for entry in refuted)
    assert all(path.startswith("results/") for path in tables_of(claims))
    assert all(re.fullmatch(r"figures/\w+\.png", path) for path in figures_of(claims))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("    relation: near\n", "    relation: close\n", "must be 'near', 'above', 'below' or 'within'"),
        ("    place: Eq. 6\n", "    place: Eq. 6\n    source: C\n", "claims.chord_formula.source: unknown key"),
        ("  vmf_chord_simulated:\n", "  theorem_24_outer: {}\n  vmf_chord_simulated:\n", "is here twice"),
        (
            "  vmf_chord_simulated:\n",
            "  Chord:\n",
            "claims.Chord: must match pattern '^[a-z][a-z0-9_]*$'; \"Chord\" is given (the claims by",
        ),
        ("    expected: {column: high_precision}\n", "    expected: [1, 2]\n", "must be a number or a mapping"),
        ("    expected: {column: high_precision}\n", "    expected: 1e-3\n", '"1e-3" is given, write 0.001'),
        ("    because: a dif", "    why: a dif", "unknown key"),
        ("{worse_than_uniform_circle.value:", "{worse_than.value:", "headline of worse_than_uniform_sphere"),
        (
            "polar Laplace is {value:.4f} rad",
            "polar Laplace is {mean:.4f} rad",
            "{mean}, which is none of its numbers, of high,",
        ),
        ("    place: Eq. 6\n", "    place: Equation 6\n", 'in place of "Equation"'),
        ("    excerpt: reconstructed\n", "    excerpt: seen\n", "must be 'printed', 'quoted', 'reconstructed'"),
        ("    reconstruction: >-\n", "    finding: >-\n", "must say how it was rebuilt, as"),
        ("      upper: {table: ", "      gone: {table: ", "finding of theorem_24_middle has {upper}"),
        ("fails by {lower:.2f} rad at", "fails at", "theorem_24_middle has the number lower, which no text"),
        ("    severity: accuracy\n", "", "severity: must be one of misprint, wording, proof, accuracy, privacy, as"),
        ("    severity: accuracy\n", "    severity: bad\n", "must be 'misprint', 'wording', 'proof', 'accuracy'"),
        ("    needs: places worldwide\n", "", "needs: must say what data need, if and only if the claim is about"),
        ("    kind: statement\n", "    needs: data\n    kind: statement\n", "needs: must say what data need"),
        ("    kind: statement\n", "    kind: statement\n    severity: wording\n", "must not be there, as"),
        (
            "    kind: statement\n",
            "    kind: statement\n    undecided: why\n",
            "undecided: must not be there, as the verdict",
        ),
        ("    severity: accuracy\n", "    severity: accuracy\n    fault: one\n", "faults.one: must be listed here"),
        ("sections:\n", "faults: {none: Nothing}\n\nsections:\n", "faults.none: must be listed here, and be"),
        ("claims:\n", "claims: [\n", "A.yaml cannot be read"),
        ("  vmf_chord_simulated:\n", "  haar_proposal:\n", "the claim haar_proposal is in A.yaml too; rename one"),
    ],
)
def test_a_claim_that_cannot_be_used_is_named(tmp_path, old, new, message):
    folder = shutil.copytree(CONFIG / "claims", tmp_path / "claims")
    path = folder / "A.yaml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError, match=re.escape(message)):
        read_claims(folder)


def test_the_claims_come_in_the_order_of_the_files(book):
    sources = [claim["source"] for claim in book["claims"].values()]
    assert list(book["sources"]) == sorted(set(sources)) and sources == sorted(sources)
    assert next(iter(book["claims"])) == "vmf_chord_simulated"


# What is said of them.


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """Three claims as the workflow writes and reads them: true, refuted against expectation, and open."""
    claims = {
        "first": claim(section="Section 2", reconstruction="We derived it.", excerpt="reconstructed"),
        "second": claim(expected=9.0, title="a < b & <i>more</i>", source="B", unit="rad"),
        "third": claim(expected=1.95),
    }
    path = tmp_path_factory.mktemp("claims") / "claims.csv"
    write_csv(check(claims, lambda name: TABLE, SETTINGS), path)
    return read_verdicts(path)


SECTIONS = [
    {"section": "Section 1", "title": "First", "not_claimed": {"a definition": ["Eq. 5"]}},
    {"section": "Section 2", "title": "Second", "claimed": ["Theorem 0"]},
]
SOURCES = {
    letter: {"name": f"Paper {letter}", "title": "One", "excerpts": "We have it.", "sections": SECTIONS}
    for letter in "AB"
}
SAYS = "It is 2.0 in 2 rows, and 0 are above 9."


def test_a_verdict_that_is_not_expected_fails_with_all_there_is_to_know(found):
    problems = unexpected(found, SETTINGS)
    assert len(problems) == 2
    for text in ("second (B, Theorem 0): refuted, expected reproduced", "2 [1.8856, 2.1144] at 95 %",
                 "accepted > 9", "kappa = 1", "results/t/t.csv", "figures/one.png"):  # fmt: skip
        assert text in problems[0]
    assert "third" in problems[1] and "an interval crosses the border" in problems[1]
    assert len(unexpected(found, SETTINGS | {"undecided": "report"})) == 1
    assert unexpected(found, SETTINGS | {"undecided": "report", "changed": "report"}) == []
    said = "Paper A: 1 of 2 reproduced, 1 undecidable; Paper B: 0 of 1 reproduced, 1 failure (1 refuted)"
    assert counts(found, SOURCES) == said


def page_of(found, says=""):
    """The page, with a finding of the first claim."""
    found = found.assign(headline=np.where(found["claim"] == found["claim"].iloc[-1], says, ""))
    headlines = {found["claim"].iloc[-1]: {"rank": 1, "says": says}} if says else {}
    return claims_html.page(found, SOURCES, headlines, {"one": f"{PNG}AAAA"})


def test_the_page_holds_all_claims_and_needs_nothing_else(found):
    text = page_of(found, SAYS)
    assert text.count('<tr class="claim"') == 3 and text.count("data:image/png") == 1
    assert not re.search(r"https?:|//[a-z]|@import|url\(|<link|src=\"(?!data:)", text)
    assert "a &lt; b &amp; &lt;i&gt;more" in text and "<i>" not in text
    assert "changed: expected reproduced" in text
    assert "snakemake --cores all figures/one.png" in text
    for said in ("reconstructed. We derived it.", "We have it.", "<dt>Eq. 5</dt><dd>a definition</dd>"):
        assert said in text
    # a row begins with its verdict, below the heading of its section; the finding is above them all
    headings = [text.index(f"Paper A{where}</th>") for where in (", Section 2: Second", ": In no section of the list")]
    rows = [text.index(f'id="{name}"') for name in ("first", "third", "second")]
    assert text.index("It is 2.0 in 2 rows, and 0 are above 9.") < headings[0] < rows[0] < headings[1] < rows[1]
    assert rows[1] < rows[2]
    assert all(re.match(r'[^>]*>\s*<td><span class="verdict', text[start:].replace("\n", " ")) for start in rows)


def test_the_page_without_figures_says_the_same(found):
    """A report shows it in a frame, which has no figures."""
    headlines = {"third": {"rank": 1, "says": SAYS}}
    text, short = page_of(found, SAYS), claims_html.page(found.assign(headline=SAYS), SOURCES, headlines, {})
    assert "data-figure=" in text and not re.search("data:image|data-figure=|#figure-|<img", short)
    assert re.sub(r"\s+", " ", re.sub("<[^>]*>", "", short)).count("figures/one.png") == 6
    for said in ('<tr class="claim"', "It is 2.0 in 2 rows", "<dt>Measured in</dt>"):
        assert short.count(said) == text.count(said) > 0


NUMBERS = {
    "cell": {"where": {"kappa": 2.0}},
    "low": {"where": {"kappa": 1.0}, "value": "low"},
    "most": {"table": "u/u.csv", "where": {}, "value": "value", "take": "largest"},
    "cells": {"where": {"distribution": ["a", "b"]}, "take": "rows"},
    "ratio": {"where": {"kappa": 2.0}, "against": {"where": {"distribution": "b"}, "as": "ratio"}},
    "gone": {"where": {"kappa": 7.0}},
}


def said(text, table=TABLE, numbers=NUMBERS, **changes):
    """The finding of a claim; another one is refuted, which was not expected."""
    made = {
        "one": claim(finding=text, headline={"rank": 1, "says": text}, numbers=numbers, **changes),
        "other": claim(expected=9.0),
    }
    row = check(made, lambda name: table, SETTINGS).iloc[0]
    assert row["headline"] == row["finding"]
    return row["finding"]


def test_a_finding_says_what_this_run_measured():
    """Its numbers are those of the results, and it says nothing that these results do not show."""
    text = "It is {value:.1f} in {rows} rows, {cell:.0f} in {cells} cells, up to {most:.0f}, {ratio:.1f} fold."
    assert said(text) == "It is 2.0 in 2 rows, 8 in 4 cells, up to 8, 4.0 fold."
    assert said("{other.rows_fulfilling} of {other.rows} are {low:.2f}.") == "0 of 2 are 1.90."
    other = TABLE.assign(value=[2.0, 9.0, 1.0, 3.0])
    assert said(text, other) == "It is 2.0 in 2 rows, 9 in 4 cells, up to 9, 3.0 fold."
    assert said("Eq. 6 is right. It is {gone:.1f}. So it is.") == "Eq. 6 is right. This run has no such row. So it is."
    assert said(text, expected=9.0) == "This run finds: refuted."
    assert said(text, expected=1.95).endswith("crosses the border of what is accepted.")
    because = row_of(because="{cell:.0f} in {rows} rows", numbers={"cell": {"where": {"kappa": 2.0}}}, expected=9.0)
    assert because["because"] == "8 in 2 rows"  # whatever the verdict is
    assert said("{7*7} {{ a }}", numbers={}) == "{7*7} {{ a }}"  # no field, so as it stands
    with pytest.raises(InputError, match="claim one: a number of it has several rows"):
        said("It is {cell}.", numbers={"cell": {}})


def typed(text, allowed):
    """Numbers that are typed in a text and are not allowed, but 0, 1, 2 and small ones within formulas.

    What is below 1e-9 is the accuracy of a method.

    >>> typed("By Eq. 14 it is {x:.2f} at ε = 8, 2 sin²(φ₆/4), not 1129.", {8.0})
    [1129.0]
    """
    text = re.sub(r"{[^{}]*}", "", text)
    text = re.sub(r"\b(?:Sections?|Eqs?[.]|Theorems?|Lemma|Corollary|Figures?) \d[\d.]*(?:(?:, | and )\d+)*", "", text)
    wrong = []
    for word in re.split(r"\s+|[\[\](),;\"°]|[.:](?=\s|$)", text):
        numbers = [float(number) for number in re.findall(r"\d+(?:[.]\d+)?(?:e-?\d+)?", word)]
        alone = re.fullmatch(r"[\d.e-]+", word)
        wrong += [
            number
            for number in numbers
            if number not in allowed | {0, 1, 2} and number > 1e-9 and (alone or number > 20)
        ]
    return wrong


def allowed_in(claim, source):
    """Numbers that texts on a claim may have: those of its source, and of its own settings."""
    settings = {key: claim[key] for key in ("place", "says", "expected", "measure") if key in claim}
    settings |= {"tolerance": claim.get("tolerance"), "numbers": claim.get("numbers"), "lists": source["sections"]}
    found = re.findall(r"\d+(?:[.]\d+)?(?:e-?\d+)?", re.sub(r"(?<=\d)[ ,](?=\d{3})", "", repr(settings)))
    return {float(number) for number in found}


def wrong_texts(book):
    """Names of the claims on which a reason, a finding or a headline has a number that is typed."""
    return {
        name: typed("; ".join(texts_of(one).values()), allowed_in(one, book["sources"][one["source"]]))
        for name, one in book["claims"].items()
    }


def test_no_number_of_the_results_is_typed(book):
    assert {name: wrong for name, wrong in wrong_texts(book).items() if wrong} == {}
    name = "errors_together"
    for text in ("In hours they have 1129 responses.", "It is 0.405 there.", "One in 1634 is."):
        for key in ("because", "finding"):
            wrong = {**book, "claims": {name: book["claims"][name] | {key: text}}}
            assert wrong_texts(wrong)[name], text


def test_there_are_ten_findings_with_numbers(book):
    headlines = headlines_of(book["claims"])
    assert [one["rank"] for one in headlines.values()] == list(range(1, 11))
    assert {book["claims"][name]["source"] for name in headlines} == {"A", "B", "N"}
    assert all("{" in one["says"] for one in headlines.values())


def test_the_page_tells_the_verdict_on_each_dataset(tmp_path):
    found = on_data(mine=[0.5, 2.0], city=[2.0, 2.0])
    write_csv(found, tmp_path / "claims.csv")
    text = page_of(read_verdicts(tmp_path / "claims.csv"), "It is 2.0.")
    assert re.findall(r'<tr class="claim" id="([\w-]+)"', text) == ["one-mine", "one"]
    assert re.findall(r'class="file">on (\w+)<', text) == ["mine", "city"]
    assert "<li>On mine: 0 of 1 reproduced, 1 failure (1 refuted)</li>" in text and "your file" in text
    assert re.search(r"It is 2.0.\s+On mine: .*?refuted", text, re.S)
    texts = [one.get_text() for one in plot_claims.draw(found, SOURCES).axes[0].texts]
    assert texts[::2] == ["Paper A: 1 of 1 reproduced", "On mine: 0 of 1 reproduced, 1 failure (1 refuted)"]


def checked_claims():
    """Claims of two papers, one that is quoted, and ours: three fail by two faults, one of them expected."""
    made = {
        "true": claim(),
        "first": claim(expected=9.0, verdict="refuted", severity="misprint", fault="shared"),
        "second": claim(expected=3.0, verdict="refuted", severity="privacy", fault="shared"),
        "other": claim(expected=9.0, verdict="refuted", severity="wording", excerpt="quoted"),
        "open": claim(
            expected=9.0, source="B", verdict="undecidable", undecided="two programs differ", excerpt="absent"
        ),
        "lost": claim(expected=9.0, source="B"),
        "ours": claim(source="beyond", excerpt="ours"),
        "not_ours": claim(source="beyond", excerpt="ours", expected=9.0),
    }
    sources = SOURCES | {"beyond": SOURCES["A"] | {"name": "Ours"}}
    sources["A"] = sources["A"] | {"faults": {"shared": "One index is wrong"}}
    return check(made, lambda name: TABLE, SETTINGS), sources


def test_a_fault_counts_once_and_by_its_worst_claim():
    found, sources = checked_claims()
    assert counts(found, sources).split("; ") == [
        "Paper A: 1 of 3 reproduced, 1 fault (1 privacy)",
        "Quoted by Paper A: 0 of 1 reproduced, 1 fault (1 wording)",
        "Paper B: 0 of 2 reproduced, 1 failure (1 refuted), 1 undecidable",
        "Ours: 1 of 2 hold, 1 failure (1 refuted)",
    ]
    on_file = found[found["claim"].isin(["true", "ours"])].assign(dataset="mine", status="reported")
    assert counts(on_file, sources) == "On mine: 1 of 1 reproduced; On mine, beyond the papers: 1 of 1 hold"
    every = found.assign(fault=found["claim"])  # as if no two claims failed by one fault
    assert "Paper A: 1 of 3 reproduced, 2 faults (1 misprint, 1 privacy)" in counts(every, sources)
    assert [said_of(row) for row in found[found["source"] == "beyond"].itertuples()] == ["holds", "fails"]


def test_the_page_has_a_row_for_each_fault_and_our_claims_apart(tmp_path):
    found, sources = checked_claims()
    write_csv(found, tmp_path / "claims.csv")
    text = claims_html.page(read_verdicts(tmp_path / "claims.csv"), sources, {}, {})
    table = re.search(r'<table class="faults">(.*?)</table>', text, re.S)[1]
    rows = [re.sub(r"<[^>]*>|\s+", " ", row) for row in re.findall(r"<tr>.*?</tr>", table, re.S)[1:]]
    assert len(rows) == 4 and "One index is wrong" in rows[0]
    assert rows[0].split()[0] == "privacy" and rows[0].count("a is above 1") == 2
    assert rows[1].split()[0] == "wording" and "quoting others" in rows[1]
    ours = text.index("What we add: claims of our own")
    assert text.index('id="open"') < ours < text.index('id="ours"') < text.index('id="not_ours"')
    assert "</span> holds" in text[ours:] and "</span> reproduced" not in text[ours:]


def test_the_figure_has_a_bar_for_each_who_makes_claims():
    found, sources = checked_claims()
    figure = plot_claims.draw(found, sources)
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert set(counts(found, sources).split("; ")) <= set(texts)
    assert not faults(figure)
    lengths = [patch.get_width() for patch in figure.axes[0].patches]
    assert lengths == [1, 1, 1, 1, 1, 1, 1]  # a fault once
    title = figure.get_suptitle().replace("\n", " ")
    assert title == "1 of 5 claims of the sources hold in this run; of 2 faults 1 touches privacy"
