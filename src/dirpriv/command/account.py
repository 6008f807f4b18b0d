"""Show the total privacy level of a dataset's releases (for the data owner).

Show the total privacy level of all releases of each dataset, or of one dataset.
An account is the list of these releases, by one user on one computer. It does not
count rows or people. This command reads the ledger, a file in your configuration
folder. It changes nothing.

examples:
  dirpriv account
  dirpriv account staff

units: a level has no unit. A radius has the unit of its release.

'dirpriv release ... --dataset staff' starts an account or adds a release to it. The
total is the sum of the levels, each multiplied by --max-rows-per-person. Each level is
computed at the radius of the first release of its column. A smaller total, which may
fail with probability DELTA, needs an option of the first release:
--max-releases 30,1e-6 plans 30 releases with equal options, and --budget 8,1e-6 allows
different levels. --budget 8 limits the sum. A new name starts a separate account.
"""

import argparse

from dirpriv._lib import formatting
from dirpriv._lib.rounding import upwards
from dirpriv.command import options, terminal


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dataset", metavar="NAME", nargs="?", help="name of a dataset; also lists its releases")


def run(arguments: argparse.Namespace) -> None:
    from dirpriv.release.ledger import ledger
    from dirpriv.release.ledger.dataset_account import stated

    path = ledger.folder() / ledger.NAME
    accounts = ledger.Ledger().accounts() if path.exists() else {}
    name = arguments.dataset
    if name is not None and name not in accounts:
        raise options.Misuse(f"no release names the dataset {name!r}: 'dirpriv account' lists all")
    lines = [] if accounts else ["No release names a dataset: there is no account."]
    for each in accounts if name is None else [name]:
        lines += terminal.wrapped(stated(accounts[each], each))
    if name is not None:
        releases = accounts[name]["releases"]
        entries = [[one["date"], upwards(one["level"]), str(one["rows"] or "no limit")] for one in releases]
        rows = [["date", "level", "rows of a person"], *entries]
        lines += ["", *formatting.table(rows, (1, 2))]
    terminal.show(lines)
