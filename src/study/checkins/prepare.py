"""Read check-in files of any size; write the usable rows as Parquet, and every other row with its reason.

Python unpacks the files block by block and checks the few lines that may have a fault. DuckDB does the rest
in SQL; it reads the usable lines through a pipe. DuckDB uses one thread, because several would not keep the
order of the rows. Meanwhile Python's thread prepares the next block on a second core.
"""

import contextlib
import csv
import os
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd

from dirpriv.geometry import earth
from study.checkins import faulty_lines
from study.checkins.file_layouts import LAYOUTS, ROW_NAMES
from study.checkins.line_blocks import BLOCK_BYTES, LONGEST_LINE, NO_TEXT, check_is_text, clean, line_blocks
from study.checkins.statements import SQL
from study.checkins.user_csv import CsvLines, looks_separated
from study.workflow.job import InputError, job, moved_into_place, write_csv
from study.workflow.parquet import connect, hashed, literal

ROW_GROUP = 1 << 17  # rows per Parquet row group, or a few more, whatever the blocks: same rows, same bytes
MEMORY = "500MB"  # for the summary; what does not fit goes to the disk
TYPES = dict.fromkeys(("latitude", "longitude"), "DOUBLE") | {"offset_minutes": "SMALLINT"}
TYPES |= dict.fromkeys(faulty_lines.TIME_FORMATS, "TIMESTAMP")


def read_sql(columns, delimiter="\t", time="%Y"):
    """SQL for the columns of the lines in the pipe; ``time`` is the form of their times."""
    limits = {"longest_line": 4 * LONGEST_LINE, "buffer": 8 * LONGEST_LINE}
    return SQL["read"].format(columns=columns, delimiter=delimiter, time=time, **limits)


WHOLE_LINES = SQL["whole_lines"].format(source=read_sql({"text": "VARCHAR"}, NO_TEXT.decode()))
UNCERTAIN = SQL["uncertain"].format(whole_lines=WHOLE_LINES)


class TooManyRejected(InputError):
    """The share of unusable rows in a file is above the limit."""


def prepare(
    files, layout, prepared_path, rejected_path, summary_path, rejected_share, kept_on_failure, *,
    settings=None, block_bytes=BLOCK_BYTES,
):  # fmt: skip
    """Turn check-in files into Parquet, a table of rejected rows and a summary, which it returns.

    ``files`` are paths by role, ``checkins``, ``places`` or ``cities``, of texts, plain or gzip, which is
    recognised by the first bytes and not by the name. ``layout`` is a key of
    :data:`study.checkins.file_layouts.LAYOUTS`, and ``settings`` say how to read a CSV file:
    :class:`study.checkins.user_csv.CsvLines`. ``block_bytes`` are read at a time; the results do not
    depend on it. In the summary, quantity -> value, ``rows_…`` and ``rejected_…`` are about the check-ins.

    Raises an :class:`~study.workflow.job.InputError` if a file cannot be read to its end, is not text, or has
    a larger share of unusable rows than ``rejected_share``. ``kept_on_failure`` keeps the rows then, as
    Snakemake deletes the outputs of a failed job.
    """
    files = {role: Path(files[role]) for role in ROW_NAMES if role in files}
    kept_on_failure = Path(kept_on_failure)
    heads = {role: check_is_text(files[role], ROW_NAMES[role]) for role in reversed(files)}  # check-ins first
    own = CsvLines(files["checkins"], heads["checkins"], settings or {}) if layout == "csv" else None
    kept_on_failure.unlink(missing_ok=True)  # of an earlier run
    with (
        moved_into_place(prepared_path) as prepared,
        moved_into_place(rejected_path) as rejected,
        tempfile.TemporaryDirectory() as folder,
        connect(temp_directory="") as connection,  # a table of places on the disk would not keep their order
        connect(temp_directory=folder, memory_limit=MEMORY, threads=2) as notes,
    ):
        reader = Reader(connection, notes, files, layout, rejected_share, kept_on_failure, block_bytes, own)
        try:
            summary = reader.write_checkins(prepared)
        except TooManyRejected:
            with moved_into_place(kept_on_failure) as kept:
                reader.write_rejected(kept)
            raise
        reader.write_rejected(rejected)
        write_csv({"quantity": summary.keys(), "value": summary.values()}, summary_path)
    return summary


def through_pipe(connection, statement, blocks, values=None):
    """Rows that a statement returns; the statement reads the blocks of bytes from ``<pipe>``."""
    reader, writer = os.pipe()

    def execute():
        try:
            text = statement.replace("<pipe>", f"/dev/fd/{reader}")
            return connection.cursor().execute(text, values).fetchall()
        finally:
            os.close(reader)  # after an error nothing reads the pipe: a write must fail, not wait forever

    with ThreadPoolExecutor(1) as pool:
        rows = pool.submit(execute)
        with contextlib.suppress(BrokenPipeError), open(writer, "wb") as handle:
            handle.writelines(blocks)
        return rows.result()


@contextlib.contextmanager
def one_ahead(blocks):
    """The same blocks, each prepared while the previous one is in use.

    The thread ends with the body. Garbage collection must not end it: while another thread starts, both would
    wait for one lock.
    """
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(next, blocks, None)

        def following():
            nonlocal coming
            while (block := coming.result()) is not None:
                coming = pool.submit(next, blocks, None)
                yield block

        yield following()


class Reader:
    """Read the files of one dataset in turn."""

    def __init__(self, connection, notes, files, layout, share, kept, block_bytes, own):
        self.connection, self.notes = connection, notes
        self.files, self.share, self.kept = files, share, kept
        self.layout_name, self.layout, self.block_bytes = layout, LAYOUTS[layout], block_bytes
        self.own = own  # how to read the lines of a CSV file
        self.rows_read = Counter()  # of each file
        self.kinds = {role: Counter() for role in files}  # of rejected rows
        notes.execute("CREATE TABLE rejected (role TEXT, line BIGINT, kind TEXT, reason TEXT, text TEXT)")

    def write_checkins(self, path):
        """Stream the check-ins into the Parquet file; return the summary."""
        cities, places = self.read_cities(), self.read_places()
        columns = {*self.layout.checkins, *(self.layout.places or ())}
        words = ("category_id", "category")
        parts = {name: f"coalesce({name}, '')" if name in columns else "''" for name in words}
        parts["offset"] = "offset_minutes" if "offset_minutes" in columns else SQL["nautical_zone"]
        source = self.source("checkins")
        parts["source"] = SQL["with_places"].format(source=source, key=hashed("venue")) if places else source
        statement = SQL["write_prepared"].format(path=literal(str(path)), row_group=ROW_GROUP, **parts)
        [(rows,)] = self.read("checkins", statement)
        if rows + self.kinds["checkins"].total() < self.rows_read["checkins"]:
            self.reject_late("checkins", "venue_unknown")
        rows_read, rejected = self.check_share("checkins")
        summary = {"rows_read": rows_read, "rows_prepared": rows, "rows_rejected": rejected}
        summary |= {f"rejected_{kind}": self.kinds["checkins"][kind] for kind in faulty_lines.KINDS}
        summary |= self.describe(path) | places | cities
        return summary | (self.nearest_cities(path) if cities else {})

    def read_cities(self):
        """Read the cities, if there are any; return their part of the summary."""
        if "cities" not in self.files:
            return {}
        self.read("cities", SQL["read_cities"].format(source=self.source("cities")))
        rows_read, rejected = self.check_share("cities")
        return {"cities": rows_read - rejected, "cities_rejected": rejected}

    def read_places(self):
        """Read the places, if there are any, each venue once; return their part of the summary."""
        if "places" not in self.files:
            return {}
        self.read("places", SQL["read_places"].format(source=self.source("places"), key=hashed("venue")))
        self.connection.execute(SQL["repeated"])
        differs = self.connection.execute("SELECT differs FROM repeated").fetchnumpy()["differs"]
        if differs.any():
            self.reject_late("places", "venue_repeated")
        self.connection.execute("DELETE FROM places WHERE line IN (SELECT line FROM repeated)")
        repeated = int(np.count_nonzero(~differs))
        rows_read, rejected = self.check_share("places")
        return {
            "places_read": rows_read, "places_kept": rows_read - rejected - repeated,
            "places_rejected": rejected, "places_repeated": repeated,
        }  # fmt: skip

    def source(self, role):
        """SQL for the usable rows of a file; an unusable row is NULL."""
        names, times = getattr(self.layout, role), faulty_lines.TIME_FORMATS
        columns = {"utc_time" if name in times else name: TYPES.get(name, "VARCHAR") for name in names}
        time = next((times[name] for name in names if name in times), "%Y")
        return read_sql(columns, time=time)

    def read(self, role, statement, note=True):
        """Rows that a statement returns when it reads a file; ``note`` says whether to record the unusable lines."""
        with one_ahead(self.blocks(role, note)) as blocks:
            return through_pipe(self.connection, statement, blocks)

    def blocks(self, role, note):
        """Blocks of a file in which unusable lines are empty; ``note`` says whether to record those."""
        names, files, before = getattr(self.layout, role), (self.files[role], ROW_NAMES[role]), 0
        zero = faulty_lines.ZERO_ZERO if self.layout.zero_is_no_place else ""
        good = {"good": faulty_lines.pattern(names), "zero": zero}
        header, shortest = (1, 6) if self.own else (0, faulty_lines.shortest_line(names))
        for block, total, left in line_blocks(*files, self.block_bytes):
            text, odd = clean(block)
            text, pairs = self.own.translated(text, before) if self.own else (text, {})
            faults = []  # line, kind, reason and text of each
            for number, line in through_pipe(self.connection, UNCERTAIN, [text], good):
                line = odd.get(number, line)
                shown, fault = pairs.get(number, (line, None))
                if fault := fault or faulty_lines.fault_of(line, names, self.layout.zero_is_no_place):
                    faults.append((before + number, *fault, shown))
            if faults:
                cut = text.split(b"\n")
                for number, *_ in faults:
                    cut[number - before - 1] = b"\t" * (len(names) - 1)
                text = b"\n".join(cut)
            if note:
                self.rows_read[role] = total - header
                self.reject(role, [fault for fault in faults if fault[0] > header])
                most = total - header + left // shortest
                if left and self.kinds[role].total() > self.share * most:
                    raise self.too_many(role, "Those read until then")
            yield text
            before = total

    def reject(self, role, faults):
        """Record unusable rows of a file: line, kind, reason and text of each."""
        if faults:
            rows = pd.DataFrame(faults, columns=["line", "kind", "reason", "text"])
            rows["text"] = rows["text"].map(faulty_lines.cell)
            self.kinds[role].update(rows["kind"])
            self.notes.register("rows", rows)
            self.notes.execute(f"INSERT INTO rejected SELECT '{role}', * FROM rows")

    def reject_late(self, role, kind):
        """Reject rows whose fault only a reading of the whole file finds: read it once more."""
        names = getattr(self.layout, role)
        parts = {"venue": names.index("venue") + 1, "condition": SQL[kind], "whole_lines": WHOLE_LINES}
        parts["key"] = hashed("venue")
        self.read(role, SQL["late"].format(**parts), note=False)
        cursor = self.connection.execute("SELECT line, text FROM late")
        while some := cursor.fetchmany(1 << 14):
            self.reject(role, [(line, kind, faulty_lines.reason(kind, text, names), text) for line, text in some])

    def describe(self, path):
        """Summary of the prepared rows: quantity -> value."""
        self.connection.execute("DROP TABLE IF EXISTS places")
        table, times = f"read_parquet({literal(str(path))})", faulty_lines.TIME_FORMATS
        columns = ", ".join("utc_time" if name in times else f'"{name}"' for name in self.layout.checkins)
        hashes = {"user": hashed('"user"'), "venue": hashed("venue")}
        cursor = self.notes.execute(SQL["summary"].format(columns=columns, table=table, **hashes))
        return dict(zip((name for name, *_ in cursor.description), cursor.fetchone(), strict=True))

    def nearest_cities(self, path):
        """Number of cities nearest to a place with check-ins, and the largest distance between the two."""
        visited = f"SELECT DISTINCT latitude, longitude FROM read_parquet({literal(str(path))})"
        cities, places = (
            np.column_stack(list(connection.execute(text).fetchnumpy().values()))
            for connection, text in ((self.connection, "FROM cities"), (self.notes, visited))
        )
        nearest, metres = earth.NearestPlaces(cities).query(places, workers=2)
        # rounded to a metre, as the last digits of a distance differ between machines
        farthest = round(float(metres.max()) / 1000, 3)
        return {"cities_visited": len(np.unique(nearest)), "farthest_from_city_km": farthest}

    def check_share(self, role):
        """Rows read and rejected; stop if the share of unusable rows is above the limit, or if all are."""
        rejected, rows_read = self.kinds[role].total(), self.rows_read[role]
        if not rows_read:
            raise InputError(f"{self.files[role]} has a line of names, and no {ROW_NAMES[role]} below it")
        if rejected > self.share * rows_read or rejected == rows_read:
            raise self.too_many(role, "All of them")
        return rows_read, rejected

    def too_many(self, role, noted):
        """The error for a share of unusable rows above the limit."""
        kinds, columns, rows_read = self.kinds[role], getattr(self.layout, role), self.rows_read[role]
        counts = ", ".join(f"{kind} {kinds[kind]}" for kind in faulty_lines.KINDS if kinds[kind])
        examples = f"FROM rejected WHERE role = '{role}' ORDER BY kind = 'venue_repeated', line LIMIT 3"
        examples = self.notes.execute(f"SELECT line, kind, left(text, 200) {examples}").fetchall()
        first = ", ".join(f"line {line} ({kind})" for line, kind, _ in examples)  # rows are personal data
        looks = not self.own and looks_separated(examples[0][2], "\t")
        hint = f"The first looks {looks}: use `layout: csv`, see docs/your_checkins.md. " if looks else ""
        form = f"{len(columns)} tab-separated columns: {', '.join(columns)}"
        form = "its keys are in docs/your_checkins.md" if self.own else form
        return TooManyRejected(
            f"{self.files[role]}: {kinds.total()} of {rows_read} rows "
            f"({100 * kinds.total() / rows_read:.2f} %) "
            f"cannot be used; the limit is {100 * self.share:g} % (limits.rejected_share). "
            f"By reason: {counts}. The first are {first}. "
            f"{noted}, with their texts and reasons, are in {self.kept}. "
            f"{hint}Check that the file has the layout '{self.layout_name}' ({form}), "
            "fix the rows, or raise the limit."
        )

    def write_rejected(self, path):
        """Write the rejected rows as CSV, with the file of each, or its role, if there are several."""
        names = {role: faulty_lines.cell(file.name) for role, file in self.files.items()}
        if len(set(names.values())) < len(names):
            names = {role: f"{role}: {name}" for role, name in names.items()}
        cursor = self.notes.execute(SQL["rejected"].format(roles=list(names)))
        with open(path, "w", encoding="utf-8", newline="") as handle:
            table, several = csv.writer(handle, lineterminator="\n"), len(names) > 1
            table.writerow((*(("file",) if several else ()), "line", "reason", "text"))
            while some := cursor.fetchmany(1 << 14):
                table.writerows((names[role], *row) if several else row for role, *row in some)


if __name__ == "__main__":
    with job(snakemake) as logger:
        params, output, entry = snakemake.params, snakemake.output, snakemake.params.entry
        kept_on_failure = Path(str(snakemake.log[0])).with_suffix(".rejected.csv")
        summary = prepare(
            dict(snakemake.input.items()), entry["layout"], output.prepared, output.rejected, output.summary,
            params.rejected_share, kept_on_failure, settings=entry,
        )  # fmt: skip
        for quantity, value in summary.items():
            if isinstance(value, int):  # others, such as the latest time, are those of one check-in
                logger.info("%s: %s", quantity, value)
