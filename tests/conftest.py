"""What tests in all folders share."""

import functools
import json
import shutil

import pytest
from browser import headless_browser
from checkouts import LEFT_OUT, NEEDED, ROOT, Checkout, shared

from dirpriv.laws import _losses


@pytest.fixture(scope="session")
def browser():
    """The command of a browser without a window and without a network; skips or fails where there is none."""
    return headless_browser()


@pytest.fixture(scope="session")
def project(tmp_path_factory):
    """A copy of the project, in which nothing has run; not to be altered."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "source").mkdir()
    for name in NEEDED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / "source" / name, ignore=LEFT_OUT)
        else:
            shutil.copy2(ROOT / name, folder / "source" / name)
    return Checkout(folder / "source", folder / "run")


@pytest.fixture(scope="session")
def smoke_run(project, tmp_path_factory):
    """The finished smoke run; not to be altered.

    The source has results of its own, which the run must leave alone.
    """

    def make(folder):
        copied = project.copy(folder)
        tables = "results/circular_mean/circular_mean.csv", "figures/survey_size.png"
        names = *tables, "data/generated/city.txt.gz"
        for name in names:
            path = copied.source / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("of the study at full size", encoding="utf-8")
        run = Checkout(copied.source, copied.directory, ("config/smoke.yaml",))
        output = run.snakemake("--cores", "2")
        (folder / "output.txt").write_text(output, encoding="utf-8")
        rows = run.copy(folder / "copy").plan().rows
        (folder / "plan.json").write_text(json.dumps(rows), encoding="utf-8")
        return run

    return shared(tmp_path_factory, "smoke_run", make)


@pytest.fixture(scope="module")
def same_cells_once():
    """Cells of outputs depend on law and distance alone; those of the last few cases are kept."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(_losses, "loss_cells", functools.lru_cache(8)(_losses.loss_cells))
        yield
