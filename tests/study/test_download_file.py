"""Downloading a file: from a server of our own on this machine, and from its disk."""

import gzip
import hashlib
import os
import socket
import threading
from pathlib import Path

import pytest
from serving import Handler, serving

from study.checkins import download as of_rule
from study.checkins.download import download
from study.workflow.job import InputError

CONTENT = bytes(range(256)) * 10_000
SECRETS = ("Aladdin", "sesame", "Signature", "shibboleth")


def sum_of(content):
    return hashlib.sha256(content).hexdigest()


def whole(handler):
    handler.answer(200, length=len(CONTENT))
    handler.wfile.write(CONTENT)


def unknown_length(handler):
    handler.answer(200)
    handler.wfile.write(CONTENT)


def in_chunks(handler):
    handler.protocol_version = "HTTP/1.1"
    handler.answer(200, transfer_encoding="chunked")
    for start in range(0, len(CONTENT), 1000):
        piece = CONTENT[start : start + 1000]
        handler.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
    handler.wfile.write(b"0\r\n\r\n")


def packed(handler):
    """As servers do that take the .gz of a file's name for how they send it."""
    content = gzip.compress(CONTENT, mtime=0)
    handler.answer(200, length=len(content), content_encoding="gzip")
    handler.wfile.write(content)


def moved(handler):
    handler.answer(302, location="/whole?Signature=shibboleth")
    try:
        while True:  # nobody wants what comes with it
            handler.wfile.write(bytes(1 << 20))
    except OSError:
        pass


def moved_to_a_file(handler):
    handler.answer(302, location="file:///etc/hostname?Signature=shibboleth")


def moved_in_circles(handler):
    handler.answer(302, location=handler.path, length=0)


def broken(handler):
    handler.answer(200, length=len(CONTENT))
    handler.wfile.write(CONTENT[:100_000])


def silent(handler):
    handler.server.closing.wait(20)


def stalled(handler):
    broken(handler)
    handler.wfile.flush()
    silent(handler)


def too_large(handler):
    handler.answer(200, length=10**15)


def endless(handler):
    handler.answer(200)
    try:
        while True:
            handler.wfile.write(CONTENT)
    except OSError:
        pass


def wrong_length(handler):
    handler.answer(200, length="many")


def private(handler):
    """For Aladdin, whose password is "open sesame", and with the right query."""
    known = handler.headers["Authorization"] == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="
    handler.answer(200 if known and handler.path.endswith("?Signature=shibboleth") else 401, length=2560000)
    handler.wfile.write(CONTENT)


class Named(Handler):
    """Does what the path names; has nothing else."""

    def do_GET(self):
        name = self.path.strip("/").partition("?")[0]
        act = globals().get(name)
        act(self) if act else self.send_error(404, f"Not Found {self.path}")

    def answer(self, status, **headers):
        self.send_response(status)
        for name, value in headers.items():
            name = "Content-Length" if name == "length" else name.replace("_", "-")
            self.send_header(name, str(value))
        self.end_headers()


@pytest.fixture(scope="module")
def server():
    """Host and port of a server."""
    with serving(Named) as server:
        server.closing = threading.Event()
        yield f"127.0.0.1:{server.server_port}"
        server.closing.set()


@pytest.fixture(autouse=True)
def no_proxy_and_little_patience(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(of_rule, "WAIT_SECONDS", 0.5)


@pytest.mark.parametrize("name", ["whole", "unknown_length", "in_chunks", "moved"])
def test_a_file_is_saved_whole(server, name, tmp_path):
    download(f"http://{server}/{name}", sum_of(CONTENT), tmp_path / "new/file")
    assert (tmp_path / "new/file").read_bytes() == CONTENT
    assert [p.name for p in (tmp_path / "new").iterdir()] == ["file"]


def test_a_packed_file_stays_packed(server, tmp_path):
    content = gzip.compress(CONTENT, mtime=0)
    download(f"http://{server}/packed", sum_of(content), tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == content


def test_user_password_and_query_reach_the_server(server, tmp_path):
    url = f"http://Aladdin:open%20sesame@{server}/private?Signature=shibboleth"
    download(url, sum_of(CONTENT), tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == CONTENT


def test_a_file_on_this_machine(tmp_path):
    (tmp_path / "a b.txt").write_bytes(CONTENT)
    download((tmp_path / "a b.txt").as_uri(), sum_of(CONTENT), tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == CONTENT


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


CORRECT = "; correct the address, or download the file yourself and give its path"


BROKE = ": the download broke off after at least 65536 of 2560000 bytes ({}); run the same command again"


@pytest.mark.parametrize(
    ("name", "said"),
    {
        "nothing": f" cannot be downloaded: the server answers 404 Not Found{CORRECT}",
        "private": f" cannot be downloaded: the server answers 401 Unauthorized{CORRECT}",
        "moved_to_a_file": f" cannot be downloaded: it leads to no address of http(s){CORRECT}",
        "moved_in_circles": f" cannot be downloaded: the server answers 302 Found{CORRECT}",
        "silent": f" cannot be downloaded: nothing came for a minute{CORRECT}",
        "wrong_length": f" cannot be downloaded: ValueError{CORRECT}",
        "stalled": BROKE.format("nothing came for a minute"),
        "broken": BROKE.format("IncompleteRead"),
        "too_large": f" is too large: at least {10**15} bytes, where ",
        "whole": f": the file there (2560000 bytes) has the SHA-256 {sum_of(CONTENT)}, not {sum_of(b'x')} ",
    }.items(),
)
def test_what_is_not_the_file_is_not_kept(server, name, said, tmp_path):
    """Nor is a password or a query ever told."""
    url = f"http://Aladdin:sesame@{server}/{name}?Signature=shibboleth#fragment"
    with pytest.raises(InputError) as caught:
        download(url, sum_of(b"x"), tmp_path / "file")
    assert str(caught.value).startswith(f"http://{server}/{name}{said}")
    assert not any(secret in str(caught.value) for secret in SECRETS)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["endless", "whole"])
def test_a_file_may_not_be_too_large(server, name, tmp_path, monkeypatch):
    monkeypatch.setattr(of_rule, "MOST_BYTES", 10**6)
    with pytest.raises(InputError, match=r"is too large: .* where 1000000 are the most; make room"):
        download(f"http://{server}/{name}", sum_of(CONTENT), tmp_path / "file")
    assert list(tmp_path.iterdir()) == []


def test_a_server_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match=f"/file cannot be downloaded: Connection refused{CORRECT}"):
        download(f"http://u:sesame@127.0.0.1:{free_port()}/file?q", sum_of(CONTENT), tmp_path / "file")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["nothing", "folder", "device", "pipe"])
def test_what_is_no_regular_file_is_refused(kind, tmp_path):
    path = tmp_path / kind if kind != "device" else Path("/dev/zero")
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    with pytest.raises(InputError, match=f"/.* cannot be downloaded: there is no regular file{CORRECT}"):
        download(path.as_uri(), sum_of(CONTENT), tmp_path / "new/file")
    assert list((tmp_path / "new").iterdir()) == []
