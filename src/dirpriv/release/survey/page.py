"""The page of a survey, which asks people, and adds the noise on their own devices."""

import base64
import hashlib
import html
import importlib.resources
import json
import re
from typing import Any

from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib import formatting
from dirpriv._lib.rounding import upwards
from dirpriv.release import meaning
from dirpriv.release.survey.survey import Survey, check_line

WORDS = {"who": "Who asks", "why": "Why", "contact": "Contact", "privacy_notice": "What happens with the reports"}
DAYS, DELTA = (30, 365), 1e-6
_NOTICE = """\
This page was made by dirpriv. Copyright (c) the dirpriv authors. MIT licence.

Patents: US 11,490,250 B1 and US 12,400,030 B2 of SAP SE cover mechanisms of
"Differential Privacy for Directional Data" (Weggenmann and Kerschbaum, CCS 2021),
the first of them noise drawn on the device of the person. The MIT licence grants no
licence under these or any other patents; see the NOTICE of dirpriv."""


def page(survey: Survey, **words: str) -> str:
    """The page of a survey: one file, which loads nothing.

    The words of those who ask are :data:`WORDS`, each one line. Without one of them the page says that it is a
    draft, and a draft sends to this machine alone.
    """
    for name, text in words.items():
        check_line(name, text)
    lacking = [name for name in WORDS if name not in words]
    if lacking and survey.send_to is not None and survey.send_to.startswith("https"):
        raise InvalidArgument(lacking[0], f"must be given where reports are sent to {survey.send_to}")
    document = survey.to_json()
    lines = [line for line in _file("survey.mjs").splitlines() if not line.startswith("import ")]
    script = _file("dirpriv.mjs") + "\n".join(lines)
    style, to = _file("survey.css"), survey.send_to
    sources = {"default-src": "'none'", "script-src": _hash(script), "style-src": _hash(style)}
    sources |= {"connect-src": to or "'none'", "base-uri": "'none'", "form-action": "'none'"}
    policy = "; ".join(map(" ".join, sources.items()))
    unsaid = ", ".join(WORDS[name].lower() for name in lacking)
    draft = f'<section id="draft"><strong>A draft, to try out.</strong> Not said yet: {unsaid}.</section>'
    values: dict[str, Any] = {
        "policy": policy,
        "question": html.escape(survey.question),
        "style": style,
        "level": document["release"]["level"],
        "words": "".join(f"<dt>{WORDS[name]}</dt><dd>{_linked(words[name])}</dd>" for name in WORDS if name in words),
        "draft": draft if lacking else "",
        **_about(survey),
        "within": html.escape(str(survey.column.radius)),
        "belief": formatting.belief(survey.column.level),
        "repeated": _repeated(survey),
        "sums": "".join(f"<p>{html.escape(text)}.</p>" for text in repetition(survey)),
        "leaving": _leaving(survey),
        "button": "Draw my report" if to is None else "Draw and send my report",
        "notice": html.escape(_NOTICE),
        "survey": json.dumps(document, ensure_ascii=False).replace("<", "\\u003c"),
        "script": script,
    }
    return _file("survey.html").format_map(values)


def _about(survey: Survey) -> dict[str, Any]:
    """What the page says of times or of places, and the fields in which people answer."""
    column: Any = survey.column
    release: Any = column.release()
    exported = release.export(column.radius)
    if column.kind == "place":
        region = {name: formatting.length(getattr(release, name)) for name in ("region_reach", "cell_size")}
        region["region_centre"] = f"{column.region_centre[0]:g}, {column.region_centre[1]:g}"
        fields, at = _file("places.html").format_map(region), "the true place"
        example, beside, away = "Distances of eight example reports from the true place", " of the true place", ""
        odds, landings = meaning.places_odds(release, column.radius), meaning.places_landings(release)
        radius = exported["radius_metres"]
    else:
        days = "".join(f'<option value="{i}">{day}</option>' for i, day in enumerate(formatting.DAYS))
        week = column.period == "7d"
        day = f'<label for="day">Day</label> <select id="day">{days}</select> ' if week else ""
        step = "" if column.seconds % 60 == 0 else ' step="1"'
        fields = _file("times.html").format(day=day, step=step)
        odds, landings = meaning.odds(release, column.radius), meaning.landings(release, 8.25)
        time = "Mon 08:15" if week else "08:15"
        at, beside, away = f"the true time {time}", f" if the true time is {time}", '<th scope="col">Distance</th>'
        example = f"Eight example reports for the true time {time}"
        radius = exported["radius_cells"]
    half, _, most = (where for _, where, *_ in landings)
    near = f"Half of all reports are {half}{beside}, and 95&nbsp;% are {most}."
    about = {"what": column.kind, "radius": radius, "at": at, "example": example, "near": near, "away": away}
    return about | {"fields": fields, "odds": _rows(odds), "landings": _rows(landings)}


def _leaving(survey: Survey) -> str:
    """Where a report goes, and what its receiver sees beside it."""
    if survey.send_to is None:
        return "You get the report as text, to pass on. Whoever gets the text may know that it is yours."
    later = f"on a later day, at a random time within 15 minutes after {survey.send_at},"
    when = later if survey.send_at else "at once"
    sending = f"The page sends the report {when} to {html.escape(survey.send_to)}. It does not ask again."
    beside = "The receiver can see that you take part, and the network address of your device."
    moment = " It can see the time, too: do not answer at the very moment that you are asked about."
    return f"{sending} {beside}{'' if survey.send_at else moment}"


def _repeated(survey: Survey) -> str:
    """What the reports of a person can tell together."""
    if survey.every == "once":
        return "You answer once. If you answer the same question again elsewhere, the two reports tell more together."
    after = [f"{formatting.belief(survey.level_after(days, DELTA))} after {days} days" for days in DAYS]
    return f"You can answer once a day. Together the reports tell more: 50:50 can become {', and '.join(after)}."


def _linked(text: str) -> str:
    """A text, or a link to the address that it is."""
    shown = html.escape(text)
    if re.fullmatch(r"https://\S+", text):
        return f'<a href="{shown}" target="_blank" rel="noopener">{shown}</a>'
    return f'<a href="mailto:{shown}">{shown}</a>' if re.fullmatch(r"[\w.+-]+@[\w.-]+", text, re.A) else shown


def repetition(survey: Survey) -> list[str]:
    """What the reports of a device add up to."""
    if survey.every == "once":
        return ["A device answers once. Another survey, or cleared storage, adds its level to this one"]
    levels = {days: upwards(survey.level_after(days, DELTA), 3) for days in DAYS}
    sums = [f"in {days} days level {level} within {survey.column.radius}" for days, level in levels.items()]
    added = f"The reports of one person add up: {', '.join(sums)} (δ = {DELTA:g})"
    return [f"A device answers once a day. {added}"]


def _rows(rows: list[list[str]]) -> str:
    return "".join(f'<tr><th scope="row">{"<td>".join(map(html.escape, row))}' for row in rows)


def _file(name: str) -> str:
    return (importlib.resources.files("dirpriv.release.survey") / "js" / name).read_text("utf-8")


def _hash(text: str) -> str:
    """A text of the page, as its policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
