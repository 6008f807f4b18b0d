"""What may be known of a dataset's files: their names, and not the folders of this machine."""

from study.checkins.sources import without_folders


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
