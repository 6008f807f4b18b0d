"""The statements and parts of statements of ``prepare.sql``, by their names."""

import re
from pathlib import Path

_FILE = Path(__file__).with_name("prepare.sql").read_text(encoding="utf-8")
SQL = dict(re.findall(r"^-- name: (\w+)\n(.*?)(?=^-- name: |\Z)", _FILE, re.MULTILINE | re.DOTALL))
