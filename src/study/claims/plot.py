"""Rule plot_claims: how many claims of each source hold, and how badly the others fail."""

import json
from collections import Counter
from itertools import product

from matplotlib.patches import Patch

from study import figures
from study.claims.claims import OURS, REBUILT
from study.claims.verdicts import REPRODUCED, UNDECIDABLE
from study.claims.words import count, faults, groups, read_verdicts

COLOURS = {
    REPRODUCED: "#4492c6",
    UNDECIDABLE: "0.92",
    "misprint": "#e3c27a",
    "wording": "#dca03a",
    "proof": "#a85a16",
    "accuracy": "#7a3b00",
    "privacy": "#451b00",
}
"""Colour of each part of a bar: the worse a fault, the darker."""
HATCH = "/////"
"""Of claims whose formula or experiment we rebuilt."""
HEIGHT = 0.42  # of a bar; its text stands above it


def draw(claims, sources):
    """A bar for each who makes claims; a fault counts once, however many claims fail by it."""
    bars = groups(claims, sources)
    figure, axes = figures.grid(1, 1, 11.0 * len(bars) + 9.0)
    ax = axes[0, 0]
    for place, (name, rows) in enumerate(bars.items()):
        text, above = figures.without_formulas(f"{name}: {count(rows)}"), (0.0, place - HEIGHT / 2.0)
        figures.write_beside(ax, text, above, (1, 2), color="black")
        left = 0.0
        for (kind, rebuilt), number in parts(rows).items():
            colour = COLOURS.get(kind, "black")  # of an unexpected verdict
            bright = figures.lightness(colour) > 50.0
            look = {"color": colour, "edgecolor": "white", "linewidth": 0.7, "hatch": HATCH * rebuilt}
            bar = ax.barh(place, number, HEIGHT, left, **look)
            (label,) = ax.bar_label(bar, [number], label_type="center", fontsize=figures.NOTE)
            label.set(color="black" if bright else "white", bbox={"facecolor": colour, "linewidth": 0, "pad": 0.6})
            left += number
    ax.set(ylim=(len(bars) - 0.5, -0.8), yticks=[], xlabel="claims; those that fail by one fault count once")
    ax.spines["left"].set_visible(False)
    look = {"linestyle": "", "marker": "s", "markersize": 5.0}
    handles = [figures.handle(kind, color=colour, **look) for kind, colour in COLOURS.items()]
    handles.append(Patch(facecolor="0.55", edgecolor="white", hatch=HATCH, label="rebuilt by us"))
    return figures.with_headline(figure, message(bars, sources), legend=handles)


def parts(rows):
    """The lengths of the parts of a bar by kind and by whether they were rebuilt, without those that are empty."""
    whole = rows[rows["verdict"].isin((REPRODUCED, UNDECIDABLE))]
    failed = faults(rows)
    kinds = [*whole["verdict"], *failed["severity"]]
    rebuilt = [*whole["excerpt"].isin(REBUILT), *failed["excerpt"].isin(REBUILT)]
    numbers = Counter(zip(kinds, rebuilt, strict=True))
    return {part: numbers[part] for part in product((*COLOURS, ""), (False, True)) if numbers[part]}


def message(bars, sources):
    """What the figure shows, with the numbers of the run."""
    rows = [bars[source["name"]] for letter, source in sources.items() if letter != OURS and source["name"] in bars]
    successes = sum((of["verdict"] == REPRODUCED).sum() for of in rows)
    severities = [severity for of in rows for severity in faults(of)["severity"]]
    private = severities.count("privacy")
    return (
        f"{successes} of {sum(map(len, rows))} claims of the sources hold in this run; "
        f"of {len(severities)} faults {private} touch{'es' * (private == 1)} privacy"
    )


if __name__ == "__main__":
    with figures.figure_job(snakemake):
        claims, sources = read_verdicts(snakemake.input[0]), json.loads(snakemake.params.sources)
        figures.save(draw(claims, sources), snakemake.output)
