"""What every job does around its functions: tables as files."""

import numpy as np
import pandas as pd
import pytest

from study.workflow.job import write_csv, write_rows, write_tables

ROWS = [
    {"name": "a, b", "count": 3, "value": np.float64(0.1), "low": np.nan, "seen": True},
    {"name": "", "count": np.int64(4), "value": 1e-5, "low": float("-inf"), "seen": np.bool_(False)},
]


def test_rows_and_a_data_frame_of_them_are_the_same_file(tmp_path):
    write_rows(ROWS, tmp_path / "rows.csv")
    write_csv(pd.DataFrame(ROWS), tmp_path / "table.csv")
    assert (tmp_path / "rows.csv").read_bytes() == (tmp_path / "table.csv").read_bytes()


def test_tables_are_written_to_the_outputs_of_their_names(tmp_path):
    """A data frame and the rows of it; exchanged, they are the other's."""
    output = {name: tmp_path / f"{name}.csv" for name in ("table", "rows", "first")}
    write_tables(output, table=pd.DataFrame(ROWS), rows=iter(ROWS), first=ROWS[:1])
    table, rows, first = (output[name].read_bytes() for name in ("table", "rows", "first"))
    assert table == rows != first and rows.startswith(first)


def test_no_rows_have_columns(tmp_path):
    write_rows([], tmp_path / "rows.csv", ["name", "value"])
    assert (tmp_path / "rows.csv").read_text() == "name,value\n"


def test_rows_of_different_columns_are_refused_and_leave_nothing(tmp_path):
    with pytest.raises(ValueError, match="more"):
        write_rows([{"name": "a"}, {"name": "b", "more": 1}], tmp_path / "rows.csv")
    assert not list(tmp_path.iterdir())
