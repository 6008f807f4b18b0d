"""The page of a survey, which asks people, and adds the noise on their own devices."""

import base64
import hashlib
import html
import importlib.resources
import json
from typing import Any

from dirpriv._lib import formatting
from dirpriv._lib.rounding import upwards
from dirpriv.release import meaning
from dirpriv.release.survey.survey import Survey

DAYS, DELTA = (30, 365), 1e-6
_NOTICE = """\
This page was made by dirpriv. Copyright (c) the dirpriv authors. MIT licence.

Patents: US 11,490,250 B1 and US 12,400,030 B2 of SAP SE cover mechanisms of
"Differential Privacy for Directional Data" (Weggenmann and Kerschbaum, CCS 2021),
the first of them noise drawn on the device of the person. The MIT licence grants no
licence under these or any other patents; see the NOTICE of dirpriv."""


def page(survey: Survey) -> str:
    """The page of a survey: one file, which loads nothing."""
    document = survey.to_json()
    lines = [line for line in _file("survey.mjs").splitlines() if not line.startswith("import ")]
    script = _file("dirpriv.mjs") + "\n".join(lines)
    style, to = _file("survey.css"), survey.send_to
    sources = {"default-src": "'none'", "script-src": _hash(script), "style-src": _hash(style)}
    sources |= {"connect-src": to or "'none'", "base-uri": "'none'", "form-action": "'none'"}
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
        "repeated": "".join(f"<p>{html.escape(text)}.</p>" for text in repetition(survey)),
        "leaving": leaving,
        "unprotected": html.escape("; ".join(survey.unprotected)),
        "button": "Draw my report" if to is None else "Draw and send my report",
        "notice": html.escape(_NOTICE),
        "survey": json.dumps(document, ensure_ascii=False).replace("<", "\\u003c"),
        "script": script,
    }
    return _filled(_file("survey.html"), values)


def _about(survey: Survey) -> dict[str, Any]:
    """What the page says of times or of places, and the fields in which people answer."""
    column: Any = survey.column
    release: Any = column.release()
    exported = release.export(column.radius)
    if column.kind == "place":
        region = {name: formatting.length(getattr(release, name)) for name in ("region_reach", "cell_size")}
        region["region_centre"] = f"{column.region_centre[0]:g}, {column.region_centre[1]:g}"
        fields, at = _filled(_file("places.html"), region), "Distance of noisy reports from the true place."
        example = "Distances of eight example reports from the true place"
        odds, landings = meaning.places_odds(release, column.radius), meaning.places_landings(release)
        radius = exported["radius_metres"]
    else:
        days = "".join(f'<option value="{i}">{day}</option>' for i, day in enumerate(formatting.DAYS))
        week = column.period == "7d"
        day = f'<label for="day">Day</label> <select id="day">{days}</select> ' if week else ""
        step = "" if column.seconds % 60 == 0 else ' step="1"'
        fields = _filled(_file("times.html"), {"day": day, "step": step})
        odds, landings = meaning.odds(release, column.radius), meaning.landings(release, 8.25)
        time = "Mon 08:15" if week else "08:15"
        at = f"Noisy reports of a person whose true time is {time}."
        example = f"Eight example reports for the true time {time}"
        radius = exported["radius_cells"]
    about = {"what": column.kind, "radius": radius, "at": at, "example": example}
    return about | {"fields": fields, "odds": _rows(odds), "landings": _rows(landings)}


def _filled(text: str, values: dict[str, Any]) -> str:
    """A text with these values instead of their names in braces."""
    parts = [part.partition("}") for part in text.split("{")]
    return parts[0][0] + "".join(f"{values[name]}{rest}" for name, _, rest in parts[1:])


def repetition(survey: Survey) -> list[str]:
    """What the reports of a device add up to."""
    if survey.every == "once":
        return ["A device answers once. Another survey, or cleared storage, adds its level to this one"]
    levels = {days: upwards(survey.level_after(days, DELTA), 3) for days in DAYS}
    sums = [f"in {days} days level {level} within {survey.column.radius}" for days, level in levels.items()]
    added = f"The reports of one person add up: {', '.join(sums)} (δ = {DELTA:g})"
    return [f"A device answers once a day. {added}"]


def _rows(rows: list[list[str]]) -> str:
    cells = ("".join(f"<td>{html.escape(text)}</td>" for text in row) for row in rows)
    return "".join(f"<tr>{each}</tr>" for each in cells)


def _file(name: str) -> str:
    return (importlib.resources.files("dirpriv.release.survey") / "js" / name).read_text("utf-8")


def _hash(text: str) -> str:
    """A text of the page, as its policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
