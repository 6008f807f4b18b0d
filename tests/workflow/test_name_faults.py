"""The names in the code: each kind of wrong name is found, and no exception stays that is not needed."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[2] / "tools"))

import check_names
from check_names import faults, lines_of_faults, main

STUBS = {
    "dirpriv": "from dirpriv import distributions as distributions\nfrom dirpriv import planner as planner\n",
    "dirpriv.distributions": "from dirpriv.distributions.c import Cap as Cap\n",
}
OTHER = {"src/dirpriv/other.py": "class Report: ...\nclass Settings: ...\nKernel: TypeAlias = int\nNames = list\n"}


def keys(code, file="src/study/a.py"):
    """Kind and name of the faults of a file beside another."""
    return {(kind, name) for kind, where, name in lines_of_faults(OTHER | {file: code}, STUBS) if where == file}


@pytest.mark.parametrize(
    ("kind", "name", "wrong", "right"),
    [
        ("of", "of", "def of(x): ...", "def offset(x): ..."),
        ("of", "_of_text", "class A:\n def _of_text(x): ...", "class A:\n def text_of(x): ..."),
        ("participle", "found", "found = 1", "x.y = found"),
        ("participle", "_made", "a, (b, *_made) = x", "f(_made=1)"),
        ("participle", "given", "for given in x: ...", "for x in given: ..."),
        ("participle", "seen", "with x as seen: ...", "with seen as x: ..."),
        ("participle", "told", "try: ...\nexcept E as told: ...", "def told(): ..."),
        ("participle", "said", "f(said := 1)", "f(said == 1)"),
        ("participle", "known", "[known for known in x]", "[x for x in known]"),
        ("participle", "held", "def f(*, held=1): ...", "def f(*, x=held): ..."),
        ("participle", "found_", "lambda found_: 1", "lambda foundation: 1"),
        ("participle", "seen", "class A(NamedTuple):\n seen: int", "class A:\n x = seen"),
        ("participle", "known", "self.known = 1", "self.known()"),
        ("participle", "made", "import a as made", "import made"),
        ("twice", "Report", "def f():\n class Report: ...", "def f():\n Report = 1"),
        ("twice", "Kernel", "Kernel = int | str", "Kernels = int | str"),
        ("twice", "Names", "Names: type = list", "NAMES = list"),
        ("private", "dirpriv._lib", "from dirpriv import _lib", "from dirpriv import distributions, __version__"),
        ("private", "dirpriv.distributions.c", "import dirpriv.distributions.c", "import dirpriv.distributions"),
        (
            "private",
            "dirpriv.distributions.c.Cap",
            "from dirpriv.distributions.c import Cap",
            "from dirpriv.distributions import Cap",
        ),
        ("private", "dirpriv.planner._p", "from dirpriv.planner import _p", "from dirpriv.planner import p"),
    ],
)
def test_a_wrong_name_is_found(kind, name, wrong, right):
    assert keys(wrong) == {(kind, name)} and keys(right) == set()


def test_where_names_are_free():
    """Each experiment has its Settings, and the library and the tools are free in what they import."""
    assert keys("class Settings: ...") == {("twice", "Settings")}
    assert keys("class Settings: ...", "src/study/experiments/a/settings.py") == set()
    assert keys("class Report: ...\nimport dirpriv._lib.immutable", "tools/a.py") == set()
    assert keys("from dirpriv._lib import frozen", "src/dirpriv/a.py") == set()


def test_exceptions_can_only_become_fewer(monkeypatch, tmp_path, capsys):
    lines = lines_of_faults({"tools/a.py": "x = 1\nmade = found = 1"}, {})
    made, found = ("participle", "tools/a.py", "made"), ("participle", "tools/a.py", "found")
    assert [line.split(" ")[0] for line in faults(lines, {found})] == ["tools/a.py:2:"]
    assert faults(lines, {made, found}) == []
    old = faults(lines, {made, found, ("of", "tools/a.py", "of")})
    assert old == ["names_exceptions.csv: remove of,tools/a.py,of"]

    more = tmp_path / "more.csv"
    more.write_text(check_names.EXCEPTIONS.read_text(encoding="utf-8") + "of,tools/a.py,of,why\n", "utf-8")
    monkeypatch.setattr(check_names, "EXCEPTIONS", more)
    assert main() == 1
    assert f"instead of at most {check_names.MAX_EXCEPTIONS}\n" in capsys.readouterr().out
