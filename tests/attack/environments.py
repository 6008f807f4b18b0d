"""Environments in which the study must give the same bytes."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GIT = {
    "GIT_DIR": "{}/.git", "GIT_WORK_TREE": "{}", "GIT_INDEX_FILE": "{}/.git/index",
    "GIT_COMMON_DIR": "{}/.git", "GIT_OBJECT_DIRECTORY": "{}/.git/objects", "GIT_NAMESPACE": "x",
    "GIT_CEILING_DIRECTORIES": "/", "GIT_PREFIX": "x/", "GIT_EXTERNAL_DIFF": "/bin/false",
}  # fmt: skip
"""Variables that point git elsewhere, to the folder ``{}``."""

STYLE = """font.size: 40
font.family: cursive
lines.linewidth: 20
savefig.dpi: 30
savefig.facecolor: red
savefig.bbox: tight
axes.prop_cycle: cycler('color', ['k'])
axes.unicode_minus: False
pdf.fonttype: 3
pdf.compression: 0
date.timezone: Asia/Kathmandu
text.usetex: True
figure.autolayout: True
"""
SHADOW = "raise SystemExit('the study.py of the user was imported')\n"
ENVIRONMENTS = {
    "a hash seed": {"PYTHONHASHSEED": "1"},
    "another hash seed": {"PYTHONHASHSEED": "4294967295"},
    "Kathmandu": {"TZ": "Asia/Kathmandu"},
    "Kiritimati": {"TZ": "Pacific/Kiritimati"},
    "no such time zone": {"TZ": "Nowhere/At_All"},
    "the locale C": {"LANG": "C", "LC_ALL": "C"},
    "the locale POSIX without UTF-8": {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "texts in ASCII": {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"},
    "a locale that is not there": {"LANG": "tr_TR.ISO-8859-9", "LC_ALL": "tr_TR.ISO-8859-9"},
    "a backend": {"MPLBACKEND": "svg"},
    "a backend that needs a screen": {"MPLBACKEND": "TkAgg"},
    "a matplotlibrc": {"MATPLOTLIBRC": "{folder}/matplotlibrc"},
    "a matplotlibrc of the home": {"HOME": "{folder}", "XDG_CONFIG_HOME": "{folder}/config"},
    "no home": {"HOME": ""},
    "a home that is not there": {"HOME": "/nonexistent", "XDG_CACHE_HOME": "/nonexistent"},
    "no folder for temporary files": {"TMPDIR": "/nonexistent", "TMP": "", "TEMP": ""},
    "a study.py of the user": {"PYTHONPATH": f"{ROOT}/src{os.pathsep}{{folder}}"},
    "optimised code": {"PYTHONOPTIMIZE": "2"},
    "a narrow terminal": {"COLUMNS": "20", "TERM": "dumb", "NO_COLOR": "1"},
    "two threads": {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"},
    "the variables of git": GIT,
}
"""Variables by environment; ``{folder}`` has a style and a module study.py of the user's."""
