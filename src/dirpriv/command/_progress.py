"""A line on the error stream that says what is going on, where that stream is a terminal."""

import sys
from types import TracebackType
from typing import Self


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
