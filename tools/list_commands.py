"""Write docs/commands.md, the page of the commands and their options, from the parsers.

python tools/list_commands.py --write, after a change of a command or of an option.
"""

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from dirpriv.command import COMMANDS, _parser  # noqa: E402

PAGE = ROOT / "docs/commands.md"
HEAD = """\
# Commands

`tools/list_commands.py` wrote this page from the parsers. `dirpriv` or `python -m dirpriv` runs a command;
`--help` shows its options in the terminal. Every command has `--debug`, which shows the traceback of an error.
"""


def page():
    """The page: for each command what it does, its options, and its examples."""
    names = " · ".join(f"[{name}](#{name})" for name in COMMANDS)
    return "\n".join([HEAD, names, "", *(section(name) for name in COMMANDS)])


def section(name):
    """A command: its description, a table for each group of options, and the text below them."""
    parser = _parser([name, "--help-all"])[1][name]
    lines = [f"## {name}", "", _prose(parser.description or ""), ""]
    for group in parser._action_groups:
        actions = [action for action in group._group_actions if action.dest not in ("help", "debug", "help_all")]
        if actions:
            lines += [f"| {(group.title or '').split(':')[0]} | meaning |", "|---|---|"]
            lines += [f"| {_called(action)} | {_cell(action.help or '')} |" for action in actions] + [""]
    if parser.epilog:
        lines += ["```text", parser.epilog.rstrip(), "```", ""]
    return "\n".join(lines)


def _called(action):
    """How an option is written, with its value."""
    value = "{" + ",".join(map(str, action.choices)) + "}" if action.choices else action.metavar
    value = "" if action.nargs == 0 else str(value or action.dest.upper())
    value = f"[{value}]" if action.nargs == "?" else value
    return f"`{' '.join(filter(None, [*action.option_strings[-1:], value]))}`".replace("|", "\\|")


def _cell(text):
    """A text of argparse within a table."""
    return _prose(text.replace("%%", "%")).replace("|", "\\|")


def _prose(text):
    """A text in one line, in which options are code, and nothing is taken for markup."""
    text = re.sub(r"(?<![\w-])(--[a-z-]+)", r"`\1`", " ".join(text.split()))
    return re.sub(r"'([^']*)'", lambda quoted: "'" + quoted[1].replace("`", "") + "'", text).replace("*", "\\*")


def main():
    """Print the page, or write it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write docs/commands.md")
    if parser.parse_args().write:
        PAGE.write_text(page(), encoding="utf-8")
    else:
        print(page())


if __name__ == "__main__":
    main()
