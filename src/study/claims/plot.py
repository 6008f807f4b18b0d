"""Rule plot_claims: every claim with its verdict, and the measured value against the stated one."""

import json
import textwrap

import numpy as np

from study import figures
from study.claims.verdicts import CHANGED, NOT_REPRODUCED, OPEN, REFUTED, REPORTED, REPRODUCED, UNDECIDABLE
from study.claims.words import counts, read_found
from study.workflow.printable import printable

MARKS = {
    REPRODUCED: ("o", "#0173b2"),
    NOT_REPRODUCED: ("D", "#de8f05"),
    REFUTED: (figures.FAILURE["marker"], figures.FAILURE["color"]),
    UNDECIDABLE: ("s", "0.6"),
}
"""Marker and colour of each verdict."""
REACH = 1.2  # of the abscissa; values beyond it are drawn at its end
LINEAR = 0.01  # deviations below this share are drawn on a linear scale
LETTERS = 58  # of a line of a title
STEP = 2.3  # mm from a line of text to the next


def draw(found, sources):
    """Every claim with its verdict, grouped by source, in two columns.

    The strip beside a claim shows the relative deviation of the measured value from the stated one, with its
    interval, over the accepted region (grey). Claims whose stated value is 0 or a yes have none.
    """
    entries = []  # pairs of a text and of a claim; a heading has none
    for source, entry in sources.items():
        rows = found[found["source"] == source]
        if len(rows):
            entries.append((f"{entry['name']}: {counts(rows)}", None))
            entries += [(title_of(row), row) for row in rows.itertuples()]
    entries = [(_wrapped(printable(text)), row) for text, row in entries]
    ends = np.cumsum([_lines(text) for text, _ in entries])
    half = int(np.searchsorted(ends, ends[-1] / 2.0)) + 1
    longest = max(ends[half - 1], ends[-1] - ends[half - 1])
    figure, axes = figures.grid(1, 4, STEP * longest + 12.0, width_ratios=[4.2, 1.0, 4.2, 1.0])
    for names, strip, part in ((*axes[0, :2], entries[:half]), (*axes[0, 2:], entries[half:])):
        _draw_column(names, strip, part, longest)
    look = {"linestyle": "", "markersize": 4.5}
    handles = [figures.handle(verdict, marker=m, color=c, **look) for verdict, (m, c) in MARKS.items()]
    figures.add_legend(figure, handles, loc="outside upper center")
    return figure


def title_of(row):
    """The title of a claim, with the user's dataset or the verdict that was expected, if it is another."""
    if row.status == REPORTED:
        return f"{row.title} (on {row.dataset})"
    return f"{row.title} (expected: {row.expected_verdict})" if row.status in (CHANGED, OPEN) else row.title


def _wrapped(text):
    """A text in lines of about the same length."""
    lines = -(-len(text) // LETTERS)
    return textwrap.fill(text, min(LETTERS, len(text) // lines + 8))


def _lines(text):
    """Height of an entry in lines of text, with a gap to the next entry."""
    return text.count("\n") + 1.15


def _draw_column(names, strip, entries, longest):
    height = 0.0
    strip.set_xscale("symlog", linthresh=LINEAR, linscale=0.6)
    for text, row in entries:
        at = height + _lines(text) / 2.0
        height += _lines(text)
        place = {"xytext": (-3 if row is None else 7, 0), "textcoords": "offset points", "va": "center"}
        weight = "bold" if row is None else "normal"
        names.annotate(
            figures.without_formulas(text), (0.0, at), **place, fontsize=6.0, linespacing=1.1, weight=weight
        )
        if row is not None:
            marker, colour = MARKS[row.verdict]
            names.plot(0.0, at, marker, color=colour, markersize=4.5, markeredgewidth=0.0, clip_on=False)
            _draw_deviation(strip, at, row, marker, colour)
    strip.axvline(0.0, color=figures.REFERENCE, linewidth=0.7, zorder=0.5)
    ticks = [-1.0, 0.0, 1.0]
    strip.set_xticks(ticks, ["−100", "0", "+100"], fontsize=6.0)
    strip.minorticks_off()
    strip.set_xlim(-REACH, REACH)
    strip.set_xlabel("measured less\nstated (%)", fontsize=6.0, x=1.0, ha="right")
    names.set(xlim=(0.0, 1.0), xticks=[])
    names.spines[:].set_visible(False)
    strip.spines["left"].set_visible(False)
    for ax in (names, strip):
        ax.set(ylim=(longest, 0.0), yticks=[])


def _draw_deviation(ax, height, row, marker, colour):
    stated = abs(row.stated)
    if not (stated > 0.0 and np.isfinite(stated)) or row.accepted_from == row.accepted_to:
        return
    left, right = ((end - row.stated) / stated for end in (row.accepted_from, row.accepted_to))
    left, right = max(left, -REACH), min(right, REACH)
    ax.barh(height, right - left, left=left, height=0.9, color=figures.REGION, linewidth=0, zorder=0.2)
    ends = np.clip([(end - row.stated) / stated for end in (row.low, row.high)], -REACH, REACH)
    ax.plot(ends, [height, height], color=colour, linewidth=1.0, solid_capstyle="butt")
    value = (row.value - row.stated) / stated
    if np.isnan(value):
        return
    off = "<" if value < -REACH else ">" if value > REACH else marker
    ax.plot(np.clip(value, -REACH, REACH), height, off, color=colour, markersize=3.5,
            markeredgewidth=0.0, clip_on=False)  # fmt: skip


if __name__ == "__main__":
    with figures.figure_job(snakemake):
        found, sources = read_found(snakemake.input[0]), json.loads(snakemake.params.sources)
        figures.save(draw(found, sources), snakemake.output)
