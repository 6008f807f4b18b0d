"""Write the table of docs/tables.md: each table of results, and what its caption says of it.

python tools/list_tables.py --write, after a change of a caption. The captions are those of the report, filled with the
settings of config/config.yaml.
"""

import re
from pathlib import Path

import yaml
from page_tables import renew, with_table

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/tables.md"
MARKS = "<!-- tables -->", "<!-- end of tables -->"
HEAD = "| table | what |\n|---|---|\n"
ENTRY = re.compile(r"^results/(\w+/\S+\.csv) : (.*)\n((?:    .*\n?)+)", re.M)
SETTING = re.compile(r"\{\{ snakemake\.config\['(\w+)'\]\['(\w+)'\] \}\}")


def table():
    """The table of all tables that have a caption, by folder."""
    settings = yaml.safe_load((ROOT / "config/config.yaml").read_text(encoding="utf-8"))
    rows = []
    for path in [ROOT / "src/study/checkins/caption.rst", *(ROOT / "src/study/experiments").glob("*/caption.rst")]:
        for name, title, text in ENTRY.findall(path.read_text(encoding="utf-8")):
            words = SETTING.sub(lambda setting: str(settings[setting[1]][setting[2]]), " ".join(text.split()))
            rows.append(f"| `{name}` | {title}. {words.replace('``', '`')} |\n")
    return HEAD + "".join(sorted(rows, key=lambda row: row.split("/")[0]))


def filled(text):
    """The page with this table."""
    return with_table(text, MARKS, table())


if __name__ == "__main__":
    renew(PAGE, filled)
