"""Make the committed pictures of a finished run of the study: the gallery, and the verdicts.

python tools/make_gallery.py [FOLDER]
python tools/make_gallery.py --page

FOLDER is the checkout that holds the run, this one by default. The run must have the committed configuration,
with the synthetic datasets alone. The tool writes docs/gallery.md, docs/gallery/, docs/verdicts.csv,
docs/verdicts.svg, the description of the picture in docs/results.md, and the values in docs/numbers.csv. It takes
half a minute. After a change of captions or claims, --page writes docs/gallery.md and the claims of README.md
alone, without a run.

docs/numbers.csv lists the numbers that docs/results.md takes from a run, each between the words of the page
before and after it, with its place in the results. A test compares the page with these values.
"""

import csv
import itertools
import json
import math
import re
import sys
from html import escape
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import yaml
from page_tables import with_table
from PIL import Image
from scipy.stats import trim_mean

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from study.claims.claims import FAILED, REBUILT, read_claims  # noqa: E402
from study.claims.plot import COLOURS, parts  # noqa: E402
from study.claims.report_captions import descriptions  # noqa: E402
from study.claims.verdicts import AS_EXPECTED, REPRODUCED, UNDECIDABLE  # noqa: E402
from study.claims.words import count, counts, groups, read_verdicts  # noqa: E402
from study.figures import lightness  # noqa: E402
from study.workflow.report import PARTS  # noqa: E402

PAGE, PICTURES = ROOT / "docs/gallery.md", ROOT / "docs/gallery"
TABLES, VERDICTS, BARS = PICTURES / "tables.csv", ROOT / "docs/verdicts.csv", ROOT / "docs/verdicts.svg"
README, RESULTS, NUMBERS = ROOT / "README.md", ROOT / "docs/results.md", ROOT / "docs/numbers.csv"
MARKS = "<!-- claims: python tools/make_gallery.py --page -->", "<!-- end of claims -->"
LARGEST = 60_000
"""Bytes of a picture."""
SCALES, COLOURS_OF_PICTURES, APART = (0.5, 0.4, 0.3), 64, 19
"""The first scale is taken that is small enough; colours are at least this far apart."""
OF_THE_MACHINE = re.compile("sampling/|/differences[.]csv")
"""Tables of times and of rounding errors."""
QUESTIONS = {
    "What holds of what the sources claim?": "claims",
    "What does the noise look like?": "fig01_tangent_normal fig02_angular_densities fig11_angular_cdfs bfig1_axes",
    "Is the promise kept?": "privacy_loss privacy_cost audit floating_point bfig2_samplers vector_noise",
    "How many people must take part?": "survey_size trust_models persons",
    "What can reports tell?": "one_release time_histogram_example time_histogram deconvolution deconvolution_intervals "
    "place_histogram",
    "When is a venue busy?": "fig08_busyness fig12_busyness busyness_venue busyness_snapping checkins "
    "checkins_statistics",
    "How accurate is a mean?": "mean_direction_epsilon circular_mean_central circular_mean_local_epsilon "
    "circular_mean_local_responses fig10_expected_distances theorem_24",
    "Which noise is best?": "optimal_kernels optimal_errors embeddings_errors embeddings_lists",
    "Which noise is best for rotations?": "bfig3_angles rotation_errors",
    "Is the sampler right, and fast?": "sampling embeddings_algorithm_1 rotation_sampling",
}
"""The figures by the question that they answer."""
HEAD = """\
# Gallery

These figures answer questions of the study. In the built documentation, each opens with its caption, command,
claims and tables, in full size if a run is there. `tools/make_gallery.py` made the small pictures from a run of
{commit}. `make results` draws the figures, as PNG and PDF in `figures/`.

The title of a figure states its main result. A mechanism has the same colour and marker in every figure.
Filled markers and solid lines have the published calibration. Open markers and dashed lines have the tight
calibration, which uses the whole ε. Dotted lines are theory. Near-black marks errors of a source. A black
cross or ring marks a failure. A white star marks a printed number of a paper. MAE is the mean absolute
error. EMD is the earth mover's distance between two histograms.
"""


class Figure(NamedTuple):
    """A figure of the study and where the report shows it."""

    name: str
    part: str
    section: str
    title: str
    sentence: str
    tables: list


def figures_of_study():
    """All figures in the order of the report; the tables are those of the same experiment."""
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text(encoding="utf-8"))
    sources = read_claims(ROOT / "config/claims")["sources"]
    order = [(part, of["section"]) for part in PARTS if part in sources for of in sources[part]["sections"]]
    figures = []
    for path in sorted((ROOT / "src/study").rglob("caption.rst")):
        entries = descriptions([path.read_text(encoding="utf-8")])
        rules = path.with_name("rules.smk").read_text(encoding="utf-8")
        tables = [file for file in entries if file.endswith(".csv") and file != "results/claims.csv"]
        for name, part, section in re.findall(r'\bfigure\("(\w+)", "(\w+)"(?:, "([^"]+)")?\)', rules):
            title, description = entries[f"figures/{name}.png"]
            figures.append(Figure(name, part, section, title, first_sentence(description, config), tables))
    parts_of_report = list(PARTS)
    return sorted(
        figures,
        key=lambda f: (
            parts_of_report.index(f.part),
            order.index((f.part, f.section)) if (f.part, f.section) in order else 0,
            f.name,
        ),
    )


def first_sentence(text, config):
    """The first sentence of a caption, with the values of the configuration that it names.

    >>> first_sentence("Of {{ snakemake.config['a']['b'] }} draws, the\\nmean. More.", {"a": {"b": 7}})
    'Of 7 draws, the mean.'
    """
    text = with_settings(text, config)
    return re.split(r"(?<=[.]) ", " ".join(text.replace("``", "`").split()))[0]


def with_settings(text, config):
    """A caption with the values of the configuration, as Snakemake writes them into its report."""
    value = r"\{\{ snakemake\.config\['(\w+)'\]\['(\w+)'\] \}\}"
    return re.sub(value, lambda match: str(config[match[1]][match[2]]), text)


def page(figures, commit):
    """The page with all pictures, which reads as plain Markdown, too; each links to itself, or to its page."""
    lines, by_name = [HEAD.format(commit=commit)], {figure.name: figure for figure in figures}
    for question, names in QUESTIONS.items():
        lines += [f"## {question}", ""]
        for figure in (by_name[name] for name in names.split()):
            path = f"gallery/{figure.name}.png"
            lines.append(f"[![{figure.sentence}]({path}) {figure.title}]({path})")
        lines.append("")
    return "\n".join([*lines, "```{toctree}\n:hidden:\n:glob:\n\ngenerated/figures/*\n```\n"])


def commit_of_pictures():
    """The commit of the run whose pictures the page shows."""
    return re.search(r" from a run of\s(.*)[.] `make results` draws", PAGE.read_text(encoding="utf-8"))[1]


def small(path):
    """A figure at half its size or less as PNG, in the colours of which it has most."""
    with Image.open(path) as file:
        full = file.convert("RGB")
    palette = Image.new("P", (1, 1))
    palette.putpalette([value for colour in main_colours(full) for value in colour])
    for scale in SCALES:
        size = [round(scale * length) for length in full.size]
        content = BytesIO()
        reduced = full.resize(size, Image.Resampling.LANCZOS)
        reduced.quantize(palette=palette, dither=Image.Dither.NONE).save(content, "PNG", optimize=True)
        if content.tell() <= LARGEST:
            return content.getvalue()
    raise SystemExit(f"{path} does not fit into {LARGEST} bytes")


def main_colours(picture):
    """The colours that a picture has most of, without those that are nearly one of them."""
    colours = []
    for _, colour in sorted(picture.getcolors(picture.width * picture.height), reverse=True):
        if all(max(abs(a - b) for a, b in zip(colour, other, strict=True)) > APART for other in colours):
            colours.append(colour)
            if len(colours) == COLOURS_OF_PICTURES:
                break
    return colours


def summary(path):
    """Of a table the number of rows, and by column a number that follows its values, not their last digits.

    That is the mean of the middle nine tenths of the finite numbers, as the outermost can be rounding errors
    that differ by machine, or the number of different texts. Times and differences between methods that are
    the same up to rounding have none, as they differ by machine.
    """
    table = pd.read_csv(path, keep_default_na=False, na_values=[""])
    totals = {"rows": len(table)}
    for name in table:
        column = table[name].dropna()
        if not pd.api.types.is_numeric_dtype(column):
            totals[name] = column.nunique()
        elif not OF_THE_MACHINE.search(str(path)):
            values = column.astype(float)
            values = values[values.abs() < math.inf]
            totals[name] = float(f"{trim_mean(values, 0.05):.7g}") if len(values) else "none"
    return totals


def changed(folder, figures):
    """By figure the tables whose numbers in a run are not those that its picture shows.

    ``figures`` have their tables; numbers may differ by a ten thousandth, as machines round differently.
    """
    with TABLES.open(encoding="utf-8", newline="") as lines:
        shown = {row["table"]: json.loads(row["summary"]) for row in csv.DictReader(lines)}
    names = {table for figure in figures for table in figure.tables}
    different = {name for name in names if not alike(shown.get(name, {}), summary(folder / name))}
    return {f.name: sorted(different & {*f.tables}) for f in figures if different & {*f.tables}}


def alike(first, second):
    """Whether two summaries are of the same columns, and of the same numbers, apart from rounding."""

    def same(a, b):
        return a == b if "none" in (a, b) else math.isclose(a, b, rel_tol=1e-4, abs_tol=1e-8)

    return first.keys() == second.keys() and all(same(first[name], second[name]) for name in first)


def verdicts(claims, sources):
    """By who makes claims their number, those rebuilt by us, and the verdicts; one fault counts once."""
    rows_of = {}
    for who, rows in groups(claims, sources).items():
        numbers = dict.fromkeys(COLOURS, 0)
        for (kind, _), number in parts(rows).items():
            numbers[kind] += number
        rows_of[who] = {"claims": len(rows), "rebuilt": int(rows["excerpt"].isin(REBUILT).sum())} | numbers
    return rows_of


def described(claims, sources):
    """The picture of the verdicts in words."""
    return f"Verdicts by source. {counts(claims, sources)}"


def picture(claims, sources):
    """The verdicts as bars, as SVG with a background of its own: legible on light and on dark pages."""
    bars, unit, left, row, bar = groups(claims, sources), 5.4, 150, 27, 18
    height = row * len(bars) + 34
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 {height}" width="860" height="{height}"',
        ' font-family="system-ui, -apple-system, \'Segoe UI\', Helvetica, Arial, sans-serif" font-size="14">',
        f'<rect width="860" height="{height}" rx="6" fill="#ffffff"/>',
        '<pattern id="rebuilt" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
        '<rect width="1.4" height="5" fill="#ffffff"/></pattern>',
    ]

    def rectangle(x, y, width, height, fill):
        lines.append(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}"/>')

    def text(x, y, content, anchor="start", colour="#1f2328", size=14):
        style = f'text-anchor="{anchor}" fill="{colour}" font-size="{size}"'
        lines.append(f'<text x="{x:g}" y="{y:g}" {style}>{escape(str(content))}</text>')

    for place, (who, rows) in enumerate(bars.items()):
        top = 8 + place * row
        text(left - 10, top + 14, who, "end")
        x = left
        for (kind, rebuilt), number in parts(rows).items():
            width, colour = unit * number, _hex(COLOURS[kind])
            rectangle(x, top, width - 1, bar, colour)
            inside = "#000000" if lightness(colour) > 50.0 else "#ffffff"
            if rebuilt:
                rectangle(x, top, width - 1, bar, "url(#rebuilt)")
            if rebuilt and width > 20:
                rectangle(x + width / 2 - 9.5, top + 3, 18, 12, colour)
            if width > 9:
                text(x + width / 2 - 0.5, top + 13.5, number, "middle", inside, 12)
            x += width
        text(x + 8, top + 14, re.sub(r" \([^)]*\)", "", count(rows)))
    x, y = left, height - 10
    for kind, colour in COLOURS.items():
        rectangle(x, y - 10, 11, 11, _hex(colour))
        text(x + 16, y, kind, size=12)
        x += 30 + round(6.4 * len(kind))
    rectangle(x, y - 10, 11, 11, "#888888")
    rectangle(x, y - 10, 11, 11, "url(#rebuilt)")
    text(x + 16, y, "rebuilt by us", size=12)
    return "\n".join([*lines, "</svg>"]) + "\n"


def _hex(colour):
    """A colour of matplotlib for SVG, which does not know its greys."""
    return colour if colour.startswith("#") else "#" + f"{round(255 * float(colour)):02x}" * 3


def with_description(results, text):
    """The page of the results with what the picture of the verdicts shows in words."""
    return re.sub(r"!\[[^]]*\]\(verdicts\.svg\)", f"![{text}](verdicts.svg)", results)


def with_claims(readme, claims, sources):
    """The README with the expected verdicts of the papers' own claims; those that we rebuilt have their own row."""
    lines = ["| Claims of | in all | hold | fail | undecided |", "|---|--:|--:|--:|--:|"]
    for letter, (kind, excerpts) in itertools.product(sources, {"printed": ["printed"], "rebuilt": REBUILT}.items()):
        own = [one["verdict"] for one in claims.values() if one["source"] == letter and one["excerpt"] in excerpts]
        numbers = [len(own), *(sum(one in some for one in own) for some in ([REPRODUCED], FAILED, [UNDECIDABLE]))]
        if own:
            lines.append(f"| {sources[letter]['name']}, {kind} | {' | '.join(map(str, numbers))} |")
    return with_table(readme, MARKS, "\n".join([*lines, ""]))


def numbers():
    """The numbers that docs/results.md takes from a run: a row for each."""
    with NUMBERS.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def value_in(folder, row):
    """The value of a number in a run."""
    [value] = set(pd.read_csv(folder / "results" / row["table"]).query(row["rows"])[row["column"]])
    return f"{value:.7g}"


def untrue(text, rows):
    """The numbers that a text does not say: rounded to its digits, or as a bound upwards (``at most``)."""
    text, wrong = " ".join(text.split()), []
    for row in rows:
        match = re.search(rf"{re.escape(row['before'])} ([0-9.]*[0-9]){re.escape(row['after'])}", text)
        value, digits = float(row["value"]), len(match[1].partition(".")[2]) if match else 0
        value *= 100.0 if row["after"].startswith(" %") else 1.0
        bound = row["before"].endswith("at most")
        above = float(match[1]) - value if match else math.nan
        least, most = (0.0, 1.0) if bound else (-0.5, 0.5)
        if not least - 1e-9 <= above * 10.0**digits <= most + 1e-9:
            wrong.append(f"{row['before']} {row['value']}{row['after']}")
    return wrong


def run_of_study(folder):
    """What a run is made from; it must be the committed study, with its synthetic data alone."""
    if not (folder / "results/claims_confirmed.txt").exists():
        raise SystemExit(f"There is no finished run of the study in {folder}: `make results` makes one.")
    record = json.loads((folder / "results/provenance.json").read_text(encoding="utf-8"))
    wanted = yaml.safe_load((ROOT / "config/config.yaml").read_text(encoding="utf-8"))
    if other := sorted(
        name for name in record["config"].keys() | wanted if record["config"].get(name) != wanted.get(name)
    ):
        raise SystemExit(
            f"The run in {folder} has other settings than config/config.yaml: {', '.join(other)}. "
            "Run `make results` without settings of your own."
        )
    return record


def main(folder):
    """Make all pictures from the run in a folder."""
    source = run_of_study(folder)["source"]
    commit = f"commit `{source['commit'][:10]}`" + (" with changes" if source["uncommitted_changes"] else "")
    claims = read_verdicts(folder / "results/claims.csv")
    sources = read_claims(ROOT / "config/claims")["sources"]
    if other := sorted(claims["claim"][claims["status"] != AS_EXPECTED]):
        raise SystemExit(f"The run has other verdicts than config/claims/: {', '.join(other)}.")
    figures = figures_of_study()
    PICTURES.mkdir(exist_ok=True)
    for old in PICTURES.glob("*.png"):
        old.unlink()
    for figure in figures:
        (PICTURES / f"{figure.name}.png").write_bytes(small(folder / f"figures/{figure.name}.png"))
    names = sorted({table for figure in figures for table in figure.tables})
    write(TABLES, ["table", "summary"], [[name, json.dumps(summary(folder / name))] for name in names])
    PAGE.write_text(page(figures, commit), encoding="utf-8")
    of_pages = [row | {"value": value_in(folder, row)} for row in numbers()]
    write(NUMBERS, list(of_pages[0]), [row.values() for row in of_pages])
    rows = verdicts(claims, sources)
    write(VERDICTS, ["source", "claims", "rebuilt", *COLOURS], [[who, *row.values()] for who, row in rows.items()])
    BARS.write_text(picture(claims, sources), encoding="utf-8")
    results = RESULTS.read_text(encoding="utf-8")
    RESULTS.write_text(with_description(results, described(claims, sources)), encoding="utf-8")


def write(path, header, rows):
    """Write a table as CSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


if __name__ == "__main__":
    if sys.argv[1:] == ["--page"]:
        PAGE.write_text(page(figures_of_study(), commit_of_pictures()), encoding="utf-8")
        every = read_claims(ROOT / "config/claims")
        text = with_claims(README.read_text(encoding="utf-8"), every["claims"], every["sources"])
        README.write_text(text, encoding="utf-8")
    else:
        main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT)
