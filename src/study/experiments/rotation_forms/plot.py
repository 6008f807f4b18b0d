"""The distances of rotations of the SO(3) paper, and how the acceptance of its rejection sampler falls."""

import pandas as pd

from study import figures

DISTANCES = {"phi6": "φ₆", "phi5": "φ₅", "phi3": "φ₃", "phi2": "φ₂"}
ACCEPTED = {  # by form: the law that says the colour, and a label
    "acceptance_haar": ("rotation_laplace", "from Haar"),
    "acceptance_printed": ("printed", "as printed"),
}


def draw(forms, distances, totals):
    """Distances and the largest log-ratio of Bingham against the angle; rates of acceptance against ε."""
    figure, (upper, lower) = figures.panels(2)
    for metric, label in DISTANCES.items():
        curve = figures.rows_with(distances, metric=metric)
        upper.plot(curve["angle"], curve["printed"], color=figures.REFERENCE, label=label)
    curve, other = figures.rows_with(distances, metric="phi4"), figures.look("printed").colour
    upper.plot(curve["angle"], curve["printed"], "--", color=other, label="φ₄: no metric")
    loss = figures.rows_with(forms, form="corollary_1_phi6", epsilon=float(forms["epsilon"].max()))
    colour = figures.look("rotation_bingham").colour
    upper.plot(loss["angle"], loss["exact"] / loss["epsilon"], color=colour, label="log-ratio/ε")
    figures.angle_ticks(upper)
    upper.set(xlabel="angle between two rotations in rad", ylabel="distance", ylim=(0.0, None))
    for form, (law, label) in ACCEPTED.items():
        rows, line = figures.rows_with(totals, form=form), {"color": figures.look(law).colour}
        lower.plot(rows["epsilon"], rows["exact"], marker=figures.look(law).marker, **line, label=label)
        lower.axhline(rows["printed"].iloc[0], linestyle="--", **line)
    lower.set(xscale="log", yscale="log", xlabel="ε per rad", ylabel="−d ln(acceptance)/dε in rad")
    lower.xaxis.set_minor_formatter("")
    text = "Distances of rotations, and the log-ratio of Bingham that Corollary 1 bounds by ε times each; "
    text += "how fast the acceptance of rejection falls (dashed: exponentially)"
    return figures.label_panels(figures.with_headline(figure, text).axes)


if __name__ == "__main__":
    with figures.figure_job(snakemake):
        names = ("forms", "distances", "totals")
        tables = [pd.read_csv(snakemake.input[name]) for name in names]
        figures.save(draw(*tables), snakemake.output)
