"""Figure of the survey size: how many responses an error of 0.1 rad needs, against ε."""

import numpy as np
import pandas as pd

from study import figures


def draw(table, settings):
    """Survey sizes against ε, a panel for each population."""
    table = table.replace({"expected": {np.inf: np.nan}})
    populations = table.groupby("population", sort=False)
    figure, axes = figures.panels(len(populations), sharey=True)
    for ax, (population, rows) in zip(axes, populations, strict=True):
        figures.draw_mechanisms(ax, rows, "epsilon")
        # a mechanism's mean may tend to a direction further off than the target
        never = figures.rows_with(rows, status="never reached")
        figures.write_levels(ax, never, "{} never gets there:\n{}", (0.02, 0.02), digits=6)
        figures.plain_log_ticks(ax, "x")
        ax.set(yscale="log", xlabel="privacy level ε", ylabel="responses needed")
        ax.set_title(figures.population_title(population))
    axes[0].set_ylim(1.0, max(1e6, 2.0 * table["high"].max()))
    text = f"Responses for a mean absolute error of {settings['error']:g} rad; points: found by simulation, "
    text += "bars: 95 % interval, dotted: law of large N"
    figures.with_headline(figure, text)
    return figures.label_panels(axes)


if __name__ == "__main__":
    with figures.figure_job(snakemake):
        figures.save(draw(pd.read_csv(snakemake.input[0]), snakemake.params.settings), snakemake.output)
