"""Surveys on devices: their pages, what a device does, what is collected; draws are in test_device.py."""

import base64
import contextlib
import gzip
import hashlib
import http.server
import json
import os
import re
import shlex
import socket
import stat
import threading
import urllib.error
import urllib.request
from html.parser import HTMLParser
from pathlib import Path

import pytest
from command_runs import hurry, python
from node import JAVASCRIPT, in_node

from dirpriv import InvalidArgument, guarantees
from dirpriv.command import main
from dirpriv.release import FileGuarantee, PlaceColumns, TimeColumn, read_guarantee, read_released
from dirpriv.release.survey import page as pages
from dirpriv.release.survey import server as servers
from dirpriv.release.survey.survey import Survey, collect, read_survey

ROOT = Path(__file__).resolve().parents[2]
COLUMN = TimeColumn("arrival", level=1.0, radius="3h", cells=96)
SURVEY = Survey("When did you arrive?", COLUMN, send_to="http://localhost:1/report", send_at="20:00")
PLACES = ["--within", "200m", "--region-centre", "40.75,-73.98", "--region-reach", "30km", "--cell-size", "10m"]
ID = SURVEY.to_json()["id"]
CITY = {"region_centre": (40.75, -73.98), "region_reach": "30km", "cell_size": "20m"}
WHERE = PlaceColumns(("latitude", "longitude"), level=1.0, radius="500m", **CITY)
WORDS = {"who": "The office of buses", "why": "To plan buses", "contact": "Room 5", "privacy_notice": "Deleted in May."}
OF_PLACES = Survey("Where do you work?", WHERE, send_to="http://localhost:1/report", send_at="20:00")


class Elements(HTMLParser):
    """The elements of a page with their attributes, and the texts of scripts and styles."""

    def __init__(self, text):
        super().__init__()
        self.found, self.texts, self._inside = [], [], None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))
        self._inside = tag if tag in ("script", "style") else None

    def handle_data(self, text):
        if self._inside:
            self.texts.append((self.found[-1], text))
            self._inside = None


def report(time, number, **other):
    return {"format": "dirpriv.report/1", "survey": ID, "time": time, "nonce": f"{number:032x}"} | other


def written(path, *lines):
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines))
    return path


def test_a_page_loads_nothing_and_allows_what_it_holds():
    question = 'When <script>alert(1)</script> & "why"?'
    survey = Survey(question, COLUMN, "day", "https://example.org:8443/in/reports")
    text = pages.page(survey, **WORDS)
    page = Elements(text)
    policy = next(a["content"] for _, a in page.found if a.get("http-equiv") == "Content-Security-Policy")
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert (rules["default-src"], rules["connect-src"]) == ("'none'", survey.send_to)
    for (tag, attributes), content in page.texts:
        if attributes.get("type") != "application/json":
            digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
            assert rules[f"{tag}-src"] == f"'sha256-{digest}'"
    assert [tag for tag, _ in page.found].count("script") == 2
    assert not any({"src", "href", "style", "onclick", "action"} & set(found) for _, found in page.found)
    assert "US 11,490,250" in text and "US 11,490,250" in (ROOT / "NOTICE").read_text()
    assert "in 30 days level 27.6 within 3h, in 365 days level 202" in text
    unsent = pages.page(Survey("When?", COLUMN))
    assert "connect-src 'none'" in unsent and "--send" not in unsent
    module = (JAVASCRIPT / "dirpriv.mjs").read_bytes()
    assert len(gzip.compress(module)) < 10_000 and len(gzip.compress(text.encode())) < 40_000


def test_participants_read_who_asks_and_what_is_promised_and_no_remark_for_surveyors():
    given = {"who": 'The <b> & "office"', "why": "javascript:alert(1)", "contact": "bus@example.org"}
    text = pages.page(SURVEY, **given, privacy_notice="https://example.org/?a=1&b='")
    said = re.findall("<dt>(.*?)</dt><dd>(.*?)</dd>", text)
    assert [name for name, _ in said] == [*pages.WORDS.values()]
    assert said[0][1] == "The &lt;b&gt; &amp; &quot;office&quot;" and said[1][1] == given["why"]
    links = [attributes["href"] for tag, attributes in Elements(text).found if tag == "a"]
    assert links == ["mailto:bus@example.org", "https://example.org/?a=1&b='"]
    assert "<strong>74:26</strong> at most" in text and "from 06:15 to 10:15 if the true time is 08:15" in text
    assert "biases" in " ".join(Survey("When?", COLUMN).unprotected)
    assert "draft" not in text.partition("<main>")[2] and "biases" not in pages.page(Survey("When?", COLUMN))
    scopes = [attributes["scope"] for tag, attributes in Elements(text).found if tag == "th"]
    assert scopes == ["col"] * 3 + ["row"] * 4 + ["col"] * 3 + ["row"] * 3


@pytest.mark.parametrize("name", WORDS)
def test_a_page_without_the_words_of_those_who_ask_is_a_draft(name):
    others = {each: text for each, text in WORDS.items() if each != name}
    assert f"Not said yet: {pages.WORDS[name].lower()}." in pages.page(SURVEY, **others)
    with pytest.raises(InvalidArgument, match=rf"'{name}' must be given where reports are sent to https://"):
        pages.page(Survey("When?", COLUMN, send_to="https://example.org/r"), **others)
    for wrong in ("", " ", "two\nlines", "a\x1b[31m", "\u202egnorw"):
        with pytest.raises(InvalidArgument, match=f"'{name}' must be a text of one line"):
            pages.page(SURVEY, **others, **{name: wrong})


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"question": "two\nlines"}, "one line"),
        ({"every": "hour"}, "'once' or 'day'"),
        ({"send_to": "http://example.org/"}, "https address"),
        ({"send_to": "https://example.org/?a='self'"}, "https address"),
        ({"send_to": "https://example.org/; script-src *"}, "https address"),
        ({"send_at": "25:00"}, "time of day"),
    ],
)
def test_what_is_no_survey_is_refused(change, rule):
    given = {"question": "When?", "column": COLUMN} | change
    with pytest.raises(InvalidArgument, match=rule):
        Survey(**given)


def test_a_survey_is_read_from_its_page_and_refused_where_it_was_changed(tmp_path):
    path = tmp_path / "survey.html"
    path.write_text(pages.page(SURVEY))
    assert read_survey(path) == SURVEY
    for old, new in (
        ('"level": 1.0, "radius": "3h"', '"level": 9.0, "radius": "3h"'),
        ("arrive?", "go?"),
        (ID, "0" * 64),
    ):
        changed = tmp_path / "changed.html"
        changed.write_text(path.read_text().replace(old, new))
        with pytest.raises(InvalidArgument, match="was changed"):
            read_survey(changed)
    with pytest.raises(InvalidArgument, match="not a page"):
        read_survey(__file__)


@pytest.mark.parametrize(
    ("survey", "answers", "fields"),
    [
        (SURVEY, [8 * 3600, 8 * 3600 + 60, 17 * 3600, 86_400], {"time"}),
        (OF_PLACES, [[40.75, -73.98], [40.76, -73.98], [40.9, 286.0], [90.1, 0.0]], {"east", "north"}),
    ],
)
def test_a_device_answers_once_whatever_is_entered(survey, answers, fields):
    """Three answers in three tabs, of which the first counts; the fourth is none."""
    document = survey.to_json()
    shown, script = document["release"], Elements(pages.page(survey)).texts[-1][1]
    asked = {"survey": document, "shown": shown, "script": script, "answers": answers}
    found = in_node(Path(__file__).with_name("device_survey.mjs"), asked)
    first = found["tabs"][0]
    assert found["tabs"] == [first] * 3 and found["again"] == found["late"] == first and not first["sent"]
    assert set(first["report"]) == {"format", "survey", "nonce", *fields}
    assert first["report"]["survey"] == document["id"]
    assert found["tomorrow"]["report"]["nonce"] != first["report"]["nonce"] and found["stored"] == 2
    assert found["periods"] == ["once", "2026-06-01"]
    assert found["forgetful"] == "this browser stores nothing" and "there is no such" in found["outside"]
    # none leaves on its day; the first does not arrive at once; then nothing is sent again
    both = [first["report"], found["tomorrow"]["report"]]
    assert [text for _, text in found["sent"]] == [both[0], both[0], both[1]]
    assert found["posted"] == [[True, 0], [False, 1], [True, 2], [True, 3], [True, 3]]
    # from 20:00 at the share of a half; who opens the page in the window waits for the next day
    assert found["moments"] == [1207.5, 1207.5, 1440 + 1207.5, 1440 + 1207.5]
    # entries of other pages change nothing
    assert found["among"] == [["accepted", True, 1, True]] * 10
    assert all(text != "accepted" for text in [*found["changed"], found["level"]])
    assert "that are shown" in found["level"]


def test_a_report_leaves_in_its_window_by_the_local_clock_on_every_day():
    """Scoresbysund changes its clock at midnight, Lord Howe by half an hour; a day may have no window."""
    zones = ["Europe/Berlin", "America/New_York", "America/Scoresbysund", "Australia/Lord_Howe", "UTC"]
    found = in_node(Path(__file__).with_name("device_windows.mjs"), zones)
    assert [found[zone]["wrong"] for zone in zones] == [0] * 5 and found["UTC"]["without"] == 0
    assert min(each["moments"] for each in found.values()) > 60_000
    assert all(found[zone]["without"] <= 20 for zone in zones)  # of 20 windows in 731 days


def test_reports_become_a_private_file(tmp_path, capsys):
    wrong = {
        "no JSON": ["{", '{"format": NaN}', '{"a": 1, "a": 2}', "x" * 5000],
        "no report": ["[]", {"format": 1}, {"format": "dirpriv.survey/2"}, {}],
        "another version": [report("08:15", 900, format="dirpriv.report/2")],
        "another question or level": [report("08:15", 901, survey="0" * 64)],
        "malformed": [
            report("8:61", 902), report("24:01", 903), report(8.25, 904), report("08:15", 905, extra=""),
            report("08:15", 1) | {"nonce": "F" * 32}, report("08:15", 1) | {"nonce": "1"},
        ],
        "a nonce that came before": [report("08:15", 1), report("09:00", 1)],
    }  # fmt: skip
    right = [report(time, number) for number, time in enumerate(["08:15", "08:15", "17:00", "23:45"], 1)]
    folder = tmp_path / "reports"
    folder.mkdir()
    written(folder / "a.jsonl", *right, "")
    written(folder / "b.jsonl", *(line for lines in wrong.values() for line in lines))
    guarantee, count, left_out = collect(SURVEY, folder, tmp_path / "private.csv")
    assert count == len(right) and left_out == {reason: len(lines) for reason, lines in wrong.items()}
    assert guarantee == read_guarantee(tmp_path / "private.csv") and guarantee.devices
    (released,) = read_released(tmp_path / "private.csv")
    assert released.counts[[33, 68, 95]].tolist() == [2, 1, 1] and released.counts.sum() == 4
    texts = [path.read_text() for path in tmp_path.glob("private.csv*")]
    assert not any(each["nonce"] in text for each in right for text in texts)
    assert "assumes honest devices" in guarantee.text() and "operating system" not in guarantee.text()
    with pytest.raises(InvalidArgument, match=r"has no report of this page.*4 with no JSON"):
        collect(SURVEY, written(tmp_path / "none", *wrong["no JSON"]), tmp_path / "third.csv")
    with pytest.raises(InvalidArgument, match="never overwrites a file"):
        collect(SURVEY, folder, tmp_path / "private.csv")
    page = tmp_path / "survey.html"
    page.write_text(pages.page(SURVEY))
    assert main(["collect", str(page), str(folder), str(tmp_path / "other.csv")]) == 0
    assert "Skipped: 2 with a nonce that came before." in capsys.readouterr().out
    assert main(["mean", str(tmp_path / "other.csv")]) == main(["histogram", str(tmp_path / "other.csv")]) == 0


def test_places_become_a_private_file(tmp_path, capsys, monkeypatch):
    hurry(monkeypatch)
    other, half = OF_PLACES.to_json()["id"], WHERE.release().side // 2

    def place(number, east, north, **fields):
        return report("", number, survey=other, east=east, north=north, **fields)

    def of(*cells):
        return [{k: v for k, v in place(i, *cell).items() if k != "time"} for i, cell in enumerate(cells)]

    right = of((0, 0), (0, 0), (-12, 400), (half, -half))
    wrong = of((half + 1, 0), (0.0, 1), ("1", 2), (True, 0), (None, 1))
    lines = [*right, *wrong, place(90, 1, 2), report("08:15", 91, survey=other), report("08:15", 92)]
    page, reports, output = tmp_path / "page.html", tmp_path / "reports", tmp_path / "private.csv"
    page.write_text(pages.page(OF_PLACES))
    assert read_survey(page) == OF_PLACES
    assert main(["collect", str(page), str(written(reports, *lines)), str(output)]) == 0
    said = capsys.readouterr().out
    assert "Collected: 4 reports" in said and "Skipped: 7 with malformed" in said
    assert "1 with another question or level" in said and "position service" in " ".join(said.split())
    (released,) = read_released(output)
    cells = zip(released.east.tolist(), released.north.tolist(), released.counts.tolist(), strict=True)
    assert sorted(cells) == sorted([(0, 0, 2), (-12, 400, 1), (half, -half, 1)])
    assert output.read_text().splitlines()[0] == "latitude,longitude" and read_guarantee(output).devices
    assert main(["map", str(output), "--cells", "4", "--intervals", "smooth"]) == 0


@pytest.fixture
def example(tmp_path, capsys):
    """The page that the documentation makes, and the example reports to it."""
    lines = (ROOT / "docs/on_the_device.md").read_text("utf-8").splitlines()
    command = next(line for line in lines if line.startswith("dirpriv device survey.html "))
    _, device, name, *options = shlex.split(command)
    assert main([device, str(tmp_path / name), *options]) == 0
    capsys.readouterr()
    return tmp_path / name, ROOT / "examples/reports.jsonl"


def test_a_shuffler_drops_nonces_and_states_the_level_among_honest_devices(example, tmp_path, capsys):
    """The wrong variant states the level of twice as many people: it is lower."""
    page, reports = example
    column = read_survey(page).column
    distribution = column.release().noise
    level, wrong = (guarantees.shuffled_level(distribution, n, 1e-6, distance=column.radius) for n in (250, 500))
    assert wrong < 0.9 * level < level < 1.0
    output = tmp_path / "private.csv"
    command = ["collect", str(page), str(reports), str(output), "--shuffled"]
    assert main([*command, "250,1e-6"]) == 0
    found = read_guarantee(output)
    assert found.shuffled == (250, 1e-6) and found.shuffled_level == pytest.approx(level, rel=2e-4)
    assert found.level == 1.0  # that of a report, for those who see it alone
    said = " ".join(capsys.readouterr().out.split())
    shown = (ROOT / "docs/on_the_device.md").read_text("utf-8").partition("```text\n")[2].partition("```")[0]
    assert f"level {found.shuffled_level} at δ = 1e-06" in shown and " ".join(shown.split()) in said
    nonces = [json.loads(line)["nonce"] for line in reports.read_text().splitlines()]
    assert not any(nonce in path.read_text() for path in tmp_path.iterdir() for nonce in nonces)
    beside = Path(f"{output}.guarantee.json")
    beside.write_text(beside.read_text().replace('"reports": 250', '"reports": 500'))
    with pytest.raises(InvalidArgument, match="shuffled"):
        read_guarantee(output)
    output.unlink(), beside.unlink()
    for wrong, reason in (("301,1e-6", "number of reports, 300"), ("250", "reports and a δ"), ("0,1e-6", "at least")):
        assert main([*command, wrong]) == 2 and reason in capsys.readouterr().err
    with pytest.raises(InvalidArgument, match="goes with times"):
        FileGuarantee((WHERE,), devices=True, shuffled=(250, 1e-6))


def test_the_example_reports_are_of_the_survey_of_the_documentation(example, tmp_path):
    """Where this fails, ``python tools/make_examples.py`` writes them again."""
    page, reports = example
    survey = read_survey(page)
    assert page.read_text("utf-8") == pages.page(survey)
    _, count, left_out = collect(survey, reports, tmp_path / "private.csv")
    assert (count, left_out) == (300, {})


def test_the_order_of_the_reports_is_gone(tmp_path):
    """Of 96 different times: a random order is that of the reports with a probability below 1e-100."""
    times = [COLUMN.label(cell) for cell in range(96)]
    reports = written(tmp_path / "reports", *(report(time, number) for number, time in enumerate(times)))
    collect(SURVEY, reports, tmp_path / "private.csv")
    rows = (tmp_path / "private.csv").read_text().split()[1:]
    assert sorted(rows) == times != rows


@contextlib.contextmanager
def serving(page, reports):
    """The address of a server, and a function that asks it: status and body of the answer."""
    with servers.server(str(page), reports, 0) as one:
        threading.Thread(target=one.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{one.server_address[1]}"

        def ask(path, body=None, **headers):
            try:
                asked = urllib.request.Request(address + path, body, headers)
                with urllib.request.urlopen(asked, timeout=10) as answer:
                    return answer.status, answer.read()
            except urllib.error.HTTPError as error:
                return error.code, error.read()

        yield address, ask
        one.shutdown()


def body(number):
    return json.dumps(report("08:15", number)).encode()


def test_the_server_shows_the_page_stores_reports_and_logs_nothing(tmp_path, capfd):
    page, reports = tmp_path / "survey.html", tmp_path / "reports.jsonl"
    page.write_text(pages.page(SURVEY))
    with serving(page, reports) as (_, ask):
        assert ask("/") == (200, page.read_bytes()) and ask("/other")[0] == 404
        good = json.dumps(report("08:15", 1), indent=1).encode()  # lines in it become one
        assert ask("/report", good)[0] == 204
        wrong = ("/report", b"{"), ("/report", b" " * 2000), ("/", good), ("/report", b'{"format": "a"}')
        assert [ask(*each)[0] for each in wrong] == [400] * 4
        reports.unlink()  # it comes back, for its owner alone
        assert ask("/report", good)[0] == 204
    assert [json.loads(line) for line in reports.read_text().splitlines()] == [report("08:15", 1)]
    assert reports.stat().st_mode & 0o077 == 0 and capfd.readouterr() == ("", "")


def test_the_server_takes_reports_of_its_own_page_and_of_no_other_site(tmp_path):
    page, reports = tmp_path / "survey.html", tmp_path / "reports.jsonl"
    page.write_text(pages.page(SURVEY))
    with serving(page, reports) as (address, ask):
        ours = [address, address.replace("127.0.0.1", "localhost")]
        others = ["https://example.org", "null", "http://localhost", "http://localhost.example.org:80", ""]
        others += [address.replace("http", "https"), address.replace("127", "10"), f"{address}1"]
        for status, origins in ((204, ours), (403, others)):
            assert [ask("/report", body(1), Origin=origin)[0] for origin in origins] == [status] * len(origins)
    assert len(reports.read_text().splitlines()) == len(ours)


def test_the_server_shows_no_page_that_is_not_checked(tmp_path):
    page = tmp_path / "survey.html"
    page.write_text(good := pages.page(SURVEY))
    with serving(page, tmp_path / "reports.jsonl") as (_, ask):
        for change in (
            lambda: page.write_text(good.replace('"level": 1.0, "radius": "3h"', '"level": 9.0, "radius": "3h"')),
            lambda: page.write_text("<p>Another page"),
            page.unlink,
        ):
            change()
            status, said = ask("/")
            assert status == 500 and said.startswith(b"The page or the reports were moved or changed")
        page.write_text(good)
        assert ask("/") == (200, good.encode())


def test_the_server_answers_what_is_no_request_and_names_no_version(tmp_path):
    page = tmp_path / "survey.html"
    page.write_text(pages.page(SURVEY))
    post = "POST /report HTTP/1.0\r\nContent-Length: {}\r\n\r\n{{}}"
    asked = {
        post.format("9" * 5000): 400, post.format("-2"): 400, post.format("\u0662"): 400,
        "PUT / HTTP/1.0\r\n\r\n": 501, "GET / HTTP/9.0\r\n\r\n": 505,
        f"GET /{'a' * 70_000} HTTP/1.0\r\n\r\n": 414,
        f"GET / HTTP/1.0\r\nA: {'a' * 70_000}\r\n\r\n": 431,
    }  # fmt: skip
    with serving(page, tmp_path / "reports.jsonl") as (address, _):
        place = address.removeprefix("http://").split(":")
        for text, status in asked.items():
            with socket.create_connection((place[0], int(place[1])), timeout=10) as one:
                one.sendall(text.encode())
                answer = one.recv(10_000).decode()
            assert answer.split(" ", 2)[1] == str(status), text[:100]
            assert "python" not in answer.lower()


@pytest.mark.parametrize("before", ["", "{}\n", "\n\n{}", "{}", "{}\n{{", "{}\r\n"])
def test_a_report_that_arrives_is_on_a_line_of_its_own(tmp_path, before):
    """Whatever the file ends with, as after an editor or a full disk."""
    page, reports = tmp_path / "survey.html", tmp_path / "reports.jsonl"
    page.write_text(pages.page(SURVEY))
    reports.write_text(before.format(json.dumps(report("17:00", 1))))
    with serving(page, reports) as (_, ask):
        assert [ask("/report", body(number))[0] for number in (2, 3)] == [204, 204]
    _, count, left_out = collect(SURVEY, reports, tmp_path / "private.csv")
    assert count == 2 + ("{}" in before)
    assert left_out == ({"no JSON": 1} if "{{" in before else {})
    assert reports.read_bytes().startswith(before.format(json.dumps(report("17:00", 1))).encode())


FULL = """
import json, resource, sys, threading, urllib.error, urllib.request
from pathlib import Path
from dirpriv.release.survey.server import server

page, reports, bodies = sys.argv[1], Path(sys.argv[2]), json.loads(sys.argv[3])

def post(body):
    address = f"http://127.0.0.1:{one.server_address[1]}/report"
    try:
        with urllib.request.urlopen(address, body.encode()) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code

with server(page, reports, 0) as one:
    threading.Thread(target=one.serve_forever, daemon=True).start()
    for full in (0, 3, 1, 80, 171, 0):  # bytes that have room, of a report of 171 with its line end
        room = reports.stat().st_size + full if full else resource.RLIM_INFINITY
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
        print(post(bodies.pop()), post(bodies.pop()))
    one.shutdown()
"""


def test_every_report_that_is_acknowledged_is_collected_after_a_full_disk(tmp_path):
    """Nothing of a report that does not fit is left, so the next one has a line of its own."""
    page, reports = tmp_path / "survey.html", tmp_path / "reports.jsonl"
    page.write_text(pages.page(SURVEY))
    bodies = [body(number).decode() for number in range(12)]
    assert {len(each) + 1 for each in bodies} == {171}
    run = python("-c", FULL, page, reports, json.dumps(bodies))
    assert run.stdout.split() == "204 204 500 500 500 500 500 500 204 500 204 204".split(), run.stderr
    _, count, left_out = collect(SURVEY, reports, tmp_path / "private.csv")
    assert (count, left_out) == (5, {})


def test_reports_are_added_to_no_file_of_another_kind(tmp_path, capsys):
    page, other = tmp_path / "survey.html", tmp_path / "other"
    page.write_text(pages.page(SURVEY))
    line = json.dumps(report("08:15", 1))
    for text in ("arrival\n08:15\n", "{}\n", "0", f"x\n{line}\n", f"[{line}]", f"{line}{line}", "\0" * 5000):
        other.write_text(text)
        assert main(["collect", str(page), str(other), "--listen", "0"]) == 2
        assert "REPORTS must be new, or a file that begins with a report" in capsys.readouterr().err
        assert other.read_text() == text
    for path in (page, tmp_path):
        assert main(["collect", str(page), str(path), "--listen", "0"]) == 2
        assert "REPORTS must be new" in capsys.readouterr().err
    (empty := tmp_path / "folder").mkdir()
    assert main(["collect", str(page), str(empty), "--listen", "0"]) == 2
    assert capsys.readouterr().err == f"dirpriv collect: error: {str(empty)!r}: Is a directory\n"
    assert page.read_text() == pages.page(SURVEY)


def test_a_pipe_or_a_device_is_refused_before_it_is_read(tmp_path, capsys):
    """Each call ends: a server would wait for its reports, and a reader for its end."""
    page, pipe, link = tmp_path / "survey.html", tmp_path / "pipe", tmp_path / "link"
    page.write_text(pages.page(SURVEY))
    os.mkfifo(pipe)
    link.symlink_to("/dev/zero")
    for path in (pipe, link, Path("/dev/zero"), Path("/dev/null")):
        for output in ([str(tmp_path / "out.csv")], ["--listen", "0"]):
            assert main(["collect", str(page), str(path), *output]) == 2
            assert capsys.readouterr().err.count("must be a file or a folder, no pipe or device; got") == 1
        assert main(["collect", str(path), str(page), str(tmp_path / "out.csv")]) == 2
        assert "there is no page" in capsys.readouterr().err
    assert stat.S_ISFIFO(pipe.stat().st_mode) and not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--within", "200m", "--region-centre", "40,-74"], "places need --region-reach, --cell-size"),
        (["--within", "3h", "--region-reach", "30km"], "are for places"),
        ([*PLACES, "--name", "home"], "latitude and longitude"),
        (["--within", "3h", "--send-now"], "need --send-to"),
        (["--within", "3h", "--send-to", "https://a.org", "--send-now", "--send-at", "20:00"], "exclude each other"),
        (["--within", "3h", "--cells", "7"], "whole seconds"),
    ],
)
def test_wrong_uses_are_refused(tmp_path, capsys, options, message):
    page = str(tmp_path / "survey.html")
    assert main(["device", page, "--question", "When?", "--level", "1", *options]) == 2
    assert message in capsys.readouterr().err and not Path(page).exists()


def test_sending_at_once_is_listed_as_unprotected(tmp_path, capsys):
    page = str(tmp_path / "survey.html")
    sending = ["--send-to", "https://example.org/r", "--send-now"]
    words = [part for name, text in WORDS.items() for part in (f"--{name.replace('_', '-')}", text)]
    asked = ["device", page, "--question", "When?", "--level", "1", "--within", "3h", *sending]
    assert main(asked) == 2 and "--who must be given where" in capsys.readouterr().err
    assert main([*asked, *words]) == 0
    said = capsys.readouterr().out
    assert "the sending time, which is the answer" in said and "draft" not in said
    assert "do not answer at the very moment" in Path(page).read_text()
    assert read_survey(page).send_at is None


def test_the_command_says_where_its_page_is(tmp_path, capsys, monkeypatch):
    (page := tmp_path / "survey.html").write_text(pages.page(SURVEY))
    opened = []
    monkeypatch.setattr(http.server.HTTPServer, "serve_forever", lambda self: opened.append(self.server_address[1]))
    assert main(["collect", str(page), str(tmp_path / "reports"), "--listen", "0"]) == 0
    address = f"http://localhost:{opened[-1]}/"
    assert f"The page is at {address}. Reports arrive at {address}report." in " ".join(capsys.readouterr().out.split())
