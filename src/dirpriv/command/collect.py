"""Collect the reports of people's devices in a private file.

Read the reports of a page of 'dirpriv device'. Write a private file and its guarantee,
as input for 'dirpriv histogram', 'mean' and 'map'. The file contains only the reported
times or places, in a random order. Lines that are not valid reports of this page are
counted and skipped. The guarantee assumes honest devices. It cannot exclude forged
reports.

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

units: the page defines the format; N is a number of reports, and DELTA has no unit.
"""

import argparse
import textwrap
from pathlib import Path

from dirpriv.command import options, terminal


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("page", metavar="PAGE", help="the page that 'dirpriv device' wrote")
    add("reports", metavar="REPORTS", type=Path, help="a file of JSON lines, or a folder of them")
    add("output", metavar="OUT", nargs="?", help="new file: .csv, .csv.gz or .parquet")
    declared = "declare that N reports or more are of honest devices, and state the level of shuffled times"
    add("--shuffled", type=options.numbers, metavar="N,DELTA", help=declared)
    add("--listen", type=options.whole_number, metavar="PORT", help="receive reports on this machine, at this port")


def run(arguments: argparse.Namespace) -> None:
    from dirpriv.release.survey.server import server
    from dirpriv.release.survey.survey import collect, read_survey

    survey = read_survey(arguments.page)
    if (arguments.listen is None) == (arguments.output is None):
        raise options.Misuse("give either OUT or --listen")
    if arguments.listen is not None:
        if not 0 <= arguments.listen < 65_536:
            raise options.Misuse(f"--listen must be a port below 65536; got {arguments.listen}")
        with server(arguments.page, arguments.reports, arguments.listen) as one:
            address = f"http://localhost:{one.server_address[1]}/"
            notice = f"The page is at {address}. Reports arrive at {address}report. Press Ctrl-C to stop."
            terminal.show([notice])
            one.serve_forever()
        return
    guarantee, count, left_out = collect(survey, arguments.reports, arguments.output, arguments.shuffled)
    lines = [f"Collected: {count} reports in {arguments.output}, with the guarantee in a file beside it."]
    lines += [f"Skipped: {number} with {reason}." for reason, number in sorted(left_out.items())]
    terminal.show([*lines, "", *(textwrap.fill(line, 88) for line in guarantee.text().splitlines())])
