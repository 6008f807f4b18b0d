"""Hostile files, archives and answers of servers: one line for each, nothing half-written, no row."""

import gzip
import hashlib
import io
import zipfile

import pytest
from leaks import leaked
from outcome import Outcome
from serving import Handler, serving
from test_rows import row

from study.checkins import download as of_rule
from study.checkins.download import download
from study.checkins.unpack import unpack
from study.workflow.job import InputError

pytestmark = pytest.mark.sweep  # a few seconds
ROWS = b"".join(row(user=f"zqx{n}") + b"\n" for n in range(500))
PACKED = gzip.compress(ROWS, mtime=0)

# ---------------------------------------------------------------------- files of check-ins

FILES = {
    "nothing": (b"", "is empty"),
    "a byte order mark": (b"\xef\xbb\xbf", "column_count|empty_row|is empty|cannot be used"),
    "one line end": (b"\n", "1 of 1 rows"),
    "only line ends": (b"\n" * 10_000, "By reason: empty_row"),
    "only returns": (b"\r" * 10_000, "cannot be used|is not text"),
    "only NULs": (bytes(10_000), "is not text"),
    "only tabs": (b"\t" * 10_000, "cannot be used"),
    "ten megabytes of line ends, packed": (gzip.compress(b"\n" * 10**6) * 10, "By reason: empty_row"),
    "a line of two megabytes": (b"x" * (2 << 20), "a line is longer than"),
    "a line of hundred megabytes, packed": (gzip.compress(b"x" * 10**6) * 100, "a line is longer than"),
    "noise": (bytes(range(256)) * 100, "is not text"),
    "UTF-16": (ROWS.decode().encode("utf-16"), "is UTF-16 text; save it as UTF-8"),
    "UTF-16 without a mark": (ROWS.decode().encode("utf-16-le"), "is not text"),
    "UTF-32": (ROWS.decode().encode("utf-32"), "is UTF-16 text|is not text"),
    "EBCDIC": (ROWS.decode().encode("cp500"), "cannot be used|is not text"),
    "a picture": (b"\x89PNG\r\n\x1a\n" + bytes(500), "is not text"),
    "a page": (b"<!DOCTYPE html>\n<title>zqx3709</title>\n", "cannot be used"),
    "JSON": (b'{"user": "zqx3709", "time": "13:37:09"}\n' * 9, "cannot be used"),
    "a program": (b"\x7fELF\x02\x01\x01" + bytes(500), "is not text"),
    "a database": (b"SQLite format 3\0" + bytes(500), "is not text"),
    "Parquet": (b"PAR1" + bytes(500), "is a Parquet file"),
    "a zip archive": (b"PK\x03\x04" + bytes(500), "is a zip archive; unpack it"),
    "bzip2": (b"BZh91AY&SY" + bytes(500), "is a bzip2 file"),
    "xz": (b"\xfd7zXZ\0" + bytes(500), "is an xz file"),
    "zstandard": (b"\x28\xb5\x2f\xfd" + bytes(500), "is a zstandard file"),
    "gzip in gzip": (gzip.compress(PACKED), "is not text|cannot be used"),
    "half a gzip file": (PACKED[: len(PACKED) // 2], "is a truncated gzip file"),
    "the first bytes of gzip": (PACKED[:3], "is a truncated gzip file"),
    "gzip of another sum": (PACKED[:-8] + bytes(8), "is a damaged gzip file"),
    "gzip of another length": (PACKED[:-4] + b"\1\2\3\4", "is a damaged gzip file"),
    "gzip and rows": (PACKED + ROWS, "is a damaged gzip file"),
    "gzip with noise inside": (PACKED[:100] + b"\xff" * 50 + PACKED[150:], "is a (damaged|truncated) gzip"),
    "gzip of an unknown method": (b"\x1f\x8b\x07" + PACKED[3:], "is a damaged gzip file"),
    "gzip with all flags": (b"\x1f\x8b\x08\xff" + PACKED[4:], "is a (damaged|truncated) gzip|is not text"),
    "semicolons for tabs": (ROWS.replace(b"\t", b";"), "looks semicolon-separated"),
}


@pytest.mark.parametrize(("content", "says"), FILES.values(), ids=FILES)
def test_a_file_is_refused_in_a_few_words(content, says, tmp_path, capfd, logged):
    with pytest.raises(InputError, match=says) as raised:
        Outcome(tmp_path, content, share=0.1)
    assert "\n" not in str(raised.value) and len(str(raised.value)) < 1500
    assert leaked(raised.value, logged.getvalue(), *capfd.readouterr()) == []
    assert [path.name for path in (tmp_path / "out").glob("*")] == []


# ---------------------------------------------------------------------- archives


def archive(packing=zipfile.ZIP_DEFLATED, names=("a.txt",), content=ROWS):
    """The bytes of an archive; one file has what is not asked for."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", packing) as files:
        for name in names:
            files.writestr(name, content)
    return bytearray(made.getvalue())


def changed(made, at, what):
    made[at : at + len(what)] = what
    return made


def in_directory(made, offset, what):
    """The same with other bytes in the first entry of the directory at the end."""
    return changed(made, made.find(b"PK\x01\x02") + offset, what)


def everywhere(made, offset, what):
    """With other bytes at this offset of the first local header, and where the directory has them."""
    return in_directory(changed(made, offset, what), offset + 2, what)


def lzma_with(header):
    made = archive(zipfile.ZIP_LZMA)
    return changed(made, 30 + len("a.txt"), header)


ARCHIVES = {
    "rows": (ROWS, "is not a whole zip archive"),
    "nothing": (b"", "is not a whole zip archive"),
    "no files": (archive(names=()), "there is no 'a.txt' in the archive; it has no files"),
    "half": (archive()[:700], "is not a whole zip archive"),
    "without its last byte": (archive()[:-1], "is not a whole zip archive"),
    "gzip": (PACKED, "is not a whole zip archive"),
    "another file": (archive(names=("b.txt",)), "there is no 'a.txt' in the archive; did you mean 'b.txt'"),
    "a folder of the name": (archive(names=("a.txt/",), content=b""), "there is no 'a.txt' in the archive"),
    "a file above": (archive(names=("../a.txt",)), "did you mean '../a.txt'?"),
    "a name with an escape": (archive(names=("\x1b[31m",)), r"it has '\\x1b\[31m'"),
    "a thousand files": (archive(names=[f"{n}" for n in range(1000)], content=b""), "it has '0', '1', .*…"),
    "damaged, deflated": (changed(archive(), 60, bytes(50)), "is not a whole zip archive"),
    "damaged, stored": (changed(archive(zipfile.ZIP_STORED), 60, bytes(50)), r"Bad CRC-32"),
    "damaged, bzip2": (changed(archive(zipfile.ZIP_BZIP2), 60, bytes(50)), "is not a whole zip archive"),
    "a damaged head of bzip2": (changed(archive(zipfile.ZIP_BZIP2), 35, b"XXX"), "is not a whole zip"),
    "damaged, LZMA": (changed(archive(zipfile.ZIP_LZMA), 60, bytes(50)), "is not a whole zip archive"),
    "damaged properties of LZMA": (lzma_with(b"\x09\x14\x05\x00\xff\xff\xff\xff\xff"), "is not a whole zip|cannot"),
    "no properties of LZMA": (lzma_with(b"\x09\x14\xff\xff"), "is not a whole zip archive|cannot be unpacked"),
    "another sum": (in_directory(archive(), 16, b"\1\2\3\4"), "Bad CRC-32"),
    "a size of 0": (in_directory(archive(), 24, bytes(4)), "is not a whole zip archive"),
    "a packed size of 0": (in_directory(archive(), 20, bytes(4)), "is not a whole zip archive"),
    "a password": (everywhere(archive(), 6, b"\1\0"), "cannot be unpacked .*password"),
    "an unknown packing": (everywhere(archive(), 8, b"\x63\0"), "cannot be unpacked .*not supported"),
    "a later version": (in_directory(archive(), 6, b"\xff\0"), "cannot be unpacked|is not a whole zip"),
    "a name that is no UTF-8": (
        everywhere(changed(in_directory(archive(), 46, b"\xff\xfe"), 30, b"\xff\xfe"), 6, b"\0\x08"),
        "is not a whole zip archive|there is no 'a.txt'",
    ),
    "two names": (changed(archive(), 30, b"b"), "is not a whole zip archive"),
    "no local header": (changed(archive(), 0, b"XXXX"), "is not a whole zip archive"),
    "an entry beyond the end": (in_directory(archive(), 42, b"\xff\xff\xff\x7f"), "is not a whole zip archive"),
    "a directory beyond the end": (
        changed(made := archive(), made.find(b"PK\x05\x06") + 16, b"\xff\xff\xff\x7f"),
        "is not a whole zip archive",
    ),
}


@pytest.mark.parametrize(("content", "says"), ARCHIVES.values(), ids=ARCHIVES)
def test_an_archive_is_refused_in_one_line_and_leaves_nothing(content, says, tmp_path):
    (tmp_path / "archive.zip").write_bytes(content)
    with pytest.raises(InputError, match=says) as raised:
        unpack(tmp_path / "archive.zip", "a.txt", tmp_path / "out/a")
    assert "\n" not in str(raised.value) and "\x1b" not in str(raised.value) and leaked(raised.value) == []
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == ["archive.zip"]


@pytest.mark.parametrize("name", ["../../up.txt", "/up.txt", "C:\\up.txt", "a\\..\\up.txt", "CON", "~/up.txt"])
def test_a_member_is_written_nowhere_but_where_it_belongs(name, tmp_path):
    (tmp_path / "archive.zip").write_bytes(archive(names=(name, "other")))
    [member] = [n for n in zipfile.ZipFile(tmp_path / "archive.zip").namelist() if n != "other"]
    unpack(tmp_path / "archive.zip", member, tmp_path / "in/out/a")
    assert (tmp_path / "in/out/a").read_bytes() == ROWS
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == ["a", "archive.zip"]


def test_a_link_in_an_archive_becomes_a_file(tmp_path):
    link = zipfile.ZipInfo("a.txt")
    link.create_system, link.external_attr = 3, 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "archive.zip", "w") as files:
        files.writestr(link, "/etc/hostname")
    unpack(tmp_path / "archive.zip", "a.txt", tmp_path / "out")
    assert not (tmp_path / "out").is_symlink() and (tmp_path / "out").read_text() == "/etc/hostname"


@pytest.mark.parametrize("error", [OSError(28, "No space left"), OSError(122, "Quota")])
def test_a_full_disk_while_unpacking_is_the_disk_s(error, tmp_path, monkeypatch):
    """It passes on, and the job says what to do: `test_a_fault_ends_a_job_with_one_line`."""
    (tmp_path / "archive.zip").write_bytes(archive())

    def full(*_):
        raise error

    monkeypatch.setattr(of_rule.Copy, "write", full)
    with pytest.raises(OSError) as raised:
        unpack(tmp_path / "archive.zip", "a.txt", tmp_path / "out/a")
    assert raised.value is error and list((tmp_path / "out").iterdir()) == []


# ---------------------------------------------------------------------- answers of servers

SECRET = "/b.txt?Signature=zqx3709"


def head(status="200 OK", **headers):
    lines = [f"HTTP/1.0 {status}", *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


ANSWERS = {
    "nothing at all": (b"", "cannot be downloaded"),
    "no HTTP": (b"\x1b[31mzqx\r\n", "cannot be downloaded|SHA-256|broke off"),
    "a reason with an escape": (head("404 \x1b[31mzqx\x1b[0m"), "the server answers 404 Not Found"),
    "a status of nine digits": (head("999999999 zqx"), "cannot be downloaded"),
    "an unknown status": (head("599 zqx"), "the server answers 599"),
    "no content": (head("204 zqx"), "SHA-256"),
    "another file": (head(Content_Length=3) + b"zqx", "has the SHA-256"),
    "less than said": (head(Content_Length=9999) + b"zqx", "broke off after at least 0 of 9999 bytes"),
    "a length below 0": (head(Content_Length=-5) + b"zqx", "cannot be downloaded|has the SHA-256"),
    "a length of text": (head(Content_Length="zqx") + b"zqx", "cannot be downloaded"),
    "a length of 30 digits": (head(Content_Length="9" * 30), "is too large: at least"),
    "a length of 5000 digits": (head(Content_Length="9" * 5000), "cannot be downloaded"),
    "two lengths": (head(Content_Length=3)[:-2] + b"Content-Length: 4\r\n\r\nzqx", "cannot be|SHA-256|broke"),
    "chunks that are none": (head(Transfer_Encoding="chunked") + b"zqx\r\n", "cannot be|broke off|SHA-256"),
    "a redirect to a file": (head("302 Found", Location="file:///etc/hostname"), "it leads to no address of http"),
    "a redirect to data": (head("302 Found", Location="data:text/plain,zqx"), "it leads to no address of http"),
    "a redirect to ftp": (head("302 Found", Location="ftp://127.0.0.1/zqx"), "it leads to no address of http"),
    "a redirect to nowhere": (head("302 Found", Location="http://[zqx"), "cannot be downloaded"),
    "a redirect to itself": (head("302 Found", Location=SECRET), "cannot be downloaded"),
    "a redirect without an address": (head("302 Found"), "cannot be downloaded|SHA-256"),
    "a hundred thousand headers": (b"HTTP/1.0 200 OK\r\n" + b"X: zqx\r\n" * 100_000, "cannot be downloaded"),
    "a header of a megabyte": (head(X="z" * 10**6), "cannot be downloaded"),
    "content that says gzip": (head(Content_Encoding="gzip", Content_Length=3) + b"zqx", "has the SHA-256"),
}


class Sent(Handler):
    """Sends the bytes that the server has been given."""

    def do_GET(self):
        self.wfile.write(self.server.answer)


@pytest.fixture(scope="module")
def server():
    with serving(Sent) as server:
        yield server


@pytest.mark.parametrize(("answer", "says"), ANSWERS.values(), ids=ANSWERS)
def test_an_answer_that_is_not_the_file_is_one_line(answer, says, server, tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(of_rule, "WAIT_SECONDS", 2.0)
    server.answer = answer
    with pytest.raises(InputError, match=says) as raised:
        url = f"http://zqx:zqx3709@127.0.0.1:{server.server_port}{SECRET}"
        download(url, hashlib.sha256(b"").hexdigest()[::-1], tmp_path / "file")
    text = str(raised.value)
    assert "\n" not in text and "\x1b" not in text and leaked(text, *capfd.readouterr()) == []
    assert list(tmp_path.iterdir()) == []
