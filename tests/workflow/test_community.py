"""What meets those who report, contribute, cite and release: templates, continuous integration, pins."""

import os
import re
import runpy
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml
from browser import BROWSERS, headless_browser

import dirpriv

ROOT = Path(__file__).resolve().parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
FORMS = sorted(path for path in (ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml") if path.stem != "config")
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
TEXTS = [
    *(path for path in (ROOT / ".github").rglob("*") if path.is_file()),
    *(ROOT / name for name in ("CITATION.cff", ".ci/run")),
    *(ROOT / name for name in (".snakemake-workflow-catalog.yml", "src/study/environment.yml")),
]
ADDRESSES = {
    "https://docs.github.com/en/code-security/security-advisories/guidance-on-reporting-and-writing-information-"
    "about-vulnerabilities/privately-reporting-a-security-vulnerability",
    "https://semver.org",
}
"""Addresses that somebody has looked up. None is of this repository: where it lies is not written in it."""

pin_environment = runpy.run_path(str(ROOT / "tools/pin_environment.py"))
each_workflow = pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)


def read(path):
    return yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


# Templates


def test_reports_of_leaks_do_not_begin_in_public():
    assert {path.stem for path in FORMS} == {"bug", "feature", "wrong_number"}
    for name in ("bug", "wrong_number"):
        first = read(f".github/ISSUE_TEMPLATE/{name}.yml")["body"][0]
        assert first["type"] == "markdown"
        assert "private security advisory" in " ".join(first["attributes"]["value"].split())
    chooser = read(".github/ISSUE_TEMPLATE/config.yml")
    (link,) = chooser["contact_links"]
    assert chooser["blank_issues_enabled"] is False and "SECURITY.md" in link["about"]
    policy = (ROOT / ".github/SECURITY.md").read_text(encoding="utf-8")
    assert "private security advisory in the repository's Security tab" in policy


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_text_names_no_address_that_does_not_exist(path):
    text = path.read_text(encoding="utf-8")
    found = re.findall(r"\w+://[^\s)\"'>]+", text)
    assert [address for address in found if address not in ADDRESSES] == []
    assert re.findall(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+", re.sub(r"uses: .*", "", text)) == []
    for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        assert (path.parent / link).is_file(), f"{path.name} links to {link}"


def test_the_citation_names_this_version_and_the_papers():
    citation = read("CITATION.cff")
    preferred = citation["preferred-citation"]
    assert citation["version"] == preferred["version"] == dirpriv.__version__
    assert all(preferred[key] == citation[key] for key in ("type", "title", "license", "authors"))
    dois = [paper["doi"] for paper in citation["references"]]
    assert len(dois) == 2 and all(re.fullmatch(r"10\.\d{4,}/\S+", doi) for doi in dois)


# Continuous integration


@pytest.fixture
def ci_run(tmp_path):
    """Runs .ci/run in a folder of its own, beside a make that only writes down what it was asked for."""
    shutil.copytree(ROOT / ".ci", tmp_path / "project/.ci")
    (tmp_path / "bin").mkdir()
    make = tmp_path / "bin/make"
    make.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/asked\necho "$MAKE_SAYS"\n', encoding="utf-8")
    make.chmod(0o755)

    def run(*parts, says="Nothing to be done."):
        variables = {"PATH": f"{make.parent}:{os.environ['PATH']}", "MAKE_SAYS": says}
        done = subprocess.run(
            [tmp_path / "project/.ci/run", *parts], capture_output=True, encoding="utf-8", env=variables
        )
        asked = tmp_path / "asked"
        return done, asked.read_text(encoding="utf-8").split("\n")[:-1] if asked.exists() else []

    return run


def targets():
    """Targets of the Makefile that it lists for its users."""
    return set(re.findall(r"^([a-z-]+):[^#\n]*##", (ROOT / "Makefile").read_text("utf-8"), flags=re.MULTILINE))


def test_without_arguments_all_parts_run(ci_run):
    done, asked = ci_run()
    assert done.returncode == 0 and asked == ["lint", "test", "smoke", "smoke"]
    headings = re.findall(r"^== (.*) \(\d+ s so far\)$", done.stdout, flags=re.MULTILINE)
    again = "make smoke again: nothing is left to do"
    assert headings == ["make lint", "make test", "make smoke", again, "all passed"]


@pytest.mark.parametrize("parts", [["lint"], ["test"], ["sweeps"], ["docs"], ["docs", "lint"]])
def test_one_part_runs_alone(parts, ci_run):
    done, asked = ci_run(*parts)
    assert done.returncode == 0 and asked == ["test-sweeps" if part == "sweeps" else part for part in parts]


def test_what_the_part_wheel_tries_works(capsys):
    (script,) = re.findall(r"use/bin/python -c '(.*)'", (ROOT / ".ci/run").read_text("utf-8"))
    exec(script)
    assert re.fullmatch(r"\['[\d:]+'\]\n", capsys.readouterr().out)


@pytest.mark.parametrize("parts", [["tset"], ["lint", "all"], [""], ["-h"]])
def test_a_wrong_part_is_named_before_anything_runs(parts, ci_run):
    done, asked = ci_run(*parts)
    assert done.returncode == 2 and asked == [] and done.stdout == ""
    assert (
        done.stderr == f'.ci/run has no part "{parts[-1]}"; its parts are lint, test, sweeps, smoke, docs and wheel.\n'
    )


def test_a_second_smoke_run_that_works_again_fails(ci_run):
    done, asked = ci_run("smoke", says="1 of 1 steps (100%) done")
    assert done.returncode == 1 and asked == ["smoke", "smoke"] and "did work again" in done.stderr


def test_nothing_old_is_published(ci_run, tmp_path):
    (tmp_path / "project/dist").mkdir()
    done, _ = ci_run("wheel")
    assert done.returncode == 1 and done.stderr.startswith("dist/ is there already; move it")


def test_each_job_is_a_part_that_make_knows(ci_run):
    parts = read(".github/workflows/ci.yml")["jobs"]["part"]["strategy"]["matrix"]["part"]
    done, asked = ci_run(*(part for part in parts if part != "wheel"))
    assert done.returncode == 0, done.stderr
    assert set(asked) <= targets()
    known = re.findall(r"\w+", ci_run("")[0].stderr.partition("its parts are")[2])
    assert {*known} - {"and"} == {*parts}


def test_jobs_use_the_lowest_and_the_newest_python():
    versions = [name.rpartition(" ")[2] for name in PROJECT["classifiers"] if "Python :: 3." in name]
    versions.sort(key=lambda version: [int(part) for part in version.split(".")])
    workflow = read(".github/workflows/ci.yml")
    assert workflow["jobs"]["part"]["strategy"]["matrix"]["python"] == [versions[0], versions[-1]]
    assert PROJECT["requires-python"] == f">={versions[0]}"


def test_the_built_pages_are_kept_once():
    """Of the job that builds them, on the newest Python, from where ``make docs`` writes them."""
    job = read(".github/workflows/ci.yml")["jobs"]["part"]
    kept = next(step for step in job["steps"] if step.get("with", {}).get("name") == "documentation")
    assert kept["uses"].startswith("actions/upload-artifact@") and kept["with"]["if-no-files-found"] == "error"
    newest = job["strategy"]["matrix"]["python"][-1]
    assert kept["if"] == f"matrix.part == 'docs' && matrix.python == '{newest}'"
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert re.search(rf"^docs:.*\n(\t.*\n)*\t.*-m sphinx .* {kept['with']['path']}$", makefile, flags=re.M)


def test_the_jobs_require_the_browser_and_the_node_of_their_image():
    """The variables are those that the tests read, and the browser one that they know."""
    job = read(".github/workflows/ci.yml")["jobs"]["part"]
    assert job["env"]["DIRPRIV_BROWSER"] in BROWSERS and job["runs-on"] == "ubuntu-24.04"
    asked = f'environ.get("DIRPRIV_NODE") == "{job["env"]["DIRPRIV_NODE"]}"'
    assert asked in (ROOT / "tests/node.py").read_text("utf-8")


def unverified(command):
    """What a command of a job fetches although neither a hash nor a signature of it is known."""
    packages = re.findall(r"apt(?:-get)? install(.*)", command.replace("\\\n", " "))
    files = [word for line in packages for word in line.split() if "/" in word or word.endswith(".deb")]
    weaker = re.findall(r"\b(?:curl|wget)\b|\w+://\S+|--allow-\S+|trusted=yes|pip install.*", command)
    return files + [word for word in weaker if "--require-hashes" not in word]


@each_workflow
def test_jobs_fetch_only_what_is_verified(path):
    """Actions by their commit, packages of pip by a hash, those of apt by the signature of their archive."""
    commands = [step.get("run", "") for job in read(path)["jobs"].values() for step in job["steps"]]
    assert [found for command in commands for found in unverified(command)] == []


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("curl --output x.deb https://example.org/x.deb", ["curl", "https://example.org/x.deb"]),
        ('apt-get install --yes \\\n  git "$RUNNER_TEMP/x.deb"', ['"$RUNNER_TEMP/x.deb"']),
        ("apt-get update --allow-insecure-repositories", ["--allow-insecure-repositories"]),
        ("pip install build", ["pip install build"]),
        ("apt-get install --yes git", []),
    ],
)
def test_what_is_not_verified_is_seen(command, found):
    assert unverified(command) == found


def test_one_job_requires_slurm_and_the_engines():
    """The variables that it sets are those that the tests read."""
    job = read(".github/workflows/ci.yml")["jobs"]["cluster"]
    texts = "".join(path.read_text("utf-8") for path in (ROOT / "tests").glob("[ce]*/*.py"))
    required = [name for name, value in job["env"].items() if value == "required"]
    assert len(required) == 2 and all(f'environ.get("{name}")' in texts for name in required)
    _, *runs = (step["run"] for step in job["steps"] if "run" in step)
    assert len(runs) == 2 and {run.removeprefix("make ") for run in runs} <= targets()


def test_one_job_keeps_the_article():
    job = read(".github/workflows/ci.yml")["jobs"]["article"]
    runs = [step["run"] for step in job["steps"] if "run" in step]
    assert runs == ["make results"] and "results" in targets()
    kept = job["steps"][-1]
    assert kept["if"] == "success() || failure()"  # a verdict may fail the run before
    assert kept["with"]["path"] == "results/article.pdf" and kept["with"]["if-no-files-found"] == "error"


@each_workflow
def test_actions_are_pinned_to_commits(path):
    uses = re.findall(r"uses: (.*)", path.read_text(encoding="utf-8"))
    assert len(uses) >= 2
    assert [use for use in uses if not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", use)] == []


def test_workflows_agree_on_the_pins():
    pins = {}
    for path in WORKFLOWS:
        for action, pin in re.findall(r"uses: (.*)@(.*)", path.read_text(encoding="utf-8")):
            pins.setdefault(action, set()).add(pin)
    assert len(pins) >= 4 and all(len(found) == 1 for found in pins.values()), pins


def test_only_the_job_that_publishes_may_do_anything():
    assert read(".github/workflows/ci.yml")["permissions"] == {"contents": "read"}
    release = read(".github/workflows/release.yml")
    assert release["permissions"] == {} and release[True] == {"push": {"tags": ["v*"]}}
    build, publish = release["jobs"]["build"], release["jobs"]["publish"]
    assert (
        build["permissions"] == {"contents": "read"} and {"run": ".ci/run wheel"}.items() <= build["steps"][2].items()
    )
    assert publish["permissions"] == {"id-token": "write"} and publish["environment"] == "pypi"
    assert publish["needs"] == "build" and not any("run" in step for step in publish["steps"])


# Pins


def pins(path):
    """Version by name, of the first entry of each package in a lock."""
    found = re.findall(r"^([\w.-]+)==([^ ;\\]+)", (ROOT / path).read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(reversed(found))


def test_what_builds_the_package_is_pinned():
    """The locks of all groups are checked in test_environment.py; this one is installed by .ci/run."""
    assert "--require-hashes \\\n        --requirement locks/release.txt\n" in (ROOT / ".ci/run").read_text("utf-8")
    assert {"build", "setuptools", "twine"} <= set(pins("locks/release.txt"))
    assert pins("locks/release.txt")["setuptools"] == pins("locks/study.txt")["setuptools"]


def test_the_modules_to_mutate_and_their_tests_are_there():
    rows = yaml.safe_load((ROOT / "tools/mutants.yaml").read_text(encoding="utf-8")).values()
    modules = [module for group in rows for row in group for module in row["modules"].split()]
    assert len(modules) == len(set(modules)) > 60
    assert [name for name in modules if not (ROOT / f"src/dirpriv/{name}.py").is_file()] == []
    tests = {test for group in rows for row in group for test in row["tests"].split()}
    files = [ROOT / "tests" / (name if "/" in name else f"dirpriv/{name}") for name in tests]
    assert [file for file in files if not file.with_name(f"test_{file.name}.py").is_file()] == []


def test_the_environment_of_the_jobs_is_that_of_the_lock():
    assert pin_environment["FILE"].read_text(encoding="utf-8") == pin_environment["current"](), (
        "run python tools/pin_environment.py"
    )
    (named,) = re.findall(r'^ENVIRONMENT = str\(ROOT / "(.*)"\)', (ROOT / "Snakefile").read_text("utf-8"), flags=re.M)
    assert ROOT / named == pin_environment["FILE"]


def test_the_environment_of_the_jobs_holds_what_they_import_and_no_more():
    entries = read("src/study/environment.yml")["dependencies"]
    pypi = {conda: name for name, conda in pin_environment["CONDA_NAMES"].items()}
    found = dict(re.fullmatch(r"([\w-]+) ==?(\S+)", entry).groups() for entry in entries)
    assert found.pop("python") == PROJECT["requires-python"].removeprefix(">=")
    lock = pins("locks/study.txt")  # the first entry of two is that of the lowest Python
    assert {pypi.get(name, name): version for name, version in found.items()}.items() <= lock.items()
    texts = [*PROJECT["dependencies"], *PYPROJECT["dependency-groups"]["study"]]
    asked_for = {re.match(r"[\w-]+", text)[0] for text in texts}
    assert asked_for - {pypi.get(name, name) for name in found} == pin_environment["PARENT"]
    # the packages of the main process are imported by modules that no script reaches
    modules = {path: path.read_text(encoding="utf-8") for path in (ROOT / "src/study").rglob("*.py")}
    of_parent = re.compile(r"^(from|import) (snakemake|pygments)\b", flags=re.MULTILINE)
    importing = {
        path.relative_to(ROOT / "src/study/workflow") for path, text in modules.items() if of_parent.search(text)
    }
    assert importing == {Path(f"{name}.py") for name in ("benchmarks", "rule_functions", "report", "terminal")}
    assert not [
        path
        for path, text in modules.items()
        if re.search(r"workflow\.(benchmarks|rule_functions|report) import", text)
    ]


def test_the_environment_of_the_jobs_follows_the_lock():
    lock = (
        "numpy==2.4.6 ; python_full_version < '3.12' \\\n    --hash=sha256:aa\n"
        "numpy==2.5.5 ; python_full_version >= '3.12' \\\n    --hash=sha256:bb\n"
        "colorama==0.4.6 ; sys_platform == 'win32' \\\n    --hash=sha256:cc\n"
        "python-dateutil==2.9.0.post0 \\\n    --hash=sha256:dd\n    # via pandas\n"
    )
    assert pin_environment["locked"](lock, "3.11") == {"numpy": "2.4.6", "python-dateutil": "2.9.0.post0"}
    assert pin_environment["locked"](lock, "3.14")["numpy"] == "2.5.5"
    extras, groups = ({name: [] for name in pin_environment[key]} for key in ("EXTRAS", "GROUPS"))
    project = {"dependencies": ["numpy>=2.1"], "optional-dependencies": extras}
    pyproject = {"project": project, "dependency-groups": groups}
    assert pin_environment["environment"](pyproject, lock).endswith("  - python =3.11\n  - numpy ==2.4.6\n")


# The browser of the tests that open pages


@pytest.mark.parametrize(
    ("wanted", "outcome"),
    [("", pytest.skip.Exception), ("required", pytest.fail.Exception), ("no-such-browser", pytest.fail.Exception)],
)
def test_a_required_browser_is_not_skipped(wanted, outcome, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("DIRPRIV_BROWSER", wanted)
    with pytest.raises((pytest.skip.Exception, pytest.fail.Exception), match="needs a browser") as raised:
        headless_browser()
    assert raised.type is outcome  # pytest would skip this test if a wrong skip were let through
    assert (wanted if "-" in wanted else "google-chrome-stable") in str(raised.value)


@pytest.mark.parametrize("wanted", ["", "required", "mine", "{folder}/mine"])
def test_the_browser_that_is_named_is_used(wanted, tmp_path, monkeypatch):
    for name in ("google-chrome", "mine"):
        (tmp_path / name).touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("DIRPRIV_BROWSER", wanted.format(folder=tmp_path))
    used = headless_browser()
    assert used[0] == str(tmp_path / ("mine" if "mine" in wanted else "google-chrome"))
    rule = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
    assert "--headless" in used and rule in used
