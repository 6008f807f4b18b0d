"""Tables that a program writes between two marks of a page."""

import sys


def with_table(text, marks, table):
    """The text of a page with this table between its marks."""
    before, _, rest = text.partition(marks[0])
    _, _, after = rest.partition(marks[1])
    return f"{before}{marks[0]}\n\n{table}\n{marks[1]}{after}"


def renew(page, filled):
    """Print the page with its table; with --write, write it, too."""
    text = filled(page.read_text(encoding="utf-8"))
    if "--write" in sys.argv[1:]:
        page.write_text(text, encoding="utf-8")
    print(text)
