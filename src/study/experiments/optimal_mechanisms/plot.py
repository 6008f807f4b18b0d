"""The best kernel of each kind of level, and how far mechanisms of the same level are from the best."""

from study import figures

TITLES = {
    "metric": ("purkayastha", "metric: Purkayastha"),
    "pure": ("cap", "pure: cap"),
    "both": ("trapezoid", "metric and pure: trapezoid"),
    "within": ("staircase", "within {radius:g}°: staircase"),
}


def draw_kernels(kernels, settings):
    """Densities on the circle by theorem (lines) and by linear programme (points), a panel for each kind."""
    notions = list(dict.fromkeys(kernels["notion"]))
    figure, axes = figures.panels(len(notions), 34.0, sharey=True)
    for ax, notion in zip(axes, notions, strict=True):
        rows, (mechanism, title) = figures.rows_with(kernels, notion=notion), TITLES[notion]
        colour = figures.look(mechanism).colour
        ax.plot(rows["angle"], rows["best"], color=colour, drawstyle="steps-mid", label="theorem")
        some = rows.iloc[:: max(len(rows) // 24, 1)]
        ax.plot(some["angle"], some["programme"], ".", color="black", markersize=3.0, label="linear programme")
        ax.set(title=title.format(**settings), ylabel="density × 2π")
        figures.angle_ticks(ax)
    axes[0].set_ylim(0.0, 1.05 * kernels["best"].max())  # which all panels share
    figures.label_below(axes, "angle θ from the true direction, rad")
    handles = [
        figures.handle("theorem", color=figures.REFERENCE),
        figures.handle("linear programme", color="black", marker=".", linestyle=""),
    ]
    apart = (kernels["best"] - kernels["programme"]).abs().max() / kernels["best"].max()
    return figures.with_headline(figure, f"Linear programmes find the same kernels, to {apart:.0e}", legend=handles)


def draw_errors(errors):
    """Mean angle of one report over the least that is possible at the same level, against the level."""
    figure, (pure, within) = figures.panels(2, 48.0)
    for ax, notion, title in ((pure, "pure", "pure level ε"), (within, "within", "level ℓ within the radius")):
        for mechanism, rows in figures.rows_with(errors, notion=notion).groupby("mechanism", sort=False):
            row = figures.look(mechanism)
            ax.plot(rows["level"], rows["ratio"], color=row.colour, marker=row.marker, label=row.label)
        for name in "xy":
            figures.plain_log_ticks(ax, name)
        ax.set(xlabel=title, ylabel="times the least mean angle")
    most = errors.groupby("notion")["ratio"].max()
    text = f"Mean angle: up to {most['pure']:.0f} (pure), {most['within']:.0f} (within) times the least"
    return figures.with_headline(figure, text, (pure, within))


if __name__ == "__main__":
    with figures.figure_job(snakemake) as (kernels, errors):
        figures.save(draw_kernels(kernels, snakemake.params.settings), snakemake.output.kernels)
        figures.save(draw_errors(errors), snakemake.output.errors)
