"""Figure of the mean angles of mechanisms on rotations against ε, and of their ratio to rotation Laplace."""

import numpy as np
import pandas as pd

from study.core import figures


def draw(table):
    """Mean angles in degrees on the left, their ratio to that of rotation Laplace on the right."""
    figure, axes = figures.panels(2, 62.0)
    for ax, factor in zip(axes, (180.0 / np.pi, table["ratio_expected"] / table["expected"]), strict=True):
        figures.draw_mechanisms(ax, figures.scaled(table, factor), "epsilon")
        ax.set(xscale="log", xlabel="ε per radian of the rotation angle")
    uniform = 90.0 + 360.0 / np.pi**2
    figures.reference_line(axes[0], uniform)
    for ax in axes:
        figures.plain_log_ticks(ax, "x", between=())
        figures.plain_log_ticks(ax)
    axes[0].set_ylabel("mean angle to the true rotation in degrees")
    axes[1].set_ylabel("mean angle relative to rotation Laplace")
    figures.with_headline(
        figure,
        "Mechanisms on rotations at the same level of privacy (tight), Bingham at the paper's budget "
        f"(published), and the paper's Laplace as printed; points: {table['n'].iloc[0]:,} draws, bars: 95 % "
        "interval, dotted: closed form",
    )
    end = table["epsilon"].max(), uniform
    return figures.label_panels(axes, [(axes[0], end, "uniform noise", figures.REFERENCE)])


if __name__ == "__main__":
    with figures.figure_job(snakemake):
        figures.save(draw(pd.read_csv(snakemake.input[0])), snakemake.output)
