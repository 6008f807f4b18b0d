"""Remove what the workflow made in its working directories, and nothing else.

Snakemake keeps a record of each file that it made. In ``results``, ``figures`` and the two folders below
``data`` only files on record go, so a file of the user's stays under any name. ``logs``, ``benchmarks`` and
``.snakemake`` are the workflow's own, and go as a whole.

``python src/study/core/clean.py DIRECTORY ...`` needs nothing but Python, as there may be no environment.
"""

import contextlib
import glob
import shutil
import sys
from base64 import urlsafe_b64decode
from pathlib import Path, PurePosixPath

MADE = ("results", "figures", "data/generated", "data/downloads")
"""Folders that hold what the workflow makes, and perhaps files of the user's."""

OWN = ("logs", "benchmarks", ".snakemake")
"""Folders that only the workflow writes."""


def files_on_record(directory):
    """Files in :data:`MADE` that Snakemake has made in a working directory, or began to.

    Parameters
    ----------
    directory : pathlib.Path

    Returns
    -------
    list of pathlib.Path
    """
    names = {PurePosixPath("results/report.html")}  # snakemake --report leaves no record
    for kind in ("metadata", "incomplete"):
        folder = directory / ".snakemake" / kind
        for path in folder.rglob("*"):
            if path.is_file():  # the name of a long path is cut into folders, each of which begins with @
                code = "".join(part.removeprefix("@") for part in path.relative_to(folder).parts)
                with contextlib.suppress(ValueError):  # a file of another kind
                    names.add(PurePosixPath(urlsafe_b64decode(code).decode(errors="surrogateescape")))
    inside = [name for name in names if ".." not in name.parts and any(map(name.is_relative_to, MADE))]
    return [directory / name for name in sorted(inside)]


def clean(directory):
    """Remove what the workflow made in a working directory.

    Parameters
    ----------
    directory : pathlib.Path

    Returns
    -------
    list of pathlib.Path
        Files that lie beside the results and were left alone, as they are not on record.
    """
    for path in files_on_record(directory):
        for leftover in path.parent.glob(f".{glob.escape(path.name)}-*"):  # of a job that was killed
            leftover.unlink()
        if path.is_file() or path.is_symlink():
            path.unlink()
    for name in OWN:
        shutil.rmtree(directory / name, ignore_errors=True)
    left = []
    for name in MADE:
        folder = directory / name
        for path in sorted(folder.rglob("*"), reverse=True):  # what is in a folder comes before it
            if not path.is_dir() or path.is_symlink():
                left += [path] if path.name != "README.md" else []
            elif not any(path.iterdir()):
                path.rmdir()
        if name.startswith("data/") and folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
    return sorted(left)


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        for kept in clean(Path(argument)):
            print(f"left alone, as the workflow has no record of making it: {kept}")
