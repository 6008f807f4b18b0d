"""Count the lines of code below folders: without docstrings, comments and blank lines.

python tools/count_code_lines.py src/dirpriv src/study
"""

import ast
import sys
import tokenize
from pathlib import Path

NO_CODE = [getattr(tokenize, name) for name in ("COMMENT", "NL", "NEWLINE", "INDENT", "DEDENT", "ENDMARKER")]


def code_lines(path: Path) -> int:
    """The lines of a file that hold a token other than a comment or a docstring."""
    with path.open("rb") as file:
        tokens = [token for token in tokenize.tokenize(file.readline) if token.type not in NO_CODE]
    lines = {line for token in tokens[1:] for line in range(token.start[0], token.end[0] + 1)}
    for node in ast.walk(ast.parse(path.read_bytes())):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            value = body[0].value
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                lines -= set(range(body[0].lineno, body[0].end_lineno + 1))
    return len(lines)


def main(folders: list[str]) -> None:
    total = 0
    for folder in folders:
        count = sum(code_lines(path) for path in sorted(Path(folder).rglob("*.py")))
        total += count
        print(f"{count:7d}  {folder}")
    print(f"{total:7d}  in all")


if __name__ == "__main__":
    main(sys.argv[1:] or ["src/dirpriv", "src/study"])
