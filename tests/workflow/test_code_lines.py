"""The command that counts lines of code leaves out docstrings, comments and blank lines."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "tools"))

from count_code_lines import code_lines, main

SOURCE = '''"""What it is.

More of it.
"""

# a comment
import os  # another


def name(path):
    """One line."""

    return os.path.join(
        path,
        """a text
        of two lines""",
    )


class Empty:
    """Its docstring."""
'''


def test_docstrings_comments_and_blank_lines_are_left_out(tmp_path, capsys):
    (tmp_path / "a.py").write_text(SOURCE)
    assert code_lines(tmp_path / "a.py") == 8
    main([str(tmp_path)])
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["8", "8"]
