"""Print the digest of the code that a script uses, and the files that it covers.

python tools/explain_digest.py src/study/experiments/<folder>/<script>.py [module:symbol ...]

A rule runs again after an edit of one of these files. Further roots are named as the rule names them.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from study.workflow.code_digest import Modules, code_digest

if __name__ == "__main__":
    path, *roots = sys.argv[1:] or sys.exit(__doc__)
    print(code_digest(path, roots), *Modules().reached(path, roots), sep="\n")
