"""Hostile options, tables and folders of ``--trust central``: one line, no value, nothing spent."""

import os
from pathlib import Path

import pytest
from leaks import leaked

from dirpriv.command import main

CENTRAL = ["--trust", "central", "--epsilon", "1"]
TIME = ["--time", "arrival", *CENTRAL]
MEAN = [*TIME, "--mean"]
REGION = ["--region-centre", "40.75,-73.98", "--region-reach", "10km", "--cell-size", "10m"]
MAP = ["--latitude", "lat", "--longitude", "lon", *CENTRAL, "--map", *REGION]
ROW = "arrival,person,lat,lon\n13:37:09,zqx3709,40.76,-73.97\n"
LAST = "arrival,person,lat,lon\n08:15:00,a,40.76,-73.97\n{}\n"
CASES = {
    "no result": (ROW, TIME),
    "two results": (ROW, [*MEAN, "--histogram", "24"]),
    "a map of times": (ROW, [*TIME, "--map"]),
    "a mean of places": (ROW, [*MAP[:-7], *REGION, "--mean"]),
    "no level": (ROW, ["--time", "arrival", "--trust", "central", "--mean"]),
    "a level of text": (ROW, ["--time", "arrival", "--trust", "central", "--mean", "--epsilon", "13.3709x"]),
    **{
        f"a level of {level}": (ROW, ["--time", "arrival", "--trust", "central", "--mean", "--epsilon", level])
        for level in ("0", "-1", "nan", "inf", "1e-300", "1e300")
    },
    "a level within": (ROW, [*MEAN, "--level", "1", "--within", "3h"]),
    "a radius alone": (ROW, [*MEAN, "--within", "3h"]),
    "columns that are kept": (ROW, [*MEAN, "--keep", "person"]),
    "an order that is kept": (ROW, [*MEAN, "--keep-order"]),
    "a δ": (ROW, [*MEAN, "--user", "person", "--delta", "1e-6"]),
    "another trust": (ROW, ["--time", "arrival", "--trust", "shuffler", "--mean"]),
    "another adjacency": (ROW, [*MEAN, "--adjacency", "13:37"]),
    "a central option under local trust": (ROW, ["--time", "arrival", "--level", "1", "--within", "3h", "--mean"]),
    "a central level under local trust": (
        ROW,
        ["--time", "arrival", "--epsilon", "1", "--level", "1", "--within", "3h"],
    ),
    **{
        f"{bins} bins": (ROW, [*TIME, "--histogram", bins])
        for bins in ("0", "1", "-24", "7", "1e3", "24.5", "99999999999999999999")
    },
    **{f"{number} districts": (ROW, [*MAP, *number.split()]) for number in ("--districts 8",)},
    **{f"a map of {number}": (ROW, [*MAP[:6], "--map", number, *REGION]) for number in ("0", "-3", "101", "x")},
    "no region": (ROW, ["--latitude", "lat", "--longitude", "lon", *CENTRAL, "--map"]),
    "a column that is not there": (ROW, ["--time", "zqx3709", *CENTRAL, "--mean"]),
    "a person that is not there": (ROW, [*MEAN, "--user", "zqx"]),
    "rows of nobody": (ROW, [*MEAN, "--max-rows-per-person", "2"]),
    "no rows of a person": (ROW, [*MEAN, "--user", "person", "--max-rows-per-person", "0"]),
    "too many rows of a person": (
        ROW,
        [*TIME, "--histogram", "24", "--user", "person", "--max-rows-per-person", "9999999"],
    ),
    "a value that is no time": (LAST.format("13:37:09x,b,40.7,-73.9"), MEAN),
    "a value that is missing": (LAST.format(",zqx3709,40.7,-73.9"), MEAN),
    "a person that is missing": (LAST.format("13:37:09,,40.7,-73.9"), [*MEAN, "--user", "person"]),
    "a place that is no number": (LAST.format("13:37,b,47.3709x,8.37"), MAP),
    "a place that is outside": (LAST.format("13:37,b,47.3709,8.3709"), [*MAP, "--outside", "stop"]),
    "half a row": (LAST.format("13:37:09,zqx3709"), MEAN),
    "no row": ("arrival,person,lat,lon\n", MEAN),
    "a quote that is open": (LAST.format('"13:37:09,zqx3709,1,2'), MEAN),
    "a picture of a mean": (ROW, [*MEAN, "--plot", "out.png"]),
    "a picture of two columns": (ROW, [*TIME, "--time", "person", "--histogram", "24", "--plot", "out.png"]),
    "a picture of another kind": (ROW, [*TIME, "--histogram", "24", "--plot", "out.gif"]),
    "a picture in no folder": (ROW, [*TIME, "--histogram", "24", "--plot", "none/out.png"]),
    "a title of no picture": (ROW, [*TIME, "--histogram", "24", "--title", "13:37"]),
    "a budget of no dataset": (ROW, [*MEAN, "--budget", "1"]),
    "a budget that is too small": (ROW, [*MEAN, "--dataset", "x", "--budget", ".5"]),
    "a budget that is too small at a δ": (ROW, [*MEAN, "--dataset", "x", "--budget", ".5,1e-6"]),
    "a seed": (ROW, [*MEAN, "--seed", "1"]),
    "a heading of times": (ROW, ["--heading", "arrival", *CENTRAL, "--mean"]),
}


@pytest.mark.parametrize(("text", "words"), CASES.values(), ids=CASES)
def test_a_central_door_is_refused_in_one_line_without_a_value(text, words, holder, refused):
    Path("in.csv").write_text(text, encoding="utf-8")
    err = refused(["release", "in.csv", "out.csv", *words])
    given = [word for word in words if leaked(word)]  # an option may be shown to whoever wrote it
    for word in given:
        err = err.replace(word, "")
    assert leaked(err.replace(str(holder), "")) == [], err


@pytest.mark.parametrize(
    "name", ["out.parquet", "out.csv.gz", "out.txt", "none/out.csv", "in.csv", "link.csv", "there.csv"]
)
def test_where_a_result_cannot_be_written_nothing_is_spent(name, refused):
    Path("in.csv").write_text(ROW)
    os.symlink("in.csv", "link.csv")
    Path("there.csv").write_text("")
    refused(["release", "in.csv", name, *MEAN])


def test_a_failure_after_the_draw_says_that_it_counts(holder, capfd, monkeypatch):
    from dirpriv.release.files import atomic_output

    Path("in.csv").write_text(ROW)
    monkeypatch.setattr(
        atomic_output.HiddenFile, "publish", lambda file: (_ for _ in ()).throw(OSError(28, "full", "zqx"))
    )
    code = main(["release", "in.csv", "out.csv", *MEAN])
    err = capfd.readouterr().err
    assert code == 1 and "noise was drawn" in err and "counts as a release" in err and leaked(err) == []
    assert len(err.splitlines()) == 1 and not Path("out.csv").exists()
