"""The audit of the study: what is audited, its table, and its figure."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from looks import faults, styled  # noqa: F401
from scipy import stats

from dirpriv.guarantees import audit
from dirpriv.guarantees.audit import Finding
from study.experiments.audit import cases as audit_cases
from study.experiments.audit import plot as plot_audit
from study.experiments.audit import simulate as simulate_audit
from study.experiments.audit.audited_rows import audited
from study.experiments.audit.broken_promises import exceeds
from study.workflow import catalogue_rows

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = yaml.safe_load((ROOT / "config/config.yaml").read_text(encoding="utf-8"))["audit"]
SMALL = SETTINGS | {"learnt": 2000, "samples": 20_000, "repetitions": 3, "repetition_samples": 5000, "vector_dims": [2]}
SMALL |= {"overspending": 1.1}  # that so few outputs show


def cases_of(space, settings):
    return list(getattr(audit_cases, f"{space}_cases")(settings))


def cases():
    return {(space, case.name): case for space in SETTINGS["spaces"] for case in cases_of(space, SETTINGS)}


def audit_space(space):
    """As a job does it: with the rows that its rule passes, and no others."""
    with catalogue_rows.job_rows(audited(space)):
        return pd.DataFrame(simulate_audit.audit_space(space, SMALL, 1))


def test_what_is_certified():
    """By the distribution or the log kernel; only what is broken or overspent certifies more than is stated."""
    found = cases()
    assert len(found) == len({(space, name) for space, name in found}) > 30
    certified = {key: case.certified / case.stated for key, case in found.items()}
    assert {name for (_, name), ratio in certified.items() if exceeds(ratio, 1.0)} == {
        "clipped_laplace.published.per_unit",
        "clipped_laplace.published.pure",
        "purkayastha.overspent.per_unit",
        "polar_laplace.published.per_unit",
        "polar_laplace.published.pure",
        "printed.printed.per_unit",
        "printed.printed.per_unit.gamma_wrap",
        "exponential_radius.printed.per_unit.d_2",
        "exponential_radius.printed.per_unit.d_3",
        "exponential_radius.printed.per_unit.d_10",
    }
    assert certified["circle", "purkayastha.overspent.per_unit"] == pytest.approx(1.05)
    assert certified["rotation", "rotation_bingham.published.per_unit"] == pytest.approx(np.pi / 8.0)
    assert certified["rotation", "printed.printed.per_unit.gamma_reject"] == pytest.approx(1.0, rel=3e-6)
    for (_, name), case in found.items():
        tight = case.calibration == "tight"
        assert not tight or case.certified == pytest.approx(case.stated, rel=1e-9), name


def test_inputs_are_at_their_distance():
    """Noise-free would be the inputs: with a huge concentration, outputs are within 1e-3 of them."""
    rng = np.random.default_rng(1)
    far = SETTINGS | {"epsilon": 1e5, "pure_epsilon": 1e5, "vector_dims": [3]}
    concentrated = {"purkayastha", "von_mises_fisher", "wrapped_laplace", "clipped_laplace", "polar_laplace"}
    concentrated |= {"vector_laplace"}  # others may not come so near to no noise
    for space in ("circle", "sphere", "vector"):
        for case in (case for case in cases_of(space, far) if case.mechanism in concentrated):
            first, second = (case.draw(which, 50, rng).mean(axis=0) for which in (0, 1))
            chord = 2.0 * np.sin(case.distance / 2.0) if space != "vector" else case.distance
            assert np.linalg.norm(first - second) == pytest.approx(chord, abs=2e-3), case.name
    for case in cases_of("rotation", far):
        if case.calibration == "tight":
            first, second = (case.draw(which, 50, rng).mean(axis=0) for which in (0, 1))
            angle = np.arccos((np.trace(first.T @ second) - 1.0) / 2.0)
            assert angle == pytest.approx(case.distance, abs=2e-3), case.name


@pytest.fixture(scope="module")
def table():
    return pd.concat([audit_space(space) for space in ("circle", "vector")])


def test_the_table_finds_what_is_broken(table):
    caught = set(table.loc[table["verdict"] == "caught", "case"])
    assert caught == {
        "clipped_laplace.published.per_unit",
        "clipped_laplace.published.pure",
        "purkayastha.overspent.per_unit",
        "exponential_radius.printed.per_unit.d_2",
    }
    assert (table["audited"] <= table["certified"]).all()
    assert ((table["power_low"] <= table["power"]) & (table["power"] <= table["power_high"])).all()
    honest = table[table["certified"] <= table["stated"] * (1.0 + 1e-9)]
    assert (honest["smallest_detected"] > 1.0).all() and (honest["power"] == 0.0).all()
    assert table.loc[~table.index.isin(honest.index), "smallest_detected"].isna().any()
    again = audit_space("vector")
    pd.testing.assert_frame_equal(again, table[table["space"] == "vector"].reset_index(drop=True))


def test_verdict_and_power_follow_the_bounds(monkeypatch):
    """What fewer outputs miss is looked for with all of them; the verdict is what the bound says."""
    case = cases_of("circle", SMALL)[0]

    def finding(level):
        return Finding(level, level, case.distance, 0.99, 0.5, 0.1)

    def audited(case, cells, count, seed, cell, confidence):
        return finding(1.2 if count == SMALL["samples"] else 0.9)

    monkeypatch.setattr(simulate_audit, "audited", audited)
    row = simulate_audit.audit_case(case, "circle", SMALL, 1)
    assert row["verdict"] == "caught" and row["power"] == 1.0
    assert row["repetition_samples"] == SMALL["samples"]
    monkeypatch.setattr(simulate_audit, "audited", lambda *arguments: finding(0.9))
    row = simulate_audit.audit_case(case, "circle", SMALL, 1)
    assert row["verdict"] == "not caught" and row["power"] == 0.0
    assert row["repetition_samples"] == SMALL["repetition_samples"]
    assert row["smallest_detected"] == pytest.approx(1.1)  # the bound stays 0.1 below the level, without scatter
    none_seen = stats.binomtest(0, SMALL["repetitions"]).proportion_ci(0.95, "exact")
    assert (row["power_low"], row["power_high"]) == pytest.approx((0.0, none_seen.high))


def test_what_would_be_caught_is_caught():
    """A Purkayastha mechanism that spends ``smallest_detected`` as much is caught about 19 times in 20.

    Of 40 runs, fewer than 25 are caught with a probability below 1e-6 at a rate of 0.9.
    """
    settings = SMALL | {"samples": 5000, "repetitions": 20}
    row = simulate_audit.audit_case(cases_of("circle", settings)[0], "circle", settings, 1)
    more = settings | {"overspending": row["smallest_detected"]}
    case = next(c for c in cases_of("circle", more) if c.calibration == "overspent")
    cells = audit.learn(*simulate_audit.drawn(case, settings["learnt"], 1, ("more",)))
    levels = [simulate_audit.audited(case, cells, 5000, 1, ("more", run), 0.99).level for run in range(40)]
    assert sum(level > 1.0 for level in levels) >= 25
    honest = cases_of("circle", settings)[0]
    assert sum(simulate_audit.audited(honest, cells, 5000, 1, ("h", run), 0.99).level > 1.0 for run in range(10)) <= 2


def test_inputs_of_the_utility_are_uniform():
    """The outputs are around them: with a huge concentration, within 1e-3. All spaces but R^n have some."""
    far = SETTINGS | {"epsilon": 1e5, "pure_epsilon": 1e5, "vector_dims": [3]}
    for space in ("circle", "sphere", "rotation"):
        case = next(case for case in cases_of(space, far) if case.calibration == "tight")
        rng = np.random.default_rng(1)
        inputs, outputs = case.uniform_pairs(case.draw(0, 2000, rng), rng)
        assert np.abs(outputs - inputs).max() < 2e-3
        if space != "rotation":  # whose noise is the same around all
            assert np.linalg.norm(inputs.mean(axis=0)) < 5.3 / np.sqrt(2000)  # exceeded at a rate below 1e-6
    assert all(case.uniform_pairs is None for case in cases_of("vector", far))


def test_utility_shows_what_events_do_not():
    """The larger bound is taken: of Purkayastha on the sphere and of rotations, utility is nearer to the level."""
    for space in ("sphere", "rotation"):
        case = next(case for case in cases_of(space, SMALL) if case.calibration == "tight")
        cells = audit.learn(*simulate_audit.drawn(case, 2000, 1, ("learnt",)))
        both = simulate_audit.audited(case, cells, 20_000, 1, ("both",), 0.99).level
        outputs = simulate_audit.drawn(case, 20_000, 1, ("both",))
        assert audit.examine(*outputs, case.distance, 0.99, cells=cells).level < 0.9 < both < 1.0


def test_figure(table):
    figure = plot_audit.draw(table)
    assert len(figure.axes) == 2 and not faults(figure)
    honest = table.assign(certified=table["stated"])
    assert "catches 0 of 0 cases" in plot_audit.draw(honest).get_suptitle() != figure.get_suptitle()
    circle = figure.axes[0]
    marks = [line for line in circle.lines if line.get_marker() == "X"]
    assert len(marks) == 3 and {line.get_color() for line in marks} == {"black"}
    names = [label.get_text() for label in circle.get_yticklabels()]
    assert "clipped Laplace, published" in names and "Purkayastha, overspent" in names
    first, *_, last = table.itertuples()
    assert plot_audit.texts_of(first)["caught"] == "0 of 3"
    assert plot_audit.texts_of(first)["stated"] == "1 per rad"
    assert plot_audit.texts_of(last)["stated"] == "1 per unit"
