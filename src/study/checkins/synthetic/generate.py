"""Write Foursquare-style check-ins of a made-up city or world, of any size, in the TSMC2014 layout.

The rows come sorted by time, block by block: a block needs the city or world and its own number, nothing
of the blocks before it.
"""

import gzip
from pathlib import Path

import numpy as np

from study.checkins.lines import MONTHS, WEEKDAYS
from study.checkins.synthetic import city as synthetic_city
from study.checkins.synthetic import world as synthetic_world
from study.checkins.synthetic.people import CATEGORIES, DAY, FIRST_DAY, weekday
from study.core.job import Progress, job, moved_into_place

MODELS = {"synthetic_city": synthetic_city, "synthetic_world": synthetic_world}
COMPRESSION = 3  # three times as fast as the usual 9, a tenth larger
AT_ONCE = 1 << 16  # venues whose text is made in one go


def generate(parameters, seed, name, path):
    """Write check-ins to a gzip file; the same parameters, those of a dataset's section, give the same bytes.

    Two datasets of one study have different names, and differ even if their parameters are the same.
    """
    progress, done = Progress("generate_checkins", parameters["rows"]), 0
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
    """Yield pairs of a number of rows and their text."""
    model = MODELS[parameters["layout"]]
    scene = model.build(parameters, seed, name)
    users, venues = np.array([b"%d\t" % user for user in scene.user_ids.tolist()]), venue_texts(scene)
    clock = UtcTexts(parameters["days"])
    for user, venue, seconds in model.visits(scene, parameters, seed, name):
        yield len(user), text_of_lines(users[user], venues[venue], clock(seconds))


def venue_texts(scene):
    """The columns from venue to offset of a row for each venue, with a tab after each."""
    fixed = [f"{number:024x}\t{name}" for number, name in enumerate(CATEGORIES, start=1)]
    parts = []
    for start in range(0, len(scene.category), AT_ONCE):  # lists of Python's texts are many times as large
        columns = (scene.venue_ids, scene.category, scene.latitude, scene.longitude, scene.offset_minutes)
        some = [column[start : start + AT_ONCE] for column in columns]
        some = zip(map(bytes, some[0]), *(column.tolist() for column in some[1:]), strict=True)
        texts = (
            f"{venue.decode()}\t{fixed[category]}\t{latitude:.6f}\t{longitude:.6f}\t{offset}\t".encode()
            for venue, category, latitude, longitude, offset in some
        )
        parts.append(np.array(list(texts)))
    return np.concatenate(parts)


def text_of_lines(*columns):
    """Lines made of whole columns of bytes, which NumPy fills up with NUL bytes."""
    lines = np.empty(len(columns[0]), dtype=[(str(n), column.dtype) for n, column in enumerate(columns)])
    for name, column in zip(lines.dtype.names, columns, strict=True):
        lines[name] = column
    return lines.tobytes().translate(None, b"\0")


class UtcTexts:
    """UTC times as an array of bytes like ``Tue Apr 03 18:00:09 +0000 2012``.

    Each has ``end`` after it. UTC runs from the day before the first of the local ``days`` to the day after
    the last.
    """

    def __init__(self, days, end="\n"):
        dates = FIRST_DAY + np.arange(-1, days + 1)
        texts = [
            f"{WEEKDAYS[weekday(date)]} {MONTHS[date.item().month - 1]} {date.item().day:02d} "
            f"hh:mm:ss +0000 {date.item().year}{end}"
            for date in dates
        ]
        self.days = np.frombuffer("".join(texts).encode(), dtype=np.uint8).reshape(len(dates), -1)

    def __call__(self, seconds):
        """Texts of times in seconds since the midnight (UTC) of the first day."""
        day, second = np.divmod(seconds, DAY)
        letters = self.days[day + 1]
        for place, number in ((11, second // 3600), (14, second // 60 % 60), (17, second % 60)):
            letters[:, place] = ord("0") + number // 10
            letters[:, place + 1] = ord("0") + number % 10
        return letters.view(f"S{letters.shape[1]}")[:, 0]


if __name__ == "__main__":
    with job(snakemake) as logger:
        params, path = snakemake.params, snakemake.output[0]
        generate(params.dataset, params.seed, snakemake.wildcards.dataset, path)
        logger.info("%s: %d bytes", path, Path(path).stat().st_size)
