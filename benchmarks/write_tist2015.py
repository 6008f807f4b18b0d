"""Write check-ins of the synthetic world as the three files of TIST2015, as many rows as are wanted.

python benchmarks/write_tist2015.py ROWS FOLDER

Rows, users, venues and cities are in the proportions of the real files: 33,278,683 check-ins of 266,909
users at 3,680,126 venues in 415 cities.
"""

import argparse
from pathlib import Path

import numpy as np

from study.checkins.synthetic import world as synthetic_world
from study.checkins.synthetic.generate import text_of_lines, utc_texts
from study.checkins.synthetic.people import CATEGORIES
from study.workflow.job import JobProgress, moved_into_place

SEED = 20150101
NAMES = {
    "checkins": "dataset_TIST2015_Checkins.txt",
    "places": "dataset_TIST2015_POIs.txt",
    "cities": "dataset_TIST2015_Cities.txt",
}
VENUES_AT_ONCE = 1 << 16


def write(rows, folder):
    """Write the three files; return them as role -> path, as ``study.checkins.prepare.prepare`` takes them.

    Parameters
    ----------
    rows : int
        Number of check-ins.
    folder : path-like
        Where to write.
    """
    files = {role: Path(folder) / name for role, name in NAMES.items()}
    parameters = {"rows": rows, "users": max(rows // 125, 1), "venues": max(rows // 9, 1)}
    parameters |= {"largest_cities": 415, "days": 531}
    world = synthetic_world.build(synthetic_world.real_cities(415), parameters, SEED, "tist2015")
    write_blocks(files["cities"], city_lines(world))
    write_blocks(files["places"], place_lines(world))
    write_blocks(files["checkins"], checkin_lines(world, parameters))
    return files


def write_blocks(path, blocks):
    """Write pieces of text to a file."""
    with moved_into_place(path) as temporary, open(temporary, "wb") as handle:
        for block in blocks:
            handle.write(block)


def city_lines(world):
    """Name, latitude, longitude, country code, country (its code again), type."""
    cities = world.cities
    for name, latitude, longitude, code in zip(
        cities.name, cities.latitude, cities.longitude, cities.country, strict=True
    ):
        columns = (name, f"{latitude:.6f}", f"{longitude:.6f}", code, code, "Other")
        yield ("\t".join(columns) + "\n").encode()


def place_lines(world):
    """Venue, latitude, longitude, category, country code."""
    names, country = list(CATEGORIES), world.cities.country
    for start in range(0, len(world.category), VENUES_AT_ONCE):
        some = slice(start, start + VENUES_AT_ONCE)
        yield "".join(
            f"{venue.decode()}\t{latitude:.6f}\t{longitude:.6f}\t{names[category]}\t{country[city]}\n"
            for venue, latitude, longitude, category, city in zip(
                world.venue_ids[some],
                world.latitude[some].tolist(),
                world.longitude[some].tolist(),
                world.category[some].tolist(),
                world.city[some].tolist(),
                strict=True,
            )
        ).encode()


def checkin_lines(world, parameters):
    """User, venue, UTC time, offset in minutes."""
    users = np.array([b"%d\t" % user for user in world.user_ids.tolist()])
    venues = world.venue_ids
    minutes, number = np.unique(world.offset_minutes, return_inverse=True)
    ends = np.array([b"\t%d\n" % offset for offset in minutes])
    clock = utc_texts(parameters["days"], end="")
    progress, done = JobProgress("write_tist2015", parameters["rows"]), 0
    for user, venue, seconds in synthetic_world.visits(world, parameters, SEED, "tist2015"):
        tabs = np.full(len(user), b"\t")
        yield text_of_lines(users[user], venues[venue], tabs, *clock(seconds), ends[number[venue]])
        done += len(user)
        progress.update(done)


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("rows", type=int, help="number of check-ins, at least 1")
    parser.add_argument("folder", type=Path, help="where to write")
    arguments = parser.parse_args()
    if arguments.rows < 1:
        parser.error(f"at least 1 row is needed; {arguments.rows} is given")
    for path in write(arguments.rows, arguments.folder).values():
        print(f"{path}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
