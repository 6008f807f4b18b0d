"""The command that a refused one should have been, from the header of its table, to fill in and run."""

import argparse
import difflib
import re
import shlex
from typing import Any

from dirpriv._inputs.errors import InvalidArgument

_FILLED = {"unit": "UNIT", "zone": "ZONE", "level": "LEVEL", "within": "RADIUS"}
_FILLED |= {"origin": "LAT,LON", "reach": "LENGTH", "step": "LENGTH"}
# names of columns by which a header is one; other names may be values of a first row
_KINDS = {
    "latitude": {"lat", "latitude"},
    "longitude": {"lon", "lng", "long", "longitude"},
    "time": set(
        "time date datetime timestamp ts start end arrival departure pickup dropoff hour begin at".split()
    ),
    "heading": {"heading", "bearing", "direction", "course", "azimuth"},
}


def line(arguments: argparse.Namespace, parser: argparse.ArgumentParser) -> str:
    """The whole command, with capitals for what only the holder knows; empty if nothing is to be added."""
    from dirpriv.release.tables import duckdb

    try:
        added = _added(arguments)
    except (InvalidArgument, OSError, ImportError, duckdb().Error):
        return ""
    if not added:
        return ""
    no_options = "command", "debug", "parser", "files"
    given = {name: value for name, value in vars(arguments).items() if name not in no_options}
    words = ["dirpriv", "release", *given.pop("input"), given.pop("output")]
    for name, value in (given | added).items():
        option = "--" + name.replace("_", "-")
        if value is True:
            words.append(option)
        elif value not in (None, False) and (name in added or value != parser.get_default(name)):
            text = ",".join(map(str, value)) if isinstance(value, tuple) else value
            for one in text if isinstance(text, list) else [text]:
                words += [option, f"{one:.17g}" if isinstance(one, float) else str(one)]
    return shlex.join(words)


def _added(arguments: argparse.Namespace) -> dict[str, Any]:
    """What the command lacks, or has of a wrong name."""
    from dirpriv.release.arguments import inputs
    from dirpriv.release.tables import STANDARD_STREAM, VALUE, Table
    from dirpriv.release.values import needed

    added: dict[str, Any] = {}
    file = inputs(arguments.input)[0]
    if file == STANDARD_STREAM:  # which is read only once
        return {}
    table = Table("input", file, arguments.separator)
    if found := table.other_separator:
        added["separator"] = found
        table = Table("input", file, found)
    if any(VALUE.fullmatch(name) for name in table.names):
        return {}
    asked = {kind: getattr(arguments, kind) for kind in _KINDS}
    for kind, names in asked.items():
        for name in names if isinstance(names, list) else [names] * (names is not None):
            if name not in table.names:
                near = difflib.get_close_matches(name.strip().lower(), map(_plain, table.names), 1, 0.8)
                right = [each for each in table.names if _plain(each) in near] or _known(table.names, kind)
                if not right:
                    return {}
                added[kind] = right[:1] if isinstance(names, list) else right[0]
    if not any(asked.values()):
        known = {kind: _known(table.names, kind)[:1] for kind in _KINDS}
        pair = known["latitude"] and known["longitude"]
        if pair and not known["time"]:
            added |= {kind: known[kind][0] for kind in ("latitude", "longitude")}
        elif found := known["time"] or known["heading"]:
            added["time" if known["time"] else "heading"] = found
    now = vars(arguments) | added
    lacking = ["level", "within"]
    if now["latitude"] is not None:
        lacking += ["origin", "reach", "step"]
    for name in now["time"] or []:
        needs = needed(table, name, now["unit"]) if now["time_format"] is None else {}
        added |= {option: value for option, value in needs.items() if now[option] is None}
    return added | {name: _FILLED[name] for name in lacking if now[name] is None}


def _plain(name: str) -> str:
    return name.strip().lower()


def _known(names: list[str], kind: str) -> list[str]:
    """The columns whose names say that they are of this kind."""
    plain, parts = r"[^\W\d][^\W\d]*([ _.-]?[^\W\d]+){0,3}", "[A-Z]?[a-z]+|[A-Z]+"
    names = [name for name in names if re.fullmatch(plain, name.strip())]
    return [name for name in names if not _KINDS[kind].isdisjoint(map(_plain, re.findall(parts, name)))]
