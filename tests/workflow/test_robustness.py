"""The verdicts under other seeds and other people: tools/measure_robustness.py."""

import csv
import json

import measure_robustness
import pandas as pd
import pytest
import yaml

from study.claims.check import check as judged
from study.claims.claims import read_claims
from study.claims.page import page
from study.claims.robustness_table import OTHER_PEOPLE, read_robustness
from study.claims.verdicts import VERDICTS
from study.configuration import check
from study.workflow.job import InputError

CONFIG = yaml.safe_load((measure_robustness.ROOT / "config/config.yaml").read_text(encoding="utf-8"))


BOOK = read_claims(measure_robustness.ROOT / "config/claims")


def finished(root, **datasets):
    """Let a folder look like a checkout after `make results` of these datasets."""
    (root / "results").mkdir()
    config = CONFIG | {"datasets": CONFIG["datasets"] | datasets}
    (root / "results/provenance.json").write_text(json.dumps({"config": config}), encoding="utf-8")
    (root / "results/claims_confirmed.txt").write_text("2 claims\n", encoding="utf-8")


def test_a_run_without_an_end_is_refused(tmp_path):
    with pytest.raises(measure_robustness.Refused, match="no finished run"):
        measure_robustness.finished_run(tmp_path)


def test_a_run_of_synthetic_check_ins_is_taken(tmp_path):
    finished(tmp_path)
    assert measure_robustness.finished_run(tmp_path)["seed"] == CONFIG["seed"]


@pytest.mark.parametrize("layout", ["tsmc2014", "csv"])
def test_a_run_of_other_check_ins_is_refused_by_name(tmp_path, layout):
    finished(tmp_path, clinic={"layout": layout, "path": "visits.csv"})
    with pytest.raises(measure_robustness.Refused, match="has read clinic, which is not synthetic"):
        measure_robustness.finished_run(tmp_path)


def test_every_variant_is_another_configuration_that_the_study_takes():
    seen = [json.dumps(CONFIG, sort_keys=True)]
    for name, extra in measure_robustness.variants(CONFIG).items():
        datasets = {of: keys | extra.get("datasets", {}).get(of, {}) for of, keys in CONFIG["datasets"].items()}
        laid = CONFIG | extra | {"datasets": datasets, "claims": CONFIG["claims"] | extra["claims"]}
        check(laid)
        seen.append(json.dumps({key: laid[key] for key in ("seed", "datasets")}, sort_keys=True))
        assert laid["claims"]["timings"] is False, name
    assert len(set(seen)) == len(seen) == 1 + measure_robustness.SEEDS + 4


def test_a_variant_begins_with_what_the_run_has_made(tmp_path):
    for name in ("results", "data/generated", ".snakemake/metadata"):
        (tmp_path / "run" / name).mkdir(parents=True)
        (tmp_path / "run" / name / "file").write_text(name, encoding="utf-8")
    half = tmp_path / "variant.part"  # of a call that was killed
    half.mkdir()
    (half / "rest").touch()
    measure_robustness.begin(tmp_path / "variant", tmp_path / "run")
    assert (tmp_path / "variant/.snakemake/metadata/file").read_text(encoding="utf-8") == ".snakemake/metadata"
    assert not half.exists() and not (tmp_path / "variant/rest").exists()
    (tmp_path / "variant/results/file").write_text("computed", encoding="utf-8")
    measure_robustness.begin(tmp_path / "variant", tmp_path / "run")  # goes on
    assert (tmp_path / "variant/results/file").read_text(encoding="utf-8") == "computed"


def test_the_table_has_every_verdict_but_those_on_speed(tmp_path):
    found = {"run": {"a": "refuted", "quick": "reproduced"}, "seed_1": {"a": "undecidable", "quick": "refuted"}}
    measure_robustness.write(tmp_path / "table.csv", found, {"quick"}, "2026-01-02")
    first, *lines = (tmp_path / "table.csv").read_text(encoding="utf-8").splitlines()
    assert "2026-01-02" in first
    assert list(csv.reader(lines)) == [["claim", "run", "seed_1"], ["a", "refuted", "undecidable"]]
    timed = measure_robustness.speed(measure_robustness.ROOT)
    assert "faster_above_threshold" in timed and "theorem_24_middle" not in timed


# What the claims make of the table.

ONE, TWO, THREE = "theorem_24_outer", "haar_proposal", "printed_radius_density"
"""A claim of each source; of the last two the expected verdict is refuted."""


def with_table(tmp_path, rows, date="2026-01-02"):
    """What is read of a small table: two seeds, and half as many busy venues."""
    lines = [f"# measured on {date} by a test", "claim,run,seed_1,seed_2,half_busy", *rows]
    path = tmp_path / "robustness.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return read_robustness(path)


def found_with(robustness, given=()):
    """The three claims as a run finds them that has no rows: all of them are undecidable."""
    claims = {name: BOOK["claims"][name] for name in (ONE, TWO, THREE)}
    of_claim = {claim["measure"]["table"]: claim["measure"] for claim in claims.values()}

    def no_rows(table):
        measure = of_claim[table]
        columns = [*measure["where"], *measure["by"], measure["value"], "low", "high", "exact", "printed"]
        return pd.DataFrame(columns=list(dict.fromkeys(columns)))

    settings = CONFIG["claims"]
    return judged(claims, no_rows, settings, given, robustness["verdicts"])


def test_the_page_says_which_verdicts_change(tmp_path):
    rows = [
        f"{ONE},undecidable,undecidable,refuted,reproduced",
        f"{TWO},undecidable,undecidable,undecidable,undecidable",
        f"{THREE},refuted,refuted,undecidable,refuted",  # of a run with another verdict
    ]
    robustness = with_table(tmp_path, rows)
    found = found_with(robustness)
    changes = "refuted with 1 of 2 other seeds; reproduced with half as many busy venues"
    assert dict(zip(found["claim"], found["changes"], strict=True)) == {ONE: changes, TWO: "never", THREE: ""}
    text = page(found, BOOK["sources"], {}, {}, robustness)
    sentence = "2026-01-02 with 2 other seeds, and with invented people otherwise (half as many busy venues)"
    assert f"{sentence}, of all claims but 1: 1 of 2 verdicts never changes. These do." in text
    assert text.count(changes) == 2 and text.count("never another verdict") == 1  # in the list, in the row


def test_without_a_table_nothing_is_said(tmp_path):
    robustness = read_robustness(tmp_path / "robustness.csv")
    found = found_with(robustness)
    assert set(found["changes"]) == {""}
    text = page(found, BOOK["sources"], {}, {}, robustness)
    assert "Which verdicts change" not in text and "With other seeds" not in text


@pytest.mark.parametrize(
    "text", ["", "claim,run\na,refuted\n", "# on 2026-01-02\nclaim,run,half\n", "# on 2026-01-02\nrun,claim\n"]
)
def test_another_table_is_refused(tmp_path, text):
    path = tmp_path / "robustness.csv"
    path.write_text(text + "a,refuted,refuted\n", encoding="utf-8")
    with pytest.raises(InputError, match="no table of `make robustness`; run it again"):
        read_robustness(path)


def test_the_committed_table_is_of_these_claims_and_variants():
    """The people that the tool makes are those that the page has words for."""
    assert set(OTHER_PEOPLE) == set(measure_robustness.PEOPLE)
    robustness = read_robustness(measure_robustness.TABLE)
    assert set(robustness["verdicts"]) <= set(BOOK["claims"]) - measure_robustness.speed(measure_robustness.ROOT)
    for name in ("shuffled_within_a_radius", "central_integers", "central_histograms"):
        assert set(robustness["verdicts"][name].values()) == {"reproduced"}
    assert robustness["date"] == "2026-11-24 and 2026-11-28"
    variants = {"run", *measure_robustness.variants(CONFIG)}
    assert all(set(of) == variants for of in robustness["verdicts"].values())
    assert {verdict for of in robustness["verdicts"].values() for verdict in of.values()} <= set(VERDICTS)
