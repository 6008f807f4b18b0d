"""Read a check-in file of any size; write the usable rows as Parquet, and every other row with its reason."""

import contextlib
import csv
import shutil
import tempfile
import zlib
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from study.job import InputError, Progress, job, moved_into_place, write_csv
from study.layouts import KINDS, LONGEST_LINE, SCHEMA, columns_of, parse_block

BLOCK_BYTES = 8 << 20  # read at a time; a few times this is what parsing needs in memory
ROW_GROUP = 1 << 17  # rows per Parquet row group, whatever the blocks: same rows, same bytes
HEAD_BYTES = 1 << 16  # looked at to tell text from anything else
GZIP_MAGIC = b"\x1f\x8b"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
OTHER_FORMATS = {
    b"PK\x03\x04": "a zip archive; unpack it and give the file inside",
    b"BZh": "a bzip2 file; unpack it, or pack it with gzip",
    b"\xfd7zXZ": "an xz file; unpack it, or pack it with gzip",
    b"\x28\xb5\x2f\xfd": "a zstandard file; unpack it, or pack it with gzip",
    b"PAR1": "a Parquet file; give the check-ins as tab-separated text",
    b"\xff\xfe": "UTF-16 text; save it as UTF-8",
    b"\xfe\xff": "UTF-16 text; save it as UTF-8",
}
TEXT_COLUMNS = ("user", "venue", "category_id", "category")


def prepare(
    path,
    layout,
    prepared_path,
    rejected_path,
    summary_path,
    rejected_share,
    kept_on_failure,
    *,
    block_bytes=BLOCK_BYTES,
):
    """Turn a check-in file into Parquet, a table of rejected rows and a summary.

    Parameters
    ----------
    path : path-like
        Check-in file, plain or gzip (told by its first bytes, not by its name).
    layout : str
        A key of :data:`study.layouts.LAYOUTS`.
    prepared_path, rejected_path, summary_path : path-like
        Where to write the Parquet file and the two CSV files.
    rejected_share : float
        The largest share of unusable rows that is put up with, from 0 to 1.
    kept_on_failure : path-like
        Where the rejected rows are kept if there are more than that: Snakemake deletes the outputs of
        a job that failed.
    block_bytes : int
        Bytes read at a time. The results do not depend on it.

    Returns
    -------
    dict
        The summary: quantity -> value.

    Raises
    ------
    InputError
        If the file cannot be read to its end, is no text, or has too many unusable rows.
    """
    path, kept_on_failure = Path(path), Path(kept_on_failure)
    columns_of(layout)
    check_is_text(path)
    kept_on_failure.unlink(missing_ok=True)  # of an earlier run
    with (
        moved_into_place(prepared_path) as prepared_temporary,
        moved_into_place(rejected_path) as rejected_temporary,
    ):
        summary, examples = write_tables(path, layout, prepared_temporary, rejected_temporary, block_bytes)
        rejected, read = summary["rows_rejected"], summary["rows_read"]
        if rejected > rejected_share * read or rejected == read:
            with moved_into_place(kept_on_failure) as kept:
                shutil.copyfile(rejected_temporary, kept)
            message = too_many_rejected(path, summary, examples, rejected_share, layout, kept_on_failure)
            raise InputError(message)
        write_csv(pd.DataFrame({"quantity": summary.keys(), "value": summary.values()}), summary_path)
    return summary


def write_tables(path, layout, prepared_path, rejected_path, block_bytes):
    """Stream the file into the Parquet file and the rejected table; return summary and three examples."""
    kinds, examples, rows_read = Counter(), [], 0
    with (
        PreparedWriter(prepared_path) as prepared,
        open(rejected_path, "w", encoding="utf-8", newline="") as handle,
    ):
        rejected_table = csv.writer(handle, lineterminator="\n")
        rejected_table.writerow(("line", "reason", "text"))
        for block in line_blocks(path, block_bytes):
            try:
                table, rejected, rows = parse_block(block, layout)
            except InputError as error:
                raise InputError(not_lines(path, rows_read, error)) from error
            prepared.append(table)
            for row, kind, reason, text in rejected:
                line = (rows_read + row + 1, reason, text)
                rejected_table.writerow(line)
                kinds[kind] += 1
                if len(examples) < 3:
                    examples.append(line)
            rows_read += rows
        prepared.finish()
        summary = {"rows_read": rows_read, "rows_prepared": prepared.rows, "rows_rejected": kinds.total()}
        summary |= {f"rejected_{kind}": kinds[kind] for kind in KINDS}
        summary |= prepared.summary()
    return summary, examples


def too_many_rejected(path, summary, examples, limit, layout, kept):
    """Message for a file most of whose rows are unusable, or more than the limit allows."""
    share = summary["rows_rejected"] / summary["rows_read"]
    counts = ", ".join(
        f"{kind} {summary[f'rejected_{kind}']}" for kind in KINDS if summary[f"rejected_{kind}"] > 0
    )
    first = "".join(f"\n  line {line}: {reason}: {text[:200]}" for line, reason, text in examples)
    return (
        f"{path}: {summary['rows_rejected']} of {summary['rows_read']} rows ({100 * share:.2f} %) "
        f"cannot be used; the limit is {100 * limit:g} % (limits.rejected_share). "
        f"By reason: {counts}. The first:{first}\n"
        f"All of them, with their reasons, are in {kept}. "
        f"Check that the file has the layout '{layout}' ({len(columns_of(layout))} tab-separated columns: "
        f"{', '.join(columns_of(layout))}), mend the rows, or raise the limit."
    )


def not_lines(path, lines, error):
    """Message for a file that has a line too long to be one."""
    return f"{path}: after line {lines}, {error}; give a text file with one check-in per line"


def unreadable(path, error):
    """Message for a file the system does not let us read."""
    return f"{path} cannot be read: {error.strerror}; check the file and its permissions"


def check_is_text(path):
    """Look at the beginning of the file; raise an :class:`InputError` unless it is text."""
    try:
        is_directory = path.is_dir() if path.exists() else None
    except OSError as error:
        raise InputError(unreadable(path, error)) from error
    if is_directory is None:
        raise InputError(
            f"{path}: there is no such file; correct the path in the config, or put the file there"
        )
    if is_directory:
        raise InputError(f"{path} is a directory; give the check-in file in it")
    head = b""
    with contextlib.closing(text_chunks(path, HEAD_BYTES)) as chunks:
        for chunk in chunks:
            head += chunk
            if len(head) >= HEAD_BYTES:
                break
    head = head[:HEAD_BYTES]
    if not head:
        raise InputError(f"{path} is empty; give a file with at least one check-in")
    for magic, description in OTHER_FORMATS.items():
        if head.startswith(magic):
            raise InputError(f"{path} is {description}")
    letters = np.frombuffer(head, dtype=np.uint8)
    odd = (letters < 32) & ~np.isin(letters, (9, 10, 13))
    # A damaged row has a few control bytes; noise and binary formats have more than one in ten.
    if odd.mean() > 0.05:
        raise InputError(f"{path} is not text; give tab-separated text, plain or packed with gzip")


def line_blocks(path, block_bytes):
    """Blocks of whole lines of a plain or gzip file; the last line may lack its end in the file."""
    progress = Progress("prepare_checkins", path.stat().st_size)
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
            raise InputError(not_lines(path, lines, f"a line is longer than {LONGEST_LINE} bytes"))
    if waiting:
        block = b"".join(pieces) + b"\n"
        yield block.removeprefix(BYTE_ORDER_MARK) if first else block


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


class PreparedWriter:
    """Write check-ins as Parquet in row groups of one size, and gather their summary."""

    def __init__(self, path):
        folder = Path(path).parent
        self.schema = pa.schema(
            field.with_type(pa.dictionary(pa.int32(), pa.string())) if field.name in TEXT_COLUMNS else field
            for field in SCHEMA
        )
        self.file = pq.ParquetWriter(path, self.schema, compression="zstd")
        self.waiting, self.rows = [], 0
        self.ranges = {}
        self.different_rows = DistinctCounter(folder)
        self.names = {name: DistinctCounter(folder) for name in ("user", "venue", "category")}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()
        for counter in (self.different_rows, *self.names.values()):
            counter.close()

    def append(self, table):
        """Take rows; write as many whole row groups as there are."""
        self.waiting.append(table)
        if sum(map(len, self.waiting)) >= ROW_GROUP:
            table = pa.concat_tables(self.waiting)
            whole = len(table) - len(table) % ROW_GROUP
            for start in range(0, whole, ROW_GROUP):
                self.write(table.slice(start, ROW_GROUP))
            self.waiting = [table.slice(whole)]

    def finish(self):
        """Write the rows still waiting."""
        table = pa.concat_tables(self.waiting) if self.waiting else SCHEMA.empty_table()
        self.waiting = []
        if len(table):
            self.write(table)

    def write(self, table):
        """Write one row group."""
        columns, hashes = {}, np.zeros(len(table), dtype=np.uint64)
        for name in SCHEMA.names:
            column = table[name].combine_chunks()
            if name in TEXT_COLUMNS:
                column = column.dictionary_encode()
                words = hash_words(column.dictionary)
                if name in self.names:
                    self.names[name].add(words)
                values = words[column.indices.to_numpy()]
            else:
                self.note_range(name, column)
                numbers = column.cast(pa.int64()) if pa.types.is_temporal(column.type) else column
                values = pd.util.hash_array(numbers.to_numpy())
            hashes = mix(hashes, values)
            columns[name] = column
        self.different_rows.add(hashes)
        self.file.write_table(pa.table(columns, schema=self.schema), row_group_size=ROW_GROUP)
        self.rows += len(table)

    def note_range(self, name, column):
        """Keep the smallest and the largest value of a column."""
        ends = pc.min_max(column).as_py()
        smallest, largest = self.ranges.get(name, (ends["min"], ends["max"]))
        self.ranges[name] = min(smallest, ends["min"]), max(largest, ends["max"])

    def summary(self):
        """What the prepared rows are like: quantity -> value."""
        if not self.rows:
            return {}
        summary = {"duplicates": self.rows - self.different_rows.count()}
        plural = {"user": "users", "venue": "venues", "category": "categories"}
        summary |= {plural[name]: counter.count() for name, counter in self.names.items()}
        summary["first_local_time"], summary["last_local_time"] = self.ranges["local_time"]
        for name in ("latitude", "longitude"):
            summary[f"{name}_min"], summary[f"{name}_max"] = self.ranges[name]
        return summary


def hash_words(words):
    """A 64-bit hash of each string, the same in every process."""
    return pd.util.hash_array(np.array(words.to_pylist(), dtype=object), categorize=False)


def mix(hashes, values):
    """Hash of rows so far, and of one more column."""
    hashes = (hashes ^ values) * np.uint64(0x9E3779B97F4A7C15)
    return hashes ^ (hashes >> np.uint64(32))


class DistinctCounter:
    """Count different 64-bit hashes in bounded memory.

    The hashes wait in a file. They are counted in passes, each of which takes the hashes of one
    residue class. Among 33 million rows, two different ones share a hash with probability 3e-5.
    """

    def __init__(self, folder, per_pass=1 << 22):
        self.file = tempfile.TemporaryFile(dir=folder)
        self.per_pass, self.size = per_pass, 0

    def add(self, hashes):
        """Note an array of hashes (uint64)."""
        self.file.write(hashes.tobytes())
        self.size += len(hashes)

    def count(self):
        """How many different hashes were noted."""
        passes = np.uint64(self.size // self.per_pass + 1)
        different = 0
        for residue in range(int(passes)):
            self.file.seek(0)
            chosen = [np.empty(0, dtype=np.uint64)]
            while chunk := self.file.read(1 << 23):
                hashes = np.frombuffer(chunk, dtype=np.uint64)
                chosen.append(hashes[hashes % passes == residue])
            chosen = np.sort(np.concatenate(chosen))
            different += int(np.count_nonzero(chosen[1:] != chosen[:-1])) + (len(chosen) > 0)
        return different

    def close(self):
        """Give up the file."""
        self.file.close()


if __name__ == "__main__":
    with job(snakemake) as logger:
        summary = prepare(
            snakemake.input[0],
            snakemake.params.layout,
            snakemake.output.prepared,
            snakemake.output.rejected,
            snakemake.output.summary,
            snakemake.params.rejected_share,
            Path(str(snakemake.log[0])).with_suffix(".rejected.csv"),
        )
        for quantity, value in summary.items():
            logger.info("%s: %s", quantity, value)
