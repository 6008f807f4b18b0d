"""Rule collect_provenance: record the origin of the results as one JSON file.

The file holds no path, time or machine name, so the same source, configuration and packages give the
same bytes everywhere.
"""

import json
import os
import platform
import re
import subprocess
import textwrap
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import yaml

from study.core.job import job, moved_into_place

UNKNOWN = "unknown"


def git_state(root):
    """Commit of a checkout, and whether files in it differ from that commit.

    Without git, or if ``root`` is not the top of a checkout with a commit: ``"unknown"`` and None.
    """
    top = _git(root, "rev-parse", "--show-toplevel")
    commit = _git(root, "rev-parse", "--verify", "--quiet", "HEAD")
    # A copy of the project inside another checkout is not described by that checkout's commit.
    if not top or not commit or Path(top).resolve() != Path(root).resolve():
        return {"commit": UNKNOWN, "uncommitted_changes": None}
    return {"commit": commit, "uncommitted_changes": _git(root, "status", "--porcelain") != ""}


def _git(root, *arguments):
    # a hook or `git rebase --exec` sets GIT_DIR and others to the repository that it runs in
    own = {k: v for k, v in os.environ.items() if not k.startswith("GIT_") or k.startswith("GIT_CONFIG_")}
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=root, env=own, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def direct_dependencies(pyproject):
    """Names of the packages that ``pyproject.toml`` asks for, with those of the study."""
    project = tomllib.loads(Path(pyproject).read_text(encoding="utf-8"))["project"]
    requirements = project["dependencies"] + project["optional-dependencies"]["study"]
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


def write_provenance(path, config, digests, versions, git):
    """Write all that the results depend on as JSON with sorted keys; ``digests`` are by rule."""
    record = {"source": git | {"digests": digests}, "versions": versions, "config": config}
    _write(path, json.dumps(record, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n")


def caption(config, versions, git):
    """What the report says beside the record, in reStructuredText."""
    changes = {True: ", with uncommitted changes", False: "", None: ""}[git["uncommitted_changes"]]
    packages = ", ".join(f"{name} {version}" for name, version in sorted(versions.items()))
    values = yaml.safe_dump(config, allow_unicode=True, default_flow_style=None, width=80)
    return f""".. Configuration, versions and digests of the source

All that the results depend on: the commit of this project, the versions of Python and of the packages, the
configuration, and by rule a digest of the source that its script reaches.

Commit: ``{git["commit"]}``{changes}.

Versions: {packages}.

Configuration::

{{% raw %}}
{textwrap.indent(values, "    ")}
{{% endraw %}}
"""


def _write(path, text):
    with moved_into_place(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    with job(snakemake) as logger:
        # params.commit makes the rule run again after a commit. Uncommitted changes are looked up only
        # here, so that an edit that changes no code runs nothing again.
        git = git_state(Path(snakemake.scriptdir).parents[2])
        params = snakemake.params
        write_provenance(snakemake.output.record, params.config, params.digests, params.versions, git)
        _write(snakemake.output.caption, caption(params.config, params.versions, git))
        logger.info("commit %s, uncommitted changes: %s", git["commit"], git["uncommitted_changes"])
