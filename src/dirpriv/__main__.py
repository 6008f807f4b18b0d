"""``python -m dirpriv`` is the command ``dirpriv``."""

import sys

from dirpriv.command import main

if __name__ == "__main__":
    sys.exit(main())
