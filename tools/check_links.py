"""Check that the pages of a folder hang together and fetch nothing: python tools/check_links.py FOLDER

Every link to a page, picture or place in a page must lead somewhere. Scripts, styles, fonts and pictures must
lie in the folder, so that the pages work without a network. It needs only Python.
"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

FETCHED = {("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("video", "src")}
ELSEWHERE = re.compile(r"(?:https?:)?//")


class Page(HTMLParser):
    """The links of a page and the places in it that a link can name."""

    def __init__(self, text):
        super().__init__()
        self.places, self.links, self.fetched = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.places |= {values[name] for name in ("id", "name") if values.get(name)}
        relation = set((values.get("rel") or "").split())
        for name in ("href", "src"):
            if values.get(name):
                loads = tag == "link" and relation & {"stylesheet", "preload", "icon", "modulepreload"}
                (self.fetched if loads or (tag, name) in FETCHED else self.links).append(values[name])


def page_files(folder):
    """The pages of a folder, without the templates that a theme of Sphinx leaves in ``_static``."""
    return [path for path in sorted(folder.rglob("*.html")) if "_static" not in path.parts]


def faults(folder):
    """What is wrong with the pages of a folder, one line for each link."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in page_files(folder)}
    problems = []
    for path, page in pages.items():
        name = path.relative_to(folder)
        problems += [f"{name}: fetches {link}" for link in page.fetched if ELSEWHERE.match(link)]
        for link in page.links + page.fetched:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.exists():
                problems.append(f"{name}: no file for {link}")
            elif target in pages and parts.fragment and unquote(parts.fragment) not in pages[target].places:
                problems.append(f"{name}: no such place as {link}")
    for path in sorted(folder.rglob("*.css")):
        text = path.read_text(encoding="utf-8")
        loads = re.findall(r"(?:url\(|@import\s+)\s*[\"']?((?:https?:)?//[^\"')\s]+)", text)
        problems += [f"{path.relative_to(folder)}: fetches {link}" for link in loads]
    return problems


if __name__ == "__main__":
    wrong = faults(Path(sys.argv[1]).resolve())
    sys.exit("\n".join(wrong) or None)
