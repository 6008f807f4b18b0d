"""The provenance record: what it holds, what it leaves out, and that it is the same bytes every time."""

import json
import os
import platform
import subprocess
import textwrap
from pathlib import Path

import pytest
import yaml
from jinja2 import Environment

from study.provenance.collect import caption, direct_dependencies, git_state, installed_versions, write_provenance

ROOT = Path(__file__).resolve().parents[2]
CLEAN = {"commit": "0" * 40, "uncommitted_changes": False}


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A git checkout with one commit, untouched by the settings of whoever runs the tests."""
    for name in list(os.environ):
        if name.startswith("GIT_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    (tmp_path / "file.txt").write_text("one\n", encoding="utf-8")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", "file.txt")
    commit(tmp_path)
    return tmp_path


def git(folder, *arguments):
    return subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def commit(folder):
    identity = ["-c", "user.name=test", "-c", "user.email=test@example.invalid"]
    git(folder, *identity, "commit", "--quiet", "--all", "--message", "A commit")


def test_a_clean_checkout(checkout):
    state = git_state(checkout)
    assert state == {"commit": git(checkout, "rev-parse", "HEAD"), "uncommitted_changes": False}
    assert len(state["commit"]) == 40


@pytest.mark.parametrize("name", ["file.txt", "new.txt"])
def test_uncommitted_changes(checkout, name):
    (checkout / name).write_text("two\n", encoding="utf-8")
    before = git_state(checkout)
    assert before["uncommitted_changes"] is True
    git(checkout, "add", ".")
    commit(checkout)
    after = git_state(checkout)
    assert after["uncommitted_changes"] is False
    assert after["commit"] != before["commit"]


def edit(folder):
    (folder / "file.txt").write_text("two\n", encoding="utf-8")


def add(folder):
    (folder / "new.txt").write_text("two\n", encoding="utf-8")


def stage_a_commit_of_another_name(folder):
    """A replacement of the commit, which git shows in its place."""
    before = git(folder, "rev-parse", "HEAD")
    edit(folder)
    commit(folder)
    after = git(folder, "rev-parse", "HEAD")
    git(folder, "reset", "--quiet", "--soft", before)
    git(folder, "replace", before, after)


def hidden_by_a_filter(folder):
    (folder / ".git/info/attributes").write_text("*.txt filter=old\n")
    git(folder, "config", "filter.old.clean", "echo one")
    git(folder, "update-index", "--refresh")
    edit(folder)


HIDDEN = {  # what is changed, what hides it, and variables of the environment
    "assume unchanged": (edit, ["update-index", "--assume-unchanged", "file.txt"], {}),
    "skip the work tree": (edit, ["update-index", "--skip-worktree", "file.txt"], {}),
    "no file but skipped": (
        lambda folder: (folder / "file.txt").unlink(),
        ["update-index", "--skip-worktree", "file.txt"],
        {},
    ),
    "no untracked files": (add, ["config", "status.showUntrackedFiles", "no"], {}),
    "no untracked files by a variable": (
        add,
        [],
        {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "status.showUntrackedFiles", "GIT_CONFIG_VALUE_0": "no"},
    ),
    "excluded here": (lambda f: (add(f), (f / ".git/info/exclude").write_text("new.txt\n")), [], {}),
    "excluded by the user": (
        lambda f: (add(f), (f / ".git/mine").write_text("*\n")),
        ["config", "core.excludesFile", ".git/mine"],
        {},
    ),
    "ignored by its own folder": (
        lambda f: ((f / "a").mkdir(), (f / "a/.gitignore").write_text("*\n"), (f / "a/b.py").touch()),
        [],
        {},
    ),
    "ignored by an untracked list": (lambda f: (add(f), (f / ".gitignore").write_text("*\n")), [], {}),
    "a filter": (hidden_by_a_filter, [], {}),
    "line ends": (
        lambda folder: (folder / "file.txt").write_bytes(b"one\r\n"),
        ["config", "core.autocrlf", "input"],
        {},
    ),
    "another index": (edit, [], {"GIT_INDEX_FILE": "nowhere"}),
    "another folder of files": (edit, [], {"GIT_WORK_TREE": "nowhere"}),
    "a replaced commit": (stage_a_commit_of_another_name, [], {}),
    "a mode": (lambda f: (f / "file.txt").chmod(0o755), ["config", "core.fileMode", "false"], {}),
    "a folder for a file": (
        lambda f: ((f / "file.txt").unlink(), (f / "file.txt").mkdir(), (f / "file.txt/a").touch()),
        ["update-index", "--skip-worktree", "file.txt"],
        {},
    ),
    "a link for a file": (
        lambda f: ((f / "file.txt").rename(f / ".git/file"), (f / "file.txt").symlink_to(".git/file")),
        ["update-index", "--skip-worktree", "file.txt"],
        {},
    ),
    "a checkout within": (lambda f: ((f / "a").mkdir(), git(f / "a", "init", "--quiet"), add(f / "a")), [], {}),
}


@pytest.mark.parametrize(("change", "hide", "variables"), HIDDEN.values(), ids=HIDDEN)
def test_a_change_that_git_is_told_to_overlook(checkout, change, hide, variables, monkeypatch):
    assert git_state(checkout)["uncommitted_changes"] is False
    if hide:
        git(checkout, *hide)
    change(checkout)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert git_state(checkout)["uncommitted_changes"] is True


def test_what_is_no_change(checkout):
    """Files that the commit's own list ignores, links and modes as committed, names with any letters."""
    (checkout / ".gitignore").write_text("results/*\n!results/README.md\n*.pyc\n")
    for name in ("results/README.md", "results/a.csv", "Straße \n寿司.txt", "a/b.pyc", "run"):
        (checkout / name).parent.mkdir(exist_ok=True)
        (checkout / name).write_text("one\n", encoding="utf-8")
    (checkout / "run").chmod(0o755)
    (checkout / "link").symlink_to("file.txt")
    (checkout / "dangling").symlink_to("nowhere")
    git(checkout, "add", "--all")
    commit(checkout)
    assert git_state(checkout)["uncommitted_changes"] is False
    (checkout / "file.txt").touch()
    git(checkout, "update-index", "--assume-unchanged", "file.txt")
    assert git_state(checkout)["uncommitted_changes"] is False
    for name in ("file.txt", "run", "results/README.md", "Straße \n寿司.txt"):  # as where no modes are kept
        (checkout / name).chmod(0o777)
    (checkout / ".gitignore").chmod(0o777)
    assert git_state(checkout)["uncommitted_changes"] is False
    (checkout / "file.txt").chmod(0o644)
    assert git_state(checkout)["uncommitted_changes"] is True


def test_a_submodule(checkout, tmp_path_factory):
    other = tmp_path_factory.mktemp("other")
    git(other, "init", "--quiet")
    add(other)
    git(other, "add", ".")
    commit(other)
    git(checkout, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "sub")
    commit(checkout)
    assert git_state(checkout)["uncommitted_changes"] is False
    git(checkout, "config", "diff.ignoreSubmodules", "all")
    (checkout / "sub/new.txt").write_text("three\n")
    assert git_state(checkout)["uncommitted_changes"] is True


def test_where_there_is_no_commit(tmp_path, checkout, monkeypatch):
    unknown = {"commit": "unknown", "uncommitted_changes": None}
    inside = checkout / "copy"
    inside.mkdir()
    assert git_state(inside) == unknown  # the commit of the checkout around it says nothing of this folder
    git(inside, "init", "--quiet")
    assert git_state(inside) == unknown  # a checkout before its first commit
    assert git_state(tmp_path / "nowhere") == unknown
    monkeypatch.setenv("PATH", "")
    assert git_state(checkout) == unknown  # no git on this machine


def test_direct_dependencies(tmp_path):
    path = tmp_path / "pyproject.toml"
    path.write_text(
        '[project]\ndependencies = ["scipy>=1", "numpy >= 2; python_version > \'3\'"]\n'
        '[dependency-groups]\nstudy = ["a-b[x]>=1,<2"]\ntest = ["c"]\n',
        encoding="utf-8",
    )
    assert direct_dependencies(path) == ["a-b", "numpy", "scipy"]


def test_installed_versions():
    versions = installed_versions(["numpy", "no-such-package-as-this"])
    assert versions["python"] == platform.python_version()
    assert versions["numpy"][0].isdigit()
    assert versions["no-such-package-as-this"] == "not installed"
    ours = installed_versions(direct_dependencies(ROOT / "pyproject.toml"))
    assert "not installed" not in ours.values()


def test_what_is_recorded(tmp_path):
    config = {"seed": 1, "datasets": {"mine": {"layout": "x", "path": "checkins.txt"}, "city": {}}}
    write_provenance(tmp_path / "p.json", config, {"plot": "abc"}, {"python": "3.11"}, CLEAN)
    record = json.loads((tmp_path / "p.json").read_bytes())
    assert record["source"] == {**CLEAN, "digests": {"plot": "abc"}}
    assert record["versions"] == {"python": "3.11"}
    assert record["config"] == config


def test_what_the_report_says_of_it():
    """The configuration as it stands, although captions are templates."""
    config = {"seed": 1, "datasets": {"mine": {"path": "{{ mine }}*.txt"}}, "levels": [0.5, 1.0]}
    said = caption(config, {"scipy": "1.15", "python": "3.11"}, {"commit": "abc", "uncommitted_changes": True})
    assert said.startswith(".. Configuration") and "Commit: ``abc``, with uncommitted changes." in said
    assert "Versions: python 3\\.11\\, scipy 1\\.15." in said
    filled = Environment(trim_blocks=True, lstrip_blocks=True).from_string(said).render()
    literal = textwrap.dedent(filled.partition("Configuration::\n")[2])
    assert yaml.safe_load(literal) == config and "levels: [0.5, 1.0]" in literal
    assert "changes" not in caption(config, {}, CLEAN)


def test_the_same_bytes_whatever_the_order_of_keys(tmp_path):
    def written(config, digests, versions):
        write_provenance(tmp_path / "p.json", config, digests, versions, CLEAN)
        return (tmp_path / "p.json").read_bytes()

    one = written({"seed": 1, "Δ": 2}, {"r": "1", "q": "2"}, {"b": "1", "a": "2"})
    assert one == written({"Δ": 2, "seed": 1}, {"q": "2", "r": "1"}, {"a": "2", "b": "1"})
    assert "Δ".encode() in one
    assert one != written({"seed": 2, "Δ": 2}, {"r": "1", "q": "2"}, {"b": "1", "a": "2"})
