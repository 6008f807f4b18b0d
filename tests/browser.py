"""A browser for the tests that open pages. pip cannot install one, and a machine may have none."""

import os
import shutil

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def headless_browser():
    """The command of a browser without a window and without a network; files and options are to follow.

    Without a browser the test is skipped, and the run says so. ``DIRPRIV_BROWSER=required`` makes it fail
    instead; so does the name or path of one browser in its place, which then is the one that is used.
    """
    wanted = os.environ.get("DIRPRIV_BROWSER", "")
    names = BROWSERS if wanted in ("", "required") else (wanted,)
    browser = next(filter(None, map(shutil.which, names)), None)
    if browser is None:
        message = f"needs a browser, which pip cannot install; none is here of {', '.join(names)}"
        if wanted:
            pytest.fail(f"DIRPRIV_BROWSER={wanted}: {message}", pytrace=False)
        pytest.skip(message)
    command = [browser, "--headless", "--disable-gpu", "--disable-background-networking", "--no-first-run",
               "--host-resolver-rules=MAP * ~NOTFOUND"]  # fmt: skip
    if os.geteuid() == 0:  # as in a container; the browser's own sandbox refuses that
        command.append("--no-sandbox")
    return command
