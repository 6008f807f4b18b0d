"""Hostile files, names and arguments of ``dirpriv release``: one line, nothing written, no leak."""

import os
from pathlib import Path

import pytest
from leaks import leaked

from dirpriv.command import main

FILES = {
    "good.csv": "who,arrival,note\nann,08:15,a\nzqx3709,13:37:09,b\n",
    "places.csv": "who,lat,lon\nann,40.75,-73.98\nzqx3709,40.713709,-74.013709\n",
    "exchanged.csv": "a,b\n-73.983709,40.753709\n-74.013709,40.713709\n",
    "beyond.csv": "lat,lon\n40.75,-73.98\n147.3709,8.3709\n",
    "bad.csv": "arrival\n08:15\n13:37:99\n",
    "number.csv": "arrival\n8.25\n813.3709\n",
    "escape.csv": "arrival\n08:15\n\x1b[31m13:37:09\n",
    "nul.csv": "arrival\n08:15\n13:37\0:09\n",
    "formula.csv": "arrival\n08:15\n=13:37:09\n",
    "wide.csv": "arrival\n08:15\n１３:37:09\n",
    "spoof.csv": "arrival\n08:15\n\u202e90:73:31\n",
    "page.csv": "<html>13:37:09 zqx3709</html>\n",
    "packed.csv.gz": b"\x1f\x8b\x08\x00 13:37:09 zqx3709",
    "table.parquet": b"PAR1 13:37:09 zqx3709 PAR1",
    "next.csv": "who,arrival,note\nann,08:16,a\nzqx3709,13:37:09,b\n",
}
TIME = ["--time", "arrival", "--level", "1", "--within", "3h"]
CITY = [
    "--level",
    "1",
    "--within",
    "200m",
    "--region-centre",
    "40.75,-73.98",
    "--region-reach",
    "30km",
    "--cell-size",
    "10m",
]
PLACE = ["--latitude", "lat", "--longitude", "lon", *CITY]
RELEASES = {  # what is typed after `dirpriv release`, and what the error says
    **{
        f"the file {name}": ([name, "out.csv", *TIME, *["--unit", "h"] * (name == "number.csv")], says)
        for name, says in {
            "bad.csv": "row 2 of 'arrival'",
            "number.csv": "row 2 of 'arrival'",
            "escape.csv": "row 2|byte",
            "nul.csv": "bytes that are 0",
            "formula.csv": "row 2 of 'arrival'",
            "wide.csv": "row 2 of 'arrival'",
            "spoof.csv": "row 2 of 'arrival'",
            "page.csv": "arrival",
            "packed.csv.gz": "gzip",
            "table.parquet": "Parquet",
        }.items()
    },
    "a place beyond the pole": (["beyond.csv", "out.csv", *PLACE], "row 2 of 'lat'"),
    "columns exchanged": (
        ["exchanged.csv", "out.csv", "--latitude", "a", "--longitude", "b", *CITY],
        "within it if latitude and longitude are exchanged",
    ),
    "a file that is none": (["none.csv", "out.csv", *TIME], "none.csv"),
    "a name with a NUL": (["go\0od.csv", "out.csv", *TIME], "got one with a NUL"),
    "a name with an escape": (["\x1b[31m.csv", "out.csv", *TIME], "matches no file"),
    "a name that is no UTF-8": (["go\udcffod.csv", "out.csv", *TIME], "there is none"),
    "an output with a NUL": (["good.csv", "o\0ut.csv", *TIME], "got one with a NUL"),
    "an output that is a device": (["good.csv", "/dev/null", *TIME], "/dev/null"),
    "an output in no folder": (["good.csv", "no/out.csv", *TIME], "does not exist"),
    "an output that is the input": (["good.csv", "./good.csv", *TIME], "good.csv"),
    "an output that is a link": (["good.csv", "link.csv", *TIME], "link.csv"),
    "an output of a long name": (["good.csv", "x" * 300 + ".csv", *TIME], "too long"),
    "a level of a person": (["good.csv", "out.csv", *TIME[:2], "--level", "0", *TIME[4:]], "--level"),
    "an escape as a level": (["good.csv", "out.csv", *TIME[:3], "\x1b[31m", *TIME[4:]], "--level"),
    "a level of many digits": (["good.csv", "out.csv", *TIME[:3], "9" * 5000, *TIME[4:]], "--level"),
    "a radius of wide digits": (["good.csv", "out.csv", *TIME[:5], "３h"], "--within"),
    "a column of an escape": (["good.csv", "out.csv", "--time", "\x1b[31m", *TIME[2:]], "--time|'time'"),
    "a column of SQL": (["good.csv", "out.csv", "--time", 'x"; DROP TABLE t; --', *TIME[2:]], "--time"),
    "a kept column of SQL": (["good.csv", "out.csv", *TIME, "--keep", "1); --"], "--keep"),
    "a separator of two": (["good.csv", "out.csv", *TIME, "--separator", "\x1b["], "--separator"),
    "a zone that leads elsewhere": (["good.csv", "out.csv", *TIME, "--zone", "../../etc/passwd"], "--zone"),
    "a zone with a NUL": (["good.csv", "out.csv", *TIME, "--zone", "a\0b"], "--zone"),
    "a format of a terminal": (["good.csv", "out.csv", *TIME, "--time-format", "\x1b%H"], "--time-format"),
    "a seed": (["good.csv", "out.csv", *TIME, "--seed", "1"], "there is no seed option"),
}


NAMED = ["good.csv", "out.csv", *TIME, "--dataset"]
RELEASES |= {
    **{
        f"a dataset {what}": ([*NAMED, name], "--dataset must be a name of 1 to 100 characters")
        for what, name in {
            "of nothing": "",
            "of spaces": "  \u3000",
            "of many characters": "x" * 101,
            "of an escape": "\x1b[31m",
            "of two lines": "a\nb",
            "with a NUL": "a\0b",
            "that turns around": "\u202eatad",
            "that is no UTF-8": "a\udcff",
            "of a mark": "a\x1fb",
        }.items()
    },
    **{
        f"a budget of {text[:9]!r}": ([*NAMED, "d", "--budget", text], "--budget")
        for text in ("0", "-1", "nan", "inf", "1e400", "9" * 5000, "1,1", "1,-1", "1,nan", "1,1e-6,2", ",", "\x1b[3m")
    },
    **{
        f"a plan of {text[:9]!r}": ([*NAMED, "d", "--max-releases", text], "--max-releases")
        for text in ("3", "0,1e-6", "-3,1e-6", "3.5,1e-6", "3,0", "3,1", "3,nan", "1e9,1e-6", "x,1e-6")
    },
    "a plan of very many": ([*NAMED, "d", "--max-releases", "9" * 30 + ",1e-6"], "must be at most"),
    "a budget of nobody": ([*NAMED[:-1], "--budget", "1"], "goes with --dataset"),
    "a plan of nobody": ([*NAMED[:-1], "--max-releases", "3,1e-6"], "goes with --dataset"),
    "a budget and a plan": ([*NAMED, "d", "--budget", "1", "--max-releases", "3,1e-6"], "one of the two"),
    "a budget that is used up": ([*NAMED, "d", "--budget", "0.5"], "makes a sum of 1, above the budget"),
    "a budget at a tiny δ": ([*NAMED, "d", "--budget", "0.5,1e-300"], "would exceed the budget"),
    "a dataset of an option": ([*NAMED, "--budget", "1"], "--dataset"),
}
SECOND = {  # after a release of good.csv in the dataset d
    "no name": (["next.csv", "out.csv", *TIME], "give --dataset d"),
    "other people of a name": (["next.csv", "out.csv", *TIME, "--dataset", "d", "--other-people"], "new name"),
    "a late budget": (["next.csv", "out.csv", *TIME, "--dataset", "d", "--budget", "9"], "must be set with the first"),
    "a late plan": (
        ["next.csv", "out.csv", *TIME, "--dataset", "d", "--max-releases", "3,.1"],
        "must be set with the first",
    ),
    "the file under another name": ([*NAMED, "e", "--rerelease"], "give --dataset d"),
    "the file again": ([*NAMED, "d"], "it needs --rerelease"),
    "a column of an escape": (["next.csv", "out.csv", "--time", "\x1barrival", *TIME[2:]], "--time|'time'"),
    "an account of nobody": (None, "no release names the dataset"),
}


@pytest.fixture
def holder(tmp_path, monkeypatch):
    """A folder with the files of a holder of data, and a ledger of its own."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "data").mkdir()
    monkeypatch.chdir(tmp_path / "data")
    for name, content in FILES.items():
        Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    Path("link.csv").symlink_to("good.csv")
    return tmp_path


def contents(folder):
    """The files below a folder; a ledger without a release does not count."""
    paths = [path for path in folder.rglob("*") if path.is_file() and path.name != ".lock"]
    found = {path: path.read_bytes() for path in paths}
    return {str(p): text for p, text in found.items() if p.name != "ledger.json" or b'"releases": []' not in text}


@pytest.mark.parametrize(("words", "says"), RELEASES.values(), ids=RELEASES)
def test_a_release_is_refused_in_one_line_and_writes_nothing(words, says, holder, capfd):
    before = contents(holder)
    code = main(["release", *words] if words else ["account", "nobody\x1b"])
    out, err = capfd.readouterr()
    assert code == 2 and any(part in err for part in says.split("|")), err
    assert len(err.splitlines()) == 1 and "Traceback" not in err and "\x1b" not in err
    assert out == "" and leaked(err.replace(str(holder), "")) == []
    assert contents(holder) == before


@pytest.mark.parametrize(("words", "says"), SECOND.values(), ids=SECOND)
def test_a_release_that_does_not_fit_its_account_is_refused(words, says, holder, capfd):
    assert main(["release", "good.csv", "first.csv", *TIME, "--dataset", "d"]) == 0
    capfd.readouterr()
    test_a_release_is_refused_in_one_line_and_writes_nothing(words, says, holder, capfd)


def test_a_release_leaves_no_value_beside_its_output(holder, capfd):
    """In the guarantee, the ledger, the messages and the names of files; the output itself holds noise."""
    before = contents(holder)
    words = [*TIME[:2], "--level", "0.001", "--within", "12h", "--user", "who"]
    assert main(["release", "good.csv", "out.csv", *words]) == 0
    left = {name: text for name, text in contents(holder).items() if name not in before}
    assert {os.path.basename(name) for name in left} >= {"out.csv", "out.csv.guarantee.json"}
    texts = [text.decode(errors="replace") for name, text in left.items() if not name.endswith("out.csv")]
    assert leaked(*texts, *capfd.readouterr(), *(os.path.basename(name) for name in left)) == []
    released = left[str(holder / "data/out.csv")].decode()
    assert "zqx" not in released and len(released.splitlines()) == 3
