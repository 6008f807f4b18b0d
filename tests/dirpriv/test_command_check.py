"""`dirpriv check`: what is promised is held against what a function in a file gives."""

import argparse
import json
import math
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from command_runs import ROOT, contents, folder, run

from dirpriv.command import check
from dirpriv.distributions import Purkayastha, VonMisesFisher
from dirpriv.guarantees import utility_audit

pytestmark = pytest.mark.usefixtures("folder")

FUNCTIONS = """
import sys, time
import numpy as np
assert __name__ == "__main__" and sys.argv == ["mechanism.py"] and sys.path[0]
import beside

rng = np.random.default_rng()

def gaussian(x, deviation=10.0):
    return x + deviation * rng.standard_normal(x.shape)

def near(x):
    print("not shown")
    return gaussian(x, 0.1)

def shared(x):
    return x + (len(x) > 1) * gaussian(np.ones(x.shape[1]))

def endless(x):
    time.sleep(60.0)

def large(x):
    return np.ones(10**10)

def short(x):
    return x[:, 1:]
"""


def checked(function, promise, *words):
    Path("mechanism.py").write_text(FUNCTIONS, encoding="utf-8")
    Path("beside.py").write_text("", encoding="utf-8")
    words = function, "--promise", promise, "--dim", 8, "--draws", 3000, *words
    return run("check", *words)


def test_what_is_promised_and_kept_is_not_refuted():
    ran = checked("mechanism.py:gaussian", "pure 8", "--json", "found.json")
    assert (ran.status, ran.err) == (0, "") and "Not refuted at 99.9 %. This" in ran.out
    assert len(ran.out.splitlines()) < 20
    found = json.loads(Path("found.json").read_text())
    assert found["best"] == pytest.approx(utility_audit.largest_mean_cosine(8.0, 8, radius=np.pi))
    assert (found["draws"], found["no_unit"], found["no_direction"]) == (3000, 3000, 0)
    assert found["level"] < 8.0 and [one["promised"] for one in found["events"]] == [8.0, 8.0]
    assert abs(found["mean_cosine"]) < 0.2 and not found["refuted"]


def test_what_is_broken_is_refuted():
    """With the exit status 1, and alone the JSON on the standard output."""
    ran = checked("mechanism.py:near", "1 within .5rad", "--json", "-")
    found = json.loads(ran.out)
    assert ran.status == 1 and ran.err == "" and found["refuted"] and found["level"] > 1.0
    assert found["mean_cosine"] > 0.9 > found["best"]
    assert found["events"][0]["loss"] > 1.0 and found["events"][0]["distance"] == 0.5


@pytest.mark.parametrize(
    ("function", "words", "says"),
    [
        ("shared", (), "rows of one call are not independent"),
        ("endless", ("--seconds", 1), "takes more than 1 s"),
        ("large", ("--memory", 1), "MemoryError"),
        ("short", (), "short gives an array of the shape (1, 7) for one of the shape (1, 8)"),
        ("none", (), "failed: KeyError: 'none'"),
        ("gaussian", ("--seconds", 0), "--seconds must be positive"),
    ],
)
def test_what_is_no_mechanism_is_an_error_of_one_line(function, words, says):
    ran = checked(f"mechanism.py:{function}", "pure 8", *words)
    assert ran.status == 2 and says in ran.err and ran.out == "" and ran.err.count("\n") == 1


def test_only_a_typed_path_is_run(folder):
    before = contents(folder)
    for function in ("mechanism:gaussian", "mechanism.py", "no.py:gaussian", "mechanism.py:a b"):
        assert "must name a file and a function in it" in run("check", function, "--promise", "pure 1", "--dim", 3).err
    assert contents(folder) == before
    assert (
        "--draws must be at least 2000"
        in checked("mechanism.py:gaussian", "pure 8").err
        + run("check", "mechanism.py:gaussian", "--promise", "pure 8", "--dim", 3, "--draws", 5).err
    )
    assert run("check", "mechanism.py:gaussian", "--promise", "pure 8", "--dim", 1).status == 2


def test_the_page_shows_what_is_printed():
    """All but the numbers, of fewer outputs."""
    page = (ROOT / "docs/your_own_distribution.md").read_text(encoding="utf-8")
    code, console = (re.search(rf"```{language}\n(.*?)```", page, re.S)[1] for language in ("python", "console"))
    Path("mechanism.py").write_text(code, encoding="utf-8")
    command, _, shown = console.partition("\n")
    ran = run(*shlex.split(command)[2:], "--draws", 3000)
    printed, wanted = (re.sub("[0-9.e-]+|  +", "#", text) for text in (ran.out, shown))
    assert (ran.status, printed) == (1, wanted)


def test_promises_are_read():
    for text, level, radius, delta in (
        ("1 within .5rad", 1.0, 0.5, 0.0),
        ("1.5 within 45 deg", 1.5, math.pi / 4.0, 0.0),
        ("2 per rad", 2.0, None, 0.0),
        (" 2e1  per radian ", 20.0, None, 0.0),
        ("pure .5", 0.5, math.pi, 0.0),
        ("8 delta 1e-6", 8.0, math.pi, 1e-6),
    ):
        promise = check.read_promise(text)
        assert (promise.level, promise.delta) == (level, delta)
        assert promise.radius == (radius and pytest.approx(radius))
    for text in (
        "1",
        "pure",
        "pure 0",
        "1 within 3h",
        "1 within 4rad",
        "1 delta 2",
        "-1 per rad",
        "pure 1e999",
        "1 per deg",
    ):
        with pytest.raises(argparse.ArgumentTypeError):
            check.read_promise(text)
    assert check.read_promise("2 within 1rad").losses() == {1.0: 2.0, 0.1: 2.0}
    assert check.read_promise("2 per rad").losses() == {1.0: 2.0, 0.1: 0.2}


def findings(promise, draw, dim=4, draws=20_000):
    """What outputs of this process show."""
    promise, rng = check.read_promise(promise), np.random.default_rng(51)
    x = rng.standard_normal((draws, dim))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    inputs = {"single": x[: check.SINGLE], "uniform": x[check.SINGLE :]}
    for place, distance in zip(check.PLACES, (0.0, *promise.losses()), strict=True):
        inputs[place] = np.zeros((draws, dim))
        inputs[place][:, 0], inputs[place][:, 1] = np.cos(distance), np.sin(distance)
    outputs = {name: draw(rows, rng) for name, rows in inputs.items()} | {"seconds": np.array(1.0)}
    return check._findings(promise, inputs, outputs)


def test_both_audits_see_what_is_theirs():
    """The confidence is 99.9 %. One output in 20 that is the input itself is no better, but an event."""

    def right(x, rng):
        return Purkayastha(x.shape[1], 2.0).rvs(x, rng=rng)

    def lazy(x, rng):
        kept = rng.random(len(x)) < 0.05
        return np.where(kept[:, None], x, VonMisesFisher(x.shape[1], 0.5).rvs(x, rng=rng))

    assert not findings("2 per rad", right)["refuted"] and findings("1.8 per rad", right)["level"] > 1.8
    found = findings("pure 3", lazy)
    assert found["refuted"] and found["level"] < 3.0 < found["events"][0]["loss"]
    assert not findings("3 delta .06", lazy)["refuted"] and findings("3 delta .02", lazy)["refuted"]
