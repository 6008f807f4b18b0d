"""Settings of a release of a file are stated once: keywords, options and documentation are made from them."""

import argparse
import dataclasses
import pydoc
import re

import pytest
from tables_of_releases import new_holder

from dirpriv import InvalidArgument, release
from dirpriv._inputs import clock_units
from dirpriv.command import options
from dirpriv.command import release as command
from dirpriv.release import settings
from dirpriv.release.settings import CentralFileSettings, LocalFileKeywords, LocalFileSettings

holder = pytest.fixture(new_holder)
LOCAL = {"time": "arrival", "level": 1.0, "radius": "3h"}
CENTRAL = {"time": "arrival", "epsilon": 1.0, "mean": True}
KINDS = LocalFileSettings, CentralFileSettings
OTHERS = {"help", "input", "output", "verbose", "trust", "plot", "title"}  # options that are no settings


def test_the_keywords_are_the_fields():
    typed = {name: hint.__forward_arg__ for name, hint in LocalFileKeywords.__annotations__.items()}
    local, central = ({field.name: field.type for field in dataclasses.fields(kind)} for kind in KINDS)
    assert typed == local != central


def parser():
    made = argparse.ArgumentParser()
    command.add_arguments(made)
    return made


def test_the_options_are_the_fields():
    names = {action.dest for action in parser()._actions}
    assert names - OTHERS == {*settings.settings_by_name(LocalFileSettings)} | {
        *settings.settings_by_name(CentralFileSettings)
    }
    assert parser().parse_args("in.csv out.csv --keep one --keep two".split()).keep == ["one", "two"]


def test_the_units_of_numbers_are_in_the_help():
    assert options.SETTINGS["unit"].help.endswith(": " + ", ".join(clock_units.NAMES))


def test_help_in_python_has_every_field():
    shown = pydoc.render_doc(release.file, renderer=pydoc.plaintext)
    for kind in (LocalFileSettings, CentralFileSettings):
        for name, about in settings.settings_by_name(kind).items():
            first = re.escape(f"{about.help[0].upper()}{about.help[1:]}.").replace("\\ ", r"\s+")
            assert re.search(rf"\n{name} : .*\n\s+{first}", kind.__doc__), name
            assert kind is CentralFileSettings or re.search(rf"\b{name}\b", shown), name
    assert "epsilon" not in shown


def test_a_new_option_is_one_field(monkeypatch, capsys):
    @settings.documented
    @dataclasses.dataclass(frozen=True, kw_only=True)
    class More(LocalFileSettings):
        """More.

        Attributes
        ----------
        since : str, optional
            Leave out rows before this ``time``. They are not counted.
        """

        since: str | None = settings.setting(None, group="rows")

    monkeypatch.setattr(options, "SETTINGS", options.SETTINGS | settings.settings_by_name(More))
    assert parser().parse_args(["in.csv", "out.csv", "--since", "08:00"]).since == "08:00"
    with pytest.raises(SystemExit):
        parser().parse_args(["--help"])
    assert "leave out rows before this --time" in " ".join(capsys.readouterr().out.split())
    with pytest.raises(InvalidArgument, match="'since' must be one value or a few values, not data"):
        More(**LOCAL, since={"08:00"})


@pytest.mark.parametrize("kind, fields", [(LocalFileSettings, LOCAL), (CentralFileSettings, CENTRAL)])
def test_each_kind_refuses_the_fields_of_the_other(kind, fields):
    kind(**fields)
    others = settings.settings_by_name(CentralFileSettings if kind is LocalFileSettings else LocalFileSettings)
    wrong = {name: each.default for name, each in others.items() if name not in settings.settings_by_name(kind)}
    assert wrong
    for name, value in wrong.items():
        with pytest.raises(TypeError, match=f"unexpected keyword argument '{name}'"):
            kind(**fields, **{name: value})


@pytest.mark.parametrize("name, value", [("keep_order", 1), ("rerelease", "no"), ("other_people", 0)])
def test_what_is_true_or_false_is_no_other_value(name, value):
    with pytest.raises(InvalidArgument, match=f"'{name}' must be True or False; got"):
        LocalFileSettings(**LOCAL, **{name: value})


@pytest.mark.parametrize("results", [{}, {"mean": True, "bins": 24}, {"bins": 24, "districts": 8}])
def test_a_central_release_has_one_result(results):
    with pytest.raises(InvalidArgument, match="one result is needed, by one of 'mean', 'bins', 'districts'"):
        CentralFileSettings(time="arrival", epsilon=1.0, **results)


def test_settings_and_their_fields_release_the_same_way(holder):
    source, asked = holder.column(["08:15", "09:00", "17:30"]), LOCAL | {"cells": 24, "other_people": True}
    one = release.file(source, holder.output / "one.csv", **asked)
    other = release.file(source, holder.output / "other.csv", LocalFileSettings(**asked, rerelease=True))
    assert dataclasses.replace(other, earlier=()) == one and len(other.earlier) == 1
    with pytest.raises(InvalidArgument, match="and not both"):
        release.file(source, holder.output / "two.csv", LocalFileSettings(**asked), cells=24)
    with pytest.raises(InvalidArgument, match="'settings' must be LocalFileSettings or CentralFileSettings"):
        release.file(source, holder.output / "two.csv", asked)


def test_a_central_release_from_python(holder):
    source = holder.column(["08:15", "09:00", "17:30"])
    asked = CentralFileSettings(time="arrival", epsilon=100.0, bins=24, other_people=True)
    guarantee = release.file(source, holder.output / "hours.csv", asked)
    rows = holder.released("hours.csv")
    assert guarantee.level == 100.0 and guarantee.to_json()["trust"] == "central"
    # at this level a count is wrong with a probability below 1e-40
    assert [row[1] for row in rows if int(row[3])] == ["08:00", "09:00", "17:00"]
