"""What a command writes to the terminal: nothing that a terminal would act on."""

import re
import sys
from collections.abc import Iterable
from types import TracebackType
from typing import Self

# what a terminal would act on: control characters, and changes of the direction of writing
_UNPRINTABLE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """The text with control characters, as names of files can have them, written as ``\\x1b``."""
    return _UNPRINTABLE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def show(lines: Iterable[str]) -> None:
    """Print lines at once, so that a failure to do so is noticed here."""
    print(printable("\n".join(lines)), flush=True)


class Progress:
    """A line that each text replaces, and that is gone at the end of the block."""

    def __init__(self) -> None:
        self._said = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._said:
            print("\r" + " " * len(self._said) + "\r", end="", file=sys.stderr, flush=True)

    def say(self, text: str) -> None:
        """Show a text in place of the last one."""
        if text != self._said and sys.stderr is not None and sys.stderr.isatty():
            print(f"\r{text:<{len(self._said)}}", end="", file=sys.stderr, flush=True)
            self._said = text
