"""Write Foursquare-style check-ins of a made-up city or world of any size in the TSMC2014 layout.

The rows are sorted by time and made block by block. A block depends on the city or world and on its own
number, not on the blocks before it.
"""

import gzip
from pathlib import Path

import numpy as np

from study.checkins.faulty_lines import MONTHS, WEEKDAYS
from study.checkins.synthetic.people import CATEGORIES, DAY, FIRST_DAY
from study.checkins.synthetic.world import build, one_city, real_cities, visits
from study.workflow.job import JobProgress, job, moved_into_place

MODELS = {"synthetic_city": one_city, "synthetic_world": lambda parameters: real_cities(parameters["largest_cities"])}
"""The cities of a dataset's section, by its layout."""

COMPRESSION = 3  # three times as fast as the usual 9, a tenth larger


def generate(parameters, seed, name, path):
    """Write check-ins to a gzip file; the same seed, name and section of a dataset give the same bytes."""
    progress, done = JobProgress("generate_checkins", parameters["rows"]), 0
    with (
        moved_into_place(path) as temporary,
        open(temporary, "wb") as raw,
        gzip.GzipFile("", "wb", compresslevel=COMPRESSION, fileobj=raw, mtime=0) as handle,
    ):
        for rows, text in blocks_of_text(parameters, seed, name):
            handle.write(text)
            done += rows
            progress.update(done)


def blocks_of_text(parameters, seed, name):
    """Yield pairs: a number of rows, and their text."""
    scene = build(MODELS[parameters["layout"]](parameters), parameters, seed, name)
    users, venues = np.array([b"%d\t" % user for user in scene.user_ids.tolist()]), venue_texts(scene)
    clock = utc_texts(parameters["days"])
    for user, venue, seconds in visits(scene, parameters, seed, name):
        yield len(user), text_of_lines(users[user], venues[venue], *clock(seconds))


def venue_texts(scene):
    """For each venue the columns of a row from venue to offset, with a tab after each."""
    fixed = [f"{number:024x}\t{name}" for number, name in enumerate(CATEGORIES, start=1)]
    columns = (scene.venue_ids, scene.category, scene.latitude, scene.longitude, scene.offset_minutes)
    texts = (
        f"{venue.decode()}\t{fixed[category]}\t{latitude:.6f}\t{longitude:.6f}\t{offset}\t".encode()
        for venue, category, latitude, longitude, offset in zip(*columns, strict=True)
    )
    longest = f"S{max(map(len, fixed)) + 60}"  # a list would be many times as large
    return np.fromiter(texts, dtype=longest, count=len(scene.category))


def text_of_lines(*columns):
    """Lines made of whole columns of bytes; the NUL bytes that NumPy pads with are removed."""
    lines = np.empty(len(columns[0]), dtype=[(str(n), column.dtype) for n, column in enumerate(columns)])
    for name, column in zip(lines.dtype.names, columns, strict=True):
        lines[name] = column
    return lines.tobytes().translate(None, b"\0")


def utc_texts(days, end="\n"):
    """Return a function: seconds since the first midnight (UTC) -> texts ``Tue Apr 03 18:00:09 +0000 2012``.

    UTC runs from the day before the first of ``days`` local days to the day after the last.
    """
    dates = (FIRST_DAY + np.arange(-1, days + 1)).tolist()
    names = (f"{WEEKDAYS[date.weekday()]} {MONTHS[date.month - 1]} {date.day:02} " for date in dates)
    before = np.array([name.encode() for name in names])
    after = np.array([f" +0000 {date.year}{end}".encode() for date in dates])
    clock = np.array([b"%02d:%02d:%02d" % (s // 3600, s // 60 % 60, s % 60) for s in range(DAY)])

    def texts(seconds):
        day, second = np.divmod(seconds, DAY)
        return before[day + 1], clock[second], after[day + 1]

    return texts


if __name__ == "__main__":
    with job(snakemake) as logger:
        params, path = snakemake.params, snakemake.output[0]
        generate(params.dataset, params.seed, snakemake.wildcards.dataset, path)
        logger.info("%s: %d bytes", path, Path(path).stat().st_size)
