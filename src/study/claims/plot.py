"""Rule plot_claims: every claim with its verdict, and the measured value against the stated one."""

import matplotlib.pyplot as plt
import numpy as np
import seaborn

from study.claims.verdicts import CHANGED, NOT_REPRODUCED, OPEN, REFUTED, REPORTED, REPRODUCED, UNDECIDABLE
from study.claims.words import counts, interval, read_found
from study.core import figures

_PALETTE = seaborn.color_palette("colorblind")
MARKS = {
    REPRODUCED: ("o", _PALETTE[0]),
    NOT_REPRODUCED: ("D", _PALETTE[1]),
    REFUTED: ("X", _PALETTE[3]),
    UNDECIDABLE: ("s", "0.6"),
}
"""Marker and colour of each verdict."""
REACH = 1.2  # of the abscissa; values beyond it are drawn at its end
LINEAR = 0.01  # deviations below this share are drawn on a linear scale


def draw(found, sources):
    """One line for each claim, grouped by source.

    The strip in the middle shows the relative deviation of the measured value from the stated one, with its
    interval, over the accepted region (grey). Claims whose stated value is 0 or a yes have none.
    """
    lines, heights, headings = [], [], []
    for source, entry in sources.items():
        rows = found[found["source"] == source]
        if len(rows):
            headings.append((len(lines) + len(headings), f"{entry['name']}: {counts(rows)}"))
            heights += [len(lines) + len(headings) + i for i in range(len(rows))]
            lines += list(rows.itertuples())
    total = len(lines) + len(headings)
    height = 0.19 * total + 1.2
    figure, axes = plt.subplots(
        1, 3, figsize=(11.5, height), sharey=True,
        gridspec_kw={"width_ratios": [4.4, 2.4, 4.7], "wspace": 0.03, "left": 0.015, "right": 0.99,
                     "bottom": 0.5 / height, "top": 1.0 - 0.6 / height},
    )  # fmt: skip
    names, strip, numbers = axes
    beside = {"textcoords": "offset points", "va": "center"}
    strip.set_xscale("symlog", linthresh=LINEAR, linscale=0.6)
    for height, row in zip(heights, lines, strict=True):
        marker, colour = MARKS[row.verdict]
        names.plot(0.0, height, marker, color=colour, markersize=6, markeredgewidth=0.0, clip_on=False)
        title = f"{row.title} (on {row.dataset})" if row.status == REPORTED else row.title
        if row.status in (CHANGED, OPEN):
            title += f" (expected: {row.expected_verdict})"
        names.annotate(title, (0.0, height), xytext=(8, 0), fontsize=8, **beside)
        unit = f" {row.unit}" if row.unit and np.isfinite(row.low) else ""
        some = f", in {row.rows_fulfilling} of {row.rows} rows" if row.rows_fulfilling < row.rows > 1 else ""
        text = f"{interval(row)}{unit}   ({row.accepted}{some})"
        numbers.annotate(text, (0.0, height), va="center", fontsize=7.5, color="0.25")
        _draw_deviation(strip, height, row, marker, colour)
    for height, text in headings:
        names.annotate(text, (0.0, height), xytext=(-4, 0), fontsize=9, fontweight="bold", **beside)
    strip.axvline(0.0, color=figures.REFERENCE, linewidth=0.8, zorder=0.5)
    ticks = [-1.0, -0.1, -LINEAR, 0.0, LINEAR, 0.1, 1.0]
    strip.set(xlim=(-REACH, REACH), xlabel="measured less stated, as a share of stated")
    strip.set_xticks(ticks, [f"{100.0 * tick:+g} %" if tick else "0" for tick in ticks], fontsize=7)
    strip.minorticks_off()
    for ax in (strip, numbers):  # a heading may reach into them
        ax.patch.set_visible(False)
    strip.spines["left"].set_visible(False)
    for ax in (names, numbers):
        ax.set(xlim=(0.0, 1.0), xticks=[])
        ax.spines[:].set_visible(False)
    names.set(ylim=(total - 0.4, -0.8), yticks=[])
    names.tick_params(left=False)
    strip.tick_params(left=False)
    strip.set_title("within what is accepted (grey)?")
    numbers.set_title("measured [interval]   (accepted)", loc="left")
    look = {"linestyle": "", "markersize": 6}
    handles = [figures.handle(verdict, marker=m, color=c, **look) for verdict, (m, c) in MARKS.items()]
    figures.add_legend(figure, handles, "upper left", ncols=len(MARKS))
    return figure


def _draw_deviation(ax, height, row, marker, colour):
    stated = abs(row.stated)
    if not (stated > 0.0 and np.isfinite(stated)) or row.accepted_from == row.accepted_to:
        return
    left, right = ((end - row.stated) / stated for end in (row.accepted_from, row.accepted_to))
    left, right = max(left, -REACH), min(right, REACH)
    ax.barh(height, right - left, left=left, height=0.8, color=figures.REGION, linewidth=0, zorder=0.2)
    ends = np.clip([(end - row.stated) / stated for end in (row.low, row.high)], -REACH, REACH)
    ax.plot(ends, [height, height], color=colour, linewidth=1.2, solid_capstyle="butt")
    value = (row.value - row.stated) / stated
    if np.isnan(value):
        return
    off = "<" if value < -REACH else ">" if value > REACH else marker
    ax.plot(np.clip(value, -REACH, REACH), height, off, color=colour, markersize=4.5,
            markeredgewidth=0.0, clip_on=False)  # fmt: skip


if __name__ == "__main__":
    with figures.figure_job(snakemake):
        figures.save(draw(read_found(snakemake.input[0]), snakemake.params.sources), snakemake.output)
