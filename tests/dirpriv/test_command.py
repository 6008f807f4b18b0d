"""The command: help, what a level means, and what an analyst is told from a released file."""

import contextlib
import csv
import json
import math
import re
import shlex
import shutil
from fractions import Fraction
from pathlib import Path

import duckdb
import numpy as np
import pytest
from command_runs import (
    EXAMPLES,
    all_over_the_city,
    contents,
    estimate_density_band,
    estimate_histogram,
    estimate_mean,
    folder,
    possible_widths,
    python,
    released_places,
    released_times,
    released_visits,
    run,
    write_released,
)
from sweeps import swept

import dirpriv
from dirpriv import command
from dirpriv._lib import formatting
from dirpriv.command import options
from dirpriv.estimators import betting_intervals, place_densities, shared
from dirpriv.release import CircleRelease, ItemColumn, PlaneRelease, TimeColumn
from dirpriv.release.survey.survey import read_survey

pytestmark = pytest.mark.usefixtures("folder")


def numbers(text):
    return [float(number) for number in re.findall(r"[0-9]+(?:\.[0-9]+)?", text)]


# ---------------------------------------------------------------------- help


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from dirpriv.command import main\n"
        "for words in ['--help'], ['--version'], *([name, '--help'] for name in "
        "('release', 'histogram', 'mean', 'map', 'explain')): assert main(words) == 0\n"
        "print(sorted({'numpy', 'scipy', 'pandas', 'duckdb', 'matplotlib'} & set(sys.modules)))"
    )
    done = python("-c", code)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_command_without_pictures_imports_no_matplotlib():
    released_times("private.csv", np.arange(24).repeat(10), TimeColumn("arrival", 1.0, "3h", 24))
    code = (
        "import sys; from dirpriv.command import main; status = main(['mean', 'private.csv'])\n"
        "print(status, 'matplotlib' in sys.modules)"
    )
    done = python("-c", code)
    assert done.stdout.splitlines()[-1] == "0 False", done.stderr


def test_the_module_is_the_command():
    done = python("-m", "dirpriv", "--version")
    assert (done.returncode, done.stdout) == (0, f"dirpriv {dirpriv.__version__}\n")
    done = python("-m", "dirpriv", "mean", "no.csv")
    assert done.returncode == 2 and done.stdout == "" and len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("name", command.COMMANDS)
def test_help_has_examples_and_units(name):
    ran = run(name, "--help")
    assert ran.status == 0 and ran.err == ""
    assert "examples:\n  dirpriv " in ran.out and "\nunits: " in ran.out
    assert max(map(len, ran.out.splitlines())) <= 88


def test_the_help_of_a_release_is_short_and_that_of_all_options_complete():
    short, everything = (run("release", option).out for option in ("--help", "--help-all"))
    named = [set(re.findall(r"^  (--[a-z-]+)", text, re.M)) for text in (short, everything)]
    assert named[0] < named[1] and {"--time", "--level", "--within", "--trust", "--histogram"} < named[0]
    assert len(named[1]) > 35 and len(short.splitlines()) <= 64
    assert "--zone" not in short and "\nunits: for times" in everything


EXAMPLES_OF_HELP = [
    (name, " ".join(example.replace("\\", " ").partition("   (")[0].split()))
    for name, module in command.COMMANDS.items()
    for example in re.findall(r"^  dirpriv ((?:.*\\\n)*.*)$", command.help_texts(module)[2], re.M)
]


# of each command the other examples take less, and draw a picture, too; so they are no sweep
LONG = [
    "plan busyness --level 1 --within 3h --places-within 200m --width 20% --around 500m --bins 8 "
    "--region-centre 40.75,-73.98 --region-reach 5km --cell-size 10m",
    "plan map --level 1 --within 200m --blur 1km --region-centre 40.75,-73.98 --region-reach 5km --cell-size 10m",
    "plan compare --level 1 --within 3h --difference 30min --power 0.9",
    "map places.csv --plot map.png",
    "map places.csv --reach 10km --blur 2km --plot centre.pdf",
    "map places.csv --csv density.csv",
    "map places.csv --geojson cells.geojson",
    "histogram private.csv --plot private.png",
    "histogram monday.csv tuesday.csv --json day.json",
    "map east.csv west.csv --json map.json",
    'check mechanism.py:randomise --promise "1 within .5rad" --dim 64',
]


GRID = [f"v{i}{j},{40.75 + i * 5e-4},{-73.98 + j * 7e-4}" for i in range(5) for j in range(5)]
VENUES = "\n".join(["item,latitude,longitude", *GRID, ""])


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """What the examples release."""
    with contextlib.chdir(tmp_path_factory.mktemp("tables")):
        for table in ("arrivals.csv", "visits.csv"):
            shutil.copy(EXAMPLES / table, ".")
        Path("days").mkdir()
        Path("venues.csv").write_text(VENUES)
        Path("checkins.csv").write_text("venue\nv11\nv12\nv11\n")
        shutil.copy(EXAMPLES / "arrivals.csv", "days")
        rows = "SELECT i % 50 AS person, TIME '08:00' AS start, TIME '17:00' AS end FROM range(200) t(i)"
        duckdb.sql(f"COPY ({rows}) TO 'log.parquet'")
        Path("stop_times.txt").write_text("trip,arrival_time\na,08:15:00\nb,25:10:00\n")
        Path("rides.csv").write_text("start\n04/03/2024 8:15\n")
        Path("ais.csv").write_text("Heading,lat,lon\n511.0,91,181\n90.0,40.75,-73.98\n")
        Path("birds.csv").write_text("id,Date,Time\n1,2018-07-26,10:21 AM\n")
        Path("track.plt").write_text("a track\n" * 6 + "39.98,116.3,2008-10-24,02:09:59\n")
        return Path.cwd()


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """What the examples estimate from, and reports of devices."""
    with contextlib.chdir(tmp_path_factory.mktemp("reports")):
        Path("venues.csv").write_text(VENUES)
        run("device", "of.html", "--question", "When?", "--level", "1", "--within", "3h")
        of_page = {"survey": read_survey("of.html").to_json()["id"], "time": "08:15"}
        reports = [{"format": "dirpriv.report/1"} | of_page | {"nonce": f"{i:032x}"} for i in range(500)]
        Path("reports").mkdir()
        for path in ("reports.jsonl", "reports/1"):
            Path(path).write_text("\n".join(map(json.dumps, reports)))
        columns = [TimeColumn(column, 1.0, "3h", 24) for column in ("arrival", "departure")]
        hours = [f"{7 + i % 3:02}:00,{16 + i % 3:02}:00" for i in range(300)]
        write_released("both.csv", columns, hours)
        released_places("places.csv", all_over_the_city())
        coast = {"type": "LineString", "coordinates": [[-74.0, 40.7], [-74.0, 40.8]]}
        Path("coast.geojson").write_text(json.dumps(coast))
        for number, name in enumerate(("private.csv", "monday.csv", "tuesday.csv", "north.csv", "south.csv")):
            few = name in ("north.csv", "south.csv")  # of which the intervals are quick
            released_times(name, np.arange(16 + number).repeat(3 if few else 30) % 24, columns[0])
        venues = [(name, float(north), float(east)) for name, north, east in (row.split(",") for row in GRID)]
        items = ItemColumn("venue", 1.0, "200m", *zip(*venues, strict=True))
        write_released("visited.csv", [items], [f"v{i % 5}{i % 3}" for i in range(300)])
        for name, people in zip(("east.csv", "west.csv"), np.split(all_over_the_city(), 2), strict=True):
            released_places(name, people)
        rows = [f"{7 + i % 3:02}:00,{i % 2},{i % 2}" for i in range(300)]
        write_released("kept.csv", [columns[0]], rows, kept=("shift", "department"))
        people = np.repeat([[40.7505, -73.9934], [40.75, -73.98]], 300, axis=0)
        released_visits("visits.csv", np.repeat([9, 20], 300), people)
        released_visits("items.csv", np.repeat([9, 20], 300), np.repeat([3, 21], 300), VENUES)
        noise = "8.0 * np.random.standard_normal(vectors.shape)"
        Path("mechanism.py").write_text(
            f"import numpy as np\n\ndef randomise(vectors):\n    return vectors + {noise}\n"
        )
        return Path.cwd()


def test_long_examples_are_examples_of_options_that_are_there():
    assert {*LONG} < {words for _, words in EXAMPLES_OF_HELP}
    for words in map(shlex.split, LONG):
        parser, commands = command._parser(words)
        command._check_options(words[1:], commands[words[0]])
        assert parser.parse_args(words).command == words[0]


def two_widths(*args, count=None):
    return possible_widths(*args, count=2)


@pytest.mark.parametrize(
    ("name", "example"),
    [
        pytest.param(name, words, id=words, marks=[pytest.mark.sweep] if words in LONG else [])
        for name, words in EXAMPLES_OF_HELP
    ],
)
def test_examples_of_the_help_run(name, example, tables, reports, folder, monkeypatch):
    monkeypatch.setattr(place_densities, "_DISTRICTS", 2)  # 64 take seconds
    monkeypatch.setattr(shared, "possible_widths", two_widths)  # what is estimated is not looked at
    monkeypatch.setattr(betting_intervals, "_RATES", betting_intervals._RATES[len(betting_intervals._RATES) // 2 :][:1])
    shutil.copytree(tables if name in ("prepare", "release", "account") else reports, folder, dirs_exist_ok=True)
    if name == "collect":
        (folder / "of.html").rename("survey.html")
        for path in folder.glob("private.csv*"):
            path.unlink()
    elif name == "account":
        words = "arrivals.csv staff.csv --time arrival --level 1 --within 3h --dataset staff".split()
        assert run("release", *words).status == 0
    before = contents(folder)
    ran = run(*shlex.split(example))
    assert (ran.status, ran.err) == (0, "") and ran.out
    assert contents(folder).items() >= before.items()


def test_every_command_has_examples():
    assert {name for name, _ in EXAMPLES_OF_HELP} == set(command.COMMANDS) and len(EXAMPLES_OF_HELP) >= 15


# ---------------------------------------------------------------------- explain


def share_within(weights, steps):
    """Share of the integers at most so many cells from the first, exactly."""
    return Fraction(sum(weights[i] for i in range(-steps, steps + 1)), sum(weights))


@pytest.mark.parametrize(("level", "radius", "cells"), [(1, "3h", 1440), (4, "1h", 96), (0.5, "3h", 288)])
def test_explain_says_where_a_report_lands(level, radius, cells):
    weights = CircleRelease.within(level, radius, cells=cells).weights
    out = run("explain", "--level", level, "--within", radius, "--cells", cells, "--at", "12:00").out
    found = re.findall(r"([0-9]+) %  from ([0-9:]+) to ([0-9:]+)", out)
    assert [share for share, _, _ in found] == ["50", "68", "95"]
    for share, first, last in found:
        steps = [abs(options.time_of(end, 24.0) - 12.0) / 24.0 * cells for end in (first, last)]
        assert steps[0] == pytest.approx(steps[1]) and steps[0] == pytest.approx(round(steps[0]))
        assert share_within(weights, round(steps[0])) >= Fraction(int(share), 100)
        assert share_within(weights, round(steps[0]) - 1) < Fraction(int(share), 100)
    (hour,) = re.findall(r"([0-9.]+) % of the reports are within an hour", out)
    assert float(hour) == pytest.approx(100.0 * float(share_within(weights, cells // 24)), abs=0.051)


def test_explain_says_what_a_report_can_tell():
    out = run("explain", "--level", 1, "--within", "3h").out
    assert "3 h apart   2.72 times  74:26" in out
    assert "12 h apart  54.6 times  98.3:1.7" in out  # e^4
    out = run("explain", "--level", "1.386294", "--within", "200m", "--cell-size", "10m").out
    assert "200 m apart  4.00 times  80:20" in out
    # far apart there is no such number, but the words say so
    assert "nearly certain" in run("explain", "--level", 50, "--within", "15min").out


def test_explain_says_how_far_a_mean_is_off():
    """Against 10,000 means of 100 reports.

    The mean of their errors has a relative deviation of .76 % (times) and .53 % (places), and the text is
    rounded by up to 3 %. So 10 % is exceeded with a probability below 1e-15. The wrong variant, the error
    across the mean vector without the shortening of this vector by the noise, is a third off.
    """
    out = run("explain", "--level", 1, "--within", "3h").out
    (said,) = re.findall(r"100 people +([0-9]+) min", out)
    release = CircleRelease.within(1.0, "3h")
    cells = release.randomise_cells(np.zeros((10_000, 100), dtype=int))
    found = np.abs(np.angle(np.exp(2j * np.pi * cells / 1440.0).mean(axis=1))).mean() * 720.0 / np.pi
    assert float(said) == pytest.approx(found, rel=0.1)
    assert float(said) * release.noise.mean_cosine() != pytest.approx(found, rel=0.1)
    out = run("explain", "--level", 1, "--within", "200m", "--cell-size", "10m").out
    (said,) = re.findall(r"100 people +([0-9.]+) m", out)
    release = PlaneRelease.within(1.0, "200m", region_centre=(0.0, 0.0), region_reach="30km", cell_size="10m")
    east, north = release.randomise_cells(*np.zeros((2, 1_000_000), dtype=int))
    means = 10.0 * np.hypot(*(axis.reshape(-1, 100).mean(axis=1) for axis in (east, north)))
    assert float(said) == pytest.approx(means.mean(), rel=0.1)


def test_explain_of_places_follows_the_distribution():
    out = run("explain", "--level", 1, "--within", "200m", "--cell-size", "10m", "--region-centre", "-33.9,151.2").out
    distribution = PlaneRelease.within(
        1.0, "200m", region_centre=(0.0, 0.0), region_reach="30km", cell_size="10m"
    ).noise
    assert f"50 %  within {float(distribution.radius_ppf(0.5)):.0f} m" in out
    assert f"The mean distance is {distribution.mean_radius():.0f} m" in out


def test_a_week_has_days():
    out = run("explain", "--level", 1, "--within", "12h", "--period", "7d", "--at", "Sun 23:30").out
    assert "a person whose true time is Sun 23:30:" in out and re.search(r"from S[au][nt] [0-9:]+ to Mon", out)


# ---------------------------------------------------------------------- estimates


def test_a_histogram_is_that_of_the_estimator():
    column, cells = released_times("private.csv")
    ran = run("histogram", "private.csv", "--bins", 12, "--csv", "shares.csv")
    assert ran.status == 0 and ran.err == ""
    angles = (np.arange(1440) + 0.5) * (2.0 * np.pi / 1440)
    counts = np.bincount(cells, minlength=1440)
    found = estimate_histogram(angles, column.release().noise, bins=12, weights=counts, edges="soft")
    with open("shares.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["from"] for row in rows] == [f"{2 * i:02}:00" for i in range(12)]
    assert rows[-1]["to"] == "24:00"
    for name, values in (("share", found.shares), ("low", found.low), ("high", found.high)):
        assert [float(row[name]) for row in rows] == pytest.approx(values.tolist(), rel=1e-4, abs=1e-9)
    printed = re.findall(r"^  [0-9:]+-[0-9:]+ +([0-9.]+) % +([0-9.]+) to +([0-9.]+) %  (.*)$", ran.out, re.M)
    assert len(printed) == 12
    for (share, low, high, bar), row in zip(printed, rows, strict=True):
        for text, name in ((share, "share"), (low, "low"), (high, "high")):
            assert float(text) == pytest.approx(100.0 * float(row[name]), abs=0.051)
        assert re.fullmatch(r"#*-*o-*", bar)
    assert f"private.csv: {len(cells)} reports of 'arrival', level 1 within 3h" in ran.out
    assert "Warning: these" not in ran.out and "Warning: the noise" not in ran.out


def test_a_histogram_of_few_reports_is_doubted():
    """Of a flat day: 20 reports, one at every 20th part of the day, tell nothing."""
    released_times("flat.csv", np.arange(0, 1440, 72))
    ran = run("histogram", "flat.csv")
    assert ran.status == 0 and ran.err == ""
    assert "Warning: these 20 reports do not differ significantly from a uniform day" in ran.out
    assert "unknown, 95 % confidence interval: the whole day" in run("mean", "flat.csv").out
    # no blur is wide enough for them: a picture is refused before anything is written
    assert re.search(r"No curve: .* use\s+about \d+ people or a higher level\.", ran.out, re.S)
    ran = run("histogram", "flat.csv", "--csv", "shares.csv", "--plot", "flat.png")
    assert ran.status == 2 and "--plot has nothing to draw" in ran.err and "people or a higher level" in ran.err
    assert not list(Path().glob("shares.csv")) + list(Path().glob("flat.png"))


@pytest.mark.parametrize(("blurs", "blur"), [(1, None), (3, "2h"), *swept((1, "2h"), (3, None))])
def test_a_histogram_is_seen_through_a_blur(blurs, blur):
    """Both that of the rule and one of the user, with the error divided; hard edges are as before."""
    column, cells = released_times("private.csv")
    angles = (np.arange(1440) + 0.5) * (2.0 * np.pi / 1440)
    of = {"angles": angles, "distribution": column.release().noise, "weights": np.bincount(cells, minlength=1440)}
    words = ["histogram", "private.csv", *([] if blur is None else ["--blur", blur]), "--blurs", blurs]
    (result,) = json.loads(run(*words, "--json", "-").out)["results"]
    found = estimate_density_band(**of, blur=None if blur is None else np.pi / 6.0, blurs=blurs)
    curve = result["band"]["times"]
    assert result["band"]["blur"] == pytest.approx(found.blur / np.pi * 12.0)
    assert [each["time"] for each in curve][:2] == ["00:00", formatting.clock(24.0 / len(curve), 24.0)]
    for name in ("density", "low", "high", "low_everywhere", "high_everywhere"):
        assert [each[name] for each in curve] == pytest.approx(getattr(found, name) * np.pi / 12.0)
    bins, width = math.floor(2.0 * np.pi / found.blur + 1e-9), result["blur"]
    soft = estimate_histogram(**of, bins=bins, edges="soft", confidence=1.0 - 0.05 / blurs)
    assert [each["low"] for each in result["bins"]] == pytest.approx(soft.low.tolist())
    assert width == pytest.approx(24.0 / bins) and result["confidence"] == 0.95
    offsets, weights = np.transpose([list(each.values()) for each in result["weights"]])
    assert abs(offsets).max() == pytest.approx(1.5 * width) and weights.max() == pytest.approx(0.75)
    assert weights[:9] + weights[8:17] + weights[16:] == pytest.approx(np.ones(9))  # a row counts once
    said = " ".join(run(*words).out.split())
    reach = formatting.duration(1.5 * width)
    assert f"seen through a blur of {formatting.duration(width)}: each row counts" in said and reach in said
    assert ("support a blur of" in said) == (blur is None)
    assert ("before the reports were seen" in said) == (blur is not None or blurs > 1)
    assert ("for up to 3 of them" in said) == (blurs > 1)
    (hard,) = json.loads(run("histogram", "private.csv", "--edges", "hard", "--json", "-").out)["results"]
    assert [each["low"] for each in hard["bins"]] == pytest.approx(estimate_histogram(**of).low.tolist())


def test_a_mean_is_that_of_the_estimator():
    cells = np.arange(480, 560).repeat(5)
    column, _ = released_times("private.csv", cells, max_rows_per_person=1)
    ran = run("mean", "private.csv")
    counts, angles = np.bincount(cells, minlength=1440), (np.arange(1440) + 0.5) * (2.0 * np.pi / 1440)
    found, population = (
        estimate_mean(angles, column.release().noise, weights=counts, of=of) for of in ("respondents", "population")
    )
    assert (found.low, found.high) != (population.low, population.high)
    for about, of in (("mean time of the rows", found), ("of a population      ", population)):
        hours = [formatting.clock(angle * 12.0 / math.pi, 24.0) for angle in (of.angle, of.low, of.high)]
        assert f"{about}  {hours[0]}, 95 % confidence interval {hours[1]} to {hours[2]}" in ran.out
    assert f"mean resultant length  {found.resultant:.2f}" in ran.out
    assert f"Rayleigh test          p {formatting.p_value(found.p_value)} (null" in ran.out
    assert hours[0] == "08:40" and "several of them" not in ran.out and "of a population" in ran.out
    released_times("each.csv", cells)
    assert "several of them" in run("mean", "each.csv").out


def test_no_p_value_is_zero():
    """That of 3000 rows at one time is no double. Up to 0.001 they are bounds, rounded upwards."""
    released_times("same.csv", np.full(3000, 510))
    assert "Rayleigh test          p < 1e-300 (null" in run("mean", "same.csv").out
    said = [formatting.p_value(value) for value in (0.0, 1e-301, 1.21e-7, 1e-3, 1.1e-3, 0.456, 1.0)]
    assert said == ["< 1e-300", "< 1e-300", "< 1.3e-07", "< 0.001", "= 0.0011", "= 0.46", "= 1"]


def test_a_week_has_bins_of_its_days():
    column = TimeColumn("visit", level=1.0, radius="12h", cells=2016, period="7d")
    released_times("week.csv", np.arange(0, 1500, 5), column)
    ran = run("histogram", "week.csv", "--intervals", "smooth")
    assert ran.status == 0 and "Warning: these" not in ran.out and "Warning: the noise" not in ran.out
    days = re.findall(r"^  (\w+ 00:00-\w+ 00:00)", ran.out, re.M)
    assert len(days) == 7 and days[0] == "Mon 00:00-Tue 00:00"
    mean = r"mean time of the rows +(Mon|Tue|Wed|Thu) [0-9:]+, 95 % confidence interval"
    assert re.search(mean, run("mean", "week.csv").out)


def test_a_week_is_expected_to_have_narrow_peaks():
    """So bins of 6 hours in noise of 12 are doubted; days are not, see the test above."""
    column = TimeColumn("visit", level=1.0, radius="12h", cells=2016, period="7d")
    released_times("week.csv", np.arange(0, 1500, 5), column)
    assert (
        "Warning: the noise moves most people out"
        in run("histogram", "week.csv", "--bins", 28, "--intervals", "smooth").out
    )


def test_several_columns_are_told_apart():
    columns = [TimeColumn(name, level=1.0, radius="3h", cells=24) for name in ("start", "end")]
    write_released("both.csv", columns, ["08:00,17:00"] * 60)
    assert "choose --column from 'start', 'end'" in run("mean", "both.csv").err
    assert "mean time of the rows  08:30" in run("mean", "both.csv", "--column", "start").out
    assert "mean time of the rows  17:30" in run("mean", "both.csv", "--column", "end").out


def test_the_guarantee_may_be_elsewhere(folder):
    released_times("private.csv")
    (folder / "private.csv.guarantee.json").rename(folder / "said.json")
    assert run("mean", "private.csv").status == 2
    assert run("mean", "private.csv", "--guarantee", "said.json").status == 0


# ---------------------------------------------------------------------- words


@pytest.mark.parametrize(
    ("hours", "text"),
    [(3.0, "3 h"), (2.766, "2 h 46 min"), (1 / 60, "1 min"), (40 / 3600, "40 s"), (35.8, "35 h 48 min")],
)
def test_durations_are_words(hours, text):
    assert formatting.duration(hours) == text


@pytest.mark.parametrize(
    ("hours", "period", "text"),
    [(8.25, 24.0, "08:15"), (-1.0, 24.0, "23:00"), (23.9999, 24.0, "00:00"), (167.5, 168.0, "Sun 23:30")],
)
def test_hours_are_words(hours, period, text):
    assert formatting.clock(hours, period) == text
    assert options.time_of(text, period) == pytest.approx(round(hours * 60) / 60 % period)


@pytest.mark.parametrize(
    ("loss", "text"),
    [
        (0.0, "50:50"),
        (1.0, "74:26"),
        (math.log(4.0), "80:20"),
        (4.0, "98.3:1.7"),
        (7.0, "99.909:0.091"),
        (800.0, "nearly"),
    ],
)
def test_beliefs_are_words(loss, text):
    assert formatting.belief(loss).startswith(text)


@pytest.mark.parametrize(
    ("loss", "text"),
    [
        (0.0, "1.00"),
        (0.316, "1.38"),
        (math.log(4.0), "4.00"),
        (math.log(9.991), "10"),
        (4.001, "54.7"),
        (math.log(999.2), "1,000"),
        (8.0, "2,981"),
        (12.34567, "229,963"),
        (16.01, "e^16.1"),
    ],
)
def test_ratios_are_words_and_never_too_small(loss, text):
    assert formatting.likelier(loss) == f"{text} times"
