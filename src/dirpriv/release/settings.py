"""Settings of a release of a file, each stated once: its type, its default, its help and its unit.

The options of ``dirpriv release``, the keywords of :func:`dirpriv.release.file`, the documentation and the
checks of single values are made from the fields here. A command shows its help without NumPy, so this module
imports none.
"""

from __future__ import annotations

import dataclasses
import datetime
import os
import textwrap
import unicodedata
from typing import TYPE_CHECKING, Any, NamedTuple, Required, TypedDict

from dirpriv._inputs import clock_units
from dirpriv._inputs.errors import InvalidArgument, is_single, named

if TYPE_CHECKING:
    from dirpriv._lib.types import Metres, Missing, OutsideOfFile
    from dirpriv.exact.central import Adjacency

Columns = str | list[str] | tuple[str, ...]
_COLUMNS = "columns and privacy level"
_ACCOUNT = "account: the total level of all releases of these people"
_CENTRAL = "a result only, with central trust (trusted data owner)"
GROUPS = "", _COLUMNS, "times", "places", "rows", _ACCOUNT, _CENTRAL  # of options, in this order


class Setting(NamedTuple):
    """What is said of a setting beside its type and its default."""

    help: str  # of the option, which is also the first sentence of the documentation
    group: str = ""  # of options
    more: str = ""  # of the documentation
    option: str = ""  # where it is not called as the field
    metavar: str | None = None
    unit: str = "text"  # how the text of an option is read
    several: bool = False  # values of an option that is repeated
    words: tuple[str, ...] = ()  # the values, if they are words
    const: Any = None  # of an option without its value


def setting(help: str, *, default: Any = dataclasses.MISSING, **more: Any) -> Any:
    """A field that is a setting."""
    return dataclasses.field(default=default, metadata={"setting": Setting(help, **more)})


def settings_by_name(kind: Any) -> dict[str, tuple[Setting, Any]]:
    """The settings of a dataclass, in the order of their groups, each with its default."""
    fields = sorted(dataclasses.fields(kind), key=lambda field: GROUPS.index(field.metadata["setting"].group))
    return {field.name: (field.metadata["setting"], field.default) for field in fields}


def documented(kind: Any) -> Any:
    """Add the settings of a dataclass to its documentation, as attributes."""
    if kind.__doc__ is None:  # python -OO
        return kind
    types, lines = {field.name: str(field.type) for field in dataclasses.fields(kind)}, []
    for name, (about, default) in settings_by_name(kind).items():
        usual = "" if default in (dataclasses.MISSING, None) else f", default {default!r}"
        text = f"{about.help[0].upper()}{about.help[1:]}. {about.more}"
        lines += [f"    {name} : {types[name].replace('Columns', 'str | list of str').replace(' | ', ' or ')}{usual}"]
        lines += [textwrap.indent(textwrap.fill(text, 100), " " * 8)]
    head, raises, tail = kind.__doc__.rstrip().partition("    Raises\n")
    kind.__doc__ = "\n".join([f"{head}    Attributes\n    ----------", *lines, "", raises + tail, "    "])
    return kind


@dataclasses.dataclass(frozen=True, kw_only=True)
class AccountSettings:
    """Where a release counts, and what is fixed with the first release of a dataset."""

    # fmt: off
    user: str | None = setting(
        "column that identifies the person of each row; not released",
        more="Spaces around a text do not count. The guarantee is then for all rows of a person: "
        "``max_rows_per_person`` are drawn, others left out.",
        default=None, group="rows", metavar="COL",
    )
    rerelease: bool = setting("release the file again; the levels add up", default=False, group="rows")
    dataset: str | None = setting(
        "name of the account; a new name starts a new account",
        more="The levels of the releases of an account add up. A column of a name that was released before, of "
        "another file, needs it or ``other_people``.",
        default=None, group=_ACCOUNT, metavar="NAME",
    )
    other_people: bool = setting(
        "declare that nobody of this file is in an earlier release", default=False, group=_ACCOUNT
    )
    budget: float | tuple[float, float] | None = setting(
        "with the first release of a dataset: limit of its total level",
        more="The largest sum of levels, or a level and its δ that a Rényi filter keeps.",
        default=None, group=_ACCOUNT, metavar="LEVEL[,DELTA]", unit="numbers",
    )
    max_releases: tuple[int, float] | None = setting(
        "with the first release of a dataset: total level at DELTA for N equal releases",
        more="N and DELTA, as ``(30, 1e-6)``.",
        default=None, group=_ACCOUNT, metavar="N,DELTA", unit="numbers",
    )
    # fmt: on

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
    """How a file is read, whose its rows are, and where its release counts."""

    # fmt: off
    time: Columns | None = setting(
        "column of times; repeat the option for more columns",
        more="Timestamps, times of day, numbers with their ``unit``, or texts of one kind: ``\"08:15\"``, "
        "``\"08:15:30\"``, ``\"2012-04-03T18:00:09\"``, with Z or an offset, or numbers.",
        default=None, group=_COLUMNS, metavar="COL", several=True,
    )
    heading: Columns | None = setting(
        "column of headings in degrees, from 0 to 360",
        more="Headings have the radius of the times, as ``\"45deg\"``, and the same number of cells.",
        default=None, group=_COLUMNS, metavar="COL", several=True,
    )
    latitude: str | None = setting(
        "column of latitudes in degrees", default=None, group=_COLUMNS, metavar="COL"
    )
    longitude: str | None = setting(
        "column of longitudes in degrees", default=None, group=_COLUMNS, metavar="COL"
    )
    cells: int = setting(
        "number of cells to which times are rounded",
        more="Of the day or of the week; each a whole number of seconds wide.",
        default=1440, group="times", unit="whole number",
    )
    period: str | datetime.timedelta = setting(
        "times of the day, 24h, or of the week, 7d", default="24h", group="times", unit="period"
    )
    zone: str | None = setting(
        "time zone of the released local times, such as Europe/Berlin",
        more="Times with a zone are released in its local time. The radius is then of times on the local clock, as of "
        ":func:`dirpriv.release.times`. Timestamps of Parquet that may be in UTC, such as INT96, need it; "
        "``\"UTC\"`` leaves them as they are.",
        default=None, group="times",
    )
    unit: str | None = setting(
        f"unit of numbers in ``time``: {', '.join(clock_units.NAMES)}",
        more="As for :func:`dirpriv.release.times`; none is guessed. ``\"epoch\"`` and ``\"epoch_ms\"`` are "
        "seconds and milliseconds since 1970 in UTC, and need ``zone``.",
        default=None, group="times",
    )
    time_format: str | None = setting(
        "format of the times, such as %d.%m.%Y %H:%M",
        more="With the codes of ``strptime``. ``%Z`` reads UTC, GMT and names such as Europe/Berlin. A format with "
        "Z, UTC, GMT or +0000 in it is of times in UTC.",
        default=None, group="times", metavar="FORMAT",
    )
    region_centre: tuple[float, float] | None = setting(
        "region's centre in degrees",
        more="The public map of the places, as for :class:`dirpriv.release.PlaneRelease`: not from the data.",
        default=None, group="places", metavar="LAT,LON", unit="place",
    )
    region_reach: Metres | None = setting(
        "radius of the region; places beyond it are moved to its border",
        default=None, group="places", metavar="LENGTH", unit="length",
    )
    cell_size: Metres | None = setting(
        "side of a cell; a twentieth of ``radius`` adds 7 % to the noise",
        default=None, group="places", metavar="LENGTH", unit="length",
    )
    max_rows_per_person: int = setting(
        "with ``user``: number of rows released per person, chosen at random",
        more="K, which is declared and not counted from the data. Who has fewer rows gives all.",
        default=1, group="rows", metavar="K", unit="whole number",
    )
    missing: Missing = setting(
        "missing values: stop, or keep: release them as missing, unprotected",
        default="stop", group="rows", words=("stop", "keep"),
    )
    outside: OutsideOfFile = setting(
        "places outside: clamp to the border, stop, keep as missing, unprotected, or ask: clamp, but not all",
        more="With ``\"ask\"``, two or more places that are all beyond the reach are an error, before anything is "
        "drawn or counted: the map may be wrong. ``\"clamp\"`` confirms it. The check looks at the values. A "
        "release with ``\"ask\"`` reveals that not all places are beyond the reach, and its guarantee says so.",
        default="ask", group="rows", words=("ask", "clamp", "stop", "keep"),
    )
    separator: str = setting(
        "separator of the CSV: , or ; or tab", more="One character, or ``\"tab\"``.", default=",", group="rows"
    )
    # fmt: on

    def __post_init__(self) -> None:
        """Refuse tables instead of single values, before a message could show them, and other words."""
        from dirpriv._inputs import validate

        check_single(**vars(self))
        for name, (about, default) in settings_by_name(type(self)).items():
            value = getattr(self, name)
            if isinstance(default, bool) and not isinstance(value, bool):
                raise InvalidArgument(name, "must be True or False", got=value)
            if about.words:
                validate.check_word(name, value, *about.words)
        clock_units.check(self.unit)
        super().__post_init__()
        if self.user is not None and self.user in [self.latitude, self.longitude, *self.times, *self.headings]:
            hint = "give the column that identifies the person of a row"
            raise InvalidArgument("user", "must not be a released column", got=self.user, hint=hint)
        rows, delta = validate.integer("max_rows_per_person", self.max_rows_per_person, 1), getattr(self, "delta", None)
        if self.user is None and (rows != 1 or delta is not None):
            rule = f"{named('max_rows_per_person')} and {named('delta')} go with {named('user')}"
            raise InvalidArgument(f"{rule}, the column that says whose a row is")

    @property
    def times(self) -> list[str]:
        """Names of the columns of times."""
        return _names("time", self.time)

    @property
    def headings(self) -> list[str]:
        """Names of the columns of headings."""
        return _names("heading", self.heading)

    @property
    def rows_per_person(self) -> int | None:
        """How many rows of each person are drawn; None without a column that identifies persons."""
        return None if self.user is None else self.max_rows_per_person

    @property
    def kept(self) -> list[str]:
        """Names of the columns that are copied."""
        return []


@documented
@dataclasses.dataclass(frozen=True, kw_only=True)
class LocalFileSettings(FileSettings):
    """Settings of a release of the rows of a file, each with its own noise; see :func:`dirpriv.release.file`.

    Raises
    ------
    ValueError
        If a field is not as above.

    Examples
    --------
    >>> from dirpriv import release
    >>> settings = release.LocalFileSettings(time="arrival", level=1.0, radius="3h")
    >>> settings.cells, settings.missing
    (1440, 'stop')
    """

    # fmt: off
    level: float = setting(
        "privacy level, a number above 0",
        more="Of indistinguishability of each column within the radius. Levels of columns add up.",
        group=_COLUMNS, unit="number",
    )
    radius: str | datetime.timedelta | list[str | datetime.timedelta] = setting(
        "radius of the level, such as 3h, 75min, 200m or 1.5km; one for times and one for places",
        more="For both in one call give two, ``[\"3h\", \"200m\"]``. The guarantee has it as it is written here.",
        group=_COLUMNS, option="within", metavar="RADIUS", unit="radius", several=True,
    )
    delta: float | None = setting(
        "with ``user``: state a smaller level per person, which may fail with this probability",
        more="By :func:`dirpriv.guarantees.composed_level`. Without it the level of K rows is K ℓ.",
        default=None, group="rows", unit="number",
    )
    shuffled: tuple[int, float] | None = setting(
        "also state the level at DELTA of the whole file in random order, with at least N reports",
        more="N and δ, as ``(433, 1e-6)``, for N reports of honest people: see "
        ":func:`dirpriv.guarantees.shuffled_level`. The random order hides the person of each report. For one column "
        "of times or headings, without ``keep``, ``keep_order`` and missing values that pass. With fewer than N rows, "
        "the release is refused before anything is drawn or counted. The refusal reveals only that there are fewer "
        "rows. The number of rows is not protected. Declare N before you look at the data.",
        default=None, group="rows", metavar="N,DELTA", unit="numbers",
    )
    keep: Columns = setting(
        "also copy this column, unprotected",
        more="Its texts are copied character for character, and may show whose row it is. A text such as ``=1+1`` is a "
        "formula to a spreadsheet that opens the output. Each different text is kept in memory.",
        default=(), group="rows", metavar="COL", several=True,
    )
    keep_order: bool = setting(
        "keep the order of the rows, unprotected",
        more="In a file sorted by time it gives the times away.",
        default=False, group="rows",
    )
    guarantee: str | os.PathLike[str] | None = setting(
        "with OUT -: the new file .json of the guarantee",
        more="With standard output. It appears before the rows.",
        default=None, metavar="FILE",
    )
    # fmt: on

    @property
    def kept(self) -> list[str]:
        """Names of the columns that are copied."""
        return [self.keep] if isinstance(self.keep, str) else list(self.keep)


class LocalFileKeywords(TypedDict, total=False):
    """The fields of :class:`LocalFileSettings`, as keywords."""

    time: Columns | None
    heading: Columns | None
    latitude: str | None
    longitude: str | None
    level: Required[float]
    radius: Required[str | datetime.timedelta | list[str | datetime.timedelta]]
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
    keep: Columns
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

    Raises
    ------
    ValueError
        If a field is not as above, or not one result is asked for.

    Examples
    --------
    >>> from dirpriv import release
    >>> release.CentralFileSettings(time="arrival", epsilon=1.0, bins=24).result
    'histogram'
    """

    # fmt: off
    epsilon: float = setting("pure level of a row; with ``user``, of a person", group=_CENTRAL, unit="number")
    mean: bool = setting("release the mean time or heading", default=False, group=_CENTRAL)
    bins: int | None = setting(
        "release a histogram with this number of bins, such as 24",
        default=None, group=_CENTRAL, option="histogram", metavar="BINS", unit="whole number",
    )
    districts: int | None = setting(
        "release counts of districts; number of districts along each side (8)",
        default=None, group=_CENTRAL, option="map", metavar="DISTRICTS", unit="whole number", const=8,
    )
    adjacency: Adjacency = setting(
        "replace: hide people's values; add-remove: also hide who is in the file",
        default="replace", group=_CENTRAL, words=("replace", "add-remove"),
    )
    # fmt: on

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


def _names(argument: str, names: Any) -> list[str]:
    values = names if isinstance(names, list | tuple) else [] if names is None else [names]
    for name in values:
        if not isinstance(name, str):
            raise InvalidArgument(argument, "must be the name of a column", got=name)
    return list(values)
