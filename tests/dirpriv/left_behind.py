"""Everything that a release of a file leaves behind or has open, as bytes in which values are looked for."""

import gzip
import os
import stat
import struct
from pathlib import Path

import databases


def files_below(*folders):
    """Every path below some folders, and what it holds; nothing of a folder or a link."""
    return {
        path: path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        for folder in folders
        for path in sorted(Path(folder).rglob("*"))
    }


def open_files(but):
    """What the files hold that this process has open, also those without a name; but for one path."""
    found = {}
    for entry in Path("/proc/self/fd").iterdir():
        try:
            name = os.readlink(entry)
            if stat.S_ISREG(entry.stat().st_mode) and name != str(but) and "/site-packages/" not in name:
                found[Path(name)] = entry.read_bytes()
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
