"""Read text files of any size, plain or gzip, a block of whole lines at a time."""

import contextlib
import gzip
import itertools
import os
import zlib

import numpy as np

from study.checkins.faulty_lines import CONTROL
from study.workflow.job import InputError, JobProgress

BLOCK_BYTES = 16 << 20  # read at a time
MOST_LINES = 1 << 18  # in use at a time; twice as many as a block of usual lines has
LONGEST_LINE = 1 << 20  # bytes; a check-in has about 140
HEAD_BYTES = 1 << 16  # checked to tell text from binary data
GZIP_MAGIC = b"\x1f\x8b"
GROWTH = 1032  # times the length of its gzip compression that a text can have, at most
AHEAD = 1 << 17  # most bytes of a gzip file that are read and not unpacked yet
NO_TEXT = b"\x1f"  # a byte that no cleaned line contains
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
OTHER_FORMATS = {
    b"PK\x03\x04": "a zip archive; unpack it and give the file inside (of a download, with `member`)",
    b"BZh": "a bzip2 file; unpack it, or pack it with gzip",
    b"\xfd7zXZ": "an xz file; unpack it, or pack it with gzip",
    b"\x28\xb5\x2f\xfd": "a zstandard file; unpack it, or pack it with gzip",
    b"PAR1": "a Parquet file; give the check-ins as text, for example as CSV",
    b"\xff\xfe": "UTF-16 text; save it as UTF-8",
    b"\xfe\xff": "UTF-16 text; save it as UTF-8",
}


def check_is_text(path, row):
    """The first line of a file; an InputError unless it is text. ``row`` names what a row of it is."""
    with contextlib.closing(text_chunks(path, HEAD_BYTES)) as chunks:
        head, _ = next(chunks, (b"", 0))
    if not head:
        raise InputError(f"{path} is empty; give a file with at least one {row}")
    for magic, description in OTHER_FORMATS.items():
        if head.startswith(magic):
            raise InputError(f"{path} is {description}")
    letters = np.frombuffer(head, dtype=np.uint8)
    odd = (letters < 32) & ~np.isin(letters, (9, 10, 13))
    # A damaged row has a few control bytes; in noise and binary formats they are more than one in ten.
    if odd.mean() > 0.05:
        raise InputError(f"{path} is not text; give a text file, plain or packed with gzip")
    return clean(head.removeprefix(BYTE_ORDER_MARK).split(b"\n")[0] + b"\n")[0].decode().rstrip("\n")


def line_blocks(path, row, block_bytes=BLOCK_BYTES):
    """Yield blocks of whole lines of a plain or gzip file, each with the number of lines up to its end.

    The third value is the largest number of bytes of text that may follow. The last line ends with ``\\n``
    even if it does not in the file.
    """
    progress, pieces, waiting, lines = None, [], 0, 0
    for chunk, left in itertools.chain(text_chunks(path, block_bytes), [(b"", 0)]):
        progress = progress or JobProgress(f"prepare_checkins, {path.name}", left + len(chunk))
        if not chunk and waiting:
            chunk = b"\n"
        end = chunk.rfind(b"\n") + 1
        if end:
            block = b"".join((*pieces, chunk[:end]))
            block = block if lines else block.removeprefix(BYTE_ORDER_MARK)
            length = len(block)
            half = LONGEST_LINE // 2  # a longer line covers a whole piece of this length
            if any(block.find(b"\n", n, n + half) < 0 for n in range(0, len(block) - half, half)):
                long = [n for n, line in enumerate(block.split(b"\n")) if len(line) > LONGEST_LINE]
                if long:
                    raise InputError(too_long(path, lines + long[0], row))
            for part in parts(block):
                lines += part.count(b"\n")
                length -= len(part)
                yield part, lines, left + length
            pieces, waiting = [], 0
        pieces.append(chunk[end:])
        waiting += len(pieces[-1])
        if waiting > LONGEST_LINE:
            raise InputError(too_long(path, lines, row))
        progress.update(progress.total - left)


def parts(block):
    """A block of lines in parts of at most ``MOST_LINES``: of shorter lines than usual a block has many."""
    if block.count(b"\n") <= MOST_LINES:
        return [block]
    ends = np.flatnonzero(np.frombuffer(block, dtype=np.uint8) == ord("\n"))[MOST_LINES - 1 :: MOST_LINES] + 1
    cuts = [0, *ends.tolist(), len(block)]
    return [block[start:end] for start, end in itertools.pairwise(cuts) if start < end]


def too_long(path, lines, row):
    """Message for a file with a line that is too long."""
    text = f"{path}: after line {lines}, a line is longer than {LONGEST_LINE} bytes"
    return f"{text}; give a text file with one {row} per line"


def clean(block):
    """A block of lines in UTF-8 with ``\\n`` as line ends; and the texts of odd lines by number, from 1.

    A line that is not UTF-8 is read as latin-1, as TSMC2014 is. Odd lines have control bytes, which SQL may
    not accept; they are empty in the block.
    """
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n")
    if not any(byte in block for byte in (b"\0", b"\r", NO_TEXT)) and is_utf8(block):
        return block, {}
    lines, odd = block.split(b"\n"), {}
    for number, line in enumerate(lines, start=1):
        text = line.decode("utf-8" if is_utf8(line) else "latin-1")
        if CONTROL.search(text):
            odd[number], text = text, ""
        lines[number - 1] = text.encode()
    return b"\n".join(lines), odd


def is_utf8(text):
    """Whether bytes are text in UTF-8."""
    try:
        return text.isascii() or bool(text.decode())
    except UnicodeDecodeError:
        return False


def text_chunks(path, size):
    """Pieces of a file's text, gzip unpacked, all but the last of ``size``; and how much text may follow."""
    pieces, length, lines = [], 0, 0
    try:
        with open(path, "rb") as handle:
            packed = handle.read(2) == GZIP_MAGIC
            handle.seek(0)
            total = os.fstat(handle.fileno()).st_size
            source = gzip.GzipFile(fileobj=handle) if packed else handle
            more = True
            while more:
                more = source.read1(size - length)  # read() would discard what it has unpacked before a fault
                pieces.append(more)
                length, lines = length + len(more), lines + more.count(b"\n")
                left = total - handle.tell()
                if length and (length == size or not more):
                    yield b"".join(pieces), (left + AHEAD) * GROWTH if packed else left
                    pieces, length = [], 0
    except EOFError as error:
        text = f"is a truncated gzip file: it breaks off after {lines} whole lines; copy or download it again"
        raise InputError(f"{path} {text}") from error
    except (zlib.error, gzip.BadGzipFile):  # the latter has bytes of the file in its text
        text = f"only its first {lines} lines or a little more could be read; copy or download it again"
        raise InputError(f"{path} is a damaged gzip file: {text}") from None
    except OSError as error:
        text = f"cannot be read: {error.strerror}; check the file and its permissions"
        raise InputError(f"{path} {text}") from error
