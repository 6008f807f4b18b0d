"""What a command writes to the terminal: nothing that a terminal would act on."""

import contextlib
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator

# what a terminal would act on: control characters, and changes of the direction of writing
_UNPRINTABLE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """The text with control characters, as names of files can have them, written as ``\\x1b``."""
    return _UNPRINTABLE.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def show(lines: Iterable[str], *, aside: bool = False) -> None:
    """Print lines at once, so that a failure to do so is noticed here; ``aside`` goes to standard error."""
    if (stream := sys.stderr if aside else sys.stdout) is not None:
        print(printable("\n".join(lines)), flush=True, file=stream)


def wrapped(text: str) -> list[str]:
    """The lines of a text, broken where they are long."""
    wrap = textwrap.TextWrapper(88, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    return [wrap.fill(line) for line in text.splitlines()]


@contextlib.contextmanager
def progress() -> Iterator[Callable[[str], None]]:
    """A function that shows a text in place of the last one; the line is gone at the end of the block."""
    shown = ""

    def say(text: str) -> None:
        nonlocal shown
        if text != shown and sys.stderr is not None and sys.stderr.isatty():
            print(f"\r{text:<{len(shown)}}", end="", file=sys.stderr, flush=True)
            shown = text

    try:
        yield say
    finally:
        if shown:
            print("\r" + " " * len(shown) + "\r", end="", file=sys.stderr, flush=True)
