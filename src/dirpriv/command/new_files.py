"""Files that a command writes beside its output: they must be new, and are either complete or missing."""

from pathlib import Path
from typing import Any

from dirpriv._inputs.errors import InvalidArgument


def check(argument: str, path: Path, *suffixes: str) -> None:
    """Refuse a file with another suffix, one that exists, and a folder that does not."""
    from dirpriv.release.files.atomic_output import check_new

    if path.suffix.lower() not in suffixes:
        rule = f"must end in {' or '.join(filter(None, [', '.join(suffixes[:-1]), suffixes[-1]]))}"
        raise InvalidArgument(argument, rule, got=str(path))
    check_new(path, argument=argument)


def write_new(path: Path, content: bytes) -> None:
    """Write a file that does not exist; it appears only when it is complete, if writing it fails."""
    with open(path, "xb") as file:
        try:
            file.write(content)
            file.flush()
        except BaseException:
            path.unlink(missing_ok=True)
            raise


def save(figure: Any, path: Path) -> str:
    """Write a figure to a new file, and say so."""
    from dirpriv import pictures

    kind: Any = path.suffix.lower().removeprefix(".")
    write_new(path, pictures.figure_bytes(figure, kind))
    return f"Drawn: {path}"
