"""Rule collect_provenance: record the origin of the results as one JSON file.

The file holds no path, time or machine name, so the same source, configuration and packages give the
same bytes everywhere.
"""

import hashlib
import json
import os
import platform
import re
import subprocess
import tempfile
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import yaml

from study.workflow.job import job, moved_into_place, write_text
from study.workflow.own_mechanisms import environment_mechanisms
from study.workflow.printable import escaped, literal

UNKNOWN = "unknown"


def git_state(root):
    """Commit of a checkout, and whether files in it differ from that commit.

    Without git, or if ``root`` is not the top of a checkout with a commit: ``"unknown"`` and None.

    The bytes of the files are compared with the commit, and all that its ``.gitignore`` does not name must be
    in it. ``git status`` would believe marks in the index (``--assume-unchanged``, ``--skip-worktree``), and
    settings that leave out untracked files or put a filter before the comparison.
    """
    commit = commit_of(root)
    return {"commit": commit, "uncommitted_changes": None if commit == UNKNOWN else _differs(Path(root))}


def commit_of(root):
    """Commit of a checkout, or ``"unknown"``."""
    top = _git(root, "rev-parse", "--show-toplevel")
    commit = _git(root, "rev-parse", "--verify", "--quiet", "HEAD")
    # A copy of the project inside another checkout is not described by that checkout's commit.
    if not top or not commit or Path(os.fsdecode(top)).resolve() != Path(root).resolve():
        return UNKNOWN
    return commit.decode()


def _differs(root):
    """Whether files of a checkout differ from its commit, are missing, or are not in it."""
    listed = _git(root, "ls-tree", "-r", "-z", "--full-tree", "HEAD")
    entries = [entry.partition(b"\t") for entry in (listed or b"").split(b"\0") if entry]
    files = {os.fsdecode(name): entry.decode().split() for entry, _, name in entries}
    if listed is None or _not_among(root, files):
        return True
    if any(_changed(root / name, *entry) for name, entry in files.items()):
        return True
    # a file system that keeps no modes has the same for all
    modes = {name: mode == "100755" for name, (mode, *_) in files.items() if mode.startswith("100")}
    kept = {name: bool((root / name).stat().st_mode & 0o100) for name in modes}
    return kept != modes and (len({*kept.values()}) > 1 or len({*modes.values()}) == 1)


def _not_among(root, files):
    """Whether a checkout has files that are neither known nor named by the ``.gitignore`` of the commit."""
    ignored = [f"--exclude-from={root / '.gitignore'}"] if ".gitignore" in files else []
    settings = ("-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false")
    with tempfile.TemporaryDirectory() as folder:  # without an index, no file is tracked
        index = {"GIT_INDEX_FILE": str(Path(folder, "index"))}
        others = _git(root, *settings, "ls-files", "--others", "-z", *ignored, **index)
    return others is None or any(os.fsdecode(n).rstrip("/") not in files for n in others.split(b"\0") if n)


def _changed(path, mode, kind, name):
    """Whether a file, a link or a submodule is not what an entry of a commit says."""
    if kind == "commit":
        return git_state(path) != {"commit": name, "uncommitted_changes": False}
    try:
        is_link = path.is_symlink()
        content = os.fsencode(os.readlink(path)) if is_link else path.read_bytes()
    except OSError:
        return True
    method = "sha1" if len(name) == 40 else "sha256"
    digest = hashlib.new(method, b"blob %d\0" % len(content) + content, usedforsecurity=False)
    return is_link != (mode == "120000") or digest.hexdigest() != name


def _git(root, *arguments, **variables):
    # a hook or `git rebase --exec` sets GIT_DIR and others to the repository that it runs in
    own = {k: v for k, v in os.environ.items() if not k.startswith("GIT_") or k.startswith("GIT_CONFIG_")}
    own |= {"GIT_NO_REPLACE_OBJECTS": "1"} | variables
    try:
        done = subprocess.run(["git", *arguments], cwd=root, env=own, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.removesuffix(b"\n")


def direct_dependencies(pyproject):
    """Names of the packages that ``pyproject.toml`` asks for, with those of the study."""
    tables = tomllib.loads(Path(pyproject).read_text(encoding="utf-8"))
    requirements = tables["project"]["dependencies"] + tables["dependency-groups"]["study"]
    return sorted({re.match(r"[A-Za-z0-9._-]+", requirement).group() for requirement in requirements})


def installed_versions(packages):
    """Versions of Python and of packages by name; "not installed" where there is none."""
    versions = {"python": platform.python_version()}
    for package in packages:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "not installed"
    return versions


def write_provenance(path, config, digests, versions, git, mechanisms=None):
    """Write all that the results depend on as JSON with sorted keys; ``digests`` are by rule.

    ``mechanisms`` are those of one's own by name, each with its class and the SHA-256 of the file.
    """
    source = git | {"digests": digests} | ({"mechanisms": mechanisms} if mechanisms else {})
    record = {"source": source, "versions": versions, "config": config}
    write_text(json.dumps(record, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n", path)


def caption(config, versions, git):
    """What the report says beside the record, in reStructuredText."""
    changes = {True: ", with uncommitted changes", False: "", None: ""}[git["uncommitted_changes"]]
    packages = escaped(", ".join(f"{name} {version}" for name, version in sorted(versions.items())))
    values = yaml.safe_dump(config, allow_unicode=True, default_flow_style=None, width=80)
    return f""".. Configuration, versions and digests of the source

All that the results depend on: the commit of this project, the versions of Python and of the packages, the
configuration, and by rule a digest of the source that its script reaches.

Commit: ``{git["commit"]}``{changes}.

Versions: {packages}.

Configuration::

{literal(values)}
"""


if __name__ == "__main__":
    with job(snakemake) as logger:
        # params.commit makes the rule run again after a commit. Uncommitted changes are looked up only
        # here, so that an edit that changes no code runs nothing again.
        git = git_state(Path(snakemake.scriptdir).parents[2])
        params = snakemake.params
        config = json.loads(params.config)
        write_provenance(snakemake.output.record, config, params.digests, params.versions, git, params.mechanisms)
        for own in environment_mechanisms() if params.mechanisms else ():
            with moved_into_place(f"results/mechanisms/{own.path.name}") as temporary:
                temporary.write_bytes(own.content)
        write_text(caption(config, params.versions, git), snakemake.output.caption)
        logger.info("commit %s, uncommitted changes: %s", git["commit"], git["uncommitted_changes"])
