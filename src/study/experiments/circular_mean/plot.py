"""Figures of the circular mean's error: central, local against ε, local against the number of responses."""

import numpy as np

from study import figures

VIEWS = {
    "central": ("epsilon", "privacy level ε"),
    "local_epsilon": ("epsilon", "privacy level ε"),
    "local_responses": ("n", "number of responses"),
}
UNITS = {"rad": 1.0, "h": np.pi / 12.0}  # in which the printed errors may be, in radians


def draw(table, view, printed, stated):
    """One view of the errors, a key of :data:`VIEWS`; a panel for each population.

    ``printed`` has the numbers of responses with the errors ``stated`` by the paper, by unit of these.
    """
    (x, x_label), printed = VIEWS[view], printed.dropna()
    text = message(table, view, printed)
    table = table[(table["view"] == view) & (table["unit"] == "rad")].copy()
    if view != "central":  # the limit of large N says nothing where it promises more than uniform noise has
        table.loc[(table["expected"] > 1.0) & (table["mechanism"] != "clipped_laplace"), "expected"] = np.nan
    populations = table.groupby("population", sort=False)
    figure, axes = figures.panels(len(populations), sharey=True)
    uniform = []
    for ax, (population, rows) in zip(axes, populations, strict=True):
        figures.draw_mechanisms(ax, rows, x)
        ax.set(xscale="log", yscale="linear" if view == "central" else "log", xlabel=x_label)
        if x == "epsilon":
            figures.plain_log_ticks(ax, "x")
        ax.set_title(figures.population_title(population))
        figures.reference_line(ax, np.pi / 2.0)
        if view == "local_responses":
            draw_printed(ax, figures.rows_with(printed, population=population), stated)
        uniform.append((ax, (rows[x].max(), np.pi / 2.0), "uniform noise", figures.REFERENCE))
    top = max(1.75, 1.04 * table["high"].max())
    axes[0].set_ylim((0.0, top) if view == "central" else (table["low"].min() / 1.4, 2.0 * top))
    for ax in axes:
        ax.set_ylabel("MAE in rad (π rad = 12 h)")
        if view != "central":
            figures.plain_log_ticks(ax)
    legend = [figures.handle("printed in paper A, in rad or in h", **figures.PRINTED)] * (view == "local_responses")
    return figures.with_headline(figure, text, axes, uniform, legend)


def draw_printed(ax, printed, stated):
    """The errors of the paper at the numbers of responses that have them, if they are in radians or hours."""
    for row in printed.itertuples():
        sizes = [getattr(row, f"n_{mechanism}") for mechanism in stated]
        errors = [UNITS[row.unit] * error for error in stated.values()]
        ax.plot(sizes, errors, **figures.PRINTED)
        figures.write_beside(ax, f"in {row.unit}", (min(sizes), min(errors)), (-4, -14), "black", ha="right")


def message(table, view, printed):
    """The least error at ε = 1, or the numbers of responses that have the errors of the paper."""
    if view == "local_responses":
        sizes = printed.set_index("unit").filter(regex="^n_").T
        ends = [f"{n.min():,.0f} to {n.max():,.0f} in {unit}" for unit, n in sizes.items()]
        return f"Printed errors have N = {', '.join(ends) or 'beyond the search'}"
    table = figures.rows_with(table, population=table["population"].iloc[0], unit="rad")
    epsilon = figures.nearest(table.loc[table["view"] == view, "epsilon"], 1.0)
    least = figures.rows_with(table, epsilon=epsilon).groupby("view")["value"].min()
    if view == "central":
        return f"At ε = {epsilon:g} one noisy mean is off by {least['central']:.2f} rad or more"
    return f"Least MAE at ε = {epsilon:g}: local {least[view]:.2g} rad, central {least['central']:.2g}"


if __name__ == "__main__":
    with figures.figure_job(snakemake) as (table, printed):
        printed = figures.rows_with(printed, calibration="published")
        for view in VIEWS:
            figures.save(draw(table, view, printed, snakemake.params.stated), snakemake.output[view])
