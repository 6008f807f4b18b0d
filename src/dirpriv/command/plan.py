"""Compute the sample size for a mean, a comparison, a histogram, a map or hours of a place.

Compute the sample size: how many people must take part. The task is a mean time with a
given average error, a difference between two groups that 'dirpriv compare' shows, a
histogram or a map through a given blur, or the hours of a place. The numbers follow
from the noise. This command reads no file. It prints how many people are necessary, and
the command that releases.

examples:
  dirpriv plan mean --level 1 --within 3h --error 20min
  dirpriv plan mean --level 0.3 --within 3h --error 20min --trust local --days 30
  dirpriv plan compare --level 1 --within 3h --difference 30min --power 0.9
  dirpriv plan histogram --level 1 --within 3h --blur 3h
  dirpriv plan map --level 1 --within 200m --blur 1km --region-centre 40.75,-73.98 \\
      --region-reach 5km --cell-size 10m
  dirpriv plan busyness --level 1 --within 3h --places-within 200m --width 20% \\
      --around 500m --bins 8 --region-centre 40.75,-73.98 --region-reach 5km \\
      --cell-size 10m
  dirpriv plan mean --epsilon 1 --error 20min --resultant 0.7 --trust local

units: --error, --difference and --blur are in rad, deg, h, min or s; a full turn is
24 h. --width is a share of the people, 10% or 0.1. --level is the level of one row, as
for 'dirpriv release'. It holds for two times at most --within apart. The levels of a
person's rows add up. The level of a central release holds for any two times. --epsilon
is the pure level of a person, for a mean. A pure level holds for any two times. The
rows of a person divide it equally.

what is planned: --power is the probability that 'dirpriv compare' names times at which
the days differ, if one group is --difference later than the other. A blur of 8 h sees
such a shift best. With central trust, the power is that of a normal test of the two
means. The --blur of a histogram is that of 'dirpriv histogram' without --blur: the 95 %
band of a uniform day, all times together, is then at most as wide as its density. Other
days have similar bands. The --blur of a map is a length, as of 'dirpriv map': the same
holds for its districts. For the hours of a place, a file has a time and a place of each
person, each at the level. --width is that of an interval of 95 %, 20% for 10 points up
and down. The people are those --around the place, with as many per area around them.
"""

import argparse
import functools
import math
import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dirpriv._lib import formatting
from dirpriv._lib.rounding import upwards
from dirpriv.command import options, terminal

if TYPE_CHECKING:
    from dirpriv.planner import Need


TRUSTS = {
    "local": "local: each person's device adds the noise, and nobody else sees the true {0}",
    "shuffled": "shuffled: a trusted shuffler removes the senders' identities, δ = {delta:g}",
    "central": "central: a trusted data owner adds noise to the {1}",
}
_OPTIONS = {  # of each task; the first says how well to estimate, and must be below a limit
    "mean": ("error days resultant", math.pi / 2.0, "6 h, the error of a guess"),
    "compare": ("difference power resultant blur", math.pi / 4.0, "3 h"),
    "histogram": ("blur", math.pi, "12 h"),
    "map": ("blur region_centre region_reach cell_size", math.inf, ""),
    "busyness": ("width around places_within bins region_centre region_reach cell_size", 0.75, "75 %"),
}
_SHARES = "histogram", "map"
_LENGTH = "the mean resultant length of the true times"
_HOUR = math.pi / 12.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("task", choices=_OPTIONS, help="what is estimated")
    add("--error", help="mean: average error, as 20min, 0.1rad or 5deg")
    add("--difference", help="compare: how much later one of two groups is, as 30min")
    add("--power", type=options.number, help="compare: probability to see the difference, at 5 %% (0.8)")
    blur = "histogram, compare: width of the blur, as 3h, at most 8h (compare: 8h); map: as 400m"
    add("--blur", help=blur)
    add("--width", type=_share, help="busyness: width of a 95 %% interval, as 10%%")
    add("--around", help="busyness: half the side of the square of the place")
    add("--places-within", help="busyness: --within of the places")
    add("--bins", type=options.whole_number, help="busyness: bins of the day (8)")
    add("--level", type=options.number, help="level of a row, a number above 0")
    add("--within", dest="radius", help=options.RADIUS)
    add("--epsilon", type=options.number, help="pure level of a person; replaces --level and --within")
    add("--trust", choices=TRUSTS, help="trust model (local)")
    add("--all", dest="every", action="store_true", help="show all mechanisms, trust models and mean resultant lengths")
    add("--delta", type=options.number, default=1e-6, help="δ of approximate guarantees (1e-6)")
    add("--resultant", type=options.number, metavar="R", help="mean resultant length of the people (0.7)")
    options.add_settings(parser, "max_rows_per_person", texts={"max_rows_per_person": "rows per person"})
    add("--days", type=options.whole_number, help="mean: days with a file each, whose levels add up (1)")
    region = {"region_reach": "map: radius of the region", "cell_size": "map: side of a cell"}
    options.add_settings(parser, *options.REGION, texts=region)


def _share(text: str) -> Any:
    """A share of the people, as a fraction of 1."""
    return options.number(text.removesuffix("%")) / (100.0 if text.endswith("%") else 1.0)


def run(arguments: argparse.Namespace) -> None:
    from dirpriv import planner

    task, size, rows = arguments.task, _checked(arguments), arguments.max_rows_per_person
    if task == "busyness":
        return _busyness(arguments, size)
    names = ("epsilon", "level", "radius", "delta", "max_rows_per_person", "power", *["blur"] * (task != "map"))
    settings: Any = {name: value for name in names if (value := getattr(arguments, name)) is not None}
    if task == "map":
        settings["region"] = {name: getattr(arguments, name) for name in options.REGION}
    lengths: Any = (None,) if task in _SHARES else (1.0, 0.7, 0.45) if arguments.every else (0.7,)
    lengths = lengths if arguments.resultant is None else (arguments.resultant,)

    def need(trust: Any, **changed: Any) -> Any:
        plan = functools.partial(planner.sample_sizes, task, size, trust=trust, **(settings | changed))
        return [plan() if length is None else plan(resultant=length) for length in lengths]

    if not arguments.every:
        return _answer(arguments, size, arguments.trust or "local", need)
    lines, releases = list[str](), list[str]()
    for trust, title in TRUSTS.items():
        if arguments.trust not in (None, trust):
            continue
        if task == "map" and trust == "shuffled" and arguments.trust is None:
            lines += ["", f"shuffled: ruled out, as {planner.NO_PLACES}."]
            continue
        if task in _SHARES and trust == "central" and rows > 1 and arguments.trust is None:
            lines += ["", "central: not planned for several rows per person, as their number is not public."]
            continue
        tables = need(trust)  # which has checked the level
        sums = "counts" if task in _SHARES else f"sum, δ = {arguments.delta:g} for the Gaussian"
        what = ("place" if task == "map" else "time"), sums
        lines += ["", title.format(*what, delta=arguments.delta)]
        lines += [*formatting.table(_rows(tables, task), range(1, 4)), *_best(tables[0])]
        releases += _releases(arguments, trust, _released(arguments, trust, tables, need))
    caveats = [] if task in _SHARES else [f"R is {_LENGTH}: 1 if all are equal, 0 if there is no mean."]
    if task == "compare":
        command = f"dirpriv compare private.csv others-private.csv --blur {_blur(arguments)}"
        caveats.append(f"Compare the releases with '{command}'.")
    head = [f"People needed {_asked(arguments, size)},", f"{_levels(arguments)}:"]
    terminal.show([*head, *lines, "", *caveats, *_notes(arguments), *releases])


def _answer(arguments: argparse.Namespace, size: float, trust: str, need: Callable[..., Any]) -> None:
    """One sentence with the people that the best release needs, and its command."""
    (released,) = _released(arguments, trust, need(trust), need)
    text = f"{released.people:,.0f} people are needed {_asked(arguments, size)}, {_levels(arguments)}, "
    text += f"in the {trust} model" + (f" at δ = {arguments.delta:g}" if trust == "shuffled" else "")
    if arguments.task not in _SHARES:
        text += f", if {_LENGTH} is {released.resultant:g}"
    notes = [*_notes(arguments), *_remarks(arguments, trust, released)]
    terminal.show([*terminal.wrapped(f"{text}."), *notes, *_commands(arguments, trust, released)])


def _row(arguments: argparse.Namespace) -> tuple[float, str]:
    """The level of a row and its radius; a pure level is one within half a turn."""
    if arguments.level:
        return arguments.level, arguments.radius
    return arguments.epsilon / arguments.max_rows_per_person, "12h"


def _released(
    arguments: argparse.Namespace, trust: str, tables: "list[list[Need]]", need: Callable[..., Any]
) -> "list[Need]":
    """Of each table what 'dirpriv release' adds, else the best."""
    if trust == "shuffled" and arguments.epsilon is not None:
        level, radius = _row(arguments)
        tables = need(trust, epsilon=None, level=level, radius=radius)

    def kept(needs: "list[Need]") -> "Need":
        names = [each for each in needs if each.mechanism.startswith("Purkayastha") and each.calibration == "tight"]
        released = [each for each in needs if "released" in each.mechanism]
        return (released or (names if trust == "local" else []) or needs)[0]

    return [kept(needs) for needs in tables]


def _notes(arguments: argparse.Namespace) -> list[str]:
    level, radius = _row(arguments)
    person = arguments.epsilon or arguments.max_rows_per_person * level
    return [*options.cautions(person), *_days(arguments, level, radius)]


def _busyness(arguments: argparse.Namespace, width: float) -> None:
    """People near a place, each of whom reports a time and a place with independent noise."""
    from dirpriv import planner
    from dirpriv._inputs import units
    from dirpriv.release import CircleRelease, PlaneRelease

    level, bins = arguments.level, arguments.bins or 8
    if level is None or arguments.trust not in (None, "local"):
        raise options.Misuse("'plan busyness' needs --level and --within, and local trust")
    region = {name: getattr(arguments, name) for name in options.REGION}
    time_noise = CircleRelease.within(level, arguments.radius).noise
    place_noise = PlaneRelease.within(level, arguments.places_within, **region).noise
    side = 2.0 * units.in_distribution_unit("around", arguments.around, ("length",))
    people = planner.people_near(width, time_noise, place_noise, side=side, bins=bins)
    text = f"About {people:,.0f} people are needed in the square of {side:,.0f} m around a place for its hours in "
    text += f"{bins} bins, with 95 % intervals that are {formatting.percent(width)} wide, at level {upwards(level)} "
    text += f"within {arguments.radius} of times and within {arguments.places_within} of places, in the local model."
    text += " Around it, to 4 mean noises, there are as many per area." if arguments.every else ""
    files = f"visits.csv private.csv --time arrival --latitude lat --longitude lon {_region(arguments)}"
    settings = _settings(arguments, level, arguments.radius, "--within", arguments.places_within)
    terminal.show([*terminal.wrapped(text), f"dirpriv release {files} {settings}"])


def _checked(arguments: argparse.Namespace) -> float:
    """How well the survey is to estimate; refused are options that do not go with the task or each other."""
    from dirpriv._inputs import units

    task = arguments.task
    of_task, most, limit = _OPTIONS[task]
    first = of_task.split()[0]
    for name in sorted({name for names, *_ in _OPTIONS.values() for name in names.split()}):
        present = getattr(arguments, name) is not None
        if present and name not in of_task:
            tasks = [f"plan {each}" for each, (names, *_) in _OPTIONS.items() if name in names]
            raise options.Misuse(f"--{name.replace('_', '-')} goes with {' and '.join(tasks)}")
        is_optional = name in ("bins", "blur", "days", "power", "resultant") and name != first
        if not present and name in of_task and not is_optional:
            raise options.Misuse(f"'plan {task}' needs --{name.replace('_', '-')}: see 'dirpriv plan --help'")
    for name in ("error", "difference", "blur"):
        if (width := getattr(arguments, name)) is not None:
            kinds = units.LENGTH if task == "map" else units.CIRCLE
            setattr(arguments, name, units.in_distribution_unit(name, width, kinds))
    size: float = getattr(arguments, first)
    if not 0.0 < size < most:
        got = f"{size:g}" if of_task.startswith("width") or size <= 0.0 else formatting.duration(size / _HOUR)
        below = "below" if size > 0.0 else "above 0, below"
        raise options.Misuse(f"--{first} must be {below} {limit}; got {got}")
    if arguments.days is not None and arguments.days < 1:
        raise options.Misuse(f"--days must be at least 1; got {arguments.days}")
    return size


def _asked(arguments: argparse.Namespace, size: float) -> str:
    task, error = arguments.task, "" if arguments.task == "map" else formatting.duration(size / _HOUR)
    if task == "mean":
        days = f", on each of {arguments.days} days" if arguments.days else ""
        return f"for a mean time with an average error of {error} ({size:.3g} rad){days}"
    if task == "compare":
        power = f"at an error rate of 5 %, with a probability of {arguments.power or 0.8:g}"
        what = f"through a blur of {_blur(arguments)} that one is {error} later"
        return f"in each of two groups to see {what}, {power}"
    if task == "histogram":
        return f"for a curve through a blur of {error}, by its 95 % band of all times together"
    return f"for a map through a blur of {formatting.length(size)}, by its 95 % intervals of all districts together"


def _blur(arguments: argparse.Namespace) -> str:
    return f"{(arguments.blur or math.tau / 3.0) / _HOUR:g}h"


def _levels(arguments: argparse.Namespace) -> str:
    rows = arguments.max_rows_per_person
    who = f"a person with {rows} {'row' if rows == 1 else 'rows'}"
    if arguments.level is None:
        return f"at pure level ε = {upwards(arguments.epsilon)} for {who}"
    one, all_of_them = upwards(arguments.level), upwards(rows * arguments.level)
    return f"at level {one} within {arguments.radius} for each row, which is level {all_of_them} for {who}"


def _days(arguments: argparse.Namespace, level: float, radius: str) -> list[str]:
    """What the levels of a person add up to over several days."""
    if (days := arguments.days) is None:
        return []
    from dirpriv.release import FileGuarantee, TimeColumn

    rows, delta = days * arguments.max_rows_per_person, arguments.delta
    column = TimeColumn("time", level, radius)
    local = FileGuarantee((column,), max_rows_per_person=rows, delta=delta).person_level or 0.0
    text = f"A person's level over {days} days: {upwards(local)} at δ = {delta:g} if local; "
    return [text + f"{upwards(rows * level)} at δ = {upwards(days * delta)} if shuffled, or central."]


def _releases(arguments: argparse.Namespace, trust: str, released: "list[Need]") -> list[str]:
    """The commands of a trust model, each after what it is for."""
    lines, fill = [], "use this command with your files and columns:"
    if trust == "local" and arguments.level is None:
        lines = ["A level within 12h is a pure level, because all times are at most 12 h apart."]
    for need in released if trust == "shuffled" else released[:1]:
        at = "" if arguments.task in _SHARES else f" at R = {need.resultant:g}"
        what = {"local": f"with '{need.mechanism}'", "central": "centrally"}
        what["shuffled"] = f"reports of {need.people:,.0f} people{at}, shuffled"
        commands = _commands(arguments, trust, need)
        lines += _remarks(arguments, trust, need, at)
        lines += [f"To release {what[trust]}, {fill}", *commands] if commands else []
    return lines


def _remarks(arguments: argparse.Namespace, trust: str, need: "Need", at: str = "") -> list[str]:
    if trust == "central" and arguments.task == "compare":
        return ["'dirpriv release' has no Gaussian noise for central trust."]
    if trust == "shuffled" and need.row_level <= _row(arguments)[0]:
        return [f"With so few people{at}, a shuffler gains nothing."]
    return []


def _central(arguments: argparse.Namespace, person: float) -> str:
    """The command of a central release, at this pure level of a person."""
    names, result = "arrivals.csv result.csv --time arrival", "--mean"
    if arguments.task == "histogram":
        bins = math.floor(math.tau / arguments.blur + 1e-9)
        result = f"--histogram {bins}" + f" --cells {bins * -(-1440 // bins)}" * (1440 % bins > 0)
    elif arguments.task == "map":
        names = "visits.csv result.csv --latitude lat --longitude lon"
        from dirpriv._inputs import units

        side = 2.0 * units.in_distribution_unit("region_reach", arguments.region_reach, ("length",))
        result = f"--map {math.floor(side / arguments.blur + 1e-9)} {_region(arguments)}"
    level = repr(float(upwards(person))).removesuffix(".0")
    rows = f"--user person --max-rows-per-person {arguments.max_rows_per_person}"
    rows += "" if arguments.days is None else " --dataset survey"
    return f"dirpriv release {names} --trust central --epsilon {level} {result} {rows}"


def _region(arguments: argparse.Namespace) -> str:
    centre = ",".join(map(repr, arguments.region_centre))
    lengths = "--region-reach", arguments.region_reach, "--cell-size", arguments.cell_size
    return shlex.join([f"--region-centre={centre}", *lengths])


def _commands(arguments: argparse.Namespace, trust: str, need: "Need") -> list[str]:
    """The command that releases; of two groups a command for each."""
    (level, radius), rows = _row(arguments), arguments.max_rows_per_person
    if trust == "central":
        return [] if arguments.task == "compare" else [_central(arguments, arguments.epsilon or level * rows)]
    files = ["arrivals.csv private.csv --time arrival"]
    if arguments.task == "map":
        files = [f"visits.csv private.csv --latitude lat --longitude lon {_region(arguments)}"]
    elif arguments.task == "compare":
        files.append("others.csv others-private.csv --other-people --time arrival")
    settings = _settings(arguments, level, radius)
    if trust == "shuffled":
        hidden = "--shuffled", f"{need.people * rows:.0f},{arguments.delta!r}"
        settings = _settings(arguments, need.row_level, radius, *hidden)
    return [f"dirpriv release {each} {settings}" for each in files]


def _settings(arguments: argparse.Namespace, level: float, radius: str, *others: str) -> str:
    words = ["--level", repr(level).removesuffix(".0"), "--within", radius]
    words += ["--user", "person", "--max-rows-per-person", str(arguments.max_rows_per_person), *others]
    if arguments.days is not None:
        words += ["--dataset", "survey", "--max-releases", f"{arguments.days},{arguments.delta!r}"]
    return shlex.join(words)


def _rows(tables: "list[list[Need]]", task: str) -> list[list[str]]:
    """A row for each mechanism, a column for each resultant; the order is that of the first."""
    columns = [{(need.mechanism, need.calibration): need.people for need in needs} for needs in tables]
    rows = [["", *("people" if task in _SHARES else f"R = {needs[0].resultant:g}" for needs in tables)]]
    for name, calibration in columns[0]:
        counts = [people[name, calibration] for people in columns]
        texts = [f"{count:,.0f}" if math.isfinite(count) else "never" for count in counts]
        rows.append([name if calibration == "tight" else f"{name}, published", *texts])
    return rows


def _best(needs: "list[Need]") -> list[str]:
    best, others = needs[0], [need for need in needs[1:] if math.isfinite(need.people)]
    if not others:
        return []
    second, times = others[0].mechanism, f"{others[0].people / best.people:.2f} times"
    text = f"At R = {best.resultant:g}, '{best.mechanism}' needs the fewest people. "
    return [text + f"'{second}' needs {times} as many people."]
