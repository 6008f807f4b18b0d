"""The benchmark on rotations: it times what it says it times. No test depends on how fast the machine is."""

import numpy as np
import pandas as pd
import pytest
from looks import label_faults, styled, title_follows  # noqa: F401
from scipy.spatial.transform import Rotation

from dirpriv.distributions import RotationBingham, RotationLaplace
from study.experiments.rotation_sampling import measure as time_rotation_sampling
from study.experiments.rotation_sampling import plot as plot_rotation_sampling
from study.papers import rotations
from study.simulation import timing
from study.workflow.catalogue_rows import rows

SETTINGS = {
    "epsilons": [1.0, 8.0],
    "rounds": 2,
    "longest_call": 1e-3,
    "repeat_seconds": 1.0,
    "most_rows": 1000,
    "most_proposals": 200,
    "single_draws": 5,
}


@pytest.fixture(scope="module")
def table():
    return time_rotation_sampling.time_rotation_sampling(SETTINGS)


def test_every_method_is_timed_at_every_epsilon(table):
    timed = table[table["status"] == "timed"]
    ours = rows("rotation")
    angles = set(timed.loc[timed["stage"] == "angle", "method"])
    assert angles == {"floor", *ours, "as printed", "as printed, rejection", "Haar rejection"}
    assert set(timed.loc[timed["stage"] == "rotation", "method"]) == {*ours, "as printed", "Kent et al."}
    for stage in time_rotation_sampling.ONE_DRAW:
        assert set(timed.loc[timed["stage"] == stage, "method"]) == {"as printed", "Kent et al."}
    assert (timed["low"] <= timed["value"]).all() and (timed["value"] <= timed["high"]).all()
    assert (timed.loc[timed["method"] == "floor", "ratio_to_floor"] == 1.0).all()


def test_a_rejection_that_takes_too_long_is_left_out_and_said_to_be(table):
    left_out = table[table["status"] != "timed"]
    assert left_out[["method", "epsilon"]].to_numpy().tolist() == [["Haar rejection", 8.0]]
    assert left_out["status"].str.contains("too many proposals").all() and round(left_out["proposals"].item()) == 1634


def test_methods_draw_what_they_are_named_after():
    """Means of 20 000 draws within 5.3 standard errors of the distributions; one of a wrong concentration is not."""
    rng = np.random.default_rng(4)
    timed = time_rotation_sampling.methods(2.0, {**SETTINGS, "most_rows": 20_000}, rng)
    for key, distribution in [
        (("rotation_laplace", "rotation"), RotationLaplace(2.0)),
        (("Kent et al.", "rotation"), RotationBingham(4.0)),
        (("rotation_bingham", "rotation"), RotationBingham(4.0)),
    ]:
        angles = timed[key](20_000).magnitude()
        error = angles.std() / np.sqrt(angles.size)
        assert abs(angles.mean() - distribution.mean_angle()) < 5.3 * error
        assert abs(angles.mean() - type(distribution)(1.1 * distribution.kappa).mean_angle()) > 5.3 * error
    versors = time_rotation_sampling.printed_versors(5.0, 20_000, rng)
    assert np.allclose(np.linalg.norm(versors, axis=1), 1.0)
    axes = Rotation.from_quat(versors).as_rotvec()
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    assert np.abs(axes.mean(axis=0)).max() < 5.3 / np.sqrt(3.0 * 20_000)
    assert np.abs((axes.T @ axes) / 20_000 - np.eye(3) / 3.0).max() < 5.3 * np.sqrt(4.0 / 45.0 / 20_000)


def test_single_draws_are_those_of_whole_arrays():
    """Of 1500 draws around a versor the mean angle, within 5.3 standard errors; at another level it is farther off.

    The two Laplace samplers are the same function. Every axis of the noise is as likely.
    """
    versor, rng, count = Rotation.from_quat(np.full(4, 0.5)), np.random.default_rng(7), 1500
    for epsilon, laplace in ((2.0, rotations.printed_mean_angle(2.0)), (20.0, None)):
        draws = time_rotation_sampling.single_draws(epsilon, 2.0 * epsilon * np.diag([1.0, 1.0, 1.0, 0.0]), rng)
        for (method, stage), draw in draws.items():
            noise = versor.inv() * Rotation.from_quat(np.array([draw() for _ in range(count)]))
            angles, kappa = noise.magnitude(), 2.0 * epsilon
            mean, wrong = (RotationBingham(factor * kappa).mean_angle() for factor in (1.0, 1.5))
            if method == "as printed":
                mean, wrong = laplace or 3.0 / epsilon, 1.2 * (laplace or 3.0 / epsilon)
            error = angles.std() / np.sqrt(count)
            assert abs(angles.mean() - mean) < 5.3 * error < abs(angles.mean() - wrong), (method, stage, epsilon)
            axes = noise.as_rotvec() / angles[:, None]
            assert np.abs(axes.mean(axis=0)).max() < 5.3 / np.sqrt(3.0 * count)


def test_comparison_and_summary(table):
    compared = pd.DataFrame(time_rotation_sampling.compared(table))
    assert {"Kent et al.", "as printed"} <= set(compared["peer"])
    cell = table[(table["epsilon"] == 8.0) & (table["stage"] == "versor")].set_index("method")["low"]
    chosen = compared[(compared["epsilon"] == 8.0) & (compared["stage"] == "versor")]
    assert np.isclose(chosen["times_slower"].item(), cell["Kent et al."] / cell["as printed"])
    summary = pd.DataFrame(time_rotation_sampling.summarise(table)).set_index(["method", "quantity"])["value"]
    angles = table[(table["method"] == "rotation_laplace") & (table["stage"] == "angle")]["ratio_to_floor"]
    assert summary["rotation_laplace", "most standard normals an angle at ε ≥ 3.5"] == angles.iloc[-1]
    assert summary["rotation_laplace", "dearest ε over cheapest ε"] == angles.max() / angles.min()


def test_number_of_draws_grows_until_the_time_per_draw_is_flat(monkeypatch):
    """A call takes 1 ms and a microsecond a draw: one number for all, at which the last one is flat."""
    functions = {"even": lambda rows: 1e-6 * rows, "costly": lambda rows: 1e-3 + 1e-6 * rows}
    monkeypatch.setattr(timing, "seconds", lambda function, rows, clock: function(rows))
    even, costly = functions.values()
    assert timing.rows_of_calls([even], 10**6, 1.0) == 4 * timing.FIRST
    found = timing.rows_of_calls([even, costly], 10**6, 1.0)
    assert costly(found) / found < 1.1 * costly(10**6) / 10**6 and 10_000 < found < 100_000
    assert timing.rows_of_calls([even, costly], 5000, 1.0) == 5000
    assert timing.rows_of_calls([even, costly], 10**6, 1e-3) == timing.FIRST


def test_timing_stops_when_the_smallest_time_is_known(monkeypatch):
    """Two others agree with it: after three even rounds, and after more where one is interrupted."""
    assert timing.is_known([1.0, 1.02, 9.0, 1.01]) and not timing.is_known([1.0, 1.01])
    assert not timing.is_known([1.0, 1.02, 1.1])
    slow = iter([5.0, 2.0, 2.0, 9.0, 2.0])
    monkeypatch.setattr(timing, "seconds", lambda function, rows: 1.0 if function == "floor" else next(slow))
    found = timing.time_in_turn({"f": "floor", "o": "o"}, {"f": 1, "o": 1}, 9, "f", 99.0, {"o": 0.5})
    assert found["f"]["repetitions"] == found["o"]["repetitions"] == 5
    assert found["o"]["low"] == 4e9 and found["o"]["ratio_to_floor"] == 4.0
    floor, slow = iter([4.0, 1.0, 1.0, 1.0]), iter([5.0])
    monkeypatch.setattr(timing, "seconds", lambda function, rows: next(floor if function == "floor" else slow))
    found = timing.time_in_turn({"f": "floor", "o": "o"}, {"f": 1, "o": 1}, 9, "f", 4.5)
    ends = found["o"]["ratio_low"], found["o"]["ratio_to_floor"], found["o"]["ratio_high"]
    assert ends == (1.25, 5.0, 5.0)  # the floor got faster after the only round of the other
    slow = iter([5.0, 2.0])
    monkeypatch.setattr(timing, "seconds", lambda function, rows: 1.0 if function == "floor" else next(slow))
    found = timing.time_in_turn({"f": "floor", "o": "o"}, {"f": 1, "o": 1}, 9, "f", 6.0)
    assert found["o"]["repetitions"] == 2  # seven seconds are enough


def test_times_are_held_against_the_floor_of_their_round(monkeypatch):
    times = iter([1.0, 3.0, 2.0, 4.0])
    monkeypatch.setattr(timing, "seconds", lambda function, rows: next(times))
    found = timing.time_in_turn({"floor": None, "other": None}, {"floor": 1, "other": 1}, 2, "floor", 9.0)["other"]
    assert found["low"] == 3e9 and found["ratio_to_floor"] == 3.0
    assert (found["ratio_low"], found["ratio_high"]) == (2.0, 3.0)


def test_figure(table):
    figure = plot_rotation_sampling.draw(table)
    rows = table[(table["method"] == "Haar rejection") & (table["status"] == "timed")]
    [curve] = [curve for curve in figure.axes[0].containers if curve.get_label() == "Haar rejection"]
    bars = [bar[:, 1] for bar in curve[2][0].get_segments()]
    assert np.allclose(bars, rows[["ratio_low", "ratio_high"]])
    bands = [band.get_paths()[0].get_extents() for band in figure.axes[1].collections]
    assert [(band.x0, band.x1, band.y0, band.y1) for band in bands] == [(1.0, 3.5, 2.0, 3.0), (3.5, 8.0, 1.0, 100.0)]
    assert not label_faults(figure)
    assert title_follows(plot_rotation_sampling.draw, table)
