"""Figure of the note: radius and privacy loss of vector-valued noise, right and wrong."""

from study import figures

NAMES = {"vector_laplace": "gamma radius: right", "exponential_radius": "exponential radius: wrong"}


def draw(summary, losses, radii, settings):
    """A column for each dimension: density of the radius above, privacy loss below."""
    dimensions, epsilon = settings["dimensions"], settings["epsilon"]
    figure, axes = figures.grid(2, len(dimensions), 38.0, sharey="row")
    for ax, below, dim in zip(*axes, dimensions, strict=True):
        for mechanism in NAMES:
            colour = figures.look(mechanism).colour
            rows = figures.rows_with(radii, dim=dim, mechanism=mechanism)
            ax.fill_between(rows["radius"], rows["value"], step="mid", color=colour, alpha=0.2, linewidth=0)
            ax.plot(rows["radius"], rows["expected"], color=colour, label=NAMES[mechanism])
            shares = figures.rows_with(losses, dim=dim, mechanism=mechanism)
            below.plot(shares["level"], shares["expected"], color=colour)
            points = {"fmt": figures.look(mechanism).marker, "color": colour, "markersize": 3}
            figures.draw_intervals(below, shares.iloc[2::5], "level", **points, elinewidth=0.8)
        ax.set(xscale="log", title=f"d = {dim}")
        below.set_yticks([0.0, 0.25, 0.5, 0.75, 1.0])
        below.axvline(epsilon, ymax=0.7, color=figures.REFERENCE, linewidth=0.7, zorder=1)
        below.set(xscale="log", ylim=(0.0, 1.45))
        wrong = figures.rows_with(summary, dim=dim, metric="delta", mechanism="exponential_radius").iloc[0]
        text = f"wrong: δ = {wrong['expected']:.3f}\ndrawn: {wrong['low']:.4f} to {wrong['high']:.4f}"
        figures.write_within(below, text, (1.0, 1.0), color=figures.look("exponential_radius").colour)
    axes[0, 0].set_ylabel("density of\nln radius")
    axes[1, 0].set_ylabel("share of outputs\nthat lose more")
    for row, label in zip(axes, ("radius of the noise in 1/λ", "privacy loss (nat)"), strict=True):
        figures.label_below(row, label)
    handles = axes[0, 0].get_legend_handles_labels()[0]
    handles.append(figures.handle(f"claimed ε = {epsilon:g}", color=figures.REFERENCE, linewidth=0.7))
    wrong = figures.rows_with(summary, metric="delta", mechanism="exponential_radius").set_index("dim")
    ends = [f"δ = {wrong['expected'][dim]:.2f} for d = {dim}" for dim in (dimensions[0], dimensions[-1])]
    text = f"With an exponential radius the loss exceeds the claimed ε = {epsilon:g}: {', '.join(ends)}"
    return figures.with_headline(figure, text, legend=handles)


if __name__ == "__main__":
    figures.one_figure(snakemake, draw, snakemake.params.settings)
