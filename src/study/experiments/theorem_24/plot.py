"""Figure of Theorem 24 of paper A: where its two inequalities hold."""

import numpy as np
import pandas as pd

from study.core import figures

MIDDLE = "0.25"


def draw(table):
    """The three sides of the theorem, and their differences.

    Parameters
    ----------
    table : pandas.DataFrame
        Of :func:`study.experiments.theorem_24.compute.theorem_24`.

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure, axes = figures.panels(2, width=4.2, height=3.3)
    kappa = table["kappa"]
    wrapped, purkayastha = figures.look("wrapped_laplace").colour, figures.look("purkayastha").colour
    left, right = axes
    left.plot(kappa, table["mean_wrapped_laplace"], color=wrapped)
    left.plot(kappa, table["mean_purkayastha"], color=purkayastha)
    left.plot(kappa, table["middle"], color=MIDDLE, linestyle=(0, (4, 1.5)))
    _say(left, table, "mean_wrapped_laplace", 1.15, "WL", wrapped, (8, 6))
    _say(left, table, "mean_purkayastha", 0.25, "Pur", purkayastha, (-22, -12))
    _say(left, table, "middle", 0.15, "printed middle: Pur + κπ²/(exp(2κπ) − 1)", MIDDLE, (8, 4))
    figures.reference_line(left, np.pi / 2.0, "uniform noise")
    left.set(xscale="log", ylim=(0.0, 3.3), xlabel="concentration κ per rad", ylabel="mean angle in radians")
    left.set_title("the three sides")

    figures.reference_line(right, 0.0)
    right.plot(kappa, table["difference"], color=wrapped)
    right.plot(kappa, table["margin"], color=MIDDLE, linestyle=(0, (4, 1.5)))
    right.set(xscale="log", ylim=(-0.5, 0.22), xlabel="concentration κ per rad")
    right.set_ylabel("difference in radians")
    right.set_title("WL less the other two")
    _say(right, table, "difference", 0.35, "WL − Pur > 0 for every κ", wrapped, (-100, 8))
    _say(right, table, "margin", 0.47, "WL − printed middle", MIDDLE, (8, -12))
    for ax in axes:
        failing = table.loc[~table["middle_holds"], "kappa"]
        ax.set_xlim(kappa.min(), kappa.max())
        if len(failing):
            ax.axvspan(kappa.min(), 2.0 / np.pi, color=figures.REGION, zorder=0, linewidth=0)
    figures.write_within(right, "printed middle\nfails: κ < 2/π", (0.03, 0.05), color=MIDDLE, fontsize=8)
    figures.headline(figure, "Theorem 24: the outer inequality is true, the middle one only for κπ > 2")
    return figure


def _say(ax, table, column, kappa, text, colour, offset):
    """Write ``text`` beside the point of a curve nearest to ``kappa``, moved by ``offset`` in points."""
    row = table.iloc[(np.log(table["kappa"]) - np.log(kappa)).abs().argmin()]
    figures.write_beside(ax, text, (row["kappa"], row[column]), offset, color=colour, fontsize=8)


if __name__ == "__main__":
    with figures.figure_job(snakemake):
        figures.save(draw(pd.read_csv(snakemake.input[0])), snakemake.output)
