"""Processor seconds of releases of each kind: ``python benchmarks/measure_releases.py 1000000``.

Columns of pandas, Polars and Arrow are measured where these are installed.
"""

import datetime
import importlib
import sys
import time

import numpy as np

from dirpriv import release
from dirpriv.geometry.earth import vectors_to_places
from dirpriv.release import CircleRelease, PlaneRelease, SphereRelease

CITY = {"region_centre": (40.75, -73.98), "region_reach": "30km", "cell_size": "10m"}


def inputs(count):
    """Hours of the day, places of the city and places of the globe, each in rows or columns of ``count``."""
    rng = np.random.default_rng(1)
    hours = rng.uniform(0.0, 24.0, count)
    city = 40.75 + hours / 200.0, hours / 200.0 - 73.98
    return hours, city, vectors_to_places(rng.normal(size=(count, 3))).T


def measure(count, level=1.0):
    """Tuples: what is released, the processor seconds of ``count`` of them, and what came out.

    The tables are made before. The level of times is within three hours; those of places are higher by the
    same factor.
    """
    hours, city, globe = inputs(count)
    stamps = np.datetime64("2012-04-03") + (hours * 3.6e9).astype("timedelta64[us]")
    texts = np.array([f"{minute // 60:02d}:{minute % 60:02d}" for minute in (hours * 60.0).astype(int)])
    circle = CircleRelease.within(level, "3h")
    plane = PlaneRelease.within(np.log(4.0) * level, "200m", **CITY)
    sphere = SphereRelease.within(4.0 * level, "1000km", cells=1000)
    calls = {
        "cells of the circle": lambda: circle.randomise_cells((hours * 60.0).astype(int)),
        "angles": lambda: circle.randomise_angles(hours * np.pi / 12.0),
        "hours": lambda: circle.randomise_times(hours),
        "timestamps": lambda: circle.randomise_times(stamps),
        "texts": lambda: circle.randomise_times(texts),
        "places of a city": lambda: plane.randomise_places(*city),
        "places of the globe": lambda: sphere.randomise_places(*globe),
    }
    calls["columns of places"] = lambda: release.places(*city, level=level, radius="200m", **CITY)
    for name, column in columns(stamps, texts, hours):
        how = {"level": level, "radius": "3h", "unit": "h" if "numbers" in name else None}
        calls[name] = lambda column=column, how=how: release.times(column, **how)
    for name, call in calls.items():
        start = time.process_time()
        released = call()
        yield name, time.process_time() - start, released


def columns(stamps, texts, hours):
    """Pairs: a type of column of times, and one."""
    yield "columns of numbers", hours
    yield "columns of datetime64", stamps
    yield "columns of texts", texts
    yield "lists of numbers", hours.tolist()
    yield "lists of texts", texts.tolist()
    yield "lists of datetime", stamps.tolist()
    yield "lists of datetime with a zone", [stamp.replace(tzinfo=datetime.UTC) for stamp in stamps.tolist()]
    yield "lists of time", [stamp.time() for stamp in stamps.tolist()]
    yield "lists of timedelta", (stamps - stamps.astype("datetime64[D]")).tolist()
    yield "lists of datetime64", list(stamps)
    for name in ("pandas", "polars"):
        library = installed(name)
        if library:
            column = library.Series(stamps)
            yield f"{name}: timestamps", column
            yield f"{name}: times", column.dt.time if name == "pandas" else column.dt.time()
            yield f"{name}: texts", library.Series(texts.tolist())
            yield f"{name}: numbers", library.Series(hours)
    if installed("pandas"):
        column = installed("pandas").Series(stamps)
        yield "pandas: timestamps with a zone", column.dt.tz_localize("America/New_York")
        yield "pandas: Timestamps as objects", column.astype(object)
    arrow = installed("pyarrow")
    if arrow:
        yield "Arrow: timestamps", arrow.array(stamps)
        yield "Arrow: texts", arrow.array(texts.tolist())


def installed(name):
    """The library, or None."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


if __name__ == "__main__":
    for name, seconds, _ in measure(int(sys.argv[1])):
        print(f"{name}: {seconds:.2f} s")
