"""A server on this machine that shows the page of a survey, to try it, and receives its reports."""

import contextlib
import http.server
from http import HTTPStatus
from pathlib import Path
from typing import Any

from dirpriv.release.survey.survey import LONGEST, append, as_line, read_page

_FAILED = b"HTTP/1.0 500 Failed\r\n\r\nThe page or the reports were moved or changed, or the disk is full."


def server(page: str, reports: Path, port: int) -> http.server.HTTPServer:
    """A server on this machine that shows the page, and adds what is posted to a file. It logs nothing."""
    append(reports)

    class Handler(http.server.BaseHTTPRequestHandler):
        timeout = 10.0

        def do_GET(self) -> None:
            content = read_page(page)[1] if self.path == "/" else b""
            self._answer(HTTPStatus.OK if content else HTTPStatus.NOT_FOUND, content)

        def do_POST(self) -> None:
            size, port = self.headers.get("Content-Length", "")[:9], self.connection.getsockname()[1]
            body = self.rfile.read(int(size)) if size.isdecimal() and int(size) <= LONGEST else b""
            line = as_line(body) if self.path == "/report" else None
            status = HTTPStatus.NO_CONTENT if line else HTTPStatus.BAD_REQUEST
            hosts = "localhost", "127.0.0.1", "[::1]"
            ours = [f"http://{host}:{port}".removesuffix(":80") for host in hosts]
            if self.headers.get("Origin", ours[0]) not in ours:  # a page of another site
                status = HTTPStatus.FORBIDDEN
            elif line:
                append(reports, line)
            self._answer(status)

        def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
            self.request_version = "HTTP/1.0"  # also of what cannot be read
            self._answer(HTTPStatus(code))  # the usual answer names the version of Python

        def _answer(self, status: HTTPStatus, body: bytes = b"") -> None:
            self.send_response_only(status)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.send_header("Content-Type", "text/html; charset=utf-8")
            if status != HTTPStatus.NO_CONTENT:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing: a log would hold addresses and moments."""

    class Server(http.server.ThreadingHTTPServer):
        def handle_error(self, request: Any, client_address: Any) -> None:
            """Answer, and write nothing: the usual text has the address."""
            with contextlib.suppress(OSError):
                request.sendall(_FAILED)

    return Server(("127.0.0.1", port), Handler)
