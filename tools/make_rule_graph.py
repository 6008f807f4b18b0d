"""Make docs/rules.md, the graph of the workflow's rules as a table: python tools/make_rule_graph.py

It asks Snakemake, so run it after a change of the rules. A test compares the page with the workflow.
"""

import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/rules.md"
HEAD = """# The graph of the rules

`tools/make_rule_graph.py` makes this page from the workflow. In short:

```text
model of cities ──> check-ins ──> experiments on check-ins ──┐
                                  experiments on laws ───────┼──> collected tables ──> figures
                                                             └──> claims ──> page of the claims
```

A rule runs when what it needs is there, or has changed. `snakemake --rulegraph` prints the same, to be drawn.
"""
TITLES = {"checkins": "Check-ins", "workflow": "Shared by the experiments", "claims": "Claims"}


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
    found = {name: set() for name in names.values()}
    for before, after in re.findall(r"^\s*(\d+) -> (\d+)", dot, re.M):
        found[names[after]].add(names[before])
    return found


def order(graph):
    """Rules so that each comes after all that it needs."""
    done = []
    while len(done) < len(graph):
        done += sorted(name for name in graph if name not in done and graph[name] <= set(done))
    return done


def page(graph):
    """The text of the page."""
    folders, rows = rule_folders(), defaultdict(list)
    for name in order(graph):
        if name != "all":
            needed = ", ".join(f"`{other}`" for other in sorted(graph[name]))
            rows[folders[name]].append(f"| `{name}` | {needed} |")
    experiments = sorted(rows.keys() - TITLES.keys() - {"provenance"})
    parts = [HEAD]
    for folder in ("checkins", *experiments, "workflow", "provenance", "claims"):
        title = TITLES.get(folder, folder.replace("_", " ").capitalize())
        parts.append("\n".join([f"## {title}", "", "| rule | needs |", "|---|---|", *rows[folder]]) + "\n")
    return "\n".join(parts)


def rule_graph():
    """The graph of the rules in the dot language, as Snakemake prints it."""
    command = [sys.executable, "-m", "snakemake", "--rulegraph", "dot", "--quiet", "all"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=True).stdout


if __name__ == "__main__":
    PAGE.write_text(page(needs(rule_graph())), encoding="utf-8")
