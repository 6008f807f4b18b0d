"""Figure of the coverage and the width of the kinds of intervals, day by day."""

from study import figures

LOOKS = {
    "soft": {"marker": "D", "label": "8 soft bins"},
    "distribution-free": {"marker": "o", "label": "24 bins"},
    "smooth": {"marker": "s", "fillstyle": "none", "markersize": 5.0, "label": "24 bins, smooth"},
}


def draw(table):
    """A row of panels for each level: covered bins on the left, mean widths on the right."""
    levels = sorted(table["epsilon"].unique())
    days = list(dict.fromkeys(table.loc[table["day"] != "all days", "day"]))[::-1]
    colour, height = figures.look("purkayastha").colour, 13.0 + 4.2 * len(days)
    figure, axes = figures.grid(len(levels), 2, height, figures.COLUMN, sharex="col", sharey=True)
    for ax, level, metric in figures.cells(axes, levels, ["covered", "width"]):
        rows = figures.rows_with(table, epsilon=level, metric=metric).set_index(["intervals", "day"])
        for kind, look in LOOKS.items():
            of_kind = 100.0 * rows.loc[kind].loc[days, ["value", "low", "high"]]
            line = {"linestyle": "", "color": figures.REFERENCE if kind == "soft" else colour, "clip_on": False}
            ax.plot(of_kind["value"], range(len(days)), **line, **look)
            ax.hlines(range(len(days)), of_kind["low"], of_kind["high"], colour, linewidth=0.6, zorder=1)
        ax.set_ylim(-0.6, len(days) - 0.4)
        ax.set_yticks(range(len(days)), [figures.dataset_title(day) for day in days])
        ax.set_title(f"ℓ = {level:g}")
        ax.set_xlim(0.0, 100.0 if metric == "covered" else None)
    for ax in axes[:, 0]:
        ax.axvline(95.0, color=figures.REFERENCE, linewidth=0.8, zorder=0)
    for ax, label in zip(axes[-1], ("covered bins (%)", "mean width (%)"), strict=True):
        ax.set_xlabel(label)
    whole = figures.rows_with(table, day="all days", epsilon=figures.nearest(levels, 1.0))
    widths = 100.0 * figures.rows_with(whole, metric="width").set_index("intervals")["value"]
    text = f"Soft bins: {widths['soft']:.0f} points wide, hard ones {widths['distribution-free']:.0f}"
    return figures.with_headline(figure, text, legend=axes[0, 0].get_legend_handles_labels()[0], ncols=3)


if __name__ == "__main__":
    figures.one_figure(snakemake, draw)
