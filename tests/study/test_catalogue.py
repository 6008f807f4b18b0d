"""The catalogue of mechanisms, and the rows of it that a job receives."""

import importlib
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import yaml
from matplotlib.colors import to_rgb

from study.experiments.audit.cases import circle_cases
from study.experiments.place_histogram.simulate import points_of
from study.experiments.privacy import compute
from study.simulation import mechanisms
from study.workflow import catalogue_rows
from study.workflow.code_digest import SOURCE, Modules
from study.workflow.job import InputError, job
from study.workflow.mechanism_catalogue import (
    CATALOGUE,
    Row,
    class_rows,
    distribution_rows,
    distributions_of_spheres,
    names,
    pair_rows,
    sources,
    style_rows,
)

CONFIG = yaml.safe_load((SOURCE.parent / "config/config.yaml").read_text(encoding="utf-8"))
BOTH = ["published", "tight"]


def test_every_class_is_where_its_row_says():
    for name, row in CATALOGUE.items():
        for source in sources({name: row}):
            module, symbol = source.split(":")
            assert callable(getattr(importlib.import_module(module), symbol)), source


def test_colours_and_markers_tell_the_mechanisms_of_a_space_apart():
    for space in ("circle", "sphere", "spheres", "rotation"):
        for attribute in ("colour", "marker", "label"):
            values = [getattr(CATALOGUE[name], attribute) for name in names(space)]
            assert len(set(values)) == len(values) > 1 and all(values), (space, attribute)


def test_colours_of_a_space_can_be_told_apart_in_grey():
    """Luma of Rec. 601, which greyscale prints follow; of seaborn's palette itself it is not so."""

    def least_difference(colours):
        luma = np.sort([to_rgb(colour) @ np.array([0.299, 0.587, 0.114]) for colour in colours])
        return np.diff(luma).min()

    for space in ("circle", "sphere", "spheres", "rotation"):
        assert least_difference([CATALOGUE[name].colour for name in names(space)]) > 0.05, space
    palette = ["#0173b2", "#de8f05", "#029e73", "#cc78bc"]
    assert least_difference(palette) < 0.05


def test_names_are_in_the_order_of_the_catalogue():
    assert names("circle") == ["purkayastha", "von_mises_fisher", "wrapped_laplace", "clipped_laplace"]
    assert distributions_of_spheres() == ["purkayastha", "von_mises_fisher"]
    assert list(pair_rows("wrapped_laplace")) == ["wrapped_laplace", "planar_laplace"]
    assert list(pair_rows("purkayastha")) == ["purkayastha"]


def test_a_figure_receives_no_classes_and_a_computation_no_style():
    """So that a colour runs no simulation again, and a moved class draws no figure again."""
    for row in style_rows(names("circle"), "printed").values():
        assert row.label and not row.mechanism and not row.distribution
    for row in class_rows(names("circle")).values():
        assert row.mechanism and row.distribution and not row.colour
    assert sources(distribution_rows("purkayastha")) == ("dirpriv.distributions:Purkayastha",)
    assert sources(class_rows("purkayastha"), style_rows("clipped_laplace")) == (
        "dirpriv.distributions:Purkayastha",
        "dirpriv.mechanisms:PurkayasthaMechanism",
    )


def test_a_job_finds_the_rows_that_its_rule_passes_and_no_others(tmp_path):
    assert mechanisms.class_of("wrapped_laplace").__name__ == "WrappedLaplaceMechanism"
    rule = SimpleNamespace(log=[tmp_path / "log"], rule="r", params={"rows": class_rows("purkayastha")})
    with job(rule):
        assert mechanisms.distribution_of("purkayastha", 5, 2.0).dim == 5
        with (
            pytest.raises(LookupError, match="received no class of 'purkayastha'"),
            catalogue_rows.job_rows(style_rows("purkayastha")),
        ):
            mechanisms.class_of("purkayastha")
        with pytest.raises(LookupError, match="did not receive the row of 'wrapped_laplace', but of purkayastha"):
            mechanisms.class_of("wrapped_laplace")
    with (
        pytest.raises(SystemExit, match=r"LookupError: .* but of none"),
        job(SimpleNamespace(log=[tmp_path / "log"], rule="r", params={})),
    ):
        catalogue_rows.row("purkayastha")
    assert catalogue_rows.row("wrapped_laplace") == CATALOGUE["wrapped_laplace"]  # after a job, even one that fails


def test_no_script_of_an_experiment_reaches_the_table_of_the_catalogue():
    """A new row would be missed: its job receives its rows. The check of sections of the configuration reads it."""
    folder = importlib.import_module("study").__path__[0]
    scripts = [p for p in importlib.import_module("pathlib").Path(folder).rglob("*.py")]
    jobs = [path for path in scripts if "job(snakemake)" in path.read_text(encoding="utf-8")]
    assert len(jobs) > 40
    modules = Modules()
    reaching = [path for path in scripts if "study/workflow/mechanism_catalogue.py" in modules.reached(path)]
    assert any(path.name == "rule_functions.py" for path in reaching)
    assert {path.parent.name for path in jobs if path in reaching} == {"article", "checkins", "claims"}


def test_a_distribution_takes_a_dimension_where_it_has_several():
    assert mechanisms.distribution_of("von_mises_fisher", 3, 1.5).dim == 3
    assert mechanisms.distribution_of("polar_laplace", 3, 1.5).kappa == 1.5
    assert (
        mechanisms.distribution_of("cardioid", 2, 1.5).dim == 2
    )  # a row of no space, whose distribution takes a dimension
    assert Row().spaces == ()


def test_a_mechanism_that_no_paper_calibrates_enters_the_study(monkeypatch):
    """At its tight calibration alone: no experiment asks for another one."""
    cardioid = CATALOGUE["cardioid"]._replace(spaces=("circle", "sphere", "spheres"))
    assert cardioid.calibrations == ("tight",)
    monkeypatch.setitem(CATALOGUE, "cardioid", cardioid)
    assert mechanisms.distinct_calibrations("cardioid", BOTH) == ["tight"]
    assert mechanisms.calibrations_within("cardioid", BOTH) == ["tight"]
    assert mechanisms.calibrations_within("clipped_laplace", BOTH) == ["published"]  # without a level per radian
    [(_, made)] = points_of("cardioid", {"epsilons": [0.5]})
    assert made.noise.dim == 3 and made.guarantee.level_at(1.0) == pytest.approx(0.5)
    audited = {(case.mechanism, case.calibration) for case in circle_cases(CONFIG["audit"])}
    assert {("cardioid", "tight"), ("wrapped_laplace", "published"), ("wrapped_laplace", "tight")} <= audited
    assert ("cardioid", "published") not in audited and ("purkayastha", "tight") in audited
    costs = pd.DataFrame(compute.costs([1.0], 0.1, 8.0)).set_index(["space", "mechanism", "calibration"])
    assert np.isnan(costs.published_over_tight["circle", "cardioid", "tight"])
    assert costs.n["circle", "cardioid", "tight"] > 0 and ("circle", "cardioid", "published") not in costs.index
    assert costs.published_over_tight["circle", "purkayastha", "tight"] == 1.0


def test_rows_are_tried_before_any_job_starts(monkeypatch):
    """Each with its class: all of the study, and one that promises a calibration that no paper has."""
    for name in ("cardioid", *names("circle", "spheres")):
        mechanisms.check(name, BOTH)
    mechanisms.check("purkayastha", ["published"])
    with pytest.raises(InputError, match="calibrations: cardioid has tight alone; add it, or leave that out"):
        mechanisms.check("cardioid", ["published"])
    row = CATALOGUE["cardioid"]._replace(calibrations=Row().calibrations)
    for wrong, says in (
        (row, "no paper calibrates the CardioidMechanism"),
        (row._replace(mechanism="dirpriv.mechanisms:Cardoid"), "no attribute 'Cardoid'"),
        (row._replace(mechanism="dirpriv.distributions:Cardioid"), "no attribute 'pure'"),
        (CATALOGUE["cardioid"]._replace(distribution="dirpriv.distributions:Cap"), "'half_angle'"),
    ):
        monkeypatch.setitem(CATALOGUE, "cardioid", wrong)
        with pytest.raises(InputError, match=f"the row of cardioid in .*mechanism_catalogue.yaml: .*{says}"):
            mechanisms.check("cardioid", BOTH)
