"""One file out of a zip archive."""

import zipfile

import pytest

from study.checkins.unpack import unpack
from study.core.job import InputError

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
