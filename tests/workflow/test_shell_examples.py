"""The commands that the documents show exist: with their targets, settings, options, extras and files.

The commands of the first pages run (test_docs.py and tests/dirpriv/test_documents.py). The others take
long or change the machine.
"""

import re
import shlex
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml
from packaging.requirements import InvalidRequirement, Requirement
from pydantic import create_model
from snakemake.cli import get_argument_parser

from dirpriv.command import COMMANDS, _parser
from dirpriv.command.options import Misuse
from study.checkins.settings import Datasets
from study.workflow.job import InputError
from study.workflow.settings import Section, check

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = (
    *("", ".github", "config", "config/claims", "data", "docs", "examples", "figures"),
    *("notebooks", "results", "tools"),
)
PAGES = [path for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.md"))]
PAGES += [ROOT / "src/study/checkins/synthetic/README.md"]
RUN = {  # what runs the blocks of a language, on these pages
    # test_docs.py, and tests/dirpriv/test_command_check.py
    "console": "docs/(five_minutes|what_a_survey_costs|your_own_distribution).md",
    "pycon": r"docs/\w+.md",  # test_docs.py
    # tests/dirpriv/test_documents.py and test_command_check.py, tests/engines, tests/workflow/test_own_mechanism.py
    "python": r"README\.md|docs/(in_your_engine|add_a_mechanism|your_own_distribution)\.md",
}
OTHERS = {"sh", "yaml", "csv", "text", "", "{eval-rst}", "{glossary}", "{include}", "{math}", "{toctree}"}
OTHER_LIBRARY = "# not run by the tests: needs "

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = " ".join(re.findall(r"^\.PHONY: (.*)", MAKEFILE, re.M)).split()
SETTINGS = re.findall(r"^(\w+) \?=", MAKEFILE, re.M)
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS, GROUPS = PYPROJECT["project"]["optional-dependencies"], PYPROJECT["dependency-groups"]
ASKED_FOR = {Requirement(text).name for texts in GROUPS.values() for text in texts}
PARTS = re.search(r"^ +([\w |]+)\) ;;$", (ROOT / ".ci/run").read_text(encoding="utf-8"), re.M)[1].split(" | ")


def blocks(text):
    """The fenced blocks of a page: language and content."""
    return re.findall(r"^ *```(\S*)[^\n]*\n(.*?)^ *```$", text, re.S | re.M)


def commands(block):
    """The commands of a block, as words; without comments and variables set for one command."""
    for line in block.replace("\\\n", " ").splitlines():
        for command in line.split(" && "):
            words = shlex.split(command, comments=True)
            while words and re.fullmatch(r"\w+=.*", words[0]):
                del words[0]
            if words:
                yield words


def inline(text):
    """The commands within sentences; names in angle brackets stand for something else."""
    for command in re.findall(r"`((?:make|dirpriv|snakemake|pip|python|\.ci/run)(?: [^`]+)?)`", text):
        if "<" not in command:
            yield shlex.split(command)


def faults(words, before=()):
    """What is wrong with a command, after those ``before`` it in its block."""
    program, *rest = words
    if program == "make":
        targets = [word for word in rest if "=" not in word]
        settings = [word.partition("=")[0] for word in rest if "=" in word]
        return {*targets, *settings} - {*TARGETS, *SETTINGS}
    if program == "dirpriv":
        return faults_of_dirpriv(rest)
    if program == "snakemake":
        return faults_of_snakemake(rest, before)
    if program in ("pip", "uv"):
        return faults_of_installation(rest)
    if program == ".ci/run":
        return {*rest} - {*PARTS}
    if program in ("python", "python3") and rest[0] == "-c":
        return faults_of_python(rest[1])
    if program in ("python", "python3"):
        known = find_spec(rest[1]) if rest[0] == "-m" else (ROOT / rest[0]).is_file()
        return set() if known else {rest[0]}
    if program == "source":
        folder = rest[0].removesuffix("/bin/activate")
        return set() if folder == ".venv" or ["python3", "-m", "venv", folder] in before else {folder}
    if program == "xdg-open":
        named = (ROOT / "docs/tables.md").read_text(encoding="utf-8")
        return set() if f"`{rest[0].removeprefix('results/')}`" in named else {rest[0]}
    if program == "zcat":
        return set()
    if program == "git":
        return {rest[0]} - {"push", "tag"}
    return {program}


def faults_of_python(text):
    """Why a program of one line does not compile."""
    try:
        compile(text, "-c", "exec")
    except SyntaxError as error:
        return {str(error)}
    return set()


def faults_of_dirpriv(words):
    """What the parser of the command refuses; the name of a command, alone or with --help, is no call."""
    words = [word for word in words if word != "--help"]
    if len(words) < 2:
        return {*words} - {*COMMANDS}
    try:
        _parser(words)[0].parse_args(words)
    except Misuse as error:
        return {str(error)}
    return set()


def faults_of_snakemake(words, before):
    """What Snakemake's parser refuses; an executor may come from the package that the block installs."""
    words = list(words)
    if "--executor" in words:
        name = words.index("--executor") + 1
        if ["pip", "install", f"snakemake-executor-plugin-{words[name]}"] in before:
            words[name] = "local"
    try:
        get_argument_parser().parse_args(words)
    except SystemExit:
        return {" ".join(words)}
    return set()


def faults_of_installation(words):
    """Extras and groups that the project does not have, files that are not there, names that are none."""
    joined = " ".join(words)
    if words[:2] == ["pip", "compile"]:
        groups = {*re.findall(r"--group (\S+)", joined)} - {*GROUPS}
        files = re.findall(r"--(?:output-file|constraint) (\S+)", joined)
        return groups | {name for name in files if not (ROOT / name).is_file()}
    wrong = set()
    for name in words[1:]:
        try:
            needed = Requirement(name.replace(".", "dirpriv", 1) if name.startswith(".") else name)
        except InvalidRequirement:
            return {name}
        if needed.name == "dirpriv":
            wrong |= needed.extras - {*EXTRAS}
        elif needed.name not in ASKED_FOR and not needed.name.startswith("snakemake-executor-plugin-"):
            wrong.add(needed.name)
    return wrong


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_each_command_of_a_page_exists(path):
    text = path.read_text(encoding="utf-8")
    for language, block in blocks(text):
        before = []
        for words in commands(block) if language == "sh" else ():
            assert not faults(words, before), words
            before.append(words)
    for words in inline(re.sub(r"^ *```.*?^ *```$", "", text, flags=re.S | re.M)):
        assert not faults(words), words


OF_OTHERS = {"git": "annotate exclusive message strict", "pip": "all-extras constraint generate-hashes group"}
OF_OTHERS |= {"uv": "no-deps no-emit-index-url no-header output-file python-version universal upgrade"}
OF_OTHERS |= {"ruff": "isolated line-length"}


def options_of_this():
    """Options of the command, of Snakemake and of the project's scripts, and those of others on pages."""
    parsers = [get_argument_parser()]
    for name in COMMANDS:
        top = _parser([name])[0]
        parsers += [top, *(each for one in top._actions for each in getattr(one.choices, "values", list)())]
    found = {name for parser in parsers for name in parser._option_string_actions}
    scripts = [*(ROOT / "tools").glob("*.py"), *(ROOT / "benchmarks").glob("*.py")]
    found |= {name for path in scripts for name in re.findall(r'"(--[\w-]+)"', path.read_text(encoding="utf-8"))}
    return found | {f"--{name}" for names in OF_OTHERS.values() for name in names.split()}


def test_each_option_that_a_page_or_a_notebook_names_exists():
    known, pages = options_of_this(), [*PAGES, *(ROOT / "notebooks").glob("*.ipynb")]
    for path in pages:
        named = set(re.findall(r"(?<![\w-])--[a-z][\w-]+", path.read_text(encoding="utf-8")))
        assert named <= known, (path.name, named - known)
    assert len(known) > 200 and "--interval" not in known


@pytest.mark.parametrize(
    "line",
    [
        "make result",
        "make results CHECKIN=x.txt",
        "dirpriv relase",
        "dirpriv relase --help",
        "dirpriv explain --level 1",
        "dirpriv map a.csv --plots b.png",
        "snakemake --corse all",
        "snakemake --executor slurm --jobs 20",
        'pip install ".[table]"',
        'pip install ".[notebook]"',  # a group is no extra
        "pip install dirprivy",
        "uv pip compile --group studio",
        "python tools/make_graph.py",
        "source venv/bin/activate",
        "xdg-open results/claim.html",
        ".ci/run doc",
        "git pusch",
        "curl example.org",
    ],
)
def test_a_wrong_command_is_seen(line):
    assert faults(*commands(line))


def test_an_executor_that_was_installed_is_right():
    install, run = commands("pip install snakemake-executor-plugin-slurm\nsnakemake --executor slurm --jobs 20")
    assert not faults(run, [install])


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_each_block_of_code_is_run_or_says_why_not(path):
    name = path.relative_to(ROOT).as_posix()
    for language, block in blocks(path.read_text(encoding="utf-8")):
        if language == "python" and block.startswith(OTHER_LIBRARY):
            compile(block, name, "exec")
        else:
            assert language in OTHERS or re.fullmatch(RUN.get(language, ""), name), language


def test_the_configurations_of_the_page_are_accepted(tmp_path, monkeypatch):
    page = (ROOT / "docs/your_checkins.md").read_text(encoding="utf-8")
    examples = [block.replace("…", "0" * 64) for language, block in blocks(page) if language == "yaml"]
    assert len(examples) == 3
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    for name in re.findall(r": (data/\S+)", "".join(examples)):
        (tmp_path / name).touch()
    model = create_model("Some", __base__=Section, datasets=(Datasets, ...))
    for example in examples:
        check(yaml.safe_load(example), model)
    with pytest.raises(InputError, match="layout"):
        check(yaml.safe_load(examples[0].replace("tsmc2014", "tsmc")), model)
