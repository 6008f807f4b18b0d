"""Figure 1 of the SO(3) paper: the axes turned by a rotation, and by its private versions.

The bold arrows are the standard axes turned by the true rotation, the thin ones the same turned by Bingham
noise around it; the colour tells the axis. ε is the concentration ε_B of Bingham, as in the paper's caption.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.spatial.transform import Rotation

from dirpriv.distributions import RotationBingham
from dirpriv.geometry import rotation_distances as metrics
from study import figures
from study.simulation import seeding
from study.workflow.job import write_csv

SIDE, HEADLINE = 45.0, 5.0  # heights of a ball with its title, and of the headline, in mm
TINTS = {"x": "#003f73", "y": "#d9930d", "z": "#12a87a"}  # of the axes; told apart in grey, too


def axes_table(truth, distribution, draws, rng):
    """Ends of the axes under a rotation (draw 0) and its private versions, with angles in degrees."""
    rotations = Rotation.concatenate([truth, distribution.rvs(truth, draws, rng=rng)])
    # the columns of the matrix are where the axes go
    x, y, z = np.swapaxes(rotations.as_matrix(), 1, 2).reshape(-1, 3).T
    return pd.DataFrame(dict(
        draw=np.repeat(np.arange(len(rotations)), 3), axis=np.tile([*TINTS], len(rotations)), x=x, y=y, z=z,
        angle_degrees=np.repeat(np.rad2deg(metrics.phi6(truth, rotations)), 3),
        mean_angle_degrees=np.rad2deg(distribution.mean_angle()),
    ))  # fmt: skip


def noisy_axes(settings, seed):
    """The tables of all ε, which is Bingham's concentration ε_B."""
    truth = Rotation.from_euler("zyx", settings["rotation_degrees"], degrees=True)
    tables = []
    for epsilon in settings["epsilons"]:
        cell = dict(experiment="rotation_axes", mechanism="rotation_bingham", epsilon=epsilon)
        rng = seeding.generator(seed, "rotation_axes", epsilon)
        table = axes_table(truth, RotationBingham(epsilon), settings["draws"], rng)
        tables.append(pd.DataFrame({**cell, **table}))
    return pd.concat(tables)


def draw(table, settings):
    """A ball of arrows for each ε: axes under a rotation (bold) and under private versions of it."""
    epsilons = settings["epsilons"]
    rows = -(-len(epsilons) // 2)
    height = SIDE * rows + HEADLINE
    figure = plt.figure(figsize=(figures.COLUMN * figures.MILLIMETRE, height * figures.MILLIMETRE))
    for place, epsilon in enumerate(epsilons):
        row, column = divmod(place, 2)
        bottom = 1.0 - (HEADLINE + SIDE * (row + 1)) / height
        ax = figure.add_axes((column / 2.0, bottom, 0.5, (SIDE - 6.0) / height), projection="3d")
        panel = table[np.isclose(table["epsilon"], epsilon)]
        draw_panel(ax, panel, settings["elevation"], settings["turn"])
        mean = panel["mean_angle_degrees"].iloc[0]
        ax.set_title(f"ε = {epsilon:g}, mean angle {mean:.1f}°", y=1.03)
    means = table.groupby("epsilon")["mean_angle_degrees"].first()
    ends = [f"{means[epsilon]:.3g}° at ε = {epsilon:g}" for epsilon in (means.index[0], means.index[-1])]
    return figures.with_headline(figure, f"Mean angle of the noise: {', '.join(ends)}")


def draw_panel(ax, table, elevation, turn):
    """The arrows of a table of :func:`axes_table`; the place of the eye is in degrees."""
    figures.ball_axes(ax, elevation, turn, half_width=1.0, zoom=1.38)
    ax.plot_wireframe(*figures.sphere(49, 25), rstride=6, cstride=6, color="0.85", linewidth=0.3)
    for axis, arrows in table.groupby("axis", sort=False):
        for bold, some in arrows.groupby(arrows["draw"] == 0):
            zero = np.zeros(len(some))
            if bold:
                plate = {"facecolor": "white", "alpha": 0.8, "linewidth": 0, "pad": 0.6}
                look = {"color": figures.ink(TINTS[axis]), "weight": "bold", "bbox": plate}
                ax.text(*(1.2 * some[[*TINTS]].iloc[0]), axis, **look)
            ax.quiver(
                zero, zero, zero, some["x"], some["y"], some["z"],
                color=TINTS[axis], alpha=1.0 if bold else 0.35, linewidth=2.6 if bold else 0.6,
                arrow_length_ratio=0.14 if bold else 0.08,
            )  # fmt: skip


if __name__ == "__main__":
    with figures.figure_job(snakemake):
        settings = snakemake.params.settings
        table = noisy_axes(settings, snakemake.params.seed)
        write_csv(table, snakemake.output.table)
        figures.save(draw(table, settings), snakemake.output.figure)
