"""The experiment deconvolution: its days, the numbers of a repetition, its table and its figure."""

import numpy as np
import pandas as pd
import pytest
from looks import faults, labels_of, styled, title_follows  # noqa: F401

from dirpriv import estimators, geometry
from dirpriv.estimators import shared, transport
from dirpriv.mechanisms import PurkayasthaMechanism
from study.experiments.deconvolution import cover, plot_cover
from study.experiments.deconvolution import plot as plot_deconvolution
from study.experiments.deconvolution.simulate import against_best, draw_people, hours_of, measured, simulate

pytestmark = pytest.mark.usefixtures("few_widths_throughout")
SETTINGS = {
    "bins": 24,
    "radius_hours": 3.0,
    "levels": [1.0],
    "reports": [100, 2000],
    "widths": [0.4, 6.4],
    "peaks": [8.5, 18.5],
    "peak_deviation": 1.0,
    "repetitions": 3,
    "interval_levels": [1.0],
    "interval_reports": 60,
}
ANGLES = np.linspace(0.0, 1.0, 1500)  # of people between midnight and 3:49


@pytest.fixture(scope="module")
def table(few_widths_throughout):
    days, few = {"two_peaks": None, "flat": None, "city": ANGLES}, {"city": {"repetitions": 2, "reports": [2000]}}
    tables = (simulate(name, angles, SETTINGS | few.get(name, {}), 1) for name, angles in days.items())
    return pd.DataFrame(row for table in tables for row in table)


def test_table_is_complete_and_tidy(table):
    assert len(table) == (2 + 2 + 1) * (1 + 2 + 6)
    assert not table.drop(columns="fixed_width").isna().any().any()
    assert (table["fixed_width"].notna() == (table["estimate"] == "fixed")).all()
    assert set(table.loc[table["population"] == "city", "n"]) == {1500}, "no more than there are"
    shares = table[table["unit"] == "share"]
    assert shares["value"].between(0.0, 1.0).all()
    assert (table["repetitions"] == np.where(table["population"] == "city", 2, 3)).all()


def test_days():
    """Peaks within an hour and a flat day in a million people (rate 1e-6 each); check-ins once each."""
    rng, count = np.random.default_rng(1), 1_000_000
    for name, share in (("two_peaks", 0.6827), ("flat", 4 / 24)):
        hours = geometry.angles_to_hours(draw_people(name, None, SETTINGS, count, rng))
        near = np.minimum(abs(hours - 8.5), abs(hours - 18.5)) < 1.0
        assert abs(near.mean() - share) < 4.9 * np.sqrt(0.25 / count)
        assert abs((hours < 12).mean() - 0.5) < 4.9 * np.sqrt(0.25 / count)
    drawn = draw_people("city", ANGLES, SETTINGS, 1400, rng)
    assert len(np.unique(drawn)) == 1400 and set(drawn) <= set(ANGLES)


def test_numbers_of_a_repetition():
    """The errors are those of the estimates by name, against the same people; against others they are not."""
    rng = np.random.default_rng(2)
    mechanism = PurkayasthaMechanism.within(1.0, np.pi / 4)
    people, others = (draw_people("two_peaks", None, SETTINGS, 3000, rng) for _ in range(2))
    reports = mechanism.randomise_angles(people, rng=rng)
    settings = SETTINGS | {"widths": []}
    found, wrong = (measured(true, reports, mechanism.noise, settings) for true in (people, others))
    true = estimators.circular_histogram(people)
    raw = transport.circular_emd(estimators.circular_histogram(reports), true)
    assert found["raw", None, "emd"] == pytest.approx(raw, rel=1e-12) != wrong["raw", None, "emd"]
    chosen = estimators.estimate_histogram(reports, mechanism.noise, intervals="smooth")
    again = transport.circular_emd(chosen.shares, true / true.sum())
    assert found["chosen", None, "emd"] == pytest.approx(again)
    assert found["chosen", None, "width"] == hours_of(chosen.width) < 3.0
    assert found["chosen", None, "told"] == 1.0 and found["chosen", None, "warned"] == 0.0
    assert found["chosen", None, "covered"] > 0.7
    assert measured(people + 2.0, reports, mechanism.noise, settings)["chosen", None, "covered"] < 0.5


def test_width_of_a_flat_day_is_half_a_day():
    assert hours_of(np.inf) == hours_of(4.0) == 12.0 and hours_of(np.pi / 12) == pytest.approx(1.0)


def test_ratio_to_the_best_of_the_others():
    drawn = {
        ("raw", None, "emd"): [4.0, 4.0],
        ("fixed", 1.0, "emd"): [1.0, 3.0],
        ("chosen", None, "emd"): [2.0, 4.0],
        ("chosen", None, "covered"): [0.0, 0.0],
    }
    found = against_best(drawn)
    assert found.value == 1.5 and found.standard_error == pytest.approx(0.25)


def test_no_fixed_width_is_good_everywhere(table):
    """The intervals do not meet: the small one is worse than raw on a flat day, the large one at peaks."""
    errors = table[(table["metric"] == "emd") & (table["n"] == 2000)].set_index(["population", "estimate"])
    small = errors[errors["fixed_width"] == 0.4].loc[("flat", "fixed")]
    large = errors[errors["fixed_width"] == 6.4].loc[("two_peaks", "fixed")]
    assert small["low"] > errors.loc[("flat", "raw"), "high"].item()
    assert large["low"] > errors.loc[("two_peaks", "chosen"), "high"].item()
    told = table[(table["metric"] == "told") & (table["n"] == 2000)].set_index("population")["value"]
    assert told["two_peaks"] == 1.0 > told["flat"]


def test_figure(table):
    table = table.assign(n=table["n"].where(table["n"] == 100, 2000))
    figure = plot_deconvolution.draw(table)
    assert not faults(figure) and title_follows(plot_deconvolution.draw, table)
    assert [text.get_text() for text in labels_of(figure.axes[0])] == ["raw", "0.4 h", "6.4 h", "chosen"]


# ---------------------------------------------------------------------- kinds of intervals


@pytest.fixture(scope="module")
def intervals(few_widths_throughout):
    shapes = {name: cover.SHAPES[name] for name in ("three clock times", "smooth day")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cover, "SHAPES", shapes)
        patch.setattr(shared, "width_warning", lambda *given: "")  # what nothing here reads
        return pd.DataFrame(cover.simulate({"file of a user": ANGLES}, SETTINGS, 1))


def test_intervals_of_days_of_every_shape(intervals):
    """Of clock times those for smooth days miss, and those for every day hold; these are wider."""
    assert len(intervals) == (3 + 1) * 3 * 3
    values = intervals.set_index(["day", "intervals", "metric"])["value"]
    assert values["all days", "distribution-free", "covered"] >= 0.95 and values["all days", "soft", "covered"] >= 0.7
    assert values["three clock times", "smooth", "covered"] < 0.8
    for day in ("three clock times", "smooth day", "file of a user", "all days"):
        assert values[day, "distribution-free", "width"] > values[day, "smooth", "width"]
        assert values[day, "distribution-free", "width"] > values[day, "soft", "width"]
    days = [values[day, "smooth", "covered"] for day in ("three clock times", "smooth day", "file of a user")]
    assert values["all days", "smooth", "covered"] == pytest.approx(np.mean(days))


def test_shares_of_other_people_are_not_covered(monkeypatch):
    """The wrong variant: intervals are held against the shares of people who are elsewhere."""
    rng, mechanism = np.random.default_rng(3), PurkayasthaMechanism.within(10.0, np.pi / 4)
    people = geometry.hours_to_angles(cover.SHAPES["office hours"](3000, rng))
    reports = mechanism.randomise_angles(people, rng=rng)
    estimate, found = estimators.estimate_histogram, {}

    def estimated(*given, **how):  # once, as the reports are the same
        return found.get(repr(how)) or found.setdefault(repr(how), estimate(*given, **how))

    monkeypatch.setattr(estimators, "estimate_histogram", estimated)
    monkeypatch.setattr(cover, "KINDS", ("distribution-free",))
    for others, least, most in ((people, 0.95, 1.0), (people + np.pi, 0.0, 0.7)):
        held = cover.covered(others, reports, mechanism.noise, 24)["distribution-free"][0].mean()
        assert least <= held <= most


def test_hours_of_each_shape():
    rng = np.random.default_rng(4)
    drawn = {name: np.mod(draw(5000, rng), 24.0) for name, draw in cover.SHAPES.items()}
    assert {len(np.unique(drawn[name])) for name in ("three clock times", "timetable")} == {3, 48}
    assert drawn["office hours"].min() >= 9.0 and drawn["office hours"].max() < 17.0
    assert np.mean(drawn["spike on even ground"] == 9.1) == pytest.approx(0.1, abs=0.025)  # 5.5 deviations


def test_figure_of_intervals(intervals):
    figure = plot_cover.draw(intervals)
    assert not faults(figure) and title_follows(plot_cover.draw, intervals)
    labels = [plot_cover.LOOKS[kind]["label"] for kind in ("distribution-free", "smooth")]
    points = {line.get_label(): line.get_xdata() for line in figure.axes[0].lines}
    assert np.all(points[labels[0]] >= 95.0) and points[labels[1]].min() < 80.0
