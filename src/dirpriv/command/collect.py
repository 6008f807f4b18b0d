"""``dirpriv collect``: the reports of devices into a private file."""

import argparse
import http.server
import os
import textwrap
from http import HTTPStatus
from pathlib import Path
from typing import Any

from dirpriv.command import options, terminal

NAME = "collect"
HELP = "collect the reports of devices into a private file"
DESCRIPTION = """\
Read the reports of a page of 'dirpriv device' and write a private file with its
guarantee, which 'dirpriv histogram', 'mean' and 'map' read. What is no report of this
page is counted and left out. The file has the reported values in a random order, and
nothing else. The guarantee is what honest devices promised: reports can be forged."""
EPILOG = """\
examples:
  dirpriv collect survey.html reports.jsonl private.csv
  dirpriv collect survey.html reports/ private.csv    (files with a report on each line)
  dirpriv collect survey.html reports/ private.csv --shuffled 500,1e-6

Who runs this is a shuffler: counts and drops the nonces, and the order. --shuffled
states the lower level, at DELTA, that a report then has for those who see OUT alone and
not the reports. It holds if N or more of the reports are of honest devices, a number
that you declare. It is for times, and between any two of them.

To try a survey on this machine, give '--listen 8000' instead of OUT. This shows the
page at http://localhost:8000/ and adds what is sent to http://localhost:8000/report to
REPORTS, until Ctrl-C. It stores no address, time or user agent. For a real survey let
your own server add the body of each request to a file, one on a line, and log nothing.

units: those of the page; --shuffled has none."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("page", metavar="PAGE", help="the page of 'dirpriv device'")
    add("reports", metavar="REPORTS", type=Path, help="a file of JSON lines, or a folder of them")
    add("output", metavar="OUT", nargs="?", help="new file: .csv, .csv.gz or .parquet")
    declared = "state the level of a report among N devices that are declared honest (times)"
    add("--shuffled", type=options.numbers, metavar="N,DELTA", help=declared)
    add("--listen", type=options.whole_number, metavar="PORT", help="take reports on this machine")


def run(arguments: argparse.Namespace) -> None:
    from dirpriv.release.devices import collect, read_survey

    survey = read_survey(arguments.page)
    if (arguments.listen is None) == (arguments.output is None):
        raise options.Misuse("give either OUT or --listen")
    if arguments.listen is not None:
        if not 0 <= arguments.listen < 65_536:
            raise options.Misuse(f"--listen must be a port below 65536; got {arguments.listen}")
        with server(arguments.page, arguments.reports, arguments.listen) as one:
            address = f"http://localhost:{one.server_address[1]}/"
            terminal.show([f"The page is at {address}, and takes {address}report. Ctrl-C ends this."])
            one.serve_forever()
        return
    if arguments.shuffled is not None and not isinstance(arguments.shuffled, tuple):
        raise options.Misuse("--shuffled must be N,DELTA, as 500,1e-6")
    guarantee, count, left_out = collect(survey, arguments.reports, arguments.output, arguments.shuffled)
    lines = [f"Collected: {count} reports into {arguments.output}, with its guarantee beside it."]
    lines += [f"Left out: {number} with {reason}." for reason, number in sorted(left_out.items())]
    terminal.show([*lines, "", *(textwrap.fill(line, 88) for line in guarantee.text().splitlines())])


def server(page: str, reports: Path, port: int) -> http.server.HTTPServer:
    """A server on this machine that shows the page, and adds what is posted to a file. It logs nothing."""
    from dirpriv.release.devices import LONGEST, as_line

    os.close(os.open(reports, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600))

    class Handler(http.server.BaseHTTPRequestHandler):
        timeout = 10.0

        def do_GET(self) -> None:
            if self.path == "/":
                self._answer(HTTPStatus.OK, Path(page).read_bytes())
            else:
                self._answer(HTTPStatus.NOT_FOUND)

        def do_POST(self) -> None:
            size = self.headers.get("Content-Length", "")
            body = self.rfile.read(int(size)) if size.isdecimal() and int(size) <= LONGEST else b""
            line = as_line(body) if self.path == "/report" else None
            if line is not None:
                with reports.open("ab") as file:
                    file.write(line)
            self._answer(HTTPStatus.NO_CONTENT if line is not None else HTTPStatus.BAD_REQUEST)

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
            """Nothing: it would write the address."""

    return Server(("127.0.0.1", port), Handler)
