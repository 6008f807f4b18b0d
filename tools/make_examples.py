"""Make the example files of examples/: times, places and reports of people who do not exist.

python tools/make_examples.py

The numbers are draws from mixtures that are written here. They are not data of anybody, and not fitted to
any. The same seed gives the same files.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

import dirpriv  # noqa: E402

SEED = 2024
PEOPLE = 5000
DAY = np.datetime64("2024-03-05", "m")  # a Tuesday

# share of the people, mean time in hours, standard deviation in hours
ARRIVALS = (0.44, 8.3, 0.8), (0.12, 12.6, 1.1), (0.36, 17.7, 1.2), (0.08, 14.0, 4.0)

COLUMN = dirpriv.release.TimeColumn("arrival", level=1.0, radius="3h", cells=96)
SURVEY = ("--question", "When did you arrive at work?", "--name", "arrival", "--level=1", "--within=3h", "--cells=96")
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


def survey():
    """The identifier of the survey, from its page as the command writes it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "survey.html"
        command = [sys.executable, "-m", "dirpriv", "device", path, *SURVEY]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=ROOT / "src")
        return re.search('"id": "([0-9a-f]{64})"', path.read_text("utf-8"))[1]


def reports(rng, survey):
    """Reports of devices, as the page of the survey would draw them; these draws have a seed."""
    minutes = (arrivals(rng)[:DEVICES] - DAY).astype(int)
    steps = rng.choice(COLUMN.cells, DEVICES, p=COLUMN.release().noise.probabilities)
    for cell in (minutes // 15 + steps) % COLUMN.cells:
        fields = {"survey": survey, "time": COLUMN.label(int(cell)), "nonce": rng.bytes(16).hex()}
        yield json.dumps({"format": "dirpriv.report/1"} | fields)


def main():
    """Write all files."""
    rng = np.random.default_rng(SEED)
    folder = ROOT / "examples"
    rows = [f"{person},{str(time).replace('T', ' ')}" for person, time in enumerate(arrivals(rng), start=1)]
    write(folder / "arrivals.csv", ["person,arrival", *rows])
    rows = [f"{person},{lat:.5f},{lon:.5f}" for person, (lat, lon) in enumerate(visits(rng), start=1)]
    write(folder / "visits.csv", ["person,lat,lon", *rows])
    write(folder / "reports.jsonl", reports(rng, survey()))


def write(path, lines):
    """Write lines to a text file."""
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
