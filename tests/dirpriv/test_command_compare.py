"""Several files, groups and comparisons: what the command says is what the estimators find."""

import csv
import dataclasses
import gzip
import json
import re
from pathlib import Path

import databases
import duckdb
import matplotlib
import numpy as np
import pytest
from command_runs import (
    CITY,
    all_over_the_city,
    estimate_density_band,
    estimate_density_difference,
    estimate_histogram,
    estimate_mean,
    estimate_place_density,
    folder,
    released_places,
    released_times,
    run,
    same_draws,
    two_sample_test,
    write_released,
)
from matplotlib.text import Text
from sweeps import swept

from dirpriv import estimators, pictures
from dirpriv._lib import formatting
from dirpriv.estimators import histogram_estimates
from dirpriv.pictures import draw_comparison, times
from dirpriv.release import HeadingColumn, PlaceColumns, TimeColumn, read_released
from dirpriv.release.files.released_counts import counted
from dirpriv.release.guarantee.file import EarlierRelease
from dirpriv.tables.table import Table

pytestmark = pytest.mark.usefixtures("folder")


ONE, OTHER = TimeColumn("arrival", 3.0, "3h"), TimeColumn("arrival", 1.0, "3h", 96)
WEEK = TimeColumn("visit", 1.0, "12h", 2016, "7d")


def released(name, hours, column=ONE, number=60, seed=1, **about):
    """A released file of people at these hours."""
    scale = column.cells / (168 if column is WEEK else 24)
    people = np.random.default_rng(seed).choice(hours, number) * scale
    with same_draws(hours, column, number, seed):
        cells = column.release().randomise_cells(people.astype(int) % column.cells)
    released_times(name, cells, column, **about)


def of(*names):
    """Arguments of the estimators: reports, distributions and numbers of these files."""
    reports = [read_released(name)[0] for name in names]
    distributions = [each.column.release().noise for each in reports]
    return [each.angles for each in reports], distributions, [each.counts for each in reports]


def parsed(*words):
    """The document that a command prints, and nothing else."""
    ran = run(*words, "--json", "-")
    assert (ran.status, ran.err) == (0, "")
    return json.loads(ran.out)


def ends(found):
    return [list(row) for row in zip(found.shares, found.low, found.high, strict=True)]


def ends_in(result):
    return [[each["share"], each["low"], each["high"]] for each in result["bins"]]


@pytest.fixture
def kept():
    """A file with groups: of 60 early and 50 late people, one without a group, and two more groups."""

    def write(name="kept.csv", groups=(("early", 60, 8), ("late", 50, 17))):
        rows = []
        for group, number, hour in groups:
            with same_draws(number, hour):
                cells = ONE.release().randomise_cells(np.full(number, hour * 60))
            rows += [f"{ONE.label(cell)},{group}" for cell in cells]
        write_released(name, [ONE], rows, kept=("shift",))

    return write


# ---------------------------------------------------------------------- several files


@pytest.mark.parametrize("other", [ONE, OTHER], ids=["the same noise", "other noise"])
def test_several_files_are_estimated_together(other):
    """Each by its own noise: with that of the first for all, other numbers come out."""
    released("a.csv", [8.0])
    released("b.csv", [9.0, 17.0], other)
    document = parsed("histogram", "a.csv", "b.csv", "--bins", 6)
    angles, distributions, weights = of("a.csv", "b.csv")
    found = estimate_histogram(angles, distributions, bins=6, weights=weights, edges="soft")
    (result,) = document["results"]
    assert ends_in(result) == ends(found) and result["count"] == 120
    assert [each["level"] for each in result["releases"]] == [3.0, other.level]
    mean = parsed("mean", "a.csv", "b.csv")["results"][0]["mean"]
    right = estimate_mean(angles, distributions, weights=weights)
    assert list(mean.values()) == pytest.approx(np.array([right.angle, right.low, right.high]) / np.pi * 12.0)
    if other is OTHER:
        wrong = estimate_histogram(angles, [distributions[0]] * 2, bins=6, weights=weights, edges="soft")
        assert ends(wrong) != ends(found)
    said = run("histogram", "a.csv", "b.csv", "--bins", 6).out
    assert "Together: 120 reports of 2 files" in said and f"level {other.level:g} within 3h" in said
    assert "A person in several files counts in each" in " ".join(said.split())
    assert "in several files" not in run("histogram", "a.csv", "--bins", 6, "--edges", "hard").out


def test_a_map_of_several_files_is_that_of_all_their_rows():
    people = all_over_the_city()
    column = released_places("a.csv", people[:200])
    released_places("b.csv", people[200:])
    words = "--cells", 6, "--districts", 2, "--intervals", "distribution-free", "--edges", "hard"
    (result,) = parsed("map", "a.csv", "b.csv", *words)["results"]
    reports = [read_released(name)[0] for name in ("a.csv", "b.csv")]
    positions = np.concatenate([each.positions for each in reports])
    counts = np.concatenate([each.counts for each in reports])
    found = estimate_place_density(positions, column.release().noise, reach=30e3, cells=6, districts=2, weights=counts)
    high = sorted(each["high"] for each in result["districts"])
    assert high == pytest.approx(np.sort(found.high, axis=None), rel=1e-7) and result["count"] == 300
    assert result["region_centre"] == list(column.region_centre) and result["kind"] == "place"
    other = PlaceColumns(("lat", "lon"), 2.0, "2km", **CITY)
    released_places("c.csv", people, other)
    ran = run("map", "a.csv", "c.csv", *words)
    assert ran.status == 2 and "different guarantees, and one map needs equal guarantees" in ran.err


def test_a_map_through_a_blur_says_what_its_districts_are():
    """With the weights of a row; where no blur is supported it says what is missing, and nothing is drawn."""
    people = all_over_the_city()
    released_places("places.csv", people)
    (result,) = parsed("map", "places.csv", "--cells", 6, "--blur", "15km", "--blurs", 2)["results"]
    assert result["edges"] == "soft" and result["blur"] == 15e3 and len(result["districts"]) == 16
    weights = {of["offset"]: of["weight"] for of in result["weights"]}
    assert weights[0.0] == 0.75 and weights[7.5e3] == pytest.approx(0.5) and weights[22.5e3] == 0.0
    assert all(of["low"] <= of["high"] <= 0.5625 and of["side_m"] == 15e3 for of in result["districts"])
    released_places("few.csv", people[:5])
    ran = run("map", "few.csv", "--cells", 6)
    assert ran.status == 0 and "No map: these reports show no density" in " ".join(ran.out.split())
    assert "The densest of 3 x 3 districts" in ran.out
    assert "--plot has nothing to draw" in run("map", "few.csv", "--cells", 6, "--plot", "a.png").err
    ran = run("map", "places.csv", "--blur", "15km", "--edges", "hard")
    assert ran.status == 2 and "--blur and --blurs go with soft edges" in ran.err


@pytest.mark.parametrize("how", ["the file itself", "a copy", "packed", "Parquet", "another order"])
@pytest.mark.parametrize("command", ["histogram", "mean", "compare"])
def test_a_file_that_is_there_twice_is_refused(how, command):
    released("a.csv", [8.0, 17.0])
    text, guarantee = Path("a.csv").read_bytes(), Path("a.csv.guarantee.json").read_bytes()
    name = {"the file itself": "a.csv", "packed": "b.csv.gz", "Parquet": "b.parquet"}.get(how, "b.csv")
    if how == "packed":
        Path(name).write_bytes(gzip.compress(text))
    elif how == "Parquet":
        duckdb.sql(f"COPY (SELECT CAST(arrival AS TIME) AS arrival FROM 'a.csv') TO '{name}'")
    elif how == "another order":
        lines = text.decode().splitlines()
        Path(name).write_text("\n".join([lines[0], *sorted(lines[1:])]) + "\n", encoding="utf-8")
    else:
        Path(name).write_bytes(text)
    Path(f"{name}.guarantee.json").write_bytes(guarantee)
    ran = run(command, "a.csv", name)
    assert ran.status == 2 and f"{name!r} has the same reports as 'a.csv': a report counts once" in ran.err


def test_a_copy_of_few_reports_is_known_by_its_bytes():
    """Two reports in equal cells may be chance: other files with the same counts are taken."""
    for name, column in (("a.csv", ONE), ("b.csv", TimeColumn("start", 3.0, "3h"))):
        released_times(name, [480, 1020], column)
    assert run("mean", "a.csv", "b.csv").status == 0
    released_times("c.csv", [480, 1020], ONE)
    assert "has the same reports" in run("mean", "a.csv", "c.csv").err


def test_a_later_release_of_the_same_input_is_told():
    """The guarantee of the second tells of a release as the first is; of another level it does not."""
    released("a.csv", [8.0])
    for name, level in (("b.csv", 3.0), ("c.csv", 0.3)):
        released(name, [8.0], seed=2, earlier=(EarlierRelease(("arrival",), level, "3h"),))
    for words in (["mean", "a.csv"], ["compare", "a.csv", "--bins", 3, "--edges", "hard"]):
        words.insert(2, "b.csv")
        said = run(*words).out
        assert said.count("Warning: b.csv is a later release of an input") == 1 and "counts twice" in said
        words[2] = "c.csv"
        assert "later release" not in run(*words).out


def test_files_stand_together():
    released("a.csv", [8.0])
    ran = run("histogram", "a.csv", "--bins", 4, "a.csv")
    assert ran.status == 2 and "there is no place for 'a.csv': give all files side by side" in ran.err


# ---------------------------------------------------------------------- groups


def test_each_group_is_estimated_alone(kept, monkeypatch):
    kept()
    table = parsed("histogram", "kept.csv", "--by", "shift", "--bins", 6)
    assert table["by"] == "shift" and [each["group"] for each in table["results"]] == ["early", "late"]
    cells = {"early": [], "late": []}
    names = {ONE.label(cell): cell for cell in range(1440)}
    for row in csv.DictReader(Path("kept.csv").read_text(encoding="utf-8").splitlines()):
        cells[row["shift"]].append((names[row["arrival"]] + 0.5) / 1440 * 2.0 * np.pi)
    for result in table["results"]:
        found = estimate_histogram(cells[result["group"]], ONE.release().noise, bins=6, edges="soft")
        assert np.array(ends_in(result)) == pytest.approx(np.array(ends(found)), abs=1e-9)
    out = run("mean", "kept.csv", "--by", "shift").out
    assert "the values of 'shift', a column that is not protected" in out
    assert out.index("Group 'early':") < out.index("Group 'late':") and "60 reports" in out
    assert run("histogram", "kept.csv", "--by", "shift", "--bins", 6, "--csv", "a.csv").status == 0
    rows = list(csv.DictReader(Path("a.csv").read_text(encoding="utf-8").splitlines()))
    assert [row["group"] for row in rows] == ["early"] * 6 + ["late"] * 6
    assert float(rows[2]["share"]) == pytest.approx(table["results"][0]["bins"][2]["share"], rel=1e-5)


def test_groups_of_several_files_are_joined(kept):
    kept("a.csv")
    kept("b.csv", [("late", 40, 17), ("third", 50, 12)])
    results = parsed("mean", "a.csv", "b.csv", "--by", "shift")["results"]
    counts = {each["group"]: [release["count"] for release in each["releases"]] for each in results}
    assert counts == {"early": [60], "late": [50, 40], "third": [50]}


def test_groups_that_are_too_few_or_too_many(kept):
    kept(groups=[("", 20, 8), ("alone", 1, 8), ("two", 2, 8)])
    ran = run("mean", "kept.csv", "--by", "shift")
    assert "Group 'alone' is left out: it has fewer than two reports." in ran.out
    assert "Group without a value:" in ran.out and "Group 'two':" in ran.out
    assert "Group 'alone':" not in ran.out
    document = parsed("mean", "kept.csv", "--by", "shift")
    assert len(document["results"]) == 2 and "'alone' is left out" in document["warnings"][0]
    kept("many.csv", [(str(number), 2, 8) for number in range(12)])
    assert run("mean", "many.csv", "--by", "shift").out.count("Group '") == 12
    kept("more.csv", [(str(number), 2, 8) for number in range(13)])
    assert "--by shift has more than 12 values" in run("mean", "more.csv", "--by", "shift").err
    kept("alone.csv", [("a", 1, 8), ("b", 1, 8)])
    assert "in each group has 1 report(s): an estimate" in run("mean", "alone.csv", "--by", "shift").err


def test_groups_are_of_a_column_that_was_kept(kept):
    kept()
    released("plain.csv", [8.0])
    err = run("mean", "kept.csv", "--by", "arrival").err
    assert "--by must be a column that was kept, 'shift'; got 'arrival'" in err
    assert "and 'plain.csv' has none" in run("mean", "plain.csv", "--by", "shift").err


def test_names_of_groups_are_shown_as_they_are_and_act_on_nothing(kept):
    """Quotes, control characters and formulas: in JSON whole, in the terminal harmless."""
    names = "o'brien", "\x1b[31mred", "x" * 100, "'; DROP TABLE t; --"
    kept(groups=[(name, 3, 8) for name in names])
    assert {each["group"] for each in parsed("mean", "kept.csv", "--by", "shift")["results"]} == set(names)
    out = run("mean", "kept.csv", "--by", "shift").out
    assert "\x1b" not in out and "x" * 41 not in out


# ---------------------------------------------------------------------- two groups


def test_a_comparison_is_that_of_the_estimators(monkeypatch):
    """As they are, without those that remember."""
    released("a.csv", [8.0])
    released("b.csv", [9.0], seed=2)
    for estimate in (estimate_mean, two_sample_test):
        monkeypatch.setattr(estimators, estimate.__name__, estimate.__wrapped__)
    monkeypatch.setattr(histogram_estimates, "estimate_histogram", estimate_histogram.__wrapped__)
    said = run("compare", "a.csv", "b.csv", "--bins", 6, "--edges", "hard", "--json", "a.json").out
    document = json.loads(Path("a.json").read_text(encoding="utf-8"))
    assert "difference_density" not in document and "edges" not in document["results"][0]
    reports = [of(name) for name in ("a.csv", "b.csv")]
    means = [estimators.estimate_mean(*each[:2], weights=each[2], confidence=0.975) for each in reports]
    ends_of = [angle / np.pi * 12.0 for angle in means[0].difference(means[1])]
    assert list(document["difference"].values()) == pytest.approx(ends_of)
    (first, second) = (np.repeat(each[0][0], each[2][0]) for each in reports)
    assert document["two_sample_p"] == pytest.approx(estimators.two_sample_test(first, second).p_value)
    for result, each in zip(document["results"], reports, strict=True):
        assert ends_in(result) == ends(estimators.estimate_histogram(*each[:2], bins=6, weights=each[2]))
        low = estimators.estimate_mean(*each[:2], weights=each[2]).low
        assert result["mean"]["low"] == pytest.approx(low / np.pi * 12.0)
    assert "'b.csv' minus 'a.csv'" in said and formatting.p_value(document["two_sample_p"]) in said
    printed = re.search(r"minus 'a.csv' .* confidence interval ([+-]\d+:\d\d) h to ([+-]\d+:\d\d) h", said).groups()
    hours = [float(f"{end[0]}1") * (int(end[1:-3]) + int(end[-2:]) / 60.0) for end in printed]
    assert hours == pytest.approx(ends_of[1:], abs=0.51 / 60.0)


def test_where_two_days_differ_is_said_through_one_blur():
    """Also around midnight: what the words and the document say is where the band excludes 0."""
    released("a.csv", [0.0])
    released("b.csv", [12.0], OTHER, 120, seed=2)
    document = parsed("compare", "a.csv", "b.csv")
    (one, first, _), (other, second, _) = reports = of("a.csv"), of("b.csv")
    weights = {"first_weights": reports[0][2], "second_weights": reports[1][2]}
    days = estimate_density_difference(one, first, other, second, **weights)
    found = document["difference_density"]
    assert found["blur"] == pytest.approx(days.blur * 12.0 / np.pi)
    for name in ("difference", "low", "high", "low_everywhere", "high_everywhere"):
        assert [at[name] for at in found["times"]] == pytest.approx(getattr(days, name) * np.pi / 12.0)
    times = [at["time"] for at in found["times"]]
    for name, here in (("a.csv", days.high_everywhere < 0.0), ("b.csv", days.low_everywhere > 0.0)):
        said = np.zeros(len(times), dtype=bool)
        for each in document["differs"]:
            begin, end = times.index(each["from"]), times.index(each["to"])
            length = (end - begin) % len(times) + 1
            said[(begin + np.arange(length)) % len(times)] |= each["more"] == name
        assert np.array_equal(said, here) and here.any()
    ran = run("compare", "a.csv", "b.csv", "--plot", "a.svg")
    words = " ".join(ran.out.split())
    for each in document["differs"]:
        more = "more" if each["more"] == "b.csv" else "fewer"
        assert f"{more} of 'b.csv' from {each['from']} to {each['to']}" in words
    for result in document["results"]:
        assert result["blur"] == pytest.approx(24.0 / len(result["bins"])) and result["blur"] >= found["blur"]
    names = {"names": ("a.csv", "b.csv"), "title": "Estimated times of 'arrival'"}
    names["result"] = f"b.csv minus a.csv: {re.search(r'minus .a.csv. +(.*)', ran.out)[1]}.\nWatson's test: none"
    drawn = draw_comparison(days.first, days.second, days, **names, guarantee="level 3 within 3h, level 1 within 3h")
    assert pictures.figure_bytes(drawn, "svg") == Path("a.svg").read_bytes()


def test_days_that_do_not_differ_or_that_no_blur_shows():
    for number, name in enumerate(("a.csv", "b.csv")):
        released(name, [8.0], seed=number)
    assert "With 95 %, all times together: no time at which the days differ." in run("compare", "a.csv", "b.csv").out
    assert parsed("compare", "a.csv", "b.csv")["differs"] == []
    for number, name in enumerate(("c.csv", "d.csv")):
        released(name, [8.0], OTHER, 40, seed=number)
    ran = run("compare", "c.csv", "d.csv")
    assert "No curve: " in ran.out and "differ" not in ran.out
    document = parsed("compare", "c.csv", "d.csv")
    assert document["difference_density"] is document["differs"] is None
    assert [len(result["bins"]) for result in document["results"]] == [3, 3]
    ran = run("compare", "c.csv", "d.csv", "--plot", "a.png")
    assert ran.status == 2 and "--plot has nothing to draw. No curve: " in ran.err


def test_other_noise_has_no_test_and_a_difference():
    """The wrong variant, a test of the reports all the same, rejects people with the same times."""
    released("a.csv", [8.0], TimeColumn("arrival", 10.0, "3h"))
    released("b.csv", [8.0], OTHER, seed=2)
    words = "compare", "a.csv", "b.csv", "--bins", 4, "--edges", "hard"
    document = parsed(*words)
    assert document["two_sample_p"] is None
    assert document["difference"]["low"] < document["difference"]["high"]
    assert re.search("two-sample test +none, because the noise differs", run(*words).out)
    (first, second) = (np.repeat(each[0][0], each[2][0]) for each in (of("a.csv"), of("b.csv")))
    assert estimators.two_sample_test(first, second).p_value < 1e-3


def test_groups_with_no_mean_have_no_difference():
    """With two reports at level 1 there is none, whatever they are."""
    released("a.csv", [8.0], OTHER, 2)
    released("b.csv", [8.0])
    words = "compare", "a.csv", "b.csv", "--bins", 4, "--edges", "hard"
    document = parsed(*words)
    assert document["difference"]["low"] is document["results"][0]["mean"]["high"] is None
    assert "unknown, 95 % confidence interval: the whole day" in run(*words).out


def test_two_groups_of_one_file_are_compared(kept, tmp_path):
    kept()
    document = parsed("compare", "kept.csv", "--by", "shift", "--bins", 4)
    assert [each["group"] for each in document["results"]] == ["early", "late"]
    assert abs(document["difference"]["value"] - 9.0) < 2.0  # seven standard errors
    assert run("compare", "kept.csv", "--by", "shift", "--bins", 4, "--csv", "a.csv").status == 0
    rows = list(csv.DictReader(Path("a.csv").read_text(encoding="utf-8").splitlines()))
    assert [row["group"] for row in rows] == ["early"] * 4 + ["late"] * 4
    kept("three.csv", [(name, 9, 8) for name in "abc"])
    kept("lone.csv", [("a", 9, 8), ("b", 1, 8)])
    for words in (["three.csv", "--by", "shift"], ["lone.csv", "--by", "shift"], ["kept.csv"]):
        ran = run("compare", *words)
        assert ran.status == 2 and "needs two groups of at least two reports" in ran.err


def test_headings_and_weeks_are_compared_in_their_units():
    heading = HeadingColumn("wind", 3.0, "45deg")
    for number, degrees in enumerate((350, 80)):
        cells = heading.release().randomise_cells(np.full(60, degrees * heading.cells // 360))
        released_times(f"wind{number}.csv", cells, heading)
    said = run("compare", "wind0.csv", "wind1.csv", "--bins", 4, "--edges", "hard").out
    value = float(re.search(r"minus 'wind0.csv' +\+([\d.]+)°, 95 % confidence interval \+", said)[1])
    assert abs(value - 90.0) < 25.0  # six standard errors
    for number in range(2):
        released(f"week{number}.csv", [20.0 + number], WEEK, 2, seed=number)
    ran = run("compare", "week0.csv", "wind0.csv")
    assert ran.status == 2 and "'week0.csv' has times of 7d, and 'wind0.csv' headings of 360deg" in ran.err


# ---------------------------------------------------------------------- pictures and documents


def test_python_draws_the_comparison_of_the_command():
    released("a.csv", [8.0])
    released("b.csv", [9.0], OTHER, seed=2)
    found = [estimate_histogram(*each[:2], bins=6, weights=each[2]) for each in (of("a.csv"), of("b.csv"))]
    about = {"names": ("a.csv", "b.csv"), "title": "Estimated times of 'arrival'"}
    guarantee = "level 3 within 3h, level 1 within 3h"
    ran = run("compare", "a.csv", "b.csv", "--bins", 6, "--edges", "hard", "--plot", "a.svg")
    between = re.search(r"'b.csv' minus 'a.csv' +(.*)", ran.out)[1]
    about["result"] = f"b.csv minus a.csv: {between}.\nWatson's test: none"
    with matplotlib.rc_context({"font.size": 30.0, "svg.hashsalt": None}):
        drawn = pictures.draw_comparison(*found, **about, guarantee=guarantee)
        assert pictures.figure_bytes(drawn, "svg") == Path("a.svg").read_bytes()
        other = pictures.draw_comparison(*found[::-1], **about, guarantee=guarantee)
        assert pictures.figure_bytes(other, "svg") != Path("a.svg").read_bytes()


def test_the_picture_of_a_comparison_says_what_was_found(kept, monkeypatch):
    """The difference and the test as they are printed, in lines that end on the page."""
    drawn = []
    monkeypatch.setattr(
        times, "draw_comparison", lambda *found, **about: drawn.append(draw_comparison(*found, **about)) or drawn[0]
    )
    kept()
    said = run("compare", "kept.csv", "--by", "shift", "--bins", 6, "--edges", "hard", "--plot", "a.png").out
    difference = re.search(r"'late' minus 'early' +(.*)", said)[1]
    p_value = re.search(r"two-sample test +(p .*) \(", said)[1]
    figure = drawn[0]
    figure.canvas.draw()
    (about,) = (text for text in figure.axes[0].texts if text.get_text().startswith("shift late minus"))
    first = f"shift late minus shift early: {difference}. Watson's test: {p_value}"
    assert about.get_text().replace("\n", " ").startswith(f"{first} 60 and 50 private reports")
    assert about.get_window_extent().x1 < figure.bbox.x1


def test_python_draws_the_groups_of_the_command(kept):
    """A panel for each; with the groups exchanged it is another picture."""
    kept()
    found = {}
    for shift in ("early", "late"):
        (reports,) = counted(Table("path", "kept.csv"), [ONE], "shift", shift)
        distribution = reports.column.release().noise
        found[f"shift {shift}"] = estimate_density_band(reports.angles, distribution, weights=reports.counts)
    about = {"title": "Estimated times of 'arrival'", "guarantee": "level 3 within 3h"}
    assert run("histogram", "kept.csv", "--by", "shift", "--plot", "a.pdf").status == 0
    drawn = pictures.draw_density_band(found, **about)
    assert pictures.figure_bytes(drawn, "pdf") == Path("a.pdf").read_bytes()
    other = pictures.draw_density_band(dict(zip(found, reversed(found.values()), strict=True)), **about)
    assert pictures.figure_bytes(other, "pdf") != Path("a.pdf").read_bytes()


@pytest.mark.parametrize("number", [1, 2, 12])
def test_each_group_has_a_panel_with_its_name(number):
    """Of the same height, and at most one warning in full, with the number of the others."""
    found = estimate_histogram(np.full(60, 2.0), ONE.release().noise, bins=8)
    found = dataclasses.replace(found, warning="the intervals are too wide to be useful " * 4)
    names = [f"group {each} with a name that is much too long to be shown" for each in range(number)]
    figure = pictures.draw_histogram(dict.fromkeys(names, found))
    figure.canvas.draw()
    assert len(figure.axes) == number and len({ax.get_ylim() for ax in figure.axes}) == 1
    for each, ax in enumerate(figure.axes):
        (label,) = (text for text in ax.texts if text.get_text().endswith("[...]: 60 private reports"))
        assert label.get_text().startswith(f"group {each} ")
        box, inside = label.get_window_extent(), ax.get_window_extent()
        assert inside.x0 <= box.x0 and box.x1 <= inside.x1 and inside.y0 <= box.y0 and box.y1 <= inside.y1
    above = figure.axes[0].texts[-1]
    assert above.get_text().count("Warning") == (1, 2, 1)[(1, 2, 12).index(number)]
    assert above.get_text().endswith("11 more groups have a warning.") == (number == 12)
    assert above.get_window_extent().y1 < figure.bbox.y1


@pytest.mark.parametrize("peaks", [(0, 23), (23, 0), *swept(((8, 8),), ((11, 12),), ((22, 23),))])
def test_labels_are_beside_their_own_bars(peaks):
    """In the colour of their bars, and neither a text nor a line of one group is in a text of the other."""
    rng = np.random.default_rng(1)
    distribution = ONE.release().noise
    people = {peak: rng.normal(peak + 0.5, 0.2, 300) / 12.0 * np.pi for peak in sorted(peaks)}
    found = [estimate_histogram(people[peak], distribution, intervals="smooth") for peak in peaks]
    names = "the northern branch", "the southern branch with a name that is much too long to be shown"
    figure = pictures.draw_comparison(*found, names=names)
    figure.canvas.draw()
    ax = figure.axes[0]
    labels = [text for text in ax.texts if text.get_text().startswith("the ")]
    assert [text.get_color() for text in labels] == ["#0072b2", "#d55e00"]
    boxes = [Text.get_window_extent(text) for text in labels]
    assert not boxes[0].overlaps(boxes[1])
    for text, box in zip(labels, boxes[::-1], strict=True):
        line = text.arrow_patch.get_window_extent()
        assert line.x1 <= box.x0 or line.x0 >= box.x1 or line.y1 <= box.y0 or line.y0 >= box.y1
    page = figure.bbox
    assert all(box.x0 >= page.x0 and box.x1 <= page.x1 and box.y1 <= page.y1 for box in boxes)
    assert max(ax.get_yticks()) <= 100.0


def test_a_document_is_in_a_file_or_alone_on_the_standard_output():
    released("a.csv", [8.0])
    keys = "group kind period releases count confidence intervals bins warnings".split()
    ran = run("histogram", "a.csv", "--bins", 4, "--json", "a.json", "--csv", "a.csv.csv")
    assert ran.out.splitlines()[-1] == "Written: a.json"
    document = json.loads(Path("a.json").read_text(encoding="utf-8"))
    assert document == parsed("histogram", "a.csv", "--bins", 4)
    assert list(document) == ["format", "command", "by", "warnings", "results"] and document["format"] == 2
    assert list(document["results"][0]) == [*keys[:-1], "edges", "blur", "weights", "band", keys[-1]]
    hard = parsed("histogram", "a.csv", "--bins", 4, "--edges", "hard")
    assert list(hard["results"][0]) == keys
    assert list(document["results"][0]["bins"][0]) == ["from", "to", "share", "low", "high"]
    assert list(document["results"][0]["releases"][0]) == ["file", "columns", "level", "radius", "count"]
    assert run("histogram", "a.csv", "--json", "a.json").status == 2
    assert "must end in .json" in run("mean", "a.csv", "--json", "a.txt").err
    mean = parsed("mean", "a.csv")["results"][0]
    assert list(mean) == [*keys[:6], "mean", "resultant", "rayleigh_p", "warnings"]


def test_a_picture_goes_with_a_document_on_the_standard_output():
    """What was drawn is not said there."""
    released("a.csv", [8.0])
    assert parsed("histogram", "a.csv", "--bins", 4, "--plot", "a.svg")["command"] == "histogram"
    first = Path("a.svg").read_bytes()
    assert first.startswith(b"<?xml") and b"<dc:date>" not in first
    Path("a.svg").unlink()
    parsed("histogram", "a.csv", "--bins", 4, "--plot", "a.svg")
    assert Path("a.svg").read_bytes() == first


def test_guarantees_are_given_in_the_order_of_the_files():
    released("a.csv", [8.0])
    released("b.csv", [9.0], OTHER)
    beside = run("mean", "a.csv", "b.csv").out
    for name in "ab":
        Path(f"{name}.csv.guarantee.json").rename(f"{name}.json")
    words = ["mean", "a.csv", "b.csv", "--guarantee", "a.json"]
    assert "--guarantee must be given once for each file, 2 times" in run(*words).err
    assert run(*words, "--guarantee", "b.json").out == beside
