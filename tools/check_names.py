"""Check the names in the code of src and tools: a noun for each thing, and one thing for each name.

A function says what it returns or does, so none is called `of` or `of_…`. A variable, parameter or field is
the noun of its content, so none is a participle alone. A class, or an alias of a type, is defined in one
module of src. The study uses of the library what users can: what the stubs list, and all names without
underscore of a module that they list. `tools/names_exceptions.csv` lists what stays, and why; rows can only
be removed from it. `make lint` runs this check. `--counts` prints how many names there are of each kind.
"""

import ast
import csv
import re
import sys
from collections import defaultdict
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXCEPTIONS = ROOT / "tools" / "names_exceptions.csv"
MAX_EXCEPTIONS = 0
"""How many rows the list of exceptions can have; less whenever rows are removed."""
PARTICIPLES = {"found", "made", "given", "seen", "told", "said", "known", "held"}
CONVENTION = "Settings", "src/study/experiments/*/settings.py"
"""The settings of each experiment have this name."""
INSTEAD = {
    "of": "name a function after what it returns or does; a constructor is from_…",
    "participle": "name a variable after its content",
    "twice": "another module of src defines a class or a type of this name",
    "private": "users of dirpriv cannot import this",
}
"""By kind of fault: what is wrong, or what to write instead."""
LISTED = re.compile(r"^from (\S+) import (\w+) as (\w+)$", re.M)
"""A line of a stub."""
FIELDS = {ast.arg: "arg", ast.alias: "asname", ast.ExceptHandler: "name"}
FIELDS |= {ast.MatchAs: "name", ast.MatchStar: "name", ast.MatchMapping: "rest"}
"""By kind of node of a syntax tree: the field with the name that it binds."""


def bound_name(node):
    """The name of a variable, parameter, attribute or field that a node of a syntax tree binds, or None."""
    if isinstance(getattr(node, "ctx", None), ast.Store):
        return getattr(node, "id", getattr(node, "attr", None))
    return getattr(node, FIELDS.get(type(node), ""), None)


def types(tree):
    """By name of a class, or of an alias of a type at the top of a module: its line."""
    lines = {node.name: node.lineno for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            name, *rest = re.split(r" = |: ", ast.unparse(node))
            if rest[0] == "TypeAlias" or re.fullmatch(r"_*[A-Z]+[a-z]\w*", name):
                lines[name] = node.lineno
    return lines


def public_names(stubs):
    """What users import of the library: names that stubs list, and modules of which they import any name."""
    imports = [(package, *words) for package, text in stubs.items() for words in LISTED.findall(text)]
    names = {f"{package}.{name}" for package, _, _, name in imports}
    modules = {f"{package}.{name}" for package, module, _, name in imports if module == package}
    return names | {"dirpriv.__version__"}, modules - set(stubs)


def private_imports(node, public):
    """What a node of a syntax tree imports of the library that its users cannot."""
    if not isinstance(node, ast.Import | ast.ImportFrom):
        return []
    names = [".".join(filter(None, [getattr(node, "module", ""), alias.name])) for alias in node.names]
    names = [name for name in names if name.startswith("dirpriv.") and name not in public[0]]
    return [name for name in names if "._" in name or name.rpartition(".")[0] not in public[1]]


def lines_of_faults(files, stubs):
    """By kind, file and name of what is wrong: the lines where it is."""
    lines, modules, public = defaultdict(list), defaultdict(dict), public_names(stubs)
    for file, text in files.items():
        tree = ast.parse(text)
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and re.fullmatch(r"_*of(_.*)?", node.name):
                lines["of", file, node.name].append(node.lineno)
            if (bound := bound_name(node)) and bound.strip("_") in PARTICIPLES:
                lines["participle", file, bound].append(node.lineno)
            for name in private_imports(node, public) if file.startswith("src/study/") else []:
                lines["private", file, name].append(node.lineno)
        for name, line in types(tree).items() if file.startswith("src/") else []:
            if not (name == CONVENTION[0] and fnmatch(file, CONVENTION[1])):
                modules[name][file] = line
    for name, places in modules.items():
        lines |= {("twice", file, name): [line] for file, line in places.items() if len(places) > 1}
    return lines


def faults(lines, exceptions):
    """Lines that say which names are wrong, and which exceptions are not needed."""
    keys = sorted(set(lines) - exceptions)
    wrong = [f"{key[1]}:{min(lines[key])}: {','.join(key)}: {INSTEAD[key[0]]}" for key in keys]
    return wrong + [f"{EXCEPTIONS.name}: remove {','.join(key)}" for key in sorted(exceptions - set(lines))]


def texts(pattern):
    """By file of a pattern: its text."""
    return {p.relative_to(ROOT).as_posix(): p.read_text("utf-8") for p in sorted(ROOT.glob(pattern))}


def main(arguments=()):
    stubs = {".".join(Path(file).parts[1:-1]): text for file, text in texts("src/**/*.pyi").items()}
    lines = lines_of_faults(texts("src/**/*.py") | texts("tools/*.py"), stubs)
    if "--counts" in arguments:
        for kind in INSTEAD:
            places = [len(lines[key]) for key in lines if key[0] == kind]
            print(f"{kind:11}{len(places):5} names in files, bound in {sum(places)} places")
        return False
    with EXCEPTIONS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    wrong = faults(lines, {(row["kind"], row["file"], row["name"]) for row in rows})
    if len(rows) > MAX_EXCEPTIONS:
        wrong.append(f"{EXCEPTIONS.name}: {len(rows)} exceptions instead of at most {MAX_EXCEPTIONS}")
    print("\n".join([*wrong, f"{len(rows)} names that stay, {len(wrong)} faults of names"]))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
