"""What a user of the workflow sees who gives it something wrong: one readable message, nothing lost."""

import csv
import gzip
import hashlib
import http.server
import os
import threading
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

# The project may not contain real check-ins. Tests that need some run where this variable names a file.
SAMPLE = os.environ.get("DIRPRIV_REAL_SAMPLE")
needs_sample = pytest.mark.skipif(
    SAMPLE is None, reason="needs real check-ins, which are not in the project: set DIRPRIV_REAL_SAMPLE"
)
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


FAULTY_ROWS = {
    "7 columns instead of 8": row().rpartition("\t")[0],
    "9 columns instead of 8": row() + "\tmore",
    "latitude 91 is outside -90..90": row(latitude="91"),
    "longitude 'abc' is not a number": row(longitude="abc"),
    "latitude is NaN": row(latitude="NaN"),
    "month 'Foo' is unknown": row(time="Tue Foo 03 18:00:09 +0000 2012"),
    "offset 'x' is not a whole number of minutes": row(offset="x"),
    "5 columns instead of 8": row()[:80],
    "NUL byte in the row": row(category="Caf\0e"),
}


# The configuration.


@pytest.mark.parametrize(
    ("overlay", "key", "remedy"),
    [
        ({"survey_size": {"epsilon": [1.0]}}, "survey_size.epsilon", 'did you mean "epsilons"?'),
        ({"circular_mean": {"epsilons": [1.0, -0.5]}}, "circular_mean.epsilons[1]", "must be greater than 0"),
        ({"survey_size": {"epsilons": []}}, "survey_size.epsilons", "must not be empty"),
        ({"mechanisms": ["purkayasta"]}, "mechanisms[0]", 'did you mean "purkayastha"?'),
        ({"datasets": {"mine": {"layout": "tsmc", "path": __file__}}}, "datasets.mine.layout", "tsmc2014"),
        (
            {"datasets": {"mine": {"layout": "tsmc2014", "path": "no/such/file.txt"}}},
            "datasets.mine.path",
            "no such file: no/such/file.txt",
        ),
    ],
    ids=["unknown key", "negative ε", "empty grid", "mechanism", "layout", "missing file"],
)
def test_a_wrong_configuration_stops_before_any_job(project, tmp_path, overlay, key, remedy):
    checkout = project.with_config(overlay, tmp_path / "wrong.yaml")
    checkout.directory = tmp_path / "run"
    output = checkout.snakemake("--cores", "1", succeeds=False)
    assert "the configuration cannot be used (1 problem)" in output
    [line] = [line for line in output.splitlines() if line.startswith(f"  {key}: ")]
    assert remedy in line
    assert "Traceback" not in output
    made = [
        p for p in checkout.directory.rglob("*") if ".snakemake" not in p.parts and p.name != ".snakemake"
    ]
    assert made == []


# Check-in files.


def prepare(project, folder, content, succeeds=True, name="checkins.txt"):
    """Run rule prepare_checkins on a file of this content; give the checkout and the terminal's text."""
    path = folder / name
    path.write_bytes(content)
    entry = {"layout": "tsmc2014", "path": str(path)}
    checkout = project.with_config({"datasets": {"foursquare": entry}}, folder / "foursquare.yaml")
    checkout.directory = folder / "run"
    output = checkout.snakemake("--cores", "1", PREPARED, succeeds=succeeds)
    assert "Traceback" not in output
    return checkout.directory, output


def joined(rows):
    return "".join(line + "\n" for line in rows).encode()


def test_a_file_from_an_address_is_that_file_or_none(project, tmp_path):
    """In a zip archive here; prepared as the file itself is. With another sum nothing is kept."""
    (tmp_path / "plain").mkdir()
    content = joined([row(user=str(number)) for number in range(50)])
    plain, _ = prepare(project, tmp_path / "plain", content)
    archive = tmp_path / "archive.zip"
    with zipfile.ZipFile(archive, "w") as files:
        files.writestr("folder/NYC.txt", content)
    right, wrong = (hashlib.sha256(text).hexdigest() for text in (archive.read_bytes(), content))
    for sha256, succeeds in ((wrong, False), (right, True)):
        address = {"url": archive.as_uri(), "sha256": sha256, "member": "folder/NYC.txt"}
        entry = {"layout": "tsmc2014", "path": address}
        checkout = project.with_config({"datasets": {"foursquare": entry}}, tmp_path / "address.yaml")
        checkout.directory = tmp_path / "run"
        output = checkout.snakemake("--cores", "1", PREPARED, succeeds=succeeds)
        kept = [path.name for path in (checkout.directory / "data/downloads").glob("*")]
        if succeeds:
            assert sorted(kept) == [right, "foursquare.checkins"]
        else:
            assert f"Error in download_file: {archive.as_uri()}: the file there" in output
            assert kept == [] and "Traceback" not in output
    assert (checkout.directory / PREPARED).read_bytes() == (plain / PREPARED).read_bytes()
    assert "nothing to be done" in checkout.snakemake("--cores", "1", PREPARED).lower()


class Private(http.server.BaseHTTPRequestHandler):
    """Has a file for Aladdin, whose password is "opensesame"."""

    def do_GET(self):
        known = self.headers["Authorization"] == "Basic QWxhZGRpbjpvcGVuc2VzYW1l"
        self.send_response(200 if known and "Signature=shibboleth" in self.path else 401)
        self.flush_headers()
        self.wfile.write(b"a line that is no header, of which urllib3 warns\r\n\r\n")
        self.wfile.write(joined([row()] * 9))

    def log_message(self, *_):
        pass


def test_no_password_and_no_query_is_written_anywhere(project, tmp_path, monkeypatch):
    """Not into the terminal, a log, a result, nor what Snakemake keeps."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    sha256 = hashlib.sha256(joined([row()] * 9)).hexdigest()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Private) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
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
        server.shutdown()
    assert f"http://{public}" in (checkout.directory / "results/provenance.json").read_text(encoding="utf-8")
    assert (checkout.directory / PREPARED).is_file()


def read_rejected(path):
    with open(path, encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


PACKED = gzip.compress(joined([row(user=str(number)) for number in range(3000)]), mtime=0)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "checkins.txt is empty; give a file with at least one check-in"),
        (PACKED[: len(PACKED) // 2], "checkins.txt is a truncated gzip file: it breaks off after"),
    ],
    ids=["empty", "truncated gzip"],
)
def test_a_file_that_cannot_be_read_is_named(project, tmp_path, content, message):
    directory, output = prepare(project, tmp_path, content, succeeds=False)
    assert f"Error in prepare_checkins: {tmp_path}" in output
    assert message in output
    assert message in (directory / "logs/prepare_checkins/foursquare.log").read_text(encoding="utf-8")
    assert list((directory / "results").rglob("*.*")) == []


def test_a_file_with_too_many_bad_rows_stops_the_run_and_keeps_their_table(project, tmp_path):
    bad = [row(latitude="91"), row(longitude="abc"), row(offset="x")]
    directory, output = prepare(project, tmp_path, joined([row(), row(), *bad] * 200), succeeds=False)
    assert "600 of 1000 rows (60.00 %) cannot be used; the limit is 5 % (limits.rejected_share)" in output
    kept = "logs/prepare_checkins/foursquare.rejected.csv"
    assert kept in output
    rejected = read_rejected(directory / kept)
    assert [int(entry["line"]) for entry in rejected] == [n for n in range(1, 1001) if n % 5 not in (1, 2)]
    assert {entry["reason"] for entry in rejected[:3]} == {
        "latitude 91 is outside -90..90",
        "longitude 'abc' is not a number",
        "offset 'x' is not a whole number of minutes",
    }
    assert list((directory / "results").rglob("*.*")) == []


def test_every_faulty_row_is_in_the_rejected_table_and_no_other(project, tmp_path):
    lines, faulty = [], {}
    for number, (reason, line) in enumerate(FAULTY_ROWS.items()):
        lines += [row(user=f"{number}-{place}") for place in range(20)] + [line]
        faulty[len(lines)] = reason
    lines += [row(category="Café 寿司"), row(category="Café 寿司")]  # UTF-8, and a duplicate
    content = joined(lines).replace(b"\n", b"\r\n")  # Windows line ends
    directory, _ = prepare(project, tmp_path, content)
    rejected = read_rejected(directory / "results/checkins/foursquare.rejected.csv")
    assert {int(entry["line"]): entry["reason"] for entry in rejected} == faulty
    assert [entry["text"] for entry in rejected] == [t.replace("\0", "\\x00") for t in FAULTY_ROWS.values()]
    prepared = pd.read_parquet(directory / PREPARED)
    assert len(prepared) + len(rejected) == len(lines)
    assert list(prepared["category"])[-2:] == ["Café 寿司"] * 2
    summary = pd.read_csv(directory / "results/checkins/foursquare.summary.csv", index_col="quantity")[
        "value"
    ]
    assert (summary["rows_read"], summary["duplicates"]) == (str(len(lines)), "1")


@needs_sample
def test_real_sample(project, tmp_path):
    sample = Path(SAMPLE)
    outcomes = []
    for folder, content in (("packed", sample.read_bytes()), ("plain", gzip.decompress(sample.read_bytes()))):
        (tmp_path / folder).mkdir()
        directory, _ = prepare(project, tmp_path / folder, content, name=f"sample.{folder}")
        outcomes.append({path.name: path.read_bytes() for path in directory.glob("results/checkins/*.*")})
    assert outcomes[0] == outcomes[1]
    rejected = read_rejected(directory / "results/checkins/foursquare.rejected.csv")
    prepared = pd.read_parquet(directory / PREPARED)
    assert len(prepared) + len(rejected) == 44809
    hours = np.bincount(prepared["local_time"].dt.hour, minlength=24)
    assert (hours[13], hours[8], hours[4], hours.argmin()) == (2908, 2907, 367, 4)
