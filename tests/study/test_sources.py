"""What may be known of a dataset's files: their names, and not the folders of this machine."""

import pytest

from study.checkins.sources import without_folders, worldwide
from study.workflow.settings import public_address


def test_of_a_csv_file_the_user_says_whether_it_is_worldwide():
    entries = {"a": {"layout": "csv"}, "b": {"layout": "csv", "worldwide": True}, "c": {"layout": "snap"}}
    assert worldwide(entries | {"d": {"layout": "csv", "worldwide": False}}) == ["b", "c"]


def test_a_file_is_known_by_its_name():
    config = {"seed": 1, "datasets": {"mine": {"layout": "x", "path": "/home/me/checkins.txt"}, "city": {}}}
    known = without_folders(config)
    assert known == {"seed": 1, "datasets": {"mine": {"layout": "x", "path": "checkins.txt"}, "city": {}}}
    assert config["datasets"]["mine"]["path"] == "/home/me/checkins.txt"  # what was given is left alone


def test_an_address_is_known_with_its_sum_but_no_folder():
    far = {"url": "https://example.org/a/b.zip", "sha256": "0" * 64, "member": "b/c.txt"}
    near = {"url": "file:///home/me/b.txt", "sha256": "1" * 64}
    entry = {"layout": "x", "checkins": far, "places": near}
    known = without_folders({"datasets": {"mine": entry}})["datasets"]["mine"]
    assert known == {"layout": "x", "checkins": far, "places": {"url": "b.txt", "sha256": "1" * 64}}


@pytest.mark.parametrize(
    ("url", "public"),
    {
        "https://me:pass@example.org:80/a@b.zip?X-Amz-Signature=1#2": "https://example.org:80/a@b.zip",
        "http://me:p?#@ss@example.org/a": "http://example.org/a",
        "https://example.org/a#b?c": "https://example.org/a",
        "https://[::1]:80/a//b@c": "https://[::1]:80/a//b@c",
        "ftp://me:pass@example.org": "ftp://example.org",
        "file:///home/me@work/b%3F.txt": "file:///home/me@work/b%3F.txt",
        "what is this? no address": "what is this? no address",
    }.items(),
)
def test_an_address_is_known_without_what_may_be_secret(url, public):
    assert public_address(url) == public
    if url.startswith("http"):
        entry = {"layout": "x", "path": {"url": url, "sha256": "0" * 64}}
        assert without_folders({"datasets": {"mine": entry}})["datasets"]["mine"]["path"]["url"] == public
