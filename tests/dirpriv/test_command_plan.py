"""What ``dirpriv plan`` says of levels, and the release that it plans."""

import shlex
from pathlib import Path

import numpy as np
import pytest
from command_runs import folder, run
from scipy.stats import norm
from sweeps import swept

from dirpriv import estimators, guarantees, planner
from dirpriv._lib.rounding import upwards
from dirpriv.estimators import assumed_populations, betting_intervals, circle_noise_bounds
from dirpriv.release import CircleRelease, PlaneRelease, read_guarantee

PLAN = planner.sample_sizes
PLANS = {
    "--level 1 --within 3h": (1.0, "3h", 1, "Purkayastha, released"),
    "--level 1 --within 3h --max-rows-per-person 5": (1.0, "3h", 5, "Purkayastha, released"),
    "--level 0.123456789 --within 75min --max-rows-per-person 2": (0.123456789, "75min", 2, "Purkayastha, released"),
    "--epsilon 1 --max-rows-per-person 3": (1.0 / 3.0, "12h", 3, "Purkayastha"),
}


@pytest.mark.parametrize("options", PLANS)
def test_a_plan_ends_with_the_release_that_it_planned(options, folder, monkeypatch):
    """That very line is run; the wrong variant is a level of a person that is taken for one of a row."""
    needs = []

    def planned(*arguments, **named):
        needs.append(PLAN(*arguments, **named))
        return needs[-1]

    monkeypatch.setattr(planner, "sample_sizes", planned)
    ran = run("plan", "mean", "--error", "30min", "--trust", "local", "--resultant", "1", *options.split())
    level, radius, rows, mechanism = PLANS[options]
    pure = "epsilon" in options
    said = " ".join(ran.out.split())
    assert f"level {'ε = ' if pure else ''}{level * rows if pure else level:.6g} " in said
    assert f"level {level * rows:.6g} for a person with {rows} row" in said or pure
    program, *words = shlex.split(ran.out.splitlines()[-1])
    lines = [f"{person},{8 + person % 9:02}:15" for person in range(30) for _ in range(rows + 1)]
    Path("arrivals.csv").write_text("\n".join(["person,arrival", *lines]) + "\n", encoding="utf-8")
    assert program == "dirpriv" and run(*words).status == 0
    guarantee = read_guarantee("private.csv")
    (column,) = guarantee.columns
    assert (guarantee.level, column.radius, guarantee.max_rows_per_person) == (level, radius, rows)
    assert guarantee.person_level == pytest.approx(rows * level, rel=1e-15, abs=0.0)
    # and its distribution is the one of the table
    (distribution,) = (need.noise for need in needs[-1] if (need.mechanism, need.calibration) == (mechanism, "tight"))
    assert column.release().noise.mean_cosine() == pytest.approx(distribution.mean_cosine(), rel=1e-4, abs=0.0)


SHUFFLED = {
    "mean --error 30min --level 0.3 --within 3h --resultant 1": (0.3, "3h", 1),
    "mean --error 30min --level 0.2 --within 3h --resultant 1 --max-rows-per-person 2": (0.4, "3h", 2),
    "mean --error 45min --epsilon 0.8 --resultant 1": (0.8, "12h", 1),
    "mean --error 30min --level 0.3 --within 3h --resultant 1 --days 2": (0.3, "3h", 1),
    "compare --difference 90min --level 0.3 --within 3h --resultant 1": (0.3, "3h", 1),
}


LONG = "mean --error 45min --epsilon 0.8 --resultant 1"


@pytest.mark.parametrize("options", [*(each for each in SHUFFLED if each != LONG), *swept((LONG,))])
def test_a_plan_for_a_shuffler_ends_with_releases_that_keep_its_level(options, folder):
    """Those very lines are run, with as many people as they say; a level of a report would be too much."""
    level, radius, rows = SHUFFLED[options]
    ran = run("plan", *options.split(), "--trust", "shuffled", "--delta", "1e-4")
    lines = [shlex.split(line) for line in ran.out.splitlines() if line.startswith("dirpriv release ")]
    assert lines and lines[-1] == shlex.split(ran.out.splitlines()[-1])
    assert len(lines) == 1 + options.startswith("compare")
    for number, (_, *words) in enumerate(lines):
        reports = int(words[words.index("--shuffled") + 1].partition(",")[0])
        people = [f"{person},{8 + person % 9:02}:1{number}" for person in range(reports // rows) for _ in range(rows)]
        Path(words[1]).write_text("\n".join(["person,arrival", *people]) + "\n", encoding="utf-8")
        assert run(*words).status == 0
        guarantee = read_guarantee(words[2])
        assert guarantee.shuffled == (reports, 1e-4) and guarantee.columns[0].radius == radius
        assert 0.97 * level < guarantee.shuffled_level <= level < guarantee.person_level


def test_a_histogram_is_planned_for_the_blur_that_it_then_has():
    """So many people support the blur or a smaller one; too few are told of as many."""
    ran = run(*"plan histogram --level 1 --within 3h --blur 8h --trust local".split())
    people, noise = int(ran.out.partition(" people ")[0].replace(",", "")), CircleRelease.within(1.0, "3h").noise
    band = estimators.estimate_density_band(np.zeros(people), noise)
    assert 1.8 < band.blur <= 2.0 * np.pi / 3.0 + 1e-9
    with pytest.raises(ValueError, match=f"use about {people} people or a higher level"):
        estimators.estimate_density_band(np.zeros(40), noise)
    assert ran.out.splitlines()[-1].startswith("dirpriv release arrivals.csv private.csv --time arrival")


def test_a_map_is_planned_and_its_shuffler_is_ruled_out_with_the_reason():
    options = "--level 1 --within 200m --blur 2km "
    options += "--region-centre -33.9,151.2 --region-reach 5km --cell-size 100m"
    ran = run("plan", "map", *options.split(), "--all")
    assert ran.status == 0 and "shuffled: ruled out, as a shuffler hides reports of times only" in ran.out
    assert "Laplace on the counts" in ran.out
    words = shlex.split(ran.out.splitlines()[-1])
    assert words[:2] == ["dirpriv", "release"] and "--region-centre=-33.9,151.2" in words
    ran = run("plan", "map", *options.split(), "--trust", "shuffled")
    assert ran.status == 2 and "--trust must not be 'shuffled'" in ran.err
    for trust in ("central", "local"):
        ran = run("plan", "map", *options.replace("2km", "11km").split(), "--trust", trust)
        assert ran.status == 2 and "to this side: 312.5 to 10000 m; got 11000.0" in ran.err


def test_the_people_near_a_place_are_planned_by_the_noise_of_both_releases(folder):
    options = "--level 3 --within 3h --places-within 200m --width 20% --around 500m "
    options += "--region-centre 40.75,-73.98 --region-reach 5km --cell-size 50m"
    ran = run("plan", "busyness", *options.split())
    city = {"region_centre": (40.75, -73.98), "region_reach": "5km", "cell_size": "50m"}
    noises = CircleRelease.within(3.0, "3h").noise, PlaneRelease.within(3.0, "200m", **city).noise
    assert ran.out.startswith(f"About {planner.people_near(0.2, *noises, side=1000.0)} people ")
    _, _, *words = shlex.split(ran.out.splitlines()[-1])
    Path("visits.csv").write_text(
        "person,arrival,lat,lon\nA,08:15,40.75,-73.98\nB,09:15,40.76,-73.98\n", encoding="utf-8"
    )
    assert run("release", *words).status == 0
    of_times, of_places = read_guarantee("private.csv").columns
    assert (of_times.radius, of_places.radius, of_times.level, of_places.level) == ("3h", "200m", 3.0, 3.0)
    for missing, name in (
        (options[: options.index("--cell-size")], "--cell-size"),
        (f"{options} --trust central", "local trust"),
    ):
        ran = run("plan", "busyness", *missing.split())
        assert ran.status == 2 and name in ran.err


def test_groups_are_seen_apart_at_least_as_often_as_planned(monkeypatch):
    """The joint bets at the time where they differ most, in 60 surveys; half of the people are too few.

    A power of 0.8 is refused with the probability 1e-4.
    """
    distance, blur = np.pi / 12.0, 2.0 * np.pi / 3.0
    errors, ends = set(), betting_intervals.ends
    with monkeypatch.context() as patch:
        patch.setattr(betting_intervals, "ends", lambda *asked: (errors.update(asked[1]), ends(*asked))[1])
        (need,) = planner.sample_sizes("compare", distance, level=2.0, radius="3h", resultant=0.7)
    assert errors == {0.05 / 36.0}
    noise = circle_noise_bounds.circle_noise(need.noise)
    window = circle_noise_bounds.one_window([noise], circle_noise_bounds.Arc(blur, blur))[0]
    angles = (np.arange(noise.parts) + 0.5) * 2.0 * np.pi / noise.parts
    first = np.exp(assumed_populations.distribution_of(0.7, 2).kappa * np.cos(angles))
    groups = np.array([first, np.roll(first, noise.parts // 24)]) / first.sum()
    means = np.fft.irfft(np.fft.rfft(groups) * np.conj(np.fft.rfft(window.lowest)), noise.parts)
    place = int((means[0] - means[1]).argmax())
    groups = np.roll(groups, -place, axis=1)
    seen, fewer = (_seen(need, window, groups, share) for share in (1.0, 0.5))
    assert fewer < 0.8 - 3.7 * np.sqrt(0.16 / 60) < seen


def _seen(need, window, groups, share, times=60):
    """How often the lower end of the difference is above 0, with the error of 36 times together."""
    rng, people = np.random.default_rng(1), int(share * need.people)
    counted = []
    for chances in groups @ window.chances:
        blocks = [people // 16, people // 4 - people // 16, people - people // 4]
        counted.append((window, np.stack([rng.multinomial(block, chances, times) for block in blocks]).astype(float)))
    low, _ = betting_intervals.ends(counted, [0.05 / 36.0], 1)
    return float(np.mean(low[0] > 3.0 / 8.0 / 144.0))


def test_central_noise_tells_groups_apart_with_as_many_people_as_planned():
    """Normal noise on the sum, people at one place: the power is that of a normal distribution, to three digits."""
    (need,) = planner.sample_sizes("compare", 0.1, level=1.0, radius="12h", trust="central")
    spread = np.sqrt(2.0) * need.noise.sigma / need.people
    assert norm.sf(1.96 - 0.1 / spread) == pytest.approx(0.8, abs=5e-3)


def test_several_days_add_up():
    ran = run(*"plan mean --level 0.3 --within 3h --error 1h --resultant 1 --days 30 --trust local".split())
    distribution = CircleRelease.within(0.3, "3h").noise
    together = guarantees.composed_level(distribution, 30, distance="3h", delta=1e-6)
    assert f"A person's level over 30 days: {upwards(together)} at δ = 1e-06 if local; 9 at" in ran.out
    assert ran.out.splitlines()[-1].endswith("--dataset survey --max-releases 30,1e-06")


def test_the_level_of_a_person_is_cautioned_of():
    words = "plan mean --level 1 --within 3h --error 1h --resultant 1 --trust local --max-rows-per-person".split()
    assert "gives almost no protection" in run(*words, 5).out and "Caution" not in run(*words, 4).out


def test_only_the_central_release_is_named_where_a_data_owner_is_trusted():
    said = run(*"plan mean --epsilon 1 --error 0.1rad --trust central".split()).out
    assert "--trust central --epsilon 1 --mean" in said and "private.csv" not in said


PLACES = "--region-centre 40.75,-73.98 --region-reach 5km --cell-size 100m"
ANSWERS = [
    "mean --error 1h --level 1 --within 3h --trust local",
    "mean --error 1h --epsilon 1 --trust central",
    "histogram --blur 8h --level 1 --within 3h --trust local",
    "compare --difference 2h --level 1 --within 3h --trust central",
    *swept(
        ("mean --error 1h --epsilon 1 --trust shuffled --delta 1e-4",),
        ("compare --difference 2h --level 1 --within 3h --trust shuffled --delta 1e-4",),
        (f"map --width 15% --level 1 --within 200m --trust local {PLACES}",),
    ),
]


@pytest.mark.parametrize("options", ANSWERS)
def test_a_plan_is_one_answer_and_one_command_of_all_that_there_are(options):
    """Its people and its command are among those of ``--all``, which are more."""
    words = ["plan", *options.split()]
    answer, every = (run(*words, *more).out.splitlines() for more in ((), ("--all",)))
    people, rest = answer[0].split(" people are needed ")
    assert rest and any(people in line.split() for line in every)
    commands = [line for line in answer if line.startswith("dirpriv release ")]
    assert len(commands) == (0 if "Gaussian" in answer[-1] else 1 + options.startswith("compare"))
    assert any("Gaussian" in line for line in answer) == all(word in words for word in ("compare", "central"))
    assert set(commands) <= set(every) and len(answer) < len(every)
