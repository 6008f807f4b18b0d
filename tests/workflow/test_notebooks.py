"""The notebooks are stored without output, need nothing of the study, and run.

Those of the library need two of its extras. They are executed where nothing else of the project can be
imported or read. The one about the study reads tables of results, here those of the smoke run.
"""

import ast
import contextlib
import importlib
import re
import subprocess
import sys
import tomllib
import types
from pathlib import Path

import pytest

from study.workflow.mechanism_catalogue import CATALOGUE

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = {path.stem: path for path in sorted((ROOT / "notebooks").glob("*.ipynb"))}
LIBRARY = [name for name in NOTEBOOKS if name != "study_results"]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

# what other extras bring, except what a kernel needs itself
REFUSED = "jinja2 mpmath numba ot polars pooch pydantic pyarrow seaborn snakemake study threadpoolctl yaml"
BLOCK = f"""
import sys
class Block:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {REFUSED.split()}:
            raise ModuleNotFoundError(f"{{name}} is blocked", name=name)
sys.meta_path.insert(0, Block())
"""

each_notebook = pytest.mark.parametrize("name", NOTEBOOKS)


def read(name):
    import nbformat  # takes a second, which each process would spend when it collects the tests

    return nbformat.read(NOTEBOOKS[name], as_version=4)


def code(notebook):
    """The sources of the cells of code, by their ids."""
    return {cell.id: cell.source for cell in notebook.cells if cell.cell_type == "code"}


def execute(name, folder, first="", last=""):
    """Run a notebook in a folder, between two cells that are not part of it; return its outputs by cell."""
    import nbformat
    from nbclient import NotebookClient

    notebook = read(name)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(first))
    notebook.cells.append(nbformat.v4.new_code_cell(last, id="last"))
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(folder)}}).execute()
    return {cell.id: cell.outputs for cell in notebook.cells[1:] if cell.cell_type == "code"}


def check(name, outputs):
    """Nothing goes to the error stream, where a newcomer would see it first; what draws shows a picture."""
    assert [o.text for found in outputs.values() for o in found if o.get("name") == "stderr"] == []
    drawn = {cell for cell, found in outputs.items() if any("image/png" in o.get("data", {}) for o in found)}
    assert drawn and drawn == {cell for cell, source in code(read(name)).items() if "plt.show()" in source}


@each_notebook
def test_a_notebook_is_stored_without_output(name):
    import nbformat

    notebook = read(name)
    nbformat.validate(notebook)
    assert notebook.metadata.kernelspec.name == "python3"
    for cell in notebook.cells:
        assert not cell.get("outputs"), f"cell {cell.id} is stored with its output"
        assert cell.get("execution_count") is None, f"cell {cell.id} is stored with its number"
        extra = set(cell.metadata) - {"tags", "jupyter", "mystnb"}
        assert not extra, f"cell {cell.id} is stored with {extra}"


def hidden(cell):
    """Whether the code of a cell is folded, in the documentation and in JupyterLab."""
    tagged = "hide-input" in cell.metadata.get("tags", [])
    assert tagged == cell.metadata.get("jupyter", {}).get("source_hidden", False), cell.id
    return tagged


@each_notebook
def test_what_draws_is_shown_and_has_a_text_for_who_cannot_see_it(name):
    """Of the code, only colours are folded."""
    cells = [cell for cell in read(name).cells if cell.cell_type == "code"]
    for cell in cells:
        drawn, coloured = "plt.show()" in cell.source, "COLOURS = " in cell.source
        assert hidden(cell) == coloured, cell.id
        alternative = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
        assert (len(alternative) > 60) == drawn, cell.id


@each_notebook
def test_a_notebook_says_what_one_learns_and_ends_with_exercises_and_their_solutions(name):
    texts = [cell.source for cell in read(name).cells if cell.cell_type == "markdown"]
    assert texts[0].startswith("# ") and "\nYou learn\n" in texts[0]
    tasks, solutions = texts[-1].partition("## Try\n")[2].split("## Solutions\n")
    numbers = [re.findall(r"^\d\. ", part, flags=re.M) for part in (tasks, solutions)]
    assert numbers[0] == numbers[1] != []


def wrong_colours(text):
    """Colours that are not those of the study: at the name of another mechanism, or at none."""
    named = dict(re.findall(r'"(\w+)": "(#[0-9a-f]{6}|0\.\d+)"', text.replace(r"\"", '"')))
    known = {row.colour for row in CATALOGUE.values()}
    wrong = {name for name, colour in named.items() if name in CATALOGUE and CATALOGUE[name].colour != colour}
    return wrong | set(re.findall("#[0-9a-f]{6}", text)) - known


@each_notebook
def test_a_mechanism_has_the_colour_of_the_study(name):
    text = NOTEBOOKS[name].read_text(encoding="utf-8")
    assert wrong_colours(text) == set()
    ours = CATALOGUE["purkayastha" if name != "rotations" else "rotation_laplace"].colour
    other = CATALOGUE["polar_laplace"].colour
    assert ours in text
    assert wrong_colours(text.replace(ours, other)) and wrong_colours(text.replace(ours, "#123456"))


WITH_PAPERS = ["rotations"]
"""Notebooks that import the papers' own forms from the study, and say so."""


def imports(notebook):
    """The packages that the cells of a notebook import."""
    for source in code(notebook).values():
        for node in ast.walk(ast.parse(re.sub(r"^%.*", "", source, flags=re.M))):
            if isinstance(node, ast.Import):
                yield from (alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield node.module.partition(".")[0]


@each_notebook
def test_a_notebook_imports_what_its_installation_brings(name):
    import nbformat

    extras = PROJECT["optional-dependencies"]
    asked = [*PROJECT["dependencies"], *extras["tables"], *extras["pictures"]]
    allowed = {"dirpriv"} | {re.match(r"\w+", requirement)[0] for requirement in asked}
    of_study = {"study"} if name in WITH_PAPERS else set()
    assert set(imports(read(name))) - allowed - sys.stdlib_module_names == of_study
    wrong = read(name)
    wrong.cells.append(nbformat.v4.new_code_cell("%pwd\nfrom study.workflow import mechanism_catalogue"))
    assert set(imports(wrong)) - allowed - sys.stdlib_module_names == {"study"}


def missing(cells):
    """What is asked of modules of dirpriv and of the study, and is not there."""
    tree = ast.parse("\n".join(re.sub(r"^[%!].*", "", source, flags=re.M) for source in cells))
    modules = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module.partition(".")[0] in ("dirpriv", "study"):
            module = importlib.import_module(node.module)
            for name in node.names:
                with contextlib.suppress(ModuleNotFoundError):  # it may be a module, or a name of one
                    importlib.import_module(f"{node.module}.{name.name}")
            found = {name.asname or name.name: getattr(module, name.name, None) for name in node.names}
            modules |= {name: value for name, value in found.items() if isinstance(value, types.ModuleType)}
            yield from (name for name, value in found.items() if value is None)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            if not hasattr(modules[node.value.id], node.attr):
                yield node.attr


@each_notebook
def test_what_a_notebook_asks_of_a_module_is_there(name):
    cells = list(code(read(name)).values())
    assert list(missing(cells)) == []
    wrong = "from study.papers import rotations as printed\nprinted.printed_kernel(1.0)\nfrom dirpriv import estimator"
    assert list(missing([*cells, wrong])) == ["estimator", "printed_kernel"]


def test_the_block_refuses_the_study():
    for first, status in ((BLOCK, 1), ("", 0)):
        command = [sys.executable, "-c", f"{first}\nimport study"]
        done = subprocess.run(command, capture_output=True, encoding="utf-8")
        assert done.returncode == status and ("study is blocked" in done.stderr) == bool(first)


SHOWN = """
usual = {True: "distribution-free", False: ""}  # bands have no other kind
kinds = {str(getattr(one, "intervals", usual[hasattr(one, "low_everywhere")])) for one in list(globals().values())}
print(*sorted(kinds & {"distribution-free", "smooth"}))
"""
"""The kinds of intervals of all estimates that a notebook has made."""
DESCRIBED = {
    "distribution-free": r"(intervals|bands) hold for (every|all)\b",
    "smooth": r"intervals assume (that [^.]*|a )smooth",
}
"""What the prose says of intervals of each kind."""


def described(notebook):
    """The kinds of intervals that the prose says are shown."""
    text = " ".join(" ".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown").split())
    return [kind for kind, words in DESCRIBED.items() if re.search(words, text)]


def test_prose_on_intervals_of_another_kind_is_seen():
    notebook = read("first_look")
    assert described(notebook) == ["distribution-free"]
    (cell,) = (cell for cell in notebook.cells if cell.id == "drawn")
    cell.source = "Its 95 % intervals assume a smooth\nday."
    assert described(notebook) == ["smooth"]


def test_the_prose_states_the_widths_of_its_intervals(monkeypatch):
    """Within 4.5 standard deviations of their own: 10 % at level 0.3, 5 % at level 1. There, 16 minutes are refused."""
    monkeypatch.setenv("MPLBACKEND", "agg")
    notebook, names = read("first_look"), {}
    cells, solutions = code(notebook), notebook.cells[-1].source
    stated = re.search(r"some (\d+) minutes to each side instead of (\d+)", solutions)
    for name in ("imports", "day", "people"):
        exec(cells[name], names)
    for level, minutes, spread in zip((0.3, 1.0), map(float, stated.groups()), (0.45, 0.22), strict=True):
        names["day"] = names["release"].CircleRelease.within(level, "3h")
        exec(cells["private-mean"].replace("level=1.0", f"level={level}"), names)
        width = (names["mean"].high - names["mean"].low) % names["geometry"].TURN
        half = 30.0 * names["geometry"].angles_to_hours(width)
        assert minutes == pytest.approx(half, rel=spread) and (level < 1.0 or half != pytest.approx(16.0, rel=spread))


@pytest.mark.sweep  # the documentation runs all, too
@pytest.mark.parametrize("name", LIBRARY)
def test_a_notebook_runs_without_the_study(name, tmp_path, monkeypatch):
    (tmp_path / "project/notebooks").mkdir(parents=True)
    (tmp_path / "project/examples").symlink_to(ROOT / "examples")
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    monkeypatch.delenv("DIRPRIV_RESULTS", raising=False)
    outputs = execute(name, tmp_path / "project/notebooks", "" if name in WITH_PAPERS else BLOCK, SHOWN)
    assert described(read(name)) == outputs.pop("last")[0].text.split()
    check(name, outputs)
    if name == "your_own_data":
        assert "was released before" in outputs["twice"][0].text
        assert [p.name for p in (tmp_path / "temporary").iterdir() if "ipykernel" not in p.name] == []
    # the memory of the user's own releases is not touched
    assert not (tmp_path / "settings/dirpriv").exists()


def test_the_results_of_the_smoke_run_are_shown(smoke_run, tmp_path, monkeypatch):
    monkeypatch.setenv("DIRPRIV_RESULTS", str(smoke_run.directory / "results"))
    outputs = execute("study_results", tmp_path, BLOCK)
    check("study_results", outputs)
    assert "small grids" in outputs["read"][0].text
    assert "purkayastha" in outputs["sizes"][0].data["text/plain"]


def test_missing_results_are_named_with_the_remedy(tmp_path, monkeypatch):
    monkeypatch.setenv("DIRPRIV_RESULTS", str(tmp_path / "none"))
    cells = code(read("study_results"))
    names = {}
    exec("import os\nfrom pathlib import Path", names)
    with pytest.raises(FileNotFoundError, match="run `make results`"):
        exec(cells["read"], names)
