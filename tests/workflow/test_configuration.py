"""A wrong configuration gives one readable message; the one in ``config/`` is right and documented."""

import copy
import json
import math
from pathlib import Path

import pytest
import yaml
from snakemake.utils import update_config

from study.configuration import check, dotted
from study.core.job import InputError

ROOT = Path(__file__).resolve().parents[2]

SMALL_SCHEMA = {
    "type": "object",
    "description": "Not to be quoted: it says nothing about one key.",
    "additionalProperties": False,
    "required": ["seed", "datasets"],
    "$defs": {
        "levels": {
            "type": "array",
            "description": "Levels.",
            "minItems": 1,
            "uniqueItems": True,
            "items": {"type": "number", "exclusiveMinimum": 0},
        }
    },
    "properties": {
        "seed": {"type": "integer", "minimum": 0, "description": "Seed of every generator."},
        "share": {"type": "number", "maximum": 1, "description": "A share."},
        "epsilons": {"$ref": "#/$defs/levels"},
        "distances": {"$ref": "#/$defs/levels", "description": "Distances in radians."},
        "mechanisms": {
            "type": "array",
            "description": "Which mechanisms.",
            "items": {"enum": ["purkayastha", "von_mises_fisher"]},
        },
        "note": {"type": "string", "pattern": "^[a-z]+$", "description": "A word."},
        "quiet": {"type": ["boolean", "null"], "description": "Whether to be quiet."},
        "datasets": {
            "type": "object",
            "description": "Check-ins.",
            "minProperties": 1,
            "propertyNames": {"pattern": "^[a-z]+$", "description": "Lower-case letters."},
            "additionalProperties": {
                "oneOf": [
                    {
                        "type": "object",
                        "additionalProperties": False,
                        "required": ["layout", "rows"],
                        "properties": {
                            "layout": {"const": "made_up", "description": "How the file is laid out."},
                            "rows": {"type": "integer", "minimum": 1, "description": "How many rows."},
                        },
                    },
                    {
                        "type": "object",
                        "additionalProperties": False,
                        "required": ["layout", "path"],
                        "properties": {
                            "layout": {"const": "tsmc2014", "description": "How the file is laid out."},
                            "path": {"type": "string", "description": "The file."},
                        },
                    },
                ]
            },
        },
    },
}

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


def problems(config, schema=SMALL_SCHEMA):
    """The lines of the message, without the headline."""
    with pytest.raises(InputError) as error:
        check(config, schema)
    headline, *lines = str(error.value).split("\n")
    assert headline.startswith("the configuration cannot be used (")
    assert str(len(lines)) in headline
    return [line.strip() for line in lines]


def variant(**changes):
    return {**copy.deepcopy(RIGHT), **changes}


def test_a_right_configuration_passes(tmp_path):
    check(RIGHT, SMALL_SCHEMA)
    path = tmp_path / "schema.yaml"
    path.write_text(yaml.safe_dump(SMALL_SCHEMA), encoding="utf-8")
    check(RIGHT, path)
    (tmp_path / "checkins.txt").write_text("", encoding="utf-8")
    own = {"layout": "tsmc2014", "path": str(tmp_path / "checkins.txt")}
    check(variant(datasets={"mine": own}), str(path))


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"seed": -1}, "seed: must be at least 0; -1 is given (Seed of every generator)"),
        (
            {"seed": 1000.0},
            "seed: must be a whole number; 1000.0 is given: write 1000 (Seed of every generator)",
        ),
        ({"seed": 0.5}, "seed: must be a whole number; 0.5 is given (Seed of every generator)"),
        ({"seed": True}, "seed: must be a whole number; true is given (Seed of every generator)"),
        ({"seed": "many"}, 'seed: must be a whole number; "many" is given (Seed of every generator)'),
        ({"share": 2}, "share: must be at most 1; 2 is given (A share)"),
        (
            {"share": "1e-3"},
            'share: must be a number; "1e-3" is given, which is text: write 1.0e-03 (A share)',
        ),
        ({"share": math.nan}, "share: must be a finite number; nan is given"),
        ({"epsilons": []}, "epsilons: must not be empty; [] is given (Levels)"),
        ({"epsilons": [1, -2]}, "epsilons[1]: must be greater than 0; -2 is given (Levels)"),
        ({"epsilons": [1, math.inf]}, "epsilons[1]: must be a finite number; inf is given"),
        ({"epsilons": 1}, "epsilons: must be a list; 1 is given (Levels)"),
        (
            {"epsilons": [1, 2, 1]},
            "epsilons: must not name anything twice, but repeats 1; [1, 2, 1] is given (Levels)",
        ),
        ({"distances": []}, "distances: must not be empty; [] is given (Distances in radians)"),
        (
            {"mechanisms": ["purkayasta"]},
            "mechanisms[0]: must be one of purkayastha, von_mises_fisher; "
            '"purkayasta" is given; did you mean "purkayastha"? (Which mechanisms)',
        ),
        ({"note": "Two words"}, 'note: must match ^[a-z]+$; "Two words" is given (A word)'),
        ({"quiet": 3}, "quiet: must be true or false or empty; 3 is given (Whether to be quiet)"),
        (
            {"sed": 1},
            'sed: unknown key; did you mean "seed"? The keys here are '
            "datasets, distances, epsilons, mechanisms, note, quiet, seed, share",
        ),
        ({"datasets": {}}, "datasets: must not be empty; {} is given (Check-ins)"),
        (
            {"datasets": {"City1": {"layout": "made_up", "rows": 1}}},
            "datasets.City1: the name must match ^[a-z]+$ (Lower-case letters)",
        ),
        (
            {"datasets": {"city": {"layout": "made_up", "rows": 0}}},
            "datasets.city.rows: must be at least 1; 0 is given (How many rows)",
        ),
        (
            {"datasets": {"city": {"layout": "made_up"}}},
            "datasets.city.rows: this key is missing (How many rows)",
        ),
        (
            {"datasets": {"city": {"layout": "tsmc2015", "path": __file__}}},
            "datasets.city.layout: must be one of made_up, tsmc2014; "
            '"tsmc2015" is given; did you mean "tsmc2014"? (How the file is laid out)',
        ),
        ({1: 2}, "(top level): the key 1 must be text; write it in quotes"),
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


@pytest.fixture
def schema():
    return load("schema.yaml")


def test_the_configuration_is_valid(config, schema):
    check(config, schema)


def test_the_smoke_run_s_overlay_is_valid_and_changes_something(config, schema):
    overlaid = copy.deepcopy(config)
    update_config(overlaid, load("smoke.yaml"))
    check(overlaid, schema)
    assert overlaid != config


def subschemas(schema, instance, path=()):
    """Pairs (path, schema) for every key of a configuration, references resolved."""
    for key, value in instance.items():
        part = schema.get("properties", {}).get(key, schema.get("additionalProperties"))
        for pattern_part in schema.get("patternProperties", {}).values():
            part = part or pattern_part
        assert isinstance(part, dict), f"{dotted((*path, key))} is not in the schema"
        while "$ref" in part:
            referred = resolve(schema_root(), part["$ref"])
            part = {**referred, **{k: v for k, v in part.items() if k != "$ref"}}
        yield (*path, key), part
        if isinstance(value, dict):
            yield from subschemas(alternative(part, value), value, (*path, key))


def schema_root():
    return load("schema.yaml")


def resolve(schema, reference):
    for step in reference.removeprefix("#/").split("/"):
        schema = schema[step]
    return schema


def alternative(part, value):
    """The alternative of ``oneOf``/``anyOf``/``allOf`` that knows all the keys of a value."""
    branches = [part, *part.get("oneOf", []), *part.get("anyOf", [])]
    branches += [branch.get("then", branch) for branch in part.get("allOf", [])]
    branches = [resolve(schema_root(), b["$ref"]) if "$ref" in b else b for b in branches]
    return max(branches, key=lambda branch: len(set(branch.get("properties", {})) & set(value)))


def test_every_key_is_described(config, schema):
    described = dict(subschemas(schema, config))
    assert len(described) > len(config)
    # The name of a dataset is the user's, so it is the entry's own keys that are described.
    names = {("datasets", name) for name in config["datasets"]}
    missing = [dotted(p) for p, part in described.items() if p not in names and not part.get("description")]
    assert missing == []


def objects_with_properties(part, path=()):
    if isinstance(part, dict):
        if "properties" in part and isinstance(part["properties"], dict):
            yield path, part
        for key, child in part.items():
            yield from objects_with_properties(child, (*path, key))
    elif isinstance(part, list):
        for position, child in enumerate(part):
            yield from objects_with_properties(child, (*path, position))


def is_closed(part):
    """Whether a schema takes no key it does not list, by itself or in each of its alternatives."""
    if part.get("additionalProperties", part.get("unevaluatedProperties")) is False:
        return True
    alternatives = [resolve(schema_root(), branch["$ref"]) for branch in part.get("oneOf", [])]
    return bool(alternatives) and all(is_closed(branch) for branch in alternatives)


def test_no_mapping_takes_unknown_keys(schema):
    found = list(objects_with_properties(schema))
    assert found
    for path, part in found:
        if path and path[-1] in ("if", "then", "else"):
            continue  # conditions on a mapping whose keys are listed around them
        assert is_closed(part), f"{dotted(path)} of schema.yaml takes any key"


@pytest.mark.parametrize(
    ("overlay", "key", "remedy"),
    [
        ({"circular_mean": {"response": 100}}, "circular_mean.response", 'did you mean "responses"?'),
        ({"circular_men": {}}, "circular_men", 'did you mean "circular_mean"?'),
        ({"circular_mean": {"epsilons": [1.0, -0.5]}}, "circular_mean.epsilons[1]", "must be greater than 0"),
        ({"circular_mean": {"epsilons": []}}, "circular_mean.epsilons", "must not be empty"),
        ({"survey_size": {"epsilons": [0]}}, "survey_size.epsilons[0]", "must be greater than 0"),
        ({"survey_size": {"epsilons": []}}, "survey_size.epsilons", "must not be empty"),
        (
            {"mechanisms": ["purkayastha", "wraped_laplace"]},
            "mechanisms[1]",
            'did you mean "wrapped_laplace"?',
        ),
        ({"mechanisms": []}, "mechanisms", "must not be empty"),
        ({"datasets": {"mine": {"layout": "tsmc", "path": __file__}}}, "datasets.mine.layout", "tsmc2014"),
        ({"datasets": {"mine": {"layout": "tsmc2014"}}}, "datasets.mine.path", "missing"),
        (
            {"datasets": {"mine": {"layout": "tsmc2014", "path": "no/file.txt"}}},
            "datasets.mine.path",
            "no such file",
        ),
        (
            {"datasets": {"My data": {"layout": "tsmc2014", "path": __file__}}},
            "datasets.My data",
            "must match",
        ),
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
        ({"limits": {"rejected_share": 1.5}}, "limits.rejected_share", "must be at most 1"),
        ({"seed": "x"}, "seed", "must be a whole number"),
        ({"mean_direction": {"epsilon": 7.0}}, "mean_direction.epsilon", "among mean_direction.epsilons"),
        ({"mean_direction": {"panel_dimensions": [4]}}, "mean_direction.panel_dimensions", "4 is given"),
        (
            {"mean_direction": {"dimensions": [1, 2, 3, 10, 100, 500]}},
            "mean_direction.dimensions[0]",
            "least 2",
        ),
        (
            {"angular_densities": {"kappa_range": [2.0, 1.0]}},
            "angular_densities.kappa_range",
            "above the lowest",
        ),
        ({"theorem_24": {"lowest": 20.0}}, "theorem_24.highest", "above the lowest"),
    ],
    ids=lambda value: json.dumps(value)[:40].replace("/", "_") if isinstance(value, dict) else "",
)
def test_a_wrong_value_is_named_with_its_remedy(config, schema, overlay, key, remedy):
    update_config(config, overlay)
    lines = problems(config, schema)
    assert len(lines) == 1, lines
    assert lines[0].startswith(f"{key}: ")
    assert remedy in lines[0]
