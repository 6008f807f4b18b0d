"""Open files that one run has for itself, and folders whose names are on the disk, where a system can."""

import errno
import importlib
import os
from typing import Any

# not on Windows: there, an open file cannot be removed
fcntl: Any = importlib.import_module("fcntl") if os.name == "posix" else None


def lock(descriptor: int, *, wait: bool = True) -> None:
    """Lock an open file against other runs; raise BlockingIOError if that has to wait and should not."""
    if fcntl is not None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))


def sync_folder(folder: os.PathLike[str]) -> None:
    """Write the names in a folder to the disk, where a system can."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:  # Windows opens no folders
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.EBADF):
            raise
    finally:
        os.close(descriptor)
