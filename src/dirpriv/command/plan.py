"""``dirpriv plan``: how many people a mean needs, under each trust model and with each mechanism."""

import argparse
import functools
import math
import shlex
from typing import TYPE_CHECKING, Any

from dirpriv._lib import words
from dirpriv._lib.rounding import upwards
from dirpriv.command import options, terminal

if TYPE_CHECKING:
    from dirpriv.planner import Need

NAME = "plan"
HELP = "compute the sample size for a mean, by mechanism and trust model"
DESCRIPTION = """\
Compute the sample size: how many people must take part to estimate a mean time with a
given average error. The numbers follow from the noise of each mechanism. This command
reads no file."""
EPILOG = """\
examples:
  dirpriv plan mean --level 1 --within 3h --error 20min
  dirpriv plan mean --epsilon 1 --error 0.1rad
  dirpriv plan mean --epsilon 1 --error 20min --resultant 0.7 --trust local

units: --error is in rad, deg, h, min or s. A full turn is 24 h. --level is the level of
one row, as for 'dirpriv release'. It holds for two times at most --within apart. The
levels of a person's rows add up. --epsilon is the pure level of a person: it holds for
any two times. The person's rows share it equally. The last line of the output is a
command for this release."""

TRUSTS = {
    "local": "local: each person's device adds the noise, and nobody else sees the true time",
    "shuffled": "shuffled: a trusted shuffler removes the senders' identities, δ = {delta:g}",
    "central": "central: a trusted curator adds noise to the sum, δ = {delta:g} for the Gaussian",
}
RESULTANTS = 1.0, 0.7, 0.45
_HOUR = math.pi / 12.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("task", choices=["mean"], help="what is estimated")
    add("--error", type=_error, required=True, help="average error: 20min, 0.1rad, 5deg")
    add("--level", type=options.number, help="level of a row, a number above 0")
    add("--within", type=options.within, help="radius of the level: 3h, 75min")
    add("--epsilon", type=options.number, help="pure level of a person; replaces --level and --within")
    add("--trust", choices=TRUSTS, help="show only this trust model")
    add("--delta", type=options.number, default=1e-6, help="δ of approximate guarantees (1e-6)")
    length = "length of the people's mean vector (1, 0.7 and 0.45)"
    add("--resultant", type=options.number, metavar="R", help=length)
    options.add_rows_per_person(parser, "rows per person (1)")


def _error(text: str) -> float:
    """An error with its unit, in radians."""
    from dirpriv._inputs import units

    if units.kind_of(text) not in units.CIRCLE:
        raise argparse.ArgumentTypeError(
            f"must be a number with its unit, as 20min, 0.1rad or 5deg (rad, deg, h, min, s); got {text!r}"
        )
    return units.in_law_unit("error", text)


def run(arguments: argparse.Namespace) -> None:
    from dirpriv import planner

    error = words.duration(arguments.error / _HOUR)
    if arguments.error >= math.pi / 2.0:
        raise options.Misuse(f"--error must be below 6 h, the average error of a random guess; got {error}")
    within = arguments.level is not None or arguments.within is not None
    if within == (arguments.epsilon is not None) or (arguments.level is None) != (arguments.within is None):
        raise options.Misuse("give either --epsilon, or --level and --within")
    trusts: Any = [arguments.trust] if arguments.trust else ["local"] if within else list(TRUSTS)
    resultants = RESULTANTS if arguments.resultant is None else (arguments.resultant,)
    names = ("epsilon", "level", "within", "delta", "rows_per_person")
    given: Any = {name: getattr(arguments, name) for name in names}
    need = functools.partial(planner.responses_needed, arguments.task, arguments.error, **given)
    found = {trust: [need(trust=trust, resultant=resultant) for resultant in resultants] for trust in trusts}
    lines = [
        f"People needed for a mean time with an average error of {error} ({arguments.error:.3g} rad),",
        _levels(arguments),
    ]
    for trust, tables in found.items():
        lines += ["", TRUSTS[trust].format(delta=arguments.delta), *words.table(_rows(tables), range(1, 4))]
    lines += [
        "",
        "R is the length of the mean vector of the true times: 1 if all are equal, 0 if there is no mean.",
        *(_best(found[trusts[0]][0]) if len(trusts) == 1 else []),
        *options.cautions(arguments.rows_per_person * arguments.level if within else arguments.epsilon),
        *(_release(arguments) if "local" in trusts else ["'dirpriv release' is for local trust only."]),
    ]
    terminal.show(lines)


def _levels(arguments: argparse.Namespace) -> str:
    rows = arguments.rows_per_person
    who = f"a person with {rows} {'row' if rows == 1 else 'rows'}"
    if arguments.level is None:
        return f"at pure level ε = {upwards(arguments.epsilon)} for {who}:"
    one, all_of_them = upwards(arguments.level), upwards(rows * arguments.level)
    return f"at level {one} within {arguments.within} for each row, which is level {all_of_them} for {who}:"


def _release(arguments: argparse.Namespace) -> list[str]:
    """The command that releases what was planned for local trust."""
    level, within, mechanism, note = arguments.level, arguments.within, "Purkayastha, released", []
    if level is None:
        level, within, mechanism = arguments.epsilon / arguments.rows_per_person, "12h", "Purkayastha"
        note = ["A level within 12h is a pure level, because all times are at most 12 h apart."]
    words = ["dirpriv", "release", "arrivals.csv", "private.csv", "--time", "arrival"]
    words += ["--level", repr(level).removesuffix(".0"), "--within", within]
    words += ["--user", "person", "--rows-per-person", str(arguments.rows_per_person)]
    head = f"To release with '{mechanism}', use this command with your files and columns:"
    return [*note, head, shlex.join(words)]


def _rows(tables: "list[list[Need]]") -> list[list[str]]:
    """A row for each mechanism, a column for each resultant; the order is that of the first."""
    found = [{(need.mechanism, need.calibration): need.people for need in needs} for needs in tables]
    rows = [["", *(f"R = {needs[0].resultant:g}" for needs in tables)]]
    for name, calibration in found[0]:
        counts = [people[name, calibration] for people in found]
        texts = [f"{count:,.0f}" if math.isfinite(count) else "never" for count in counts]
        rows.append([name if calibration == "tight" else f"{name}, published", *texts])
    return rows


def _best(needs: "list[Need]") -> list[str]:
    best, others = needs[0], [need for need in needs[1:] if math.isfinite(need.people)]
    if not others:
        return []
    second, times = others[0].mechanism, f"{others[0].people / best.people:.2f} times"
    return [f"Fewest at R = {best.resultant:g}: {best.mechanism}. Next is {second}, with {times} as many."]
