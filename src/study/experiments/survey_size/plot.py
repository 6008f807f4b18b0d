"""Figure of the survey size: at the ε of the paper beside its printed numbers, against ε, and against ε per radian."""

import numpy as np

from study import figures

PRINTED_FOR = "one_direction"  # the population that the printed numbers fit
PRINTED_AS = {"purkayastha": "≈ {:,.0f}", "wrapped_laplace": "over {:,.0f}"}


def draw(table, directional, settings):
    """A row of panels for each population: sizes at one ε, and curves over ε; a row of sizes over ε per radian."""
    table = table.replace({"expected": {np.inf: np.nan}})
    epsilon = figures.nearest(table["epsilon"], settings["printed_epsilon"])
    populations = table.groupby("population", sort=False)
    figure, axes = figures.grid(len(populations) + 1, 2, 50.0, width_ratios=[1.6, 1.0])
    at_epsilon = figures.rows_with(table, epsilon=epsilon)
    sizes = [*at_epsilon[["value", "expected"]].stack().dropna(), *settings["printed_responses"].values()]
    for (dots, curves), (population, rows) in zip(axes[:-1], populations, strict=True):
        printed = settings["printed_responses"] if population == PRINTED_FOR else {}
        draw_sizes(dots, figures.rows_with(rows, epsilon=epsilon), printed)
        dots.set_title(f"{figures.population_title(population)}, ε = {epsilon:g}")
        figures.plain_log_ticks(dots, "x", between=(3,))
        dots.set(xlabel="responses needed", xlim=(0.3 * min(sizes), 2.0 * max(sizes)))
        figures.draw_mechanisms(curves, rows, "epsilon")
        figures.plain_log_ticks(curves, "x")
        curves.set(yscale="log", ylabel="responses needed", title=figures.population_title(population))
        curves.set_xlabel("privacy level ε")
        curves.set_ylim(1.0, max(1e6, 2.0 * table["high"].max()))
    for ax, (space, rows) in zip(axes[-1], directional.groupby("space", sort=False), strict=True):
        draw_directional(ax, rows)
        ax.set_title(f"{space}, the same level per radian")
    handles = [
        figures.handle("printed in paper A", **figures.PRINTED),
        figures.handle("found by simulation, 95 % interval", color=figures.REFERENCE, marker="o"),
        figures.handle("limit of large N", color=figures.REFERENCE, linestyle=":"),
    ]
    return figures.with_headline(figure, message(at_epsilon, directional, settings), axes[:, 1], legend=handles)


def draw_directional(ax, rows):
    """Sizes against the level per radian, with the names of the mechanisms that have none."""
    without = rows["status"] == "no such level"
    figures.draw_mechanisms(ax, rows[~without], "epsilon")
    figures.plain_log_ticks(ax, "x")
    ax.set(yscale="log", xlabel="privacy level ε per radian", ylabel="responses needed")
    names = [figures.look(name).label for name in rows.loc[without, "mechanism"].unique()]
    if names:
        figures.write_within(ax, f"no such level:\n{', '.join(names)}", (0.97, 0.95))


def message(rows, directional, settings):
    """What wrapped Laplace needs of the responses of Purkayastha, for the first population, and per radian."""
    sizes = figures.rows_with(directional, space="circle").pivot(index="epsilon", columns="mechanism", values="value")
    rows = figures.rows_with(rows, population=rows["population"].iloc[0])
    size = rows.set_index(["mechanism", "calibration"])["value"]
    both, base = ("published", "tight"), size.get(("purkayastha", "published"), np.nan)
    published, tight = (size.get(("wrapped_laplace", name), np.nan) / base for name in both)
    if np.isnan(published + tight):
        return f"Responses that a mean absolute error of {settings['error']:g} rad needs"
    ratio = sizes["wrapped_laplace"] / sizes["purkayastha"]
    text = f"Wrapped Laplace needs {published:.2f} times Purkayastha's responses as published"
    return f"{text}, {tight:.2f} at one pure ε, {ratio.min():.1f} to {ratio.max():.1f} at one ε per rad"


def draw_sizes(ax, rows, printed):
    """A row for each mechanism and calibration: the size, its interval, and the printed number."""
    names = []
    for place, row in enumerate(rows.itertuples()):
        line = figures.line_of(rows, row.mechanism, row.calibration)
        colour, marks = line["color"], {name: line[name] for name in ("marker", "markerfacecolor")}
        beside = {"va": "center", "fontsize": 7}
        names.append(line["label"])
        if row.status == "found":
            ax.plot([row.low, row.high], [place, place], color=colour)
            ax.plot(row.value, place, color=colour, **marks, markersize=4.0)
            figures.write_beside(ax, f"{row.value:,.0f}", (row.high, place), (5, 0), colour, **beside)
        else:
            text = "no number is enough" if row.status == "never reached" else "beyond the search"
            if np.isfinite(row.expected):
                text = f"large N: {row.expected:,.0f}"
            where = {"xycoords": ("axes fraction", "data"), "ha": "right", **beside}
            figures.write_beside(ax, text, (0.99, place), (0, 0), colour, **where)
        if row.calibration == "published" and row.mechanism in printed:
            text = PRINTED_AS[row.mechanism].format(printed[row.mechanism])
            at = printed[row.mechanism], place - 0.4
            ax.plot(*at, **figures.PRINTED)
            figures.write_beside(ax, text, at, (-4, 0), "black", ha="right", **beside)
    ax.set_yticks(range(len(rows)), names)
    ax.set_ylim(len(rows) - 0.5, -0.8)
    ax.tick_params(axis="y", length=0)
    ax.tick_params(axis="x", which="both", labelbottom=True)


if __name__ == "__main__":
    figures.one_figure(snakemake, draw, snakemake.params.settings)
