"""Sections ``datasets`` and ``limits``: the tables of check-ins, and how many faults they may have."""

import contextlib
import difflib
import errno
import os
import re
import stat
import urllib.parse
import urllib.request
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal, Union
from zoneinfo import available_timezones

from pydantic import AfterValidator, Field, create_model

from study.checkins.file_layouts import COLUMNS, EXAMPLE, LAYOUTS, OPTIONAL_FILES
from study.simulation.populations import INVENTED
from study.workflow.output_folders import MADE, OWN
from study.workflow.printable import is_printable
from study.workflow.settings import BY_KIND, MAPPING, TEXT, Section, count, key, maybe, public_address, refuse, shown

CHECKOUT = Path(__file__).resolve().parents[3]
CLEANED = (".smoke", ".robustness", ".venv", ".mypy_cache", ".pytest_cache", ".ruff_cache")
"""Folders of the checkout that ``make clean`` removes besides those of the results."""

DATASET_FILES = {"path": "check-in", "checkins": "check-in", "places": "venue", "cities": "city"}
"""The keys of a dataset that name a file, and the content of that file."""


def given_files(entry):
    """Files that an entry gives, path or mapping, by content: ``checkins``, ``places`` or ``cities``."""
    return {"checkins" if key == "path" else key: entry[key] for key in DATASET_FILES if key in entry}


def file_name(file):
    """Name of a file that an entry of ``datasets`` gives, without its folders."""
    path = file if isinstance(file, str) else file.get("member", urllib.parse.urlsplit(file["url"]).path)
    return Path(path).name


def local_path(file):
    """Path of a file that an entry of ``datasets`` gives; None if it is not on this machine."""
    if isinstance(file, str):
        return file
    address = urllib.parse.urlsplit(file["url"])
    return urllib.request.url2pathname(address.path) if address.scheme == "file" else None


def _file_is_right(file, info):
    """Refuse a file that is missing, or has any name in a folder that the workflow writes or cleans."""
    path = local_path(file if isinstance(file, str) else file.model_dump())
    if isinstance(file, str) and "://" in file:
        refuse([((), f"{public_address(file)} is an address; give it as `url`, with its `sha256`")])
    if path and not is_printable(path):
        text = f"{shown(path)} has characters that cannot be printed; give the file, or its folder, another"
        refuse([((), f"{text} name")])
    if path and set("{}") & set(path):
        text = f"{path} has braces, which Snakemake would fill in; give the file another name"
        refuse([((), text)])
    if isinstance(file, str) and (fault := _why_not_readable(path)):
        where = f"{path} (looked for at {Path(path).absolute()})"
        refuse([((), f"{fault}: {where}; give the path of a {DATASET_FILES[info.field_name]} file")])
    names = _names_of(path) if path else []
    inside = [folder for name in names for folder in _written() if name.is_relative_to(folder.resolve())]
    if inside:
        text = f"{path} lies in {min(inside)}, where the workflow writes and cleans; move the file, "
        refuse([((), text + "for example to data/, and give its new path")])
    return file


FAULTS = {
    errno.EACCES: "this may not be read; change the permissions of it and its folders",
    errno.ENAMETOOLONG: "a name in this path is too long",
    errno.ELOOP: "this is a symbolic link to itself",
}


def _why_not_readable(path):
    """Why there is no file of this path that can be read, in words; None if there is one."""
    try:
        kind = os.stat(path).st_mode
    except OSError as error:
        return FAULTS.get(error.errno, "there is no such file")
    if stat.S_ISDIR(kind):
        return "this is a folder"
    if not stat.S_ISREG(kind):
        return "this is a device or a pipe, and no file"
    return None if os.access(path, os.R_OK) else FAULTS[errno.EACCES]


def _written():
    """Folders that the workflow writes or cleans, and the links to other folders inside them."""
    tops = [base / name for base in (Path.cwd(), CHECKOUT) for name in (*MADE, *OWN)]
    below = (Path(folder, name) for top in tops for folder, names, _ in os.walk(top) for name in names)
    return {*tops, *(CHECKOUT / name for name in CLEANED), *(path for path in below if path.is_symlink())}


def _names_of(path):
    """Absolute paths of a file: the given one, that of each symbolic link on the way, and the real one."""
    path = Path(path)
    names = [path.resolve(), path.parent.resolve() / path.name]
    while path.is_symlink() and len(names) < 40:
        path = path.parent / os.readlink(path)
        names.append(path.parent.resolve() / path.name)
    return names


URL = "address of the file, which begins with https://, http:// or file:///"
DIGITS = "64 lower-case hexadecimal digits, in quotes; `sha256sum FILE` prints it"
SHA256 = f"SHA-256 of the file at the address, {DIGITS}"
MEMBER = "where the file at the address is a zip archive: name of the one that is wanted, with its folders"


def _has_no_control(text):
    refuse([] if is_printable(text) else [((), f"{shown(text)} has characters that cannot be printed")])
    return text


def _is_address(url):
    """Refuse what Python cannot take apart, such as a port that is no number."""
    try:
        urllib.parse.urlsplit(url).port  # noqa: B018, which looks at it
    except ValueError:
        refuse([((), f"{shown(url)} is no address; check what stands between // and the next /")])
    return _has_no_control(url)


_Url = Annotated[str, key(URL, pattern=r"^(https?://[^\s/]+|file://)/\S+\Z"), AfterValidator(_is_address)]
_Member = Annotated[str, Field(min_length=1), AfterValidator(_has_no_control)]


class Address(Section):
    url: _Url
    sha256: str = key(SHA256, pattern=r"^[0-9a-f]{64}\Z")
    member: _Member = maybe(MEMBER)


FILE = "path of the {}, plain or gzipped, or a url with its sha256"
_Path = Annotated[str, TEXT, Field(min_length=1)]
File = Annotated[_Path | Annotated[Address, MAPPING], BY_KIND, AfterValidator(_file_is_right)]


LOYALTY = (
    "a person's k-th favourite is visited in proportion to 1/k to this power, from 0 to 3; 1 is fitted, and more "
    "makes more busy venues"
)
HOUR_SPREAD = (
    "factor of the spread of a person's hours at a venue, from 0.1 to 10; 1 is fitted, and more makes venues less "
    "regular"
)


class Synthetic(Section):
    rows: int = key("number of check-ins, from 1 to 1 billion", ge=1, le=10**9)
    users: count("number of people who check in")
    venues: count("number of places")
    days: int = key("days the check-ins span", ge=1, le=3650)
    loyalty: float = maybe(LOYALTY, ge=0, le=3)
    hour_spread: float = maybe(HOUR_SPREAD, ge=0.1, le=10)


class SyntheticCity(Synthetic):
    latitude: float = key("latitude of the centre in degrees, from -85 to 85", ge=-85, le=85)
    longitude: float = key("longitude of the centre in degrees, from -180 to 180", ge=-180, le=180)
    radius_km: float = key("radius of the city in km, above 0 and at most 200", gt=0, le=200)
    offset_minutes: int = key("minutes ahead of UTC, from -720 to 840", ge=-720, le=840)


class SyntheticWorld(Synthetic):
    largest_cities: int = key("number of cities, the most populous ones, from 1 to 30000", ge=1, le=30000)


_Column = Annotated[str, Field(pattern=rf"^({'|'.join(COLUMNS)})\Z")]


class Csv(Section):
    columns: dict[_Column, str] = maybe("names of columns in the first line, by what the columns hold")
    separator: str = maybe("what separates columns: , (default), ; or | or a tab", pattern=r"^[,;\t|]\Z")
    time_format: str = maybe("form of the times for Python's strptime, or %s; by default ISO 8601")
    timezone: str = maybe("time zone of the places, such as Europe/Berlin")
    utc: bool = maybe("whether times without an offset are in UTC; by default they are local")
    worldwide: bool = maybe("whether the places are all over the world; by default they are not")

    def problems(self):
        form, read, problems = self.time_format or "%s", None, []
        with contextlib.suppress(ValueError, re.error):
            read = datetime.strptime(f"{EXAMPLE:{form}}", form).replace(tzinfo=UTC)
        if form != "%s" and read != EXAMPLE:
            text = "must have year, month, day, hour and minute, as %Y-%m-%d %H:%M has; {} is given"
            problems.append((("time_format",), text.format(shown(form))))
        if self.timezone and self.timezone not in (zones := available_timezones()):
            [close] = difflib.get_close_matches(self.timezone, zones, n=1, cutoff=0)
            problems.append((("timezone",), f'{shown(self.timezone)} is unknown; did you mean "{close}"?'))
        return problems


SYNTHETIC = {"synthetic_city": SyntheticCity, "synthetic_world": SyntheticWorld}
CONTENT = {"checkins": "check-ins", "places": "venues", "cities": "cities"}


def _model(name, layout):
    """The model of a dataset with this layout: its keys."""
    fields = {"layout": (Literal[name], key("layout of the table"))}
    for role in CONTENT if name not in SYNTHETIC else ():
        text = f"{CONTENT[role]} ({layout.names[role]})" if layout.names and role in layout.names else "file"
        if role in OPTIONAL_FILES and getattr(layout, role):
            fields[role] = (File, maybe(FILE.format(text) + "; may be left out"))
        elif getattr(layout, role):
            fields[role if layout.places else "path"] = (File, key(FILE.format(text)))
    base = (SYNTHETIC | {"csv": Csv}).get(name, Section)
    return create_model(name, __base__=base, __doc__=layout.text, **fields)


_ALL = [*SYNTHETIC, *(name for name in LAYOUTS if name not in SYNTHETIC)]
_Layouts = Union[tuple(_model(name, LAYOUTS[name]) for name in _ALL)]  # noqa: UP007

_DataName = Annotated[str, Field(pattern=rf"^(?!({'|'.join(INVENTED)})\Z)[a-z][a-z0-9_]*\Z")]
_Dataset = Annotated[_Layouts, key("a table of check-ins", discriminator="layout")]
_NAMED = "a name is lower-case letters, digits and underscores, and begins with a letter"
Datasets = Annotated[dict[_DataName, _Dataset], key(f"tables of check-ins by name; {_NAMED}", min_length=1)]


class Limits(Section):
    """where the run stops rather than go on"""

    rejected_share: float = key("largest share of unusable rows in a check-in file, from 0 to 1", ge=0, le=1)
