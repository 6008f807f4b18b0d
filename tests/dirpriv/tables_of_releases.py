"""Tables to release, and the folders of who holds them."""

import json
import os
import re
from pathlib import Path

import databases

from dirpriv import release
from dirpriv.release.ledger import ledger as _ledger

SURE = {"level": 1e6, "radius": "3h"}  # noise of less than a cell: what is released is the true cell
CITY = {"region_centre": (40.75, -73.98), "region_reach": "30km", "cell_size": "10m"}


class Holder:
    """Folders for the input, the output and the ledger."""

    def __init__(self, home):
        self.input, self.output = home / "input", home / "output"
        self.input.mkdir()
        self.output.mkdir()

    def csv(self, text, name="true.csv", encoding="utf-8"):
        path = self.input / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
        return path

    def column(self, values, name="arrival"):
        return self.csv("\n".join([name, *map(str, values)]) + "\n")

    def parquet(self, select, name="true.parquet"):
        path = self.input / name
        with databases.connection() as connection:
            connection.execute(f"COPY ({select}) TO '{path}' (FORMAT parquet)")
        return path

    def release(self, source, output="private.csv", **call):
        """Release a file of people who are in no other, if no dataset is named."""
        call.setdefault("other_people", "dataset" not in call)
        return release.file(source, self.output / output, **call)

    def released(self, output="private.csv"):
        """The rows of a released CSV below its names, as lists of texts: of minutes, without the half of one."""
        lines = (self.output / output).read_text().splitlines()
        return [[re.sub(r"(:\d\d):30$", r"\1", text) for text in line.split(",")] for line in lines[1:]]

    def outputs(self):
        return sorted(os.listdir(self.output))

    def ledger(self):
        path = Path(_ledger.folder()) / _ledger.NAME
        return json.loads(path.read_text())["releases"] if path.exists() else []


def new_holder(tmp_path, monkeypatch):
    """A fixture: a holder whose ledger is empty."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "user" / "configuration"))
    return Holder(tmp_path)
