"""Figures of unit vectors of many coordinates: Algorithm 1 with quadrature, errors at the same promise, and lists."""

import numpy as np

from study import figures

TITLES = {"pure": "pure ε = {:g}", "per_radian": "ε = {:g} per radian", "within": "level {:g} within {radius:g} rad"}
TITLES["approximate"] = "ε = {:g} with δ"
VALUES = {"mean_angle": "mean angle of one\nresponse, rad", "responses": "responses for a\nmean, error {:g} rad"}
LINES = {
    "exact distribution": (0, "quadrature", "expected", {"color": figures.REFERENCE}),
    "closed form of the paper": (0, "closed form", "mean_cosine", figures.RING | {"color": figures.REFERENCE}),
    "general-purpose quadrature": (0, "quadrature", "mean_cosine", figures.FAILURE),
    "% of the draws elsewhere, at least": (1, "quadrature", "total_variation", {"color": "black", "marker": "X"}),
    "% never drawn": (1, "quadrature", "never_drawn_14", {"color": "black", "linestyle": ":", "marker": "v"}),
}
"""Row of panels, method, column and look of each line."""


def draw_algorithm_1(table):
    """Mean cosine and share never drawn against ε, a column for each length of the vectors."""
    dims = sorted(set(table["dim"]))
    figure, axes = figures.grid(2, len(dims), 36.0, sharex=True, sharey="row")
    for column, dim in zip(axes.T, dims, strict=True):
        rows = figures.rows_with(table, dim=dim).sort_values("epsilon")
        for row, method, name, line in LINES.values():
            of_method = figures.rows_with(rows, method=method)
            column[row].plot(of_method["epsilon"], (1.0, 100.0)[row] * of_method[name], **line)
        zero = rows.loc[rows["status"] != "drawn", "epsilon"]
        for ax in column if len(zero) else ():
            ax.axvspan(zero.min() - 25.0, zero.max() + 25.0, color=figures.REGION, linewidth=0)
    titles = [f"n = {dim}" for dim in dims]
    figures.label_grid(axes, titles, "privacy level ε per radian", ("mean cosine", "share in %"))
    handles = [figures.handle(label, **line) for label, (*_, line) in LINES.items()]
    handles.append(figures.handle("the integral is 0", color=figures.REGION, linewidth=6.0))
    off = figures.rows_with(table, method="quadrature").dropna(subset="mean_cosine")
    worst = off.loc[(off["mean_cosine"] - off["expected"]).abs().idxmax()]
    text = f"Algorithm 1 with general quadrature: mean cosine {worst['mean_cosine']:.2f} in place of"
    text = f"{text} {worst['expected']:.2f} at n = {worst['dim']:.0f}, ε = {worst['epsilon']:g}"
    return figures.with_headline(figure, text.replace("-", "−"), legend=handles, ncols=3)


def draw_errors(table, settings, error):
    """Errors of one response and of a mean against the length of the vectors, a column for each promise."""
    levels, dims = {promise: settings[promise][-1] for promise in table["promise"]}, sorted(set(table["dim"]))
    figure, axes = figures.grid(2, len(levels), 40.0, sharex=True, sharey="row")
    looks = {name: figures.look(name) for name in table["mechanism"].unique()}
    for ax, value, promise in figures.cells(axes, VALUES, levels):
        rows = figures.rows_with(table, promise=promise, level=levels[promise])
        for place, (name, look) in enumerate(looks.items()):
            of_name = figures.rows_with(rows, mechanism=name)
            x = np.searchsorted(dims, of_name["dim"]) + 0.15 * (place - (len(looks) - 1) / 2.0)
            ax.plot(x, of_name[value], linestyle="", color=look.colour, marker=look.marker, markersize=4.0)
        without = rows.loc[rows["status"] == "none", "mechanism"].unique()
        if len(without) and value == "responses":
            text = "\n".join(f"{looks[name].label}: none" for name in without)
            figures.write_within(ax, text, (0.97, 0.06))
        ax.set_xticks(range(len(dims)), dims)
    axes[1, 0].set_yscale("log")
    titles = [TITLES[promise].format(level, **settings) for promise, level in levels.items()]
    labels = [label.format(error) for label in VALUES.values()]
    figures.label_grid(axes, titles, "length n of the vectors", labels)
    dots = [(look.label, {"color": look.colour, "marker": look.marker, "linestyle": ""}) for look in looks.values()]
    handles = [figures.handle(label, **dot) for label, dot in dots]
    dim = dims[-2:][0]
    at = figures.rows_with(table, promise="pure", level=settings["pure"][-1], dim=dim).set_index("mechanism")
    ratio = at.loc["von_mises_fisher", "responses"] / at.loc["cap", "responses"]
    text = f"At pure ε = {settings['pure'][-1]:g} and n = {dim}, von Mises–Fisher needs {ratio:.0f} times"
    return figures.with_headline(figure, f"{text} the responses of a cap", legend=handles, ncols=5)


def draw_lists(table):
    """Share of true words and mean angle against the level, for each way to release a word of a list."""
    figure, axes = figures.grid(1, 2, 52.0)
    for ax, (metric, factor) in zip(axes[0], {"unchanged": 100.0, "angle": 1.0}.items(), strict=True):
        for name, rows in figures.rows_with(table, metric=metric).groupby("mechanism", sort=False):
            look = figures.look(name)
            label = "noise, nearest word" if name == "purkayastha" else look.label
            line = {"color": look.colour, "marker": look.marker, "markersize": 4.0, "label": label}
            rows = rows.assign(**{column: factor * rows[column] for column in ("value", "low", "high")})
            figures.draw_intervals(ax, rows.fillna({end: rows["value"] for end in ("low", "high")}), "level", **line)
        figures.plain_log_ticks(ax, "x")
        ax.set_xlabel("level ε per radian")
    axes[0, 0].set_ylabel("words released as they are, %")
    axes[0, 1].set_ylabel("mean angle, rad")
    shares = figures.rows_with(table, metric="unchanged").pivot(index="level", columns="mechanism", values="value")
    at = (shares["certified_weights"] - shares["exponential"]).idxmax()
    ours, noise = (f"{100.0 * shares.loc[at, name]:.0f} %" for name in ("certified_weights", "purkayastha"))
    text = f"At ε = {at:g} per radian, a list releases {ours} of the words as they are, noise and the nearest word"
    return figures.with_headline(figure, f"{text} {noise}", axes[0])


if __name__ == "__main__":
    with figures.figure_job(snakemake) as (algorithm, errors, lists):
        figures.save(draw_algorithm_1(algorithm), snakemake.output.algorithm)
        figures.save(draw_errors(errors, snakemake.params.settings, snakemake.params.error), snakemake.output.errors)
        figures.save(draw_lists(lists), snakemake.output.lists)
