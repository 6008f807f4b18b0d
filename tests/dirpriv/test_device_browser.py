"""Surveys on devices end to end in a browser: people answer, reports are collected, a histogram is made.

Draws are those of the browser: a correct one fails the test of one cell with a probability below 1e-8.
"""

import contextlib
import functools
import http.server
import json
import re
import threading
import time
import urllib.request

import pytest
from browser import Page

from dirpriv.command import main
from dirpriv.release import PlaceColumns, TimeColumn
from dirpriv.release.survey import page as survey_page
from dirpriv.release.survey import server as servers
from dirpriv.release.survey.survey import Survey

COLUMN = TimeColumn("arrival", level=1.0, radius="3h", cells=1440)
WEEK = TimeColumn("time", level=2.0, radius="1d", cells=168, period="7d")
CITY = {"region_centre": (40.75, -73.98), "region_reach": "30km", "cell_size": "20m"}
PLACES = PlaceColumns(("latitude", "longitude"), level=1.0, radius="500m", **CITY)
QUESTION = "When did you arrive at work?"
ANSWER = """
(async (time) => {
  document.getElementById("agree").click();
  document.getElementById("time").value = time;
  document.getElementById("ask").requestSubmit();
})"""


@contextlib.contextmanager
def opened(browser, profile, address):
    page = Page(browser, profile, str(address))
    try:
        yield page
    finally:
        page.close()


def until(page, script, **where):
    """The value of a script, once it is true."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        with contextlib.suppress(AssertionError):
            if found := page.run(script, **where):
                return found
        time.sleep(0.05)
    raise AssertionError(f"never true: {script}; {page.run('document.body.innerText')}")


def reload(page):
    page.run("window.old = true")
    page.call("Page.reload")
    until(page, "window.old === undefined")


def state(page):
    return page.run("document.getElementById('state').textContent")


CLEAR = """
new Promise((done) => {
  localStorage.clear();
  indexedDB.deleteDatabase("dirpriv").onsuccess = () => done(true);
})"""
READY = "['consent', 'done', 'refused'].find((id) => document.getElementById(id)?.hidden === false)"
SENT = "document.getElementById('state').textContent === 'It was sent.'"
KEPT = "Object.entries(localStorage).map(([key, text]) => [key, { ...JSON.parse(text), day: undefined }])"


def answered(page, at):
    """The report of a device on which a person agrees and gives a time."""
    assert until(page, READY) == "consent"
    page.run(f"{ANSWER}('{at}')")
    until(page, "!document.getElementById('done').hidden && localStorage.length")
    ((_, kept),) = page.run(KEPT)
    assert page.run("document.getElementById('report').textContent") == kept["report"]["time"]
    return kept["report"]


@pytest.fixture
def listening(tmp_path):
    """A page that a server on this machine shows, and the file into which it puts what is sent."""
    page, reports = tmp_path / "survey.html", tmp_path / "reports.jsonl"
    with servers.server(str(page), reports, 0) as one:
        address = f"http://127.0.0.1:{one.server_address[1]}"
        page.write_text(survey_page.page(Survey(QUESTION, COLUMN, send_to=f"{address}/report")))
        threading.Thread(target=one.serve_forever, daemon=True).start()
        yield page, reports, address
        one.shutdown()


def test_a_survey_from_end_to_end(browser, listening, tmp_path, capsys):
    """Of three devices one answers twice, one changes its answer, one clears its store; then one forges."""
    page, reports, address = listening
    with opened(browser, tmp_path / "1", address) as tab:
        first = answered(tab, "08:15")
        until(tab, SENT)
        reload(tab)
        assert until(tab, READY) == "done"  # it is not asked again
        assert tab.run(KEPT)[0][1] == {"report": first, "sent": True}
        urls = {event["request"]["url"].partition("?")[0] for event in tab.told("Network.requestWillBeSent")}
        urls = {url for url in urls if not url.startswith("data:image/")}  # the browser's own clock
        assert urls <= {f"{address}/", f"{address}/report", f"{address}/favicon.ico"}
        assert not [e for e in tab.told("Log.entryAdded") if "favicon" not in json.dumps(e)]
        assert not tab.told("Runtime.exceptionThrown")
    with opened(browser, tmp_path / "2", address) as tab:
        second = answered(tab, "08:15")
        until(tab, SENT)
        tab.run(f"{ANSWER}('21:00')")  # through the form that the page hides
        until(tab, f"document.getElementById('time').value === '' && {SENT}")
        assert tab.run(KEPT) == [[f"dirpriv once {QUESTION}", {"report": second, "sent": True}]]
    with opened(browser, tmp_path / "3", address) as tab:
        third = answered(tab, "08:15")
        until(tab, SENT)
        tab.run(CLEAR)
        reload(tab)
        fourth = answered(tab, "08:15")
        until(tab, SENT)
    nonces = {report["nonce"] for report in (first, second, third, fourth)}
    assert len(nonces) == 4
    forged = json.dumps(first | {"nonce": "0" * 32}).encode()
    urllib.request.urlopen(f"{address}/report", forged, timeout=10).close()
    assert len(reports.read_text().splitlines()) == 5
    output = tmp_path / "private.csv"
    assert main(["collect", str(page), str(reports), str(output)]) == 0
    times = sorted(report["time"] for report in (first, first, second, third, fourth))
    assert sorted(output.read_text().split()[1:]) == times
    assert main(["histogram", str(output)]) == 0
    assert "5 reports of 'arrival', level 1 within 3h" in capsys.readouterr().out


def test_two_tabs_draw_once(browser, tmp_path):
    path = tmp_path / "survey.html"
    path.write_text(survey_page.page(Survey(QUESTION, COLUMN)))
    with opened(browser, tmp_path / "profile", path.as_uri()) as tab:
        assert until(tab, READY) == "consent"
        one = tab._session
        target = tab.call("Target.createTarget", url=path.as_uri())
        tab._session = {"sessionId": tab.call("Target.attachToTarget", **target, flatten=True)["sessionId"]}
        other = tab._session
        assert until(tab, READY) == "consent"
        for session, at in ((one, "08:15"), (other, "20:00")):
            tab._session = session
            tab.run(f"{ANSWER}('{at}')")
        shown = []
        for session in (one, other):
            tab._session = session
            shown.append(until(tab, "document.getElementById('text').value"))
        assert shown[0] == shown[1] and tab.run("localStorage.length") == 1
        assert "withhold such reports" in tab.run("document.getElementById('copying').innerText")


def test_a_page_inside_another_page_draws_nothing(browser, listening, tmp_path):
    """There the browser hides what this device has stored, and a second report would be drawn."""
    _, reports, address = listening
    outer = tmp_path / "index.html"
    outer.write_text(f"<!doctype html><iframe src='{address}/'></iframe>")
    serve = functools.partial(Quiet, directory=tmp_path)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), serve) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        with opened(browser, tmp_path / "profile", f"http://127.0.0.1:{other.server_address[1]}/") as tab:
            inner = context_of(tab, address)
            assert until(tab, READY, contextId=inner) == "refused"
            reason = "document.getElementById('reason').textContent"
            assert "open it in a window of its own" in tab.run(reason, contextId=inner)
            tab.run(f"{ANSWER}('08:15')", contextId=inner)  # through the form that the page hides
            assert tab.run("localStorage.length", contextId=inner) == 0 and reports.read_text() == ""
        other.shutdown()


def context_of(page, origin):
    """Where scripts of a frame run, once it is there."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        page.run("frames.length")
        for event in page.told("Runtime.executionContextCreated"):
            if event["context"]["origin"] == origin:
                return event["context"]["id"]
        time.sleep(0.05)
    raise AssertionError(f"no frame of {origin}")


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A server of another site."""

    def log_message(self, *_):
        """Nothing."""


def test_entries_of_other_pages_stop_no_survey(browser, listening, tmp_path):
    _, reports, address = listening
    strange = "['hello', 'null', '{}', '5'].forEach((t, i) => localStorage.setItem(`dirpriv notes ${i}`, t))"
    with opened(browser, tmp_path / "profile", address) as tab:
        assert until(tab, READY) == "consent"
        tab.run(f"{strange}; localStorage.setItem('dirpriv once {QUESTION}', '[]')")
        reload(tab)
        assert until(tab, READY) == "consent"
        tab.run(f"{ANSWER}('08:15')")
        until(tab, SENT)
        assert tab.run("localStorage.length") == 5 and not tab.told("Runtime.exceptionThrown")
    assert len(reports.read_text().splitlines()) == 1


def test_a_report_leaves_on_a_later_day(browser, listening, tmp_path):
    """The page's timer is held, and its report made a day older."""
    page, reports, address = listening
    page.write_text(survey_page.page(Survey(QUESTION, WEEK, send_to=f"{address}/report", send_at="20:00")))
    hold = "window.timers = []; window.setTimeout = (work, after) => { timers.push([work, after]); }"
    with opened(browser, tmp_path / "profile", "about:blank") as tab:
        tab.call("Page.addScriptToEvaluateOnNewDocument", source=hold)
        tab.call("Page.navigate", url=address)
        until(tab, READY)
        tab.run("document.getElementById('day').value = '5'")
        report = answered(tab, "08:15")
        assert re.fullmatch("(Mon|Tue|Wed|Thu|Fri|Sat|Sun) [012][0-9]:[0-5][0-9]", report["time"])
        assert 0 <= tab.run("timers[0][1]") < (24 * 60 + 15) * 60_000
        tab.run("timers[0][0]()")
        until(tab, "timers.length === 2")
        assert reports.read_text() == ""  # it is of this day
        older = "for (const [k, t] of Object.entries(localStorage)) localStorage[k] = t.replace(TODAY, '2000')"
        older = older.replace("TODAY", "/20..(?=-..-..)/")
        tab.run(f"{older}; timers[1][0]()")
        until(tab, f"timers.length === 3 && {SENT}")
        assert [json.loads(line) for line in reports.read_text().splitlines()] == [report]


def test_without_a_store_nothing_is_drawn_and_a_changed_page_is_refused(browser, tmp_path):
    good = survey_page.page(Survey(QUESTION, COLUMN, send_to="http://localhost:1/r", send_at="20:00"))
    pages = {
        "the level and the radius that are shown": good.replace('data-level="1.0"', 'data-level="0.5"'),
        "hash of its own fields": good.replace('"period_seconds": 86400', '"period_seconds": 86401'),
        "wrong id": good.replace(f'"question": "{QUESTION}"', '"question": "Where?"'),
    }
    path = tmp_path / "survey.html"
    path.write_text(good)
    with opened(browser, tmp_path / "profile", path.as_uri()) as tab:
        answered(tab, "08:15")
        assert "on a later day, at a random time within 15 minutes after 20:00" in state(tab)
        assert not [event for event in tab.told("Network.requestWillBeSent") if "http" in event["request"]["url"]]
        tab.run(CLEAR)
        for reason, text in pages.items():
            assert text != good
            path.write_text(text)
            reload(tab)
            assert until(tab, READY) == "refused"
            assert reason in tab.run("document.getElementById('reason').textContent")
        path.write_text(good)
        script = "Storage.prototype.setItem = () => { throw new Error('no room') }"
        tab.call("Page.addScriptToEvaluateOnNewDocument", source=script)
        reload(tab)
        assert until(tab, READY) == "refused"
        assert tab.run("document.getElementById('reason').textContent") == "no room"


def key(page, name, code):
    """Press and release a key."""
    for kind in ("rawKeyDown", "char", "keyUp"):
        text = {"text": "\r"} if name == "Enter" and kind == "char" else {}
        page.call("Input.dispatchKeyEvent", type=kind, key=name, windowsVirtualKeyCode=code, **text)


def fits(page, width):
    """Whether nothing is wider than the window."""
    page.resize(width)
    return page.run("document.documentElement.scrollWidth") <= width


def test_places_by_keyboard_from_the_position_to_the_map(browser, listening, tmp_path, capsys):
    """A position that is found, and two numbers; every state of the page is 320 pixels wide at most."""
    page, reports, address = listening
    page.write_text(survey_page.page(Survey("Where do you work?", PLACES, send_to=f"{address}/report")))
    with opened(browser, tmp_path / "profile", "about:blank") as tab:
        tab.call("Browser.grantPermissions", permissions=["geolocation"], origin=address)
        tab.call("Emulation.setGeolocationOverride", latitude=40.758, longitude=-73.9855, accuracy=12.5)
        tab.call("Page.navigate", url=address)
        assert until(tab, READY) == "consent" and fits(tab, 320)
        examples = tab.run("document.getElementById('examples').textContent")
        assert len(re.findall("[0-9]+ m", examples)) == 8
        focused = "document.activeElement.id"
        key(tab, "Tab", 9)
        assert tab.run(focused) == "agree"
        key(tab, "Enter", 13)
        assert until(tab, focused) == "latitude" and fits(tab, 320)
        key(tab, "Tab", 9), key(tab, "Tab", 9)
        assert tab.run(focused) == "find"
        key(tab, "Enter", 13)
        assert until(tab, "document.getElementById('found').textContent.startsWith('Found, to 13 m')")
        entered = "['latitude', 'longitude'].map((name) => Number(document.getElementById(name).value))"
        assert tab.run(entered) == [40.758, -73.9855]
        key(tab, "Tab", 9), key(tab, "Enter", 13)
        until(tab, "!document.getElementById('done').hidden")
        until(tab, SENT)
        ((_, kept),) = tab.run(KEPT)
        shown = [float(text) for text in tab.run("document.getElementById('report').textContent").split(", ")]
        centre = PLACES.release().centres(kept["report"]["east"], kept["report"]["north"])
        assert shown == pytest.approx([float(degrees) for degrees in centre], abs=6e-6)
        assert tab.run(entered) == [0, 0] and fits(tab, 320)  # what was entered is gone
        tab.run(CLEAR)
        reload(tab)
        assert until(tab, READY) == "consent"
        tab.run("document.getElementById('agree').click()")
        tab.run("['latitude', 'longitude'].forEach((n, i) => document.getElementById(n).value = [91, 0][i])")
        assert not tab.run("document.getElementById('ask').checkValidity()")  # there is no such place
        tab.run("document.getElementById('latitude').value = -33.9")  # beyond the region
        tab.run("document.getElementById('ask').requestSubmit()")
        until(tab, SENT)
        assert not tab.told("Runtime.exceptionThrown")
    lines = [json.loads(line) for line in reports.read_text().splitlines()]
    assert lines[0] == kept["report"] and len(lines) == 2
    assert 1300.0 < (lines[1]["east"] ** 2 + lines[1]["north"] ** 2) ** 0.5 < 1900.0  # about 1500, the border
    output = tmp_path / "private.csv"
    assert main(["collect", str(page), str(reports), str(output)]) == 0
    assert main(["map", str(output), "--districts", "2"]) == 0
    assert "2 reports" in capsys.readouterr().out


@pytest.mark.parametrize("survey", [Survey(QUESTION, WEEK), Survey("A" * 120, PLACES, "day")])
def test_no_state_of_a_page_scrolls_sideways(browser, tmp_path, survey):
    path = tmp_path / "survey.html"
    path.write_text(survey_page.page(survey))
    with opened(browser, tmp_path / "profile", path.as_uri()) as tab:
        assert until(tab, READY) == "consent"
        for state in ("consent", "ask", "done", "refused"):
            tab.run(f"for (const s of document.querySelectorAll('section, form')) s.hidden = s.id !== '{state}'")
            assert [width for width in (320, 420, 1400) if not fits(tab, width)] == []
