"""What the command draws: maps of places, and pictures of all estimates."""

import csv
import re
import struct

import matplotlib
import numpy as np
import pytest
from command_runs import all_over_the_city, folder, released_places, released_times, run

from dirpriv import estimators
from dirpriv.estimators import private_place_density
from dirpriv.files import Guarantee, read_released

pytestmark = pytest.mark.usefixtures("folder")


TOO_SMALL = r"Warning: (\S+) % of the reports are more than .* outside of the map"


def test_a_map_is_that_of_the_estimator():
    people = np.repeat([[40.7725, -73.95], [40.645, -73.785]], [850, 150], axis=0)
    column = released_places("places.csv", people)
    ran = run("map", "places.csv", "--cells", 12, "--csv", "map.csv")
    assert ran.status == 0 and ran.err == ""
    (reports,) = read_released("places.csv", Guarantee((column,)))
    law = column.release().law
    found = private_place_density(reports.positions, law, reach=30e3, cells=12, weights=reports.counts)
    with open("map.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    shares = np.array([float(row["share"]) for row in rows])
    assert shares == pytest.approx(np.sort(found.shares, axis=None)[::-1], rel=1e-3, abs=1e-6)
    top = rows[0]
    assert float(top["people_per_km2"]) == pytest.approx(shares[0] * 1000 / 25.0, rel=1e-4)
    # most people are in the middle of the cell of 5 km from the origin to the north and east
    assert float(top["east_m"]) == 2500.0 and float(top["latitude"]) == pytest.approx(40.7725, abs=0.001)
    assert len(re.findall(r"^ +40\.", ran.out, re.M)) == 10
    assert not re.search(TOO_SMALL, ran.out)


def test_a_map_that_is_too_small_warns():
    released_places("places.csv", all_over_the_city())
    assert re.search(TOO_SMALL, run("map", "places.csv", "--cells", 12, "--reach", "8km").out)


# ---------------------------------------------------------------------- pictures


def size_of(path):
    """Pixels of a PNG."""
    head = path.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", head[16:])


def once(estimate):
    """A function that gives its first result again."""
    results = []

    def called(*args, **kwargs):
        if not results:
            results.append(estimate(*args, **kwargs))
        return results[0]

    return called


@pytest.mark.parametrize(
    "words",
    [
        ("histogram", "private.csv"),
        ("map", "places.csv", "--cells", 12),
        ("explain", "--level", 1, "--within", "3h"),
        ("explain", "--level", 10, "--within", "15min", "--cells", 96, "--at", "23:50"),
        ("explain", "--level", 1, "--within", "200m"),
    ],
)
def test_pictures_are_as_wide_as_a_page(words, folder, monkeypatch):
    # both pictures draw the same estimate
    monkeypatch.setattr(estimators, "private_place_density", once(private_place_density))
    if words[0] == "histogram":
        released_times("private.csv")
    elif words[0] == "map":
        released_places("places.csv", all_over_the_city())
    assert run(*words, "--plot", "a.png").status == 0
    assert size_of(folder / "a.png")[0] == pytest.approx(170.0 / 25.4 * 150.0, abs=2.0)
    if words[0] == "map":  # of the others, other tests draw a PDF file
        assert run(*words, "--plot", "a.pdf").status == 0
        assert (folder / "a.pdf").read_bytes().startswith(b"%PDF")


def test_the_same_question_gives_the_same_picture(folder):
    """Also if the user has other settings of Matplotlib."""
    words = "explain", "--level", 1, "--within", "3h", "--plot"
    settings = {"font.size": 30.0, "savefig.dpi": 10.0, "figure.facecolor": "red", "axes.grid": True}
    for kind in ("png", "pdf"):
        assert run(*words, f"a.{kind}").status == 0
        with matplotlib.rc_context(settings):
            assert run(*words, f"b.{kind}").status == 0
        assert (folder / f"a.{kind}").read_bytes() == (folder / f"b.{kind}").read_bytes()
