"""Names that were constructed to share a hash are told apart, as each process has a key of its own."""

import numpy as np
import pytest
from outcome import Outcome

from study.checkins.venues_from_checkins import Venues
from study.experiments.persons.simulate import Persons
from study.workflow import parquet


@pytest.fixture
def colliding(monkeypatch):
    """DuckDB with a hash that an attacker knows: all names of one length share it, unless it has a key."""
    real = parquet.duckdb.connect
    short = "CASE WHEN length(name) < 9 THEN 7::UBIGINT ELSE md5_number_lower(name)::UBIGINT END"
    rows = [", ".join(f"c{n}" for n in range(count)) for count in range(2, 9)]
    forms = [f"({columns}) AS md5_number_lower(concat_ws('|', {columns}))" for columns in rows]

    def connect(**settings):
        connection = real(**settings)
        connection.execute(f"CREATE MACRO hash(name) AS {short}, {', '.join(forms)}")
        return connection

    monkeypatch.setattr(parquet.duckdb, "connect", connect)


def rows(count):
    place = ["40.75", "-73.98"], ["52.5", "13.4"], ["-33.9", "151.2"]
    for n in range(count):
        latitude, longitude = place[n % 3]
        fields = [f"user{n % 3}", f"venue{n % 3}", "c", "Bar", latitude, longitude, "60"]
        yield "\t".join([*fields, f"Tue Apr 03 1{n % 3}:00:09 +0000 2012"]) + "\n"


def test_venues_and_users_that_share_a_hash_are_told_apart(colliding, tmp_path):
    outcome = Outcome(tmp_path, "".join(rows(30)).encode())
    assert (outcome.summary["users"], outcome.summary["venues"]) == (3, 3)
    venues = Venues(outcome.prepared_path)
    assert len(venues) == venues.names == 3 and venues.checkins.tolist() == [10, 10, 10]
    persons = Persons(outcome.prepared_path, 1)
    assert persons.counts.tolist() == [10, 10, 10]
    own = [persons.vectors[first : first + 10] for first in persons.first]
    assert all(np.abs(vectors - vectors[0]).max() < 1e-9 for vectors in own)


def test_places_that_share_a_hash_are_told_apart(colliding, tmp_path):
    visits = [f"user{n}\tvenue{n % 3}\tTue Apr 03 18:00:09 +0000 2012\t60\n" for n in range(9)]
    places = [f"venue{n}\t{10 * n}\t0\tBar\tDE\n" for n in range(3)]
    files = {"checkins": "".join(visits).encode(), "places": "".join(places).encode()}
    outcome = Outcome(tmp_path, files, layout="www2019")
    assert outcome.table["latitude"].tolist() == [0.0, 10.0, 20.0] * 3 and outcome.rejected == []
