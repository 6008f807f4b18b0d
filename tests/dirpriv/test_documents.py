"""What the documents say in numbers and in code is true."""

import math
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
import scipy

from dirpriv.command import histogram, main
from dirpriv.distributions import VonMisesFisher
from dirpriv.estimators import estimate_histogram, sample_size_for_error
from dirpriv.mechanisms import PurkayasthaMechanism, VonMisesFisherMechanism, WrappedLaplaceMechanism
from dirpriv.release import CircleRelease, FiniteRelease

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
ROW = re.compile(r"\| (?:ln 4 = )?([\d.]+) \| ([\d.]+):[\d.]+ \| (?:(\d+) h )?(\d+) min \|")


def rows():
    return ROW.findall((DOCS / "before_you_release.md").read_text(encoding="utf-8"))


def wrong(level, sure, hours, minutes):
    """What of a row of the table of levels is not true of a release within 3 hours."""
    level = math.log(4.0) if level == "1.386" else float(level)
    release = CircleRelease.within(level, "3h")
    believed = 100.0 / (1.0 + math.exp(-level))
    half = release.noise.angle_ppf(0.5) * 720.0 / math.pi
    off = abs(60 * int(hours or 0) + int(minutes) - half) > 1.0  # cells are a minute wide
    above = float(sure) - believed  # never below, as it is a bound
    unit = 10.0 ** -len(sure.partition(".")[2])
    return [name for name, bad in {"sure": not -1e-9 < above < unit, "half": off}.items() if bad]


@pytest.mark.parametrize("row", rows())
def test_the_table_of_levels_is_true(row):
    assert wrong(*row) == []


def test_a_wrong_table_of_levels_is_seen():
    assert len(rows()) == 4
    assert wrong("1", "74", "2", "10") == ["half"]
    assert wrong("1", "73", "2", "01") == ["sure"]


def blocks(language):
    """The blocks of code of the README in a language."""
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S)


def commands():
    """The commands ``dirpriv`` of the README, one line each, without comments."""
    lines = "".join(blocks("sh")).replace("\\\n", " ").splitlines()
    return [shlex.split(line, comments=True) for line in lines if line.startswith("dirpriv ")]


def test_the_commands_of_the_readme_run_one_after_the_other(tmp_path, monkeypatch, capsys):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    assert [line[1] for line in commands()] == "release release histogram".split()
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(commands()) == len(re.findall(r"^(?:\$ )?dirpriv ", text, re.M))
    for _, *arguments in commands():
        assert main(arguments) == 0, capsys.readouterr().err
    assert {"private.csv", "private.csv.guarantee.json", "private.png", "hours.csv", "hours.png"} <= {
        p.name for p in tmp_path.iterdir()
    }
    assert main([commands()[-1][1], "no.csv"]) == 2


def test_the_python_of_the_readme_runs():
    [code] = blocks("python")
    names = {}
    exec(compile(code, "README.md", "exec"), names)
    assert len(names["noisy"]) == 3 and len(names["latitude"]) == 2


COUNTED = (
    (PurkayasthaMechanism, "tight"),
    (VonMisesFisherMechanism, "published"),
    (WrappedLaplaceMechanism, "published"),
    (VonMisesFisherMechanism, "tight"),
    (WrappedLaplaceMechanism, "tight"),
)
PEOPLE = re.compile(
    r"error of 23 minutes \(0\.1 rad\).*?about\s+(\d+) people.*?Fisher needs (\d+) .*?"
    r"Laplace (\d+)\..*?they need (\d+) and (\d+)\.",
    re.S,
)


def wrong_counts(counts):
    """Which counts of people differ by more than 0.5 % from those by the distribution of the error of so many."""
    wanted = []
    for mechanism, calibration in COUNTED:
        distribution = mechanism.pure(1.0, calibration=calibration).noise
        wanted.append(sample_size_for_error(distribution, 0.1))
    return [n for n, other in zip(counts, wanted, strict=True) if abs(n / other - 1.0) > 0.005]


def test_the_people_that_the_readme_counts_are_needed():
    counts = [int(n) for n in PEOPLE.search((ROOT / "README.md").read_text(encoding="utf-8")).groups()]
    assert wrong_counts(counts) == []
    assert wrong_counts([795, 1290, 3710, 533, 635]) == [795, 533]
    distributions = [mechanism.pure(1.0).noise for mechanism in (WrappedLaplaceMechanism, PurkayasthaMechanism)]
    wrapped_laplace, purkayastha = (sample_size_for_error(distribution, 0.1) for distribution in distributions)
    assert wrapped_laplace < purkayastha  # both tight
    assert round(0.1 * 720.0 / math.pi) == 23


PLANS = {  # rows of the table of trust models in docs/five_minutes.md
    "a mean time": "mean --level 1 --within 3h --error 20min --resultant 0.7",
    "the hours of the day": "histogram --level 1 --within 3h --blur 3h",
    "a map of 10 km": "map --level 1 --within 200m --blur 1km --region-centre 40.75,-73.98 --region-reach 5km "
    "--cell-size 10m",
}


def planned(task, trust, capsys):
    """People that a release needs, as the planner prints them."""
    assert main(["plan", *shlex.split(PLANS[task]), "--trust", trust]) == 0
    return re.match(r"([\d,]+) people are needed ", capsys.readouterr().out)[1]


@pytest.mark.parametrize("task", PLANS)
def test_the_people_that_trust_saves_are_the_planner_s(task, capsys):
    text = (DOCS / "five_minutes.md").read_text(encoding="utf-8")
    said = re.search(rf"^\| {task} .*\| ([\d,]+) \| ([\d,]+) \|$", text, re.M).groups()
    assert said == tuple(planned(task, trust, capsys) for trust in ("central", "local"))
    if task == "the hours of the day":
        pages = [(ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/index.md")]
        pages += [(DOCS / f"{name}.md").read_text(encoding="utf-8") for name in ("choose_a_mechanism", "questions")]
        assert all(number in page for page in pages for number in said)
        assert main(["--help"]) == 0
        helped = capsys.readouterr().out
        assert all(number.replace(",", "") in helped for number in said)


COVERED = re.compile(r"^ *(?:\| )?(\w[^|=]*?) *(?:\| )?(\d+) % *(?:\| )?(\d+) % *(?:\| )?(\d+) %", re.M)


def test_pages_tell_how_often_smooth_intervals_hold_as_the_docstring_does():
    """On the page of the results, what is true of the days that are not smooth, at levels up to 1."""
    table = {day: list(map(int, shares)) for day, *shares in COVERED.findall(estimate_histogram.__doc__)}
    assert len(table) == 5  # all but the smooth one
    page = (DOCS / "before_you_release.md").read_text(encoding="utf-8")
    shown = {day: list(map(int, shares)) for day, *shares in COVERED.findall(page)}
    short = {day.partition(" with")[0].partition(",")[0]: shares for day, shares in table.items()}
    assert shown["three clock times"] == short["three clock times"] and len(shown) > 1
    assert shown["two peaks of 6 minutes"] == short["two peaks"]
    rough = [short[day] for day in ("three clock times", "two peaks", "timetable", "two of 9 minutes")]
    low, high = min(min(r[:2]) for r in rough), max(max(r[:2]) for r in rough)
    results = " ".join((DOCS / "results.md").read_text(encoding="utf-8").split())
    assert f"these intervals cover {low} to {high} % of the bins at levels up to 1" in results
    for words, day in (("a timetable", "timetable"), ("three clock times", "three clock times")):
        low, high = min(short[day]), max(short[day])
        assert re.search(rf"{words} +{low} to {high} %", histogram.__doc__)


def test_the_readme_and_make_tell_the_same_times_and_sizes():
    readme, make = ((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "Makefile"))
    for amount in ("5 to 12", "10 to 12", "1.1 GB", "0.7 GB"):
        assert amount in readme and amount in make


@pytest.mark.skipif(
    not scipy.__version__.startswith("1.17."),
    reason="the limit on the page is that of SciPy 1.17, and another SciPy is installed",
)
def test_scipy_has_no_density_above_the_dimension_that_the_page_names():
    page = (DOCS / "from_other_libraries.md").read_text(encoding="utf-8")
    [dim] = {*re.findall(r"(?:no density above |at κ = 1 up to \$n = )(\d+)", page)}
    for n, theirs_is_finite in ((int(dim), True), (int(dim) + 1, False)):
        mode = np.eye(1, n)[0]
        with np.errstate(divide="ignore"):
            assert np.isfinite(scipy.stats.vonmises_fisher(mode, 1.0).logpdf(mode)) == theirs_is_finite
        assert np.isfinite(VonMisesFisher(n, 1.0).logpdf(mode, mode))


def test_the_mean_errors_of_a_list_are_those_of_the_page():
    page = " ".join((DOCS / "items_of_a_list.md").read_text(encoding="utf-8").split())
    said = re.search(
        r"300 venues in clusters .*?its mean error is (\d+) m, and that of the library (\d+) m", page
    ).groups()
    rng = np.random.default_rng(1)
    points = rng.uniform(-5000, 5000, (12, 2))[rng.integers(0, 12, 300)] + rng.normal(0, 400, (300, 2))  # metres
    clusters = FiniteRelease.within(level=1.0, radius="200m", items=range(300), points=points)
    distances = np.linalg.norm(points[:, None] - points, axis=-1)
    half, whole = np.exp(-distances / 400), np.exp(-distances / 200)
    exponential, wrong = ((weights * distances).sum(axis=1) / weights.sum(axis=1) for weights in (half, whole))
    assert said == (f"{exponential.mean():.0f}", f"{clusters.noise.mean_distance():.0f}")
    assert f"{wrong.mean():.0f}" not in said  # at the whole level
