"""Read check-in files of any size; write the usable rows as Parquet, and every other row with its reason.

Python unpacks the files, block by block, and looks at the few lines that may have a fault; all else is SQL
for DuckDB, which reads the usable lines through a pipe. It works on one thread, as several lose the order of
the rows; Python's thread, which prepares the next block meanwhile, keeps a second core at work.
"""

import contextlib
import csv
import os
import tempfile
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.spatial import cKDTree

from dirpriv.geography import EARTH_RADIUS, places_to_vectors
from study.checkins import lines
from study.checkins.layouts import ROW_NAMES, files_of, layout_of
from study.checkins.text import BLOCK_BYTES, LONGEST_LINE, check_is_text, clean, line_blocks
from study.core.job import InputError, job, moved_into_place, write_csv
from study.core.parquet import connect

ROW_GROUP = 1 << 17  # rows per Parquet row group, or a few more; whatever the blocks: same rows, same bytes
MEMORY = "500MB"  # for the summary; the rest goes to the disk
TYPES = dict.fromkeys(("latitude", "longitude"), "DOUBLE") | {"offset_minutes": "SMALLINT"}
TYPES |= dict.fromkeys(lines.TIME_FORMATS, "TIMESTAMP")
READ = (  # nothing is quoted or escaped
    "read_csv('<pipe>', columns = {columns}, delim = '{delimiter}', timestampformat = '{time}',"
    " header = false, quote = '', escape = '', comment = '', auto_detect = false, new_line = '\\n',"
    f" max_line_size = {4 * LONGEST_LINE}, buffer_size = {8 * LONGEST_LINE})"
)
WHOLE_LINES = (
    "(SELECT row_number() OVER () AS line, coalesce(text, '') AS text FROM "
    + READ.format(columns={"text": "VARCHAR"}, delimiter="\x1f", time="%Y")  # a byte that is in no line
    + ")"
)
UNCERTAIN = (
    f"SELECT line, text FROM {WHOLE_LINES} WHERE NOT regexp_full_match(text, $good)"
    " OR $zero <> '' AND regexp_matches(text, $zero)"
)
# A place is found by a 64-bit hash of its venue: among 4 million venues, two share one with probability 4e-7.
# They would be reported as one venue with two rows. Of several rows for one venue the first counts.
READ_PLACES = """
    CREATE TABLE places AS SELECT line, hash(venue) AS key,
        {{'latitude': latitude, 'longitude': longitude, 'category': coalesce(category, '')}} AS place
    FROM (SELECT row_number() OVER () AS line, * FROM {}) WHERE venue IS NOT NULL"""
READ_CITIES = "CREATE TABLE cities AS SELECT latitude, longitude FROM {} WHERE city IS NOT NULL"
REPEATED = """
    CREATE TABLE repeated AS SELECT further.line, further.place <> first.place AS differs
    FROM (SELECT key, min(line) AS line FROM places GROUP BY key HAVING count(*) > 1) AS one
    JOIN places AS first USING (line)
    JOIN places AS further ON further.key = one.key AND further.line > one.line"""
# A join would lose the order of the rows even on one thread; a subquery keeps it.
WITH_PLACES = """
    (SELECT * EXCLUDE place, unnest(place) FROM (
        SELECT *, (SELECT place FROM places WHERE places.key = visits.key) AS place
        FROM (SELECT *, hash(venue) AS key FROM {}) AS visits
    ) WHERE place IS NOT NULL)"""
# Where the file has no offset (Gowalla, Brightkite), none is known. It is then the nautical time zone of the
# longitude, rounded to the hour: within an hour of civil time for most people, more in summer and in
# countries with one wide zone.
NAUTICAL_ZONE = "CAST(60 * round_even(longitude / 15, 0) AS SMALLINT)"
WRITE_PREPARED = """
    COPY (
        SELECT * REPLACE (make_timestamptz(epoch_us(utc_time)) AS utc_time),
            utc_time + to_minutes(offset_minutes) AS local_time
        FROM (SELECT "user", venue, {category_id} AS category_id, {category} AS category, latitude, longitude,
                  {offset} AS offset_minutes, utc_time FROM {source} WHERE venue IS NOT NULL)
    ) TO '{path}' (FORMAT parquet, PARQUET_VERSION v2, COMPRESSION zstd, COMPRESSION_LEVEL 1,
        DICTIONARY_SIZE_LIMIT 1000, ROW_GROUP_SIZE {row_group})"""
# Faults that show only when the whole file is read. Lines that have another fault are empty here.
LATE = (
    "CREATE OR REPLACE TABLE late AS SELECT line, text FROM (SELECT *, string_split(text, '\t')[{venue}] AS"
    " venue, hash(venue) AS key FROM <lines>) WHERE venue <> '' AND {condition}"
)
LATE_FAULTS = {
    "venue_repeated": "line IN (SELECT line FROM repeated WHERE differs)",
    "venue_unknown": "key NOT IN (SELECT key FROM places)",
}
REJECTED = """
    SELECT role, line, reason, text FROM rejected
    ORDER BY list_position({}, role), kind = 'venue_repeated', line"""
SUMMARY = {
    "categories": "count(DISTINCT nullif(category, ''))",  # an empty category is none
    "first_local_time": "min(local_time)", "last_local_time": "max(local_time)",
    "latitude_min": "min(latitude)", "latitude_max": "max(latitude)",
    "longitude_min": "min(longitude)", "longitude_max": "max(longitude)",
}  # fmt: skip
HASHED = 1 << 25  # rows whose hashes are held at a time


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
        moved_into_place(prepared_path) as prepared,
        moved_into_place(rejected_path) as rejected,
        tempfile.TemporaryDirectory() as folder,
        connect(temp_directory="") as connection,  # a table of places on the disk would lose their order
        connect(temp_directory=folder, memory_limit=MEMORY, threads=2) as notes,
    ):
        reader = Reader(connection, notes, files, layout, rejected_share, kept_on_failure, block_bytes)
        try:
            summary = reader.write_checkins(prepared)
        except TooManyRejected:
            with moved_into_place(kept_on_failure) as kept:
                reader.write_rejected(kept)
            raise
        reader.write_rejected(rejected)
        write_csv(pd.DataFrame({"quantity": summary.keys(), "value": summary.values()}), summary_path)
    return summary


def through_pipe(connection, statement, blocks, values=None):
    """Rows that a statement gives, which reads blocks of bytes at ``<pipe>``."""
    reader, writer = os.pipe()

    def execute():
        try:
            text = statement.replace("<pipe>", f"/dev/fd/{reader}")
            return connection.cursor().execute(text, values).fetchall()
        finally:
            os.close(reader)  # after an error nobody reads on: a write then fails rather than waits for ever

    with ThreadPoolExecutor(1) as pool:
        rows = pool.submit(execute)
        with contextlib.suppress(BrokenPipeError), open(writer, "wb") as handle:
            for block in blocks:
                handle.write(block)
        return rows.result()


def one_ahead(blocks):
    """The same blocks, each made while the one before it is used."""
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(next, blocks, None)
        while (block := coming.result()) is not None:
            coming = pool.submit(next, blocks, None)
            yield block


class Reader:
    """Read the files of one dataset, one after the other."""

    def __init__(self, connection, notes, files, layout, share, kept, block_bytes):
        self.connection, self.notes = connection, notes
        self.files, self.share, self.kept = files, share, kept
        self.layout_name, self.layout, self.block_bytes = layout, layout_of(layout), block_bytes
        self.rows_read = Counter()  # of each file
        self.kinds = {role: Counter() for role in files}  # of rejected rows
        notes.execute("CREATE TABLE rejected (role TEXT, line BIGINT, kind TEXT, reason TEXT, text TEXT)")

    def write_checkins(self, path):
        """Stream the check-ins into the Parquet file; return the summary."""
        cities, places = self.read_cities(), self.read_places()
        known = {*self.layout.checkins, *(self.layout.places or ())}
        words = ("category_id", "category")
        parts = {name: f"coalesce({name}, '')" if name in known else "''" for name in words}
        parts["offset"] = "offset_minutes" if "offset_minutes" in known else NAUTICAL_ZONE
        parts["source"] = WITH_PLACES.format(self.source("checkins")) if places else self.source("checkins")
        statement = WRITE_PREPARED.format(path=quoted(path), row_group=ROW_GROUP, **parts)
        [(rows,)] = self.read("checkins", statement)
        if rows + self.kinds["checkins"].total() < self.rows_read["checkins"]:
            self.reject_late("checkins", "venue_unknown")
        rows_read, rejected = self.check_share("checkins")
        summary = {"rows_read": rows_read, "rows_prepared": rows, "rows_rejected": rejected}
        summary |= {f"rejected_{kind}": self.kinds["checkins"][kind] for kind in lines.KINDS}
        summary |= self.describe(path, rows) | places | cities
        return summary | (self.nearest_cities(path) if cities else {})

    def read_cities(self):
        """Read the cities, if there are any; their part of the summary."""
        if "cities" not in self.files:
            return {}
        self.read("cities", READ_CITIES.format(self.source("cities")))
        rows_read, rejected = self.check_share("cities")
        return {"cities": rows_read - rejected, "cities_rejected": rejected}

    def read_places(self):
        """Read the places, if there are any, each venue once; their part of the summary."""
        if "places" not in self.files:
            return {}
        self.read("places", READ_PLACES.format(self.source("places")))
        self.connection.execute(REPEATED)
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
        """SQL of the usable rows of a file; a row that cannot be used is NULL."""
        names, times = getattr(self.layout, role), lines.TIME_FORMATS
        columns = {"utc_time" if name in times else name: TYPES.get(name, "VARCHAR") for name in names}
        time = next((times[name] for name in names if name in times), "%Y")
        return READ.format(columns=columns, delimiter="\t", time=time)

    def read(self, role, statement):
        """Rows that a statement gives which reads a file; note what cannot be used."""
        return through_pipe(self.connection, statement, one_ahead(self.blocks(role)))

    def blocks(self, role, note=True):
        """Blocks of a file in which the lines that cannot be used are empty; ``note`` these."""
        names, files, before = getattr(self.layout, role), (self.files[role], ROW_NAMES[role]), 0
        zero = lines.ZERO_ZERO if self.layout.zero_is_no_place else ""
        good = {"good": lines.pattern(names), "zero": zero}
        for block, total, left in line_blocks(*files, self.block_bytes):
            text, odd = clean(block)
            faults = []  # line, kind, reason and text of each
            for number, line in through_pipe(self.connection, UNCERTAIN, [text], good):
                line = odd.get(number, line)
                if fault := lines.fault_of(line, names, self.layout.zero_is_no_place):
                    faults.append((before + number, *fault, line))
            if faults:
                cut = text.split(b"\n")
                for number, *_ in faults:
                    cut[number - before - 1] = b"\t" * (len(names) - 1)
                text = b"\n".join(cut)
            if note:
                self.rows_read[role] = total
                self.reject(role, faults)
                most = total + left // lines.shortest_line(names)
                if left and self.kinds[role].total() > self.share * most:
                    raise self.too_many(role, "Those read until then")
            yield text
            before = total

    def reject(self, role, faults):
        """Note rows of a file that cannot be used: line, kind, reason and text of each."""
        if faults:
            rows = pd.DataFrame(faults, columns=["line", "kind", "reason", "text"])
            rows["text"] = rows["text"].map(lines.escape)
            self.kinds[role].update(rows["kind"])
            self.notes.register("rows", rows)
            self.notes.execute(f"INSERT INTO rejected SELECT '{role}', * FROM rows")

    def reject_late(self, role, kind):
        """Reject rows whose fault shows only when the whole file is read: read it once more."""
        names = getattr(self.layout, role)
        statement = LATE.format(venue=names.index("venue") + 1, condition=LATE_FAULTS[kind])
        statement = statement.replace("<lines>", WHOLE_LINES)
        through_pipe(self.connection, statement, one_ahead(self.blocks(role, note=False)))
        cursor = self.connection.execute("SELECT line, text FROM late")
        while some := cursor.fetchmany(1 << 14):
            self.reject(role, [(line, kind, lines.reason(kind, text, names), text) for line, text in some])

    def describe(self, path, rows):
        """What the prepared rows are like: quantity -> value."""
        self.connection.execute("DROP TABLE IF EXISTS places")
        table, times = f"read_parquet('{quoted(path)}')", lines.TIME_FORMATS
        columns = ", ".join("utc_time" if name in times else f'"{name}"' for name in self.layout.checkins)
        summary = {"duplicates": rows - self.different(columns, table, rows)}
        summary |= {"users": self.different('"user"', table, rows)}
        summary |= {"venues": self.different("venue", table, rows)}
        [values] = self.notes.execute(f"SELECT {', '.join(SUMMARY.values())} FROM {table}").fetchall()
        return summary | dict(zip(SUMMARY, values, strict=True))

    def different(self, columns, table, rows):
        """How many different values there are in columns of a table.

        They are told apart by 64-bit hashes: of 33 million, two share one with probability 3e-5. Each pass
        takes those of one residue class, as memory is bounded.
        """
        different, passes = 0, rows // HASHED + 1
        for residue in range(passes):
            some = f"WHERE hash % {passes} = {residue}" if passes > 1 else ""
            hashes = self.notes.execute(f"SELECT hash({columns}) AS hash FROM {table} {some}").fetchnumpy()
            hashes = np.sort(hashes["hash"])
            different += int(np.count_nonzero(hashes[1:] != hashes[:-1])) + (len(hashes) > 0)
        return different

    def nearest_cities(self, path):
        """How many cities the places with check-ins lie next to, and how far from them they are at most."""
        visited = f"SELECT DISTINCT latitude, longitude FROM read_parquet('{quoted(path)}')"
        cities, places = (
            places_to_vectors(np.column_stack(list(connection.execute(text).fetchnumpy().values())))
            for connection, text in ((self.connection, "FROM cities"), (self.notes, visited))
        )
        chord, nearest = cKDTree(cities).query(places, workers=2)
        # rounded to a metre, as the last digits of a chord are not the same on every machine
        farthest = round(2 * np.arcsin(min(chord.max() / 2, 1.0)) * EARTH_RADIUS / 1000, 3)
        return {"cities_visited": len(np.unique(nearest)), "farthest_from_city_km": float(farthest)}

    def check_share(self, role):
        """Rows read and rejected; stop if more cannot be used than is put up with, or if none can be."""
        rejected, rows_read = self.kinds[role].total(), self.rows_read[role]
        if rejected > self.share * rows_read or rejected == rows_read:
            raise self.too_many(role, "All of them")
        return rows_read, rejected

    def too_many(self, role, noted):
        """The error that more rows of a file cannot be used than is put up with."""
        kinds, columns, rows_read = self.kinds[role], getattr(self.layout, role), self.rows_read[role]
        counts = ", ".join(f"{kind} {kinds[kind]}" for kind in lines.KINDS if kinds[kind])
        examples = f"FROM rejected WHERE role = '{role}' ORDER BY kind = 'venue_repeated', line LIMIT 3"
        examples = self.notes.execute(f"SELECT line, reason, left(text, 200) {examples}").fetchall()
        first = "".join(f"\n  line {line}: {reason}: {text}" for line, reason, text in examples)
        return TooManyRejected(
            f"{self.files[role]}: {kinds.total()} of {rows_read} rows "
            f"({100 * kinds.total() / rows_read:.2f} %) "
            f"cannot be used; the limit is {100 * self.share:g} % (limits.rejected_share). "
            f"By reason: {counts}. The first:{first}\n"
            f"{noted}, with their reasons, are in {self.kept}. "
            f"Check that the file has the layout '{self.layout_name}' ({len(columns)} tab-separated columns: "
            f"{', '.join(columns)}), mend the rows, or raise the limit."
        )

    def write_rejected(self, path):
        """Write the rejected rows as CSV.

        The table has a column ``file`` if there are several files. It holds their names, and their roles
        before them if two names are the same.
        """
        names = {role: file.name for role, file in self.files.items()}
        if len(set(names.values())) < len(names):
            names = {role: f"{role}: {name}" for role, name in names.items()}
        cursor = self.notes.execute(REJECTED.format(list(names)))
        with open(path, "w", encoding="utf-8", newline="") as handle:
            table, several = csv.writer(handle, lineterminator="\n"), len(names) > 1
            table.writerow((*(("file",) if several else ()), "line", "reason", "text"))
            while some := cursor.fetchmany(1 << 14):
                table.writerows((names[role], *row) if several else row for role, *row in some)


def quoted(path):
    """A path as it stands between quotes in SQL."""
    return str(path).replace("'", "''")


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
