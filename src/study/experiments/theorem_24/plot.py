"""Figure of Theorem 24 of paper A: where its inequalities hold, in both orders of their parts."""

import numpy as np

from study import figures

TERM = {"color": "0.25", "linestyle": (0, (4, 1.5))}


def draw(table, readings):
    """The three sides of the theorem; and what the printed term would bound, beside it."""
    figure, (left, right) = figures.panels(2, 50.0)
    kappa = table["kappa"]
    wrapped, purkayastha = figures.look("wrapped_laplace").colour, figures.look("purkayastha").colour
    _curve(left, table, "mean_wrapped_laplace", "wrapped Laplace", 0.95, (8, 1), wrapped)
    _curve(left, table, "mean_purkayastha", "Purkayastha", 0.25, (-52, -12), purkayastha)
    _curve(left, table, "middle", "Purkayastha + printed term\nκπ²/(exp(2κπ) − 1)", 0.15, (8, 6), **TERM)
    figures.reference_line(left, np.pi / 2.0, "uniform noise")
    left.set(xscale="log", ylim=(0.0, 3.3), xlabel="concentration κ per rad", ylabel="mean angle in radians")
    left.set_title("the three sides")

    _curve(right, table, "difference", "wrapped Laplace\nless Purkayastha", 0.05, (4, -16), wrapped)
    _curve(right, table, "bound", "printed term", 0.03, (0, -13), **TERM)
    right.set(xscale="log", yscale="log", ylim=(1e-3, 3.0), xlabel="concentration κ per rad")
    right.set(ylabel="radians", title="what the printed term is said to bound")
    for ax in (left, right):
        ax.set_xlim(kappa.min(), kappa.max())
        ax.axvspan(2.0 / np.pi, kappa.max(), color=figures.REGION, zorder=0, linewidth=0)
    worst = -readings.set_index("reading")["margin"]
    above, below = worst["wrapped_laplace_between"], worst["printed_term_between"]
    figures.write_within(right, f"κ < 2/π: no lower bound,\nby up to {below:.2f} rad", (0.03, 0.05))
    figures.write_within(right, f"κ > 2/π: no upper bound,\nby up to {above:.3f} rad", (0.98, 0.98))
    outer = "holds" if table["outer_holds"].all() else "fails"
    middle = "in neither order" if (worst > 0.0).all() else "in one order"
    return figures.with_headline(figure, f"Theorem 24: outer bound {outer}, middle {middle}")


def _curve(ax, table, column, text, kappa, offset, color, linestyle="-"):
    """A curve with ``text`` beside its point nearest to ``kappa``, moved by ``offset`` in points."""
    ax.plot(table["kappa"], table[column], color=color, linestyle=linestyle)
    row = table.iloc[(np.log(table["kappa"]) - np.log(kappa)).abs().argmin()]
    figures.write_beside(ax, text, (row["kappa"], row[column]), offset, color=color)


if __name__ == "__main__":
    figures.one_figure(snakemake, draw)
