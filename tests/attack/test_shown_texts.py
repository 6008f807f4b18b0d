"""Texts that a template, a page, a figure or a terminal would act on: shown as they are, and nothing runs."""

import html
import io
import json
import logging
import os
import re
import subprocess
from pathlib import Path
from types import SimpleNamespace

import forking
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import yaml
from checkouts import environment, forks
from docutils.core import publish_parts
from docutils.writers.html4css1 import Writer
from jinja2 import Environment
from serving import Handler, serving

from dirpriv import pictures
from study import figures
from study.checkins import plot as plot_checkins
from study.checkins.describe import overview
from study.checkins.download import download
from study.checkins.faulty_lines import KINDS
from study.claims import page as claims_page
from study.claims import plot as plot_claims
from study.claims.check import check
from study.claims.report_captions import PAGE, front_page
from study.claims.report_captions import caption as claims_caption
from study.provenance.collect import caption as provenance_caption
from study.workflow import printable as texts
from study.workflow.job import InputError, JobProgress, job
from study.workflow.settings import Section, key
from study.workflow.settings import check as check_settings

RAN = Path("ran")
RUN = "cycler.__init__.__globals__.os.system('touch ran')"
# each holds what another place would act on: templates, pages, mathematics, reStructuredText, terminals
TEXTS = {
    "templates": "a {{ " + RUN + " }} {% for i in range(9) %}{{ i }}{% endfor %} {# b #} } {{{ }}} {%",
    "an end of raw text": "{% endraw %}{{ " + RUN + " }}{% raw %}",
    "an end of raw text that trims": "{%- endraw -%}{{ " + RUN + " }}{%- raw -%}",
    "a script": "\" onload='alert(1)' x=\"&lt;</script><script>alert(1)</script><!-- <script>",
    "mathematics": r"a$_$ and $x^2$ \$a\\$ $b$\$ a$b \ \\ c \n \x1b",
    "markup": "`a <javascript:x>`_ :raw:`b` |c| *d* **e** ``f`` g_\n\n.. raw:: html\n\n   <script>alert(1)</script>\n\n"
    ".. include:: /etc/passwd",
    "an escape": "a\x1b[31mred\x1b]0;title\x07 b\u202ec\u2066d\x85e\u2028f\u2029g\x0bh\x0ci\rj",
}
DRAWN = "mathematics", "an escape"


@pytest.fixture(params=TEXTS.values(), ids=TEXTS)
def text(request, tmp_path, monkeypatch):
    """One of the texts; nothing that it holds has run at the end."""
    monkeypatch.chdir(tmp_path)
    yield request.param
    assert not RAN.exists()


printable = texts.printable


def squeezed(text):
    return " ".join(text.split())


def rendered(caption):
    """The words of a caption as :mod:`snakemake.report` renders it."""
    template = Environment(trim_blocks=True, lstrip_blocks=True).from_string(caption)
    shown = template.render(snakemake=SimpleNamespace(config={}), categories={}, files=[])
    body = publish_parts(shown, writer=Writer())["body"]
    assert "<script" not in body and "system-message" not in body
    assert set(re.findall('href="(.*?)"', body)) <= {f"javascript:app.showResultInfo('{PAGE}')"}
    return html.unescape(re.sub(r"<!--.*?-->|<[^>]*>", "", body, flags=re.S))


# The report.


def test_the_configuration_in_a_caption(text):
    config = {"datasets": {"mine": {"path": {"url": text, "member": text}}}, text: [text]}
    said = provenance_caption(config, {"numpy": text}, {"commit": "0" * 40, "uncommitted_changes": False})
    words = rendered(said)
    values = yaml.safe_dump(config, allow_unicode=True, default_flow_style=None, width=80)
    shown = words.partition("Configuration:\n")[2]
    assert [line.strip() for line in shown.splitlines() if line.strip()] == [
        line.strip() for line in printable(values).split("\n") if line.strip()
    ]
    assert squeezed(printable(text)) in squeezed(words.partition("Configuration")[0])


def test_the_raw_block_of_before_runs_code(tmp_path, monkeypatch):
    """The wrong variant."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AssertionError):
        rendered("a::\n\n{% raw %}\n    " + TEXTS["an end of raw text"] + "\n{% endraw %}\n")
    assert RAN.exists()


def test_a_text_in_a_caption(text):
    for said in (texts.escaped(text), f"::\n\n{texts.literal(text)}"):
        assert squeezed(printable(text)) in squeezed(rendered(f"Before\n\n{said}\n\nAfter"))


CLAIM = {
    "source": "A", "place": "Theorem 0", "excerpt": "printed", "kind": "statement", "verdict": "refuted",
    "figure": "one", "relation": "above", "expected": 1.0,
    "measure": {"table": "t/t.csv", "where": {"distribution": "a"}, "by": ["kappa"], "value": "value", "exact": True},
}  # fmt: skip
TABLE = pd.DataFrame({"distribution": ["a", "a"], "kappa": [1.0, 2.0], "value": [2.0, 8.0]})
SETTINGS = {"confidence": 0.95, "certainty": 0.999999, "timings": True}
SAID = ("title", "says", "quantity", "unit", "because", "finding", "reconstruction")


def found_of(text):
    """The table of one claim in which all that is said is this text, and its sources."""
    claim = CLAIM | dict.fromkeys(SAID, text)
    found = check({"one": claim}, lambda name: TABLE, SETTINGS)
    sources = {"A": {"name": text, "title": text, "excerpts": text, "sections": []}}
    return found.assign(reason=text, where=text, counter_example=text, accepted=text), sources


def test_a_claim_in_a_caption_and_on_the_front_page(text):
    found, sources = found_of(text)
    for said in (
        claims_caption("figures/one.png", "One", "It is seen.", found, sources),
        front_page(found, [(next(found.itertuples()), text, [])], sources),
    ):
        assert squeezed(rendered(said)).count(squeezed(printable(text))) >= 2


def test_a_claim_on_the_page_of_claims(text):
    found, sources = found_of(text)
    page = claims_page.page(found, sources, {}, {})
    body = page.partition("<body>")[2].rpartition("<script>")[0]
    assert "alert(1)</script>" not in body and "<script" not in body
    shown = html.unescape(re.sub(r"<[^>]*>", "", body))
    assert squeezed(shown).count(squeezed(printable(text))) >= len(SAID)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]", page)


SNAKEFILE = """
import json, os, sys
sys.path.insert(0, {source!r})
from study.workflow.printable import parameter
TEXTS = json.loads(open("texts.json").read())
rule all:
    output:
        report("shown.txt", caption=os.path.abspath("caption.rst"), category="a", labels={{"result": "b"}}),
    params:
        config=lambda wildcards: {parameter},
        member=lambda wildcards: TEXTS[0],
    message: "Unpack {{params.member}}"
    shell: "echo c > {{output}}"
"""


def report_of(folder, caption, param):
    """The report that Snakemake writes of one file."""
    (folder / "texts.json").write_text(json.dumps(list(TEXTS.values())))
    (folder / "caption.rst").write_text(caption, encoding="utf-8")
    source = str(Path(claims_page.__file__).parents[2])
    (folder / "Snakefile").write_text(SNAKEFILE.format(source=source, parameter=param))
    for arguments in (["--cores", "1"], ["--report", "report.html"]):
        command = forking.command(forks(), "-m", "snakemake", "--quiet", "rules", *arguments)
        subprocess.run(command, cwd=folder, env=environment(), capture_output=True, check=True)
    return (folder / "report.html").read_text(encoding="utf-8")


def results_of(page):
    """What a browser makes of the results in a report: the script ends at the first end of one."""
    script = re.search(r'<script id="results">\s*var results = (.*?)</script>', page, re.S)[1]
    return json.loads(script.strip().removesuffix(";"))["shown.txt"]


def test_a_whole_report(tmp_path):
    said = provenance_caption({"texts": list(TEXTS.values())}, {}, {"commit": "0", "uncommitted_changes": None})
    shown = results_of(report_of(tmp_path, said, "parameter(TEXTS)"))
    assert not (tmp_path / RAN).exists()
    words = squeezed(html.unescape(re.sub(r"<[^>]*>", "", shown["caption"])))
    assert TEXTS["an end of raw text"].replace("'", "''") in words
    params = shown["job_properties"]["params"].replace(r"\"", '"')
    told = json.loads(params.removeprefix("config=").rpartition(", member=")[0])
    assert told == list(TEXTS.values())


def test_a_whole_report_of_before(tmp_path):
    """The wrong variant: code runs, and a text ends the script in which the results are."""
    said = "a::\n\n{% raw %}\n    " + TEXTS["an end of raw text"] + "\n{% endraw %}\n"
    page = report_of(tmp_path, said, "TEXTS")
    assert (tmp_path / RAN).exists()
    with pytest.raises(json.JSONDecodeError):
        results_of(page)


# Figures.


def picture(words, **options):
    """The pixels of a text."""
    with figures.styled():
        figure = plt.figure(figsize=(6, 1))
        figure.text(0.01, 0.5, words, **options)
        pixels = io.BytesIO()
        figure.savefig(pixels, format="raw")
        plt.close(figure)
    return pixels.getvalue()


@pytest.mark.parametrize("text", [TEXTS[name] for name in DRAWN], ids=DRAWN)
def test_a_text_in_a_figure_of_the_study(text):
    assert picture(figures.without_formulas(text)) == picture(printable(text), parse_math=False)


def test_a_text_that_is_taken_for_mathematics():
    """The wrong variants."""
    assert picture("a $x^2$") != picture("a $x^2$", parse_math=False)
    with pytest.raises(ValueError, match=r"ParseException|Expected"):
        picture("a$_$ and $x^2$")


def drawn(figure):
    """The texts of a figure, as they are drawn."""
    return [one.get_text() for one in figure.findobj(plt.Text)]


@pytest.mark.parametrize("text", [TEXTS[name] for name in DRAWN], ids=DRAWN)
def test_a_claim_and_a_dataset_in_a_figure(text):
    found, sources = found_of(text)
    hours = np.arange(24.0)
    counts = plot_checkins.CheckinCounts(text, np.arange(3.0), np.arange(3.0), np.ones((2, 2)), hours, False)
    with figures.styled():
        for figure in (plot_claims.draw(found, sources), plot_checkins.draw([counts])):
            figure.canvas.draw()
            spaces = re.compile(r"[_ \n]")  # where lines are broken, or names are written out
            assert figures.without_formulas(spaces.sub("", text)) in spaces.sub("", "".join(drawn(figure)))
            plt.close(figure)
        assert figures.population_title(text) == f"check-ins: {figures.without_formulas(text.replace('_', ' '))}"
        assert plot_checkins.style_of(text, 0)["label"] == figures.dataset_title(text)


@pytest.mark.filterwarnings("ignore:Glyph")  # the font has no control characters
@pytest.mark.parametrize("text", [TEXTS[name] for name in DRAWN], ids=DRAWN)
def test_a_column_in_a_picture_of_the_command(text):
    found = SimpleNamespace(
        edges=np.linspace(0.0, 2.0 * np.pi, 25), shares=np.full(24, 1 / 24), low=np.full(24, 0.01),
        high=np.full(24, 0.1), warning="", count=100, confidence=0.95, intervals="distribution-free",
    )  # fmt: skip
    figure = pictures.draw_histogram(found, title=text, guarantee=text)
    figure.savefig(io.BytesIO())
    shown = [one for one in figure.findobj(plt.Text) if text in one.get_text()]
    assert len(shown) >= 2 and not any(one.get_parse_math() for one in shown)


# Terminals and logs.


@pytest.mark.parametrize("kind", [InputError, ValueError])
def test_an_error_in_a_log_and_on_a_terminal(text, kind):
    rule = SimpleNamespace(log=["log.txt"], rule="r", params={})
    with pytest.raises(SystemExit) as raised, job(rule) as logger:
        logger.info("%s", text)
        raise kind(text)
    for said in (str(raised.value), Path("log.txt").read_text(encoding="utf-8")):
        assert printable(text) in said and all(map(printable_character, said))
    logging.shutdown()


def printable_character(letter):
    return letter == "\n" or printable(letter) == letter


def test_progress_and_a_configuration_that_is_refused(text):
    stream = io.StringIO()
    progress = JobProgress(text, 10, every=-1.0, stream=stream)
    progress.update(5)

    class Model(Section):
        """a section"""

        number: int = key("a number")

    with pytest.raises(InputError) as refused:
        check_settings({"number": text, text: 1}, Model)
    said = str(refused.value)
    assert printable(text) in stream.getvalue() and all(map(printable_character, stream.getvalue() + said))
    assert said.count("\n") == 2 and printable(text).replace("\n", "\\n") in said


def test_what_a_server_says(tmp_path):
    """Its words are not shown at all: neither those of its status nor where it sends us."""
    answers = [(404, {}), (302, {"Location": "javascript:theirs"}), (499, {})]

    class Server(Handler):
        def do_GET(self):
            status, headers = answers.pop(0)
            self.send_response(status, "theirs {{ 7 }} \x1b[31m <script>")
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()

    with serving(Server) as server:
        while answers:
            with pytest.raises(InputError, match="cannot be downloaded") as refused:
                download(f"http://127.0.0.1:{server.server_port}/x", "0" * 64, tmp_path / "file")
            assert not re.search("theirs|{{|\x1b|<", str(refused.value))


# Tables.


def test_names_of_files_in_the_table_of_datasets(text):
    """They begin no formula of a spreadsheet, and have no control characters."""
    summary = dict.fromkeys(("rows_read", "rows_rejected", "rows_prepared", "duplicates", "users"), "1")
    summary |= dict.fromkeys(("venues", "categories", *(f"rejected_{kind}" for kind in KINDS)), "1")
    summary |= {f"{end}_local_time": "2012-04-03 18:00:09" for end in ("first", "last")}
    name = "=" + text.replace("/", "")
    entry = {"layout": "snap", "path": os.path.join("folder", name)}
    [shown] = overview({"mine": entry}, {"mine": summary})["files"]
    assert shown.startswith("\\x3d") and not re.search("[\x00-\x08\x0a-\x1f\x7f-\x9f]", shown)
