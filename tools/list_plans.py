"""Write what `dirpriv plan` prints into docs/what_a_survey_costs.md, between its marks.

python tools/list_plans.py --write, after a change of the planner. The commands are those of the page.
"""

import contextlib
import io
import re
import shlex
from pathlib import Path

from page_tables import renew

from dirpriv.command import main

PAGE = Path(__file__).resolve().parents[1] / "docs/what_a_survey_costs.md"
PLAN = re.compile(r"(<!-- plan -->\n\n```console\n\$ dirpriv ([^\n]*)\n).*?(?=```\n\n<!-- end of plan -->)", re.S)


def printed(command):
    """What a command prints."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        main(shlex.split(command))
    return out.getvalue()


def filled(text):
    """The page with what its commands print."""
    return PLAN.sub(lambda block: block[1] + printed(block[2]), text)


if __name__ == "__main__":
    renew(PAGE, filled)
