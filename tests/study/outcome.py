"""Prepare check-in files in a folder and look at what that left behind; shared by tests."""

import csv
import functools

from study.checkins.prepare import prepare
from study.workflow.parquet import connect, query, to_frame

# Names of the files by role: the check-ins' name is that of a single file, too.
NAMES = {"checkins": "checkins.txt", "places": "places.txt", "cities": "cities.txt"}


@functools.cache
def reader():
    """One connection for all tests: to open one takes longer than to read a small file."""
    return connect()


class Outcome:
    """What preparing files left behind.

    Parameters
    ----------
    folder : Path
        Where everything is written.
    content : bytes or dict
        Content of the check-in file, or of each file by its role.
    share : float
        The share of unusable rows that is put up with.
    layout : str
    **options
        Passed on to :func:`study.checkins.prepare.prepare`.
    """

    def __init__(self, folder, content, share=0.5, layout="tsmc2014", **options):
        folder.mkdir(parents=True, exist_ok=True)
        contents = content if isinstance(content, dict) else {"checkins": content}
        self.files = {role: folder / NAMES[role] for role in contents}
        for role, path in self.files.items():
            path.write_bytes(contents[role])
        self.kept = folder / "logs" / "city.rejected.csv"
        outputs = [folder / "out" / name for name in ("p.parquet", "r.csv", "s.csv")]
        self.prepared_path, self.rejected_path, self.summary_path = outputs
        self.summary = prepare(self.files, layout, *outputs, share, self.kept, **options)
        self.prepared = str(self.prepared_path)
        self.table = to_frame(reader().read_parquet(self.prepared))
        self.rejected = read_rejected(self.rejected_path)
        assert len(self.table) == self.summary["rows_prepared"]
        assert len(self.table) + self.summary["rows_rejected"] == self.summary["rows_read"]
        elsewhere = sum(self.summary.get(key, 0) for key in ("places_rejected", "cities_rejected"))
        assert len(self.rejected) == self.summary["rows_rejected"] + elsewhere

    def types(self):
        """Types of the columns of the Parquet file, as DuckDB names them."""
        columns = query("SELECT column_name, column_type FROM (DESCRIBE FROM read_parquet(?))", self.prepared)
        return dict(zip(*columns.values(), strict=True))

    def row_groups(self):
        """Rows of each row group of the Parquet file."""
        rows = "SELECT DISTINCT row_group_id, row_group_num_rows AS rows FROM parquet_metadata(?) ORDER BY 1"
        return query(rows, self.prepared)["rows"].tolist()

    def bytes(self):
        """Content of the three outputs."""
        paths = (self.prepared_path, self.rejected_path, self.summary_path)
        return [path.read_bytes() for path in paths]


def read_rejected(path):
    """Rows of a table of rejected rows, each as (line, reason, text) or (file, line, reason, text)."""
    with open(path, encoding="utf-8", newline="") as handle:
        lines = list(csv.reader(handle))
    assert lines[0] in (["line", "reason", "text"], ["file", "line", "reason", "text"])
    return [(*file, int(line), reason, text) for *file, line, reason, text in lines[1:]]


def joined(rows):
    """Rows as the text of a file."""
    return b"".join(line + b"\n" for line in rows)
