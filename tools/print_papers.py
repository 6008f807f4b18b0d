"""Print the pages of results/papers/ as PDF, with a browser: python tools/print_papers.py.

Where there is none it says so, and is done.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PAPERS = Path("results/papers")


def main():
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        print(f"no PDF, as no browser is here: none of {', '.join(BROWSERS)}", file=sys.stderr)
        return
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []  # as in a container
    for page in sorted(PAPERS.glob("*.html")):
        with tempfile.TemporaryDirectory() as profile:
            command = [browser, "--headless", "--disable-gpu", *sandbox, f"--user-data-dir={profile}"]
            command += ["--no-first-run", "--disable-background-networking"]
            command += ["--no-pdf-header-footer", f"--print-to-pdf={page.with_suffix('.pdf').resolve()}"]
            done = subprocess.run([*command, page.resolve().as_uri()], capture_output=True, timeout=120)
        if done.returncode or not page.with_suffix(".pdf").is_file():  # else it may complain of much
            sys.exit(f"{browser} has not printed {page}: {done.stderr.decode(errors='replace')}")
        print(page.with_suffix(".pdf"))


if __name__ == "__main__":
    main()
