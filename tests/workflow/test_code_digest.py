"""The digest of a rule's source changes when the code of a file that it can reach changes, and only then."""

import marshal
import re
import runpy
import shutil
import sys
from pathlib import Path

import pytest

from study.workflow import code_digest as module
from study.workflow.code_digest import SOURCE, Modules, code_digest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "src/study/experiments/circular_mean/simulate.py"

FILES = {
    "lib/__init__.py": """
        '''A made-up library.'''
        from lib.means import mean_angle
        from lib.distributions import Heavy, Light
    """,
    "lib/means.py": """
        import numpy as np
        from math import tau

        def wrap(angle):
            return angle % tau

        def mean_angle(angles):
            '''The mean.'''
            # the direction of the vector sum
            return wrap(np.mean(angles))

        def median_angle(angles):
            return np.median(angles)
    """,
    "lib/distributions/__init__.py": """
        from .heavy import Heavy
        from .light import Light
    """,
    "lib/distributions/base.py": """
        def noted(cls):
            return cls

        class Distribution:
            def sample(self):
                return 1
    """,
    "lib/distributions/heavy.py": """
        from .base import Distribution

        LIMIT = 10

        class Heavy(Distribution):
            def sample(self):
                return LIMIT
    """,
    "lib/distributions/light.py": """
        from .base import Distribution, noted

        @noted
        class Light(Distribution):
            def sample(self):
                return 2
    """,
    "lib/mechanisms.py": """
        from lib.distributions import Heavy, Light

        class HeavyMechanism:
            distribution = Heavy

        class LightMechanism:
            def randomise(self):
                return Light().sample()
    """,
    "work/__init__.py": "",
}


@pytest.fixture
def source(tmp_path, monkeypatch):
    """A folder with two small packages; ``write`` and ``edit`` change it."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # nothing is kept beside them
    for name, text in FILES.items():
        write(tmp_path, name, text)
    return tmp_path


def write(source, name, text):
    lines = text.strip("\n").split("\n")
    indent = len(lines[0]) - len(lines[0].lstrip())
    path = source / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(line[indent:] for line in lines) + "\n", encoding="utf-8")
    return path


def edit(source, name, old, new):
    path = source / name
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{old!r} must occur once in {name}"
    path.write_text(text.replace(old, new), encoding="utf-8")


def script(source, text, name="work/script.py"):
    return write(source, name, text)


def changed(path, source, file, old, new, roots=()):
    before = code_digest(path, roots, source)
    edit(source, file, old, new)
    return code_digest(path, roots, source) != before


MEAN_SCRIPT = """
    '''Means.'''
    from lib.means import mean_angle

    def run(angles):
        '''Run.'''
        return mean_angle(angles)

    if __name__ == "__main__":
        print(run([1]))
"""


@pytest.mark.parametrize(
    ("file", "old", "new", "expected"),
    [
        ("lib/means.py", "# the direction of the vector sum", "# a comment", False),
        ("lib/means.py", "'''The mean.'''", "'''Another text.'''", False),
        ("lib/means.py", "    '''The mean.'''\n", "", False),
        ("lib/means.py", "angle % tau", "(angle   %\n  tau)", False),
        ("lib/means.py", "np.median(angles)", "np.median(angles) + 1", True),
        ("lib/means.py", "from math import tau", "from math import pi as tau", True),
        ("lib/mechanisms.py", "distribution = Heavy", "distribution = Light", False),
        ("work/script.py", "'''Means.'''", "'''Other.'''", False),
        ("work/script.py", "run([1])", "run([2])", True),
    ],
)
def test_only_code_of_files_in_use_counts(source, file, old, new, expected):
    path = script(source, MEAN_SCRIPT)
    assert changed(path, source, file, old, new) is expected


IMPORTS_OF_LIGHT = {
    "from the defining module": "from lib.distributions.light import Light\nx = Light()",
    "re-exported once": "from lib.distributions import Light\nx = Light()",
    "re-exported twice": "from lib import Light\nx = Light()",
    "renamed": "from lib import Light as Feather\nx = Feather()",
    "attribute of a module": "from lib import distributions\nx = distributions.Light()",
    "attribute of a renamed module": "import lib.distributions as families\nx = families.Light()",
    "dotted": "import lib.distributions.light\nx = lib.distributions.light.Light()",
    "dotted, re-exported": "import lib.distributions\nx = lib.distributions.Light()",
    "relative": "from ..distributions import Light\nx = Light()",
    "star": "from lib.distributions.light import *\nx = Light()",
    "inside a function": "def f():\n    from lib import Light\n    return Light()",
    "inside a function, as a module": "def f():\n    import lib.distributions as noises\n    return noises.Light()",
    "inside a class": "class C:\n    from lib.distributions import Light",
    "in a try block": "try:\n    from lib import Light\nexcept ImportError:\n    Light = None\nx = Light()",
    "as a base class": "from lib import Light\nclass C(Light):\n    pass",
    "as a default": "from lib import Light\ndef f(distribution=Light):\n    return distribution",
    "in a comprehension": "from lib import Light\nx = [Light() for _ in range(3)]",
    "in a lambda": "from lib import Light\nx = lambda: Light().sample()",
    "as a bare package": "from lib import distributions\nx = getattr(distributions, 'Light')",
    "as a bare module": "from lib.distributions import light\nx = vars(light)",
    "as a bare dotted module": "import lib.distributions.light\nx = vars(lib.distributions.light)",
}


@pytest.mark.parametrize("text", IMPORTS_OF_LIGHT.values(), ids=IMPORTS_OF_LIGHT.keys())
def test_follows_every_kind_of_import(source, text):
    path = script(source, text, "lib/apps/script.py")
    assert changed(path, source, "lib/distributions/light.py", "return 2", "return 3")
    assert changed(path, source, "lib/distributions/base.py", "return 1", "return 0")  # its base class
    assert not changed(path, source, "lib/mechanisms.py", "distribution = Heavy", "distribution = Light")


LAZY = {
    "rooms/__init__.py": "",
    "rooms/face.py": "def face(package):\n    return package.upper(), []",
    "rooms/distributions/__init__.py": "from rooms.face import face\n\n__getattr__, __all__ = face(__name__)",
    "rooms/distributions/__init__.pyi": """
        from rooms.distributions.heavy import Heavy as Heavy
        from rooms.distributions.light import Light as Light

        __all__: list[str]
    """,
    "rooms/distributions/base.py": "class Distribution:\n    def sample(self):\n        return 1",
    "rooms/distributions/heavy.py": "LIMIT = 10\nprint(LIMIT)\n\nclass Heavy:\n    sample = LIMIT",
    "rooms/distributions/light.py": "from rooms.distributions.base import Distribution\n\n"
    "class Light(Distribution):\n    factor = 2",
}
USES_OF_A_LAZY_NAME = (
    "from rooms.distributions import Light\nx = Light()",
    "from rooms.distributions import Light as Feather\nx = Feather()",
    "from rooms import distributions\nx = distributions.Light()",
    "import rooms.distributions\nx = rooms.distributions.Light()",
    "def f():\n    from rooms.distributions import Light\n    return Light()",
)


@pytest.fixture
def stub(source):
    """That of a folder which imports each of its names when it is first used."""
    for name, text in LAZY.items():
        write(source, name, text)
    return source / "rooms/distributions/__init__.pyi"


@pytest.mark.parametrize("text", USES_OF_A_LAZY_NAME)
def test_a_name_of_a_stub_is_followed_and_no_other(source, stub, text):
    path = script(source, text)
    assert changed(path, source, "rooms/distributions/light.py", "factor = 2", "factor = 3")
    assert changed(path, source, "rooms/distributions/base.py", "return 1", "return 0")  # its base class
    assert not changed(path, source, "rooms/distributions/heavy.py", "sample = LIMIT", "sample = LIMIT + 1")
    assert not changed(path, source, "rooms/distributions/heavy.py", "print(LIMIT)", "print(-LIMIT)")  # it is not run
    assert not changed(path, source, stub, "Heavy as Heavy", "Heavy as Another")
    assert changed(path, source, stub, "light import Light as", "heavy import Heavy as")


@pytest.mark.parametrize("text", USES_OF_A_LAZY_NAME)
def test_without_the_stub_an_edit_would_be_missed(source, stub, text):
    """Wrong variant."""
    stub.unlink()
    path = script(source, text)
    assert not changed(path, source, "rooms/distributions/light.py", "factor = 2", "factor = 3")


def test_a_bare_folder_with_a_stub_counts_as_a_whole(source, stub):
    path = script(source, "from rooms import distributions\nx = getattr(distributions, 'Light')")
    assert changed(path, source, "rooms/distributions/light.py", "factor = 2", "factor = 3")
    assert changed(path, source, "rooms/distributions/heavy.py", "print(LIMIT)", "print(-LIMIT)")
    assert changed(path, source, "rooms/face.py", "[]", "None")


DISTRIBUTIONS = SOURCE / "dirpriv/distributions/__init__.pyi"


@pytest.mark.parametrize("stub", [True, False], ids=["as it is", "wrong variant, without the stub"])
@pytest.mark.parametrize(
    "text",
    ["from dirpriv.distributions import Purkayastha\nx = Purkayastha(3, 1.0)",
     "from dirpriv import distributions\nx = distributions.Purkayastha(3, 1.0)"],
)  # fmt: skip
def test_an_edit_of_a_distribution_of_the_library_is_seen(tmp_path, monkeypatch, text, stub):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    shutil.copytree(SOURCE / "dirpriv", tmp_path / "dirpriv", ignore=shutil.ignore_patterns("__pycache__"))
    if not stub:
        (tmp_path / DISTRIBUTIONS.relative_to(SOURCE)).unlink()
    path = script(tmp_path, text)
    for distribution, used in (("Purkayastha", True), ("WrappedLaplace", False)):
        module = re.search(rf"from (\S+) import {distribution} ", DISTRIBUTIONS.read_text(encoding="utf-8"))[1]
        file, definition = f"{module.replace('.', '/')}.py", f"class {distribution}("
        edited = changed(path, tmp_path, file, definition, f"class Another:\n    pass\n\n\n@Another\n{definition}")
        assert edited is (used and stub)


def test_a_package_may_import_its_own_modules(source):
    """``from . import x`` in a package names the module x, though the package seems to name itself."""
    write(source, "lib/__init__.py", "from . import distributions, means\nHELPER = means.wrap(1)")
    path = script(source, "import lib\nx = lib.distributions.Light()")
    assert changed(path, source, "lib/distributions/light.py", "return 2", "return 3")
    assert changed(path, source, "lib/means.py", "return angle", "return -angle")


def test_extra_roots(source, stub):
    path = script(source, "NAMES = ['heavy']")
    roots = ("rooms.distributions:Light",)
    assert code_digest(path, roots, source) != code_digest(path, (), source)
    assert not changed(path, source, "rooms/distributions/heavy.py", "LIMIT = 10", "LIMIT = 11", roots)
    assert changed(path, source, "rooms/distributions/light.py", "factor = 2", "factor = 3", roots)


@pytest.mark.parametrize("root", ["lib.mechanism:HeavyMechanism", "lib.mechanisms", "lib.mechanisms:"])
def test_a_missing_root_is_named(source, root):
    path = script(source, "x = 1")
    with pytest.raises(ValueError, match=f'root "{root}" must be "package.module:symbol" below {source}'):
        code_digest(path, (root,), source)


def test_a_missing_script_is_named(source):
    path = source / "work" / "no_such.py"
    with pytest.raises(FileNotFoundError) as error:
        code_digest(path, (), source)
    assert str(error.value) == f"code_digest: there is no script {path}"


def test_a_folder_without_an_init_file_is_a_package(source):
    write(source, "bare/tools.py", "def f():\n    return 1")
    path = script(source, "from bare import tools\nimport bare.tools as same\nx = tools.f(), same.f()")
    assert Modules(source).reached(path) == ["bare/tools.py", "work/__init__.py", "work/script.py"]


ANNOTATED = """
    from typing import NamedTuple
    from dataclasses import dataclass
    from lib import Heavy, Light

    class Point(NamedTuple):
        x: float
        y: float = 0.0

    @dataclass
    class Settings:
        distribution: Heavy
        names: list[str] = ()

    SIZE: int = 3

    def f(point: Point, *rest: int, distribution: Heavy = None, **more: str) -> Settings:
        inner: Heavy = Light()
        inner.size: int = SIZE
        return inner
"""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("x: float", "x: int", False),
        ("y: float = 0.0", 'y: "int" = 0.0', False),
        ("distribution: Heavy\n", "distribution: 'Light'\n", False),
        ("names: list[str]", "names: tuple[str, ...]", False),
        ("SIZE: int", "SIZE: float", False),
        ("point: Point", "point: tuple", False),
        ("point: Point", "point", False),
        ("*rest: int", "*rest", False),
        ("distribution: Heavy = None", "distribution: Light | None = None", False),
        ("**more: str", "**more: dict", False),
        (" -> Settings", " -> object", False),
        (" -> Settings", "", False),
        ("inner: Heavy", "inner: Light", False),
        ("inner.size: int", "inner.size: float", False),
        ("x: float", "z: float", True),
        ("x: float\n", "x: float\n    z: float\n", True),
        ("y: float = 0.0", "y: float = 1.0", True),
        ("y: float = 0.0", "y: float", True),
        ("names: list[str] = ()", "names = ()", True),  # no field any more
        ("SIZE: int = 3", "SIZE: int = 4", True),
        ("distribution: Heavy = None", "distribution: Heavy = 0", True),
        ("point: Point", "place: Point", True),
    ],
)
def test_annotations_do_not_count(source, old, new, expected):
    write(source, "lib/notes.py", ANNOTATED)
    path = script(source, "from lib.notes import Point, Settings, f\nx = f(Point(1)), Settings(2)")
    assert changed(path, source, "lib/notes.py", old, new) is expected


def test_what_is_used_in_annotations_alone_is_not_followed(source):
    path = script(source, "from lib.mechanisms import HeavyMechanism\ndef f(x: HeavyMechanism):\n    return x")
    assert Modules(source).reached(path) == ["work/__init__.py", "work/script.py"]


def test_cyclic_imports_end(source):
    write(source, "lib/one.py", "from lib import two\ndef f(n):\n    return two.g(n - 1) if n else 0")
    write(source, "lib/two.py", "from lib.one import f\ndef g(n):\n    return f(n)")
    path = script(source, "from lib.one import f\nx = f(3)")
    assert changed(path, source, "lib/two.py", "f(n)\n", "f(n + 1)\n")


def test_moving_the_checkout_changes_nothing(source, tmp_path_factory):
    path = script(source, MEAN_SCRIPT)
    other = tmp_path_factory.mktemp("moved") / "src"
    source.rename(other)
    moved = code_digest(other / "work/script.py", (), other)
    other.rename(source)
    assert code_digest(path, (), source) == moved


def test_what_is_read_is_kept_as_bytecode_is(source, monkeypatch):
    """Where Python keeps bytecode; what is broken or of another text is made again."""
    path = script(source, MEAN_SCRIPT)

    def digest():
        return code_digest(path, (), source)

    before = digest()
    assert list(source.rglob("__pycache__")) == []
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    assert digest() == before
    [kept] = (source / "lib/__pycache__").glob("means.*")
    content = kept.read_bytes()
    for broken in (b"", content[:100], b"nothing"):
        kept.write_bytes(broken)
        assert digest() == before and marshal.loads(kept.read_bytes()) == marshal.loads(content)
    monkeypatch.setattr(module, "_content", None)
    assert digest() == before  # nothing is parsed
    edit(source, "lib/means.py", "angle % tau", "angle % 1.0")
    with pytest.raises(TypeError):
        digest()


def test_every_script_of_the_study_has_a_digest(monkeypatch, capsys):
    assert SOURCE == ROOT / "src"
    scripts = [path for path in (SOURCE / "study").rglob("*.py") if "job(snakemake)" in path.read_text()]
    modules = Modules()
    reached = {path: modules.reached(path) for path in scripts}
    assert len(scripts) > 20 and all(path.relative_to(SOURCE).as_posix() in reached[path] for path in scripts)
    assert len({code_digest(path, modules=modules) for path in scripts}) == len(scripts)
    monkeypatch.setattr(sys, "argv", ["explain_digest.py", str(SCRIPT)])
    runpy.run_path(str(ROOT / "tools/explain_digest.py"), run_name="__main__")
    assert capsys.readouterr().out.split("\n") == [code_digest(SCRIPT), *reached[SCRIPT], ""]
