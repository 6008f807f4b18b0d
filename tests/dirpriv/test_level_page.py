"""The page of levels, docs/levels.html, in a browser: its numbers are those of the library."""

import functools
import html
import itertools
import json
import math
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit

from dirpriv import estimators
from dirpriv._lib import formatting
from dirpriv.command import main
from dirpriv.distributions import PlanarLaplace, Staircase
from dirpriv.mechanisms import (
    CapMechanism,
    CardioidMechanism,
    GaussianSum,
    PlanarLaplaceMechanism,
    PurkayasthaMechanism,
    StaircaseMechanism,
    VectorLaplaceSum,
    VonMisesFisherMechanism,
    WrappedLaplaceMechanism,
)
from dirpriv.release import read_released

DOCS = Path(__file__).resolve().parents[2] / "docs"
FILES = [DOCS / f"levels.{kind}" for kind in ("html", "css", "js", "distributions.js")]

LEVELS = [0.1, 0.3, 1.0, 2.5, 8.0, 20.0]
MINUTES = [15, 75, 180, 360, 660, 720]
METRES = [20, 200, 5000]
SHARES = [0.5, 0.68, 0.95]
DISTANCES = [0.01, 0.5, 2.0, math.pi]  # radians
TWENTY_MINUTES = math.pi / 36.0

MECHANISMS = {
    "purkayastha": (PurkayasthaMechanism, "tight"),
    "von_mises_fisher": (VonMisesFisherMechanism, "tight"),
    "von_mises_fisher-published": (VonMisesFisherMechanism, "published"),
    "wrapped_laplace": (WrappedLaplaceMechanism, "tight"),
    "wrapped_laplace-published": (WrappedLaplaceMechanism, "published"),
    "staircase": (StaircaseMechanism, "tight"),
    "cap": (CapMechanism, "tight"),
    "cardioid": (CardioidMechanism, "tight"),
}
SHOWN = {
    "within": [name for name in MECHANISMS if name not in ("von_mises_fisher-published", "cap", "cardioid")],
    "pure": [name for name in MECHANISMS if name != "staircase"],
}
TRUSTED = {"gaussian_sum": lambda level: GaussianSum(level, 1e-6), "vector_laplace": VectorLaplaceSum}
STEPS = "staircase", "cap"

# Each is wrong in one place of levels.distributions.js; the numbers that must then differ from the library's, or the
# mechanism some of whose numbers must.
WRONG = {
    "a quantile of the exponential distribution, not cut off at π": (
        "-log1p(-share * within)", "-log1p(-share)", {"purkayastha quantiles"},
    ),
    "the published calibration for the tight one": (
        "(epsilon) => epsilon / 2", "overPi",
        {f"von_mises_fisher {name}" for name in ("kappa", "quantiles", "meanAngle", "meanCosine",
                                                 "meanSquaredSine", "people", "loss", "lossAtRadius",
                                                 "density", "belief")},
    ),
    "a slope of κ for that of κ tanh κπ": ("within: concentrationAtSlope", "within: same", "wrapped_laplace"),
    "Bessel functions of the next order": (
        "1 / (2 * (j + 1) / kappa", "1 / (2 * (j + 2) / kappa",
        {f"von_mises_fisher{of} {name}" for of in ("", "-published") for name in (
            "quantiles", "meanAngle", "meanCosine", "meanSquaredSine", "people", "density")},
    ),
    "the chord for the arc": (
        "loss: (distance) => 2 * kappa * sin(distance / 2)", "loss: (distance) => kappa * distance",
        {f"von_mises_fisher{of} {name}" for of in ("", "-published") for name in (
            "loss", "lossAtRadius", "belief")},
    ),
    "the mean of a squared normal for that of a normal": (
        "2 / PI * distribution.meanSquaredSine", "distribution.meanSquaredSine",
        {*(f"{name} people" for name in MECHANISMS), "trust cap"},
    ),
    "steps that are best for the mean angle": (
        "2 * sin(end / 2) ** 2 - lost", "end - sum((angle) => angle ** 2 / 2) / total",
        {*(f"{name} jump" for name in STEPS), *(f"{name} best meanCosine" for name in STEPS), "trust cap"},
    ),
    "the offsets at which the last step is below π, only": ("? one : other", "? one : one", "staircase"),
    "a staircase with a level in proportion": (
        "min(ceil(distance / width * (1 - 1e-12)), jumps.length)", "min(distance / width, jumps.length)",
        {*(f"{name} loss" for name in STEPS), *(f"cap {name}" for name in ("lossAtRadius", "belief"))},
    ),
    "spreads up to the steps as high as their densities": (
        "(end < PI ? -expm1(-kappa) : 1)", "1",
        {*(f"{name} {number}" for name in STEPS for number in (
            "jump", "best meanCosine", "meanCosine", "meanSquaredSine", "people", "meanAngle", "quantiles",
            "density")), "trust cap"},
    ),
    "a cardioid of level 2κ": (
        "slope = tanh(kappa / 2)", "slope = tanh(kappa)",
        {f"cardioid {name}" for name in ("quantiles", "meanAngle", "meanCosine", "people", "density")},
    ),
    "the sum of people one of whom is left out": (
        "2 / PI * 4 / epsilon", "2 / PI * 2 / epsilon", {"trust vector_laplace"},
    ),
    "ratios at points whose squares are ε apart, not 2ε": (
        "sqrt(z ** 2 + 2 * epsilon)", "sqrt(z ** 2 + epsilon)", {"trust gaussian_sum"},
    ),
    "an exponential radius": ("(1 + x) * exp(-x)", "exp(-x)", {"place quantiles"}),
    "the odds for the belief": (
        "1 / (1 + exp(-loss))", "exp(loss)", {f"{name} belief" for name in MECHANISMS},
    ),
}  # fmt: skip

GRID = """
function numbers(Distributions, grid) {
  const of = ([level, minutes, promise]) => Distributions.onClock(level, minutes, promise).map((row) => ({
    id: row.id, kappa: row.distribution.kappa, quantiles: row.quantiles, meanAngle: row.distribution.meanAngle,
    meanCosine: row.distribution.meanCosine, meanSquaredSine: row.distribution.meanSquaredSine, people: row.people,
    lossAtRadius: row.lossAtRadius, belief: Distributions.belief(row.lossAtRadius),
    loss: grid.distances.map(row.distribution.loss), density: grid.distances.map(row.distribution.density),
    jump: row.distribution.jumps && row.distribution.jumps[0]}));
  const inPlane = ([level, metres]) => {
    const { kappa, quantiles, meanRadius, people, loss } = Distributions.inPlane(level, metres);
    return { kappa, quantiles, meanRadius, people, loss: loss(metres) };
  };
  const trust = grid.levels.map(Distributions.byTrust);
  return { circle: grid.circle.map(of), plane: grid.plane.map(inPlane), trust };
}
"""


@pytest.fixture(scope="module")
def rendered(browser, tmp_path_factory):
    """Gives a page as it stands in a browser, after its scripts ran."""
    options = ["--allow-file-access-from-files", "--virtual-time-budget=20000"]

    def show(address):
        profile = tmp_path_factory.mktemp("profile")
        command = [*browser, *options, f"--user-data-dir={profile}", "--dump-dom", address]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return show


def copied(folder):
    """A copy of the page, away from all other files."""
    for file in FILES:
        shutil.copy(file, folder)
    return folder / "levels.html"


def told(dom, name):
    """What a page wrote into an element, as data."""
    return json.loads(html.unescape(re.search(rf'id="{name}"[^>]*>(.*?)</', dom, re.S)[1]))


# ---------------------------------------------------------------------- the numbers


@pytest.fixture(scope="module")
def numbers(rendered, tmp_path_factory):
    """The numbers of the page on the grid: of the page as it is, and as it is wrong."""
    folder = tmp_path_factory.mktemp("grid")
    grid = {
        "circle": [
            *itertools.product(LEVELS, MINUTES, ["within"]),
            *itertools.product(LEVELS, [180], ["pure"]),
        ],
        "levels": LEVELS,
        "plane": [*itertools.product(LEVELS, METRES)],
        "distances": DISTANCES,
    }  # fmt: skip
    right = (DOCS / "levels.distributions.js").read_text(encoding="utf-8")
    texts = [right]
    for old, new, _ in WRONG.values():
        assert right.count(old) == 1, old
        texts.append(right.replace(old, new))
    scripts = ""
    for number, text in enumerate(texts):
        (folder / f"{number}.js").write_text(
            text.replace("const Distributions =", f"const Distributions{number} ="), "utf-8"
        )
        scripts += f'<script src="{number}.js"></script>'
    every = ",".join(f"numbers(Distributions{number}, grid)" for number in range(len(texts)))
    page = folder / "grid.html"
    page.write_text(
        f'<meta charset="utf-8">{scripts}<pre id="found"></pre>'
        f"<script>{GRID} const grid = {json.dumps(grid)};"
        f'document.getElementById("found").textContent = JSON.stringify([{every}]);</script>', "utf-8",
    )  # fmt: skip
    found = told(rendered(page.as_uri()), "found")
    return grid, dict(zip(["right", *WRONG], found, strict=True))


@functools.cache
def mechanism_of(name, level, minutes, promise):
    """A mechanism of the library."""
    cls, calibration = MECHANISMS[name]
    if promise == "within":
        return cls.within(level, math.pi * minutes / 720.0, calibration=calibration)
    return cls.pure(level, calibration=calibration)


@functools.cache
def on_circle(name, level, minutes, promise, jump=None):
    """The same numbers from the library; of a staircase or cap with this first jump, if one is given."""
    distribution = mechanism_of(name, level, minutes, promise).noise
    if jump is not None:
        distribution = Staircase(2, level, math.pi if name == "cap" else distribution.width, jump)
    return numbers_of(distribution, math.pi * minutes / 720.0)


def numbers_of(distribution, radius):
    """The numbers of a distribution, with the loss at a radius."""
    loss = distribution.privacy_loss(radius)
    return {
        "kappa": distribution.kappa,
        "quantiles": distribution.angle_ppf(SHARES),
        "meanAngle": distribution.mean_angle(),
        "meanCosine": distribution.mean_cosine(),
        "meanSquaredSine": distribution.mean_squared_sine(),
        "people": (estimators.expected_mean_error(distribution, 1) / TWENTY_MINUTES) ** 2,
        "lossAtRadius": loss,
        "belief": expit(loss),
        "loss": distribution.privacy_loss(DISTANCES),
        "density": distribution.angle_pdf(DISTANCES) / 2.0,  # on both sides
    }


@functools.cache
def in_plane(level, metres):
    """The numbers of places from the library; the mean square of the distance from its quantiles."""
    distribution = PlanarLaplaceMechanism.within(level, float(metres)).noise
    x, weights = np.polynomial.legendre.leggauss(60)
    square = sum(
        width / 2.0 * weights @ (radius**2 * distribution.radius_pdf(radius))
        for start, width in ((k * 4.0 / distribution.kappa, 4.0 / distribution.kappa) for k in range(20))
        for radius in [start + width / 2.0 * (1.0 + x)]
    )
    return {
        "kappa": distribution.kappa,
        "quantiles": distribution.radius_ppf(SHARES),
        "meanRadius": distribution.mean_radius(),
        "people": square / 2.0 * math.pi / 2.0 / (metres / 10.0) ** 2,
        "loss": distribution.privacy_loss(metres),
    }


@functools.cache
def of_trust(level):
    """People for a pure level from the library; where they are many, the error falls as one over them."""
    many = 10**8
    central = {name: make(level).expected_error(many) * many / TWENTY_MINUTES for name, make in TRUSTED.items()}
    distribution = mechanism_of("cap", level, 180, "pure").noise
    return {"cap": (estimators.expected_mean_error(distribution, 1) / TWENTY_MINUTES) ** 2, **central}


def differences(found, grid):
    """Which numbers of the page differ from the library's, as mechanism and number."""
    wrong = set()
    shown = zip(grid["circle"], found["circle"], strict=True)
    for (level, minutes, promise), rows in shown:
        assert [row["id"] for row in rows] == SHOWN[promise]
        for row in rows:
            name, given = row["id"], (row["id"], level, minutes, promise)
            if name in STEPS:  # the library finds the best jump by search, to a part in a million
                best = mechanism_of(*given).noise
                first = best.offset if name == "staircase" else best.half_angle
                wrong |= unlike(name, row, {"jump": first}, rtol=1e-6)
                wrong |= unlike(f"{name} best", row, {"meanCosine": best.mean_cosine()})
            wrong |= unlike(name, row, on_circle(*given, jump=row.get("jump")))
    for (level, metres), place in zip(grid["plane"], found["plane"], strict=True):
        wrong |= unlike("place", place, in_plane(level, metres))
    for level, rows in zip(grid["levels"], found["trust"], strict=True):
        people = {row["id"]: row["people"] for row in rows}
        wrong |= unlike("trust", people, of_trust(level), rtol=1e-6)  # the error of its quadrature
    return wrong


def unlike(name, found, expected, rtol=1e-9):
    """Which of the numbers differ by more than a share."""
    bad = set()
    for key, value in expected.items():
        numbers = np.array(found[key], dtype=float)  # null, for no number, is nan
        if not np.all(np.abs(numbers - value) <= 1e-290 + rtol * np.abs(value)):
            bad.add(f"{name} {key}")
    return bad


def test_the_numbers_are_those_of_the_library(numbers):
    grid, found = numbers
    assert differences(found["right"], grid) == set()


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_formula_is_seen(numbers, name):
    grid, found = numbers
    expected = WRONG[name][2]
    wrong = differences(found[name], grid)
    if isinstance(expected, str):
        assert {one.split()[0] for one in wrong} == {expected}
    else:
        assert wrong == expected


def test_normal_noise_needs_more_people_than_the_cap_from_the_level_that_the_page_tells():
    level = float(re.search(r"From about level ([\d.]+) on", FILES[0].read_text(encoding="utf-8"))[1])
    below, at = of_trust(level - 0.1), of_trust(level)
    assert below["gaussian_sum"] < below["cap"] and at["gaussian_sum"] > at["cap"]


def test_both_calibrations_of_von_mises_fisher_agree_within_a_radius():
    both = [VonMisesFisherMechanism.within(1.0, 0.5, calibration=c).noise.kappa for c in ("tight", "published")]
    assert both[0] == both[1]  # so the page shows them once


def test_the_distribution_of_large_n_is_right_to_a_hundredth_where_a_number_is_shown():
    within = itertools.product(SHOWN["within"], LEVELS, MINUTES, ["within"])
    pure = itertools.product(SHOWN["pure"], LEVELS, [180], ["pure"])
    for given in (*within, *pure):
        distribution = mechanism_of(*given).noise
        people = (estimators.expected_mean_error(distribution, 1) / TWENTY_MINUTES) ** 2
        if people >= 10.0:
            assert estimators.normal_mean_error(distribution, people) == pytest.approx(TWENTY_MINUTES, rel=0.01)
    for name, level in itertools.product(TRUSTED, LEVELS):
        people = math.ceil(of_trust(level)[name])
        if people > 10:
            error = TRUSTED[name](level).expected_error(people)
            assert error * people == pytest.approx(of_trust(level)[name] * TWENTY_MINUTES, rel=0.01)


# ---------------------------------------------------------------------- the page


def text_of(dom, name):
    """The text of an element."""
    inside = re.search(rf'<(\w+)[^>]* id="{name}"[^>]*>(.*?)</\1>', dom, re.S)[2]
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", inside)).split())


def test_the_page_shows_what_its_address_says(rendered, tmp_path):
    page = copied(tmp_path)
    dom = rendered(f"{page.as_uri()}#level=2&within=75min&place=1.5km&at=23:30&mechanism=wrapped_laplace")
    shown = told(dom, "numbers")
    state = {"level": 2, "minutes": 75, "metres": 1500, "promise": "within", "at": 1410}
    assert {key: shown[key] for key in state} == state and shown["drawn"] == "wrapped_laplace"
    row = next(row for row in shown["mechanisms"] if row["id"] == "wrapped_laplace")
    expected = on_circle("wrapped_laplace", 2.0, 75, "within")
    assert unlike("", row, {key: expected[key] for key in set(expected) & set(row)}) == set()
    assert unlike("", shown["place"], in_plane(2.0, 1500)) == set()
    for row in shown["trust"]:
        assert row["people"] == pytest.approx(of_trust(2.0)[row["id"]], rel=1e-6)
        assert f" {math.ceil(row['people'])} " in text_of(dom, "trust")
    assert text_of(dom, "plan") == "dirpriv plan mean --epsilon 2 --error 20min --all"

    half = expected["quantiles"][0] * 12.0 / math.pi
    people = "fewer than 10" if expected["people"] < 10 else f"{math.ceil(expected['people'])}"
    summary = text_of(dom, "summary")
    for said in (
        "Level 2 within 1 h 15 min, wrapped Laplace, tight",
        f"between {formatting.clock(23.5 - half, 24.0)} and {formatting.clock(23.5 + half, 24.0)}",
        f"at most {formatting.belief(expected['lossAtRadius'])}.",
        f"takes {people} people",
        f"within {formatting.length(PlanarLaplace(2.0 / 1500.0).radius_ppf(0.5))} of it",
    ):  # fmt: skip
        assert said in summary
    assert formatting.likelier(expected["lossAtRadius"]) in text_of(dom, "beliefs")
    for share, angle in zip(SHARES, expected["quantiles"], strict=True):
        drawn = re.search(rf'data-share="{share:g}" data-half="([\d.]+)"', dom)
        assert float(drawn[1]) == pytest.approx(angle * 720.0 / math.pi, rel=1e-9)
        assert formatting.duration(angle * 12.0 / math.pi) in text_of(dom, "arcs")

    wanted = "from dirpriv.mechanisms import WrappedLaplaceMechanism from dirpriv.release import CircleRelease"
    made = 'release = CircleRelease.from_mechanism(WrappedLaplaceMechanism.within(2, "75min"))'
    assert text_of(dom, "command") == f"{wanted} {made}"


# Moves every slider to each of its positions, chooses, gives bad addresses, and measures the page at widths.
DRIVER = """
const frame = document.querySelector("iframe"), wait = (ms) => new Promise((done) => setTimeout(done, ms));
const send = (node, kind) => node.dispatchEvent(new Event(kind, { bubbles: true }));
async function drive() {
  const page = frame.contentDocument, numbers = () => JSON.parse(page.getElementById("numbers").textContent);
  const found = { sliders: {}, addresses: {}, overflow: {}, controls: {} };
  for (const [name, key] of [["level", "level"], ["within", "minutes"], ["place", "metres"]]) {
    const slider = page.getElementById(name);
    found.sliders[name] = [];
    for (let at = 0; at <= Number(slider.max); at++) {
      slider.value = at;
      send(slider, "input");
      const words = slider.getAttribute("aria-valuetext");
      found.sliders[name].push([at, Number(slider.value), numbers()[key], words]);
    }
    send(slider, "change");
  }
  found.top = frame.contentWindow.location.hash;
  frame.contentWindow.location.hash = "level=0.5&within=6h&place=200m&at=08:15";
  await wait(50);
  found.drawn = {};
  for (const promise of ["pure", "within"]) {
    page.querySelector(`input[value=${promise}]`).click();
    const names = [...page.querySelectorAll("input[name=mechanism]")].map((radio) => radio.value);
    for (const name of ["", ...names]) {
      if (name) page.querySelector(`input[name=mechanism][value=${name}]`).click();
      const { drawn, mechanisms } = numbers();
      found.drawn[`${promise} ${name}`] = { drawn, hash: frame.contentWindow.location.hash,
        quantiles: mechanisms.find(({ id }) => id === drawn).quantiles,
        command: page.getElementById("command").textContent };
    }
  }
  for (const bad of BAD) {
    frame.contentWindow.location.hash = bad;
    await wait(50);
    const { level, minutes, metres, promise, drawn, at } = numbers();
    found.addresses[bad] = [level, minutes, metres, promise, drawn, at];
  }
  const inputs = [...page.querySelectorAll("input")];
  found.unlabelled = inputs.filter((input) => !input.labels.length).map((input) => input.id);
  page.querySelector("details").open = true;
  for (const width of [320, 420, 800, 1400]) {
    frame.style.width = `${width}px`;
    await wait(50);
    frame.contentWindow.scrollTo(0, 1500);
    const { top, bottom } = page.getElementById("controls").getBoundingClientRect();
    found.controls[width] = [top, bottom / frame.clientHeight];
    const root = page.documentElement;
    const small = [...page.querySelectorAll("svg text")].map((node) => parseFloat(
      frame.contentWindow.getComputedStyle(node).fontSize) * (node.getScreenCTM() || { a: 1 }).a);
    found.overflow[width] = [root.scrollWidth - root.clientWidth, Math.min(...small)];
  }
  document.getElementById("found").textContent = JSON.stringify(found);
}
frame.onload = drive;
"""
START = [1, 180, 200, "within", "purkayastha", 495]
BAD = {  # what follows the "#"; level, minutes, metres, promise, mechanism drawn, minute of the day
    "level=-5&within=3furlongs&place=<b>&promise=all&mechanism=none&at=25:00": START,
    "level=1e9&within=1h&place=200": [1, 60, *START[2:]],
    "level=999&within=1min&place=90km": [20, 15, 5000, *START[3:]],
    "level=.37&mechanism=cap": [0.37, *START[1:]],
    "mechanism=von_mises_fisher-published": [*START[:4], "von_mises_fisher", 495],
    "": START,
}  # fmt: skip


@pytest.fixture(scope="module")
def driven(rendered, tmp_path_factory):
    """What the page does when it is used."""
    folder = tmp_path_factory.mktemp("page")
    copied(folder)
    frame = folder / "frame.html"
    frame.write_text(
        '<meta charset="utf-8"><iframe src="levels.html" style="width: 1400px; height: 900px"></iframe>'
        f'<pre id="found"></pre><script>const BAD = {json.dumps(list(BAD))};{DRIVER}</script>', "utf-8",
    )  # fmt: skip
    return told(rendered(frame.as_uri()), "found")


def test_every_position_of_a_slider_is_a_value_of_its_own(driven):
    ends = {"level": (0.1, 20), "within": (15, 720), "place": (20, 5000)}
    for name, (low, high) in ends.items():
        positions = driven["sliders"][name]
        values = [value for _, _, value, _ in positions]
        assert [at for at, stays, _, _ in positions if at != stays] == []  # arrow keys go on from everywhere
        assert values == sorted(set(values)) and (values[0], values[-1]) == (low, high)
        assert len({words for *_, words in positions}) == len(values)
    assert driven["top"] == "#level=20&within=12h&place=5000m&promise=within&mechanism=purkayastha&at=08:15"


def released(command, folder):
    """The distribution of the release that a command of the page makes."""
    if not command.startswith("dirpriv"):
        names = {}
        exec(command, names)
        return names["release"].noise
    first, times, places = (line.split()[1:] for line in command.splitlines())
    assert main(first) == 0
    for name, columns, arguments in (("arrivals", "arrival", times), ("visits", "lat,lon", places)):
        row = "08:15" if name == "arrivals" else "40.75,-73.98"
        (folder / f"{name}.csv").write_text(f"{columns}\n{row}\n", encoding="utf-8")
        assert main(arguments) == 0
    (reports,) = read_released("private.csv")
    return reports.column.release().noise


def test_what_is_drawn_is_what_the_command_beside_it_releases(driven, tmp_path, monkeypatch):
    """Up to the cells of a minute; a choice of a level draws the mechanism that releases it by default."""
    choices = {f"{promise} {name}" for promise, names in SHOWN.items() for name in ("", *names)}
    assert set(driven["drawn"]) == choices
    default = None
    for number, (choice, found) in enumerate(driven["drawn"].items()):
        promise, name = choice.split(" ")
        drawn_first = {"pure": "cap", "within": "purkayastha"}[promise]
        assert found["drawn"] == (name or drawn_first)
        assert f"promise={promise}&mechanism={found['drawn']}" in found["hash"]
        folder = tmp_path / str(number)
        folder.mkdir()
        monkeypatch.chdir(folder)
        monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "settings"))
        minutes = released(found["command"], folder).angle_ppf(SHARES) * 720.0 / math.pi
        assert minutes == pytest.approx(np.array(found["quantiles"]) * 720.0 / math.pi, abs=1.0), choice
        default = default if name else minutes
        if found["drawn"] != drawn_first:  # the release of another choice would not do
            assert np.abs(minutes - default).max() > 1.0, choice


def test_the_sliders_stay_in_view_and_leave_room_for_the_pictures(driven):
    for width, (top, bottom) in driven["controls"].items():
        assert top == 0.0 and bottom < 0.25, width  # of a window 900 pixels high


def test_a_bad_address_gives_the_start_or_the_nearest_value(driven):
    assert driven["addresses"] == BAD


def test_the_page_fits_its_width_and_can_be_read(driven):
    for width, (beyond, smallest) in driven["overflow"].items():
        assert beyond == 0 and smallest >= 9.0, width  # pixels
    assert driven["unlabelled"] == []


def test_the_page_needs_no_network():
    for file in FILES:
        text = file.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?:|//\w+\.\w|@import|url\(|fetch\(|XMLHttpRequest|import[({]", text), file.name
    loaded = re.findall(r'(?:src|href)="([^"]+)"', FILES[0].read_text(encoding="utf-8"))
    pages = ["index.md", "explain.md", "before_you_release.md"]
    assert loaded == ["data:,", "levels.css", *pages, "levels.distributions.js", "levels.js"]
    assert all((DOCS / name).is_file() for name in loaded[1:])


def test_mechanisms_have_the_colours_of_the_study():
    catalogue = pytest.importorskip("study.workflow.mechanism_catalogue").CATALOGUE
    css = (DOCS / "levels.css").read_text(encoding="utf-8")
    colours = dict(re.findall(r"--(\w+): (#\w+);", css[: css.index("@media")]))
    names = [*dict.fromkeys(name.split("-")[0] for name in MECHANISMS), *TRUSTED]
    assert {name: colours[name] for name in names} == {name: catalogue[name].colour for name in names}
    assert colours["place"] == catalogue["planar_laplace"].colour
