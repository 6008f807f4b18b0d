"""What a release says and leaves behind holds no value of the data, whether it succeeds or fails.

The data are markers that occur nowhere else. Everything that a run says or writes is searched for them:
output, errors, tracebacks of the functions, and every file of the folder and of the holder's own folder. The
wrong variant is a kept column: its markers must be found.
"""

import gzip
import os
import traceback
from pathlib import Path

import databases
import duckdb
import numpy as np
import pytest
from command_runs import CITY, contents, folder, run
from sweeps import swept

from dirpriv.release import file as release_file

# of a year that has passed: the ledger holds today's date, and a day of any year comes again
TIMES = ["2011-07-09 04:44:41", "2011-07-10 21:33:37", "2011-07-11 13:37:59"]
LATITUDES, LONGITUDES = ["40.7531975319", "40.6864286421"], ["-73.9864286428", "-74.0123123123"]
USERS = ["Zyxander-Quill", "Wolfrida-Grumm", "Thaddaeus-Blomqvist"]
MARKERS = [
    *(part for time in TIMES for part in (time, time[:10], time[11:], time[2:10])),
    *(degrees[:-2] for degrees in LATITUDES + LONGITUDES),  # released ones have 6 digits after the point
    *USERS,
    *(name.split("-")[1] for name in USERS),
    "Marzipanhof",
]
RELEASE_TIMES = ["--time", "arrival", "--level", "1", "--within", "3h"]
RELEASE_PLACES = "--latitude lat --longitude lon --level 1 --within 2km".split()
RELEASE_PLACES += "--region-centre 40.75,-73.98 --region-reach 30km --cell-size 100m".split()


def rows(bad=""):
    """Lines of a file of markers, with a bad one at the end."""
    people = [USERS[i % 3] for i in range(60)]
    lines = [
        f"{person},{TIMES[i % 3]},{LATITUDES[i % 2]},{LONGITUDES[i % 2]},Marzipanhof" for i, person in enumerate(people)
    ]
    return "\n".join(["person,arrival,lat,lon,street", *lines, *([bad] if bad else [])]) + "\n"


def written(folder):
    """Every byte below a folder that a run wrote, also inside of compressed files."""
    found = b""
    for name, content in contents(folder).items():
        if name.startswith("source"):
            continue
        found += name.encode() + b"\n" + (content or b"")
        if name.endswith(".gz"):
            found += gzip.decompress(content)
        if name.endswith(".parquet"):
            found += repr(duckdb.sql(f"SELECT * FROM read_parquet('{name}')").fetchall()).encode()
            found += repr(duckdb.sql(f"SELECT * FROM parquet_metadata('{name}')").fetchall()).encode()
    return found


def seen(ran, folder):
    """The markers that a run gave away."""
    everything = "\n".join(ran).encode() + written(folder) + written(Path(os.environ["HOME"]))
    return [marker for marker in MARKERS if marker.encode() in everything]


def source(text, suffix=".csv"):
    """Write the input of a run."""
    name = f"source{suffix}"
    if suffix == ".csv.gz":
        Path(name).write_bytes(gzip.compress(text.encode()))
    elif suffix == ".parquet":
        Path("source.csv").write_text(text, encoding="utf-8")
        duckdb.sql("COPY (FROM read_csv('source.csv', header=true)) TO 'source.parquet'")
    else:
        Path(name).write_text(text, encoding="utf-8")
    return name


RELEASES = {
    "times": RELEASE_TIMES,
    "people": [*RELEASE_TIMES, "--user", "person", "--max-rows-per-person", "2"],
    "week": [*RELEASE_TIMES, "--period", "7d", "--cells", "2016"],
    "places": RELEASE_PLACES,
    "both": [*RELEASE_PLACES, "--time", "arrival", "--within", "3h", "--user", "person", "--keep-order"],
}
# each release as CSV, and each kind of file of people
FEW = [
    *((kind, ".csv") for kind in RELEASES),
    *((kind, s) for kind in ("people", "both") for s in (".csv.gz", ".parquet")),
]
REST = [(kind, suffix) for kind in ("times", "week", "places") for suffix in (".csv.gz", ".parquet")]


@pytest.mark.parametrize(("kind", "suffix"), [*FEW, *swept(*REST)])
def test_a_release_says_and_leaves_no_value(kind, suffix, folder):
    options = RELEASES[kind]
    name = source(rows(), suffix)
    ran = run("release", name, f"out{suffix}", *options)
    assert ran.status == 0, ran.err
    assert ran.err == "" and Path(f"out{suffix}").exists()
    assert seen(ran[1:], folder) == []
    if "--time" in options:
        analysed = run("mean", f"out{suffix}", "--column", "arrival")
    else:
        analysed = run("map", f"out{suffix}", "--cells", "4", "--intervals", "smooth")
    assert analysed.status == 0 and seen(analysed[1:], folder) == []


def test_a_kept_column_is_found(folder):
    ran = run("release", source(rows()), "out.csv", *RELEASE_TIMES, "--keep", "street")
    assert ran.status == 0 and "Not protected: column 'street'" in ran.out
    assert seen(ran[1:], folder) == ["Marzipanhof"]


BAD = {
    "a time that is none": (rows(f"{USERS[0]},{TIMES[0]} o'clock,40.7,-73.9,Marzipanhof"), RELEASE_TIMES),
    "a time of another kind": (rows(f"{USERS[0]},04:44:41,40.7,-73.9,Marzipanhof"), RELEASE_TIMES),
    "a day that is none": (rows(f"{USERS[0]},2011-07-39 04:44:41,40.7,-73.9,Marzipanhof"), RELEASE_TIMES),
    "no time": (rows(f"{USERS[0]},,40.7,-73.9,Marzipanhof"), RELEASE_TIMES),
    "no person": (rows(f",{TIMES[0]},40.7,-73.9,Marzipanhof"), [*RELEASE_TIMES, "--user", "person"]),
    "a latitude beyond": (rows(f"{USERS[0]},{TIMES[0]},{LATITUDES[0]}e3,-73.9,x"), RELEASE_PLACES),
    "a latitude that is none": (rows(f"{USERS[0]},{TIMES[0]},{LATITUDES[0]} N,-73.9,x"), RELEASE_PLACES),
    "a longitude alone": (rows(f"{USERS[0]},{TIMES[0]},,{LONGITUDES[0]},x"), RELEASE_PLACES),
    "places for times": (rows(), ["--time", "lat", "--level", "1", "--within", "3h"]),
    "people for times": (rows(), ["--time", "person", "--level", "1", "--within", "3h"]),
    "times for places": (rows(), [*RELEASE_PLACES, "--latitude", "arrival"]),
    "people for places": (rows(), [*RELEASE_PLACES, "--longitude", "person"]),
    "a format that does not fit": (rows(), [*RELEASE_TIMES, "--time-format", "%d.%m.%Y %H:%M"]),
    "a field too many": (rows(f"{USERS[0]},{TIMES[0]},40.7,-73.9,Marzipanhof,x"), RELEASE_TIMES),
    "a field too few": (rows(f"{USERS[0]},{TIMES[0]}"), RELEASE_TIMES),
    "a quote in a field": (rows(f'{USERS[0]}"x",{TIMES[0]},40.7,-73.9,"Marzipanhof'), RELEASE_TIMES),
    "a quote that is open": (rows(f'"{USERS[0]},{TIMES[0]},40.7,-73.9,Marzipanhof'), RELEASE_TIMES),
    "another separator": (rows().replace(",", ";"), RELEASE_TIMES),
    "a zone": (rows(), [*RELEASE_TIMES, "--zone", "Europe/Berlin"]),
    "no names": (rows().partition("\n")[2], RELEASE_TIMES),
    "no names, but values of one row twice": (f"{TIMES[0]},{TIMES[0]}\n" * 3, RELEASE_TIMES),
    "no names, and another separator": (rows().partition("\n")[2].replace(",", ";"), RELEASE_TIMES),
    "no names, but words": ("\n".join(f"{name},Marzipanhof" for name in USERS) + "\n", RELEASE_TIMES),
    "a column that is not there": (rows(), [*RELEASE_TIMES, "--keep", "town"]),
    "a longitude for the latitude": (rows(), [*RELEASE_PLACES, "--latitude", "lon", "--longitude", "lat"]),
}


@pytest.mark.parametrize("case", BAD)
def test_an_error_shows_no_value(case, folder):
    text, options = BAD[case]
    name = source(text)
    before = contents(folder)
    ran = run("release", name, "out.csv", *options)
    if case == "a longitude for the latitude":  # New York's longitudes are latitudes, too
        assert ran.status in (0, 2)
    else:
        assert ran.status == 2 and ran.out == "" and len(ran.err.splitlines()) == 1
        assert contents(folder) == before
    assert seen(ran[1:], folder) == []


@pytest.mark.parametrize("case", BAD)
def test_a_traceback_of_the_function_shows_no_value(case, folder):
    """The functions are called from notebooks, which show tracebacks with all that led to an error."""
    text, options = BAD[case]
    name = source(text)
    said = dict(zip(options[::2], options[1::2], strict=True))
    arguments = {key.removeprefix("--").replace("-", "_"): value for key, value in said.items()}
    arguments |= {"level": 1.0, "radius": arguments.pop("within")}
    if "latitude" in arguments:
        arguments |= CITY
    if case == "a longitude for the latitude":
        return
    with pytest.raises(ValueError) as caught:
        release_file(name, "out.csv", **arguments)
    shown = "".join(traceback.format_exception(caught.value))
    assert [marker for marker in MARKERS if marker in shown] == []


def test_bytes_that_are_no_text_are_not_shown(folder):
    Path("source.csv").write_bytes(rows().encode() + USERS[0].encode() + b"\x81\xff," + TIMES[0].encode() + b",,,\n")
    ran = run("release", "source.csv", "out.csv", *RELEASE_TIMES)
    assert ran.status == 2 and "UTF-8" in ran.err and seen(ran[1:], folder) == []


def test_the_ledger_has_no_name_and_no_path(folder):
    assert run("release", source(rows()), "out.csv", *RELEASE_TIMES).status == 0
    held = written(Path(os.environ["HOME"]))
    assert b"releases" in held
    for word in (b"arrival", b"source", b"out.csv", str(folder).encode()):
        assert word not in held


def test_the_order_of_the_input_is_not_in_the_output(folder):
    """Of 4000 sorted times, released at a level that hides nothing: the ranks in the file are uncorrelated.

    The correlation of a random order is normal with the deviation 1/√4000: |r| < 0.08 fails once in 2 million
    runs. The wrong variant, ``--keep-order``, has a correlation of almost 1.
    """
    lines = [f"{i // 60 % 24:02}:{i % 60:02}" for i in np.sort(np.random.default_rng(1).integers(0, 1440, 4000))]
    Path("source.csv").write_text("arrival\n" + "\n".join(lines) + "\n", encoding="utf-8")
    found = []
    for name, more in (("out.csv", []), ("kept.csv", ["--keep-order", "--rerelease"])):
        options = ["--time", "arrival", "--level", "500", "--within", "3h", *more]
        assert run("release", "source.csv", name, *options).status == 0
        times = Path(name).read_text(encoding="utf-8").split()[1:]
        minutes = [60 * int(time[:2]) + int(time[3:5]) for time in times]
        found.append(np.corrcoef(minutes, np.arange(len(minutes)))[0, 1])
    assert abs(found[0]) < 0.08 and found[1] > 0.99
