"""The page of the figures and their settings, and the comparison of two sets of results."""

import csv
import json

import compare_results
import list_figures
import pytest
import yaml
from checkouts import ROOT
from make_rule_graph import PICTURE, drawn, rule_folders


def test_the_page_has_the_table_of_the_rules_and_the_benchmarks():
    """After a change of them: python tools/list_figures.py --write"""
    text = list_figures.PAGE.read_text(encoding="utf-8")
    assert list_figures.filled(text) == text
    sections = {
        name for line in list_figures.table().splitlines()[3:] for name in line.split(" | ")[3].strip(" |").split(", ")
    }
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text(encoding="utf-8"))
    assert len(sections) > 20 and sections <= config.keys()


def test_a_figure_needs_the_rules_that_the_workflow_runs_for_it(plan):
    graph, texts = drawn(PICTURE.read_text(encoding="utf-8")), list_figures.rule_texts()
    figures = {name for name in plan.files if name.startswith("figures/") and name.endswith(".png")}
    assert len(figures) > 30
    for name in figures - {"figures/claims.png"}:
        ran = {plan.rows[file]["rule"] for file in plan.behind({name}) & plan.files} - {"collect_results"}
        behind = list_figures.rules_behind(plan.rows[name]["rule"], graph, texts, rule_folders())
        assert behind == ran, name


COLUMNS = ["mechanism", "epsilon", "value", "low"]
ROWS = [["a", 0.1, 1.0, 0.5], ["a", 1.0, 2.0, 1.0], ["b", 0.1, 3.0, 2.0]]


def written(folder, rows=ROWS, verdict="reproduced", value="1.5", error=0.1, picture=b"one"):
    """A small set of results."""
    (folder / "results/means").mkdir(parents=True)
    (folder / "figures").mkdir()
    (folder / "figures/means.png").write_bytes(picture)
    record = {"config": {"seed": 1, "survey": {"error": error}}, "source": {"digests": {"rule": "0"}}, "versions": {}}
    (folder / "results/provenance.json").write_text(json.dumps(record), encoding="utf-8")
    tables = {"means/means.csv": [COLUMNS, *rows]}
    tables["claims.csv"] = [["claim", "verdict", "value"], ["one", verdict, value], ["other", "refuted", "2"]]
    for name, table in tables.items():
        with (folder / "results" / name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(table)
    return folder


@pytest.mark.parametrize(
    ("changes", "heading", "says"),
    [
        ({"error": 0.05}, "Configuration, versions, source", ["survey.error: 0.1 → 0.05"]),
        ({"verdict": "refuted"}, "Verdicts", ["one: reproduced (1.5) → refuted (1.5)"]),
        ({"value": "1.6"}, "Verdicts", ["1 of 2 claims have another value"]),
        ({"picture": b"two"}, "Figures", ["figures/means.png: differs"]),
        (
            {"rows": [ROWS[0], ["a", 1.0, 2.5, 1.0], ROWS[2]]},
            "Tables",
            ["results/means/means.csv: 1 of 12 cells differ; most in value, by 0.2 of the value, at a, 1.0"],
        ),
        (
            {"rows": [*ROWS[1:], ["c", 0.1, 1.0, 0.5]]},
            "Tables",
            ["results/means/means.csv: 1 rows only in the first; 1 rows only in the second"],
        ),
    ],
)
def test_what_changed_is_listed_and_nothing_else(changes, heading, says, tmp_path):
    first, second = written(tmp_path / "first"), written(tmp_path / "second", **changes)
    found = compare_results.compared(first, second)
    assert found == {name: [] for name in found} | {heading: says}


def test_the_same_results_have_no_differences(tmp_path, capsys):
    compare_results.main([str(written(tmp_path / "first")), str(written(tmp_path / "second"))])
    assert capsys.readouterr().out.count(": no differences") == 4
    (tmp_path / "second/results/means/means.csv").unlink()
    compare_results.main([str(tmp_path / "first"), str(tmp_path / "second")])
    assert "  results/means/means.csv: only in the first\n" in capsys.readouterr().out
    with pytest.raises(SystemExit, match=r"third has no results/; make them with `make results INTO="):
        compare_results.main([str(tmp_path / "first"), str(tmp_path / "third")])
