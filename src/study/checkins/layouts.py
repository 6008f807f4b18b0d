"""The layouts of check-in files: which files a dataset has, and what their columns are.

Only this module defines them. The configuration (:mod:`study.checkins.settings`) and the reader
(:mod:`study.checkins.prepare`) follow it: to add a layout, add an entry to :data:`LAYOUTS`.
"""

from typing import NamedTuple

from study.core.job import InputError


class Layout(NamedTuple):
    """A layout: its files, the columns of each in file order, and its other properties.

    ``places`` and ``cities`` are None if there is no such file; without places, check-ins have their own
    coordinates. ``names``: the published file names, by role. ``worldwide``: whether the places are all
    over the world. ``zero_is_no_place``: whether 0° N 0° E means that a check-in has no place.
    """

    text: str
    checkins: tuple
    places: tuple | None = None
    cities: tuple | None = None
    names: dict | None = None
    worldwide: bool = False
    zero_is_no_place: bool = False


EIGHT = ("user", "venue", "category_id", "category", "latitude", "longitude", "offset_minutes", "utc_time")
VISITS = ("user", "venue", "utc_time", "offset_minutes")
POINTS_OF_INTEREST = ("venue", "latitude", "longitude", "category", "country")
# what columns of a CSV file of the user's may mean, and what study.checkins.csv_columns makes of them
COLUMNS = (*(NEEDED := ("time", "latitude", "longitude")), "user", "venue", "category")
OWN = ("user", "venue", "category", "latitude", "longitude", "offset_minutes", "iso_time")
CITIES = ("city", "latitude", "longitude", "country", "country_name", "city_type")
LAYOUTS = {
    "tsmc2014": Layout("eight tab-separated columns, as in the TSMC2014 data", EIGHT),
    "tist2015": Layout(
        "check-ins with four columns, places and cities in files of their own, as in the TIST2015 data",
        VISITS, POINTS_OF_INTEREST, CITIES, worldwide=True,
        names={
            "checkins": "dataset_TIST2015_Checkins.txt", "places": "dataset_TIST2015_POIs.txt",
            "cities": "dataset_TIST2015_Cities.txt",
        },
    ),
    "www2019": Layout(
        "check-ins with four columns and places in a file of their own, as in the WWW2019 data",
        VISITS, POINTS_OF_INTEREST, worldwide=True,
        names={"checkins": "dataset_WWW_Checkins_anonymized.txt", "places": "raw_POIs.txt"},
    ),
    # They have no local time: see study.checkins.prepare.NAUTICAL_ZONE
    "snap": Layout(
        "five tab-separated columns with UTC times only, as in the Gowalla and Brightkite data at SNAP",
        ("user", "iso_time", "latitude", "longitude", "venue"), worldwide=True, zero_is_no_place=True,
    ),
    "csv": Layout("columns that the first line names", OWN, zero_is_no_place=True),
    # what generate_checkins writes
    "synthetic_city": Layout("generated check-ins of an invented city", EIGHT),
    "synthetic_world": Layout("generated check-ins in real cities", EIGHT, worldwide=True),
}  # fmt: skip
ROW_NAMES = {"checkins": "check-in", "places": "place", "cities": "city"}
OPTIONAL_FILES = ("cities",)


def layout_of(name):
    """The layout with this name, or an :class:`~study.core.job.InputError` that lists the layouts."""
    if name not in LAYOUTS:
        raise InputError(f"layout '{name}' is unknown; known layouts: {', '.join(LAYOUTS)}")
    return LAYOUTS[name]


def files_of(name, given):
    """The files of a layout: role -> path, in reading order; places come before check-ins.

    Parameters
    ----------
    name : str
        A key of :data:`LAYOUTS`.
    given : mapping
        Role (``checkins``, ``places``, ``cities``) -> path.
    """
    layout = layout_of(name)
    roles = [role for role in ("cities", "places", "checkins") if getattr(layout, role)]
    missing = [role for role in roles if role not in given and role not in OPTIONAL_FILES]
    unknown = [role for role in given if role not in roles]
    if missing or unknown:
        wrong = [f"{', '.join(missing)} not given"] if missing else []
        wrong += [f"{', '.join(unknown)} not known"] if unknown else []
        raise InputError(f"layout '{name}' has the files {', '.join(reversed(roles))}; {' and '.join(wrong)}")
    return {role: given[role] for role in roles if role in given}
