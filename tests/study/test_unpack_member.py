"""One file out of a zip archive."""

import zipfile

import pytest

from study.checkins import download
from study.checkins.unpack import unpack
from study.workflow.job import InputError

CONTENT = b"470\tv\tc\tBar\n" * 100_000


@pytest.fixture
def archive(tmp_path):
    path = tmp_path / "archive.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as files:
        files.mkdir("checkins")
        files.writestr("checkins/NYC.txt", CONTENT)
        files.writestr("checkins/TKY.txt", b"other")
    return path


def test_a_member_is_saved(archive, tmp_path):
    unpack(archive, "checkins/NYC.txt", tmp_path / "out/nyc")
    assert (tmp_path / "out/nyc").read_bytes() == CONTENT
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["nyc"]


@pytest.mark.parametrize(
    ("member", "said"),
    [
        ("NYC.txt", "there is no 'NYC.txt' in the archive; did you mean 'checkins/NYC.txt'?"),
        ("checkins/NYK.txt", "did you mean 'checkins/NYC.txt'?"),
        ("?", "; it has 'checkins/NYC.txt', 'checkins/TKY.txt'"),
        ("checkins/", "in the archive"),  # a folder is no file
    ],
)
def test_a_member_that_is_not_there(archive, tmp_path, member, said):
    with pytest.raises(InputError) as caught:
        unpack(archive, member, tmp_path / "out/nyc")
    assert said in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_an_archive_that_is_none_or_damaged(archive, tmp_path):
    (tmp_path / "text").write_bytes(CONTENT)
    with pytest.raises(InputError, match=r"text is not a whole zip archive .*leave `member` out"):
        unpack(tmp_path / "text", "checkins/NYC.txt", tmp_path / "out/nyc")
    content = bytearray(archive.read_bytes())
    content[200:210] = bytes(10)  # within the packed member
    archive.write_bytes(content)
    with pytest.raises(InputError, match="is not a whole zip archive"):
        unpack(archive, "checkins/NYC.txt", tmp_path / "out/nyc")
    assert list((tmp_path / "out").iterdir()) == []


def altered(archive, offset, value):
    """The archive with two bytes of its members' entries set, in the local headers and in the directory."""
    content = bytearray(archive.read_bytes())
    for signature, start in ((b"PK\x03\x04", offset), (b"PK\x01\x02", offset + 2)):
        at = content.find(signature)
        while at >= 0:
            content[at + start : at + start + 2] = value.to_bytes(2, "little")
            at = content.find(signature, at + 4)
    archive.write_bytes(content)
    return archive


@pytest.mark.parametrize(
    ("offset", "value", "said"),
    [(6, 1, "password required"), (8, 99, "compression method is not supported")],
    ids=["needs a password", "unknown packing"],
)
def test_a_member_that_cannot_be_unpacked(archive, tmp_path, offset, value, said):
    """Bit 0 of the flags (at 6) is encryption; 99 is no packing (at 8) that Python knows."""
    with pytest.raises(InputError) as caught:
        unpack(altered(archive, offset, value), "checkins/NYC.txt", tmp_path / "out/nyc")
    assert said in str(caught.value) and "unpack it yourself and give its path" in str(caught.value)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["../up.txt", "/up.txt"])
def test_only_the_member_is_written_and_under_our_name(tmp_path, name):
    archive = tmp_path / "archive.zip"
    with zipfile.ZipFile(archive, "w") as files:
        for entry in (name, f"{name}.more", "other"):
            files.writestr(entry, CONTENT)
    unpack(archive, name, tmp_path / "out/nyc")
    assert (tmp_path / "out/nyc").read_bytes() == CONTENT
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["archive.zip", "nyc", "out"]


def test_a_member_may_not_be_too_large(archive, tmp_path, monkeypatch):
    monkeypatch.setattr(download, "MOST_BYTES", 10**6)
    unpack(archive, "checkins/TKY.txt", tmp_path / "out/tky")
    with pytest.raises(InputError, match=r"'checkins/NYC.txt' is too large: at least 1200000 bytes, where"):
        unpack(archive, "checkins/NYC.txt", tmp_path / "out/nyc")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["tky"]


def test_a_member_gets_no_more_than_the_archive_says(archive, tmp_path):
    """An archive that tells a small size for a large member."""
    content = bytearray(archive.read_bytes())
    assert content.count(len(CONTENT).to_bytes(4, "little")) == 2
    archive.write_bytes(content.replace(len(CONTENT).to_bytes(4, "little"), (1000).to_bytes(4, "little")))
    with pytest.raises(InputError, match=r"is not a whole zip archive \(Bad CRC-32"):
        unpack(archive, "checkins/NYC.txt", tmp_path / "out/nyc")
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize("packing", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_damage_is_named_in_every_packing(tmp_path, packing):
    archive = tmp_path / "archive.zip"
    with zipfile.ZipFile(archive, "w", packing) as files:
        files.writestr("a.txt", bytes(range(256)) * 1000)
    content = bytearray(archive.read_bytes())
    content[45:90] = bytes(45)
    archive.write_bytes(content)
    with pytest.raises(InputError, match="is not a whole zip archive"):
        unpack(archive, "a.txt", tmp_path / "out/a")
    assert list((tmp_path / "out").iterdir()) == []
