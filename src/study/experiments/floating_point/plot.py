"""Figure of the doubles that exclude a wrong input."""

from study import figures

SAMPLERS = {"inverse": "textbook, inverse CDF", "randomise": "randomise_angles", "release": "CircleRelease"}
LINES = ["-", (0, (4, 1.5)), (0, (1, 1)), (0, (4, 1, 1, 1))]
LEAST = 0.1  # per cent; below it, the scale is linear


def draw(table):
    """A panel for each sampler, a line for each distance of the wrong input."""
    table = figures.scaled(table[table["metric"] == "excluded"].assign(expected=0.0), 100.0)
    heights = [1.0, 1.0, 0.4]
    figure, axes = figures.grid(len(SAMPLERS), 1, 33.0, figures.COLUMN, sharex=True, height_ratios=heights)
    release = figures.rows_with(table, sampler="release")
    most = release["value"].max()
    if not most:  # a proof has no bars
        table = table.assign(high=table["high"].where(table["sampler"] != "release", 0.0))
    blue, marker = figures.look("purkayastha").colour, figures.look("purkayastha").marker
    for ax, (sampler, title) in zip(axes[:, 0], SAMPLERS.items(), strict=True):
        of_sampler = figures.rows_with(table, sampler=sampler)
        for line, (minutes, curve) in zip(LINES, of_sampler.groupby("minutes"), strict=False):
            text = f"{minutes:g} min" if minutes % 60 else f"{minutes / 60:g} h"
            label = text if sampler != "release" else ""
            look = {"color": blue, "marker": marker, "linestyle": line, "markerfacecolor": "white"}
            figures.draw_intervals(ax, curve, "kappa", **look, label=label, capsize=1.2, elinewidth=0.6)
        ax.set_title(title)
        ax.set_yscale("symlog", linthresh=LEAST, linscale=0.4)
        ax.set(ylim=(-0.02, 150.0), yticks=[0.0, 0.1, 1.0, 10.0, 100.0])
        ax.yaxis.set_major_formatter("{x:g}")
        ax.minorticks_off()
    last = axes[-1, 0]
    last.set(ylim=(-0.02, 1.0), yticks=[0.0, 0.1])
    kappas = sorted(table["kappa"].unique())
    figures.log_ticks(last, kappas, [f"{kappa:g}" for kappa in kappas])
    last.set_xlabel("concentration κ: level ε per radian")
    axes[1, 0].set_ylabel("doubles that exclude the wrong input (%)")
    share = f"{most:.2g} % of the doubles" if most else "No double"
    text = [(last, (release["kappa"].max(), 0.0), f"{most:g} % for all", blue)]
    return figures.with_headline(figure, f"{share} of CircleRelease excludes a wrong input", axes[:, 0], text)


if __name__ == "__main__":
    figures.one_figure(snakemake, draw)
