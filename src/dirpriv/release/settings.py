"""Settings of a release of a file, each stated once: its type, its default, its help and its unit.

The options of ``dirpriv release`` with their help, and the checks of single values, are made from the fields
here and from the documentation of each. A command shows its help without NumPy, so this module imports none.
"""

from __future__ import annotations

import dataclasses
import datetime
import inspect
import os
import re
import unicodedata
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

from dirpriv._inputs import clock_units
from dirpriv._inputs.errors import InvalidArgument, is_single, named

if TYPE_CHECKING:
    from dirpriv._lib.types import Metres, Missing, OutsideOfFile, Together
    from dirpriv.exact.central import Adjacency

ColumnNames = str | list[str] | tuple[str, ...]
_COLUMNS = "columns and privacy level"
_ACCOUNT = "account: the total level of all releases of these people"
_CENTRAL = "a result only, with central trust (trusted data owner)"
GROUPS = "", _COLUMNS, "times", "places", "items", "rows", _ACCOUNT, _CENTRAL  # of options, in this order
# a field in the documentation of its class
_ENTRY = re.compile(r"^(\w+) : .*((?:\n    .*)+)\n?", re.M)


class Setting(NamedTuple):
    """A setting beside its type and its documentation."""

    default: Any
    group: str = ""  # of options
    option: str = ""  # where it is not called as the field
    metavar: str | None = None
    unit: str = "text"  # how the text of an option is read
    several: bool = False  # values of an option that is repeated
    words: tuple[str, ...] = ()  # the values, if they are words
    const: Any = None  # of an option without its value
    help: str = ""  # of the option: the first sentence of the documentation


def setting(default: Any = dataclasses.MISSING, **more: Any) -> Any:
    """A field that is a setting."""
    return dataclasses.field(default=default, metadata={"setting": Setting(default, **more)})


def settings_by_name(kind: Any) -> dict[str, Setting]:
    """The settings of a dataclass, in the order of their groups; without their help in python -OO."""
    entries = [entry for base in kind.__mro__ for entry in _entries(base)]
    texts = {entry[1]: re.split(r"\.(?: |$)", " ".join(entry[2].split()))[0] for entry in entries}
    helps = {name: text[0].lower() + text[1:] for name, text in texts.items()}
    settings = {field.name: field.metadata["setting"] for field in dataclasses.fields(kind)}
    settings = {name: each._replace(help=helps.get(name, "")) for name, each in settings.items()}
    return dict(sorted(settings.items(), key=lambda item: GROUPS.index(item[1].group)))


def documented(kind: Any) -> Any:
    """Add the settings of the classes above to the documentation of a dataclass."""
    inherited = [entry[0] for base in kind.__mro__[1:] for entry in _entries(base)]
    if kind.__doc__ is not None:  # python -OO
        head, examples, tail = inspect.cleandoc(kind.__doc__).partition("\nExamples\n")
        kind.__doc__ = "".join([head, *inherited, examples, tail, "\n"])
    return kind


def _entries(kind: Any) -> list[re.Match[str]]:
    """The fields that the docstring of a class describes."""
    return [*_ENTRY.finditer(inspect.cleandoc(kind.__doc__ or "") + "\n")]


@dataclasses.dataclass(frozen=True, kw_only=True)
class AccountSettings:
    """Where a release counts, and what is fixed with the first release of a dataset.

    Attributes
    ----------
    user : str, optional
        Column that identifies the person of each row; not released. Spaces around a text do not count. The
        guarantee is then for all rows of a person: ``max_rows_per_person`` are drawn, others left out.
    rerelease : bool
        Release the file again; the levels add up.
    dataset : str, optional
        Name of the account; a new name starts a new account. The levels of the releases of an account add up. A
        column of a name that was released before, of another file, needs it or ``other_people``.
    other_people : bool
        Declare that nobody of this file is in an earlier release.
    budget : float or (float, float), optional
        With the first release of a dataset: limit of its total level. The largest sum of levels, or a level and
        its δ that a Rényi filter keeps.
    max_releases : (int, float), optional
        With the first release of a dataset: total level at DELTA for N equal releases. N and DELTA, as ``(30, 1e-6)``.
    """

    user: str | None = setting(None, group="rows", metavar="COL")
    rerelease: bool = setting(False, group="rows")
    dataset: str | None = setting(None, group=_ACCOUNT, metavar="NAME")
    other_people: bool = setting(False, group=_ACCOUNT)
    budget: float | tuple[float, float] | None = setting(None, group=_ACCOUNT, metavar="LEVEL[,DELTA]", unit="numbers")
    max_releases: tuple[int, float] | None = setting(None, group=_ACCOUNT, metavar="N,DELTA", unit="numbers")

    def __post_init__(self) -> None:
        from dirpriv._inputs import validate

        name, budget, planned = self.dataset, self.budget, self.max_releases
        if name is not None:
            name = unicodedata.normalize("NFC", name.strip()) if isinstance(name, str) else ""
            if not 1 <= len(name) <= 100 or not name.isprintable():
                rule = "must be a name of 1 to 100 characters, all of which can be printed"
                raise InvalidArgument("dataset", rule, got=self.dataset)
        if (name is None and not budget is planned is None) or None not in (budget, planned):
            rule = f"{named('budget')} or {named('max_releases')} goes with {named('dataset')}"
            raise InvalidArgument(rule, hint="give a name, and one of the two")
        fixed: dict[str, Any] = {"budget": budget, "max_releases": planned}
        if budget is not None:
            level, delta = budget if isinstance(budget, list | tuple) and len(budget) == 2 else (budget, 0.0)
            fixed["budget"] = [validate.positive("budget", level), validate.share("budget", delta, zero=True)]
        if planned is not None:
            if not isinstance(planned, list | tuple) or len(planned) != 2:
                raise InvalidArgument("max_releases", "must be a number of releases and a δ", got=planned)
            many, delta = planned
            fixed["max_releases"] = [validate.integer("max_releases", many, 1), validate.share("max_releases", delta)]
        vars(self).update(fixed, dataset=name)


@dataclasses.dataclass(frozen=True, kw_only=True)
class FileSettings(AccountSettings):
    """How a file is read, whose its rows are, and where its release counts.

    Attributes
    ----------
    time : str or list of str, optional
        Column of times; repeat the option for more columns. Timestamps, times of day, numbers with their ``unit``, or
        texts of one kind: ``"08:15"``, ``"08:15:30"``, ``"2012-04-03T18:00:09"``, with Z or an offset, or numbers.
    heading : str or list of str, optional
        Column of headings in degrees, from 0 to 360. Headings have the radius of the times, as ``"45deg"``, and
        the same number of cells.
    latitude : str, optional
        Column of latitudes in degrees.
    longitude : str, optional
        Column of longitudes in degrees.
    cells : int
        Number of cells to which times are rounded. Of the day or of the week; each a whole number of seconds wide.
    period : str or timedelta
        Times of the day, 24h, or of the week, 7d.
    zone : str, optional
        Time zone of the released local times, such as Europe/Berlin. Times with a zone are released in its
        local time. The radius is then of times on the local clock, as of :func:`dirpriv.release.times`.
        Timestamps of Parquet that may be in UTC, such as INT96, need it; ``"UTC"`` leaves them as they are.
    unit : str, optional
        Unit of numbers in ``time``: h, hourbin, min, s, day, deg, epoch, epoch_ms. As for
        :func:`dirpriv.release.times`; none is guessed. ``"epoch"`` and ``"epoch_ms"`` are seconds and
        milliseconds since 1970 in UTC, and need ``zone``.
    time_format : str, optional
        Format of the times, such as %d.%m.%Y %H:%M. With the codes of ``strptime``. ``%Z`` reads UTC, GMT and
        names such as Europe/Berlin. A format with Z, UTC, GMT or +0000 in it is of times in UTC.
    region_centre : (float, float), optional
        Region's centre in degrees. The public map of the places, as for :class:`dirpriv.release.PlaneRelease`:
        not from the data.
    region_reach : float or str, optional
        Radius of the region; places beyond it are moved to its border.
    cell_size : float or str, optional
        Side of a cell; a twentieth of ``radius`` adds 7 % to the noise.
    max_rows_per_person : int
        With ``user``: number of rows released per person, chosen at random. K, which is declared and not
        counted from the data. Who has fewer rows gives all.
    missing : {"stop", "keep"}
        Missing values: stop, or keep: release them as missing, unprotected.
    outside : {"ask", "clamp", "stop", "keep"}
        Places outside: clamp to the border, stop, keep as missing, unprotected, or ask: clamp, but not all.
        With ``"ask"``, two or more places that are all beyond the reach are an error, before anything is drawn
        or counted: the map may be wrong. ``"clamp"`` confirms it. The check looks at the values. A release with
        ``"ask"`` reveals that not all places are beyond the reach, and its guarantee says so.
    separator : str
        Separator of the CSV: , or ; or tab. One character, or ``"tab"``.
    """

    time: ColumnNames | None = setting(None, group=_COLUMNS, metavar="COL", several=True)
    heading: ColumnNames | None = setting(None, group=_COLUMNS, metavar="COL", several=True)
    latitude: str | None = setting(None, group=_COLUMNS, metavar="COL")
    longitude: str | None = setting(None, group=_COLUMNS, metavar="COL")
    cells: int = setting(1440, group="times", unit="whole number")
    period: str | datetime.timedelta = setting("24h", group="times", unit="period")
    zone: str | None = setting(None, group="times")
    unit: str | None = setting(None, group="times")
    time_format: str | None = setting(None, group="times", metavar="FORMAT")
    region_centre: tuple[float, float] | None = setting(None, group="places", metavar="LAT,LON", unit="place")
    region_reach: Metres | None = setting(None, group="places", metavar="LENGTH")
    cell_size: Metres | None = setting(None, group="places", metavar="LENGTH")
    max_rows_per_person: int = setting(1, group="rows", metavar="K", unit="whole number")
    missing: Missing = setting("stop", group="rows", words=("stop", "keep"))
    outside: OutsideOfFile = setting("ask", group="rows", words=("ask", "clamp", "stop", "keep"))
    separator: str = setting(",", group="rows")

    def __post_init__(self) -> None:
        """Refuse tables instead of single values, before a message could show them, and other words."""
        from dirpriv._inputs import validate

        check_single(**vars(self))
        for name, about in settings_by_name(type(self)).items():
            value = getattr(self, name)
            if isinstance(about.default, bool) and not isinstance(value, bool):
                raise InvalidArgument(name, "must be True or False", got=value)
            if about.words and value is not None:
                validate.check_word(name, value, *about.words)
        clock_units.check(self.unit)
        super().__post_init__()
        circular = [*column_names("time", self.time), *column_names("heading", self.heading)]
        item = getattr(self, "item", None)
        if self.user is not None and self.user in [self.latitude, self.longitude, item, *circular]:
            hint = "give the column that identifies the person of a row"
            raise InvalidArgument("user", "must not be a released column", got=self.user, hint=hint)
        rows, delta = validate.integer("max_rows_per_person", self.max_rows_per_person, 1), getattr(self, "delta", None)
        if self.user is None and (rows != 1 or delta is not None):
            rule = f"{named('max_rows_per_person')} and {named('delta')} go with {named('user')}"
            raise InvalidArgument(f"{rule}, the column that says whose a row is")

    @property
    def rows_per_person(self) -> int | None:
        """How many rows of each person are drawn; None without a column that identifies persons."""
        return None if self.user is None else self.max_rows_per_person

    @property
    def kept(self) -> list[str]:
        """Names of the columns that are copied, which a central result has none of."""
        keep = getattr(self, "keep", ())
        return [keep] if isinstance(keep, str) else list(keep)


@documented
@dataclasses.dataclass(frozen=True, kw_only=True)
class LocalFileSettings(FileSettings):
    """Settings of a release of the rows of a file, each with its own noise; see :func:`dirpriv.release.file`.

    Attributes
    ----------
    level : float or (float, float)
        Privacy level, a number above 0. Of indistinguishability of each column within the radius. Levels of
        columns add up. Two are of times and of places, as ``(1.0, 0.5)``.
    radius : str or timedelta or list
        Radius of the level, such as 3h, 75min, 200m or 1.5km; one for times and one for places. For both in one
        call give two, ``["3h", "200m"]``. The guarantee has it as it is written here.
    together : {"sum", "either"}, optional
        One promise for the time and the place of a row within both radii: sum, two noises whose levels add up, or
        either, one noise. With ``"either"``, any two rows within both radii are indistinguishable at ``level`` (the
        larger of two), by :class:`dirpriv.release.VisitRelease`; with ``"sum"`` at the sum of both levels. For one
        column of times, and places. With ``"either"``, a row without one of them is released as missing in both.
    item : str, optional
        Column of items, such as venues; each row gets an item of the list ``items``. As of
        :func:`dirpriv.release.items`.
    items : str or path, optional
        Public list: a .csv or .parquet with the columns item, latitude and longitude. It must not be made from
        the data.
    unknown : str, optional
        One more item that stands for all that are not on the list. Without it they are errors.
    most_unchanged : float
        Refuse a list with an item that is released as itself with a larger probability.
    public_list : bool
        The list is public, although it has exactly the items that occur.
    delta : float, optional
        With ``user``: state a smaller level per person, which may fail with this probability. By
        :func:`dirpriv.guarantees.composed_level`. Without it the level of K rows is K ℓ.
    shuffled : (int, float), optional
        Also state the level at DELTA of the whole file in random order, with at least N reports. N and δ, as
        ``(433, 1e-6)``, for N reports of honest people: see :func:`dirpriv.guarantees.shuffled_level`. The
        random order hides the person of each report. For one column of times or headings, without ``keep``,
        ``keep_order`` and missing values that pass. With fewer than N rows, the release is refused before
        anything is drawn or counted. The refusal reveals only that there are fewer rows. The number of rows is
        not protected. Declare N before you look at the data.
    keep : str or list of str
        Also copy this column, unprotected. Its texts are copied character for character, and may show whose row
        it is. A text such as ``=1+1`` is a formula to a spreadsheet that opens the output. Each different text
        is kept in memory.
    keep_order : bool
        Keep the order of the rows, unprotected. In a file sorted by time it gives the times away.
    guarantee : str or path, optional
        With OUT -: the new file .json of the guarantee. With standard output. It appears before the rows.

    Examples
    --------
    >>> from dirpriv import release
    >>> settings = release.LocalFileSettings(time="arrival", level=1.0, radius="3h")
    >>> settings.cells, settings.missing
    (1440, 'stop')
    """

    level: float | tuple[float, float] = setting(group=_COLUMNS, unit="numbers")
    radius: str | datetime.timedelta | list[str | datetime.timedelta] = setting(
        group=_COLUMNS, option="within", metavar="RADIUS", several=True
    )
    together: Together | None = setting(None, group=_COLUMNS, words=("sum", "either"))
    item: str | None = setting(None, group=_COLUMNS, metavar="COL")
    items: str | os.PathLike[str] | None = setting(None, group="items", metavar="FILE")
    unknown: str | None = setting(None, group="items", metavar="NAME")
    most_unchanged: float = setting(1.0, group="items", metavar="SHARE", unit="number")
    public_list: bool = setting(False, group="items")
    delta: float | None = setting(None, group="rows", unit="number")
    shuffled: tuple[int, float] | None = setting(None, group="rows", metavar="N,DELTA", unit="numbers")
    keep: ColumnNames = setting((), group="rows", metavar="COL", several=True)
    keep_order: bool = setting(False, group="rows")
    guarantee: str | os.PathLike[str] | None = setting(None, metavar="FILE")


class LocalFileKeywords(TypedDict, total=False):
    """The fields of :class:`LocalFileSettings`, as keywords."""

    time: ColumnNames | None
    heading: ColumnNames | None
    latitude: str | None
    longitude: str | None
    together: Together | None
    item: str | None
    items: str | os.PathLike[str] | None
    unknown: str | None
    most_unchanged: float
    public_list: bool
    level: float | tuple[float, float]
    radius: str | datetime.timedelta | list[str | datetime.timedelta]
    cells: int
    period: str | datetime.timedelta
    zone: str | None
    unit: str | None
    time_format: str | None
    region_centre: tuple[float, float] | None
    region_reach: Metres | None
    cell_size: Metres | None
    user: str | None
    max_rows_per_person: int
    delta: float | None
    shuffled: tuple[int, float] | None
    missing: Missing
    outside: OutsideOfFile
    keep: ColumnNames
    keep_order: bool
    separator: str
    guarantee: str | os.PathLike[str] | None
    rerelease: bool
    dataset: str | None
    other_people: bool
    budget: float | tuple[float, float] | None
    max_releases: tuple[int, float] | None


@documented
@dataclasses.dataclass(frozen=True, kw_only=True)
class CentralFileSettings(FileSettings):
    """Settings of one result of each column of a file, with noise of a trusted data owner, and none of its rows.

    Attributes
    ----------
    epsilon : float
        Pure level of a row; with ``user``, of a person.
    mean : bool
        Release the mean time or heading.
    bins : int, optional
        Release a histogram with this number of bins, such as 24.
    districts : int, optional
        Release counts of districts; number of districts along each side (8).
    adjacency : {"replace", "add-remove"}
        Replace: hide people's values; add-remove: also hide who is in the file.

    Examples
    --------
    >>> from dirpriv import release
    >>> release.CentralFileSettings(time="arrival", epsilon=1.0, bins=24).result
    'histogram'
    """

    epsilon: float = setting(group=_CENTRAL, unit="number")
    mean: bool = setting(False, group=_CENTRAL)
    bins: int | None = setting(None, group=_CENTRAL, option="histogram", metavar="BINS", unit="whole number")
    districts: int | None = setting(
        None, group=_CENTRAL, option="map", metavar="DISTRICTS", unit="whole number", const=8
    )
    adjacency: Adjacency = setting("replace", group=_CENTRAL, words=("replace", "add-remove"))

    def __post_init__(self) -> None:
        super().__post_init__()
        if [self.mean, self.bins is not None, self.districts is not None].count(True) != 1:
            names = ", ".join(map(named, ("mean", "bins", "districts")))
            raise InvalidArgument(f"one result is needed, by one of {names}")

    @property
    def result(self) -> str:
        """What is released: ``"mean"``, ``"histogram"`` or ``"map"``."""
        return "mean" if self.mean else "map" if self.bins is None else "histogram"


def check_single(**arguments: Any) -> None:
    """Refuse columns and tables where one value or a few are asked for, before a message could show them."""
    for name, value in arguments.items():
        for one in value if isinstance(value, list | tuple) else [value]:
            if not (is_single(one) or isinstance(one, os.PathLike)):
                rule = f"must be one value or a few values, not data; got the type {type(one).__name__}"
                hint = f"data are in the file {named('input')}, and columns go by their names"
                raise InvalidArgument(name, rule, hint=hint)


def column_names(argument: str, names: Any) -> list[str]:
    """The names of a setting that has none, one or several."""
    values = names if isinstance(names, list | tuple) else [] if names is None else [names]
    for name in values:
        if not isinstance(name, str):
            raise InvalidArgument(argument, "must be the name of a column", got=name)
    return list(values)
