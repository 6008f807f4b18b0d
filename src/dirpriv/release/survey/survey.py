"""Surveys whose noise is added on the devices of people: what their pages hold, and their reports, collected.

A survey is a public document, which its page carries; ``docs/on_the_device.md`` says what it promises. A time
is reported by a text in its cell, a place by the numbers of its cell.
"""

import contextlib
import dataclasses
import functools
import hashlib
import itertools
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np

from dirpriv import guarantees
from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument, MissingFile
from dirpriv._inputs.strict_json import parsed, renamed
from dirpriv._lib.locks import lock
from dirpriv.exact.export import FIRST, TO_FIRST, in_first_format
from dirpriv.release.files.atomic_output import Rows, appearing_together, check_new, remove_partial_files
from dirpriv.release.files.shuffle import random_order
from dirpriv.release.guarantee.columns import PlaceColumns, TimeColumn, read_column, settings_of
from dirpriv.release.guarantee.file import SUFFIX, FileGuarantee
from dirpriv.tables import table as tables

FORMAT = "dirpriv.survey/2"
REPORT = "dirpriv.report/1"
LONGEST = 1000  # bytes of a report
_PAGE = re.compile(rb'<script type="application/json" id="survey">(.*?)</script>', re.DOTALL)
_ADDRESS = re.compile(
    r"(https://[A-Za-z0-9.-]+|http://(localhost|127\.0\.0\.1|\[::1\]))(:[0-9]{1,5})?(/[A-Za-z0-9._~/-]*)?"
)


def check_line(name: str, text: str) -> None:
    """Refuse what is no text of one line."""
    if not isinstance(text, str) or not text.strip() or not text.isprintable():
        raise InvalidArgument(name, "must be a text of one line", got=text)


@dataclasses.dataclass(frozen=True)
class Survey:
    """A question that people's own devices answer, with noise, once in each period.

    ``every`` is "once" or "day"; a report goes to ``send_to`` within 15 minutes from ``send_at``, at once
    where this is None, or is a text to copy without an address.
    """

    question: str
    column: TimeColumn | PlaceColumns
    every: Literal["once", "day"] = "once"
    send_to: str | None = None
    send_at: str | None = None
    format: str = FORMAT

    def __post_init__(self) -> None:
        for name, text in (("question", self.question), *(("name", name) for name in self.column.names)):
            check_line(name, text)
        validate.check_word("every", self.every, "once", "day")
        if self.send_to is not None and not _ADDRESS.fullmatch(self.send_to):
            rule = "must be an https address without a query, or an http one of this machine"
            raise InvalidArgument("send_to", rule, got=self.send_to)
        if self.send_at is not None and not re.fullmatch("([01][0-9]|2[0-3]):[0-5][0-9]", self.send_at):
            raise InvalidArgument("send_at", "must be a time of day, as 20:00", got=self.send_at)

    @property
    def unprotected(self) -> tuple[str, ...]:
        """What a report reveals beside its value."""
        things = ["that a person takes part", "the arrival time and the network address of a report"]
        if isinstance(self.column, PlaceColumns):
            things.append("the true place against the browser's own position service, if a person uses it")
        if self.send_to is None:
            things.append("people see their report before they pass it on, and their choice biases estimates")
        elif not self.send_at:
            things.append("the sending time, which is the answer if people answer at the moment of the event")
        return tuple(things)

    def level_after(self, days: int, delta: float) -> float:
        """Level at δ of one person's reports of these many days, within the radius of the column."""
        noise: Any = self.column.release().noise
        return guarantees.composed_level(noise, days, distance=self.column.radius, delta=delta)

    def to_json(self) -> dict[str, Any]:
        release, column = self.column.release().export(self.column.radius), settings_of(self.column)
        if self.format != FORMAT:
            release, column = in_first_format(release), renamed(column, TO_FIRST)
        fields = self.format, self.question, ", ".join(self.column.names), self.every, release["sha256"]
        survey = {"format": self.format, "id": hashlib.sha256("\n".join(fields).encode()).hexdigest()}
        return survey | vars(self) | {"column": column, "release": release}

    @classmethod
    def from_json(cls, document: Any) -> Self:
        """The survey of a document; refused where it is not the very one that its settings give."""
        try:
            validate.check_word("format", document["format"], "dirpriv.survey/1", FORMAT)
            column = document["column"] if document["format"] == FORMAT else renamed(document["column"], FIRST)
            rest: Any = (document[name] for name in ("every", "send_to", "send_at", "format"))
            survey = cls(document["question"], *(read_column(column), *rest))
            if survey.to_json() != document:
                raise InvalidArgument("its fields do not fit each other")
        except (KeyError, TypeError, AttributeError):
            raise InvalidArgument("a field is missing, or has a wrong type") from None
        return survey


def read_survey(page: str | os.PathLike[str]) -> Survey:
    """The survey that a page of ``dirpriv device`` carries."""
    return read_page(page)[0]


def read_page(page: str | os.PathLike[str]) -> tuple[Survey, bytes]:
    """The survey that a page of ``dirpriv device`` carries, and the page, which was checked."""
    path = Path(page)
    if not path.is_file():
        raise MissingFile(f"there is no page {str(path)!r}", hint="'dirpriv device' writes one")
    content = path.read_bytes()
    match = _PAGE.search(content)
    if match is None:
        raise InvalidArgument(f"{str(path)!r} is not a page of 'dirpriv device'")
    try:
        return Survey.from_json(parsed(match[1])), content
    except InvalidArgument as error:
        rule = f"{str(path)!r} is not a page of this version of 'dirpriv device', or was changed"
        raise InvalidArgument(rule, hint=str(error)) from None


def collect(
    survey: Survey, reports: str | os.PathLike[str], output: str | os.PathLike[str], shuffled: Any = None
) -> tuple[FileGuarantee, int, Counter[str]]:
    """Write the reports of a folder or a file of JSON lines into a private file, with its guarantee.

    Returns the guarantee, the number of reports in the file, and how many lines were left out, by the
    reason. The rows are in a random order; nothing but the reported times or places is kept. ``shuffled`` is
    the declared number of honest devices, and δ: see :attr:`FileGuarantee.shuffled`.
    """
    about: dict[str, Any] = {"unprotected": survey.unprotected, "devices": True, "shuffled": shuffled}
    guarantee = FileGuarantee((survey.column,), **about)
    target = Path.cwd() / output
    suffix = tables.suffix_of("output", target)
    beside = target.with_name(target.name + SUFFIX)
    check_new(target, beside)
    left_out: Counter[str] = Counter()
    cells = np.array([*_cells(survey, _lines(Path(reports)), left_out)], dtype=np.int64)
    if not len(cells):
        skipped = ", ".join(f"{number} with {reason}" for reason, number in sorted(left_out.items()))
        raise InvalidArgument(f"{str(reports)!r} has no report of this page", hint=f"it has {skipped or 'no lines'}")
    if shuffled is not None and len(cells) < shuffled[0]:
        rule = f"must be at most the number of reports, {len(cells)}; got {shuffled[0]} honest devices"
        raise InvalidArgument("shuffled", rule)
    rows = np.empty(len(cells), dtype=[("0", np.int64, cells.shape[1:])])
    rows["0"] = cells[random_order(len(cells))]
    remove_partial_files(target.parent)
    with appearing_together(beside, target) as hidden:
        hidden[0].file.write((guarantee.dumps() + "\n").encode())
        Rows((survey.column,), []).write(iter([rows]), hidden[1], suffix)
    return guarantee, len(cells), left_out


def _lines(place: Path) -> Iterator[bytes]:
    """Lines with a report, of a file or of all files in a folder; of long ones only their beginnings."""
    if not place.exists():
        raise MissingFile(f"there are no reports {str(place)!r}")
    if not place.is_file() and not place.is_dir():
        raise InvalidArgument("reports", "must be a file or a folder, no pipe or device", got=str(place))
    paths = sorted(path for path in place.iterdir() if path.is_file()) if place.is_dir() else [place]
    for path in paths:
        with path.open("rb") as file:
            while line := file.readline(LONGEST + 2):
                rest = line
                while len(rest) == LONGEST + 2 and not rest.endswith(b"\n"):
                    rest = file.readline(LONGEST + 2)
                if line.strip():
                    yield line


def _cells(survey: Survey, lines: Iterable[bytes], left_out: Counter[str]) -> Iterator[Any]:
    """Cells of the reports of a survey; what is none is counted under its reason."""
    expected, nonces = survey.to_json()["id"], set()
    names, cell_of = _reading(survey.column)
    for line in lines:
        try:
            report = parsed(line)
        except InvalidArgument:
            left_out["no JSON"] += 1
            continue
        if not _is_report(report):
            left_out["no report"] += 1
        elif report["format"] != REPORT:
            left_out["another version"] += 1
        elif not len(line) <= LONGEST or not {"survey", "nonce"} <= set(report):
            left_out["malformed"] += 1
        elif report["survey"] != expected:
            left_out["another question or level"] += 1
        elif set(report) != {"format", "survey", "nonce", *names} or (
            (cell := cell_of(*(report[name] for name in names))) is None
            or not isinstance(report["nonce"], str)
            or not re.fullmatch("[0-9a-f]{32}", report["nonce"])
        ):
            left_out["malformed"] += 1
        elif report["nonce"] in nonces:
            left_out["a nonce that came before"] += 1
        else:
            nonces.add(report["nonce"])
            yield cell


def _reading(column: TimeColumn | PlaceColumns) -> tuple[tuple[str, ...], Callable[..., Any]]:
    """The fields of a report that say its value, and the cell that they are, or None."""
    if isinstance(column, PlaceColumns):
        half = column.release().side // 2

        def place(*cell: Any) -> Any:
            return cell if all(type(number) is int and abs(number) <= half for number in cell) else None

        return ("east", "north"), place

    @functools.lru_cache(maxsize=column.cells)
    def time(text: str) -> Any:
        with contextlib.suppress(ValueError):
            return column.cells_of([text])[0]

    return ("time",), lambda text: time(text) if isinstance(text, str) else None


def _is_report(document: Any) -> bool:
    about = document.get("format") if isinstance(document, dict) else None
    return isinstance(about, str) and about.startswith("dirpriv.report/")


def as_line(body: bytes) -> bytes | None:
    """What a server may store of a body: a report on one line, or None."""
    try:
        report = parsed(body) if len(body) <= LONGEST else None
    except InvalidArgument:
        return None
    return json.dumps(report).encode() + b"\n" if _is_report(report) else None


def append(reports: Path, line: bytes = b"") -> None:
    """Add a line to a file of reports, perhaps a new one: whole and on its own, or not at all."""
    first = itertools.islice(_lines(reports), 1) if reports.exists() else ()
    if any(as_line(text.strip()) is None for text in first):
        raise InvalidArgument("reports", "must be new, or a file that begins with a report", got=str(reports))
    with open(os.open(reports, os.O_CREAT | os.O_APPEND | os.O_RDWR, 0o600), "a+b", buffering=0) as file:
        lock(file.fileno())  # of two servers, one waits here for the other
        end = file.seek(0, os.SEEK_END)
        file.seek(max(end - 1, 0))
        if line and file.read(1) not in (b"", b"\n"):  # of an editor, or of a full disk
            line = b"\n" + line
        if file.write(line) != len(line):
            file.truncate(end)
            raise OSError("the disk is full")
