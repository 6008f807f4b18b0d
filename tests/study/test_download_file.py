"""Downloading a file: from a server of our own on this machine, and from its disk."""

import hashlib
import http.server
import socket
import threading

import pytest

from study.checkins.download import download
from study.core.job import InputError

CONTENT = bytes(range(256)) * 10_000


def sum_of(content):
    return hashlib.sha256(content).hexdigest()


class Handler(http.server.BaseHTTPRequestHandler):
    """Serves the content whole, without its length, or breaks off; has nothing else."""

    def do_GET(self):
        if self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", "/whole")
            self.end_headers()
            return
        if self.path not in ("/whole", "/unknown_length", "/broken"):
            self.send_error(404, "Not Found")
            return
        self.send_response(200)
        if self.path != "/unknown_length":
            self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()
        self.wfile.write(CONTENT[: 1000 if self.path == "/broken" else None])

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def server():
    """Address of a server with the content."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")


@pytest.mark.parametrize("name", ["whole", "unknown_length", "moved"])
def test_a_file_is_saved_whole(server, name, tmp_path):
    download(f"{server}/{name}", sum_of(CONTENT), tmp_path / "new/file")
    assert (tmp_path / "new/file").read_bytes() == CONTENT
    assert [p.name for p in (tmp_path / "new").iterdir()] == ["file"]


def test_a_file_on_this_machine(tmp_path):
    (tmp_path / "a b.txt").write_bytes(CONTENT)
    download((tmp_path / "a b.txt").as_uri(), sum_of(CONTENT), tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == CONTENT


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.mark.parametrize(
    ("name", "sha256", "said"),
    [
        ("nothing", sum_of(CONTENT), "cannot be downloaded: the server answers 404 Not Found; correct the"),
        ("broken", sum_of(CONTENT), f"broke off after 1000 of {len(CONTENT)} bytes; run the same command"),
        ("whole", sum_of(b"x"), f"has the SHA-256 {sum_of(CONTENT)}, not {sum_of(b'x')} as the config says"),
    ],
)
def test_what_is_not_the_file_is_not_kept(server, name, sha256, said, tmp_path):
    with pytest.raises(InputError) as caught:
        download(f"{server}/{name}", sha256, tmp_path / "file")
    assert f"{server}/{name}" in str(caught.value) and said in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_server_that_does_not_answer(tmp_path):
    with pytest.raises(
        InputError, match=r"cannot be downloaded: .*refused; correct the address, or download"
    ):
        download(f"http://127.0.0.1:{free_port()}/file", sum_of(CONTENT), tmp_path / "file")
    with pytest.raises(InputError, match=r"cannot be downloaded: .*; correct the address, or download"):
        download((tmp_path / "none").as_uri(), sum_of(CONTENT), tmp_path / "file")
    assert list(tmp_path.iterdir()) == []
