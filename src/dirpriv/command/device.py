"""Write a survey page that adds the noise on people's own devices.

Write a web page that asks people for a time or a place, as one file. Each person's
browser adds the noise, and the true value never leaves the browser. The page says who
asks and why, explains the promise, and asks for consent. Then it draws one noisy
report, stores it and shows it. It sends the report to --send-to. Without --send-to, the
person copies the report as text. 'dirpriv collect' reads the reports.

examples:
  dirpriv device survey.html --question "When did you arrive?" --level 1 --within 3h
  dirpriv device daily.html --question "When did you get up?" --every day --level 0.3 \\
      --within 3h --send-to https://example.org/reports --send-at 21:00 \\
      --who "Sleep Lab" --why "To study sleep." --contact lab@example.org \\
      --privacy-notice https://example.org/privacy
  dirpriv device places.html --question "Where do you work?" --level 1 --within 500m \\
      --region-centre 40.75,-73.98 --region-reach 30km --cell-size 20m

units: --within is in h, min, s or d for times, and in m or km for places, as are
--region-reach and --cell-size; --region-centre is in degrees. --level has no unit.

Participants read --who, --why, --contact and --privacy-notice. Without one of them the
page says that it is a draft, and it cannot send to an https address.

Serve the page from https or localhost. Computers can also open it as a file, but phones
cannot. The page must be open before --send-at: it sends a report on a later day, within
15 minutes after that local time. So the sending time does not depend on the answer.
With --send-now the page sends the report at once: the sending time is not protected.
"""

import argparse
from pathlib import Path
from typing import Any

from dirpriv.command import new_files, options, terminal


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("output", metavar="PAGE", type=Path, help="new file: .html")
    add("--question", required=True, help="the question, on one line")
    add("--who", metavar="TEXT", help="who asks: participants read this text and the next three, each one line")
    add("--why", metavar="TEXT", help="the purpose of the survey")
    add("--contact", metavar="TEXT", help="whom participants can ask: a text, or a mail address")
    notice = "what happens with the answers, and when they are deleted: a text, or an https address"
    add("--privacy-notice", metavar="TEXT", help=notice)
    options.add_level(parser)
    options.add_settings(parser, "cells", "period", *options.REGION)
    add("--name", help="column name for the collected times (time)")
    add("--every", choices=("once", "day"), default="once", help="how often a device answers (once)")
    add("--send-to", metavar="URL", help="address that receives the reports; default: people copy them as text")
    add("--send-at", metavar="HH:MM", help="with --send-to: local time at which reports are sent (20:00)")
    add("--send-now", action="store_true", help="with --send-to: send at once; the sending time is unprotected")


def run(arguments: argparse.Namespace) -> None:
    from dirpriv.release.survey.page import WORDS, page, repetition
    from dirpriv.release.survey.survey import Survey

    if arguments.send_to is None and (arguments.send_at or arguments.send_now):
        raise options.Misuse("--send-at and --send-now need --send-to")
    if arguments.send_at and arguments.send_now:
        raise options.Misuse("--send-at and --send-now exclude each other: use one of them")
    new_files.check("output", arguments.output, ".html")
    column = _column(arguments)
    at = None if arguments.send_to is None or arguments.send_now else arguments.send_at or "20:00"
    survey = Survey(arguments.question, column, arguments.every, arguments.send_to, at)
    words = {name: text for name in WORDS if (text := getattr(arguments, name)) is not None}
    new_files.write_new(arguments.output, page(survey, **words).encode())
    lacking = ", ".join(f"--{name.replace('_', '-')}" for name in WORDS if name not in words)
    draft = f"It is a draft, and says so. For a survey of people, also give {lacking}."
    lines = [
        f"Written: {arguments.output}. Test it in a browser before you publish it.",
        *([draft] if lacking else []),
        column.text(),
        f"Not protected: {'; '.join(survey.unprotected)}.",
        *(f"{text}." for text in repetition(survey)),
        *options.cautions(arguments.level),
    ]
    terminal.show(terminal.wrapped("\n".join(lines)))


def _column(arguments: argparse.Namespace) -> Any:
    from dirpriv.release.guarantee.columns import PlaceColumns, TimeColumn

    level = {"level": arguments.level, "radius": arguments.radius}
    period = {"cells": arguments.cells, "period": arguments.period}
    where = {name: getattr(arguments, name) for name in options.REGION}
    if options.is_length(arguments.radius):
        if lacking := [f"--{name.replace('_', '-')}" for name, value in where.items() if value is None]:
            raise options.Misuse(f"places need {', '.join(lacking)}: choose them from a map")
        if arguments.name is not None:
            raise options.Misuse("--name is for times: the columns of places are latitude and longitude")
        usual = {name: arguments.parser.get_default(name) for name in period}
        if period != usual:
            hint = "the cells of places have the side --cell-size"
            raise options.Misuse(f"--cells and --period are for times: {hint}")
        return PlaceColumns(("latitude", "longitude"), **level, **where)
    if any(value is not None for value in where.values()):
        raise options.Misuse("a region and --cell-size are for places: give --within as 200m, too")
    return TimeColumn(arguments.name or "time", **level, **period)
