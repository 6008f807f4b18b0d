"""Read text files of any size, plain or gzip, a block of whole lines at a time."""

import contextlib
import zlib

import numpy as np

from study.checkins.blocks import LONGEST_LINE
from study.core.job import InputError, Progress

BLOCK_BYTES = 8 << 20  # read at a time; a few times this is what parsing needs in memory
HEAD_BYTES = 1 << 16  # looked at to tell text from anything else
GZIP_MAGIC = b"\x1f\x8b"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
OTHER_FORMATS = {
    b"PK\x03\x04": "a zip archive; unpack it and give the file inside (of a download, with `member`)",
    b"BZh": "a bzip2 file; unpack it, or pack it with gzip",
    b"\xfd7zXZ": "an xz file; unpack it, or pack it with gzip",
    b"\x28\xb5\x2f\xfd": "a zstandard file; unpack it, or pack it with gzip",
    b"PAR1": "a Parquet file; give the check-ins as tab-separated text",
    b"\xff\xfe": "UTF-16 text; save it as UTF-8",
    b"\xfe\xff": "UTF-16 text; save it as UTF-8",
}


def check_is_text(path, row):
    """Look at the beginning of the file; raise an :class:`~study.core.job.InputError` unless it is text.

    ``row`` says what a row of the file is, as in "check-in".
    """
    try:
        is_directory = path.is_dir() if path.exists() else None
    except OSError as error:
        raise InputError(unreadable(path, error)) from error
    if is_directory is None:
        raise InputError(
            f"{path}: there is no such file; correct the path in the config, or put the file there"
        )
    if is_directory:
        raise InputError(f"{path} is a directory; give the {row} file in it")
    head = b""
    with contextlib.closing(text_chunks(path, HEAD_BYTES)) as chunks:
        for chunk in chunks:
            head += chunk
            if len(head) >= HEAD_BYTES:
                break
    head = head[:HEAD_BYTES]
    if not head:
        raise InputError(f"{path} is empty; give a file with at least one {row}")
    for magic, description in OTHER_FORMATS.items():
        if head.startswith(magic):
            raise InputError(f"{path} is {description}")
    letters = np.frombuffer(head, dtype=np.uint8)
    odd = (letters < 32) & ~np.isin(letters, (9, 10, 13))
    # A damaged row has a few control bytes; noise and binary formats have more than one in ten.
    if odd.mean() > 0.05:
        raise InputError(f"{path} is not text; give tab-separated text, plain or packed with gzip")


def line_blocks(path, row, block_bytes=BLOCK_BYTES):
    """Blocks of whole lines of a plain or gzip file; the last line may lack its end in the file."""
    progress = Progress(f"prepare_checkins, {path.name}", path.stat().st_size)
    pieces, waiting, lines, first = [], 0, 0, True
    for chunk in text_chunks(path, block_bytes, progress):
        end = chunk.rfind(b"\n") + 1
        if end:
            block = b"".join((*pieces, chunk[:end]))
            lines += block.count(b"\n")
            yield block.removeprefix(BYTE_ORDER_MARK) if first else block
            pieces, waiting, first = [], 0, False
        pieces.append(chunk[end:])
        waiting += len(pieces[-1])
        if waiting > LONGEST_LINE:
            error = f"a line is longer than {LONGEST_LINE} bytes"
            raise InputError(not_lines(path, lines, error, row))
    if waiting:
        block = b"".join(pieces) + b"\n"
        yield block.removeprefix(BYTE_ORDER_MARK) if first else block


def not_lines(path, lines, error, row):
    """Message for a file that has a line too long to be one."""
    return f"{path}: after line {lines}, {error}; give a text file with one {row} per line"


def unreadable(path, error):
    """Message for a file the system does not let us read."""
    return f"{path} cannot be read: {error.strerror}; check the file and its permissions"


def text_chunks(path, size, progress=None):
    """Pieces of the file's text of at most ``size`` bytes, unpacked if it is gzip."""
    try:
        with open(path, "rb") as handle:
            packed = handle.read(2) == GZIP_MAGIC
            handle.seek(0)
            # A packed piece grows when unpacked: read less of it at a time.
            chunks = raw_chunks(handle, max(size // 8, 1) if packed else size, progress)
            yield from unpacked(chunks, size, path) if packed else chunks
    except OSError as error:
        raise InputError(unreadable(path, error)) from error


def raw_chunks(handle, size, progress):
    """Pieces of an open file, telling ``progress`` how far it is."""
    while chunk := handle.read(size):
        yield chunk
        if progress is not None:
            progress.update(handle.tell())


def unpacked(chunks, size, path):
    """Text of a gzip stream of one or more members, in pieces of at most ``size`` bytes.

    The standard library's reader drops what it has unpacked when the stream breaks off; this one does
    not, so that the message can say how much of the file is whole.
    """
    member, lines = zlib.decompressobj(wbits=31), 0
    try:
        for packed in chunks:
            while packed:
                if member.eof:
                    packed = packed.lstrip(b"\0")  # padding after a member is allowed
                    if not packed:
                        break
                    member = zlib.decompressobj(wbits=31)
                piece = member.decompress(packed, size)
                lines += piece.count(b"\n")
                yield piece
                packed = member.unused_data if member.eof else member.unconsumed_tail
        piece = member.flush()
    except zlib.error as error:
        raise InputError(
            f"{path} is a damaged gzip file ({error}): only its first {lines} lines or a little more "
            "could be read; copy or download it again"
        ) from error
    lines += piece.count(b"\n")
    yield piece
    if not member.eof:
        raise InputError(
            f"{path} is a truncated gzip file: it breaks off after {lines} whole lines; "
            "copy or download it again"
        )
