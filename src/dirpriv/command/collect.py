"""``dirpriv collect``: the reports of devices into a private file."""

import argparse
import contextlib
import http.server
import textwrap
from http import HTTPStatus
from pathlib import Path
from typing import Any

from dirpriv.command import options, terminal

HELP = "collect the reports of people's devices in a private file"
DESCRIPTION = """\
Read the reports of a page of 'dirpriv device'. Write a private file and its guarantee,
as input for 'dirpriv histogram', 'mean' and 'map'. The file contains only the reported
times or places, in a random order. Lines that are not valid reports of this page are
counted and skipped. The guarantee assumes honest devices. It cannot exclude forged
reports."""
EPILOG = """\
examples:
  dirpriv collect survey.html reports.jsonl private.csv
  dirpriv collect survey.html reports/ private.csv    (files with a report on each line)
  dirpriv collect survey.html reports/ private.csv --shuffled 500,1e-6

This command works as a shuffler: it removes the nonces and the order. With --shuffled,
the guarantee also states a smaller level of times, at DELTA. This level holds within
the radius against people who see only OUT, if N reports or more are of honest devices.

To try a survey on this machine, use '--listen 8000' instead of OUT. This starts a
server, which shows the page at http://localhost:8000/ until you press Ctrl-C. It adds
the reports that arrive at http://localhost:8000/report to REPORTS, but none from other
sites. It stores no address, time or user agent. For a real survey, use your own server:
append the body of each request to a file as one line, and switch off all logs.

units: the page defines the format; N is a number of reports, and DELTA has no unit."""

_FAILED = b"HTTP/1.0 500 Failed\r\n\r\nThe page or the reports were moved or changed, or the disk is full."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("page", metavar="PAGE", help="the page that 'dirpriv device' wrote")
    add("reports", metavar="REPORTS", type=Path, help="a file of JSON lines, or a folder of them")
    add("output", metavar="OUT", nargs="?", help="new file: .csv, .csv.gz or .parquet")
    declared = "declare that N reports or more are of honest devices, and state the level of shuffled times"
    add("--shuffled", type=options.numbers, metavar="N,DELTA", help=declared)
    here = "receive reports on this machine, at this port"
    add("--listen", type=options.whole_number, metavar="PORT", help=here)


def run(arguments: argparse.Namespace) -> None:
    from dirpriv.release.survey.survey import collect, read_survey

    survey = read_survey(arguments.page)
    if (arguments.listen is None) == (arguments.output is None):
        raise options.Misuse("give either OUT or --listen")
    if arguments.listen is not None:
        if not 0 <= arguments.listen < 65_536:
            raise options.Misuse(f"--listen must be a port below 65536; got {arguments.listen}")
        with server(arguments.page, arguments.reports, arguments.listen) as one:
            address = f"http://localhost:{one.server_address[1]}/"
            said = f"The page is at {address}. Reports arrive at {address}report. Press Ctrl-C to stop."
            terminal.show([said])
            one.serve_forever()
        return
    if arguments.shuffled is not None and not isinstance(arguments.shuffled, tuple):
        raise options.Misuse("--shuffled must be N,DELTA, as 500,1e-6")
    guarantee, count, left_out = collect(survey, arguments.reports, arguments.output, arguments.shuffled)
    lines = [f"Collected: {count} reports in {arguments.output}, with the guarantee in a file beside it."]
    lines += [f"Skipped: {number} with {reason}." for reason, number in sorted(left_out.items())]
    terminal.show([*lines, "", *(textwrap.fill(line, 88) for line in guarantee.text().splitlines())])


def server(page: str, reports: Path, port: int) -> http.server.HTTPServer:
    """A server on this machine that shows the page, and adds what is posted to a file. It logs nothing."""
    from dirpriv.release.survey.survey import LONGEST, append, as_line, read_page

    append(reports)

    class Handler(http.server.BaseHTTPRequestHandler):
        timeout = 10.0

        def do_GET(self) -> None:
            found = read_page(page)[1] if self.path == "/" else b""
            self._answer(HTTPStatus.OK if found else HTTPStatus.NOT_FOUND, found)

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
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            """Answer, and write nothing: the usual text has the address."""
            with contextlib.suppress(OSError):
                request.sendall(_FAILED)

    return Server(("127.0.0.1", port), Handler)
