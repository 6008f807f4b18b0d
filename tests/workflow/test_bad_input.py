"""What a user of the workflow sees who gives it something wrong: one readable message, nothing lost."""

import csv
import gzip
import hashlib
import re
import time
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from real_sample import SAMPLE, needs_sample
from serving import Handler, serving

from study.workflow.parquet import read_parquet

PREPARED = "results/checkins/foursquare.parquet"

FIELDS = {
    "user": "470",
    "venue": "49bbd6c0f964a520f4531fe3",
    "category_id": "4bf58dd8d48988d127951735",
    "category": "Arts & Crafts Store",
    "latitude": "40.71981037548853",
    "longitude": "-74.00258103213994",
    "offset": "-240",
    "time": "Tue Apr 03 18:00:09 +0000 2012",
}


def row(**changes):
    """A good row with some of its fields changed."""
    return "\t".join((FIELDS | changes).values())


WRONG_TIME = "Tue Foo 03 18:00:09 +0000 2012"
FAULTY_ROWS = {
    "7 columns instead of 8": row().rpartition("\t")[0],
    "9 columns instead of 8": row() + "\tmore",
    "latitude 91 is outside -90..90": row(latitude="91"),
    "longitude 'abc' is not a number": row(longitude="abc"),
    "latitude is NaN": row(latitude="NaN"),
    f"time '{WRONG_TIME}' is not like '{FIELDS['time']}'": row(time=WRONG_TIME),
    "offset 'x' is not a whole number of minutes": row(offset="x"),
    "5 columns instead of 8": row()[:80],
    "NUL byte in the row": row(category="Caf\0e"),
}


# The configuration.


def test_a_wrong_configuration_stops_before_any_job(project, tmp_path):
    """Each problem alone: ``test_configuration.py``."""
    overlay = {
        "survey_size": {"epsilon": [1.0], "epsilons": []},
        "circular_mean": {"epsilons": [1.0, -0.5]},
        "mechanisms": ["purkayasta"],
        "datasets": {
            "mine": {"layout": "tsmc", "path": __file__},
            "other": {"layout": "tsmc2014", "path": "no/such/file.txt"},
        },
    }
    hints = {
        "circular_mean.epsilons[1]": "must be greater than or equal to 0.000000001",
        "datasets.mine.layout": "tsmc2014",
        "datasets.other.path": "no such file: no/such/file.txt",
        "mechanisms[0]": 'did you mean "purkayastha"?',
        "survey_size.epsilon": 'did you mean "epsilons"?',
        "survey_size.epsilons": "must have at least 1",
    }
    checkout = project.with_config(overlay, tmp_path / "wrong.yaml")
    checkout.directory = tmp_path / "run"
    output = checkout.snakemake("--cores", "1", succeeds=False)
    _, _, told = output.partition("the configuration cannot be used (6 problems)")
    lines = [line for line in told.splitlines() if re.match(r"  [\w.\[\]]+: ", line)]
    assert len(lines) == 6, output
    for line, (key, hint) in zip(lines, hints.items(), strict=True):
        assert line.startswith(f"  {key}: ") and hint in line
    assert "Traceback" not in output
    made = [p for p in checkout.directory.rglob("*") if ".snakemake" not in p.parts and p.name != ".snakemake"]
    assert made == []


FAULTY_FILES = {  # what is added to config/config.yaml, and what is said
    "anchors in anchors": ("a0: &a0 [1]\na1: &a1 [*a0, *a0]", "this has an anchor (&) or an alias (*)"),
    "Python": ("__use_yte__: true\nown: ?open('ran', 'w').write('1')", "a configuration of the study runs nothing"),
}


@pytest.mark.parametrize(("added", "says"), FAULTY_FILES.values(), ids=FAULTY_FILES)
def test_a_configuration_that_is_no_plain_data_stops_before_it_is_read(project, tmp_path, added, says):
    """In ``config/config.yaml``, which Snakemake reads after the check."""
    checkout = project.copy(tmp_path)
    checkout.directory = tmp_path / "run"
    with (checkout.source / "config/config.yaml").open("a", encoding="utf-8") as file:
        file.write("\n" + added)
    began = time.monotonic()
    output = checkout.snakemake("--cores", "1", succeeds=False)
    assert says in output and "config.yaml cannot be read: " in output and "Traceback" not in output
    assert time.monotonic() - began < 30.0  # as long as Snakemake takes to begin, on a busy machine
    assert not (checkout.source / "ran").exists() and not (checkout.directory / "ran").exists()


def test_a_template_on_the_command_line_is_refused(project, tmp_path):
    """Snakemake has read it by then; ``docs/your_checkins.md`` says how to check it first."""
    checkout = project.with_config({"__use_yte__": True, "seed": "?1 + 1"}, tmp_path / "template.yaml")
    checkout.directory = tmp_path / "run"
    output = checkout.snakemake("--cores", "1", succeeds=False)
    assert "template.yaml cannot be read: the key __use_yte__" in output and "Traceback" not in output


# Check-in files.


def joined(rows):
    return "".join(line + "\n" for line in rows).encode()


class Private(Handler):
    """Has a file for Aladdin, whose password is "opensesame"."""

    def do_GET(self):
        known = self.headers["Authorization"] == "Basic QWxhZGRpbjpvcGVuc2VzYW1l"
        self.send_response(200 if known and "Signature=shibboleth" in self.path else 401)
        self.flush_headers()
        self.wfile.write(b"a line that is no header, of which urllib3 warns\r\n\r\n")
        self.wfile.write(joined([row()] * 9))


def test_no_password_and_no_query_is_written_anywhere(project, tmp_path, monkeypatch):
    """Not into the terminal, a log, a result, nor what Snakemake keeps."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    sha256 = hashlib.sha256(joined([row()] * 9)).hexdigest()
    with serving(Private) as server:
        public = f"127.0.0.1:{server.server_port}/checkins.txt"
        for signature, succeeds in (("moonshine", False), ("shibboleth", True)):
            url = f"http://Aladdin:opensesame@{public}?Signature={signature}"
            entry = {"layout": "tsmc2014", "path": {"url": url, "sha256": sha256}}
            checkout = project.with_config({"datasets": {"foursquare": entry}}, tmp_path / "address.yaml")
            checkout.directory = tmp_path / "run"
            targets = PREPARED, "results/provenance.json", f"data/downloads/{sha256}"
            output = checkout.snakemake("--cores", "1", "--keep-going", *targets, succeeds=succeeds)
            texts = [output.encode(), *(p.read_bytes() for p in checkout.directory.rglob("*") if p.is_file())]
            for secret in (b"Aladdin", b"opensesame", signature.encode()):
                assert not any(secret in text for text in texts)
            assert f"Download http://{public}" in output
    assert f"http://{public}" in (checkout.directory / "results/provenance.json").read_text(encoding="utf-8")
    assert (checkout.directory / PREPARED).is_file()


def read_rejected(path):
    with open(path, encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


LINES = [
    line
    for number, faulty in enumerate(FAULTY_ROWS.values())
    for line in [*[row(user=f"{number}-{place}") for place in range(20)], faulty]
]
LINES += [row(category="Café 寿司"), row(category="Café 寿司")]  # UTF-8, and a duplicate
SAME = joined([row(user=str(number)) for number in range(50)])
PACKED = gzip.compress(joined([row(user=str(number)) for number in range(3000)]), mtime=0)


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """A zip archive that has the file "same" of the next fixture as its member."""
    path = tmp_path_factory.mktemp("archive") / "archive.zip"
    with zipfile.ZipFile(path, "w") as files:
        files.writestr("folder/NYC.txt", SAME)
    return path


@pytest.fixture(scope="module")
def prepared(project, archive, tmp_path_factory):
    """Files that one run has prepared as far as it can: their folder, the checkout, the terminal's text."""
    folder = tmp_path_factory.mktemp("prepared")
    bad = [row(latitude="91"), row(longitude="abc"), row(offset="x")]
    contents = {
        "empty": b"",
        "truncated": PACKED[: len(PACKED) // 2],
        "bad": joined([row(), row(), *bad] * 200),
        "faulty": joined(LINES).replace(b"\n", b"\r\n"),  # Windows line ends
        "same": SAME,
    }
    for name, content in contents.items():
        (folder / f"{name}.txt").write_bytes(content)
    paths = {name: str(folder / f"{name}.txt") for name in contents}
    for name, sum_of in (("right_sum", archive.read_bytes()), ("wrong_sum", SAME)):
        sha256 = hashlib.sha256(sum_of).hexdigest()
        paths[name] = {"url": archive.as_uri(), "sha256": sha256, "member": "folder/NYC.txt"}
    entries = {name: {"layout": "tsmc2014", "path": path} for name, path in paths.items()}
    checkout = project.with_config({"datasets": entries}, folder / "files.yaml")
    checkout.directory = folder / "run"
    targets = [f"results/checkins/{name}.parquet" for name in paths]
    output = checkout.snakemake("--cores", "1", "--keep-going", *targets, succeeds=False)
    assert "Traceback" not in output
    return folder, checkout, output


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("empty", "empty.txt is empty; give a file with at least one check-in"),
        ("truncated", "truncated.txt is a truncated gzip file: it breaks off after"),
        ("bad", "600 of 1000 rows (60.00 %) cannot be used; the limit is 5 % (limits.rejected_share)"),
    ],
    ids=["empty", "truncated gzip", "too many bad rows"],
)
def test_a_file_that_cannot_be_used_is_named(prepared, name, message):
    folder, checkout, output = prepared
    directory = checkout.directory
    [line] = [line for line in output.splitlines() if line.startswith(f"Error in prepare_checkins: {folder}/{name}")]
    assert message in line
    assert message in (directory / f"logs/prepare_checkins/{name}.log").read_text(encoding="utf-8")
    assert list((directory / "results").rglob(f"*{name}*")) == []


def test_of_a_file_with_too_many_bad_rows_their_table_is_kept(prepared):
    _, checkout, output = prepared
    kept = "logs/prepare_checkins/bad.rejected.csv"
    assert kept in output
    rejected = read_rejected(checkout.directory / kept)
    assert [int(entry["line"]) for entry in rejected] == [n for n in range(1, 1001) if n % 5 not in (1, 2)]
    assert {entry["reason"] for entry in rejected[:3]} == {
        "latitude 91 is outside -90..90",
        "longitude 'abc' is not a number",
        "offset 'x' is not a whole number of minutes",
    }


def test_every_faulty_row_is_in_the_rejected_table_and_no_other(prepared):
    results = prepared[1].directory / "results/checkins"
    rejected = read_rejected(results / "faulty.rejected.csv")
    assert {int(entry["line"]): entry["reason"] for entry in rejected} == {
        21 * number: reason for number, reason in enumerate(FAULTY_ROWS, start=1)
    }
    assert [entry["text"] for entry in rejected] == [t.replace("\0", "\\x00") for t in FAULTY_ROWS.values()]
    prepared = read_parquet(results / "faulty.parquet")
    assert len(prepared) + len(rejected) == len(LINES)
    assert list(prepared["category"])[-2:] == ["Café 寿司"] * 2
    summary = pd.read_csv(results / "faulty.summary.csv", index_col="quantity")["value"]
    assert (summary["rows_read"], summary["duplicates"]) == (str(len(LINES)), "1")


def test_a_file_from_an_address_is_that_file_or_none(prepared, archive):
    """In a zip archive here; prepared as the file itself is. With another sum nothing is kept."""
    _, checkout, output = prepared
    assert f"Error in download_file: {archive.as_uri()}: the file there" in output
    kept = [path.name for path in (checkout.directory / "data/downloads").glob("*")]
    assert sorted(kept) == [hashlib.sha256(archive.read_bytes()).hexdigest(), "right_sum.checkins"]
    results = checkout.directory / "results/checkins"
    assert list(results.glob("*wrong_sum*")) == []
    assert (results / "right_sum.parquet").read_bytes() == (results / "same.parquet").read_bytes()
    again = checkout.snakemake("--cores", "1", "results/checkins/right_sum.parquet")
    assert "nothing to be done" in again.lower()


@needs_sample
def test_real_sample(project, tmp_path):
    """Plain or packed it gives the same; in one run."""
    packed = Path(SAMPLE).read_bytes()
    entries = {}
    for name, content in (("packed", packed), ("plain", gzip.decompress(packed))):
        (tmp_path / name).write_bytes(content)
        entries[name] = {"layout": "tsmc2014", "path": str(tmp_path / name)}
    checkout = project.with_config({"datasets": entries}, tmp_path / "sample.yaml")
    checkout.directory = tmp_path / "run"
    checkout.snakemake("--cores", "1", *[f"results/checkins/{name}.parquet" for name in entries])
    results = checkout.directory / "results/checkins"
    for kind in ("parquet", "rejected.csv", "summary.csv"):
        assert (results / f"packed.{kind}").read_bytes() == (results / f"plain.{kind}").read_bytes(), kind
    assert len(list(results.glob("packed.*"))) == 3
    rejected = read_rejected(results / "plain.rejected.csv")
    prepared = read_parquet(results / "plain.parquet")
    assert len(prepared) + len(rejected) == 44809
    hours = np.bincount(prepared["local_time"].dt.hour, minlength=24)
    assert (hours[13], hours[8], hours[4], hours.argmin()) == (2908, 2907, 367, 4)
