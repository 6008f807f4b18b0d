"""What changed between two sets of results: configuration, verdicts, cells of tables, figures.

python tools/compare_results.py FOLDER OTHER [--all]

Both folders hold results/ and figures/, as `make results INTO=OTHER` makes one. `make compare INTO=OTHER` compares the
checkout with it. Of each kind the first lines are shown, or all. Needs only Python.
"""

import csv
import json
import sys
from collections import Counter
from pathlib import Path

GRID = ("dim", "epsilon", "level", "distance")
"""Columns of numbers by which rows are told apart, besides columns of texts."""
MOST = 20  # lines of one kind
NOT_COMPARED = ("benchmarks.csv", "claims.csv")


def is_number(text):
    """Whether a cell has a number, or nothing."""
    try:
        return text == "" or float(text) == float(text)
    except ValueError:
        return False


def flat(value, path=""):
    """The values of nested mappings by their dotted paths."""
    if not isinstance(value, dict):
        return {path: value}
    return {key: leaf for name, part in value.items() for key, leaf in flat(part, f"{path}.{name}".strip(".")).items()}


def rows_of(path):
    """The rows of a table, and its columns."""
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        return list(reader), list(reader.fieldnames or ())


def by_key(rows, keys):
    """Rows by the values of the columns that tell them apart; equal ones are numbered."""
    counts, table = Counter(), {}
    for row in rows:
        key = tuple(row[name] for name in keys)
        table[*key, counts[key]] = row
        counts[key] += 1
    return table


def changed_cells(first, second):
    """Of two tables: what changed in words, or nothing."""
    (rows, columns), (others, other_columns) = first, second
    shared = [name for name in columns if name in other_columns]
    every = [*rows, *others]
    keys = [name for name in shared if name in GRID or not all(is_number(row[name]) for row in every)]
    tables = by_key(rows, keys), by_key(others, keys)
    both = [key for key in tables[0] if key in tables[1]]
    changes = Counter(n for key in both for n in shared if tables[0][key][n] != tables[1][key][n])
    parts = [f"{sum(changes.values())} of {len(both) * len(shared)} cells differ"] if changes else []
    if changes:
        numbers = [relative(tables[0][key][n], tables[1][key][n], n, key) for key in both for n in changes]
        size, name, key = max(numbers, key=lambda entry: entry[0])
        where = ", ".join(map(str, key[:-1]))
        parts += [f"most in {name}, by {size:.2g} of the value, at {where}"] if size else []
    for count, text in ((len(tables[0]) - len(both), "first"), (len(tables[1]) - len(both), "second")):
        parts += [f"{count} rows only in the {text}"] if count else []
    parts += (
        [f"columns {sorted({*columns} ^ {*other_columns})} only in one"] if set(columns) != set(other_columns) else []
    )
    return "; ".join(parts)


def relative(one, other, name, key):
    """By what share of the larger of two numbers they differ, with the column and the row."""
    if one == other or "" in (one, other) or not (is_number(one) and is_number(other)):
        return 0.0, name, key
    a, b = float(one), float(other)
    return abs(a - b) / max(abs(a), abs(b)), name, key


def changed_configuration(first, second):
    """Lines on keys of the configuration, versions and source that differ."""
    records = [flat(json.loads((folder / "results/provenance.json").read_text())) for folder in (first, second)]
    lines, digests = [], 0
    for key in sorted({*records[0], *records[1]}):
        values = [json.dumps(record[key], ensure_ascii=False) if key in record else "-" for record in records]
        if values[0] != values[1]:
            digests += key.startswith("source.digests.")
            if not key.startswith("source.digests."):
                lines.append(f"{key.removeprefix('config.')}: {values[0]} → {values[1]}")
    return lines + ([f"the code of {digests} rules and classes"] if digests else [])


def changed_verdicts(first, second):
    """Lines on claims that have another verdict, and how many have another value."""
    tables = [{row["claim"]: row for row in rows_of(folder / "results/claims.csv")[0]} for folder in (first, second)]
    claims, lines = dict.fromkeys(tables[0] | tables[1]), []
    for claim in claims:
        verdicts = [table[claim]["verdict"] if claim in table else "-" for table in tables]
        if verdicts[0] != verdicts[1]:
            values = [table.get(claim, {}).get("value", "-") for table in tables]
            lines.append(f"{claim}: {verdicts[0]} ({values[0]}) → {verdicts[1]} ({values[1]})")
    both = [claim for claim in claims if claim in tables[0] and claim in tables[1]]
    moved = sum(tables[0][claim]["value"] != tables[1][claim]["value"] for claim in both)
    return lines + ([f"{moved} of {len(both)} claims have another value"] if moved else [])


def names_in(folder, pattern):
    """Files of a folder by a pattern, by their names in it."""
    return {path.relative_to(folder).as_posix(): path for path in folder.glob(pattern) if path.is_file()}


def changed_files(first, second, pattern, compare):
    """Lines on files that only one folder has, or that differ."""
    files, lines = (names_in(first, pattern), names_in(second, pattern)), []
    for name in sorted({*files[0], *files[1]}):
        if name not in files[0] or name not in files[1]:
            lines.append(f"{name}: only in the {'first' if name in files[0] else 'second'}")
        elif text := compare(files[0][name], files[1][name]):
            lines.append(f"{name}: {text}")
    return lines


def compared(first, second):
    """By a heading, the lines on what changed."""

    def tables(one, other):
        same = one.name in NOT_COMPARED or one.read_bytes() == other.read_bytes()
        return "" if same else changed_cells(rows_of(one), rows_of(other))

    def pictures(one, other):
        return "" if one.read_bytes() == other.read_bytes() else "differs"

    parts = {"Configuration, versions, source": changed_configuration, "Verdicts": changed_verdicts}
    needed = {"Configuration, versions, source": "provenance.json", "Verdicts": "claims.csv"}
    lines = {}
    for heading, compare in parts.items():
        there = all((folder / "results" / needed[heading]).is_file() for folder in (first, second))
        lines[heading] = compare(first, second) if there else [f"results/{needed[heading]} is not in both"]
    lines["Tables"] = changed_files(first, second, "results/**/*.csv", tables)
    lines["Figures"] = changed_files(first, second, "figures/*.png", pictures)
    return lines


def main(folders):
    """Print what changed; without ``--all``, more than ``MOST`` lines of one kind are counted."""
    most = None if "--all" in folders else MOST
    folders = [folder for folder in folders if folder != "--all"]
    if len(folders) != 2:
        sys.exit(__doc__)
    first, second = map(Path, folders)
    for folder in (first, second):
        if not (folder / "results").is_dir():
            sys.exit(f"{folder} has no results/; make them with `make results INTO={folder}`")
    print(f"first: {first}, second: {second}")
    for heading, lines in compared(first, second).items():
        print(f"{heading}: {len(lines) or 'no'} difference{'s' * (len(lines) != 1)}")
        more = [f"and {len(lines) - most} more; --all shows them"] if most and len(lines) > most else []
        print(*(f"  {line}" for line in [*lines[:most], *more]), sep="\n", end="\n" if lines else "")


if __name__ == "__main__":
    main(sys.argv[1:])
