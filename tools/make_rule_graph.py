"""Draw docs/rules.svg, the graph of the workflow's rules: python tools/make_rule_graph.py

It asks Snakemake, so run it after a change of the rules. A test compares the picture with the workflow.
"""

import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs/rules.svg"
COLUMNS = (140, 330, 555, 745)
"""Left ends of the boxes: two columns that compute cells, one that compares, one that draws."""
BOX, LINE, SOURCE, COLLECTED = (178, 22), 30, 128, 532
"""Width and height of a box, height of a line, and where the two vertical lines stand."""
WHOLE = ("all", "write_claims_page", "write_article", "require_expected_claims")
"""Rules that need all final results: their edges are not drawn."""
HEAD = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 936 {height}" width="936" height="{height}" '
    'font-family="sans-serif" font-size="11">\n'
    "<style>rect{{fill:#eef3f8;stroke:#5b7a99}} path{{fill:none;stroke:#8a8f98;stroke-width:1.3}} "
    ".name{{font-weight:bold}} .joint{{fill:#8a8f98}}</style>\n"
    '<rect width="936" height="{height}" style="fill:#fff;stroke:none"/>'
)


def rule_folders():
    """The folder of each rule that one of the study's files of rules defines."""
    return {
        name: path.parent.name
        for path in ROOT.glob("src/study/**/rules.smk")
        for name in re.findall(r"^rule (\w+):", path.read_text(encoding="utf-8"), re.M)
    }


def needs(dot):
    """The rules that each rule needs, from a graph of rules in the dot language."""
    names = dict(re.findall(r'^\s*(\d+)\[label = "(\w+)"', dot, re.M))
    parents = {name: set() for name in names.values()}
    for before, after in re.findall(r"^\s*(\d+) -> (\d+)", dot, re.M):
        parents[names[after]].add(names[before])
    return parents


def drawn(picture):
    """The rules that each rule needs, as a picture has them."""
    boxes = re.findall(r'<g data-rule="(\w+)" data-needs="([\w ]*)">', picture)
    return {name: set(needed.split()) for name, needed in boxes}


def places(graph):
    """Column and line of each rule, and the line of each experiment's name."""
    folders, rows = rule_folders(), defaultdict(list)
    for name in sorted(graph.keys() - {"all", "collect_results"}):
        rows[folders[name]].append(name)
    positions, titles, line = {}, {}, 0
    last = ("provenance", "claims", "article")
    for folder in ("checkins", *sorted(rows.keys() - {"checkins", "workflow", *last}), *last):
        filled = defaultdict(int)
        titles[folder] = line
        for name in sorted(rows[folder], key=lambda name: (depth(graph, name), name)):
            column = column_of(name, graph, rows[folder])
            positions[name] = column, line + filled[column]
            filled[column] += 1
        line += max(filled.values(), default=0)
    return positions, titles, line


def depth(graph, name):
    """How many rules come before it, one after the other."""
    return 1 + max((depth(graph, other) for other in graph[name]), default=0)


def column_of(name, graph, folder):
    """The column of a rule among those of its folder."""
    if name.startswith("plot_") or name in ("require_expected_claims", "compare_checkins"):
        return 3
    if name.startswith("write_"):
        return 2
    if name.startswith(("compare_", "describe_")):
        return 2
    return 1 if graph[name] & set(folder) else 0


def picture(graph):
    """The picture as SVG."""
    positions, titles, lines = places(graph)
    (width, height), top = BOX, 40

    def middle(line):
        return top + LINE * line + height / 2

    read = sorted(graph["check_claims"])
    parts = [HEAD.format(height=round(top + LINE * lines + 10))]
    for folder, line in titles.items():
        title = folder.replace("_", " ")
        parts.append(f'<text x="8" y="{middle(line) + 4:g}" class="name">{title}</text>')
    buses = {"prepare_checkins": SOURCE, "collect_results": COLLECTED}
    reached = defaultdict(list)
    for name in sorted(graph.keys() - {*WHOLE, "check_claims", "collect_results"}):
        column, line = positions[name]
        x, y = COLUMNS[column], middle(line)
        for other in sorted(graph[name]):
            if other in buses and (other == "collect_results" or column == 0):
                parts.append(f'<path d="M{buses[other]} {y:g}H{x}"/>')
                reached[other].append(y)
            else:
                start, row = positions[other]
                right, level = COLUMNS[start] + width, middle(row)
                bend = right + 7 if start < column else right + 3
                parts.append(f'<path d="M{right} {level:g}H{bend}V{y:g}H{x}"/>')
    for name in sorted(graph["collect_results"]):
        column, line = positions[name]
        reached["collect_results"].append(middle(line))
        parts.append(f'<path d="M{COLUMNS[column] + width} {middle(line):g}H{COLLECTED}"/>')
    column, line = positions["prepare_checkins"]
    low, under = middle(line) + 20, COLUMNS[column] + width / 2
    reached["prepare_checkins"].append(low)
    parts.append(f'<path d="M{under:g} {middle(line):g}V{low:g}H{SOURCE}" stroke-width="2.5"/>')
    for other, x in buses.items():
        parts.append(f'<path d="M{x} {min(reached[other]):g}V{max(reached[other]):g}" stroke-width="2.5"/>')
        parts += [f'<circle class="joint" cx="{x}" cy="{y:g}" r="3.5"/>' for y in sorted({*reached[other]})]
    parts.append(
        f'<g data-rule="collect_results" data-needs="{" ".join(sorted(graph["collect_results"]))}">'
        f'<rect x="{COLLECTED - 48}" y="6" width="96" height="{height}"/>'
        f'<text x="{COLLECTED - 3}" y="21" text-anchor="middle">collect_results</text>'
        f'<circle cx="{COLLECTED + 42}" cy="17" r="3"/></g>'
        f'<path d="M{COLLECTED} 28V{min(reached["collect_results"]):g}" stroke-width="2.5"/>'
    )
    for name, (column, line) in positions.items():
        x, y = COLUMNS[column], middle(line)
        dot = f'<circle cx="{x + width - 8}" cy="{y:g}" r="3"/>' if name in read else ""
        parts.append(
            f'<g data-rule="{name}" data-needs="{" ".join(sorted(graph[name]))}">'
            f'<rect x="{x}" y="{y - height / 2:g}" width="{width}" height="{height}"/>'
            f'<text x="{x + 6}" y="{y + 4:g}">{name}</text>{dot}</g>'
        )
    return "\n".join([*parts, "</svg>\n"])


def rule_graph():
    """The graph of the rules in the dot language, as Snakemake prints it."""
    command = [sys.executable, "-m", "snakemake", "--rulegraph", "dot", "--quiet", "all"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=True).stdout


if __name__ == "__main__":
    PICTURE.write_text(picture(needs(rule_graph())), encoding="utf-8")
