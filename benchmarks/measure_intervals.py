"""Measure how often the intervals that hold for any people miss, how wide they are, and how wide they must be.

python benchmarks/measure_intervals.py coverage [--runs 1500] [--bands 200] [--variant seen] [--kept runs.jsonl]
python benchmarks/measure_intervals.py maps [--runs 120] [--variant best_rate] [--kept runs.jsonl]
python benchmarks/measure_intervals.py soft_maps [--runs 120]
python benchmarks/measure_intervals.py worst [--draws 40000] [--splits 400] [--variant clipped]
python benchmarks/measure_intervals.py widths
python benchmarks/measure_intervals.py errors [--levels 1 3] [--counts 3000 30000]

``coverage``: each run draws by lot one of 24 days (12 of known form, and 12 mixtures of clock times, uniform hours
and peaks that are drawn by lot themselves), a number of people, a level within 3 h, hard or soft bins and their
number. The people of the run are drawn, then one report for each by the distribution of a release. The first runs
have a density band too; where no blur is enough, its blur is a third of the day. ``maps``: the same for 8 x 8
districts of a square of 10 km, by planar Laplace noise at a level within 200 m. ``soft_maps``: the same for as many
soft districts, in less than two minutes. A row for each kind, level and number
of people has the numbers of intervals and of those that miss the true value above and below, and for each kind there
is a row of all levels. X is the part of the intervals of one run that miss, so that its mean is at most 5 %, however
the intervals of a run depend on each other. By Hoeffding's inequality the mean of n runs is m or more with a
probability of at most exp(-n KL(m, 5 %)). A row is refused where this is below 1e-4 divided by the number of rows,
that is from ``refused_from`` on. Of a band that holds at all times together, X is 1 where it misses at one minute.

``worst``: how often upper ends of the error 2.5 % are too low for the people for whom they are the hardest, of 27
settings for hard and as many for soft bins: those who have the largest share among all who cannot be told from a day
(``lower_bounds.py``). First with bets for the known distribution of the reports of this day, all in one block
(``draws``), then with the bets as they are, which learn it (``splits``, 0 for none). The last row has all settings
together. A row is refused where a binomial test refuses 2.5 % at the level 1e-4 divided by the number of tests.

``widths``: mean widths of the intervals over 11 days, and the lower bound and its dual; last the example of the
README, of each bin and of all together.

``errors``: the standard error that the estimate of a blurred density states, over the one that it has, of 12 days.

``--variant`` has wrong variants, to see that they are refused, or their effect: ``seen``, bets on a block that are
chosen by this block too; ``best_rate``, the λ that gives the best end; ``fixed``, one order of the reports for all
tables of counts; ``clipped``, no factor of a tail above 1; ``blur``, of five blurs the one that shows most. Of
``widths``, ``known`` has bets for the known distribution of the reports: what they would be if there were nothing to
learn, as ``best_rate`` is what no choice of λ can surpass.

With ``--kept``, each run is a line of this file as soon as it is done, and a later call goes on from there. No run
begins after ``--minutes``. The tables go to the standard output as CSV: ``coverage.csv``, ``worst.csv`` and
``widths.csv`` beside this script. The exit status is 1 if a row is refused. All draws follow from ``--seed``. ``worst``
and ``widths`` need clarabel. On one core ``coverage`` and ``maps`` take about 25 minutes each, ``worst`` 8 and
``widths`` 12.
"""

import argparse
import collections
import functools
import itertools
import json
import sys
import time
import types
import warnings
from pathlib import Path

import numpy as np
from scipy import optimize, stats

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from measure_reports import HOURS, REACH, peak, places, sharp_days

from dirpriv import estimators, geometry
from dirpriv.distributions import PlanarLaplace
from dirpriv.estimators import betting_intervals, circle_density, circle_noise_bounds, place_intervals
from dirpriv.release import CircleRelease

EXAMPLE = Path(__file__).resolve().parents[1] / "examples/arrivals.csv"
MINUTES, DISTRICTS = 1440, 8
ANGLES = geometry.hours_to_angles(HOURS)
COUNTS = 300, 3000, 30_000
LEVELS = 0.1, 0.3, 1.0, 3.0, 10.0
BLURS = 2.0, 2.5, 3.0, 3.5, 4.0
ERROR, FAMILY_ERROR = 0.05, 1e-4
VARIANTS = "none", "seen", "best_rate", "fixed", "clipped", "blur", "known"


def lot_days(seed=1):
    """Densities per minute of 12 days that are drawn by lot."""
    rng, days = np.random.default_rng([seed, 77]), {}
    for number in range(12):
        shares, clock = rng.dirichlet(np.ones(3)), np.zeros(MINUTES)
        np.add.at(clock, rng.integers(0, MINUTES, rng.integers(1, 5)), 1.0)
        begin, end = np.sort(rng.integers(0, 25, 2))
        hours = (HOURS >= begin) & (HOURS <= end + 1)
        bump = peak(rng.uniform(0.0, 24.0), rng.uniform(0.1, 2.0))
        days[f"lot {number + 1}"] = sum(
            share * part / part.sum() for share, part in zip(shares, (clock, hours, bump), strict=True)
        )
    return days


def known_days():
    """Densities per minute of 12 days of known form."""
    minute, uniform = np.arange(MINUTES), np.full(MINUTES, 1.0 / MINUTES)
    days = {
        "spike": 0.7 * uniform + 0.3 * (minute == 510),
        "two bumps": 0.13 + 1.5 * peak(9.0, 1.5) + 3.0 * peak(19.0, 2.0),
        "uniform": uniform,
        "one time": (minute == 479) * 1.0,
        "both sides of 8:00": np.isin(minute, [479, 480]) * 1.0,
        "gap": 1.0 * ((HOURS < 9.0) | (HOURS > 12.0)),
    }
    return sharp_days() | {name: day / day.sum() for name, day in days.items()}


def spline(away, width):
    """The quadratic B-spline at distances in hours: what a person counts in a soft bin, or at a time of a band."""
    away = np.abs((np.asarray(away) + 12.0) % 24.0 - 12.0) / width
    return np.where(away < 0.5, 0.75 - away**2, np.maximum(1.5 - away, 0.0) ** 2 / 2.0)


def bin_weights(edges, bins):
    """Weight of the middle of each minute (columns) in each bin."""
    begin = np.arange(bins)[:, None] * (24.0 / bins)
    if edges == "soft":
        return spline(HOURS - begin - 12.0 / bins, 24.0 / bins)
    return ((HOURS >= begin) & (HOURS < begin + 24.0 / bins)) * 1.0


def moves_of(noise, size, rng):
    """Moves by whole minutes."""
    return rng.choice(MINUTES, p=noise.probabilities / noise.probabilities.sum(), size=size)


def report_counts(people, noise, rng):
    """Numbers of reports at each minute, of numbers of people at each."""
    reports = np.repeat(np.arange(MINUTES), people) + moves_of(noise, people.sum(), rng)
    return np.bincount(reports % MINUTES, minlength=MINUTES)


def expected_reports(day, arcs):
    """Probability of a report at each minute, of people of a day who move by these arcs."""
    return np.fft.irfft(np.fft.rfft(day) * np.fft.rfft(arcs), MINUTES)


def misses(true, low, high):
    """How many intervals there are, and how many true values are above and below them."""
    return [np.size(low), int(np.sum(true > high + 1e-9)), int(np.sum(true < low - 1e-9))]


def one_day(days, level, count, variant, with_band, rng):
    """A run: the kind of its intervals, and their misses, by kind."""
    noise, day = CircleRelease.within(level, "3h").noise, days[rng.choice(list(days))]
    edges, bins = rng.choice(["hard", "soft"]), int(rng.choice([8, 24]))
    people = rng.multinomial(count, day)
    counts = report_counts(people, noise, rng)
    table = estimators.estimate_histogram(ANGLES, noise, bins=bins, weights=counts, edges=edges)
    kinds = {f"{edges} bins": misses(bin_weights(edges, bins) @ people / count, table.low, table.high)}
    if not with_band:
        return kinds

    def band_through(blur):
        return estimators.estimate_density_band(ANGLES, noise, weights=counts, blur=blur)

    if variant == "blur":
        blurs = map(band_through, geometry.hours_to_angles(np.array(BLURS)))
        band = max(blurs, key=lambda band: np.max(band.low) - np.min(band.high))
    else:
        try:
            band = band_through(None)
        except ValueError:  # no blur is enough
            band = band_through(geometry.TURN / 3.0)
    hours = band.blur / geometry.TURN * 24.0

    def seen_at(angles):
        return spline(HOURS[:, None] - angles / geometry.TURN * 24.0, hours).T @ people / count / band.blur

    kinds["times of a band"] = misses(seen_at(band.angles), band.low, band.high)
    everywhere = band.low_everywhere, band.high_everywhere
    ends = [np.interp(ANGLES, band.angles, of, period=geometry.TURN) for of in everywhere]
    _, *ends = misses(seen_at(ANGLES), *ends)
    kinds["bands"] = [1, int(ends[0] > 0), int(ends[0] == 0 < ends[1])]
    return kinds


def one_map(known, level, count, *_, rng):
    """A run of districts, as of a day."""
    draw, distribution = known[rng.choice(list(known))], PlanarLaplace(level / 200.0)
    positions = draw(count, rng)
    table = estimators.estimate_place_density(
        distribution.rvs(positions, rng=rng), distribution, reach=REACH, cells=DISTRICTS
    )
    true = np.histogram2d(*positions.T, bins=[np.linspace(-REACH, REACH, DISTRICTS + 1)] * 2)[0]
    return {"districts": misses(true / count, table.low, table.high)}


@functools.cache
def bets_of(level, count):
    """Bets on soft districts of a map."""
    return place_intervals.DistrictBets(
        PlanarLaplace(level / 200.0), 2.0 * REACH / DISTRICTS, count / (2.0 * REACH) ** 2, ERROR
    )


def one_soft_map(known, level, count, *_, rng):
    """A run of soft districts."""
    side = 2.0 * REACH / DISTRICTS
    middles = (np.arange(DISTRICTS) + 0.5) * side - REACH
    positions = known[rng.choice(list(known))](count, rng)
    reports = PlanarLaplace(level / 200.0).rvs(positions, rng=rng)
    ((low, high),) = bets_of(level, count).ends(reports, np.ones(count), middles, [ERROR])
    east, north = (place_intervals.spline((of[:, None] - middles) / side) for of in positions.T)
    return {"soft districts": misses(east.T @ north / count, low, high)}


class Undivided(np.ndarray):
    """Shares of an error that are not divided by their sum."""

    def sum(self, *_):
        return 1.0


def use(variant, monkeypatch=setattr):
    """Put a wrong variant in place of what is right."""
    if variant == "seen":
        grown, expected, upto = betting_intervals._grown, betting_intervals._expected, []

        def kept(window, counts, *given):
            upto[:] = np.cumsum(counts, axis=0)
            return grown(window, counts, *given)

        def seen(window, earlier):
            return expected(window, next(total for total in upto if total.sum() > earlier.sum()))

        monkeypatch(betting_intervals, "_grown", kept)
        monkeypatch(betting_intervals, "_expected", seen)
    elif variant == "best_rate":
        rates = betting_intervals._rates
        monkeypatch(betting_intervals, "_rates", lambda *given: rates(*given)[0] * np.geomspace(1 / 16, 16.0, 17))
        monkeypatch(betting_intervals, "_SHARES", np.ones(17).view(Undivided))
    elif variant == "fixed":
        digest = types.SimpleNamespace(update=lambda data: None, digest=lambda: b"")
        monkeypatch(betting_intervals, "hashlib", types.SimpleNamespace(sha256=lambda: digest))
    elif variant == "clipped":
        factors = betting_intervals.tail_factors
        monkeypatch(betting_intervals, "tail_factors", lambda *given: np.minimum(factors(*given), 1.0))


def know(day, arcs):
    """Put the known distribution of the reports of a day in place of what earlier reports say about it.

    It has the same part of uniform people: the best bet on a report that never comes is not unique.
    """
    reports = expected_reports(day, arcs)

    def known(window, earlier):
        chances = np.maximum(window.counted(ANGLES, reports), 0.0)
        return (1.0 - betting_intervals._EVEN) * chances + betting_intervals._EVEN * window.even

    betting_intervals._expected = known


def runs_of(arguments):
    """Lines of the runs that are done, of this call and of those before it."""
    options = {name: value for name, value in vars(arguments).items() if name not in ("runs", "minutes", "kept")}
    lines = arguments.kept.read_text().splitlines() if arguments.kept and arguments.kept.exists() else []
    runs = [line for line in map(json.loads, lines) if line.pop("options") == json.loads(json.dumps(options))]
    start, done = time.monotonic(), {line["run"] for line in runs}
    once, known = one_day, known_days() | lot_days(arguments.seed)
    if arguments.what in ("maps", "soft_maps"):
        once, known = one_map if arguments.what == "maps" else one_soft_map, places()
    for run in sorted(set(range(arguments.runs)) - done):
        if time.monotonic() - start > 60.0 * arguments.minutes:
            break
        rng = np.random.default_rng([arguments.seed, run])
        level, count = float(rng.choice(arguments.levels)), int(rng.choice(arguments.counts))
        kinds = once(known, level, count, arguments.variant, run < arguments.bands, rng=rng)
        runs.append({"run": run, "level": level, "count": count, "kinds": kinds})
        if arguments.kept:
            with arguments.kept.open("a") as kept:
                kept.write(json.dumps({**runs[-1], "options": options}) + "\n")
    return runs


def refused_from(runs, tests):
    """The least mean part of the intervals of some runs that is refused; above 1 where none is."""
    room = np.log(tests / FAMILY_ERROR) / runs

    def excess(mean):
        return stats.entropy([mean, 1.0 - mean], [ERROR, 1.0 - ERROR]) - room

    return optimize.brentq(excess, ERROR, 1.0) if excess(1.0) > 0.0 else np.inf


def coverage(arguments):
    """The table of days or maps; whether no row is refused."""
    rows = collections.defaultdict(list)
    for run in runs_of(arguments):
        for kind, numbers in run["kinds"].items():
            rows[kind, run["level"], run["count"]].append(numbers)
            rows[kind, np.inf, 0].append(numbers)
    print("kind,level,people,runs,intervals,missed_above,missed_below,mean_part,refused_from", flush=True)
    good = True
    for (kind, level, count), numbers in sorted(rows.items()):
        size, above, below = np.transpose(numbers)
        part, least = np.mean((above + below) / size), refused_from(len(size), len(rows))
        good &= bool(part < least)
        of = [kind, *((level, count) if count else ("all", "all")), len(size), size.sum(), above.sum(), below.sum()]
        print(*of, f"{part:.4f}", f"{least:.4f}", sep=",")
    return good


def hardest_settings(variant):
    """Edges, level, name of a day, the day, and the middle of a window in hours."""
    days = known_days()
    for edges in ("soft",) if variant == "blur" else ("hard", "soft"):
        for level in (0.3, 1.0, 10.0):
            for name, middle in (("two bumps", 7.5), ("clock times", 10.5), ("uniform", 7.5)):
                yield edges, level, name, days[name], middle


def circle_window(around, edges, middle, hours):
    """A window of some hours, the minute at which it begins, and its weight at each minute."""
    soft, begin = edges == "soft", round(60.0 * (middle - hours / 2.0))
    length = hours / 24.0 * geometry.TURN
    shape = circle_noise_bounds.Arc(length, length * soft)
    window = circle_noise_bounds.CircleWindow(around, shape, 0.0, np.array([begin]))
    weights = spline(HOURS - middle, hours) if soft else (np.abs(HOURS - middle) < hours / 2.0) * 1.0
    return window, begin, weights


def known_bets(window, begin, reports, count, every_rate):
    """λ, logarithms of bets on a report at each minute, and the expected end, for the known distribution of reports.

    They are those of the λ that is the best before the reports, or of every λ.
    """
    classes = np.roll(window.classes, begin)
    expected = np.bincount(classes, reports)
    rates = np.minimum(2.5 / np.sqrt(count) * 2.0 ** np.arange(-1.0, 4.0, 0.5), 8.0)
    bets = betting_intervals.fair_bets(window, window.highest, rates, expected[None], 0.05 / count, count)
    ends = -(np.log(ERROR / 2.0) + count * np.log(bets) @ expected) / (rates * count)
    chosen = np.arange(len(rates)) if every_rate else [np.argmin(ends)]
    return rates[chosen], np.log(bets[chosen])[:, classes], np.min(ends)


def known_ends(draw, bets, draws, count):
    """Upper ends of some draws, and the window of each: the one whose end is the lowest for what was expected of it."""
    window = np.repeat(np.arange(len(bets)), [len(rates) for rates, *_ in bets])
    rates, logs, expected = zip(*bets, strict=True)
    rates, logs, expected = np.concatenate(rates), np.concatenate(logs), np.array(expected)
    while draws:
        size = min(max(1, 10**6 // count), draws)
        reports = draw(size)
        ends = np.stack([-(np.log(ERROR / 2.0) + pays[reports].sum(axis=1)) for pays in logs], axis=1) / (rates * count)
        best = np.argmin(ends / expected[window], axis=1)
        yield from zip(ends[np.arange(size), best], window[best], strict=True)
        draws -= size


def split_ends(draw, around, window, splits, count):
    """Upper ends as the library has them."""
    releases = [(around, ANGLES[reports], np.ones(count)) for reports in draw(splits)]
    blocks = [betting_intervals.divided([release])[0].around(window) for release in releases]
    return betting_intervals.upper_ends([(window, np.concatenate(blocks, axis=1))], [window.highest], [ERROR / 2.0])


def worst(arguments):
    """The table of the hardest people; whether no row is refused."""
    import lower_bounds

    variant, tests = arguments.variant, []
    print("edges,level,day,people,share,bound,mean_end,draws,missed,splits,missed_of_splits", flush=True)
    for edges, level, name, day, middle in hardest_settings(variant):
        noise = CircleRelease.within(level, "3h").noise
        arcs, around = noise.probabilities / noise.probabilities.sum(), circle_noise_bounds.circle_noise(noise)
        metric = lower_bounds.DayMetric(arcs, day)
        reports = expected_reports(day, arcs)
        windows = [circle_window(around, edges, middle, hours) for hours in (BLURS if variant == "blur" else (3.0,))]
        for count in (100, 300, 3000):
            rng = np.random.default_rng([arguments.seed, count])
            bound, _, hardest = metric.largest(windows[len(windows) // 2][2], count)
            people = np.diff(np.rint(np.cumsum(hardest) * count), prepend=0.0).astype(int)
            minutes = np.repeat(np.arange(MINUTES), people)

            def draw(size, noise=noise, minutes=minutes, rng=rng):
                return (minutes + moves_of(noise, (size, len(minutes)), rng)) % MINUTES

            shares = [people @ weights / count for *_, weights in windows]
            bets = [known_bets(*of, reports, count, variant == "best_rate") for *of, _ in windows]
            ends, of = np.transpose(list(known_ends(draw, bets, arguments.draws, count)))
            missed, splits, of_splits = np.sum(ends < np.take(shares, of.astype(int)) - 1e-9), arguments.splits, 0
            if splits:
                of_splits = np.sum(split_ends(draw, around, windows[0][0], splits, count) < shares[0] - 1e-9)
            tests.append([len(ends), missed, splits, of_splits])
            print(
                f"{edges},{level},{name},{count},{shares[0]:.4f},{bound:.4f},{np.minimum(ends, 1.0).mean():.4f},"
                f"{len(ends)},{missed},{splits},{of_splits}",
                flush=True,
            )
    tests.append(np.sum(tests, axis=0))
    print("all,all,all,all,,,", *tests[-1], sep=",")
    least = stats.binom.isf(FAMILY_ERROR / (2 * len(tests)), np.array(tests)[:, ::2], ERROR / 2.0)
    return not np.any(np.array(tests)[:, 1::2] > least)


def widths(arguments):
    """The table of widths beside their lower bounds."""
    import lower_bounds

    names = "clock times", "spike", "office hours", "two bumps", "uniform"
    days = [known_days()[name] for name in names] + list(lot_days().values())[:6]
    kinds = ("soft", 8, 1), ("hard", 8, 1), ("hard", 24, 3)  # and at each how manieth bin the bound is found
    print("edges,bins,level,people,width,bound,dual_bound,largest_gap,ratio")
    for level in arguments.levels:
        noise = CircleRelease.within(level, "3h").noise
        arcs = noise.probabilities / noise.probabilities.sum()
        metrics = [lower_bounds.DayMetric(arcs, day) for day in days]
        for count in arguments.counts:
            rng = np.random.default_rng([arguments.seed, count])
            counts = [report_counts(rng.multinomial(count, day), noise, rng) for day in days]
            for edges, bins, step in kinds:
                tables = []
                for day, of in zip(days, counts, strict=True):
                    if arguments.variant == "known":
                        know(day, arcs)
                    tables.append(estimators.estimate_histogram(ANGLES, noise, bins=bins, weights=of, edges=edges))
                width = np.mean([table.high - table.low for table in tables])
                windows = bin_weights(edges, bins)[::step]
                bounds = np.array([metric.width(window, count) for metric in metrics for window in windows])
                bound, dual = bounds.mean(axis=0)
                gap = np.max(np.abs(bounds[:, 1] / bounds[:, 0] - 1.0))
                print(
                    f"{edges},{bins},{level},{count},{width:.4f},{bound:.4f},{dual:.4f},{gap:.1e},{width / bound:.2f}",
                    flush=True,
                )
    if arguments.variant == "known":  # the example has people, and no distribution
        return True
    lines = EXAMPLE.read_text().split()[2::2]
    minutes = [60 * int(line[:2]) + int(line[3:5]) for line in lines]
    people, noise = np.bincount(minutes, minlength=MINUTES), CircleRelease.within(1.0, "3h").noise
    counts = report_counts(people, noise, np.random.default_rng(arguments.seed))
    for simultaneous in (False, True):
        table = estimators.estimate_histogram(
            ANGLES, noise, bins=8, weights=counts, edges="soft", simultaneous=simultaneous
        )
        kind = "soft together" if simultaneous else "soft"
        print(f"{kind},8,1.0,{people.sum()},{np.mean(table.high - table.low):.4f},,,,")
    return True


def errors(arguments):
    """The table of stated errors over measured ones, each the root of a mean square over 24 hours and two draws."""
    print("level,people,blur,day,ratio")
    for level, count in itertools.product(arguments.levels, arguments.counts):
        noise, rng = CircleRelease.within(level, "3h").noise, np.random.default_rng([arguments.seed, count])
        even = report_counts(np.full(MINUTES, count // MINUTES + 1), noise, rng)
        blur = estimators.estimate_density_band(ANGLES, noise, weights=even).blur
        starts = np.mod(np.arange(24) * geometry.TURN / 24.0 - blur / 2.0, geometry.TURN)
        for name, day in known_days().items():
            squares = np.zeros(2)
            for _ in range(2):
                people = rng.multinomial(count, day)
                releases = [(ANGLES, report_counts(people, noise, rng).astype(float), noise)]
                arc = circle_noise_bounds.Arc(blur, blur)
                shares = circle_density.fitted(releases, starts, arc, None, None).estimate
                true = spline(HOURS - np.arange(24)[:, None], blur / geometry.TURN * 24.0) @ people / count
                squares += np.mean(shares.errors**2), np.mean((shares.shares - true) ** 2)
            print(
                f"{level},{count},{blur / geometry.TURN * 24.0:.1f},{name},{np.sqrt(squares[0] / squares[1]):.2f}",
                flush=True,
            )
    return True


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=("coverage", "maps", "soft_maps", "worst", "widths", "errors"))
    parser.add_argument("--runs", type=int, help="1500 of days, 120 of maps")
    parser.add_argument("--bands", type=int, default=200, help="runs that have a density band too")
    parser.add_argument("--draws", type=int, default=40_000)
    parser.add_argument("--splits", type=int, default=400)
    parser.add_argument("--minutes", type=float, default=np.inf, help="no run begins later")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--levels", type=float, nargs="+", default=LEVELS)
    parser.add_argument("--counts", type=int, nargs="+", default=COUNTS)
    parser.add_argument("--variant", choices=VARIANTS, default="none")
    parser.add_argument("--kept", type=Path, help="file of the runs that are done")
    arguments = parser.parse_args()
    arguments.runs = arguments.runs or (120 if "maps" in arguments.what else 1500)
    warnings.simplefilter("ignore")  # of days that look uniform
    use(arguments.variant)
    tables = {
        "coverage": coverage,
        "maps": coverage,
        "soft_maps": coverage,
        "worst": worst,
        "widths": widths,
        "errors": errors,
    }
    sys.exit(0 if tables[arguments.what](arguments) else 1)


if __name__ == "__main__":
    main()
