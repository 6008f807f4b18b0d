"""The measurement of releases runs."""

from measure_releases import measure


def test_every_kind_is_measured():
    found = dict(measure(100))
    assert len(found) >= 18 and min(found.values()) >= 0.0
    assert "lists of datetime" in found
