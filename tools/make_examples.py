"""Make the example files of examples/: times, places and reports of people who do not exist.

python tools/make_examples.py

The numbers are draws from mixtures that are written here. They are not data of anybody, and not fitted to
any. The same seed gives the same files.
"""

import json
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

import dirpriv  # noqa: E402
from dirpriv.command.device import page  # noqa: E402
from dirpriv.release import TimeColumn  # noqa: E402
from dirpriv.release.devices import REPORT, Survey  # noqa: E402

SEED = 2024
PEOPLE = 5000
DAY = np.datetime64("2024-03-05", "m")  # a Tuesday

# share of the people, mean time in hours, standard deviation in hours
ARRIVALS = (0.44, 8.3, 0.8), (0.12, 12.6, 1.1), (0.36, 17.7, 1.2), (0.08, 14.0, 4.0)

SURVEY = Survey("When did you arrive at work?", TimeColumn("arrival", level=1.0, within="3h", cells=96))
DEVICES = 300

# share of the people, latitude, longitude, standard deviation in metres along each axis
VISITS = (
    (0.33, 40.755, -73.983, 1500.0),  # Midtown
    (0.18, 40.710, -74.010, 1000.0),  # Lower Manhattan
    (0.14, 40.690, -73.985, 1800.0),  # Downtown Brooklyn
    (0.08, 40.745, -73.940, 1500.0),  # Long Island City
    (0.07, 40.645, -73.785, 900.0),  # the airport
    (0.20, 40.740, -73.950, 7500.0),  # elsewhere
)


def arrivals(rng):
    """Minutes of arrival on one day."""
    shares, means, deviations = np.array(ARRIVALS).T
    kind = rng.choice(len(shares), PEOPLE, p=shares)
    hours = rng.normal(means[kind], deviations[kind]) % 24.0
    return DAY + np.floor(hours * 60.0).astype("timedelta64[m]")


def visits(rng):
    """Latitudes and longitudes, one row each."""
    shares, latitudes, longitudes, deviations = np.array(VISITS).T
    kind = rng.choice(len(shares), PEOPLE, p=shares)
    east, north = rng.normal(0.0, deviations[kind], (2, PEOPLE))
    centres = np.stack([latitudes[kind], longitudes[kind]], axis=-1)
    return dirpriv.geometry.earth.destination(centres, np.arctan2(east, north), np.hypot(east, north))


def reports(rng):
    """Reports of devices, as their pages would draw them; these draws have a seed."""
    minutes = (arrivals(rng)[:DEVICES] - DAY).astype(int)
    steps = rng.choice(SURVEY.column.cells, DEVICES, p=SURVEY.release.law.probabilities)
    for cell in (minutes // 15 + steps) % SURVEY.column.cells:
        fields = {"survey": SURVEY.to_json()["id"], "time": SURVEY.column.label(int(cell))}
        yield json.dumps({"format": REPORT} | fields | {"nonce": rng.bytes(16).hex()})


def main():
    """Write all files."""
    rng = np.random.default_rng(SEED)
    folder = ROOT / "examples"
    rows = [f"{person},{str(time).replace('T', ' ')}" for person, time in enumerate(arrivals(rng), start=1)]
    write(folder / "arrivals.csv", ["person,arrival", *rows])
    rows = [f"{person},{lat:.5f},{lon:.5f}" for person, (lat, lon) in enumerate(visits(rng), start=1)]
    write(folder / "visits.csv", ["person,lat,lon", *rows])
    write(folder / "survey.html", page(SURVEY).splitlines())
    write(folder / "reports.jsonl", reports(rng))


def write(path, lines):
    """Write lines to a text file."""
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
