"""Figure 3 of the SO(3) paper: angles of noise on rotations at given radii of indistinguishability."""

from study import figures

LABELS = {  # by mechanism and calibration
    ("rotation_laplace", "tight"): "Laplace, ε",
    ("rotation_bingham", "published"): "Bingham, (π/4)ε as published",
    ("rotation_bingham", "tight"): "Bingham, 2ε: the same level",
}


def draw(summary, histograms, settings):
    """A panel for each radius: drawn histograms, densities of the distributions, and the means written out."""
    radii = settings["radii_degrees"]
    figure, axes = figures.panels(len(radii), 40.0)
    for ax, radius in zip(axes, radii, strict=True):
        top = 0.0
        for row, ((mechanism, calibration), label) in enumerate(LABELS.items()):
            chosen = {"radius": radius, "mechanism": mechanism, "calibration": calibration}
            curve = figures.rows_with(histograms, **chosen)
            angle, line = curve["angle"], line_of(mechanism, calibration)
            band = {"step": "mid", "color": line["color"], "alpha": 0.35}
            ax.fill_between(angle, curve["low"], curve["high"], **band)
            ax.plot(angle, curve["expected"], **line, markevery=(2 + row, 8))
            mean = figures.rows_with(summary, **chosen, metric="mean_angle").iloc[0]
            name = label.split(" as")[0].split(":")[0]
            text = f"{name}: mean {mean['value']:.2f}° ± {mean['high'] - mean['value']:.2g}°"
            where = {"xycoords": "axes fraction", "ha": "right", "va": "top"}
            figures.write_beside(ax, text, (1.0, 1.0), (0, -8 * row), line["color"], **where)
            top = max(top, curve["high"].max())
        epsilon = figures.rows_with(summary, radius=radius)["epsilon"].iloc[0]
        ax.axvline(radius, ymax=0.53, color=figures.REFERENCE, linewidth=0.7, zorder=1)
        ax.set(xlim=(0.0, 180.0), ylim=(0.0, 1.85 * top), xticks=range(0, 181, 30))
        ax.set_title(f"ρ = {radius:g}°, ε = {epsilon:.3g} per rad")
    figures.label_below(axes, "angle to the true rotation in degrees")
    figure.supylabel("density per degree")
    handles = [figures.handle(label, **line_of(*cell)) for cell, label in LABELS.items()]
    means = figures.rows_with(summary, metric="mean_angle", calibration="tight")
    means = means.pivot(index="radius", columns="mechanism", values="value")
    ratio = means["rotation_bingham"] / means["rotation_laplace"]
    text = f"At one level Bingham's mean is {ratio.min():.2f} to {ratio.max():.2f} times Laplace's"
    return figures.with_headline(figure, text, legend=handles, ncols=1)


def line_of(mechanism, calibration):
    """Look of a distribution; Laplace has but one calibration, and a full line."""
    look = figures.look(mechanism)
    full = mechanism == "rotation_laplace" or calibration == "published"
    line = figures.LINES["published" if full else "tight"]
    filled = look.colour if full else "white"
    return {"color": look.colour, "marker": look.marker, "markerfacecolor": filled, "linestyle": line}


if __name__ == "__main__":
    figures.one_figure(snakemake, draw, snakemake.params.settings)
