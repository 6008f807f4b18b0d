"""Remove what the workflow made in its working directories, and nothing else.

Snakemake records each file that it made, with the rule. In ``results``, ``figures`` and the two folders below
``data``, only files recorded for this study's rules are removed; in ``logs`` and ``benchmarks``, only files
named after its rules. ``.snakemake`` belongs to Snakemake and is removed as a whole.

``python tools/clean_results.py DIRECTORY ...`` needs only Python, as there may be no environment.
"""

import json
import re
import shutil
import sys
from base64 import urlsafe_b64decode
from pathlib import Path, PurePosixPath

SOURCE = Path(__file__).resolve().parents[1] / "src"
sys.path.insert(0, str(SOURCE))

from study.workflow.output_folders import MADE, OWN, leftovers  # noqa: E402


def files_on_record(directory, rules):
    """Files in ``MADE`` that these rules made or began to make; none behind a link to another folder."""
    paths = []
    for kind in ("metadata", "incomplete"):
        for path in (directory / ".snakemake" / kind).rglob("*"):
            try:  # the record of a long path is split into folders whose names begin with @
                code = "".join(part.removeprefix("@") for part in path.parts[len(directory.parts) + 2 :])
                name = PurePosixPath(urlsafe_b64decode(code).decode(errors="surrogateescape"))
                is_ours = kind == "incomplete" or json.loads(path.read_bytes())["rule"] in rules
            except (OSError, ValueError, KeyError, TypeError):  # a folder, or a file of another kind
                continue
            if is_ours and ".." not in name.parts:
                paths += [(top, directory / name) for top in MADE if name.is_relative_to(top)]
    # not on record
    for name, sign in (("report.html", b"Snakemake"), ("benchmarks.csv", b"rule,jobs,seconds")):
        path = directory / "results" / name
        if path.is_file() and sign in path.read_bytes():
            paths.append(("results", path))
    return sorted(p for top, p in paths if p.parent.resolve().is_relative_to((directory / top).resolve()))


def clean(directory):
    """Remove what the workflow made in a working directory; return the files that remain."""
    texts = (path.read_text(encoding="utf-8") for path in (SOURCE / "study").rglob("rules.smk"))
    rules = {name for text in texts for name in re.findall(r"^rule (\w+):", text, flags=re.M)}
    gone = [path for file in files_on_record(directory, rules) for path in (*leftovers(file), file)]
    for name, ending in (("logs", "log"), ("benchmarks", "tsv")):
        for rule in rules:
            gone.append(directory / name / f"{rule}.{ending}")
            gone += [path for path in (directory / name / rule).rglob("*") if not path.is_dir()]
    for path in gone:
        if path.is_file() or path.is_symlink():
            path.unlink()
        for folder in path.parents[: len(path.parents) - len(directory.parents) - 1]:
            if not folder.is_dir() or any(folder.iterdir()):
                break
            folder.rmdir()
    shutil.rmtree(directory / ".snakemake", ignore_errors=True)
    left = (path for name in (*MADE, *OWN) for path in (directory / name).rglob("*"))
    scripts = {*(SOURCE.parent / "benchmarks").glob("*.py"), *(SOURCE.parent / "benchmarks").glob("*.csv")}
    return sorted(p for p in left if p.name != "README.md" and p.resolve() not in scripts and not p.is_dir())


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        for kept in clean(Path(argument)):
            print(f"left alone, as the workflow has no record of making it: {kept}")
