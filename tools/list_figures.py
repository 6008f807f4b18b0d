"""Write the table of docs/one_figure.md: how each figure is made, how long that takes, and what its settings are.

python tools/list_figures.py --write, after a change of the rules or of src/study/workflow/benchmarks.csv. Which rules a
figure needs is read from docs/rules.svg, the seconds from the benchmarks, the sections from the rules.
"""

import csv
import re
from pathlib import Path

from make_gallery import figures_of_study
from make_rule_graph import PICTURE, drawn, rule_folders
from page_tables import renew, with_table

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/one_figure.md"
BENCHMARKS = ROOT / "src/study/workflow/benchmarks.csv"
MARKS = "<!-- figures -->", "<!-- end of figures -->"
HEAD = "| figure | command | seconds | sections of the configuration |\n|---|---|--:|---|\n"


def rule_texts():
    """The text of each rule, with what its file has before the first rule."""
    texts = {}
    for path in ROOT.glob("src/study/**/rules.smk"):
        head, *parts = re.split(r"^rule (\w+):\n", path.read_text(encoding="utf-8"), flags=re.M)
        for name, text in zip(parts[::2], parts[1::2], strict=True):
            texts[name] = head + re.split(r"^(?=\S)", text, flags=re.M)[0]
    return texts


def rules_behind(rule, graph, texts, folders):
    """A rule and all that it needs; of the rules whose tables are collected, those of the tables that a rule reads."""
    needed, behind = [rule], set()
    while needed:
        one = needed.pop()
        if one not in behind:
            behind.add(one)
            needed += graph[one] - {"collect_results"}
            if "collect_results" in graph[one]:
                read = set(re.findall(r'"results/(\w+)/\1\.csv"', texts[one]))
                needed += [cells for cells in graph["collect_results"] if folders[cells] in read]
    return behind


def table():
    """The table of all figures, in the order of the gallery."""
    graph, texts, folders = drawn(PICTURE.read_text(encoding="utf-8")), rule_texts(), rule_folders()
    with BENCHMARKS.open(encoding="utf-8", newline="") as file:
        seconds = {row["rule"]: float(row["seconds"]) for row in csv.DictReader(file)}
    drawn_by = {name: rule for rule, text in texts.items() for name in re.findall(r'figure\(\s*"(\w+)"', text)}
    lines = []
    for figure in figures_of_study():
        behind = rules_behind(drawn_by[figure.name], graph, texts, folders)
        sections = {name for rule in behind for name in re.findall(r'config\["(\w+)"\]', texts[rule])} - {"seed"}
        sections |= {"datasets"} if "prepare_checkins" in behind else set()
        own = folders[drawn_by[figure.name]]
        names = sorted(sections, key=lambda name: (name != own, name))
        total = sum(seconds.get(rule, 0.0) for rule in behind)
        if own == "claims":
            names = ["all"]
        cells = figure.name, f"`make results FIGURE={figure.name}`", f"{total:.0f}", ", ".join(names)
        lines.append(f"| {' | '.join(cells)} |\n")
    return HEAD + "".join(lines)


def filled(text):
    """The page with this table."""
    return with_table(text, MARKS, table())


if __name__ == "__main__":
    renew(PAGE, filled)
