"""Hostile configurations, paths and addresses: one line for each problem, before any job, and no secret."""

import copy
import os
from pathlib import Path

import pytest
import yaml
from leaks import leaked
from snakemake.utils import update_config

from study.configuration import check
from study.core.job import InputError

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
    "a seed below 0": ("seed: -1", "seed: must be at least 0"),
    "a seed with a point": ("seed: 1.0", "seed: must be a whole number; 1.0 is given: write 1"),
    "a seed of text": ('seed: "1"', 'seed: must be a whole number; "1" is given, which is text: write 1'),
    "a seed of truth": ("seed: true", "seed: must be a whole number; true is given"),
    "a seed of a day": ("seed: 2021-11-15", "seed: must be a whole number"),
    "a seed that is nothing": ("seed: null", "seed: must be a whole number; null is given"),
    "a level that is no number": ("audit: {epsilon: .nan}", "audit.epsilon: must be a finite number; nan"),
    "an infinite level": ("audit: {epsilon: .inf}", "audit.epsilon: must be a finite number; inf is given"),
    "a level of 0": ("audit: {epsilon: 0.0}", "audit.epsilon: must be greater than 0"),
    "a level of hardly anything": ("audit: {epsilon: 1.0e-300}", "audit.epsilon: must be at least 1e-9"),
    "a level beyond doubles": ("audit: {epsilon: 1.0e+300}", "audit.epsilon: must be at most 1000000000"),
    "a level of 400 digits": ("audit: {epsilon: 1" + "0" * 400 + "}", "audit.epsilon: must be"),
    "a level of text": ('audit: {epsilon: "1e3"}', 'audit.epsilon: must be a number; "1e3" is given, which'),
    "a share above 1": ("limits: {rejected_share: 1.01}", "limits.rejected_share: must be at most 1"),
    "a share below 0": ("limits: {rejected_share: -0.01}", "limits.rejected_share: must be at least 0"),
    # ------------------------------------------------------------------ runs that would not end
    "a trillion rows": ("datasets: {city: {rows: 1000000000000}}", "datasets.city.rows: must be at most"),
    "a billion people": ("datasets: {city: {users: 1000000000}}", "datasets.city.users: must be at most"),
    "a billion places": ("datasets: {city: {venues: 1000000000}}", "datasets.city.venues: must be at most"),
    "no places": ("datasets: {city: {venues: 0}}", "datasets.city.venues: must be at least 1"),
    "a thousand years": ("datasets: {city: {days: 365000}}", "datasets.city.days: must be at most 3650"),
    "a million points": ("theorem_24: {points: 1000000}", "theorem_24.points: must be at most 100000"),
    "a trillion draws": ("expected_distances: {draws: 1000000000000}", "expected_distances.draws: must be"),
    "a billion responses": ("time_histogram: {responses: 1000000000}", "time_histogram.responses: must be"),
    "a billion arrows": ("rotation_axes: {draws: 1000000000}", "rotation_axes.draws: must be at most 10000"),
    "a billion dimensions": (
        "mean_direction: {dimensions: [2, 1000000000], panel_dimensions: [2]}",
        "mean_direction.dimensions[1]: must be at most 10000",
    ),
    "vectors that no memory holds": (
        "mean_direction: {people: 10000000}",
        "mean_direction.people: people times the largest dimension must be at most 1e9",
    ),
    "ten thousand levels": (
        f"survey_size: {{epsilons: {[round(1 + n / 1e6, 6) for n in range(10_000)]}}}",
        "survey_size.epsilons: must have at most 1000 entries",
    ),
    # ------------------------------------------------------------------ ranges and lists
    "ends exchanged": ("privacy: {cost: {lowest: 9.0}}", "privacy.cost.highest: the highest must be above"),
    "ends of losses exchanged": ("vector_noise: {loss_range: [9.0, 1.0]}", "vector_noise.loss_range: the hi"),
    "a band exchanged": ("place_histogram: {claimed_band: [9.0, 1.0]}", "place_histogram.claimed_band: the"),
    "one end": ("place_histogram: {claimed_band: [9.0]}", "place_histogram.claimed_band: must have at least"),
    "a range of nothing": ("theorem_24: {lowest: 10.0, highest: 10.0}", "theorem_24"),
    "a level that is not computed": (
        "time_histogram: {example_levels: [0.2]}",
        "time_histogram.example_levels: must be among time_histogram.levels; 0.2 is given",
    ),
    "the same twice": ("privacy: {kappas: [1.0, 1.0]}", "privacy.kappas: must not name anything twice"),
    "no list": ("privacy: {kappas: 1.0}", "privacy.kappas: must be a list"),
    "an empty list": ("privacy: {kappas: []}", "privacy.kappas: must not be empty"),
    "lists in lists": ("privacy: {kappas: [[[1.0]]]}", "privacy.kappas[0]: must be a number"),
    "a list that contains itself": ("privacy: {kappas: &a [*a]}", "privacy.kappas"),
    "a mapping for a list": ("privacy: {kappas: {a: 1}}", "privacy.kappas: must be a list"),
    # ------------------------------------------------------------------ keys
    "an unknown key": ("privacy: {kappa: [1.0]}", 'privacy.kappa: unknown key; did you mean "kappas"?'),
    "an unknown section": ("privcay: {}", 'privcay: unknown key; did you mean "privacy"?'),
    "a number as a key": ("1: 2", "(top level): the key 1 must be text"),
    "nothing as a key": ("null: 2", "(top level): the key null must be text"),
    "a key with an escape": ('"\\e[31mx": 2', "\\x1b[31mx: unknown key"),
    "a section that is a number": ("privacy: 3", "privacy: must be a mapping"),
    "a section that is nothing": ("privacy: null", "privacy: must be a mapping"),
    # ------------------------------------------------------------------ names
    "a name with a line end": ('datasets: {"mine\\n": {layout: snap, path: PATH}}', "datasets.mine"),
    "a name that leads elsewhere": (
        "datasets: {../x: {layout: snap, path: PATH}}",
        "datasets.../x: the name must",
    ),
    "a name of wide letters": (
        "datasets: {ｃｉｔｙ: {layout: snap, path: PATH}}",
        "datasets.ｃｉｔｙ: the name must",
    ),
    "a name of a population": (
        "datasets: {one_direction: {layout: snap, path: PATH}}",
        "datasets.one_direction: the name must match",
    ),
    "an unknown layout": ("datasets: {a: {layout: snapp, path: PATH}}", "datasets.a.layout: must be one of"),
    "a mechanism in capitals": ("mechanisms: [Purkayastha]", "mechanisms[0]: must be one of"),
    "a mechanism with a line end": ('mechanisms: ["purkayastha\\n"]', "mechanisms[0]: must be one of"),
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
    "nothing": ("", "must not be empty"),
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
    "bytes that are no UTF-8": ("file\udcff.txt", "has characters that cannot be printed|must be text that"),
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
    "a sum that is a number": ({"sha256": 0}, "sha256: must be text"),
    "a short sum": ({"sha256": "0" * 63}, "sha256: must match"),
    "no sum": ({"sha256": None}, "sha256: must be text"),
    "a member that is empty": ({"member": ""}, "member: must not be empty"),
    "a member with an escape": ({"member": "a\x1b]0;b\x07"}, "member: "),
    "a member with a line end": ({"member": "a\nb"}, "member: "),
    "an unknown key": ({"md5": "0"}, "md5: unknown key"),
}


@pytest.mark.parametrize(("entry", "says"), ENTRIES.values(), ids=ENTRIES)
def test_an_entry_of_an_address_is_refused_in_one_line(entry, says):
    given = {"url": "https://a.org/b.zip", "sha256": SUM} | entry
    [line] = problems({"datasets": {"mine": {"layout": "snap", "path": given}}})
    assert line.startswith(f"  datasets.mine.path.{says}") and "\x1b" not in line
