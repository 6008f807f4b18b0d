"""The counts of refusals: a level that is stated three times too small is refused, a right one is not."""

from measure_refusals import rows


def test_a_wrong_level_is_refused_and_a_right_one_is_not():
    """A right one is, once in a thousand runs."""
    [wrong, _] = rows(1, 3.0, ["cap"])
    assert wrong == dict(mechanism="cap", space="circle", factor=3.0, runs=1, refused=1, metric="", pure=1)
    assert [row["refused"] for row in rows(1, 1.0, ["cap"])] == [0, 0]
