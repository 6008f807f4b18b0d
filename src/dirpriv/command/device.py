"""``dirpriv device``: a page that asks people, and adds the noise on their own devices."""

import argparse
import base64
import hashlib
import html
import importlib.resources
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dirpriv._lib import words
from dirpriv._lib.rounding import upwards
from dirpriv.command import explain, new_files, options, terminal

if TYPE_CHECKING:
    from dirpriv.release.survey.survey import Survey

HELP = "write a survey page that adds the noise on people's own devices"
DESCRIPTION = """\
Write a web page that asks people for a time or a place, as one file. Each person's
browser adds the noise, and the true value never leaves the browser. The page explains
the privacy level and asks for consent. Then it draws one noisy report, stores it and
shows it. It sends the report to --send-to. Without --send-to, the person copies the
report as text. 'dirpriv collect' reads the reports."""
EPILOG = """\
examples:
  dirpriv device survey.html --question "When did you arrive?" --level 1 --within 3h
  dirpriv device daily.html --question "When did you get up?" --every day --level 0.3 \\
      --within 3h --send-to https://example.org/reports --send-at 21:00
  dirpriv device places.html --question "Where do you work?" --level 1 --within 500m \\
      --origin 40.75,-73.98 --reach 30km --step 20m

units: --within is in h, min, s or d for times, and in m or km for places, as are
--reach and --step; --origin is in degrees. --level has no unit.

Serve the page from https or localhost. Computers can also open it as a file, but phones
cannot. The page sends a report on a later day, within 15 minutes after --send-at, local
time. The page must be open before this time. Then the sending time does not depend on
the answer. With --send-now the page sends the report at once. Then the sending time is
not protected."""

DAYS, DELTA = (30, 365), 1e-6
_NOTICE = """\
This page was made by dirpriv. Copyright (c) the dirpriv authors. MIT licence.

Patents: US 11,490,250 B1 and US 12,400,030 B2 of SAP SE cover mechanisms of
"Differential Privacy for Directional Data" (Weggenmann and Kerschbaum, CCS 2021),
the first of them noise drawn on the device of the person. The MIT licence grants no
licence under these or any other patents; see the NOTICE of dirpriv."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("output", metavar="PAGE", type=Path, help="new file: .html")
    add("--question", required=True, help="the question, on one line")
    options.add_level(parser)
    add("--within", type=options.within, required=True, help=options.RADIUS)
    options.add_times(parser)
    options.add_places(parser)
    add("--name", help="column name for the collected times (time)")
    add("--every", choices=("once", "day"), default="once", help="how often a device answers (once)")
    address = "address that receives the reports; default: people copy them as text"
    add("--send-to", metavar="URL", help=address)
    add("--send-at", metavar="HH:MM", help="with --send-to: local time at which reports are sent (20:00)")
    at_once = "with --send-to: send at once; the sending time is unprotected"
    add("--send-now", action="store_true", help=at_once)


def run(arguments: argparse.Namespace) -> None:
    from dirpriv.release.survey.survey import Survey

    if arguments.send_to is None and (arguments.send_at or arguments.send_now):
        raise options.Misuse("--send-at and --send-now need --send-to")
    if arguments.send_at and arguments.send_now:
        raise options.Misuse("--send-at and --send-now exclude each other: use one of them")
    if arguments.output.suffix.lower() != ".html":
        raise options.Misuse(f"PAGE must end in .html; got {str(arguments.output)!r}")
    new_files.check_new(arguments.output, "PAGE")
    column = _column(arguments)
    at = None if arguments.send_to is None or arguments.send_now else arguments.send_at or "20:00"
    survey = Survey(arguments.question, column, arguments.every, arguments.send_to, at)
    new_files.write_new(arguments.output, page(survey).encode())
    lines = [
        f"Written: {arguments.output}. Test it in a browser before you publish it.",
        column.text(),
        f"Not protected: {'; '.join(survey.unprotected)}.",
        *(f"{text}." for text in _added(survey)),
        *options.cautions(arguments.level),
    ]
    terminal.show(terminal.wrapped("\n".join(lines)))


def _column(arguments: argparse.Namespace) -> Any:
    from dirpriv.release.guarantee.file import PlaceColumns, TimeColumn

    level = {"level": arguments.level, "within": arguments.within}
    period = {"cells": arguments.cells, "period": arguments.period}
    where = {name: getattr(arguments, name) for name in ("origin", "reach", "step")}
    if options.is_length(arguments.within):
        if lacking := [f"--{name}" for name, value in where.items() if value is None]:
            raise options.Misuse(f"places need {', '.join(lacking)}: choose them from a map")
        if arguments.name is not None:
            raise options.Misuse("--name is for times: the columns of places are latitude and longitude")
        usual = {name: arguments.parser.get_default(name) for name in period}
        if period != usual:
            remedy = "the cells of places have the side --step"
            raise options.Misuse(f"--cells and --period are for times: {remedy}")
        return PlaceColumns(("latitude", "longitude"), **level, **where)
    if any(value is not None for value in where.values()):
        raise options.Misuse("--origin, --reach and --step are for places: give --within as 200m, too")
    return TimeColumn(arguments.name or "time", **level, **period)


def page(survey: "Survey") -> str:
    """The page of a survey: one file, which loads nothing."""
    document = survey.to_json()
    lines = [line for line in _file("survey.mjs").splitlines() if not line.startswith("import ")]
    script = _file("dirpriv.mjs") + "\n".join(lines)
    style, to = _file("survey.css"), survey.send_to
    none = "'none'"
    sources = {"default-src": none, "script-src": _hash(script), "style-src": _hash(style)}
    sources |= {"connect-src": to or none, "base-uri": none, "form-action": none}
    policy = "; ".join(map(" ".join, sources.items()))
    leaving = "You get the report as text, to pass on."
    if to is not None:
        later = f"on a later day, at a random time within 15 minutes after {survey.send_at},"
        when = later if survey.send_at else "at once"
        leaving = f"The page sends the report {when} to {html.escape(to)}. It does not ask again."
    values: dict[str, Any] = {
        "policy": policy,
        "question": html.escape(survey.question),
        "style": style,
        "level": document["release"]["level"],
        **_about(survey),
        "repeated": "".join(f"<p>{html.escape(text)}.</p>" for text in _added(survey)),
        "leaving": leaving,
        "unprotected": html.escape("; ".join(survey.unprotected)),
        "button": "Draw my report" if to is None else "Draw and send my report",
        "notice": html.escape(_NOTICE),
        "survey": json.dumps(document, ensure_ascii=False).replace("<", "\\u003c"),
        "script": script,
    }
    return _filled(_file("survey.html"), values)


def _about(survey: "Survey") -> dict[str, Any]:
    """What the page says of times or of places, and the fields in which people answer."""
    column: Any = survey.column
    release: Any = column.release()
    exported = release.export(column.within)
    if column.kind == "place":
        origin = f"{column.origin[0]:g}, {column.origin[1]:g}"
        region = {"reach": words.length(release.reach), "step": words.length(release.step), "origin": origin}
        fields, at = _filled(_file("places.html"), region), "Distance of noisy reports from the true place."
        example = "Distances of eight example reports from the true place"
        odds, landings = explain.places_odds(release, column.within), explain.places_landings(release)
        radius = exported["within_metres"]
    else:
        days = "".join(f'<option value="{i}">{day}</option>' for i, day in enumerate(words.DAYS))
        week = column.period == "7d"
        day = f'<label for="day">Day</label> <select id="day">{days}</select> ' if week else ""
        step = "" if column.seconds % 60 == 0 else ' step="1"'
        fields = _filled(_file("times.html"), {"day": day, "step": step})
        odds, landings = explain.odds(release, column.within), explain.landings(release, 8.25)
        time = "Mon 08:15" if week else "08:15"
        at = f"Noisy reports of a person whose true time is {time}."
        example = f"Eight example reports for the true time {time}"
        radius = exported["within_cells"]
    found = {"what": column.kind, "radius": radius, "at": at, "example": example}
    return found | {"fields": fields, "odds": _rows(odds), "landings": _rows(landings)}


def _filled(text: str, values: dict[str, Any]) -> str:
    """A text with these values instead of their names in braces."""
    parts = [part.partition("}") for part in text.split("{")]
    return parts[0][0] + "".join(f"{values[name]}{rest}" for name, _, rest in parts[1:])


def _added(survey: "Survey") -> list[str]:
    """What the reports of a device add up to."""
    if survey.every == "once":
        return ["A device answers once. Another survey, or cleared storage, adds its level to this one"]
    found = [(days, upwards(survey.level_after(days, DELTA), 3)) for days in DAYS]
    levels = [f"in {days} days level {level} within {survey.column.within}" for days, level in found]
    added = f"The reports of one person add up: {', '.join(levels)} (δ = {DELTA:g})"
    return [f"A device answers once a day. {added}"]


def _rows(rows: list[list[str]]) -> str:
    cells = ("".join(f"<td>{html.escape(text)}</td>" for text in row) for row in rows)
    return "".join(f"<tr>{each}</tr>" for each in cells)


def _file(name: str) -> str:
    return (importlib.resources.files("dirpriv.release.survey") / "js" / name).read_text("utf-8")


def _hash(text: str) -> str:
    """A text of the page, as its policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
