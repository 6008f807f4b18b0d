"""Mechanisms of one's own: classes in files that the command line names, as MECHANISM=my_mechanism.py:SquaredMechanism.

They come from the environment alone, so that no configuration runs code. The workflow reads what a class says of its
look without running the file; jobs run it. The main process pins the bytes of each file: a job that finds others fails.
"""

import ast
import functools
import hashlib
import itertools
import os
import pkgutil
import re
import sys
import types
from pathlib import Path
from typing import NamedTuple

from study.workflow.job import InputError
from study.workflow.output_folders import MADE

VARIABLE = "MECHANISM"
PAGE = "docs/add_a_mechanism.md has an example"
_ENTRY = re.compile(r"[\s,]*(.+?\.py):(\w+)(?:=([0-9a-f]{64}))?(?=[\s,]|$)")
_NAMES = re.compile(r"[A-Za-z]\w*\.py:[A-Z][A-Za-z0-9]*", re.ASCII)
_TEXTS = {
    "label": (r"\w[\w .–-]{0,23}", "a text of at most 24 letters, digits, spaces, dots and hyphens"),
    "colour": (r"#[0-9a-fA-F]{6}", "a text such as '#3596cc'"),
    "marker": (r"[osvD^<>Pdhp*]", "one of matplotlib's o s v D ^ < > P d h p *"),
}
_CHOICES = {"spaces": ("circle", "sphere"), "calibrations": ("published", "tight")}
_CHOICES["promises"] = ("metric", "pure", "within")


class OwnMechanism(NamedTuple):
    """A class in a file of one's own."""

    path: Path
    class_name: str
    content: bytes

    @property
    def source(self):
        """The class as a row of the catalogue names it: without the folders of the file."""
        return f"{self.path.name}:{self.class_name}"

    @property
    def name(self):
        """Its name in configurations and tables: ``squared`` of SquaredMechanism."""
        words = self.class_name.removesuffix("Mechanism") or self.class_name
        return re.sub("(?<=[a-z0-9])(?=[A-Z])", "_", words).lower()

    @property
    def sha256(self):
        """SHA-256 of the file."""
        return hashlib.sha256(self.content).hexdigest()

    def tree(self):
        """The file, parsed and not run."""
        try:
            return ast.parse(self.content)
        except (SyntaxError, ValueError) as error:
            raise InputError(f"{self.path}: Python cannot read it: {error}") from None

    def look(self):
        """What the class assigns of label, colour, marker, spaces, calibrations and promises."""
        classes = {node.name: node for node in self.tree().body if isinstance(node, ast.ClassDef)}
        if self.class_name not in classes:
            raise InputError(f"{self.path} has no class {self.class_name}, but {', '.join(classes) or 'none'}")
        assigned = [node for node in classes[self.class_name].body if isinstance(node, ast.Assign)]
        pairs = [(getattr(target, "id", ""), node.value) for node in assigned for target in node.targets]
        return {key: self._checked(key, node) for key, node in pairs if key in _TEXTS or key in _CHOICES}

    def _checked(self, key, node):
        value = ast.literal_eval(node) if _is_literal(node) else ast.unparse(node)
        if key in _TEXTS:
            pattern, needed = _TEXTS[key]
            right = isinstance(value, str) and re.fullmatch(pattern, value)
        else:
            needed = f"a tuple of some of {', '.join(map(repr, _CHOICES[key]))}, written out"
            right = isinstance(value, tuple) and value and {*map(str, value)} <= {*_CHOICES[key]}
        if not right:
            raise InputError(f"{self.path}, {self.class_name}.{key} must be {needed}; {value!r} is given. {PAGE}")
        return value


def _is_literal(node):
    return all(isinstance(part, ast.Constant | ast.Tuple | ast.Load) for part in ast.walk(node))


def read(text):
    """The mechanisms that ``text`` names: files and classes, with spaces or commas between several."""
    mechanisms, at = [], 0
    while text[at:].strip(", \t"):
        if not (entry := _ENTRY.match(text, at)):
            what = f"{VARIABLE} must name a file and a class of it, as my_mechanism.py:SquaredMechanism"
            raise InputError(f"{what}, with commas between several; {text[at:]!r} is given")
        path, class_name, pin = entry.groups()
        mechanisms.append(_read(Path(os.path.abspath(os.path.expanduser(path))), class_name, pin))
        at = entry.end()
    for one, other in itertools.combinations(mechanisms, 2):
        if one.name == other.name or (one.path.name == other.path.name and one.path != other.path):
            raise InputError(f"{VARIABLE}: {one.source} and {other.source} have one name; rename a class or a file")
    return mechanisms


def _read(path, class_name, pin):
    if not _NAMES.fullmatch(f"{path.name}:{class_name}"):
        what = "file and class need names as my_mechanism.py and SquaredMechanism, of ASCII letters and digits"
        raise InputError(f"{VARIABLE}: {path.name}:{class_name} cannot be used; {what}")
    if any(path.resolve().is_relative_to(Path(folder).resolve()) for folder in MADE):
        raise InputError(f"{VARIABLE}: {path} lies where the workflow writes; copy the file to another folder")
    try:
        one = OwnMechanism(path, class_name, path.read_bytes())
    except OSError as error:
        raise InputError(f"{VARIABLE}: {path} cannot be read: {error.strerror}") from None
    if pin not in (None, one.sha256):
        raise InputError(f"{path} was edited while the study ran; run the same command again")
    return one


def pinned(mechanisms):
    """The text that names these mechanisms with their bytes, for jobs."""
    return ",".join(f"{one.path}:{one.class_name}={one.sha256}" for one in mechanisms)


def environment_mechanisms():
    """The mechanisms that the environment names."""
    return read(os.environ.get(VARIABLE, ""))


def is_own(source):
    """Whether the class of a row is in a file of one's own."""
    return source.partition(":")[0].endswith(".py")


@functools.cache
def _module(path, content):
    module = sys.modules[f"own_{path.stem}"] = types.ModuleType(f"own_{path.stem}")
    exec(compile(content, path, "exec"), module.__dict__)
    return module


def resolved(source):
    """The class or function that a row names."""
    if not is_own(source):
        return pkgutil.resolve_name(source)
    file, _, symbol = source.partition(":")
    [one, *_] = [one for one in environment_mechanisms() if one.path.name == file]
    return functools.reduce(getattr, symbol.split("."), _module(one.path, one.content))
