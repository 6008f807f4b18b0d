"""The documentation: its examples run, its pages build without a warning, and no link is broken."""

import doctest
import functools
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote

import pytest
import yaml
from markdown_it import MarkdownIt

import dirpriv
from dirpriv.command import COMMANDS, main

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("*.md"))
FOLDERS = (".github", "config", "docs", "examples", "figures", "notebooks", "results", "src", "tests", "tools")
BUILT = {DOCS / name for name in ("notebooks", "_build", "api/generated", "generated")}
MARKDOWN = [*ROOT.glob("*.md"), ROOT / "data/README.md"] + [
    path
    for folder in FOLDERS
    for path in (ROOT / folder).rglob("*")
    if path.suffix in (".md", ".ipynb") and not BUILT & set(path.parents)
]
"""All pages of the project, and its notebooks; files of the user may lie beside them."""
BUILDERS = ("sphinx", "sphinx_copybutton", "pydata_sphinx_theme", "myst_nb", "myst_parser", "numpydoc", "latex2mathml")
sys.path.append(str(ROOT / "tools"))

import list_plans  # noqa: E402
from check_docstrings import public_names, wrong_references  # noqa: E402
from check_links import faults  # noqa: E402
from list_commands import PAGE, page  # noqa: E402
from make_rule_graph import drawn, needs, picture  # noqa: E402


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
    wrong.write_text("```pycon\n>>> x = 1\n```\nand\n```pycon\n>>> x\n1\n>>> x + 1\n3\n```\n", encoding="utf-8")
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
    return "".join(re.escape(part) if n % 2 == 0 else kinds.get(part, r"[\d.:e-]+") for n, part in enumerate(parts))


def test_the_commands_of_the_first_page_print_what_it_says(folder, capsys):
    commands = list(console(DOCS / "five_minutes.md"))
    assert [arguments[0] for arguments, _ in commands] == "release explain release mean histogram release".split()
    text = (DOCS / "five_minutes.md").read_text(encoding="utf-8")
    assert len(commands) == len(re.findall(r"^(?:\$ )?dirpriv ", text, re.M))
    for arguments, printed in commands:
        assert main(arguments) == 0
        out = capsys.readouterr().out.strip()
        if arguments[0] in ("explain", "release") and "central" not in arguments:  # nothing random
            parts = re.split(r"(?m)^\.\.\.$", printed.strip())
            assert re.fullmatch(r"[\s\S]*?".join(map(re.escape, parts)), out), out
        else:
            assert re.fullmatch(pattern(printed), out), out
    assert not re.fullmatch(pattern("mean 12:14"), "median 12:14")


def test_the_planner_prints_what_its_page_says():
    """After a change of the planner: python tools/list_plans.py --write"""
    text = list_plans.PAGE.read_text(encoding="utf-8")
    commands = [command.split()[:2] for _, command in list_plans.PLAN.findall(text)]
    assert commands == [["plan", "mean"]] * 2 + [["plan", "compare"]] and text.count("```console") == len(commands)
    assert list_plans.filled(text) == text
    first = "".join(text.partition("<!-- end of plan -->")[:2])
    wrong = first.replace("1,310 people", "1,311 people")
    assert wrong != first == list_plans.filled(wrong)


def test_the_page_of_the_commands_is_that_of_the_parsers():
    """After a change of a command: python tools/list_commands.py --write"""
    text = PAGE.read_text(encoding="utf-8")
    assert text == page()
    assert len(re.findall("^## ", text, re.M)) == len(COMMANDS) and len(re.findall("^[|] `--", text, re.M)) > 100


def test_the_picture_of_the_rules_is_that_of_the_workflow(project):
    """After a change of the rules: python tools/make_rule_graph.py"""
    graph = needs(project.snakemake("--rulegraph", "dot", "--quiet", "all"))
    shown = (DOCS / "rules.svg").read_text(encoding="utf-8")
    assert shown == picture(graph)
    assert drawn(shown) == {name: needed for name, needed in graph.items() if name != "all"}


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
    # a class that is not public has its methods at each public class that inherits them
    inherited = {
        name for name in names if name.split(".")[-2].lstrip("_")[0].isupper() and name.rpartition(".")[0] not in names
    }
    assert len(names - inherited) > 240
    assert {name: places[name] for name in names - inherited if places[name] != 1} == {}
    methods = {place.rpartition(".")[2] for place in places if place.rpartition(".")[0] in names}
    assert {name.rpartition(".")[2] for name in inherited} <= methods


def test_references_are_prose_and_print_over_nothing():
    sources = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "src").rglob("*.py"))]
    assert [one for text in sources for one in wrong_references(text)] == []
    wrong = ['.. [1] K. V. Mardia, "Statistics".', '.. [2] 1. "First".', ".. [3] (i) One.", ".. [4] - Two."]
    right = ['.. [5] Mardia, K. V., "Statistics".', ".. [6] B. Efron, in a title\n       of two lines."]
    assert wrong_references("\n".join(f"    {one}" for one in [*wrong, *right])) == wrong


def test_notebooks_are_shown_with_their_output(built):
    names = [path.stem for path in (ROOT / "notebooks").glob("*.ipynb")]
    assert {path.stem for path in (built / "notebooks").glob("*.html")} == set(names)
    for name in names:
        text = (built / f"notebooks/{name}.html").read_text(encoding="utf-8")
        drawn = text.count('show</span><span class="p">()')
        results = name == "study_results"  # there are none here
        assert drawn >= 1 and text.count('src="../_images/') == (0 if results else drawn)
        assert ("built without results of the study" in text) == results
        assert "os.chdir" not in text and 'href="../' in text


def test_figures_claims_and_article_have_pages_without_a_run(built):
    gallery, results, claims = (
        (built / f"{name}.html").read_text(encoding="utf-8") for name in ("gallery", "results", "generated/claims")
    )
    names = {path.stem for path in (DOCS / "gallery").glob("*.png")}
    assert set(re.findall(r'href="generated/figures/(\w+)\.html"><span[^>]*><img', gallery)) == names
    assert 'href="generated/claims.html"' in results and 'href="generated/article.html"' in results
    assert claims.count("<strong>") == sum(map(len, claims_by_source().values()))
    for name in ("claims", "article", "figures/survey_size"):
        text = (built / f"generated/{name}.html").read_text(encoding="utf-8")
        assert "without a run" in text and "accepted" not in text.lower()


def test_figures_claims_and_article_have_the_numbers_of_a_run(smoke_run, tmp_path, monkeypatch):
    """The rules of a run of the whole study hold for the settings, so those of the small run are taken for them."""
    sys.path.append(str(DOCS / "extensions"))
    import study_pages

    monkeypatch.setattr(study_pages, "DOCS", tmp_path)
    monkeypatch.setattr(study_pages, "run_of_study", lambda folder: {"source": {"commit": "abcdef"}})
    results = smoke_run.directory / "results"
    study_pages.write_pages(results)
    claims = (tmp_path / "generated/claims.rst").read_text(encoding="utf-8")
    figure = (tmp_path / "generated/figures/survey_size.rst").read_text(encoding="utf-8")
    assert (
        claims.count("; accepted: ") == sum(map(len, claims_by_source().values())) and study_pages.NO_RUN not in claims
    )
    assert figure.count("Measured") > 8 and ".. csv-table::" in figure and "make results FIGURE=survey_size" in figure
    pictures = [folder / "figures/survey_size.png" for folder in (smoke_run.directory, tmp_path / "generated")]
    assert pictures[0].read_bytes() == pictures[1].read_bytes()
    assert (tmp_path / "generated/article.pdf").read_bytes() == (results / "article.pdf").read_bytes()


WORDS = (
    *("ε", r"\bLDP\b", "[Gg]eo-indistinguishability", "[Ss]pherical Laplace", "PrivUnit", "[Mm]ean resultant length"),
    "[Mm]etric differential privacy",
)
"""Words of the literature, of which the first use on a page is beside a link to the glossary."""


def without_a_link(text):
    """The words that a page uses for the first time in a paragraph without a link to the glossary."""
    paragraphs = re.split(r"\n\s*\n", re.sub(r"^```.*?^```|`[^`\n]+`|\$[^$]+\$", "", text, flags=re.S | re.M))
    first = {word: next((one for one in paragraphs if re.search(word, one)), "glossary.md") for word in WORDS}
    return [word for word, paragraph in first.items() if "glossary.md" not in paragraph]


@pytest.mark.parametrize("path", [*PAGES, ROOT / "README.md"], ids=lambda path: path.stem)
def test_words_of_the_literature_lead_to_the_glossary(path):
    text = path.read_text(encoding="utf-8")
    assert path.stem in ("glossary", "commands", "gallery") or without_a_link(text) == []
    assert without_a_link(f"A cap ([PrivUnit](glossary.md)).\n\nε and LDP.\n\n{text}")[:2] == ["ε", r"\bLDP\b"]


def test_the_search_finds_words_of_the_literature(built):
    text = (built / "glossary.html").read_text(encoding="utf-8")
    terms = {re.sub("<.*?>", "", term) for term in re.findall(r'<dt id="term-[^>]*>(.*?)<a class="headerlink"', text)}
    wanted = "ε-LDP", "geo-indistinguishability", "spherical Laplace", "PrivUnit", "mean length of the resultant"
    assert terms >= {*wanted, "local model (LDP)"} and len(terms) > 60


def test_pictures_open_at_full_size_and_what_opens_has_a_name(built):
    for path in built.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert re.findall(r'(?<!">)<img [^>]*src="[^"]*_images/', text) == [], path
        assert not re.search(r"<summary>\s*<span class=.toctree-toggle", text) and "doc-biblioentry" not in text, path


def test_formulas_are_numbered_and_need_no_script(built):
    text = (built / "mathematics.html").read_text(encoding="utf-8")
    labels = re.findall(r"^:label: (\S+)", (DOCS / "mathematics.md").read_text(encoding="utf-8"), re.M)
    assert len(labels) > 10 and text.count('class="eqno"') == len(labels)
    assert text.count('display="block"') == len(labels) and "MathJax" not in text


def test_the_first_lines_of_the_readme_say_what_this_is():
    """In words that people search for, with the commands for those who publish and for those who reproduce."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    first = "\n".join(text.splitlines()[:30])
    assert "differential privacy" in first and "open reproduction" in first and "Do you hold all rows" in first
    assert re.findall(r"^make \w+|^dirpriv \w+", first, re.M) == [
        *("dirpriv release", "dirpriv release", "dirpriv histogram"),
        *("make results", "make test"),
    ]
    assert len(text.split()) <= 900
    assert len(re.findall(r"^\| (?!I have|-)", first + text[len(first) : text.index("*Level 1")], re.M)) == 5


def claims_by_source():
    """The claims of each file of config/claims/, in their order."""
    paths = (ROOT / f"config/claims/{name}.yaml" for name in ("A", "B", "N", "beyond"))
    return {path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))["claims"] for path in paths}


def wrong_counts(text, claims):
    """The rows of the README's table of claims that are not those of the claims' files."""
    said = {
        name: [*map(int, counts)] for name, *counts in re.findall(r"^\| (.+?)" + r" \| (\d+)" * 4 + r" \|$", text, re.M)
    }
    wanted = {}
    for name, of_one in zip(("Paper A", "Paper B", "The note", "Beyond the papers"), claims.values(), strict=True):
        for kind, excerpts in (("printed", ("printed",)), ("rebuilt", ("reconstructed", "absent"))):
            verdicts = [claim["verdict"] for claim in of_one.values() if claim["excerpt"] in excerpts]
            failing = verdicts.count("refuted") + verdicts.count("not reproduced")
            counts = [len(verdicts), verdicts.count("reproduced"), failing, verdicts.count("undecidable")]
            wanted |= {f"{name}, {kind}": counts} if verdicts else {}
    return [name for name in wanted | said if wanted.get(name) != said.get(name)]


def test_the_readme_counts_the_claims():
    """After a change of the claims: python tools/make_gallery.py --page"""
    text, claims = (ROOT / "README.md").read_text(encoding="utf-8"), claims_by_source()
    assert wrong_counts(text, claims) == []
    assert wrong_counts(re.sub(r"(Paper ., rebuilt \| )\d+", r"\g<1>99", text), claims) == [
        *("Paper A, rebuilt", "Paper B, rebuilt")
    ]
    del claims["A"][min(name for name, claim in claims["A"].items() if claim["excerpt"] == "printed")]
    assert wrong_counts(text, claims) == ["Paper A, printed"]


class Plain:
    """A page or notebook as plain Markdown shows it, without Sphinx: its prose, links and places."""

    def __init__(self, path):
        self.path, self.links, self.text, self.places = path, [], "", set()
        source = path.read_text(encoding="utf-8")
        if path.suffix == ".ipynb":
            cells = json.loads(source)["cells"]
            source = "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
        tokens = MarkdownIt("commonmark").enable("table").parse(source)
        for token, before in zip(tokens, [None, *tokens], strict=False):
            if token.type == "inline":
                text = self._read(token.children or [])
                self.text += f"{text}\n"
                if before.type == "heading_open":
                    self.places.add(re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-"))
            elif token.type == "html_block":
                self._anchors(token.content)

    def _read(self, tokens):
        """The text of a line; its links are noted, each with its own text."""
        text, opened = "", []
        for token in tokens:
            if token.type == "link_open":
                opened.append((token.attrs["href"], len(text)))
            elif token.type == "link_close":
                target, start = opened.pop()
                self.links.append((target, text[start:]))
            elif token.type == "image":
                alt = self._read(token.children or [])
                self.links.append((token.attrs["src"], alt))
                text += alt
            elif token.type != "html_inline":
                text += token.content or " "
        self._anchors("".join(token.content or " " for token in tokens))
        return text

    def _anchors(self, source):
        self.links += re.findall(r"""<a\s[^>]*href=["']([^"']*)["'][^>]*>(.*?)</a>""", source, re.S)

    def faults(self):
        """Links without a text or a target, and a page that shows nothing; the API is built by Sphinx."""
        found = [f"no text: {target}" for target, text in self.links if not text.strip()]
        for link, _ in self.links:
            name, _, place = link.partition("#")
            target = self.path.parent / unquote(name) if name else self.path
            if re.match(r"\w+:", link) or "generated/" in name:
                continue
            if not target.exists() or (place and target.suffix == ".md" and place not in places(target)):
                found.append(f"leads nowhere: {link}")
        return found if len(self.text.split()) > 20 else [*found, "empty"]


@functools.cache
def places(path):
    """The names of a page's headings, as links write them."""
    return Plain(path).places


@pytest.mark.parametrize("path", MARKDOWN, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_each_page_shows_its_text_and_links_without_sphinx(path):
    assert Plain(path).faults() == []


def test_a_page_that_shows_nothing_and_wrong_links_are_seen(tmp_path):
    assert MARKDOWN[0].suffix == ".md" and {DOCS / "index.md", ROOT / "README.md"} <= set(MARKDOWN)
    (tmp_path / "b.md").write_text("# One `two` (three)\n\n```{include} ../README.md\n```\n", encoding="utf-8")
    assert Plain(tmp_path / "b.md").faults() == ["empty"]
    page = tmp_path / "a.md"
    right = ["[a](b.md#one-two-three)", "[a](https://e)", "[a](.)", "<a href='b.md'>a</a>", "`[](c.md)`", "- [ ] a"]
    wrong = ["[](b.md)", "[ ](b.md)", "![](b.md)", "<a href='b.md'></a>", "[a](b.md#two)", "[a](c.md)", "[a](#d)"]
    page.write_text("\n\n".join([*right, "words " * 20]), encoding="utf-8")
    assert Plain(page).faults() == []
    page.write_text("\n\n".join([*right, *wrong, "words " * 20]), encoding="utf-8")
    nowhere = ["leads nowhere: b.md#two", "leads nowhere: c.md", "leads nowhere: #d"]
    assert sorted(Plain(page).faults()) == sorted(["no text: b.md"] * 4 + nowhere)


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
