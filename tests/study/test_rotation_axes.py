"""Figure 1 of the SO(3) paper: the axes are those of rotations around the true one."""

import numpy as np
from looks import faults, styled, title_follows  # noqa: F401
from scipy.spatial.transform import Rotation

from study.experiments.rotation_axes.plot import TINTS, draw, noisy_axes

SETTINGS = {"epsilons": [1.0, 1e4], "draws": 15, "rotation_degrees": [30.0, 20.0, 10.0], "elevation": 20, "turn": 40}


def test_axes_are_the_columns_of_rotations():
    table = noisy_axes(SETTINGS, seed=1)
    truth = Rotation.from_euler("zyx", SETTINGS["rotation_degrees"], degrees=True)
    for _, panel in table.groupby("epsilon"):
        assert list(panel["axis"][:3]) == list(TINTS)
        ends = panel[["x", "y", "z"]].to_numpy().reshape(-1, 3, 3)
        assert len(ends) == SETTINGS["draws"] + 1
        assert np.allclose(ends[0], truth.apply(np.eye(3)), atol=1e-14)
        assert np.allclose(ends @ np.swapaxes(ends, 1, 2), np.eye(3), atol=1e-14)
        assert np.allclose(np.linalg.det(ends), 1.0)
        angles = np.rad2deg((Rotation.from_matrix(np.swapaxes(ends, 1, 2)) * truth.inv()).magnitude())
        assert np.allclose(panel["angle_degrees"][::3], angles, atol=1e-6)
        assert panel["angle_degrees"].iloc[0] < 1e-13
    wide, narrow = (panel["angle_degrees"].mean() for _, panel in table.groupby("epsilon"))
    assert wide > 60.0 and narrow < 3.0


def test_figure_has_a_panel_for_each_epsilon():
    table = noisy_axes(SETTINGS, seed=1)
    figure = draw(table, SETTINGS)
    assert not faults(figure) and title_follows(lambda table: draw(table, SETTINGS), table)
    assert [ax.get_title()[:7] for ax in figure.axes] == ["ε = 1, ", "ε = 100"]
    assert all(len(ax.collections) >= 6 for ax in figure.axes)
