"""Hostile configurations, paths and addresses: one line for each problem, before any job, and no secret."""

import copy
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml
from leaks import leaked
from snakemake.utils import update_config

from study.configuration import check
from study.workflow import checked_yaml
from study.workflow.job import InputError

CONFIG = yaml.safe_load((Path(__file__).parents[2] / "config/config.yaml").read_text(encoding="utf-8"))
SUM = "0" * 64
LONG = "x" * 300


def problems(overlay):
    """The lines of the error of a configuration with this laid over the study's."""
    config = copy.deepcopy(CONFIG)
    update_config(config, overlay)
    try:
        check(config)
    except InputError as error:
        first, *lines = str(error).split("\n")
        assert first.startswith("the configuration cannot be used (")
        assert all(line.startswith("  ") for line in lines) and leaked(*lines) == []
        return lines
    return []


# YAML of an overlay, and what the only problem begins with after two spaces; an empty text where it is right
VALUES = {
    # ------------------------------------------------------------------ numbers
    "a seed of a hundred digits": ("seed: 1" + "0" * 100, "seed: must be less than"),
    "a seed of five thousand digits": ("seed: 0x1" + "0" * 5000, "seed: must be less than"),
    "a seed of a day": ("seed: 2021-11-15", "seed: must be a valid integer"),
    "a seed that is nothing": ("seed: null", "seed: must be a valid integer; null is given"),
    "a level that is no number": ("audit: {epsilon: .nan}", "audit.epsilon: must be a finite number; NaN"),
    "an infinite level": ("audit: {epsilon: .inf}", "audit.epsilon: must be a finite number; Infinity is given"),
    "a level of 0": ("audit: {epsilon: 0.0}", "audit.epsilon: must be greater than or equal to 0.000000001"),
    "a level of hardly anything": (
        "audit: {epsilon: 1.0e-300}",
        "audit.epsilon: must be greater than or equal to 0.000000001",
    ),
    "a level beyond doubles": ("audit: {epsilon: 1.0e+300}", "audit.epsilon: must be less than or equal to 1000000000"),
    "a level of 400 digits": ("audit: {epsilon: 1" + "0" * 400 + "}", "audit.epsilon: must be"),
    # ------------------------------------------------------------------ runs that would not end
    "vectors that no memory holds": (
        "mean_direction: {people: 10000000}",
        "mean_direction.people: people times the largest dimension must be at most 1e9",
    ),
    "ten thousand levels": (
        f"survey_size: {{epsilons: {[round(1 + n / 1e6, 6) for n in range(10_000)]}}}",
        "survey_size.epsilons: must have at most 1000 items",
    ),
    # ------------------------------------------------------------------ ranges and lists
    "a range of nothing": ("theorem_24: {lowest: 10.0, highest: 10.0}", "theorem_24"),
    "lists in lists": ("privacy: {kappas: [[[1.0]]]}", "privacy.kappas[0]: must be a valid number"),
    "a list that contains itself": ("privacy: {kappas: &a [*a]}", "privacy.kappas"),
    "a mapping for a list": ("privacy: {kappas: {a: 1}}", "privacy.kappas: must be a valid list"),
    # ------------------------------------------------------------------ keys
    "a number as a key": ("1: 2", "[1]: Keys should be strings; 1"),
    "nothing as a key": ("null: 2", "None: Keys should be strings; null"),
    "a key with an escape": ('"\\e[31mx": 2', "\\x1b[31mx: unknown key"),
    "a section that is nothing": ("privacy: null", "privacy: must be a valid dictionary"),
    # ------------------------------------------------------------------ names
    "a name with a line end": ('datasets: {"mine\\n": {layout: snap, path: PATH}}', "datasets.mine"),
    "a name that leads elsewhere": (
        "datasets: {../x: {layout: snap, path: PATH}}",
        "datasets.../x: must match pattern",
    ),
    "a name of wide letters": (
        "datasets: {ｃｉｔｙ: {layout: snap, path: PATH}}",
        "datasets.ｃｉｔｙ: must match pattern",
    ),
    "a name of a population": (
        "datasets: {one_direction: {layout: snap, path: PATH}}",
        "datasets.one_direction: must match pattern",
    ),
    "an unknown layout": ("datasets: {a: {layout: snapp, path: PATH}}", "datasets.a.layout: must be "),
    "a mechanism in capitals": ("mechanisms: [Purkayastha]", "mechanisms[0]: must be 'purkayastha', "),
    "a mechanism with a line end": ('mechanisms: ["purkayastha\\n"]', "mechanisms[0]: must be 'purkayastha', "),
}


@pytest.mark.parametrize(("overlay", "begins"), VALUES.values(), ids=VALUES)
def test_a_wrong_value_is_one_line_with_its_key(overlay, begins):
    lines = problems(yaml.safe_load(overlay.replace("PATH", __file__)))
    assert [line[2 : 2 + len(begins)] for line in lines[:1]] == [begins]
    assert all(len(line) < 1000 for line in lines)


PATHS = {  # the path, and what the problem says; an empty text where it is right
    "a file": ("file.txt", ""),
    "a file with a space and Unicode": ("Straße 寿司.txt", ""),
    "a file with a wide space": ("a\u3000b.txt", ""),
    "a file of joined emoji": ("👩\u200d🔬.txt", ""),
    "a file with quotes": ("a'b\"c.txt", ""),
    "a file with a shell's characters": ("$(touch x) `y` ; z.txt", ""),
    "nothing": ("", "must have at least 1"),
    "no file": ("none.txt", "there is no such file: none.txt"),
    "a folder": (".", "this is a folder"),
    "a file below a file": ("file.txt/below", "there is no such file"),
    "a long name": (LONG, "a name in this path is too long"),
    "a long path": ("x/" * 3000, "a name in this path is too long"),
    "a pipe": ("pipe", "this is a device or a pipe, and no file"),
    "a device": ("/dev/zero", "this is a device or a pipe, and no file"),
    "a link to itself": ("loop", "this is a symbolic link to itself"),
    "a link to nothing": ("dangling", "there is no such file"),
    "a file that may not be read": ("closed.txt", "this may not be read; change the permissions"),
    "a folder that may not be entered": ("closed/file.txt", "this may not be read; change the permissions"),
    "a wildcard": ("{dataset}.txt", "{dataset}.txt has braces, which Snakemake would fill in"),
    "a NUL": ("file\0.txt", 'file\\u0000.txt" has characters that cannot be printed'),
    "an escape": ("file\x1b[31m.txt", 'file\\u001b[31m.txt" has characters that cannot be printed'),
    "a line end": ("file\n.txt", "has characters that cannot be printed"),
    "a line end of Unicode": ("file\x85.txt", 'file\\x85.txt" has characters that cannot be printed'),
    "a delete": ("file\x7f.txt", 'file\\x7f.txt" has characters that cannot be printed'),
    "bytes that are no UTF-8": (
        "file\udcff.txt",
        "has characters that cannot be printed|must be a valid string, unable",
    ),
    "the direction of writing": ("\u202efile.txt", '\\u202efile.txt" has characters that cannot be printed'),
    "a file of the workflow": ("results/mine.txt", "where the workflow writes and cleans"),
    "an address": ("https://zqx:zqx@a.org/b?zqx", "https://a.org/b is an address; give it as `url`"),
}


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A working directory with files of all kinds; two of them refuse to be read."""
    monkeypatch.chdir(tmp_path)
    for name, (path, problem) in PATHS.items():
        if not problem:
            Path(path).write_text(name)
    os.mkfifo("pipe")
    Path("loop").symlink_to("loop")
    Path("dangling").symlink_to("none")
    Path("results").mkdir()
    Path("results/mine.txt").touch()
    Path("closed.txt").touch()
    stat, access = os.stat, os.access

    def refuse(path, *rest, **more):  # the superuser may enter and read everything
        if str(path).startswith("closed/"):
            raise PermissionError(13, "Permission denied", path)
        return stat(path, *rest, **more)

    monkeypatch.setattr(os, "stat", refuse)
    monkeypatch.setattr(os, "access", lambda path, mode: "closed" not in str(path) and access(path, mode))


@pytest.mark.parametrize(("path", "says"), PATHS.values(), ids=PATHS)
def test_a_path_is_taken_or_refused_in_one_line(path, says, files):
    lines = problems({"datasets": {"mine": {"layout": "snap", "path": path}}})
    assert bool(lines) == bool(says)
    if says:
        [line] = lines
        assert line.startswith("  datasets.mine.path: ") and any(part in line for part in says.split("|"))


ADDRESSES = {  # the address, and what the problem says; an empty text where it is right
    "https": ("https://a.org/b.txt", ""),
    "a port": ("https://a.org:8443/b.txt", ""),
    "a user and a query": ("https://zqx:zqx3709@a.org/b.txt?Signature=zqx", ""),
    "an address of IPv6": ("https://[::1]/b.txt", ""),
    "a host of Unicode": ("https://exämple.org/b.txt", ""),
    "nothing": ("", "must match"),
    "no scheme": ("a.org/b.txt", "must match"),
    "ftp": ("ftp://zqx:zqx@a.org/b.txt", "must match"),
    "gopher": ("gopher://a.org/b.txt", "must match"),
    "data": ("data:text/plain,x", "must match"),
    "a script": ("javascript:alert(1)", "must match"),
    "no path": ("https://a.org", "must match"),
    "no host": ("https:///b.txt", "must match"),
    "a file of another host": ("file://a.org/b.txt", "must match"),
    "half an address of IPv6": ("https://[::1/b.txt", "is no address; check what stands between //"),
    "a port that is none": ("https://a.org:http/b.txt", "is no address; check what stands between //"),
    "a port beyond all": ("https://a.org:99999/b.txt", "is no address; check what stands between //"),
    "a space": ("https://a.org/b c.txt", "must match"),
    "a line end": ("https://a.org/b.txt\n", "must match"),
    "a header": ("https://a.org/b.txt\r\nX: y", "must match"),
    "an escape": ("https://a.org/\x1b[31m.txt", "has characters that cannot be printed"),
    "a NUL": ("https://a.org/\0.txt", "has characters that cannot be printed"),
    "the direction of writing": ("https://a.org/\u202eb.txt", "has characters that cannot be printed"),
    "a file with a NUL": ("file:///tmp/%00.txt", "has characters that cannot be printed"),
    "a file with a wildcard": ("file:///tmp/%7Bdataset%7D.txt", "has braces"),
    "a file of the workflow": (Path("results/mine.txt").absolute().as_uri(), "where the workflow writes"),
}


@pytest.mark.parametrize(("url", "says"), ADDRESSES.values(), ids=ADDRESSES)
def test_an_address_is_taken_or_refused_in_one_line(url, says):
    lines = problems({"datasets": {"mine": {"layout": "snap", "path": {"url": url, "sha256": SUM}}}})
    assert bool(lines) == bool(says)
    if says:
        [line] = lines
        assert line.startswith("  datasets.mine.path") and says in line


ENTRIES = {  # an entry of a file from an address, and what the problem says
    "a sum in capitals": ({"sha256": "A" * 64}, "sha256: must match"),
    "a sum with a line end": ({"sha256": SUM + "\n"}, "sha256: must match"),
    "a sum that is a number": ({"sha256": 0}, "sha256: must be a valid string"),
    "a short sum": ({"sha256": "0" * 63}, "sha256: must match"),
    "no sum": ({"sha256": None}, "sha256: must be a valid string"),
    "a member that is empty": ({"member": ""}, "member: must have at least 1"),
    "a member with an escape": ({"member": "a\x1b]0;b\x07"}, "member: "),
    "a member with a line end": ({"member": "a\nb"}, "member: "),
    "an unknown key": ({"md5": "0"}, "md5: unknown key"),
}


@pytest.mark.parametrize(("entry", "says"), ENTRIES.values(), ids=ENTRIES)
def test_an_entry_of_an_address_is_refused_in_one_line(entry, says):
    given = {"url": "https://a.org/b.zip", "sha256": SUM} | entry
    [line] = problems({"datasets": {"mine": {"layout": "snap", "path": given}}})
    assert line.startswith(f"  datasets.mine.path.{says}") and "\x1b" not in line


FILES = {  # what a file holds, and what is said of it
    "anchors in anchors": ("a0: &a0 [1]\na1: &a1 [*a0, *a0]", "line 1: this has an anchor (&) or an alias (*)"),
    "anchors that are merged": ("a: 1\nb: &b {c: 1}\n<<: *b", "line 2: this has an anchor (&) or an alias (*)"),
    "brackets that stay open": ("a: " + "[" * 3000, "line 1: this is nested more than 30 deep"),
    "brackets": ("a: " + "[" * 3000 + "]" * 3000, "line 1: this is nested more than 30 deep"),
    "braces": ("a: " + "{b: " * 3000 + "1" + "}" * 3000, "line 1: this is nested more than 30 deep"),
    "a list of lists by lines": ("- " * 3000 + "1", "line 1: this is nested more than 30 deep"),
    "brackets in JSON": ('{"a": ' + "[" * 500 + "]" * 500 + "}", "line 1: this is nested more than 30 deep"),
    "many brackets in JSON": ('{"a": ' + "[" * 9999 + "]" * 9999 + "}", "line 1: this is nested more than 30"),
    "a list that contains itself": ("a: 1\nb: &b [*b]", "line 2: this has an anchor (&) or an alias (*)"),
    "a key that contains itself": ("? &a [*a]\n: 1", "line 1: this has an anchor (&) or an alias (*)"),
    "five thousand digits": ("seed: " + "9" * 5000, "line 1: this would be a number of 5000 characters"),
    "five thousand digits in JSON": ('{"seed": ' + "9" * 5000 + "}", "line 1: this would be a number of 5000"),
    "five thousand digits to the base 60": ("seed: " + "1:" * 2500 + "1", "line 1: this would be a number of"),
    "digits of text": ("a: 1\nseed: !!int '" + "9" * 5000 + "'", "line 2: this has a tag (!)"),
    "no day": ("a: 1\nb: 2021-13-45", "line 2: this is no timestamp, and a text is put in quotes"),
    "a function of Python": ("a: !!python/name:os.system", "line 1: this has a tag (!)"),
    "a call of Python": ("a: !!python/object/apply:os.system [touch ran]", "line 1: this has a tag (!)"),
    "a template of Python": ("__use_yte__: true\nseed: ?open('ran', 'w')", "the key __use_yte__ lets Snakemake"),
    "a template in other words": ('"__use\\u005fyte__": 1\nseed: ?1', "the key __use_yte__ lets Snakemake"),
    "a template that is merged": ("<<: {__use_yte__: 1}", "the key __use_yte__ lets Snakemake"),
    "a NUL": ("a: \0", "unacceptable character #x0000"),
    "an escape": ("a: \x1b[31m", "unacceptable character #x001b"),
    "a tab": ("a:\n\t- b", "line 2: found character"),
    "two documents": ("a: 1\n---\nb: 2", "line 2: but found another document"),
    "no such anchor": ("a: *b", "line 1: this has an anchor (&) or an alias (*)"),
    "a key twice": ("a:\n  b: 1\n  c: 2\n  b: 3", "line 4: the key 'b' is here twice, first in line 2"),
    "a list as a key": ("? [1]\n: 2", "line 1: found unhashable key"),
    "latin-1": (b"a: 1\nb: caf\xe9", "line 2: this is no UTF-8"),
    "a large file": ("# " + "x" * (1 << 18), "it has more than 262144 bytes"),
}


@pytest.mark.parametrize(("content", "says"), FILES.values(), ids=FILES)
def test_a_file_that_is_no_plain_data_is_refused_in_one_line(content, says, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("my.yaml").write_bytes(content if isinstance(content, bytes) else content.encode())
    began = time.process_time()
    with pytest.raises(InputError) as refused:
        checked_yaml.read("my.yaml")
    assert time.process_time() - began < 1.0
    assert str(refused.value).startswith(f"my.yaml cannot be read: {says}")
    assert "\n" not in str(refused.value) and len(str(refused.value)) < 300 and not Path("ran").exists()


LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # a tenth of the time, where PyYAML is built with it


def test_files_that_are_plain_data(tmp_path):
    """Merged keys, days, long texts, JSON with tabs; and the same as PyYAML makes of ours."""
    path = tmp_path / "my.yaml"
    for text, found in (
        ("a: {<<: {b: [1, 2.5, null, true]}, b: [2], c: 3}", {"b": [2], "c": 3}),
        ("a: " + "text " * 1000, ("text " * 1000).strip()),
        ("a: 2012 and " + "more " * 1000, ("2012 and " + "more " * 1000).strip()),
        ("a: '" + "9" * 5000 + "'", "9" * 5000),
        ('{\n "a": [1]\n}', [1]),
        ("\ufeffa: 1", 1),
    ):
        path.write_text(text, encoding="utf-8")
        assert checked_yaml.read(path)["a"] == found
    for path in sorted((Path(__file__).parents[2] / "config").glob("**/*.yaml")):
        assert checked_yaml.read(path) == yaml.load(path.read_text(encoding="utf-8"), LOADER)


def test_a_file_is_checked_by_hand(tmp_path):
    (tmp_path / "good.yaml").write_text("seed: 1")
    (tmp_path / "wrong.yaml").write_text(FILES["a template of Python"][0])
    command = [sys.executable, "-m", "study.workflow.checked_yaml"]
    environment = os.environ | {"PYTHONPATH": str(Path(checked_yaml.__file__).parents[2])}
    for name, says in (("good.yaml", ""), ("wrong.yaml", "__use_yte__"), ("none.yaml", "No such file")):
        done = subprocess.run([*command, name], cwd=tmp_path, capture_output=True, text=True, env=environment)
        assert bool(done.returncode) == bool(says) and says in done.stderr and done.stderr.count("\n") <= 1
    assert not (tmp_path / "ran").exists()


def grown(deep, make):
    """A value in which each of some values stands ten times in the next one."""
    value = [1]
    for _ in range(deep):
        value = make(value)
    return value


def itself():
    value = {}
    value["a"] = [value]
    return value


VALUES_OF_PYTHON = {  # a value as another workflow or the command line may give it, and what is said of it
    "lists": (grown(12, lambda one: [one] * 10), "privacy.kappas", "this has more than 262144 characters"),
    "mappings": (
        grown(12, lambda one: {f"k{n}": one for n in range(10)}),
        "privacy.kappas",
        "this has more than 262144 characters",
    ),
    "a deep list": (grown(5000, lambda one: [one]), "privacy.kappas[0]: ", "this is nested more than 30 deep"),
    "a chain": ([grown(n, lambda one: [one]) for n in range(40)], "privacy.kappas[", "this is nested more"),
    "a mapping that contains itself": (
        itself(),
        "privacy.kappas.a: ",
        "this is nested more than 30 deep, or contains itself",
    ),
    "a long text": ("x" * 2_000_000, "privacy", "this has more than 262144 characters"),
    "a long number": (1 << 6_643_857, "privacy", "this has more than 262144 characters"),
}


@pytest.mark.parametrize(("value", "place", "says"), VALUES_OF_PYTHON.values(), ids=VALUES_OF_PYTHON)
def test_a_value_without_end_is_refused_in_one_line(value, place, says):
    config = CONFIG | {"privacy": CONFIG["privacy"] | {"kappas": value}}
    began = time.process_time()
    with pytest.raises(InputError) as refused:
        check(config)
    assert time.process_time() - began < 1.0
    [first, line] = str(refused.value).split("\n")
    assert first == "the configuration cannot be used (1 problem):"
    assert line.startswith(f"  {place}") and says in line and len(line) < 300


@pytest.mark.parametrize("form", ["%Y-%m-%d %H:%M %d", "%", "%(", "%Y" * 200, "%99999Y", "\0", "\udcff"])
def test_a_form_of_times_is_refused_in_one_line(form):
    entry = {"layout": "csv", "path": __file__, "time_format": form}
    [line] = problems({"datasets": {"mine": entry}})
    assert line.startswith("  datasets.mine.time_format: must ")
