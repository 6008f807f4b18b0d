"""Texts of configurations, files and servers, as they are put where something would act on them.

Each kind of place has one function: a terminal or a log :func:`printable`, a line of a caption
:func:`escaped`, a block of one :func:`literal`, a parameter of a rule :func:`parameter`, a figure
:func:`study.figures.without_formulas`. The page of the claims escapes by itself. Needs only Python.
"""

import json
import re
import textwrap

# control characters, ends of lines and paragraphs, changes of the direction of writing, and what is no UTF-8
UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def is_printable(text):
    """Whether a text has none of these characters."""
    return not UNPRINTABLE.search(text)


def printable(text):
    """The text with each of these characters but line ends written as ``\\x1b`` or ``\\u2028``."""
    return UNPRINTABLE.sub(lambda one: one[0] if one[0] == "\n" else one[0].encode("unicode_escape").decode(), text)


# Captions are templates of Jinja, which can run code, and what these give is reStructuredText.


def escaped(text):
    """Text within a line of a caption that neither Jinja nor reStructuredText takes for anything else.

    >>> print(escaped("a*b {{ c_ }}"))
    a\\*b \\{\\{ c\\_ \\}\\}
    """
    return re.sub(r"([^\w\s]|_)", r"\\\1", printable(text).replace("\n", " "))


def literal(text):
    """Lines of a caption that are shown as they are, below a paragraph that ends with ``::``.

    Without a brace of its own the text begins nothing in a template. ``{% raw %}`` would not do: the text may
    end it.
    """
    return textwrap.indent(printable(text), "    ").replace("{", '{{ "{" }}')


def parameter(value):
    """JSON without markup, for the report's scripts; rules give it from a function, to keep its braces."""
    return json.dumps(value).replace("<", "\\u003c")
