"""How a released cell is written, by its middle, and read: by the cell that contains a text."""

import functools
import re
from fractions import Fraction

import databases
import numpy as np
import pytest

from dirpriv import release
from dirpriv.release.files.atomic_output import Rows, appearing_together
from dirpriv.release.guarantee.column_cells import TimeCells
from dirpriv.release.release_arguments import TURN

SECONDS = {"24h": 86_400, "7d": 604_800, TURN: 360}  # of a turn; of headings degrees


def column_of(period, cells):
    if period == TURN:
        return release.HeadingColumn("a", 1e6, "45deg", cells)
    return release.TimeColumn("a", 1e6, "12h", cells, period)


@functools.cache
def exactly(text):
    """Seconds, or degrees, of a text that may be of any cell."""
    day, _, clock = text.rpartition(" ")
    hours, *rest = map(Fraction, clock.split(":"))
    minutes, seconds = [*rest, 0, 0][:2]
    first = 86_400 * "Mon Tue Wed Thu Fri Sat Sun".split().index(day or "Mon")
    return first + 3600 * hours + 60 * minutes + seconds if rest else hours


@pytest.mark.parametrize(
    ("period", "cells", "some", "middles", "others"),
    [
        ("24h", 24, [0, 13, 23], ["00:30", "13:30", "23:30"], ["24:00", "13:59:59.9999999999", "23:00:00"]),
        ("24h", 1440, [494, 495], ["08:14:30", "08:15:30"], ["08:14:59", "08:15"]),
        ("24h", 86400, [0, 29700], ["00:00:00.5", "08:15:00.5"], ["00:00:00", "08:15"]),
        ("7d", 168, [0, 167], ["Mon 00:30", "Sun 23:30"], ["Mon 00:00", "Sun 23:59"]),
        ("7d", 5, [0, 2, 4], ["Mon 16:48", "Thu 12:00", "Sun 07:12"], ["Tue 09:35", "Thu 00:00", "Sat 14:24"]),
        (TURN, 1440, [0, 33], ["0.125", "8.375"], ["0.00", "8.25"]),
        (TURN, 36, [0, 35], ["5", "355"], ["360", "350.0"]),
    ],
)
def test_a_cell_is_written_as_its_middle_and_read_from_any_text_in_it(period, cells, some, middles, others):
    column = column_of(period, cells)
    assert [column.label(cell) for cell in some] == middles
    assert column.cells_of(middles).tolist() == column.cells_of(others).tolist() == some
    for wrong in ("", "x", "25:00", "Mon 24:01", "Mo 08:00", "2024-01-01 08:00", "-0.1", "360.1", "nan", "08:15Z"):
        with pytest.raises(ValueError):
            column.cells_of([*middles, wrong])


@pytest.mark.parametrize("period", SECONDS)
def test_every_number_of_cells_has_exact_texts_as_short_as_can_be(period):
    """All texts of a column have the form of the first: half a cell, of which the others are multiples."""
    turn = SECONDS[period]
    counts = [count for count in range(2, 100_001) if turn * (1000 if period == TURN else 1) % count == 0]
    assert len(counts) > 80
    for count in counts:
        column, some = TimeCells("a", count, period), [0, 1, count // 2, count - 1]
        texts = [column.label(cell) for cell in some]
        assert [*map(exactly, texts)] == [(cell + Fraction(1, 2)) * turn / count for cell in some]
        assert column.cells_of(texts).tolist() == some
        assert len({(text.count(":"), len(text.partition(".")[2])) for text in texts}) == 1
        assert not re.search(r"\.\d*0$|:\d\d:00$", texts[0])


@pytest.mark.parametrize("cells", [24, 96, 1440, 14_400])
def test_the_mean_of_the_texts_of_a_uniform_hour_is_exact(cells):
    """Without a correction. The wrong variant has the starts of cells, as files had them."""
    hour = [f"13:{second // 60:02}:{second % 60:02}" for second in range(3600)]
    texts = release.times(hour, level=1e6, radius="12h", cells=cells)
    column = column_of("24h", cells)
    assert texts == [column.label(cell) for cell in column.cells_of(hour)]  # one spelling of columns and of files
    wrong = [column.read.spelled(2 * cell, 2) for cell in column.cells_of(hour).tolist()]
    means = [sum(map(exactly, each)) / 3600 for each in (texts, wrong)]
    assert release.times("08:15", level=1e6, radius="12h", cells=7) == "08:34:17.142857"  # no text is exact
    assert means == [Fraction(27, 2) * 3600, Fraction(27, 2) * 3600 - Fraction(43_200, cells)]


def test_parquet_has_the_same_middles(tmp_path):
    rows = Rows((column_of("24h", 86_400), column_of("7d", 168), column_of(TURN, 18_000)), [])
    rows.names = ["clock", "week", "wind"]
    cells = np.array([(29_700, 8, 1), (2**32 - 1,) * 3], dtype=[(str(i), np.uint32) for i in range(3)])
    with appearing_together(tmp_path / "a.parquet") as (hidden,):
        rows.write(iter([cells]), hidden, ".parquet")
    with databases.connection() as connection:
        found = connection.execute(f"SELECT typeof(COLUMNS(*)), CAST(COLUMNS(*) AS VARCHAR) FROM '{hidden.path}'")
        types = ("TIME", "VARCHAR", "DOUBLE")
        assert found.fetchall() == [(*types, "08:15:00.5", "Mon 08:30", "0.03"), (*types, None, None, None)]
