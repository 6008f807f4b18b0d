"""The verdicts under other seeds and other people: tools/measure_robustness.py."""

import csv
import json

import measure_robustness
import pytest
import yaml

from study.configuration import check

CONFIG = yaml.safe_load((measure_robustness.ROOT / "config/config.yaml").read_text(encoding="utf-8"))


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
        datasets = {
            of: keys | extra.get("datasets", {}).get(of, {}) for of, keys in CONFIG["datasets"].items()
        }
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
    assert (tmp_path / "variant/.snakemake/metadata/file").read_text(
        encoding="utf-8"
    ) == ".snakemake/metadata"
    assert not half.exists() and not (tmp_path / "variant/rest").exists()
    (tmp_path / "variant/results/file").write_text("computed", encoding="utf-8")
    measure_robustness.begin(tmp_path / "variant", tmp_path / "run")  # goes on
    assert (tmp_path / "variant/results/file").read_text(encoding="utf-8") == "computed"


def test_the_table_has_every_verdict_but_those_on_speed(tmp_path):
    found = {
        "run": {"a": "refuted", "quick": "reproduced"},
        "seed_1": {"a": "undecidable", "quick": "refuted"},
    }
    measure_robustness.write(tmp_path / "table.csv", found, {"quick"}, "2026-01-02")
    first, *lines = (tmp_path / "table.csv").read_text(encoding="utf-8").splitlines()
    assert "2026-01-02" in first
    assert list(csv.reader(lines)) == [["claim", "run", "seed_1"], ["a", "refuted", "undecidable"]]
    timed = measure_robustness.speed(measure_robustness.ROOT)
    assert "faster_above_threshold" in timed and "theorem_24_middle" not in timed
