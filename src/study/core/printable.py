"""Characters of names and messages that a terminal, or a reader of YAML, would act on. Needs only Python."""

import re

# control characters, ends of lines and paragraphs, changes of the direction of writing, and what is no UTF-8
UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def is_printable(text):
    """Whether a text has none of these characters."""
    return not UNPRINTABLE.search(text)


def printable(text):
    """The text with each of these characters but line ends written as ``\\x1b`` or ``\\u2028``."""
    return UNPRINTABLE.sub(_escaped, text)


def _escaped(found):
    return found[0] if found[0] == "\n" else found[0].encode("unicode_escape").decode()
