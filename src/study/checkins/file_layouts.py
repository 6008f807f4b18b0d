"""The layouts of check-in files: which files a dataset has, and what their columns are.

Only ``file_layouts.yaml`` defines them. The configuration (:mod:`study.checkins.settings`) and the reader
(:mod:`study.checkins.prepare`) follow it: to add a layout, add an entry there.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import yaml
from pydantic import TypeAdapter


class Layout(NamedTuple):
    """A layout: its files, the columns of each in file order, and its other properties.

    ``places`` and ``cities`` are None if there is no such file; without places, check-ins have their own
    coordinates. ``names``: the published file names, by role. ``worldwide``: whether the places are all
    over the world. ``zero_is_no_place``: whether 0° N 0° E means that a check-in has no place.
    """

    text: str
    checkins: tuple[str, ...]
    places: tuple[str, ...] | None = None
    cities: tuple[str, ...] | None = None
    names: dict[str, str] | None = None
    worldwide: bool = False
    zero_is_no_place: bool = False


_FILE = Path(__file__).with_suffix(".yaml")
LAYOUTS = TypeAdapter(dict[str, Layout]).validate_python(yaml.safe_load(_FILE.read_bytes()))
# what columns of a user's CSV file may mean, and what study.checkins.user_csv makes of them
COLUMNS = (*(NEEDED := ("time", "latitude", "longitude")), "user", "venue", "category")
OWN = LAYOUTS["csv"].checkins
EXAMPLE = datetime(2012, 4, 3, 18, 5, tzinfo=UTC)  # of a time, in messages
ROW_NAMES = {"cities": "city", "places": "place", "checkins": "check-in"}
"""What a row of each file is; in reading order: places come before check-ins."""
OPTIONAL_FILES = ("cities",)
