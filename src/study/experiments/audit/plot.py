"""Figure of the audit: stated level, certified level and audited bound of every mechanism."""

import numpy as np

from study import figures
from study.experiments.audit.broken_promises import exceeds

SPACES = {"circle": "circle", "sphere": "sphere", "rotation": "rotations", "vector": "space $\\mathbb{R}^d$"}
LIMITS = (0.2, 80.0)  # of the levels, as multiples of the stated level
COLUMNS = {"stated": 1.12, "caught": 1.31, "N": 1.49, "from": 1.64}  # of text beside the panels, in widths
PANELS = 0.70  # share of the figure's width


def label_of(row):
    """Name, calibration, promise and detail of a case."""
    parts = [figures.look(row.mechanism).label]
    if row.calibration not in row.mechanism:
        parts.append("as printed" if row.calibration == "printed" else row.calibration)
    if isinstance(row.detail, str) and row.detail:
        parts.append(row.detail.replace("d ", "d = ") if row.detail.startswith("d ") else row.detail)
    return ", ".join(parts)


def texts_of(row):
    """Texts beside a row: the stated level, and how often, or from which level on, it is caught."""
    return {
        "stated": f"{row.stated:g} {row.unit.removesuffix(' of length')}",
        "caught": f"{round(row.power * row.repetitions)} of {row.repetitions}",
        "N": f"{row.repetition_samples:,}".replace(",", " "),
        "from": "" if np.isnan(row.smallest_detected) else f"{row.smallest_detected:.2f} ×",
    }


def draw(table):
    """Draw a row for each mechanism, with levels as multiples of the stated one."""
    spaces = [space for space in SPACES if (table["space"] == space).any()]
    counts = [int((table["space"] == space).sum()) for space in spaces]
    height = 4.3 * sum(counts) / len(spaces) + 10.0
    ratios = [count + 1.0 for count in counts]
    figure, axes = figures.grid(len(spaces), 1, height, sharex=True, height_ratios=ratios)
    first, last = axes[0, 0], axes[-1, 0]
    for ax, space in zip(axes[:, 0], spaces, strict=True):
        _rows(ax, figures.rows_with(table, space=space))
        ax.set_title(SPACES[space], loc="left", fontweight="bold")
    first.set(xlim=LIMITS, xscale="log")
    last.xaxis.set_major_formatter("{x:g}")
    last.set_xlabel("privacy level as a multiple of the stated one")
    heading = {"xycoords": "axes fraction", "ha": "center", "fontsize": 7, "color": None, "in_layout": False}
    for name, x in COLUMNS.items():
        figures.write_beside(first, name, (x, 1.0), (0, 5), **heading)
    figure.get_layout_engine().set(rect=(0.0, 0.0, PANELS, 1.0))
    caught, broken = table["verdict"] == "caught", exceeds(table["certified"], table["stated"])
    text = f"The audit catches {(caught & broken).sum()} of {broken.sum()} cases that break their promise, "
    text += f"and {(caught & ~broken).sum()} of {(~broken).sum()} that keep it"
    return figures.with_headline(figure, text, legend=_handles())


def _rows(ax, rows):
    """Stated, certified and audited level of each mechanism of a space."""
    ax.axvline(1.0, color=figures.REFERENCE, linewidth=0.7, zorder=1)
    ax.axvspan(1.0, LIMITS[1], color=figures.REGION, linewidth=0, zorder=0)
    for place, row in enumerate(rows.itertuples()):
        caught = row.verdict == "caught"
        colour = figures.look(row.mechanism).colour
        mark = figures.FAILURE if caught else {"marker": "o", "color": colour}
        certified, audited = row.certified / row.stated, max(row.audited / row.stated, LIMITS[0])
        ax.plot([audited, min(certified, LIMITS[1])], [place, place], color=colour, linewidth=0.8, zorder=2)
        if np.isinf(certified):
            ax.plot(0.93 * LIMITS[1], place, ">", color=colour, markersize=4.5, clip_on=False)
        else:
            ax.plot(certified, place, "D", color=colour, markerfacecolor="white", markersize=4, zorder=3)
        ax.plot(audited, place, **mark, markersize=4.5, zorder=4)
        beside = {"transform": ax.get_yaxis_transform(), "ha": "center", "va": "center"}
        beside |= {"fontsize": figures.NOTE, "in_layout": False}
        for name, text in texts_of(row).items():
            weight = "bold" if caught and name == "caught" else "normal"
            ax.text(COLUMNS[name], place, text, **beside, weight=weight)
    ax.set_yticks(range(len(rows)), [label_of(row) for row in rows.itertuples()])
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)


def _handles():
    mark = {"linestyle": "none", "color": "0.25"}
    return [
        figures.handle("certified", marker="D", markerfacecolor="white", **mark),
        figures.handle("certified: infinite", marker=">", **mark),
        figures.handle("audited lower bound", marker="o", **mark),
        figures.handle("above what is stated: caught", **figures.FAILURE),
    ]


if __name__ == "__main__":
    figures.one_figure(snakemake, draw)
