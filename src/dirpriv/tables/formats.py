"""Formats of tables beside CSV and Parquet: each becomes the blocks of a CSV, with a row for each record or point.

JSON is read a record at a time, and GPX and KML by expat, without entities. Numbers stay the texts that they
are. Errors name the record, the point or the cell, and no value.
"""

import codecs
import contextlib
import csv
import io
import itertools
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from dirpriv._inputs.errors import named
from dirpriv.tables.json_records import records
from dirpriv.tables.sheet_rows import sheet_rows
from dirpriv.tables.xml_points import POINT_NAMES, points

SEPARATORS = {".csv": ",", ".txt": ",", ".dat": ",", ".plt": ",", ".tsv": "\t", ".tab": "\t", ".psv": "|"}
_XML = ".gpx", ".kml"
SHEETS = ".xlsx", ".xlsm"
CONVERTED = ".json", ".jsonl", ".ndjson", ".geojson", *_XML, *SHEETS
SUFFIXES = *SEPARATORS, *CONVERTED, ".zip", ".parquet"  # all but the last two also with .gz
_BLOCK = 1 << 20
_UTF8 = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|$)")
# what zipfile raises for archives that are damaged, cut, encrypted (RuntimeError) or packed in an unknown way
# (NotImplementedError): each becomes a message of our own
_WRONG = zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, zlib.error, OSError, ValueError
_MOST_TITLES = 30  # lines above the names of the columns

_CONVERTED_BY = dict.fromkeys((".gpkg", ".shp", ".fgb"), "ogr2ogr -f CSV -lco GEOMETRY=AS_XY '{0}.csv' '{0}'")
_CONVERTED_BY |= dict.fromkeys((".xls", ".xlsb", ".ods"), "soffice --headless --convert-to xlsx '{0}'")
_CONVERTED_BY |= dict.fromkeys(
    (".feather", ".arrow"), "python -c \"import pandas; pandas.read_feather('{0}').to_parquet('{0}.parquet')\""
)
PLAIN = r"(?!-)[\w ./:@+,()-]*"  # names that no shell acts on, but standard input
Refused = Callable[..., Exception]


def suffix_of_input(name: str) -> str:
    """The format of a file by the end of its name, in small letters and perhaps with ``.gz``; empty if unknown."""
    name, packed = (name[:-3], ".gz") if name.lower().endswith(".gz") else (name, "")
    stem, _, end = name.rpartition(".")
    suffix = f".{end.lower()}"
    return suffix + packed if stem and suffix in (SUFFIXES[:-2] if packed else SUFFIXES) else ""


def csv_blocks(
    suffix: str,
    opened: Callable[[], Any],
    refused: Refused,
    names: Sequence[str] = (),
    skip: int = 0,
    sheet: int | None = None,
    path: Any = "in.xlsx",
) -> Iterator[bytes]:
    """A CSV of a file of another format, which ``opened`` opens at its beginning.

    Of a spreadsheet, ``names`` says whether the first row has none, and ``sheet`` which of its sheets is read.
    """
    if suffix in SHEETS:
        yield from _written(sheet_rows(opened(), refused, names, skip, sheet, _sheet_hint(path, suffix)))
        return
    if names or skip:
        raise refused("has names in its records", f"leave out {named('names')} and {named('skip')}")
    if suffix in _XML:
        yield from _written(itertools.chain([POINT_NAMES], points(opened(), refused)))
        return
    all_names: dict[str, None] = {}
    for record in records(opened(), refused):
        all_names.update(dict.fromkeys(record))
    if not all_names:
        raise refused("contains no records", "give an array of records, lines of records, or GeoJSON")
    rows = ([record.get(name, "") for name in all_names] for record in records(opened(), refused))
    yield from _written(itertools.chain([all_names], rows))


def _written(rows: Iterable[Iterable[str]]) -> Iterator[bytes]:
    """The bytes of a CSV; half a character becomes no UTF-8, and is refused as such."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")  # each of its characters is quoted in a field
    for row in rows:
        writer.writerow(row)
        if text.tell() > _BLOCK:
            yield text.getvalue().encode(errors="surrogatepass")
            text.seek(0)
            text.truncate()
    yield text.getvalue().encode(errors="surrogatepass")


def utf8_blocks(file: Any, encoding: str) -> Iterator[bytes]:
    """A text of another encoding as UTF-8; UnicodeError if not all of it is such a text.

    What has a character of UTF-8 in it is no Windows-1252, but damaged UTF-8.
    """
    decoder, rest = codecs.getincrementaldecoder(encoding)(), b""
    while block := file.read(_BLOCK):
        if encoding == "cp1252" and _UTF8.search(rest + block):
            raise UnicodeError
        rest = block[-3:]
        yield decoder.decode(block).encode()
    yield decoder.decode(b"", True).encode()


def only_table(file: Any, refused: Refused) -> tuple[str, Iterator[bytes]]:
    """The suffix of the only table in a zip file, and its blocks."""
    members = []
    with contextlib.suppress(*_WRONG):
        archive = zipfile.ZipFile(file)
        members = [each for each in archive.infolist() if not each.is_dir() and "__MACOSX/" not in each.filename]
    if not members:
        raise refused("is no complete zip file with files in it")
    suffixes = [suffix_of_input(each.filename.rpartition("/")[2]) for each in members]
    tables = [(each, suffix) for each, suffix in zip(members, suffixes, strict=True) if suffix not in ("", ".zip")]
    if len(tables) != 1:
        raise refused(f"has {len(tables)} tables in it", "unpack it, and give a file of a table")
    ((member, suffix),) = tables
    if member.flag_bits & 1 or member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise refused("is encrypted, or packed in another way than by deflate", "unpack it first")

    def blocks() -> Iterator[bytes]:
        done = False
        with contextlib.suppress(*_WRONG), archive.open(member) as packed:
            while block := packed.read(_BLOCK):
                yield block
            done = True
        if not done:
            raise refused("is a damaged zip file")

    return suffix, blocks()


def lines_above(text: str, separator: str, is_value: Callable[[str], Any]) -> list[str]:
    """The lines of comments, titles and nothing that are above the names of the columns.

    The names are the first line of several fields of which the next one has as many. A table with the lines
    above them as names could not be read, as these have fewer or no fields.
    """
    lines = [match[0] for match in itertools.islice(_LINE.finditer(text), _MOST_TITLES + 2)]
    try:
        counted = [next(csv.reader([line.rstrip("\r\n")], delimiter=separator), []) for line in lines]
    except csv.Error:  # of a long field
        return []
    for place, (line, fields) in enumerate(zip(lines[:-1], counted[:-1], strict=True)):
        if len(fields) > 1 and len(fields) == len(counted[place + 1]) and any(map(str.strip, fields)):
            return lines[:place] if all(map(str.strip, fields)) and not any(map(is_value, fields)) else []
        plain = len(fields) < 2 and not re.search("[,;\t|]", line)
        if '"' in line or not (plain or line.startswith("#") or not any(map(str.strip, fields))):
            break
    return []


def path_hint(path: Any) -> str:
    """What to do about a path that is no file which is read; empty if that is not known."""
    suffix = "." + str(path).lower().rpartition(".")[2]
    if Path(path).name == "-" or str(path).startswith(("/dev/", "/proc/")):
        return "'dirpriv release' takes a pipe as '-', standard input; else save it first, by: cat > in.csv"
    if suffix in _CONVERTED_BY:
        return "convert it first, by: " + _CONVERTED_BY[suffix].format(_plain(path, suffix))
    return "unpack it first" if suffix in (".zip", ".bz2", ".xz", ".zst", ".7z", ".gz") else ""


def _sheet_hint(path: Any, suffix: str) -> str:
    """How one of several sheets is chosen."""
    name = _plain(path, suffix)
    line = f"dirpriv prepare '{name}' '{name}.prepared.parquet' --sheet 1"
    return f"choose one by its number, as in: {line}"


def _plain(path: Any, suffix: str) -> str:
    return str(path) if re.fullmatch(PLAIN, str(path)) else f"in{suffix}"
