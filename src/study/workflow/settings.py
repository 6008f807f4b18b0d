"""Shared parts of the sections of the configuration: base class, types, and words for errors.

Each section is a class beside the code that uses it; :mod:`study.configuration` combines them. They only
check: the study's code gets the configuration as it was read.
"""

import contextlib
import difflib
import json
import math
import re
from types import UnionType
from typing import Annotated, Literal, TypeVar, Union, get_args, get_origin

from pydantic import AfterValidator, BaseModel, Discriminator, Field, Tag, ValidationError, model_validator
from pydantic.fields import FieldInfo

from study.workflow.checked_yaml import fault_of
from study.workflow.job import InputError
from study.workflow.mechanism_catalogue import distributions_of_spheres, selectable


class Section(BaseModel, extra="forbid", strict=True, allow_inf_nan=False, regex_engine="python-re"):
    """A section; messages show the text of its class in brackets, so that begins with a small letter."""

    def problems(self):
        """What is wrong besides the types of single keys: pairs of a path of keys from here, and a text."""
        return []

    @model_validator(mode="after")
    def has_no_problems(self):
        refuse(self.problems())
        return self

    def not_among(self, key, allowed, values=None):
        """Problems with a key, or with values in it, that must be among ``allowed``, a key as in messages."""
        values = getattr(self, key) if values is None else values
        choices, text = getattr(self, allowed.split(".")[-1]), f"must be among {allowed}; {{}} is given"
        return [((key,), text.format(shown(value))) for value in values if value not in choices]


class RefusedValue(ValueError):
    """Has the problems with a value: pairs of a path of keys from it and a text."""


def refuse(problems):
    """Refuse a value if there are problems with it."""
    if problems:
        raise RefusedValue(problems)


def not_ascending(path, lowest, highest):
    """The problem with the two ends of a range, if the highest is not above the lowest."""
    text = f"the highest must be above the lowest, {shown(lowest)}; {shown(highest)} is given"
    return [(path, text)] if lowest >= highest else []


def _ascending(ends):
    refuse(not_ascending((), *ends))
    return _without_repetition(ends)


def _without_repetition(values):
    repeated = dict.fromkeys(shown(value) for position, value in enumerate(values) if value in values[:position])
    refuse([((), f"must not name anything twice, but repeats {', '.join(repeated)}")] if repeated else [])
    return values


# Types, each for the keys of several sections.

Item = TypeVar("Item")
Listed = Annotated[list[Item], Field(min_length=1, max_length=1000), AfterValidator(_without_repetition)]
Pair = Annotated[list[Item], Field(min_length=2, max_length=2)]


def key(description, **limits):
    """A key of a section, or an entry of a list."""
    return Field(description=description, **limits)


def maybe(description, **limits):
    """A key that may be left out."""
    return key(description, default=None, **limits)


def value(kind, description, **limits):
    """Type of a value of one kind with a description."""
    return Annotated[kind, key(description, **limits)]


def listed(entry, description):
    """Type of a list of entries of one type without repetitions."""
    return value(Listed[entry], description)


def named(allowed, name, description):
    """Type of a list of some of the allowed names; ``name`` describes one of them."""
    return listed(value(Literal[tuple(allowed)], name), description)


def ends(end, description):
    """Type of the lowest and the highest of some positive numbers; ``end`` describes one of them."""
    return value(Annotated[Pair[positive(end)], AfterValidator(_ascending)], description)


def _type_with_text(kind, text, **limits):
    """A function that gives a type for a description, around which it puts the text."""
    return lambda description: value(kind, text.format(description), **limits)


# The upper bounds are far above any use: with more, a run would not end, or not fit into memory.
count = _type_with_text(int, "{}, from 1 to 10 million", ge=1, le=10**7)
several = _type_with_text(int, "{}, from 2 to 10 million", ge=2, le=10**7)
points = _type_with_text(int, "{}, from 3 to 100000", ge=3, le=10**5)
draws = _type_with_text(int, "{}, from 1000 to 10 billion", ge=1000, le=10**10)
positive = _type_with_text(float, "{}, a positive number from 1e-9 to 1e9", ge=1e-9, le=1e9)
share = _type_with_text(float, "{}, between 0 and 1", gt=0, lt=1)
confidence = _type_with_text(float, "{}, from 0.5 up to 1", ge=0.5, lt=1)
HALF_WIDTH = "wanted half width of the 95 % interval of {} as a share of it, between 0 and 1"
half_width = _type_with_text(float, HALF_WIDTH, gt=0, lt=1)
distance = _type_with_text(float, "{} in radians, above 0 and below π", gt=0, le=3.14159)
turn = _type_with_text(float, "{} in degrees, from -360 to 360", ge=-360, le=360)
Epsilon, Level = positive("a privacy level ε"), positive("a privacy level ℓ")
Kappa, Probability = positive("a concentration κ"), share("a probability")
epsilons = _type_with_text(Listed[Epsilon], "{}, positive numbers")
levels = _type_with_text(Listed[Level], "{}, positive numbers")
kappas = _type_with_text(Listed[Kappa], "{}, positive numbers")
probabilities = _type_with_text(Listed[Probability], "{}, between 0 and 1")
VectorLength = value(int, "a length n of vectors, a whole number from 2 to 10000", ge=2, le=10**4)
Dimensions = listed(VectorLength, "lengths n of the vectors, whole numbers of at least 2")
Elevation = value(float, "elevation of the eye in degrees, from -90 to 90", ge=-90, le=90)
Rounds = count("rounds in which all methods are timed in turn")
DISTRIBUTION = "name of a distribution on spheres of any dimension"
Distributions = named(
    distributions_of_spheres(), DISTRIBUTION, "distributions to compare, purkayastha and von_mises_fisher"
)

# A value that may be of several kinds is a union of these, annotated with BY_KIND.

TEXT, NUMBER, TRUTH = Tag("text"), Tag("a number"), Tag("true or false")
LIST, MAPPING, EMPTY = Tag("a list"), Tag("a mapping of keys to values"), Tag("empty")
TAGS = {bool: TRUTH, str: TEXT, int: NUMBER, float: NUMBER, list: LIST, type(None): EMPTY}
BY_KIND = Discriminator(lambda value: TAGS.get(type(value), MAPPING).tag)

# The sections that belong to no experiment.


class OneDirection(Section):
    """the population in which everyone has the same time of day"""

    hour: float = key("the time of day in hours, from 0 up to 24", ge=0, lt=24)


OWN = "one of your own comes with `make results MECHANISM=my_mechanism.py:SquaredMechanism`"
_CALIBRATION = "published (κ = ε/π) or tight (the whole of ε is spent)"
SECTIONS = {
    "seed": value(int, "seed of the whole study, an integer from 0 to 2^128 - 1", ge=0, lt=2**128),
    "mechanisms": named(selectable("circle"), f"name of a mechanism on the circle; {OWN}", "mechanisms to compare"),
    "calibrations": named(("published", "tight"), _CALIBRATION, "how concentrations follow from ε"),
    "one_direction": OneDirection,
}


# Words for the errors of pydantic.


def check(config, model):
    """Raise one InputError that lists all that is wrong with a configuration, by its model."""
    problems = [fault] if (fault := fault_of(config)) else []  # which no message could show
    if not problems:
        try:
            model.model_validate(config)
            return
        except ValidationError as error:
            problems = [problem for detail in error.errors() for problem in _problems(detail, model)]
    lines = sorted({f"  {dotted(path)}: {text}" for path, text in problems})
    count = "1 problem" if len(lines) == 1 else f"{len(lines)} problems"
    raise InputError(f"the configuration cannot be used ({count}):\n" + "\n".join(lines))


def dotted(path):
    """The path to a value as text such as ``circular_mean.epsilons[2]``."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".").replace("\n", "\\n") or "(top level)"


def public_address(url):
    """An address without possible secrets: user, password and query. Other text is unchanged."""
    return re.sub(r"^(\w+://)(?:[^/]*@)?([^?#]*).*", r"\1\2", url, flags=re.DOTALL)


def shown(value):
    """The value as in the configuration, without passwords in addresses, cut to fit in a line."""
    value = public_address(value) if isinstance(value, str) else value
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):  # a number of thousands of digits, or a list that contains itself
        text = f"a value of the type {type(value).__name__}"
    return text if len(text) <= 60 else text[:57] + "..."


def _problems(error, model):
    """Pairs (path of keys, text) for one error of pydantic, in its words where they say what is right."""
    kind, entry, facts = error["type"], error["input"], error.get("ctx", {})
    path, hint, description = _follow(model, error["loc"])
    if kind == "value_error":
        return [((*path, *further), text) for further, text in facts["error"].args[0]]
    text, options = re.sub("^(Input|List|Dictionary|String) should", "must", error["msg"]), get_args(hint)
    if "expected_tags" in facts:
        options = re.findall("'([^']*)'", facts["expected_tags"])
        text = f"must be {' or '.join(options)}"
    if kind.startswith("union_tag") and isinstance(entry, dict):  # a key selects the member
        key = facts["discriminator"].strip("'")
        kind, path, entry = "union_tag" if key in entry else "missing", (*path, key), entry.get(key)
    if kind == "extra_forbidden":
        keys = sorted(fields_of(hint))
        text = f"unknown key{_close_match(path[-1], keys)}; the keys here are {', '.join(keys)}"
    elif kind == "missing":
        text = "this key is missing" + _in_brackets(description)
    else:
        meant = _number_meant(entry) if kind in ("int_type", "float_type") or NUMBER.tag in options else ""
        text += f"; {shown(entry)} is given{meant or _close_match(entry, options)}{_in_brackets(description)}"
    return [(path, text)]


def _number_meant(entry):
    """How to write a number that is given as text, which 1e-3 is in YAML, or a whole one with a decimal point."""
    with contextlib.suppress(ValueError, OverflowError):
        number = float(entry) if isinstance(entry, str | float) else math.nan
        if math.isfinite(number) and (isinstance(entry, str) or number.is_integer()):
            return f", write {int(number) if number.is_integer() else number}"
    return ""


def _close_match(entry, allowed):
    close = difflib.get_close_matches(entry, map(str, allowed), n=1) if isinstance(entry, str) else []
    return f', did you mean "{close[0]}"?' if close else ""


def _in_brackets(description):
    return f" ({' '.join(description.split()).rstrip('.')})" if description else ""


# From a model to the place of an error.


def fields_of(section):
    """The fields of a section, by the keys of the configuration."""
    return {field.alias or name: field for name, field in section.model_fields.items()}


def _follow(hint, place):
    """The path of keys to a place, the type there, and the description nearest to it."""
    path, description = (), None
    for step in place:
        if step == "[key]":
            break
        if get_origin(hint) in (Union, UnionType):  # the step is not a key but names the member
            hint = next(member for member in get_args(hint) if _is_called(member, step))
        else:
            path += (step,)
            if not get_origin(hint) and step not in fields_of(hint):
                break
            hint = get_args(hint)[-1] if get_origin(hint) else fields_of(hint)[step]
        hint, own = _open(hint)
        description = own or description
    return path, hint, description


def _is_called(member, tag):
    """Whether ``tag`` is pydantic's name of a member of a union: its tag, or the only value of a key."""
    if get_origin(member) is Annotated:
        return any(tag == getattr(note, "tag", None) for note in get_args(member))
    return any(tag in get_args(field.annotation) for field in member.model_fields.values())


def _open(hint):
    """A type without its annotations, and its description, which for a section is its docstring."""
    hint, *notes = get_args(hint) if get_origin(hint) is Annotated else (hint, hint)
    hint = hint.annotation if isinstance(hint, FieldInfo) else hint
    texts = [note.description for note in notes if isinstance(note, FieldInfo) and note.description]
    if not texts and isinstance(hint, type) and issubclass(hint, Section):
        texts = [hint.__doc__]
    return hint, texts[-1] if texts else None
