"""Figure of Theorem 24 of paper A: where its two inequalities hold."""

import numpy as np
import pandas as pd

from study import figures

MIDDLE = {"color": "0.25", "linestyle": (0, (4, 1.5))}


def draw(table):
    """The three sides of the theorem, and their differences."""
    figure, (left, right) = figures.panels(2, 50.0)
    kappa = table["kappa"]
    wrapped, purkayastha = figures.look("wrapped_laplace").colour, figures.look("purkayastha").colour
    _curve(left, table, "mean_wrapped_laplace", "wrapped Laplace", 0.95, (8, 1), wrapped)
    _curve(left, table, "mean_purkayastha", "Purkayastha", 0.25, (-52, -12), purkayastha)
    _curve(left, table, "middle", "printed middle:\nPurkayastha + κπ²/(exp(2κπ) − 1)", 0.15, (8, 6), **MIDDLE)
    figures.reference_line(left, np.pi / 2.0, "uniform noise")
    left.set(xscale="log", ylim=(0.0, 3.3), xlabel="concentration κ per rad", ylabel="mean angle in radians")
    left.set_title("the three sides")

    figures.reference_line(right, 0.0)
    _curve(right, table, "difference", "less Purkayastha: > 0 for every κ", 0.1, (-40, 16), wrapped)
    _curve(right, table, "margin", "less printed middle", 0.4, (9, -12), **MIDDLE)
    right.set(xscale="log", ylim=(-0.5, 0.22), xlabel="concentration κ per rad")
    right.set(ylabel="difference in radians", title="wrapped Laplace less the other two")
    for ax in (left, right):
        failing = table.loc[~table["middle_holds"], "kappa"]
        ax.set_xlim(kappa.min(), kappa.max())
        if len(failing):
            ax.axvspan(kappa.min(), 2.0 / np.pi, color=figures.REGION, zorder=0, linewidth=0)
    figures.write_within(right, "printed middle\nfails: κ < 2/π", (0.03, 0.05), MIDDLE["color"])
    outer = "holds" if table["outer_holds"].all() else "fails"
    middle = "holds" if table["middle_holds"].all() else "fails for κ < 2/π"
    return figures.with_headline(figure, f"Theorem 24: outer bound {outer}, middle {middle}")


def _curve(ax, table, column, text, kappa, offset, color, linestyle="-"):
    """A curve with ``text`` beside its point nearest to ``kappa``, moved by ``offset`` in points."""
    ax.plot(table["kappa"], table[column], color=color, linestyle=linestyle)
    row = table.iloc[(np.log(table["kappa"]) - np.log(kappa)).abs().argmin()]
    figures.write_beside(ax, text, (row["kappa"], row[column]), offset, color=color)


if __name__ == "__main__":
    with figures.figure_job(snakemake):
        figures.save(draw(pd.read_csv(snakemake.input[0])), snakemake.output)
