"""A wrong configuration gives one readable message; the one in ``config/`` is right and documented."""

import copy
import functools
import json
import math
import operator
import re
from pathlib import Path
from typing import Annotated, Literal, get_args

import pytest
import yaml
from pydantic import Field
from snakemake.utils import update_config

from study import configuration
from study.checkins import file_layouts
from study.checkins import settings as of_checkins
from study.checkins.settings import File
from study.checkins.synthetic.generate import MODELS
from study.workflow import settings
from study.workflow.job import InputError
from study.workflow.settings import BY_KIND, EMPTY, TRUTH, Listed, Section, dotted, fields_of, key

ROOT = Path(__file__).resolve().parents[2]

Levels = Annotated[Listed[Annotated[float, Field(gt=0)]], key("Levels.")]


class MadeUp(Section):
    layout: Literal["made_up"] = key("How the file is laid out.")
    rows: int = key("How many rows.", ge=1)


class Given(Section):
    layout: Literal["tsmc2014"] = key("How the file is laid out.")
    path: File = key("The file.")


Word = Annotated[str, key("Lower-case letters.", pattern="^[a-z]+$")]


class Small(Section):
    """Not to be quoted: it says nothing about one key."""

    seed: int = key("Seed of every generator.", ge=0)
    share: float = key("A share.", le=1, default=None)
    epsilons: Levels = None
    distances: Levels = key("Distances in radians.", default=None)
    mechanisms: list[Literal["purkayastha", "von_mises_fisher"]] = key("Which mechanisms.", default=None)
    note: str = key("A word.", pattern="^[a-z]+$", default=None)
    quiet: Annotated[Annotated[bool, TRUTH] | Annotated[None, EMPTY], BY_KIND] = key("Whether to be quiet.")
    datasets: dict[Word, Annotated[MadeUp | Given, Field(discriminator="layout")]] = key("Check-ins.", min_length=1)


RIGHT = {
    "seed": 1,
    "share": 0.5,
    "epsilons": [0.1, 1],
    "distances": [0.5],
    "mechanisms": ["purkayastha"],
    "note": "word",
    "quiet": None,
    "datasets": {"city": {"layout": "made_up", "rows": 10}},
}


def problems(config, model=Small):
    """The lines of the message, without the headline."""
    with pytest.raises(InputError) as error:
        settings.check(config, model)
    headline, *lines = str(error.value).split("\n")
    count = f"{len(lines)} problem{'s' if len(lines) > 1 else ''}"
    assert headline.startswith(f"the configuration cannot be used ({count})")
    return [line.strip() for line in lines]


def variant(**changes):
    return {**copy.deepcopy(RIGHT), **changes}


def test_a_right_configuration_passes(tmp_path):
    settings.check(RIGHT, Small)
    (tmp_path / "checkins.txt").write_text("", encoding="utf-8")
    own = {"layout": "tsmc2014", "path": str(tmp_path / "checkins.txt")}
    settings.check(variant(datasets={"mine": own}), Small)


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"seed": -1}, "seed: must be greater than or equal to 0; -1 is given (Seed of every generator)"),
        ({"seed": 1000.0}, "seed: must be a valid integer; 1000.0 is given, write 1000 (Seed of every generator)"),
        ({"seed": 0.5}, "seed: must be a valid integer; 0.5 is given (Seed of every generator)"),
        ({"seed": True}, "seed: must be a valid integer; true is given (Seed of every generator)"),
        ({"seed": "many"}, 'seed: must be a valid integer; "many" is given (Seed of every generator)'),
        ({"share": 2}, "share: must be less than or equal to 1; 2 is given (A share)"),
        ({"share": "1e-3"}, 'share: must be a valid number; "1e-3" is given, write 0.001 (A share)'),
        ({"share": math.nan}, "share: must be a finite number; NaN is given (A share)"),
        ({"epsilons": []}, "epsilons: must have at least 1 item after validation, not 0; [] is given (Levels)"),
        ({"epsilons": [1, -2]}, "epsilons[1]: must be greater than 0; -2 is given (Levels)"),
        ({"epsilons": [1, math.inf]}, "epsilons[1]: must be a finite number; Infinity is given (Levels)"),
        ({"epsilons": 1}, "epsilons: must be a valid list; 1 is given (Levels)"),
        ({"epsilons": [1, 2, 1]}, "epsilons: must not name anything twice, but repeats 1.0"),
        (
            {"distances": []},
            "distances: must have at least 1 item after validation, not 0; [] is given (Distances in radians)",
        ),
        (
            {"mechanisms": ["purkayasta"]},
            "mechanisms[0]: must be 'purkayastha' or 'von_mises_fisher'; "
            '"purkayasta" is given, did you mean "purkayastha"? (Which mechanisms)',
        ),
        ({"note": "Two words"}, "note: must match pattern '^[a-z]+$'; \"Two words\" is given (A word)"),
        ({"quiet": 3}, "quiet: must be true or false or empty; 3 is given (Whether to be quiet)"),
        (
            {"sed": 1},
            'sed: unknown key, did you mean "seed"?; the keys here are '
            "datasets, distances, epsilons, mechanisms, note, quiet, seed, share",
        ),
        ({"datasets": {}}, "datasets: must have at least 1 item after validation, not 0; {} is given (Check-ins)"),
        (
            {"datasets": {"City1": {"layout": "made_up", "rows": 1}}},
            "datasets.City1: must match pattern '^[a-z]+$'; \"City1\" is given (Check-ins)",
        ),
        (
            {"datasets": {"city": {"layout": "made_up", "rows": 0}}},
            "datasets.city.rows: must be greater than or equal to 1; 0 is given (How many rows)",
        ),
        ({"datasets": {"city": {"layout": "made_up"}}}, "datasets.city.rows: this key is missing (How many rows)"),
        (
            {"datasets": {"city": {"layout": "tsmc2015", "path": __file__}}},
            "datasets.city.layout: must be made_up or tsmc2014; "
            '"tsmc2015" is given, did you mean "tsmc2014"? (Check-ins)',
        ),
        ({"datasets": {"city": {"rows": 1}}}, "datasets.city.layout: this key is missing (Check-ins)"),
        (
            {"datasets": {"city": 3}},
            "datasets.city: must be a valid dictionary or object to extract fields from; 3 is given (Check-ins)",
        ),
        (
            {"datasets": {"city": {"layout": "tsmc2014", "path": 3}}},
            "datasets.city.path: must be text or a mapping of keys to values; 3 is given (The file)",
        ),
        ({1: 2}, "[1]: Keys should be strings; 1 is given"),
        (
            {"datasets": {True: RIGHT["datasets"]["city"]}},
            "datasets[1]: must be a valid string; true is given (Check-ins)",
        ),
    ],
)
def test_one_line_says_where_what_and_what_would_be_right(changes, line):
    assert problems(variant() | changes) == [line]


def test_all_problems_are_listed_in_order():
    config = variant(seed=-1, epsilons=[0], share="x")
    del config["datasets"]
    assert [line.split(":")[0] for line in problems(config)] == ["datasets", "epsilons[0]", "seed", "share"]


def test_a_missing_file_is_named_with_its_key(tmp_path):
    entry = {"layout": "tsmc2014", "path": str(tmp_path / "none.txt")}
    (line,) = problems(variant(datasets={"mine": entry}))
    assert line.startswith(f"datasets.mine.path: there is no such file: {tmp_path / 'none.txt'}")
    entry = {"layout": "tsmc2014", "path": str(tmp_path)}
    (line,) = problems(variant(datasets={"mine": entry}))
    assert line.startswith("datasets.mine.path: this is a folder")


def test_a_long_value_is_cut():
    (line,) = problems(variant(note=["a"] * 1000))
    assert len(line) < 150
    assert "..." in line


def test_dotted_path():
    assert dotted(("circular_mean", "epsilons", 2)) == "circular_mean.epsilons[2]"
    assert dotted(()) == "(top level)"


# The configuration of the study itself.


def load(name):
    return yaml.safe_load((ROOT / "config" / name).read_text(encoding="utf-8"))


@pytest.fixture
def config():
    return load("config.yaml")


def test_the_configuration_is_valid(config):
    before = copy.deepcopy(config)
    configuration.check(config)
    assert config == before


def test_the_smoke_run_s_overlay_is_valid_and_changes_something(config):
    overlaid = copy.deepcopy(config)
    update_config(overlaid, load("smoke.yaml"))
    configuration.check(overlaid)
    assert overlaid != config


@pytest.mark.parametrize("section", sorted(configuration.model().model_fields))
def test_every_section_is_required(config, section):
    del config[section]
    (line,) = problems(config, configuration.model())
    assert re.fullmatch(rf"{section}: this key is missing \(.+\)", line)


def test_the_section_of_an_experiment_has_the_name_of_its_folder(config):
    assert set(config) == set(sorted(configuration.model().model_fields))
    assert {"sampling", "audit", "mean_direction"} <= set(configuration.experiments())


def keys_of(section, path=()):
    """Pairs (path, field) of all keys of a section and of those in it."""
    for name, field in fields_of(section).items():
        yield (*path, name), field
        for inner in sections_in(field.annotation):
            yield from keys_of(inner, (*path, name))


def sections_in(found):
    """The sections that a type names."""
    if isinstance(found, type) and issubclass(found, Section):
        return [found]
    return [section for part in getattr(found, "__args__", ()) for section in sections_in(part)]


def test_every_key_is_described():
    described = list(keys_of(configuration.model()))
    assert len(described) > 150
    missing = [
        dotted(path)
        for path, field in described
        if not (field.description or [s for s in sections_in(field.annotation) if s.__doc__])
    ]
    assert missing == []


def test_no_mapping_takes_unknown_keys(config):
    """Nor one without a model, but the names of the datasets."""
    update_config(config, {"datasets": {"mine": {"layout": "snap", "path": ADDRESS}}})
    for path in [(), *mappings(config)]:
        changed = copy.deepcopy(config)
        section = changed
        for step in path:
            section = section[step]
        section["zzz"] = 1
        (line,) = problems(changed, configuration.model())
        expected = "must be a valid dictionary" if path == ("datasets",) else "unknown key; the keys here are "
        assert line.startswith(f"{dotted((*path, 'zzz'))}: {expected}")


ADDRESS = {"url": "https://a.org/b.txt", "sha256": "0" * 64}


def mappings(value, path=()):
    for step, child in value.items():
        if isinstance(child, dict):
            yield (*path, step)
            yield from mappings(child, (*path, step))


@pytest.mark.parametrize("part", configuration.PARTS)
def test_an_experiment_that_lacks_a_part_is_named(tmp_path, part):
    for name in ("__pycache__", "first", "second"):
        (tmp_path / name).mkdir()
    for path in (tmp_path / folder / name for folder in ("first", "second") for name in configuration.PARTS):
        path.touch()
    assert configuration.experiments(tmp_path) == ["first", "second"]
    (tmp_path / "second" / part).unlink()
    with pytest.raises(InputError, match=f"experiments/second has no {part}; CONTRIBUTING"):
        configuration.experiments(tmp_path)


def test_the_models_of_datasets_have_the_files_of_their_layouts():
    models = get_args(of_checkins._Layouts)
    assert {get_args(model.model_fields["layout"].annotation)[0] for model in models} == set(file_layouts.LAYOUTS)
    assert set(of_checkins.SYNTHETIC) == set(MODELS)
    for model in models:
        [name] = get_args(model.model_fields["layout"].annotation)
        given = of_checkins.given_files(dict.fromkeys(model.model_fields, "file.txt"))
        layout = file_layouts.LAYOUTS[name]
        roles = {} if name in MODELS else {role for role in file_layouts.ROW_NAMES if getattr(layout, role)}
        assert set(given) == set(roles) and model.__doc__ == layout.text


@pytest.mark.parametrize(
    ("overlay", "key", "hint"),
    [
        ({"circular_mean": {"response": 100}}, "circular_mean.response", 'did you mean "responses"?'),
        (
            {"circular_mean": {"epsilons": [1.0, -0.5]}},
            "circular_mean.epsilons[1]",
            "must be greater than or equal to 0.000000001",
        ),
        ({"datasets": {"mine": {"layout": "tsmc", "path": __file__}}}, "datasets.mine.layout", "tsmc2014"),
        ({"datasets": {"mine": {"layout": "tsmc2014"}}}, "datasets.mine.path", "missing"),
        (
            {"datasets": {"mine": {"layout": "tsmc2014", "path": {"url": "https://a.org/b.txt"}}}},
            "datasets.mine.path.sha256",
            "missing (SHA-256 of the file at the address",
        ),
        (
            {"datasets": {"mine": {"layout": "snap", "path": {"url": "https://a.org/b", "sha256": "ABC"}}}},
            "datasets.mine.path.sha256",
            "64 lower-case hexadecimal digits",
        ),
        (
            {"datasets": {"mine": {"layout": "snap", "path": {"url": "a.org/b", "sha256": "0" * 64}}}},
            "datasets.mine.path.url",
            "begins with https://",
        ),
        (
            {"datasets": {"mine": {"layout": "snap", "path": "https://me:pass@a.org/b?c"}}},
            "datasets.mine.path",
            "https://a.org/b is an address; give it as `url`, with its `sha256`",
        ),
        (
            {"datasets": {"mine": {"layout": "snap", "path": {"url": "ftp://me:pass@a.org/b?c", "sha256": "0" * 64}}}},
            "datasets.mine.path.url",
            '"ftp://a.org/b" is given',
        ),
        ({"mean_direction": {"epsilon": 7.0}}, "mean_direction.epsilon", "among mean_direction.epsilons"),
        ({"mean_direction": {"panel_dimensions": [4]}}, "mean_direction.panel_dimensions", "4 is given"),
        (
            {"mean_direction": {"dimensions": [1, 2, 3, 10, 100, 500]}},
            "mean_direction.dimensions[0]",
            "than or equal to 2",
        ),
        ({"angular_densities": {"kappa_range": [2.0, 1.0]}}, "angular_densities.kappa_range", "above the lowest"),
        ({"theorem_24": {"lowest": 20.0}}, "theorem_24.highest", "above the lowest, 20.0; 10.0 is given"),
        ({"vector_noise": {"loss_range": [9.0, 1.0]}}, "vector_noise.loss_range", "above the lowest"),
        (
            {"busyness": {"example_levels": [[1.0, 0.2]]}},
            "busyness.example_levels",
            "must be among busyness.place_levels; 0.2 is given",
        ),
        (
            {"rotation_samplers": {"epsilons": [13.0]}},
            "rotation_samplers.epsilons[0]",
            "must be less than or equal to 12;",
        ),
        ({"sampling": {"kappas": [1.0e9]}}, "sampling.kappas[0]", "must be less than or equal to 100000000;"),
        ({"optimal_mechanisms": {"cells": 5}}, "optimal_mechanisms.cells", "must be a multiple of 2; 5 is"),
        ({"trust_models": {"radius": "13h"}}, "trust_models.radius", "from 1h to 12h"),
        ({"trust_models": {"radius": "..h"}}, "trust_models.radius", "from 1h to 12h"),
    ],
    ids=lambda value: json.dumps(value)[:40].replace("/", "_") if isinstance(value, dict) else "",
)
def test_a_wrong_value_is_named_with_its_remedy(config, overlay, key, hint):
    update_config(config, overlay)
    lines = problems(config, configuration.model())
    assert len(lines) == 1, lines
    assert lines[0].startswith(f"{key}: ")
    assert hint in lines[0]


def numbers(value, path=()):
    """The path to each number in a value, with its own type."""
    if isinstance(value, dict | list):
        steps = value.items() if isinstance(value, dict) else enumerate(value)
        inner = [numbers(found, (*path, step)) for step, found in steps]
        return {place: number for found in inner for place, number in found.items()}
    return {path: value} if isinstance(value, int | float) and not isinstance(value, bool) else {}


@pytest.mark.parametrize("wrong", [2**200, -(2**200)], ids=["large", "negative"])
def test_no_number_is_without_bounds(config, wrong):
    """All at once, each refused in a line of its own, or with the list that has it several times."""
    paths = numbers(config)
    for path in paths:
        functools.reduce(operator.getitem, path[:-1], config)[path[-1]] = wrong
    lines = problems(config, configuration.model())
    refused = {line.partition(": ")[0] for line in lines}
    assert len(paths) > 200 and {dotted(path) for path in paths} == refused


def test_choices_that_are_no_texts_are_listed():
    class Numbered(Section):
        cells: Literal[4, 6] = key("How many.")
        note: Literal["fail", "report"] = key("A word.")

    for wrong in (5, "4", None, [4]):
        [line] = problems({"cells": wrong, "note": "fail"}, Numbered)
        assert line.startswith("cells: must be 4 or 6; ")
    [line] = problems({"cells": 4, "note": 10**5000}, Numbered)  # which Python does not write
    assert line == "note: must be 'fail' or 'report'; a value of the type int is given (A word)"


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"columns": {"tme": "arrival"}}, "columns.tme: must match pattern '^(time|latitude|longitude|user|venue|"),
        ({"columns": {"time": 3}}, "columns.time: must be a valid string; 3 is given"),
        ({"columns": "arrival"}, "columns: must be a valid dictionary"),
        ({"separator": ":"}, "separator: must match pattern '^[,;\\t|]\\Z'; \":\" is given (what separates columns"),
        ({"time_format": "%Y-%m-%d"}, "time_format: must have year, month, day, hour and minute, as %Y-%m-%d %H"),
        ({"time_format": "%d.%m.%Y %I:%M"}, "time_format: must have year"),
        ({"time_format": "%Y-%m-%d %H:%M %q"}, "time_format: must have year"),
        ({"timezone": "Europe/Berln"}, 'timezone: "Europe/Berln" is unknown; did you mean "Europe/Berlin"?'),
        ({"timezone": "CEST"}, 'timezone: "CEST" is unknown; did you mean "'),
        ({"utc": "yes"}, "utc: must be a valid boolean"),
        ({"time_zone": "UTC"}, 'time_zone: unknown key, did you mean "timezone"?; the keys here are columns, layout'),
    ],
)
def test_a_wrong_key_of_a_csv_file_is_named_with_its_remedy(config, changes, line):
    right = {
        "layout": "csv", "path": __file__, "columns": {"time": "arrival"}, "separator": ";", "utc": True,
        "timezone": "Europe/Berlin", "time_format": "%d.%m.%y %I:%M %p %z", "worldwide": False,
    }  # fmt: skip
    update_config(config, {"datasets": {"mine": right}})
    configuration.check(config)
    for form in ("%Y%m%dT%H%M%SZ", "%d.%m.%y %H:%M GMT%z", "%d.%m.%y %H:%M %%p", "Zeit %d.%m.%y %H:%M"):
        config["datasets"]["mine"] = right | {"time_format": form, "utc": form.endswith("Z")}
        configuration.check(config)
    config["datasets"]["mine"] = right | changes
    [found] = problems(config, configuration.model())
    assert found.startswith(f"datasets.mine.{line}")
