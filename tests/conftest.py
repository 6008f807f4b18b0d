"""What tests in all folders share."""

import functools
import gc
import io
import json
import logging
import os
import random
import shutil
import sys

import databases
import numpy as np
import pytest
from browser import headless_browser
from checkouts import LEFT_OUT, NEEDED, ROOT, Checkout, shared

from dirpriv.distributions.shared import loss_distribution
from dirpriv.estimators import betting_intervals, density
from dirpriv.estimators import shared as shared_by_estimators
from study.simulation import seeding

SEED = int(os.environ.get("SEED_OF_DRAWS", "1"))
SYSTEM = os.urandom
databases.share()
# nbformat imports jsonschema, which would compile a grammar for 3 s, of a format that no schema here has
sys.modules["rfc3987_syntax"] = None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Seed what a test draws from the operating system: releases, and NumPy's generators without a seed.

    The draws depend on the test's name and on SEED_OF_DRAWS alone. ``unseeded.csv`` lists what this does not
    reach, processes and threads, and how often such a test fails for nothing or misses its wrong variant.
    """
    draws = seeding.generator(SEED, item.nodeid).bytes
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "urandom", draws)
        patched.setattr(random, "_urandom", draws)  # of ``secrets``, from which NumPy takes its entropy
        return (yield)


def draw_from_the_system():
    """Have this process draw from the operating system again."""
    os.urandom = random._urandom = SYSTEM


os.register_at_fork(after_in_child=draw_from_the_system)  # forks would share the seeded draws


gc.disable()  # until all tests are collected: modules and tests stay to the end


def pytest_collection_finish():
    """Have the collector of garbage look at what the tests make alone, and not at a million objects again.

    And seldom: most of what it looks at is in use.
    """
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)
    gc.enable()


def pytest_sessionfinish():
    """Close the shared database: at the end of the process, DuckDB writes of what is open."""
    databases.close()


logging.lastResort = logging.NullHandler()  # else Python writes warnings that are logged to the error stream


@pytest.fixture
def logged():
    """What is logged. The plugin of pytest, which is left out, would ask every test for it: a tenth of short ones."""
    handler = logging.StreamHandler(io.StringIO())
    logging.getLogger().addHandler(handler)
    yield handler.stream
    logging.getLogger().removeHandler(handler)


@pytest.fixture(scope="session")
def browser():
    """The command of a browser without a window and without a network; skips or fails where there is none."""
    return headless_browser()


@pytest.fixture(scope="session")
def project(tmp_path_factory):
    """A copy of the project, in which nothing has run; not to be altered.

    Its PDF files draw letters: to cut fonts to the letters in use takes a third of the time of all figures.
    """
    folder = tmp_path_factory.mktemp("project")
    (folder / "source").mkdir()
    for name in NEEDED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / "source" / name, ignore=LEFT_OUT)
        else:
            shutil.copy2(ROOT / name, folder / "source" / name)
    checkout = Checkout(folder / "source", folder / "run")
    checkout.edit("src/study/figures/study.mplstyle", "pdf.fonttype: 42", "pdf.fonttype: 3")
    return checkout


@pytest.fixture(scope="session")
def smoke_run(project, tmp_path_factory):
    """The finished smoke run; not to be altered.

    The source has results of its own, which the run must leave alone.
    """

    def make(folder):
        copied = project.copy(folder)
        tables = "results/circular_mean/circular_mean.csv", "figures/survey_size.png"
        names = *tables, "data/generated/city.txt.gz"
        for name in names:
            path = copied.source / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("of the study at full size", encoding="utf-8")
        run = Checkout(copied.source, copied.directory, ("config/smoke.yaml",))
        recorder = {"PYTHONPATH": str(ROOT / "tests/recorder"), "RECORDED": str(folder / "recorded")}
        output = run.snakemake("--cores", "2", **recorder)
        (folder / "output.txt").write_text(output, encoding="utf-8")
        rows = run.copy(folder / "copy").plan().rows
        (folder / "plan.json").write_text(json.dumps(rows), encoding="utf-8")
        return run

    return shared(tmp_path_factory, "smoke_run", make)


def remembered(function, most=400):
    """A function of arrays and numbers alone, which computes the same once. Its last results are kept, read-only.

    Other estimates of the same reports fit the same densities, and windows of the same noise begin with the same bets.
    """
    results = {}

    @functools.wraps(function)
    def called(*given):
        arrays = (np.asarray(each) for each in given)
        key = tuple((each.shape, each.strides, hash(each.tobytes())) for each in arrays)
        if key not in results:
            if len(results) == most:
                del results[next(iter(results))]  # the oldest
            results[key] = read_only(function(*given))
        return results[key]

    return called


def read_only(result):
    """Arrays, also of tuples of them, that nothing can write to."""
    if isinstance(result, np.ndarray):
        result.setflags(write=False)
    elif isinstance(result, tuple):
        for each in result:
            read_only(each)
    return result


betting_intervals._fastest = remembered(betting_intervals._fastest)
density.maximise = remembered(density.maximise)


def choose_among_few_widths(patched):
    widths = shared_by_estimators.possible_widths
    patched.setattr(shared_by_estimators, "possible_widths", lambda *args, count=0: widths(*args, count=5))


@pytest.fixture
def few_widths(monkeypatch):
    """A smooth density is chosen among five widths; all take half of the time of estimates with intervals."""
    choose_among_few_widths(monkeypatch)


@pytest.fixture(scope="module")
def few_widths_throughout():
    """The same in all tests of a module, and in its fixtures that ask for this one."""
    with pytest.MonkeyPatch.context() as patched:
        choose_among_few_widths(patched)
        yield


@pytest.fixture(scope="module")
def same_cells_once():
    """Cells of outputs depend on distribution and distance alone; those of the last few cases are kept."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(loss_distribution, "loss_cells", functools.lru_cache(8)(loss_distribution.loss_cells))
        yield
