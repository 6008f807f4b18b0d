"""Everything that a release of a file leaves behind or has open, as bytes in which values are looked for."""

import gzip
import os
import stat
import struct
from pathlib import Path

import databases


def files_below(*folders):
    """Every path below some folders, and what it holds; nothing of a folder or a link."""
    found = {}
    for folder in folders:
        for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
            path = Path(entry.path)
            found[path] = path.read_bytes() if entry.is_file(follow_symlinks=False) else b""
            if entry.is_dir(follow_symlinks=False):
                found |= files_below(path)
    return found


def open_now():
    """The regular files that this process has open: what tells their states apart, for each descriptor."""
    found = {}
    for entry in os.listdir("/proc/self/fd"):
        try:
            of = os.stat(f"/proc/self/fd/{entry}")
        except OSError:  # closed meanwhile
            continue
        if stat.S_ISREG(of.st_mode):
            found[entry] = of.st_dev, of.st_ino, of.st_size, of.st_mtime_ns, of.st_ctime_ns
    return found


def open_files(but, before=()):
    """What the files hold that this process has open, also those without a name.

    But for one path, and for those that are as they were ``before``: of :func:`open_now`.
    """
    found, earlier = {}, dict(before)
    for number, state in open_now().items():
        entry = f"/proc/self/fd/{number}"
        try:
            name = os.readlink(entry)
            if state != earlier.get(number) and name != str(but) and "/site-packages/" not in name:
                found[Path(name)] = Path(entry).read_bytes()
        except OSError:  # closed meanwhile, or not to be read
            continue
    return found


def readable(path, content):
    """The bytes of a file, and what is in it where it is compressed."""
    if path.suffix == ".gz":
        return content + gzip.decompress(content)
    if path.suffix == ".parquet":
        with databases.connection() as connection:
            rows = connection.execute("SELECT * FROM read_parquet(?)", [str(path)]).fetchall()
            about = connection.execute("SELECT * FROM parquet_metadata(?)", [str(path)]).fetchall()
            more = connection.execute("SELECT * FROM parquet_kv_metadata(?)", [str(path)]).fetchall()
        numbers = [value for row in rows for value in row if isinstance(value, float)]
        return content + repr((rows, about, more)).encode() + struct.pack(f"<{len(numbers)}d", *numbers)
    return content


def values_in(contents, values):
    """The values, texts or bytes, that occur in the names or in the contents of some files."""
    everything = b"\n".join(os.fsencode(path) + b"\n" + readable(path, held) for path, held in contents)
    return [value for value in values if _bytes(value) in everything]


def _bytes(value):
    return value if isinstance(value, bytes) else value.encode()
