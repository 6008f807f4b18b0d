"""Formats beside CSV and Parquet: each value is the one of the file, or the file is refused without any value."""

import csv
import gzip
import io
import json
import re
import zipfile

import pytest
from for_all import for_all
from hypothesis import strategies as st
from leaks import NAME, leaked, texts_of

from dirpriv.tables import Table, formats, json_records, xml_points
from dirpriv.tables import table as _table


def read(path, separator=","):
    """The rows of a file, as dictionaries of texts; what is missing is empty."""
    table = Table("input", path, separator)
    table.feed()
    blocks = table.blocks([f"coalesce(CAST({table.sql(i)} AS VARCHAR), '')" for i in range(len(table.names))])
    return [dict(zip(table.names, row, strict=True)) for block in blocks for row in zip(*block, strict=True)]


def zipped(*members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return file.getvalue()


ROWS = [{"id": "1", "arrival": "08:15"}, {"id": "2", "arrival": "09:00"}]
CSV = "id,arrival\n1,08:15\n2,09:00\n"
TABS = CSV.replace(",", "\t")
E7 = {"latitudeE7": 407500000, "longitudeE7": -739800000}
PLACE = {"lat": "40.7500000", "lon": "-73.9800000"}
GPX = """<?xml version="1.0"?><gpx xmlns="http://www.topografix.com/GPX/1/1"><metadata><time>2000-01-01T00:00:00Z</time>
<link/></metadata><wpt lat="1" lon="2"/><trk><trkseg><trkpt lat="40.75" lon="-73.98"><ele>3</ele><time>
2024-03-05T08:15:00-05:00 </time><extensions><t:time xmlns:t="x">1</t:time></extensions></trkpt></trkseg></trk></gpx>"""
POINTS = [
    {"kind": "wpt", "time": "", "lat": "1", "lon": "2"},
    {"kind": "trkpt", "time": "2024-03-05T08:15:00-05:00", "lat": "40.75", "lon": "-73.98"},
]
KML = """<kml xmlns:gx="g"><Placemark><Point><coordinates> -73.98, 40.75,0 </coordinates></Point><LookAt><gx:TimeStamp>
<when>1999</when></gx:TimeStamp></LookAt><TimeStamp><when>2024</when></TimeStamp></Placemark><Placemark><gx:MultiTrack>
<gx:Track><when>a</when><when>b</when><gx:coord>1 2 3</gx:coord><gx:coord/></gx:Track></gx:MultiTrack></Placemark>
</kml>"""
RECORDS = '[{"a": 1.50, "b": null, "c": {"d": true, "e": [-0, "x,\\"y\\r\\nz"]}}, {"a": "NA", "f": "é"}]'
FEATURE = {"type": "Feature", "geometry": {"type": "Point", "coordinates": [-73.98, 40.75]}, "properties": {"lat": 1}}
GEOJSON = {"type": "FeatureCollection", "features": [FEATURE, {"geometry": None, "properties": {"t": "08:15"}}]}
PATH = {"timelinePath": [{"point": "40.75°, -73.98°", "time": "t0"}, {"point": "1°, 2°", "time": "t1"}]}
VISIT = {"startTime": "a", "endTime": "b", "visit": {"topCandidate": {"placeLocation": {"latLng": "3°, 4°"}}}}
DRIVE = {"startTime": "c", "endTime": "d", "activity": {"start": {"latLng": "5°, 6°"}, "end": {"latLng": "7°, 8°"}}}
SEGMENTS = {"semanticSegments": [PATH, VISIT, DRIVE, {"startTime": "e", "timelineMemory": {}}], "rawSignals": [1]}
OBJECTS = {
    "timelineObjects": [
        {"placeVisit": {"location": E7, "duration": {"startTimestamp": "s", "endTimestamp": "e"}}},
        {
            "activitySegment": {
                "startLocation": E7,
                "endLocation": {},
                "duration": {"startTimestampMs": "1709626500123"},
            }
        },
    ]
}


def rows(kind, *places):
    return [dict(zip(("kind", "time", "lat", "lon"), (kind, *place), strict=True)) for place in places]


# the name of a file, its contents, and the rows
READ = {
    "a timetable": ("a.txt", CSV, ROWS),
    "capitals": ("A.TXT", CSV, ROWS),
    "tabs": ("a.tsv", TABS, ROWS),
    "commas for tabs": ("a.tsv", CSV, ROWS),
    "bars": ("a.psv", CSV.replace(",", "|"), ROWS),
    "data, packed": ("a.dat.gz", gzip.compress(CSV.encode()), ROWS),
    "UTF-16": ("a.csv", CSV.encode("utf-16"), ROWS),
    "UTF-16 with tabs, packed": ("a.tsv.gz", gzip.compress(b"\xfe\xff" + TABS.encode("utf-16-be")), ROWS),
    "Windows-1252": ("a.csv", "n,b\nx,1\né€,2\n".encode("cp1252"), [{"n": "x", "b": "1"}, {"n": "é€", "b": "2"}]),
    "names in Windows-1252": ("a.csv", "café\n1\n".encode("cp1252"), [{"café": "1"}]),
    "a named separator": ("a.csv", "\ufeffsep=;\r\nid;arrival\r\n1;08:15\r\n2;09:00\r\n", ROWS),
    "titles and comments": ("a.csv", f"Rides of 2024\n\n# of x, y, z\n,\n{CSV}", ROWS),
    "titles, with CR alone": ("a.csv", f"Rides\r{CSV}".replace("\n", "\r"), ROWS),
    "names in a comment": ("a.csv", f"#{CSV}", [{"#id": row["id"], "arrival": row["arrival"]} for row in ROWS]),
    "one name, two fields": ("a.csv", "item\ncafe,\nbar,\n", [{"item": "cafe"}, {"item": "bar"}]),
    "a name and values": ("a.csv", "item\n08:15,\n09:00,\n", [{"item": "08:15"}, {"item": "09:00"}]),
    "GPX": ("a.gpx", GPX, POINTS),
    "GPX in UTF-16": ("a.gpx", GPX.replace("?>", ' encoding="UTF-16"?>').encode("utf-16"), POINTS),
    "KML": ("a.kml", KML, rows("point", ("2024", "40.75", "-73.98")) + rows("track", ("a", "2", "1"), ("b", "", ""))),
    "an array": (
        "a.json",
        RECORDS,
        [
            {"a": "1.50", "b": "", "c.d": "true", "c.e.0": "-0", "c.e.1": 'x,"y\r\nz', "f": ""},
            {"a": "NA", "b": "", "c.d": "", "c.e.0": "", "c.e.1": "", "f": "é"},
        ],
    ),
    "lines": ("a.jsonl", '{"id": 1}\n\n{"id": "2"}', [{"id": "1"}, {"id": "2"}]),
    "one line": ("a.json", '{"id": 1}', [{"id": "1"}]),
    "lines in JSON": ("a.json.gz", gzip.compress(b'\xef\xbb\xbf{"id": 1}\r\n{"id": 2}'), [{"id": "1"}, {"id": "2"}]),
    "GeoJSON": (
        "a.geojson",
        json.dumps(GEOJSON),
        [
            {"lat": "40.75", "lon": "-73.98", "properties.lat": "1", "t": ""},
            {"lat": "", "lon": "", "properties.lat": "", "t": "08:15"},
        ],
    ),
    "Records": (
        "Records.json",
        json.dumps({"locations": [{**E7, "timestamp": "t", "activity": [{"x": 1}]}, {"timestampMs": "123"}]}),
        [{"kind": "", "time": "t", **PLACE}, {"kind": "", "time": "1970-01-01T00:00:00.123Z", "lat": "", "lon": ""}],
    ),
    "other locations": ("a.json", '{"locations": [{"lat": 1, "timestamp": 2}]}', [{"lat": "1", "timestamp": "2"}]),
    "Timeline": (
        "Timeline.json",
        json.dumps(SEGMENTS),
        rows("path", ("t0", "40.75", "-73.98"), ("t1", "1", "2"))
        + rows("visit", ("a", "3", "4"))
        + rows("start", ("c", "5", "6"))
        + rows("end", ("d", "7", "8")),
    ),
    "Semantic history": (
        "2024_MARCH.json",
        json.dumps(OBJECTS),
        rows("visit", ("s", *PLACE.values()))
        + rows("start", ("2024-03-05T08:15:00.123Z", *PLACE.values()))
        + rows("end", ("", "", "")),
    ),
    "zip": ("a.zip", zipped(("d/a.txt", CSV), ("readme.md", "x"), ("__MACOSX/._a.txt", "x")), ROWS),
    "zip of a packed track": ("a.zip", zipped(("a.gpx.gz", gzip.compress(GPX.encode()))), POINTS),
}


@pytest.mark.parametrize(("name", "data", "right"), READ.values(), ids=READ)
def test_a_format_is_read_right(name, data, right, tmp_path):
    path = tmp_path / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    assert read(path) == right


@pytest.mark.parametrize("name", ["an array", "lines", "GeoJSON", "Timeline", "GPX", "KML"])
@pytest.mark.parametrize("size", [1, 7, 64])
def test_a_file_is_read_right_in_pieces(name, size, tmp_path, monkeypatch):
    """Wherever a piece ends: within a number, a name, a character or an element."""
    for module in (json_records, xml_points):
        monkeypatch.setattr(module, "_BLOCK", size)
    monkeypatch.setattr(formats, "_BLOCK", size)
    test_a_format_is_read_right(*READ[name], tmp_path)


SECRET = f"{NAME} 13:37:09"
DAMAGED = bytearray(zipped(("a.csv", f"arrival\n{SECRET}\n" * 500)))
DAMAGED[70] ^= 255
REFUSED = {
    "no JSON": ("a.json", f'[{{"a": "{SECRET}"}}, {SECRET}]', "record 2 is no JSON"),
    "a cut array": ("a.json", f'[{{"a": "{SECRET}"}}, {{"a": "{SECRET}', "record 2 is no JSON"),
    "lines with a comma": ("a.jsonl", f'{{"a": 1}},\n{{"a": "{SECRET}"}}', "record 2 is no JSON"),
    "a number that is none": ("a.json", '[{"a": 13.3709}, {"a": NaN}]', "record 2 is no JSON"),
    "a name twice": ("a.json", f'[{{"{NAME}": 1, "{NAME}": "{SECRET}"}}]', "record 1 has a name twice"),
    "a name twice, flat": ("a.json", f'[{{"b.{NAME}": 1, "b": {{"{NAME}": 2}}}}]', "record 1 has a name twice"),
    "values": ("a.json", f'[{{"a": 1}}, "{SECRET}"]', "record 2 is no object"),
    "a text": ("a.json", f'"{SECRET}"', "record 1 is no JSON"),
    "more behind": ("a.json", f'[{{"a": 1}}] {{"a": "{SECRET}"}}', "record 2 is behind the end"),
    "one object": ("a.json", f'{{"rows": [{{"a": "{SECRET}"}}]}}', "record 1 is one object with others in it"),
    "an empty array": ("a.json", "[]", "contains no records"),
    "empty records": ("a.json", "[{}, {}]", "contains no records"),
    "a history of nothing": ("a.json", '{"semanticSegments": [{"timelineMemory": {}}]}', "contains no records"),
    "too deep": ("a.json", "[" * 200_000, "record 1 is no text, or is too deep"),
    "no character": ("a.json", f'[{{"a": "{SECRET}\\ud800"}}]', "line 2 of '.*' is no UTF-8 text"),
    "no UTF-8 of JSON": ("a.json", f'[{{"a": "{SECRET}'.encode() + b'\xff"}]', "record 1 is no text"),
    "a line of GeoJSON": (
        "a.geojson",
        '{"features": [{"geometry": {"type": "LineString", "coordinates": [[8.3709, 47.3709]]}}]}',
        "record 1 is a feature that is no point",
    ),
    "a place of another form": (
        "a.json",
        f'{{"semanticSegments": [{{"activity": {{"start": {{"latLng": "{SECRET}"}}}}}}]}}',
        "record 1 has a place of another form",
    ),
    "degrees for E7": ("a.json", '{"locations": [{"latitudeE7": 47.3709, "longitudeE7": 1}]}', "of another form"),
    "cut XML": ("a.gpx", GPX.replace("08:15", "13:37")[:-20], "cannot be read as GPX or KML from line 3 on"),
    "no XML": ("a.kml", SECRET, "from line 1 on: it is damaged, cut off, or no XML"),
    "an entity": (
        "a.gpx",
        f'<!DOCTYPE gpx [<!ENTITY x "{SECRET}">]><gpx><wpt lat="1" lon="2"><time>&x;</time></wpt></gpx>',
        "behind a document type, which is not read",
    ),
    "a file of another": ("a.gpx", '<!DOCTYPE gpx SYSTEM "file:///etc/passwd"><gpx/>', "document type"),
    "an unknown encoding": ("a.gpx", f'<?xml version="1.0" encoding="{NAME}"?><gpx/>', "from line 1 on"),
    "half a place": ("a.gpx", '<gpx><wpt lat="1" lon="2"/><wpt lat="47.3709"/></gpx>', "point 2, which has no lat"),
    "no points": ("a.gpx", f"<gpx><name>{SECRET}</name></gpx>", "contains no points"),
    "a long text": ("a.gpx", f"<gpx>{SECRET * 100_000}</gpx>", "has a text that is too long"),
    "a track without a time": ("a.kml", KML.replace("<when>b</when>", ""), "point 2, which begins a track with other"),
    "an area": ("a.kml", "<kml><Polygon><LinearRing>8.3709,47.3709</LinearRing></Polygon></kml>", "a line or an area"),
    "a place of one number": (
        "a.kml",
        KML.replace(" -73.98, 40.75,0 ", "8.3709"),
        "point 1, which has no place of two or three numbers",
    ),
    "no zip": ("a.zip", b"PK\x03\x04" + SECRET.encode(), "is no complete zip file"),
    "two tables": ("a.zip", zipped((f"{NAME}.csv", CSV), ("b.txt", CSV)), "has 2 tables in it"),
    "no table": ("a.zip", zipped((f"{NAME}.doc", "x"), ("a.zip", zipped(("a.csv", CSV)))), "has 0 tables in it"),
    "a damaged zip": ("a.zip", bytes(DAMAGED), "is a damaged zip file"),
    "a large zip": ("a.zip", zipped(("a.csv", f"arrival\n{SECRET}\n" * 1000)), "has more than 0 MB"),
    "a large array": ("a.json", json.dumps([{"a": SECRET}] * 1000), "has more than 0 MB"),
    "a cut gzip": ("a.json.gz", gzip.compress(json.dumps([{"a": SECRET}] * 9).encode())[:-9], "no[a-z ]*complete gzip"),
    "no gzip": ("a.gpx.gz", GPX, "no[a-z ]*complete gzip"),
    "damaged UTF-8": ("a.csv", f"n\né{SECRET}\n".encode() + b"\xe9\n", "line 3 of '.*' is no UTF-8 text"),
    "no Windows-1252": ("a.csv", f"n\n{SECRET}\n".encode() + b"\xe9\x81\n", "line 3 of '.*' is no UTF-8 text"),
    "a large text": ("a.csv", f"n\n{SECRET}\n".encode() * 1000 + b"\xe9\n", "has more than 0 MB.*line 2001 of"),
    "half of UTF-16": ("a.csv", CSV.replace("08:15", SECRET).encode("utf-16")[:-1], "is damaged UTF-16 text"),
    "a spreadsheet": ("a.xls", SECRET, "soffice --headless --convert-to xlsx"),
    "a shapefile": ("a.shp", SECRET, "ogr2ogr -f CSV -lco GEOMETRY=AS_XY"),
    "a GeoPackage": ("a.gpkg", SECRET, "ogr2ogr -f CSV -lco GEOMETRY=AS_XY"),
    "a feather": ("a.feather", SECRET, "read_feather"),
    "a suffix alone": (".csv", CSV, "must be the path of a file .csv"),
}


@pytest.mark.parametrize(("name", "data", "says"), REFUSED.values(), ids=REFUSED)
def test_a_damaged_file_is_refused_without_a_value(name, data, says, tmp_path, monkeypatch, logged, capfd):
    monkeypatch.setattr(_table, "MOST_HELD", 15_000)
    path = tmp_path / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    with pytest.raises(ValueError, match=says) as raised:
        read(path)
    texts = [text.replace(str(tmp_path), "") for text in texts_of(raised.value)]
    assert leaked(*texts, logged.getvalue(), *capfd.readouterr()) == []


NAMES = st.text('ab,"\n é#=;', min_size=1, max_size=4)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
)
VALUES = LEAVES | st.dictionaries(NAMES, LEAVES, min_size=1, max_size=3) | st.lists(LEAVES, min_size=1, max_size=3)


def text_of(value):
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def flat(record):
    """The texts of a record, by names with points; as the records are drawn, at most two deep."""
    found = {}
    for name, value in record.items():
        parts = {f"{name}.{key}": part for key, part in value.items()} if isinstance(value, dict) else {name: value}
        parts = {f"{name}.{i}": part for i, part in enumerate(value)} if isinstance(value, list) else parts
        found |= {name: text_of(part) for name, part in parts.items()}
    return found


@for_all(
    40,
    2000,
    records=st.lists(st.dictionaries(NAMES, VALUES, min_size=1, max_size=4), min_size=1, max_size=5),
    lines=st.booleans(),
    size=st.sampled_from([1, 5, 1 << 16]),
)
def test_every_json_is_read_as_it_was_written(records, lines, size):
    """Of any names and texts, cut into pieces anywhere."""
    text = (
        "\n".join(map(json.dumps, records))
        if lines and records[1:]
        else json.dumps(records, ensure_ascii=False, indent=1)
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_records, "_BLOCK", size)
        found = [*json_records.records(io.BytesIO(text.encode()), AssertionError)]
    assert found == [flat(record) for record in records]
    (block,) = formats.csv_blocks(".json", lambda: io.BytesIO(text.encode()), AssertionError)
    names, *rows = csv.reader(io.StringIO(block.decode(), newline=""))
    assert [{name: record.get(name, "") for name in names} for record in found] == [
        dict(zip(names, row, strict=True)) for row in rows
    ]


SUFFIX = re.compile(r"\.[a-z]+")


def test_the_page_lists_every_format():
    from command_runs import ROOT

    page = (ROOT / "docs" / "prepare_your_table.md").read_text(encoding="utf-8").partition("\n## ")[0]
    assert {*formats.SUFFIXES} <= {*SUFFIX.findall(page)}
