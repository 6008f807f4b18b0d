"""What the tests of the command share: runs in a folder of their own, and released files."""

import contextlib
import functools
import hashlib
import inspect
import io
import json
import os
import pickle
import subprocess
import sys
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from dirpriv import estimators
from dirpriv.command import main
from dirpriv.estimators import (
    betting_intervals,
    circle_noise_bounds,
    density_bands,
    histogram_estimates,
    mean_estimates,
    place_densities,
    place_intervals,
    plane_density,
    shared,
)
from dirpriv.release import FileGuarantee, ItemColumn, PlaceColumns, TimeColumn
from study.simulation import seeding

SEED = int(os.environ.get("SEED_OF_DRAWS", "1"))
ROOT = Path(__file__).resolve().parents[2]
SOURCE, EXAMPLES = ROOT / "src", ROOT / "examples"
# wide noise and so a coarse grid: the tests of maps are quick
CITY = {"region_centre": (40.75, -73.98), "region_reach": "30km", "cell_size": "100m"}


class Ran(NamedTuple):
    """A run of the command."""

    status: int
    out: str
    err: str


def python(*words, **variables):
    """Run Python with this library in a process of its own, in the current folder."""
    environment = os.environ | {"PYTHONPATH": str(SOURCE)} | variables
    return subprocess.run(
        [sys.executable, *map(str, words)], capture_output=True, text=True, env=environment, timeout=120
    )


def run(*words):
    """Run the command in this process."""
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        status = main([str(word) for word in words])
    return Ran(status, out.getvalue(), err.getvalue())


def remembered(estimate):
    """The estimator, which computes the same estimate once and repeats its warnings."""
    estimates, signature = {}, inspect.signature(estimate)

    @functools.wraps(estimate)
    def called(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        key = shared.possible_widths, hashlib.sha256(pickle.dumps(bound.arguments)).digest()
        if key not in estimates:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                estimates[key] = estimate(*args, **kwargs), caught
        result, caught = estimates[key]
        for warning in caught:
            warnings.warn(warning.message, stacklevel=2)
        return result

    return called


supports = remembered(density_bands.supports)
estimate_density_band = remembered(density_bands.estimate_density_band)
estimate_density_difference = remembered(density_bands.estimate_density_difference)
estimate_histogram = remembered(histogram_estimates.estimate_histogram)
estimate_mean = remembered(mean_estimates.estimate_mean)
estimate_place_density = remembered(place_densities.estimate_place_density)
two_sample_test = remembered(mean_estimates.two_sample_test)


@contextlib.contextmanager
def same_draws(*about):
    """Releases of the same are alike in all tests, so that their estimates are computed once."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "urandom", seeding.generator(SEED, repr(about)).bytes)
        yield


@functools.wraps(shared.possible_widths)
def few_widths(*args, count=None):
    return possible_widths(*args, count=5)


possible_widths = shared.possible_widths


def hurry(monkeypatch):
    """Estimates in a third of the time: their intervals hold, too, and are a little wider.

    What the command says of estimates is compared with them. The tests of estimators do without this.
    """
    monkeypatch.setattr(shared, "possible_widths", few_widths)
    monkeypatch.setattr(circle_noise_bounds, "_SHARP_PARTS", 0)
    monkeypatch.setattr(betting_intervals, "_RATES", betting_intervals._RATES[::3])
    monkeypatch.setattr(betting_intervals, "_MISSED", 10.0 * betting_intervals._MISSED)
    monkeypatch.setattr(place_intervals, "_BETTING_UNITS", 64)
    monkeypatch.setattr(plane_density, "_PROBES", 1)
    monkeypatch.setattr(plane_density, "_LANCZOS", 10)
    monkeypatch.setattr(plane_density, "_DRAWS", 4)


def enter(tmp_path, monkeypatch):
    """Make the current folder of a test, beside which the holder's own folder is; estimates are computed once."""
    monkeypatch.setattr(density_bands, "supports", supports)
    monkeypatch.setattr(density_bands, "estimate_density_band", estimate_density_band)
    monkeypatch.setattr(density_bands, "estimate_density_difference", estimate_density_difference)
    monkeypatch.setattr(histogram_estimates, "estimate_histogram", estimate_histogram)
    for estimate in (estimate_mean, estimate_place_density, two_sample_test):
        monkeypatch.setattr(estimators, estimate.__name__, estimate)
    work, home = tmp_path / "work", tmp_path / "home"
    work.mkdir()
    home.mkdir()
    for name in ("HOME", "USERPROFILE", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "APPDATA", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(home))
    monkeypatch.chdir(work)
    return work


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder of a test whose estimates are in a hurry."""
    hurry(monkeypatch)
    return enter(tmp_path, monkeypatch)


def contents(folder):
    """Every file below a folder, and what it holds."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


def write_released(name, columns, rows, kept=(), **about):
    """A released file with these rows and its guarantee, as ``dirpriv release`` writes them."""
    names = [*(name for column in columns for name in column.names), *kept]
    if kept:
        about["unprotected"] = tuple(f"column {name!r}" for name in kept)
    Path(name).write_text("\n".join([",".join(names), *rows]) + "\n", encoding="utf-8")
    said = FileGuarantee(tuple(columns), **about).to_json()
    Path(f"{name}.guarantee.json").write_text(json.dumps(said), encoding="utf-8")


def released_times(name, cells=None, column=None, **about):
    """A released file of times; by default of a day with two peaks."""
    column = column or TimeColumn("arrival", level=1.0, radius="3h")
    if cells is None:
        rng = np.random.default_rng(1)
        hours = rng.normal([8.3, 17.7], 1.0, (1500, 2)).ravel()
        with same_draws(column):
            cells = column.release().randomise_cells((hours * 60.0).astype(int) % column.cells)
    write_released(name, [column], [column.label(cell) for cell in cells], **about)
    return column, np.asarray(cells)


def all_over_the_city():
    """Places of people who live far apart: a map of them is smooth, and quickly made."""
    return np.random.default_rng(1).normal([40.75, -73.98], 0.1, (300, 2))


def released_places(name, people=None, column=None, **about):
    """A released file of places; by default of a thousand people about two points."""
    column = column or PlaceColumns(("lat", "lon"), level=1.0, radius="2km", **CITY)
    release = column.release()
    if people is None:
        rng = np.random.default_rng(1)
        people = np.repeat([[40.755, -73.983], [40.645, -73.785]], [700, 300], axis=0)
        people = people + rng.normal(0.0, 0.01, people.shape)
    with same_draws(column, people.tolist()):
        latitude, longitude = release.randomise_places(*people.T)
    digits = column.digits
    rows = [f"{a:.{digits}f},{b:.{digits}f}" for a, b in zip(latitude, longitude, strict=True)]
    write_released(name, [column], rows, **about)
    return column


def released_visits(name, hours, at, items=None, level=8.0, **about):
    """A released file of whole hours of the day, and of places, or of numbers of items of the text of a public list."""
    times = TimeColumn("time", level, "3h", 96)
    if items is None:
        places = PlaceColumns(("lat", "lon"), level, "200m", **CITY)
    else:
        names, *degrees = zip(*(line.split(",") for line in items.split()[1:]), strict=True)
        places = ItemColumn("venue", level, "200m", names, *(tuple(map(float, axis)) for axis in degrees))
    with same_draws(times, places, len(hours)):
        cells = times.release().randomise_cells(np.asarray(hours) * 4)
        if items is None:
            degrees, digits = places.release().randomise_places(*np.transpose(at)), places.digits
            shown = [f"{north:.{digits}f},{east:.{digits}f}" for north, east in zip(*degrees, strict=True)]
        else:
            shown = [places.label(item) for item in places.release().randomise_indices(at)]
    rows = [f"{times.label(cell)},{place}" for cell, place in zip(cells, shown, strict=True)]
    write_released(name, [times, places], rows, **about)
    return times, places
