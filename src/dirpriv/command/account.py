"""``dirpriv account``: what the releases of each dataset add up to."""

import argparse

from dirpriv._lib import words
from dirpriv._lib.rounding import upwards
from dirpriv.command import options, terminal

NAME = "account"
HELP = "what the releases of a dataset add up to (for the holder of the data)"
DESCRIPTION = """\
Show what the releases of each dataset, or those of one, add up to. An account counts
declared releases of one computer and user, never rows or persons. This reads the
ledger in your configuration folder alone, and changes nothing."""
EPILOG = """\
examples:
  dirpriv account
  dirpriv account staff

units: levels have none, and radii are as they were declared.

'dirpriv release ... --dataset staff' begins an account or adds to it. Levels add up,
each at the radius that its column had first, times --rows-per-person. A level that may
fail with a probability is stated only if the first release fixed it: --planned 30,1e-6
for 30 releases with equal options, --budget 8,1e-6 if levels are chosen on the way.
--budget 8 limits the sum. A new name is a new account, and does not know the others."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dataset", metavar="NAME", nargs="?", help="of a dataset: also list its releases")


def run(arguments: argparse.Namespace) -> None:
    from dirpriv.release import ledger
    from dirpriv.release.account import stated

    path = ledger.folder() / ledger.NAME
    accounts = ledger.Ledger().accounts() if path.exists() else {}
    name = arguments.dataset
    if name is not None and name not in accounts:
        raise options.Misuse(f"no release names the dataset {name!r}: 'dirpriv account' lists all")
    lines = [] if accounts else ["No release names a dataset: there is no account."]
    for each in accounts if name is None else [name]:
        lines += terminal.wrapped(stated(accounts[each], each))
    if name is not None:
        found = accounts[name]["releases"]
        made = [[one["date"], upwards(one["level"]), str(one["rows"] or "no limit")] for one in found]
        rows = [["date", "level", "rows of a person"], *made]
        lines += ["", *words.table(rows, (1, 2))]
    terminal.show(lines)
