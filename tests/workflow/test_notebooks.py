"""Every notebook is stored without output, and runs on the results of the smoke run."""

import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from study.core.catalogue import CATALOGUE

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))
FIRST_LOOK = next(path for path in NOTEBOOKS if path.stem == "first_look")

each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def read(path):
    return nbformat.read(path, as_version=4)


def execute(path, folder):
    """Run a notebook in a folder of its own; return it with its outputs."""
    notebook = read(path)
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(folder)}}).execute()
    return notebook


@each_notebook
def test_a_notebook_is_stored_without_output(path):
    notebook = read(path)
    nbformat.validate(notebook)
    assert notebook.metadata.kernelspec.name == "python3"
    for cell in notebook.cells:
        assert not cell.get("outputs"), f"cell {cell.id} is stored with its output"
        assert cell.get("execution_count") is None, f"cell {cell.id} is stored with its number"
        assert not cell.metadata, f"cell {cell.id} is stored with {dict(cell.metadata)}"


@each_notebook
def test_a_notebook_draws_in_the_colours_of_the_study(path):
    colours = set(re.findall("#[0-9a-f]{6}", path.read_text(encoding="utf-8")))
    assert colours and colours <= {row.colour for row in CATALOGUE.values()}


@pytest.fixture(scope="module")
def executed(smoke_run, tmp_path_factory):
    """Every notebook with its outputs, by its path."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DIRPRIV_RESULTS", str(smoke_run.directory / "results"))
        return {path: execute(path, tmp_path_factory.mktemp(path.stem)) for path in NOTEBOOKS}


@each_notebook
def test_a_notebook_runs_on_the_smoke_results(path, executed):
    outputs = [output for cell in executed[path].cells for output in cell.get("outputs", [])]
    # a warning would be the first thing that a newcomer sees
    assert [output.text for output in outputs if output.get("name") == "stderr"] == []
    assert any("image/png" in output.get("data", {}) for output in outputs)


def test_first_look_shows_what_it_promises(executed):
    cells = {cell.id: cell for cell in executed[FIRST_LOOK].cells}
    lines = [line for line in cells["private-mean"].source.splitlines() if line]
    assert len(lines) <= 10
    assert "expected error" in cells["private-mean"].outputs[0].text
    for name in ("clock", "redraw"):
        assert [output for output in cells[name].outputs if "image/png" in output.get("data", {})], name
    table = cells["survey-sizes"].outputs[-1].data["text/plain"]
    assert "purkayastha" in table and "one_direction" in table


def test_first_look_says_how_to_get_missing_results(tmp_path, monkeypatch):
    monkeypatch.setenv("DIRPRIV_RESULTS", str(tmp_path / "none"))
    with pytest.raises(CellExecutionError, match="run `make results`"):
        execute(FIRST_LOOK, tmp_path)
