"""Check the configuration before any job starts, and say what is wrong in words.

The rules stand in ``config/schema.yaml`` (JSON Schema). Each rule that is broken becomes one line: the
key, the value given, and what would be right, with the key's ``description``. What a schema cannot say
is in :data:`CHECKS`.
"""

import difflib
import json
import math
import os
import urllib.parse
import urllib.request
from pathlib import Path

import yaml
from jsonschema import Draft202012Validator, validators

from study.core.clean import MADE, OWN
from study.core.job import InputError

CHECKOUT = Path(__file__).resolve().parents[2]
CLEANED = (".smoke", ".venv", ".pytest_cache", ".ruff_cache")
"""Folders of the checkout that ``make clean`` removes besides those of the results."""

# JSON Schema takes 1000.0 for an integer; a count of rows must be one for Python too.
_Validator = validators.extend(
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    ),
)

# The keys of a dataset that name a file, and what is in it.
DATASET_FILES = {"path": "check-in", "checkins": "check-in", "places": "venue", "cities": "city"}

TYPE_NAMES = {
    "string": "text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping of keys to values",
    "null": "empty",
}


def check(config, schema):
    """Raise one :class:`~study.core.job.InputError` that lists everything wrong with a configuration.

    Parameters
    ----------
    config : dict
        The configuration with all its overlays.
    schema : dict or path
        A JSON Schema (2020-12), or the YAML file that holds it.
    """
    if not isinstance(schema, dict):
        schema = yaml.safe_load(Path(schema).read_text(encoding="utf-8"))
    problems = _keys_that_are_not_text(config)
    if not problems:  # the validator needs keys that are text
        errors = list(_Validator(schema).iter_errors(config))
        for error in sorted(errors, key=_is_about_alternatives):
            described = _describe(error, schema)
            if _is_about_alternatives(error):  # often fails in consequence of what is listed already
                described = [entry for entry in described if entry[0] not in {path for path, _ in problems}]
            problems += described
        for further_check in CHECKS:
            problems += further_check(config)
    if problems:
        lines = sorted({f"  {dotted(path)}: {text}" for path, text in problems})
        count = "1 problem" if len(lines) == 1 else f"{len(lines)} problems"
        raise InputError(f"the configuration cannot be used ({count}):\n" + "\n".join(lines))


def dotted(path):
    """Write the place of a value as in ``circular_mean.epsilons[2]``."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".") or "(top level)"


def given_files(entry):
    """Files that an entry of ``datasets`` gives: what is in them -> path, or mapping with url and sha256.

    What is in them is ``checkins``, ``places`` or ``cities``. Empty for generated check-ins.
    """
    return {"checkins" if key == "path" else key: entry[key] for key in DATASET_FILES if key in entry}


def file_name(given):
    """Name of a file that an entry of ``datasets`` gives, without its folders."""
    path = given if isinstance(given, str) else given.get("member", urllib.parse.urlsplit(given["url"]).path)
    return Path(path).name


# What a schema cannot say. Each takes the configuration, which may still be wrong in other ways, and
# returns pairs (path of keys, what is wrong and what would be right).


def _numbers_are_finite(config):
    text = "must be a finite number; {} is given"
    return [
        (path, text.format(value))
        for path, value in _leaves(config)
        if isinstance(value, float) and not math.isfinite(value)
    ]


def _dataset_files_exist(config):
    datasets = config.get("datasets")
    problems = []
    for name, entry in datasets.items() if isinstance(datasets, dict) else ():
        for key, content in DATASET_FILES.items() if isinstance(entry, dict) else ():
            path = entry.get(key)
            if isinstance(path, str) and not Path(path).is_file():
                kind = "this is a folder" if Path(path).is_dir() else "there is no such file"
                where = f"{path} (looked for at {Path(path).absolute()})"
                problems.append(
                    (("datasets", name, key), f"{kind}: {where}; give the path of a {content} file")
                )
    return problems


def _given_files_lie_apart(config):
    """No file of the user's is where the workflow writes or cleans, by any of its names."""
    folders = {base / name for base in (Path.cwd(), CHECKOUT) for name in (*MADE, *OWN)}
    folders |= {CHECKOUT / name for name in CLEANED}
    datasets = config.get("datasets")
    problems = []
    for name, entry in datasets.items() if isinstance(datasets, dict) else ():
        for key in DATASET_FILES if isinstance(entry, dict) else ():
            path = local_path(entry.get(key))
            inside = (
                [f for p in _names_of(path) for f in folders if p.is_relative_to(f.resolve())] if path else []
            )
            if inside:
                text = (
                    f"{path} lies in {min(inside)}, where the workflow writes and cleans; "
                    "move the file, for example to data/, and give its new path"
                )
                problems.append((("datasets", name, key), text))
    return problems


def local_path(file):
    """Path of a dataset's file on this machine, given as such or as an address; None if it is elsewhere."""
    if isinstance(file, dict) and str(file.get("url")).startswith("file:"):
        return urllib.request.url2pathname(urllib.parse.urlsplit(file["url"]).path)
    return file if isinstance(file, str) else None


def _names_of(path):
    """Absolute paths of a file: as it is given, of each symbolic link on the way, and of the file itself."""
    path = Path(path)
    names = [path.resolve(), path.parent.resolve() / path.name]
    while path.is_symlink() and len(names) < 40:
        path = path.parent / os.readlink(path)
        names.append(path.parent.resolve() / path.name)
    return names


def _mean_direction_is_drawn_where_it_is_computed(config):
    section = config.get("mean_direction")
    section = section if isinstance(section, dict) else {}
    problems = []
    for key, grid in (("panel_dimensions", "dimensions"), ("epsilon", "epsilons")):
        drawn, computed = section.get(key), section.get(grid)
        if isinstance(computed, list):
            for value in drawn if isinstance(drawn, list) else [drawn]:
                if value is not None and value not in computed:
                    text = f"must be among mean_direction.{grid}; {_shown(value)} is given"
                    problems.append((("mean_direction", key), text))
    return problems


def _busyness_is_drawn_where_it_is_computed(config):
    section = config.get("busyness")
    section = section if isinstance(section, dict) else {}
    grids = [section.get(key) for key in ("time_levels", "place_levels")]
    if not all(isinstance(grid, list) for grid in grids):
        return []
    panels, examples = (section.get(key) for key in ("panel_place_levels", "example_levels"))
    drawn = [("panel_place_levels", level, 1) for level in (panels if isinstance(panels, list) else [])]
    for pair in examples if isinstance(examples, list) else []:
        if isinstance(pair, list) and len(pair) == 2:
            drawn += [("example_levels", level, kind) for kind, level in enumerate(pair)]
    names = ("time_levels", "place_levels")
    return [
        (("busyness", key), f"must be among busyness.{names[kind]}; {_shown(level)} is given")
        for key, level, kind in drawn
        if level not in grids[kind]
    ]


def _range_ascends(config):
    problems = []
    section = config.get("angular_densities")
    ends = section.get("kappa_range") if isinstance(section, dict) else None
    ends = ends if isinstance(ends, list) and len(ends) == 2 else (0, 1)
    pairs = [(("angular_densities", "kappa_range"), *ends)]
    section = config.get("theorem_24")
    if isinstance(section, dict):
        pairs.append((("theorem_24", "highest"), section.get("lowest"), section.get("highest")))
    for path, low, high in pairs:
        if isinstance(low, int | float) and isinstance(high, int | float) and low > high:
            problems.append(
                (path, f"the highest must be above the lowest, {_shown(low)}; {_shown(high)} is given")
            )
    return problems


CHECKS = [
    _numbers_are_finite,
    _dataset_files_exist,
    _given_files_lie_apart,
    _mean_direction_is_drawn_where_it_is_computed,
    _busyness_is_drawn_where_it_is_computed,
    _range_ascends,
]


def _keys_that_are_not_text(value, path=()):
    problems = []
    if isinstance(value, dict):
        for key, child in value.items():
            if not isinstance(key, str):
                text = f"the key {_shown(key)} must be text; write it in quotes"
                problems.append((path, text))
            problems += _keys_that_are_not_text(child, (*path, str(key)))
    elif isinstance(value, list):
        for position, child in enumerate(value):
            problems += _keys_that_are_not_text(child, (*path, position))
    return problems


def _leaves(value, path=()):
    """Pairs (path, value) of all values that are neither mapping nor list."""
    if isinstance(value, dict | list):
        for key, child in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _leaves(child, (*path, key))
    else:
        yield path, value


def _describe(error, schema):
    """Pairs (path, text) for one broken rule; some rules concern several keys at once."""
    path, rule, wanted, given = (
        tuple(error.absolute_path),
        error.validator,
        error.validator_value,
        error.instance,
    )
    if _is_about_alternatives(error):
        return _describe_alternatives(error, schema)
    if rule in ("additionalProperties", "unevaluatedProperties"):
        return [((*path, key), text) for key, text in _unknown_keys(error)]
    if rule == "required":
        missing = [key for key in wanted if key not in given]
        properties = error.schema.get("properties", {})
        return [
            (
                (*path, key),
                "this key is missing" + _in_brackets(_description_of(properties.get(key, {}), schema)),
            )
            for key in missing
        ]
    if rule == "propertyNames":
        return [path_and_text for cause in error.context for path_and_text in _describe(cause, schema)]
    if "propertyNames" in error.absolute_schema_path:
        text = f"the name {_rule_in_words(error)}"
        return [((*path, str(given)), text + _in_brackets(_description(error, schema)))]
    text = f"{_rule_in_words(error)}; {_shown(given)} is given"
    return [(path, text + _hint(error) + _in_brackets(_description(error, schema)))]


def _is_about_alternatives(error):
    return error.validator in ("anyOf", "oneOf")


def _describe_alternatives(error, schema):
    """Describe the alternative that was meant: one whose fixed values (``const``, ``enum``) fit, if any."""
    branches = {}
    for cause in error.context:
        branches.setdefault(cause.schema_path[0], []).append(cause)
    if not branches:  # several alternatives of a oneOf fit at once
        return [
            (
                tuple(error.absolute_path),
                "more than one of the alternatives fits; leave out what is not meant",
            )
        ]
    fitting = [
        causes for causes in branches.values() if not any(c.validator in ("const", "enum") for c in causes)
    ]
    if len(fitting) != 1:
        constants = [c for causes in branches.values() for c in causes if c.validator in ("const", "enum")]
        places = {tuple(c.absolute_path) for c in constants}
        if not fitting and len(places) == 1:
            allowed = []
            for cause in constants:
                allowed += [cause.validator_value] if cause.validator == "const" else cause.validator_value
            given = constants[0].instance
            text = f"{_one_of(allowed)}; {_shown(given)} is given{_close_match(given, allowed)}"
            return [(places.pop(), text + _in_brackets(_description(constants[0], schema)))]
    causes = min(fitting or branches.values(), key=len)
    return [path_and_text for cause in causes for path_and_text in _describe(cause, schema)]


def _unknown_keys(error):
    """Pairs (key, text) for the keys of a mapping that its schema does not know."""
    known = list(error.schema.get("properties", {}))
    patterns = list(error.schema.get("patternProperties", {}))
    matching = _Validator({"type": "object", "patternProperties": dict.fromkeys(patterns, False)})
    for key in error.instance:
        if key in known or not matching.is_valid({key: None}):
            continue
        if known:
            close = _close_match(key, known)
            yield (
                key,
                f"unknown key{close}{' The' if close else '; the'} keys here are {', '.join(sorted(known))}",
            )
        elif patterns:
            yield key, f"the name must match {' or '.join(patterns)}"
        else:
            yield key, "unknown key; there are no keys here"


def _rule_in_words(error):
    rule, wanted = error.validator, error.validator_value
    match rule:
        case "type":
            return "must be " + " or ".join(
                TYPE_NAMES[t] for t in ([wanted] if isinstance(wanted, str) else wanted)
            )
        case "enum":
            return _one_of(wanted)
        case "const":
            return f"must be {_shown(wanted)}"
        case "minimum":
            return f"must be at least {wanted}"
        case "maximum":
            return f"must be at most {wanted}"
        case "exclusiveMinimum":
            return f"must be greater than {wanted}"
        case "exclusiveMaximum":
            return f"must be less than {wanted}"
        case "multipleOf":
            return f"must be a multiple of {wanted}"
        case "minItems" | "minProperties" | "minLength":
            return "must not be empty" if wanted == 1 else f"must have at least {wanted} {_unit(rule)}"
        case "maxItems" | "maxProperties" | "maxLength":
            return f"must have at most {wanted} {_unit(rule)}"
        case "uniqueItems":
            return f"must not name anything twice, but repeats {_repeated(error.instance)}"
        case "pattern":
            return f"must match {wanted}"
        case _:
            return f'breaks the rule "{rule}" of the schema'


def _unit(rule):
    return {"Items": "entries", "Properties": "keys", "Length": "characters"}[rule[3:]]


def _repeated(values):
    repeated = [value for position, value in enumerate(values) if value in values[:position]]
    return ", ".join(dict.fromkeys(_shown(value) for value in repeated))


def _one_of(allowed):
    return f"must be one of {', '.join(str(value) for value in dict.fromkeys(allowed))}"


def _hint(error):
    given, wanted = error.instance, error.validator_value
    if error.validator == "enum":
        return _close_match(given, wanted)
    if error.validator != "type" or not {"number", "integer"} & set(
        [wanted] if isinstance(wanted, str) else wanted
    ):
        return ""
    try:
        number = float(given)
    except (TypeError, ValueError):
        return ""
    if not math.isfinite(number) or isinstance(given, bool):
        return ""
    if isinstance(given, str):
        return f", which is text: write {int(number) if number.is_integer() else f'{number:.1e}'}"
    return f": write {int(number)}" if number.is_integer() else ""


def _close_match(given, allowed):
    allowed = [str(value) for value in allowed]
    close = difflib.get_close_matches(str(given), allowed, n=1)
    return f'; did you mean "{close[0]}"?' if close else ""


def _shown(value):
    """The value as one writes it, cut to what fits in a line."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:57] + "..."


def _in_brackets(description):
    return f" ({' '.join(description.split()).rstrip('.')})" if description else ""


def _description(error, schema):
    """The description nearest to the broken rule, following the way the validator went to it."""
    found, node = None, schema
    for step in error.absolute_schema_path:
        if isinstance(node, dict) and step not in node:  # the validator leaves references out of its path
            node = _resolved(node, schema)
        node = node[step]
        if isinstance(node, dict):
            found = _description_of(node, schema) or found
    return found


def _description_of(node, schema):
    """The description of a part of the schema, or else of what it refers to."""
    text = node.get("description")
    if text is None and isinstance(node.get("$ref"), str):
        return _description_of(_resolved(node, schema), schema)
    return text if isinstance(text, str) else None


def _resolved(node, schema):
    """The part of the schema that a reference within it, such as ``#/$defs/levels``, stands for."""
    found = schema
    for step in node["$ref"].removeprefix("#").strip("/").split("/"):
        found = found[step]
    return _resolved(found, schema) if "$ref" in found else found
