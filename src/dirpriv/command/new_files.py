"""Files that a command writes beside its output: they must be new, and are either complete or missing."""

import os
from pathlib import Path
from typing import Any

from dirpriv.command import options


def check(path: Path) -> None:
    """Refuse names of other files, files that exist and a missing Matplotlib, before anything is computed."""
    import matplotlib  # noqa: F401

    if path.suffix.lower() not in (".png", ".pdf", ".svg"):
        raise options.Misuse(f"--plot must end in .png, .pdf or .svg; got {str(path)!r}")
    check_new(path, "--plot")


def check_new(path: Path, option: str) -> None:
    """Refuse a file that exists, and a folder that does not."""
    if os.path.lexists(path):
        rule = f"{option} would overwrite {str(path)!r}"
        raise options.Misuse(f"{rule}: give another name, or move that file away")
    if not path.parent.is_dir():
        rule = f"{option} has no folder {str(path.parent)!r}"
        raise options.Misuse(f"{rule}: make this folder, or give another name")


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
