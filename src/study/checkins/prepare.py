"""Read check-in files of any size; write the usable rows as Parquet, and every other row with its reason."""

import csv
import shutil
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from study.checkins.blocks import KINDS, SCHEMA, Block, add_what_is_missing
from study.checkins.hashes import DistinctCounter, hash_texts, mix
from study.checkins.layouts import ROW_NAMES, files_of, layout_of
from study.checkins.places import Places
from study.checkins.text import BLOCK_BYTES, check_is_text, line_blocks, not_lines
from study.core.job import InputError, job, moved_into_place, write_csv

ROW_GROUP = 1 << 17  # rows per Parquet row group, whatever the blocks: same rows, same bytes
TEXT_COLUMNS = [field.name for field in SCHEMA if field.type == pa.string()]


class TooManyRejected(InputError):
    """More rows of a file cannot be used than is put up with."""


def prepare(
    files, layout, prepared_path, rejected_path, summary_path, rejected_share, kept_on_failure, *,
    block_bytes=BLOCK_BYTES,
):  # fmt: skip
    """Turn check-in files into Parquet, a table of rejected rows and a summary.

    Parameters
    ----------
    files : path-like or mapping
        The check-in file, plain or gzip (told by its first bytes, not by its name). Where the layout
        has several files, role -> path: ``checkins``, ``places``, ``cities``.
    layout : str
        A key of :data:`study.checkins.layouts.LAYOUTS`.
    prepared_path, rejected_path, summary_path : path-like
        Where to write the Parquet file and the two CSV files.
    rejected_share : float
        The largest share of unusable rows in a file that is put up with, from 0 to 1.
    kept_on_failure : path-like
        Where the rejected rows are kept if there are more than that: Snakemake deletes the outputs of
        a job that failed.
    block_bytes : int
        Bytes read at a time. The results do not depend on it.

    Returns
    -------
    dict
        The summary: quantity -> value. ``rows_…`` and ``rejected_…`` are about the check-ins.

    Raises
    ------
    InputError
        If a file cannot be read to its end, is no text, or has too many unusable rows.
    """
    files = files if isinstance(files, Mapping) else {"checkins": files}
    files = {role: Path(path) for role, path in files_of(layout, files).items()}
    kept_on_failure = Path(kept_on_failure)
    for role in reversed(files):  # the check-ins first
        check_is_text(files[role], ROW_NAMES[role])
    kept_on_failure.unlink(missing_ok=True)  # of an earlier run
    with (
        moved_into_place(prepared_path) as prepared_temporary,
        moved_into_place(rejected_path) as rejected_temporary,
    ):
        try:
            with (
                PreparedWriter(prepared_temporary) as prepared,
                RejectedWriter(rejected_temporary, files) as rejected,
            ):
                limit = Limit(rejected_share, kept_on_failure)
                summary = Reader(files, layout, rejected, limit, block_bytes).write_checkins(prepared)
        except TooManyRejected:
            with moved_into_place(kept_on_failure) as kept:
                shutil.copyfile(rejected_temporary, kept)
            raise
        write_csv(pd.DataFrame({"quantity": summary.keys(), "value": summary.values()}), summary_path)
    return summary


class Limit(NamedTuple):
    """The share of a file's rows that may be unusable, and where they are kept if there are more."""

    share: float
    kept: Path


class Reader:
    """Read the files of one dataset, one after the other."""

    def __init__(self, files, layout, rejected, limit, block_bytes):
        self.files, self.layout_name, self.layout = files, layout, layout_of(layout)
        self.rejected, self.limit, self.block_bytes = rejected, limit, block_bytes
        self.rows_read = Counter()  # of each file

    def write_checkins(self, prepared):
        """Stream the check-ins into the Parquet file; return the summary."""
        cities, city_summary = self.read_cities()
        places, place_summary = self.read_places()
        for block, _ in self.read("checkins"):
            if places is not None:
                places.join(block)
            add_what_is_missing(block, self.layout)
            prepared.append(block.table())
        prepared.finish()
        rows_read, rejected = self.check_share("checkins")
        kinds = self.rejected.kinds["checkins"]
        summary = {"rows_read": rows_read, "rows_prepared": prepared.rows, "rows_rejected": rejected}
        summary |= {f"rejected_{kind}": kinds[kind] for kind in KINDS}
        summary |= prepared.summary() | place_summary | city_summary
        if cities is not None:
            visited, farthest = places.nearest_cities(cities)
            summary |= {"cities_visited": visited, "farthest_from_city_km": farthest}
        return summary

    def read_places(self):
        """The places and their part of the summary; None and nothing if the check-ins have their own."""
        if "places" not in self.files:
            return None, {}
        places = Places()
        for block, first_line in self.read("places"):
            places.add(block, first_line)
        repeated, differing = places.finish()
        if len(differing):
            self.reject_lines("places", differing, "venue_repeated")
        rows_read, rejected = self.check_share("places")
        return places, {
            "places_read": rows_read, "places_kept": len(places), "places_rejected": rejected,
            "places_repeated": repeated,
        }  # fmt: skip

    def read_cities(self):
        """Coordinates of the cities and their part of the summary, or None and nothing."""
        if "cities" not in self.files:
            return None, {}
        parts = []
        for block, _ in self.read("cities"):
            degrees = np.column_stack([block.columns[name] for name in ("latitude", "longitude")])
            parts.append(degrees[block.good()])
        rows_read, rejected = self.check_share("cities")
        return np.concatenate(parts), {"cities": rows_read - rejected, "cities_rejected": rejected}

    def read(self, role):
        """Blocks of a file and the line each begins at; the faults of a block are written after its use."""
        for block in self.blocks(role):
            first_line = self.rows_read[role] + 1
            yield block, first_line
            self.rejected.take(role, block.rejected(), first_line)
            self.rows_read[role] += len(block)

    def blocks(self, role):
        """Parsed blocks of a file."""
        path, lines = self.files[role], 0
        for text in line_blocks(path, ROW_NAMES[role], self.block_bytes):
            try:
                block = Block(text, getattr(self.layout, role))
            except InputError as error:
                raise InputError(not_lines(path, lines, error, ROW_NAMES[role])) from error
            yield block
            lines += len(block)

    def reject_lines(self, role, lines, kind):
        """Reject rows whose fault showed only at the end of the file: read it once more for their text."""
        rows_read = 0
        for block in self.blocks(role):
            within = lines[(lines > rows_read) & (lines <= rows_read + len(block))]
            rows = (block.as_rejected(row, kind) for row in (within - rows_read - 1).tolist())
            self.rejected.take(role, rows, rows_read + 1)
            rows_read += len(block)

    def check_share(self, role):
        """Rows read and rejected; stop if more cannot be used than is put up with, or if none can be."""
        kinds, limit, rows_read = self.rejected.kinds[role], self.limit, self.rows_read[role]
        rejected = kinds.total()
        if rejected <= limit.share * rows_read and rejected < rows_read:
            return rows_read, rejected
        columns = getattr(self.layout, role)
        counts = ", ".join(f"{kind} {kinds[kind]}" for kind in KINDS if kinds[kind])
        examples = self.rejected.examples[role]
        first = "".join(f"\n  line {line}: {reason}: {text[:200]}" for line, reason, text in examples)
        raise TooManyRejected(
            f"{self.files[role]}: {rejected} of {rows_read} rows ({100 * rejected / rows_read:.2f} %) "
            f"cannot be used; the limit is {100 * limit.share:g} % (limits.rejected_share). "
            f"By reason: {counts}. The first:{first}\n"
            f"All of them, with their reasons, are in {limit.kept}. "
            f"Check that the file has the layout '{self.layout_name}' ({len(columns)} tab-separated columns: "
            f"{', '.join(columns)}), mend the rows, or raise the limit."
        )


class RejectedWriter:
    """Write the rejected rows, and count their reasons for each file.

    The table has a column ``file`` if there are several files. It holds their names, and their roles
    before them if two names are the same.
    """

    def __init__(self, path, files):
        names = {role: file.name for role, file in files.items()}
        if len(set(names.values())) < len(names):
            names = {role: f"{role}: {name}" for role, name in names.items()}
        self.before = {role: (name,) if len(files) > 1 else () for role, name in names.items()}
        self.kinds = {role: Counter() for role in files}
        self.examples = {role: [] for role in files}
        self.handle = open(path, "w", encoding="utf-8", newline="")
        self.table = csv.writer(self.handle, lineterminator="\n")
        self.table.writerow((*(("file",) if len(files) > 1 else ()), "line", "reason", "text"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.handle.close()

    def take(self, role, rows, first_line):
        """Write rows of a block that begins at ``first_line`` of a file."""
        for row, kind, reason, text in rows:
            line = (first_line + row, reason, text)
            self.table.writerow((*self.before[role], *line))
            self.kinds[role][kind] += 1
            if len(self.examples[role]) < 3:
                self.examples[role].append(line)


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
                words = hash_texts(column.dictionary)
                if name == "category":  # no category is no further category
                    named = pc.greater(pc.binary_length(column.dictionary), 0)
                    self.names[name].add(words[named.to_numpy(zero_copy_only=False)])
                elif name in self.names:
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


if __name__ == "__main__":
    with job(snakemake) as logger:
        params, output = snakemake.params, snakemake.output
        kept_on_failure = Path(str(snakemake.log[0])).with_suffix(".rejected.csv")
        summary = prepare(
            dict(snakemake.input.items()), params.layout, output.prepared, output.rejected, output.summary,
            params.rejected_share, kept_on_failure,
        )  # fmt: skip
        for quantity, value in summary.items():
            logger.info("%s: %s", quantity, value)
