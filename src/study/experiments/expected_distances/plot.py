"""Figure 10 of paper A: mean distances from the mode against concentration, drawn and computed."""

import pandas as pd

from study.core import figures

ROWS = {"mean_chord": "mean chord d₂ in radii", "mean_angle": "mean angle d∡ in radians"}


def draw(table, settings):
    """A row of panels for each metric, a column for each dimension.

    Parameters
    ----------
    table : pandas.DataFrame
        Collected table of :func:`study.experiments.expected_distances.simulate.simulate`.
    settings : dict
        ``expected_distances`` of the configuration.

    Returns
    -------
    matplotlib.figure.Figure
    """
    dimensions = table["dim"].unique()
    figure, axes = figures.grid(len(ROWS), len(dimensions), sharex=True, sharey="row")
    for row, (metric, label) in zip(axes, ROWS.items(), strict=True):
        for ax, dim in zip(row, dimensions, strict=True):
            of_panel = table[(table["metric"] == metric) & (table["dim"] == dim)]
            for law, curve in of_panel.groupby("law", sort=False):
                curve = curve.sort_values("kappa")
                colour = figures.look(law).colour
                ax.errorbar(
                    curve["kappa"],
                    curve["value"],
                    yerr=[curve["value"] - curve["low"], curve["high"] - curve["value"]],
                    linestyle=":",
                    color=colour,
                    label=f"{figures.look(law).label}, drawn",
                )
                ax.plot(
                    curve["kappa"],
                    curve["expected"],
                    "x",
                    color=colour,
                    markersize=4.5,
                    label=f"{figures.look(law).label}, computed",
                )
        row[0].set_ylabel(label)
        row[0].set_ylim(bottom=0.0)
    for ax, dim in zip(axes[0], dimensions, strict=True):
        ax.set_title(f"n = {dim}")
    for ax in axes[-1]:
        ax.set(xscale="log", xlabel="concentration κ", xticks=[1e-3, 1.0, 1e3])
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside right center", frameon=False)
    worst = table["z"].abs().max()
    figures.headline(
        figure,
        f"Mean distance from the mode; {settings['draws']:,} draws each (bars: 95 % interval); "
        f"largest of {len(table)} |z|: {worst:.1f}",
    )
    return figure


if __name__ == "__main__":
    with figures.figure_job(snakemake):
        figure = draw(pd.read_csv(snakemake.input[0]), snakemake.params.settings)
        figures.save(figure, snakemake.output)
