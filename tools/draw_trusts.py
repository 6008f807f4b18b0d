"""The same table by local, shuffled and central trust: ``python tools/draw_trusts.py docs/trusts.png``.

A day of invented people is released at the pure level 1 of each: with noise on each report; with less noise
on reports that are shuffled, at δ = 1e-6; and as central counts. Reports are drawn as the command draws them: as a
density through the blur that they support, in its band of 95 %. The total variation between the estimated and the
true histogram is printed, with that of OpenDP's own counts where it is installed. Draws of releases have no seed, so
each run has other ones.
"""

import argparse
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import dirpriv

PEOPLE, BINS, LEVEL, DELTA, CELLS = 20_000, 24, 1.0, 1e-6, 96
BLUE, ORANGE = "#0072b2", "#d55e00"  # distinct for the colour-blind (Okabe and Ito)


def invented_day():
    """Cells of a quarter of an hour: a morning and an evening peak over a uniform day."""
    rng = np.random.default_rng(36)
    part = rng.choice(3, p=(0.5, 0.35, 0.15), size=PEOPLE)
    hours = np.where(part == 0, rng.normal(8.0, 1.0, PEOPLE), rng.normal(17.5, 1.5, PEOPLE))
    hours = np.where(part == 2, rng.uniform(0.0, 24.0, PEOPLE), hours)
    return np.floor(hours % 24.0 * CELLS / 24.0).astype(int) % CELLS


def by_reports(cells, level):
    """Shares, and the density in its band, from one report of each person."""
    release = dirpriv.release.CircleRelease.pure(level, cells=CELLS, purpose="histogram")
    counts = np.bincount(release.randomise_cells(cells), minlength=CELLS)
    angles = (np.arange(CELLS) + 0.5) * (2.0 * np.pi / CELLS)
    of = {"angles": angles, "distribution": release.noise, "weights": counts}
    shares = dirpriv.estimators.estimate_histogram(**of, bins=BINS, intervals="smooth").shares
    return shares, dirpriv.estimators.estimate_density_band(**of)


def level_to_shuffle():
    """The largest level of a report, to a hundredth, at which the shuffled ones have the level."""
    low, high = LEVEL, 10.0
    while high - low > 0.01:
        middle = (low + high) / 2.0
        distribution = dirpriv.release.CircleRelease.pure(middle, cells=CELLS, purpose="histogram").noise
        fits = dirpriv.guarantees.shuffled_level(distribution, PEOPLE, DELTA) <= LEVEL
        low, high = (middle, high) if fits else (low, middle)
    return low


def by_central_counts(true):
    """Shares, and the ends of their intervals, from noisy counts."""
    release = dirpriv.release.CentralRelease(LEVEL)
    counts, most = release.randomise(true), release.most_noise(0.05)
    return [np.clip(values / PEOPLE, 0.0, 1.0) for values in (counts, counts - most, counts + most)]


def by_opendp(true):
    """Shares from OpenDP's own counts; None where it is not installed."""
    try:
        import opendp.prelude as dp
    except ImportError:
        return None
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    noise = dp.binary_search_chain(lambda scale: dp.m.make_laplace(*space, scale=scale), d_in=2, d_out=LEVEL)
    return np.array(noise(true.tolist())) / PEOPLE


def blurred(cells, band):
    """The true density per hour at the angles of a band, through its blur: three moving averages."""
    turn, fine = 2.0 * np.pi, 1440
    counts = np.fft.rfft(np.repeat(np.bincount(cells, minlength=CELLS) / (24.0 * PEOPLE / CELLS), fine // CELLS))
    averages = np.sinc(np.arange(counts.size) * band.blur / turn) ** 3
    return np.fft.irfft(counts * averages, fine)[np.rint(band.angles / turn * fine).astype(int) % fine]


def drawn(histograms, true, cells):
    """A panel for each trust model: the estimate and its band, or bars and intervals, over the true shares."""
    edges = np.arange(BINS + 1) * 24.0 / BINS
    middle = (edges[1:] + edges[:-1]) / 2.0
    figure = Figure(figsize=(6.7, 3.0), layout="constrained")
    axes = figure.subplots(1, len(histograms), sharey=True)
    for ax, (name, (shares, *ends)) in zip(axes, histograms.items(), strict=True):
        if len(ends) == 1:
            (band,), scale = ends, 100.0 * 2.0 * np.pi / 24.0
            hours = band.angles * 24.0 / (2.0 * np.pi)
            ax.fill_between(hours, scale * band.low_everywhere, scale * band.high_everywhere, color=BLUE, alpha=0.35)
            ax.plot(hours, scale * band.density, color=BLUE)
            ax.plot(hours, 100.0 * blurred(cells, band), color=ORANGE, linewidth=1.0)
            blur = f"blur of {band.blur * 12.0 / np.pi:.3g} h"
        else:
            (low, high), blur = ends, "no blur"
            ax.stairs(100.0 * shares, edges, fill=True, color=BLUE, alpha=0.35)
            ax.bar(middle, 100.0 * (high - low), 0.5, bottom=100.0 * low, color=BLUE, alpha=0.55, linewidth=0)
            ax.stairs(100.0 * true, edges, color=ORANGE, linewidth=1.0)
        ax.spines[["top", "right"]].set_visible(False)
        ax.set(xlim=(0.0, 24.0), xlabel="hour of the day", xticks=[0, 6, 12, 18, 24])
        off = f"total variation {np.abs(shares - true).sum() / 2.0:.4f}"
        ax.set_title(f"{name}\n{blur}\n{off}", loc="left", fontsize=9)
    axes[0].set_ylabel("people per hour (%)")
    axes[2].annotate("true", (10.5, 100.0 * true[8]), color=ORANGE)
    return figure


def main():
    """Draw, and print how far each histogram is from the true one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("picture", type=Path, help="file .png or .pdf")
    picture = parser.parse_args().picture
    cells, own = invented_day(), level_to_shuffle()
    counts = np.bincount(cells * BINS // CELLS, minlength=BINS)
    histograms = {
        "local": by_reports(cells, LEVEL),
        f"shuffled (reports: {own:.2f})": by_reports(cells, own),
        "central": by_central_counts(counts),
    }
    true = counts / PEOPLE
    shares = {name: values[0] for name, values in histograms.items()}
    if (theirs := by_opendp(counts)) is not None:
        shares["OpenDP"] = theirs
    for name, values in shares.items():
        off = np.abs(values - true).sum() / 2.0
        print(f"{name}: {PEOPLE} people, pure level {LEVEL:g}, total variation {off:.5f}")
    kind = picture.suffix.removeprefix(".")
    picture.write_bytes(dirpriv.pictures.figure_bytes(drawn(histograms, true, cells), kind))


if __name__ == "__main__":
    main()
