"""The documentation: its examples run, its pages build without a warning, and no link is broken."""

import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

import dirpriv
from dirpriv.command import main

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("*.md"))
FOLDERS = (
    ".github",
    "config",
    "docs",
    "examples",
    "figures",
    "notebooks",
    "results",
    "src",
    "tests",
    "tools",
)
MARKDOWN = [*ROOT.glob("*.md"), ROOT / "data/README.md"] + [
    path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in (".md", ".ipynb")
]
"""All pages of the project, and its notebooks; files of the user may lie beside them."""
BUILDERS = ("sphinx", "pydata_sphinx_theme", "myst_nb", "myst_parser", "numpydoc", "latex2mathml")
sys.path.append(str(ROOT / "tools"))

from check_docstrings import public_names  # noqa: E402
from check_links import faults  # noqa: E402
from make_rule_graph import needs, page  # noqa: E402


def blocks(path, language):
    """The blocks of a page in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", path.read_text(encoding="utf-8"), re.S | re.M)


def failures(path):
    """How many examples of a page fail, and how many there are; they share their names."""
    names, runner = {}, doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    for block in blocks(path, "pycon"):
        example = doctest.DocTestParser().get_doctest(block, names, path.name, str(path), 0)
        runner.run(example, clear_globs=False)
        names = example.globs
    return runner.failures, runner.tries


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where examples run: with the example files, and with settings of its own."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))


@pytest.mark.parametrize("path", [p for p in PAGES if blocks(p, "pycon")], ids=lambda path: path.stem)
def test_the_examples_of_a_page_run(path, folder):
    failed, tried = failures(path)
    assert failed == 0 and tried > 0


def test_a_wrong_example_is_seen(tmp_path):
    wrong = tmp_path / "wrong.md"
    wrong.write_text(
        "```pycon\n>>> x = 1\n```\nand\n```pycon\n>>> x\n1\n>>> x + 1\n3\n```\n", encoding="utf-8"
    )
    assert failures(wrong) == (1, 3)


def console(path):
    """The commands of a page and what it says that they print."""
    for block in blocks(path, "console"):
        command, _, printed = block.partition("\n")
        yield shlex.split(command.removeprefix("$ dirpriv ")), printed


def pattern(printed):
    """What a command prints, as a pattern: any number stands for any other, and ... for any lines."""
    parts = re.split(r"(\d+(?:[.:]\d+)*(?:e-?\d+)?|^\.\.\.$)", printed.strip(), flags=re.M)
    kinds = {"...": r"[\s\S]*?"}
    return "".join(
        re.escape(part) if n % 2 == 0 else kinds.get(part, r"[\d.:e-]+") for n, part in enumerate(parts)
    )


def test_the_commands_of_the_first_page_print_what_it_says(folder, capsys):
    commands = list(console(DOCS / "five_minutes.md"))
    assert [arguments[0] for arguments, _ in commands] == "explain release mean histogram release".split()
    for arguments, printed in commands:
        assert main(arguments) == 0
        out = capsys.readouterr().out.strip()
        if arguments[0] in ("explain", "release"):  # nothing random
            assert out == printed.strip()
        else:
            assert re.fullmatch(pattern(printed), out), out
    assert not re.fullmatch(pattern("mean 12:14"), "median 12:14")


def test_the_planner_prints_what_its_page_says(capsys):
    commands = list(console(DOCS / "what_a_survey_costs.md"))
    assert [arguments[:2] for arguments, _ in commands] == [["plan", "mean"]] * 2
    for arguments, printed in commands:
        assert main(arguments) == 0
        assert capsys.readouterr().out.strip() == printed.strip()


def test_the_page_of_the_rules_is_that_of_the_workflow(project):
    """After a change of the rules: python tools/make_rule_graph.py"""
    graph = project.snakemake("--rulegraph", "dot", "--quiet", "all")
    assert (DOCS / "rules.md").read_text(encoding="utf-8") == page(needs(graph))


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The pages, built from a copy; the rest of the project is beside it."""
    missing = [name for name in BUILDERS if find_spec(name) is None]
    if missing:
        pytest.skip(
            f"needs {', '.join(missing)}, which the tests of the code do without: `make test-docs` "
            "installs them and runs this"
        )
    project = tmp_path_factory.mktemp("project")
    for path in ROOT.iterdir():
        if path.name not in ("docs", ".git"):
            (project / path.name).symlink_to(path)
    shutil.copytree(DOCS, project / "docs", ignore=shutil.ignore_patterns("_build", "generated", "notebooks"))
    out = project / "docs/_build/html"
    options = f"--quiet --nitpicky --fail-on-warning --keep-going -d {out.parent / 'doctrees'}".split()
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *options, str(project / "docs"), str(out)],
        env=os.environ | nowhere | {"DIRPRIV_RESULTS": str(project / "none")},
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    return out


def test_the_pages_build_without_a_warning_and_hang_together(built):
    assert faults(built) == []
    assert {path.stem for path in PAGES} <= {path.stem for path in built.glob("*.html")}


def test_each_public_name_has_one_place(built):
    pages = (path.read_text(encoding="utf-8") for path in (built / "api").rglob("*.html"))
    places = Counter(place for page in pages for place in re.findall(r'id="(dirpriv\.[\w.]+)"', page))
    names = set(public_names(dirpriv))
    assert len(names) > 300 and {name: places[name] for name in names if places[name] != 1} == {}


def test_notebooks_are_shown_with_their_output(built):
    names = [path.stem for path in (ROOT / "notebooks").glob("*.ipynb")]
    assert {path.stem for path in (built / "notebooks").glob("*.html")} == set(names)
    for name in names:
        text = (built / f"notebooks/{name}.html").read_text(encoding="utf-8")
        drawn = text.count('show</span><span class="p">()')
        results = name == "study_results"  # there are none here
        assert drawn > 1 and text.count('src="../_images/') == (0 if results else drawn)
        assert ("built without results of the study" in text) == results
        assert "os.chdir" not in text and 'href="../' in text


def test_each_caption_of_the_report_is_on_the_page_of_figures(built):
    captions = {path.relative_to(ROOT).as_posix() for path in (ROOT / "src/study").rglob("caption.rst")}
    text = (DOCS / "figures.md").read_text(encoding="utf-8")
    assert set(re.findall(r"include:: \.\./(\S+)", text)) == captions and len(captions) > 20
    assert "{{" not in (built / "figures.html").read_text(encoding="utf-8")


def test_formulas_are_numbered_and_need_no_script(built):
    text = (built / "mathematics.html").read_text(encoding="utf-8")
    labels = re.findall(r"^:label: (\S+)", (DOCS / "mathematics.md").read_text(encoding="utf-8"), re.M)
    assert len(labels) > 10 and text.count('class="eqno"') == len(labels)
    assert text.count('display="block"') == len(labels) and "MathJax" not in text


def test_the_first_lines_of_the_readme_say_what_this_is():
    """In words that people search for, with the two commands; then what to do with it, in this order."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    first = "\n".join(text.splitlines()[:10])
    assert "differential privacy" in first and "open reproduction" in first
    assert re.findall(r"^make \w+", first, re.M) == ["make results", "make test"]
    headings = re.findall(r"^## (\w+)", text, re.M)
    assert headings == ["Reproduce", "Publish", "Use", "Where", "Sources"]


def wrong_counts(text, claims):
    """The numbers of claims that the README says, where they are not those of the ledger, by name."""
    found = re.search(
        r"(\d+) claims, (\d+) of the sources and (\d+) of our own.*?So (\d+) of its (\d+)\s+claims\s+rest on"
        r".*?and\s+(\d+)\s+on\s+parts\s+that\s+we\s+did\s+not\s+have",
        text,
        re.S,
    )
    own, of_a = len(claims["beyond"]), [claim["excerpt"] for claim in claims["A"].values()]
    total = sum(map(len, claims.values()))
    names = ["all", "sources", "own", "rebuilt", "of A", "absent"]
    wanted = [total, total - own, own, of_a.count("reconstructed"), len(of_a), of_a.count("absent")]
    return [name for name, a, b in zip(names, map(int, found.groups()), wanted, strict=True) if a != b]


def test_the_readme_counts_the_claims():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    files = {path.stem: path for path in (ROOT / "config/claims").glob("*.yaml")}
    claims = {
        name: yaml.safe_load(path.read_text(encoding="utf-8"))["claims"] for name, path in files.items()
    }
    assert len(claims) == 4 and wrong_counts(text, claims) == []
    claims["A"].popitem()
    assert {"all", "sources", "of A"} <= set(wrong_counts(text, claims))


def links_without_text(text):
    """Links and pictures of Markdown that show nothing where nobody fills in the title of their target."""
    return re.findall(r"\[\s*\](?:\([^)]*\)|\[[^]]*\])|<a\s[^>]*>\s*</a>", text)


@pytest.mark.parametrize("path", MARKDOWN, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_each_link_has_a_text(path):
    assert links_without_text(path.read_text(encoding="utf-8")) == []


def test_a_link_without_a_text_is_seen():
    assert MARKDOWN[0].suffix == ".md" and {DOCS / "index.md", ROOT / "README.md"} <= set(MARKDOWN)
    wrong = ["[](a.md)", "[ ](b.md#c)", "[](d.png)", "[][e]", "<a href='f.html'></a>"]
    right = ["[g](h.md)", "![i](j.png)", "- [ ] k", "<a id='l'>m</a>"]
    assert links_without_text(" ! ".join(right + wrong)) == wrong


def places(path):
    """The names of a page's headings, as links write them."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(path):
    """Links of a page to files or headings of the project that are not there; the API is built by Sphinx."""
    text = re.sub(r"^ *```.*?^ *```$", "", path.read_text(encoding="utf-8"), flags=re.S | re.M)
    found = []
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        name, _, place = link.partition("#")
        target = path.parent / name if name else path
        if re.match(r"\w+:", link) or "generated/" in name:
            continue
        if not target.exists() or (place and place not in places(target)):
            found.append(link)
    return found


@pytest.mark.parametrize(
    "path", [p for p in MARKDOWN if p.suffix == ".md"], ids=lambda path: path.relative_to(ROOT).as_posix()
)
def test_each_link_leads_somewhere(path):
    assert broken_links(path) == []


def test_a_link_to_nowhere_is_seen(tmp_path):
    (tmp_path / "b.md").write_text("# One `two` (three)\n", encoding="utf-8")
    page = tmp_path / "a.md"
    page.write_text("[a](b.md#one-two-three) [a](b.md#two) [a](c.md) [a](#d) [a](https://e) [a](.)", "utf-8")
    assert broken_links(page) == ["b.md#two", "c.md", "#d"]


def test_a_broken_link_is_seen(tmp_path):
    (tmp_path / "a.html").write_text(
        '<a id="here" href="b.html#no">b</a><a href="#here">a</a><a href="c.html">c</a>'
        '<a href="https://example.org">d</a><script src="https://example.org/x.js"></script>'
        '<link rel="stylesheet" href="//example.org/x.css">',
        encoding="utf-8",
    )
    (tmp_path / "b.html").write_text("<p id='yes'>", encoding="utf-8")
    (tmp_path / "x.css").write_text("@font-face { src: url('https://example.org/x.woff') }", encoding="utf-8")
    assert faults(tmp_path) == [
        "a.html: fetches https://example.org/x.js",
        "a.html: fetches //example.org/x.css",
        "a.html: no such place as b.html#no",
        "a.html: no file for c.html",
        "x.css: fetches https://example.org/x.woff",
    ]
