"""Figure of the mean angles of mechanisms on rotations against ε, and of their ratio to rotation Laplace."""

import numpy as np

from study import figures

THRESHOLD = 3.5  # [B] Section 3.3: the ε at which the printed sampler changes to the gamma distribution


def draw(table):
    """Mean angles in degrees above, their ratio to that of rotation Laplace below."""
    figure, axes = figures.panels(2, 60.0)
    for ax, factor in zip(axes, (180.0 / np.pi, table["ratio_expected"] / table["expected"]), strict=True):
        figures.draw_mechanisms(ax, figures.scaled(table, factor), "epsilon", every=3)
        ax.set(xscale="log", xlabel="ε per radian of the rotation angle")
    uniform = 90.0 + 360.0 / np.pi**2
    figures.reference_line(axes[0], uniform)
    for ax in axes:
        ax.axvline(THRESHOLD, color=figures.REFERENCE, linewidth=0.7, linestyle=(0, (4, 2)), zorder=1)
        figures.plain_log_ticks(ax, "x", between=())
        figures.plain_log_ticks(ax)
    axes[0].set_ylabel("mean angle in degrees")
    axes[1].set_ylabel("mean angle over that of Laplace")
    figures.write_within(axes[0], f"as printed:\ngamma from\nε = {THRESHOLD:g} on", (0.03, 0.04), color="black")
    private = table[np.isfinite(table["metric_level"])]
    smaller = private.loc[private["ratio_expected"] < 1.0 - 1e-9, "mechanism"].unique()
    which = " and ".join(figures.look(name).label for name in smaller) or "No private mechanism"
    end = axes[0], (table["epsilon"].max(), uniform), "uniform noise", figures.REFERENCE
    return figures.with_headline(figure, f"{which[0].upper()}{which[1:]} has smaller angles than Laplace", axes, [end])


if __name__ == "__main__":
    figures.one_figure(snakemake, draw)
