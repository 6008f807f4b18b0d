"""Print the digest of the code that a script uses, and the symbols that it covers.

python tools/explain_digest.py src/study/experiments/<folder>/<script>.py [module:symbol ...]

A rule runs again after an edit of one of these symbols. Further roots are named as the rule names them.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from study.workflow.code_digest import SOURCE, code_digest, entries


def explain(script, roots=(), source=SOURCE, modules=None):
    """List the symbols that the digest of a script covers, as ``"module:symbol"``, sorted."""
    covered = entries(script, roots, source, modules)
    return sorted({f"{module}:{name}" for module, name, code in covered if not code.startswith("import ")})


if __name__ == "__main__":
    path, *extra = sys.argv[1:] or sys.exit(__doc__)
    print(code_digest(path, extra), *explain(path, extra), sep="\n")
