"""Places outside of the region: moved to its border, refused to the holder alone, or seen to be outside."""

import json

import numpy as np
import pytest
from tables_of_releases import CITY, new_holder

from dirpriv import InvalidArgument, release

holder = pytest.fixture(new_holder)
NEAR = {"level": 1e6, "radius": "200m", **CITY}  # the cell of the input is released
PLACES = {"latitude": "lat", "longitude": "lon", "keep_order": True, **NEAR}
TEXT = "lat,lon\n40.758,-73.985\n0,0\n40.689,-74.045\n-13.37,7.65\n"
SEEN = "which rows are outside of the region"


def test_the_border_is_the_default_after_a_question_that_is_seen(holder):
    guarantee = holder.release(holder.csv(TEXT), **PLACES)
    asked = "whether all places are outside of the region"
    assert all(all(row) for row in holder.released())
    assert guarantee.unprotected == ("order of the rows", asked)
    assert "moved to the border; the release reveals that not all are beyond it" in guarantee.text()
    guarantee = holder.release(holder.csv(TEXT), "b.csv", outside="clamp", rerelease=True, **PLACES)
    assert all(all(row) for row in holder.released("b.csv"))
    assert guarantee.unprotected == ("order of the rows",)
    assert "places beyond 30km are moved to the border" in guarantee.text()
    assert "outside" not in json.loads((holder.output / "b.csv.guarantee.json").read_text())["columns"][0]


def test_who_is_outside_is_seen_where_they_pass(holder):
    guarantee = holder.release(holder.csv(TEXT), outside="keep", **PLACES)
    rows = holder.released()
    assert [row == ["", ""] for row in rows] == [False, True, False, True]
    assert SEEN in guarantee.unprotected and release.read_guarantee(holder.output / "private.csv") == guarantee
    (found,) = release.read_released(holder.output / "private.csv")
    assert (found.missing, found.counts.sum()) == (2, 2)
    document = guarantee.to_json()
    for change in (
        {"unprotected": ["order of the rows"]},
        {"columns": [{**document["columns"][0], "outside": "stop"}]},
    ):
        with pytest.raises(InvalidArgument, match="'unprotected' does not fit the field 'outside'"):
            release.FileGuarantee.from_json(document | change)


def test_a_stop_names_the_row_before_ledger_and_draw(holder):
    with pytest.raises(InvalidArgument) as error:
        holder.release(holder.csv(TEXT), outside="stop", **PLACES)
    said = str(error.value)
    assert said.startswith("row 2 of 'lat' is outside of the region: leave the row out, or give outside='clamp'")
    assert "A release with 'stop'" in said and "reveals that nobody was outside" in said and "13.37" not in said
    assert holder.outputs() == [] and holder.ledger() == []
    inside = "".join(TEXT.splitlines(keepends=True)[:2])
    assert "reveals that none is beyond 30km" in holder.release(holder.csv(inside), outside="stop", **PLACES).text()


def test_columns_of_places():
    north, east = [40.758, 0.0, None], [-73.985, 0.0, None]
    found = release.places(north, east, outside="keep", missing="keep", **NEAR)
    assert np.isnan(np.array(found)).tolist() == [[False, True, True]] * 2
    with pytest.raises(InvalidArgument, match="row 1 of 'latitude' is outside of the region"):
        release.places(north[:2], east[:2], outside="stop", **NEAR)
    assert not np.isnan(release.places(north[:2], east[:2], **NEAR)).any()
    with pytest.raises(InvalidArgument, match="'outside' must be 'clamp', 'stop' or 'keep'"):
        release.places(north[:2], east[:2], outside="drop", **NEAR)


def test_times_have_no_outside(holder):
    with pytest.raises(InvalidArgument, match="'outside' goes with 'latitude' and 'longitude'"):
        holder.release(holder.column(["08:15"]), time="arrival", level=1.0, radius="3h", outside="keep")
