"""How Sphinx builds the documentation: ``make docs``. Nothing is fetched, now or when a page is read."""

import json
import os
import re
import shutil
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
PROJECT = DOCS.parent
sys.path[:0] = [str(DOCS / "extensions"), str(PROJECT / "src"), str(PROJECT / "tools")]

import nbformat  # noqa: E402
import yaml  # noqa: E402
from jupyter_client.manager import KernelManager  # noqa: E402
from make_gallery import with_settings  # noqa: E402
from pygments.lexers.special import TextLexer  # noqa: E402
from study_pages import write_pages  # noqa: E402

import dirpriv  # noqa: E402

project = "dirpriv"
project_copyright = "the dirpriv authors"
version = release = dirpriv.__version__

extensions = ["sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc", "myst_nb", "sphinx_copybutton", "mathml"]
exclude_patterns = ["_build"]
templates_path = ["templates"]
nitpicky = True

# Markdown
myst_enable_extensions = ["dollarmath", "deflist", "colon_fence"]
myst_heading_anchors = 3
myst_dmath_double_inline = True

# notebooks, executed again by each build; the results that one of them reads are those of a run beside
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_merge_streams = True
nb_execution_excludepatterns = []
KernelManager.transport_encryption.default_value = "auto"  # else each kernel warns

# the library, from its docstrings; types are in their sections
autosummary_ignore_module_all = False
# modules whose text alone is shown: their names are public in the folder above
autosummary_context = {
    "explanations": [
        "dirpriv.guarantees.shuffling",
        "dirpriv.guarantees.renyi",
        "dirpriv.mechanisms.central",
        "dirpriv.distributions.rotations",
    ]
}
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
add_module_names = False

nitpick_ignore_regex = [(r"py:\w+", r"(datetime|numpy|scipy)\..*")]  # their pages are not fetched


def keep_bars(app, what, name, obj, options, lines):
    """Show ``|x|`` in docstrings as it is: reStructuredText takes it for a substitution.

    Examples stay as they are, and so do formulas, which have a backslash.
    """
    for number, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")) and "\\" not in line:
            parts = re.split(r"(``.*?``)", line)
            lines[number] = "".join(p if p.startswith("``") else p.replace("|", "\N{DIVIDES}") for p in parts)


def fill_in(app, name, parent, content):
    """Write the values of the configuration into captions, as Snakemake does in its report."""
    config = yaml.safe_load((PROJECT / "config/config.yaml").read_text("utf-8"))
    content[0] = with_settings(content[0], config)


def results_of_the_study():
    """Those named by DIRPRIV_RESULTS, else those of the whole study, else of the smoke run, else None."""
    named = os.environ.get("DIRPRIV_RESULTS")
    found = [Path(named).resolve()] if named else [PROJECT / "results", PROJECT / ".smoke/results"]
    return next((folder for folder in found if (folder / "claims.csv").exists()), None)


def write_sources(app):
    """Take the notebooks in among the pages, and write those of the study.

    Without results, the notebook on them is shown as it is, and not executed.
    """
    shutil.rmtree(DOCS / "notebooks", ignore_errors=True)
    shutil.copytree(PROJECT / "notebooks", DOCS / "notebooks", ignore=shutil.ignore_patterns("*.md", ".*"))
    if (results := results_of_the_study()) is None:
        app.config.nb_execution_excludepatterns.append("study_results.ipynb")
    else:
        os.environ["DIRPRIV_RESULTS"] = str(results)
    write_pages(results)


def with_terms(text):
    """The glossary with its words and those of the literature as terms, which the search finds by name."""
    pairs = re.findall(r"^[*] [*][*](.+?)[*][*]: (.*?)(?=^[*] |\Z)", text, re.S | re.M)
    words = [(name, " ".join(definition.split())) for name, definition in pairs]
    seen = {name.casefold() for name, _ in words}
    for names, here in re.findall(r"^[|] ((?!In the|-).+?) [|] (.+?) [|]$", text, re.M):
        for name in re.split(r", (?![^(]*\))", names):
            if name.casefold() not in seen:
                words.append((name, f"Here: {here}."))
                seen.add(name.casefold())
    terms = "\n\n".join(f"{name}\n  {definition}" for name, definition in words)
    return text[: text.index("\n* **")] + f"\n```{{glossary}}\n:sorted:\n\n{terms}\n```\n"


def fit_source(app, name, content):
    """Let pages and copied notebooks link to each other; execute these in the folder that they come from."""
    content[0] = content[0].replace("](../notebooks/", "](notebooks/").replace("](../docs/", "](../")
    content[0] = re.sub(r"\[([^]]+)\]\((\.\./[A-Z]+\.md)\)", r"{download}`\1 <\2>`", content[0])
    content[0] = content[0].replace("](../config/claims/README.md)", "](generated/claims.rst)")
    content[0] = content[0].replace("](../src/study/article/article.yaml)", "](generated/article.rst)")
    if name == "glossary":
        content[0] = with_terms(content[0])
    if name == "gallery":
        content[0] = re.sub(r"(\.png\) .*\]\()gallery/(\w+)\.png", r"\1generated/figures/\2.rst", content[0])
    if not name.startswith("notebooks/"):
        return
    notebook = json.loads(content[0])
    first = nbformat.v4.new_code_cell(f"import os\nos.chdir({str(PROJECT / 'notebooks')!r})\ndel os")
    first.metadata["tags"] = ["remove-cell"]
    notebook["cells"].insert(0, first)
    if app.config.nb_execution_excludepatterns == [Path(name).name + ".ipynb"]:
        text = "```{note}\nThis page was built without results of the study, so no cell has its output.\n```"
        notebook["cells"].insert(2, nbformat.v4.new_markdown_cell(text))
    content[0] = json.dumps(notebook)


NAMED = {
    '<summary><span class="toctree-toggle"': '<summary aria-label="Pages below"><span class="toctree-toggle"',
    'title="Search" aria-label="Search"': 'title="Search" aria-label="Search Ctrl+K"',
    '<summary aria-label="Toggle hidden content">': "<summary>",
    'role="doc-biblioentry"': 'role="listitem"',
}
"""What a screen reader cannot name, or would name unlike the text beside it, as Sphinx and its extensions write it."""
PICTURE = re.compile(r'(<a [^>]*>\s*(?:<span[^>]*>\s*)?)?<img [^>]*src="([^"]*_images/[^"]+)"[^>]*>')


def finish_pages(app, error):
    """Name what has no name, let pictures open at full size, and link the page with sliders to the built pages."""
    for path in Path(app.outdir).rglob("*.html"):
        text = path.read_text("utf-8")
        for old, new in NAMED.items():
            text = text.replace(old, new)
        text = PICTURE.sub(lambda found: found[0] if found[1] else f'<a href="{found[2]}">{found[0]}</a>', text)
        if path.name == "levels.html":  # it is copied as it is
            text = re.sub(r'href="(\w+)\.md"', r'href="\1.html"', text)
        path.write_text(text, "utf-8")


def setup(app):
    """Connect to the events of Sphinx."""
    app.connect("autodoc-process-docstring", keep_bars)
    app.connect("builder-inited", write_sources)
    app.connect("include-read", fill_in)
    app.connect("source-read", fit_source)
    app.connect("build-finished", finish_pages)
    app.add_lexer("csv", TextLexer)


# what is copied: of commands and examples what one types, without prompts and output
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "pydata_sphinx_theme"
html_title = f"dirpriv {release}"
html_math_renderer = "mathml"
html_static_path = ["static"]
html_css_files = ["dirpriv.css"]
html_extra_path = ["levels.html", "levels.css", "levels.js", "levels.distributions.js"]  # the page with sliders
html_show_sourcelink = False
html_sidebars = {"**": ["all_pages"]}  # templates/all_pages.html
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "show_prev_next": True,
    "secondary_sidebar_items": {"**": ["page-toc"], "tables": []},  # its table needs the width
    "footer_start": ["copyright"],
    "footer_end": [],
}
