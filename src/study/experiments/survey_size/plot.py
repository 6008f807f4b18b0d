"""Figure of the survey size: how many responses an error of 0.1 rad needs, against ε."""

import numpy as np
import pandas as pd

from study.core import figures


def draw(table, settings):
    """Survey sizes against ε, a panel for each population.

    Parameters
    ----------
    table : pandas.DataFrame
        Collected table of :func:`study.experiments.survey_size.search.survey_sizes`.
    settings : dict
        ``survey_size`` of the configuration.

    Returns
    -------
    matplotlib.figure.Figure
    """
    table = table.replace({"expected": {np.inf: np.nan}})
    populations = table["population"].unique()
    figure, axes = figures.panels(len(populations), sharey=True, sharex=True, width=4.1, height=3.4)
    ends = []
    for ax, population in zip(axes, populations, strict=True):
        rows = figures.rows_with(table, population=population)
        ends.append(figures.draw_mechanisms(ax, rows, "epsilon"))
        annotate_never(ax, rows)
        ax.set(xscale="log", yscale="log", xlabel="privacy level ε")
        ax.set_title(figures.population_title(population))
    axes[0].set_ylim(1.0, max(1e6, 2.0 * table["high"].max()))
    axes[0].set_ylabel(f"responses needed for a MAE of {settings['error']:g} rad")
    figures.room_for_labels(axes[0])
    figures.label_panels(axes, ends)
    figures.headline(
        figure, "Survey size; points: found by simulation, bars: 95 % interval, dotted: law of large N"
    )
    return figure


def annotate_never(ax, rows):
    """Say at which levels a mechanism's mean tends to a direction further off than the target."""
    never = rows[rows["status"] == "never reached"]
    for mechanism, of_one in never.groupby("mechanism", sort=False):
        levels = [
            f"{name} at ε ≤ {some['epsilon'].max():g}"
            for name, some in of_one.groupby("calibration", sort=False)
        ]
        text = f"{figures.look(mechanism).label} never gets there: {', '.join(levels)}"
        figures.write_within(ax, text, (0.02, 0.02), color=figures.look(mechanism).colour)


if __name__ == "__main__":
    with figures.figure_job(snakemake):
        figures.save(draw(pd.read_csv(snakemake.input[0]), snakemake.params.settings), snakemake.output)
