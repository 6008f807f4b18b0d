"""Figures 1 and 2 of paper A: the decomposition, the densities, where polar Laplace is worse than uniform."""

import numpy as np
import pandas as pd
import pytest
from looks import faults, styled  # noqa: F401

from dirpriv.distributions import VonMisesFisher
from study import figures
from study.experiments.angular_densities import compute as compute_angular_densities
from study.experiments.angular_densities import plot as plot_angular_densities
from study.experiments.tangent_normal import plot as plot_tangent_normal
from study.papers import directions

SETTINGS = {"kappas": [0.01, 0.6, 1.0, 2.5], "kappa_range": [0.01, 10.0], "points": 101}
SETTINGS["dimensions"] = [2, 3, 10, 25]


def test_drawn_vector_is_the_sum_of_its_parts():
    x, tangent = plot_tangent_normal.decompose(0.8, -0.3)
    mode = np.array([0.0, 0.0, 1.0])
    assert np.allclose(x, np.cos(0.8) * mode + np.sin(0.8) * tangent, atol=1e-16)
    assert abs(tangent @ mode) == 0.0 and np.isclose(np.linalg.norm(x), 1.0)


@pytest.fixture(scope="module")
def densities():
    return compute_angular_densities.densities(SETTINGS)


@pytest.fixture(scope="module")
def means():
    return pd.DataFrame(compute_angular_densities.mean_angles(SETTINGS | {"points": 41}))


def test_densities_are_densities_and_means_their_means(densities):
    table = densities
    assert len(table) == 4 * 4 * 101
    for (distribution, dim, kappa), curve in table.groupby(["distribution", "dim", "kappa"]):
        mass = np.trapezoid(curve["value"], curve["angle"])
        assert abs(mass - 1.0) < 2e-3, (distribution, dim, kappa)
        mean = np.trapezoid(curve["value"] * curve["angle"], curve["angle"])
        distribution_of = compute_angular_densities.DISTRIBUTIONS[dim, distribution]
        assert abs(mean - distribution_of(kappa).mean_angle()) < 2e-3


def test_the_baselines_have_larger_means_and_polar_laplace_passes_uniform(means):
    wide = means.pivot_table(index="kappa", columns=["distribution", "dim"], values="value")
    assert (wide["wrapped_laplace", 2] > wide["purkayastha", 2]).all()
    assert (wide["polar_laplace", 3] > wide["purkayastha", 3]).all()
    worse = wide["polar_laplace", 3] > np.pi / 2.0
    crossing = compute_angular_densities.worse_than_uniform()["value"].iloc[0]
    assert abs(crossing - 1.02248475591976) < 1e-12
    assert (worse == (wide.index < crossing)).all()
    assert not (wide["wrapped_laplace", 2] > np.pi / 2.0).any()


def test_densities_of_the_paper(monkeypatch):
    """Eqs. 15, 16 and Lemma 8 are right; the integral over a slice has the mass E sin θ in the place of 1."""

    def table():
        densities = compute_angular_densities
        rows = [*densities.wrapped_densities(SETTINGS), *densities.mixture_densities(SETTINGS)]
        return pd.DataFrame(rows, columns=densities.COLUMNS).set_index("formula")

    found = table()
    assert found.index.value_counts().to_dict() == {"Lemma 8": 16, "definition": 16, "Eq. 15": 4, "Eq. 16": 4}
    right = found.drop("definition")
    assert right["relative"].max() < 1e-12 and (right["mass"] - 1.0).abs().max() < 1e-12
    for row in found.loc["definition"].itertuples():
        sine = VonMisesFisher(row.dim, row.kappa).expectation(np.sin)
        assert abs(row.mass - sine) < 1e-9 and row.relative > 0.01
        assert abs(row.mass_over_angle - 1.0) < 1e-9  # the integral over a slice is the density of the angle
    # with the area of another sphere Lemma 8 is caught, and Eqs. 15 and 16 with their second term left out
    area = directions.subsphere_area
    monkeypatch.setattr(directions, "subsphere_area", lambda dim: area(dim + 1))
    monkeypatch.setattr(compute_angular_densities, "TURNS", 0)
    wrong = table()
    assert wrong.loc["Lemma 8", "relative"].min() > 0.1
    assert wrong.loc[["Eq. 15", "Eq. 16"], "relative"].min() > 1e-3


def test_figures_are_the_same_bytes_every_time(densities, means, tmp_path):
    settings = {"theta": 50, "azimuth": -15, "elevation": 20, "turn": -60}
    figure = plot_angular_densities.draw(densities, means, 1.0225)
    assert figure.get_suptitle().endswith("below κ = 1.02")
    assert [len(ax.lines) for ax in figure.axes] == [8, 8, 5] and not faults(figure)
    for run in ("first", "second"):
        drawn = plot_tangent_normal.draw(settings)
        figures.save(drawn, [tmp_path / f"{run}.{kind}" for kind in ("png", "pdf")])
    assert not faults(drawn)
    for name in ("png", "pdf"):
        first = (tmp_path / f"first.{name}").read_bytes()
        assert len(first) > 5000 and first == (tmp_path / f"second.{name}").read_bytes()
