"""Mechanisms of one's own, in one file: how they are read, what they become in the study, and which are refused."""

import json

import numpy as np
import pandas as pd
import pytest
import yaml
from scipy.stats import kstest

from dirpriv import distributions, guarantees
from study.configuration import check as check_configuration
from study.experiments.audit.cases import circle_cases
from study.experiments.privacy import compute
from study.experiments.time_histogram import simulate as times
from study.simulation import mechanism_checks, mechanisms, seeding
from study.workflow import own_mechanisms
from study.workflow.code_digest import SOURCE
from study.workflow.job import InputError
from study.workflow.mechanism_catalogue import CATALOGUE, class_rows, compare_chosen, enter, names, promising
from study.workflow.rule_functions import digest_of

CONFIG = SOURCE.parent / "config/config.yaml"
SQUARED = """
from study.simulation.kernel_mechanisms import KernelMechanism

class SquaredMechanism(KernelMechanism):
    label = "squared"
    spaces = ("circle", "sphere")
    finest = 1.0

    @staticmethod
    def log_density(theta):
        return -(theta**2)
"""
STATED = '''
from dirpriv.distributions import VonMisesFisher
from dirpriv.mechanisms import Mechanism

class Noise:
    """Has no base class: its levels are stated."""
    def __init__(self, dim, kappa):
        self.own = VonMisesFisher(dim, kappa)
        self.dim, self.kappa, self.space = dim, kappa, self.own.space
    def __getattr__(self, name):
        return getattr(self.__dict__["own"], name)
    def metric_level(self):
        return self.own.metric_level() / FACTOR
    def pure_level(self):
        return self.own.pure_level() / FACTOR
    def privacy_loss(self, distance):
        return self.own.privacy_loss(distance) / FACTOR

class SquaredMechanism(Mechanism):
    noise_type = Noise
    spaces = ("circle",)
'''


@pytest.fixture
def given(tmp_path, monkeypatch):
    """Writes a file, and names its class in the environment; returns the mechanisms, which the catalogue has."""
    monkeypatch.setattr(mechanism_checks, "DRAWS", 4000)  # what needs more says so
    monkeypatch.setattr(mechanism_checks, "SINGLE", 250)
    for name in [*CATALOGUE]:  # to be restored
        monkeypatch.setitem(CATALOGUE, name, CATALOGUE[name])

    def write(text, class_name="SquaredMechanism", name="my_mechanism.py"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        monkeypatch.setenv("MECHANISM", f"{tmp_path / name}:{class_name}")
        CATALOGUE.pop("squared", None)
        entered = own_mechanisms.environment_mechanisms()
        enter(entered)
        return entered

    yield write
    CATALOGUE.pop("squared", None)


def test_several_are_named_with_spaces_or_commas(tmp_path):
    folder = tmp_path / "a folder, of mine"
    folder.mkdir()
    for name in ("one.py", "other.py"):
        (folder / name).write_text(SQUARED, encoding="utf-8")
    for between in (",", " ", ", "):
        text = f"{folder}/one.py:SquaredMechanism{between}{folder}/other.py:OtherBestMechanism"
        first, second = own_mechanisms.read(text)
        assert (first.name, first.source) == ("squared", "one.py:SquaredMechanism")
        assert (second.name, second.path) == ("other_best", folder / "other.py")
        pinned = own_mechanisms.pinned([first, second])
        assert own_mechanisms.read(pinned) == [first, second]
    (folder / "one.py").write_text(SQUARED + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"one\.py was edited while the study ran"):
        own_mechanisms.read(pinned)
    assert own_mechanisms.read("") == own_mechanisms.read(" ") == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("one.py", "must name a file and a class of it, as my_mechanism.py:SquaredMechanism"),
        ("{0}/one.py:squared", "file and class need names as my_mechanism.py and SquaredMechanism"),
        ("{0}/an other.py:SquaredMechanism", "file and class need names"),
        ("{0}/missing.py:SquaredMechanism", r"missing\.py cannot be read: No such file"),
        ("{0}/one.py:SquaredMechanism,{0}/one.py:SquaredMechanism", "have one name"),
        ("{0}/one.py:SquaredMechanism {0}/again/one.py:OtherMechanism", "have one name"),
        ("results/one.py:SquaredMechanism", "lies where the workflow writes"),
    ],
)
def test_a_text_that_names_none_is_refused(text, says, tmp_path):
    for path in (tmp_path / "one.py", tmp_path / "an other.py", tmp_path / "again/one.py"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(SQUARED, encoding="utf-8")
    with pytest.raises(InputError, match=says):
        own_mechanisms.read(text.format(tmp_path))


def test_its_look_is_read_without_running_it(given, tmp_path):
    given(f"open({str(tmp_path / 'ran')!r}, 'w')\n" + SQUARED)
    row = CATALOGUE["squared"]
    assert (row.label, row.spaces, row.calibrations) == ("squared", ("circle", "sphere"), ("tight",))
    assert row.colour not in {CATALOGUE[name].colour for name in names("circle", "sphere") if name != "squared"}
    assert names("circle")[-1] == names("sphere")[-1] == "squared" and not (tmp_path / "ran").exists()
    assert mechanisms.class_of("squared").__name__ == "SquaredMechanism" and (tmp_path / "ran").exists()
    config = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
    compare_chosen(config)
    assert config["mechanisms"][-1] == config["place_histogram"]["mechanisms"][-1] == "squared"
    again = json.loads(json.dumps(config))
    compare_chosen(again)
    assert again == config


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('label = "squared"', 'label = "$x$"', r"SquaredMechanism\.label must be a text of at most 24 letters"),
        ('label = "squared"', 'label = "Purkayastha"', "SquaredMechanism.label 'Purkayastha' is that of purkayastha"),
        ('label = "squared"', 'colour = "#003f73"', "SquaredMechanism.colour '#003f73' is that of purkayastha"),
        ('("circle", "sphere")', '("plane",)', r"spaces must be a tuple of some of 'circle', 'sphere'"),
        ('("circle", "sphere")', 'tuple(["circle"])', r"spaces must be .*, written out"),
        ("class SquaredMechanism", "class Other", "has no class SquaredMechanism, but Other"),
        ("class SquaredMechanism", "class SquaredMechanism:", r"my_mechanism\.py: Python cannot read it"),
    ],
)
def test_a_wrong_look_is_refused(old, new, says, given):
    assert SQUARED.count(old) == 1
    with pytest.raises(InputError, match=says):
        given(SQUARED.replace(old, new))


def test_a_name_of_the_study_is_refused(given):
    with pytest.raises(InputError, match="the study has a mechanism 'cap'; give CapMechanism another name"):
        given(SQUARED.replace("SquaredMechanism", "CapMechanism"), "CapMechanism")


def test_a_path_in_the_configuration_is_refused_with_the_command():
    config = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
    config["mechanisms"].append("my_mechanism.py:SquaredMechanism")
    with pytest.raises(InputError, match=r"(?s)mechanisms\[4\].*make results MECHANISM=my_mechanism.py:Squared"):
        check_configuration(config)


def test_an_edit_changes_the_digests_of_what_uses_it_alone(given):
    script = SOURCE / "study/experiments/circular_mean/simulate.py"

    def digests():
        rows = class_rows("squared"), class_rows("purkayastha")
        return [digest_of(script, tuple(row.mechanism for row in table.values())) for table in rows]

    given(SQUARED)
    first = digests()
    assert first == digests()
    given(SQUARED + "# more\n")
    assert digests()[0] != first[0] and digests()[1] == first[1]
    given(SQUARED.replace("study.simulation.kernel_mechanisms", "dirpriv.mechanisms"))
    assert digests()[0] != first[0]


def test_a_right_one_is_accepted_and_says_what_its_levels_rest_on(given):
    given(SQUARED)
    mechanism_checks.check("squared", 1)
    levels = pd.DataFrame(compute.levels([1.0], [1.0]))
    own = levels[levels["mechanism"] == "squared"]
    assert set(own["assumes"]) == {"declared, not proved"} and set(own["space"]) == {"circle", "sphere"}
    assert own["exact"].to_numpy() == pytest.approx(own["brute_force"].to_numpy(), rel=1e-3)
    assert set(levels.loc[levels["mechanism"] != "squared", "assumes"]) == {""}
    given(STATED.replace("FACTOR", "1.0"))
    mechanism_checks.check("squared", 1)
    cases = [case for case in circle_cases(yaml.safe_load(CONFIG.read_text())["audit"]) if case.mechanism == "squared"]
    assert [case.assumes for case in cases] == ["stated, not proved"] * 2


OVERRIDDEN = """
import numpy as np
from dirpriv.distributions import Purkayastha
from dirpriv.mechanisms import Mechanism

class Noise(Purkayastha):
    def METHOD: return VALUE

class SquaredMechanism(Mechanism):
    noise_type = Noise
"""


def overridden(method, value):
    """A file whose distribution is the library's but for one method."""
    return OVERRIDDEN.replace("METHOD", method).replace("VALUE", value)


def without(method):
    """A file whose distribution lacks a method."""
    refusal = f"getattr__(self, name):\n        if name == {method!r}: raise AttributeError"
    return STATED.replace("FACTOR", "1.0").replace("getattr__(self, name):", refusal)


WRONG = {
    "NaN": (overridden("rvs(self, x, rng)", "np.nan * super().rvs(x, rng=rng)"), "gives NaN"),
    "length": (overridden("rvs(self, x, rng)", "2.0 * super().rvs(x, rng=rng)"), "length is not 1"),
    "rows": (overridden("rvs(self, x, rng)", "super().rvs(x, rng=rng) if len(x) > 1 else x"), "a call of its own"),
    "seed": (overridden("rvs(self, x, rng)", "super().rvs(x)"), "other draws for the same rng"),
    "cdf": (overridden("angle_cdf(self, t)", "super().angle_cdf(t) ** 2"), r"angle_cdf\(1.0\) is .*draws"),
    "shape": (overridden("logpdf(self, x, mu)", "0.0"), r"logpdf.* the shape \(\), and not \(721,\)"),
    "density": (overridden("logpdf(self, x, mu)", "super().logpdf(x, mu) / 1.5"), "integrates to other probabilities"),
    "method": (without("mean_cosine"), r"noise is a Noise and lacks the method mean_cosine"),
    "no noise": (STATED.replace("noise_type = Noise", "pass"), "must be a class derived .* with a noise_type"),
    "level": (STATED.replace("FACTOR", "1.5"), r"noise\.\w+_level\(\) states .*, and its own logpdf has"),
    "declared": (SQUARED.replace("finest", "steepest"), r"noise_type.* fails: InvalidArgument: .*changes by"),
    "error": ("1 / 0\n" + SQUARED, "when its file is run, fails: ZeroDivisionError"),
}


@pytest.mark.parametrize(("text", "says"), WRONG.values(), ids=WRONG)
def test_a_wrong_one_is_refused(text, says, given):
    """The error names file, class and method, and where an example is."""
    given(text)
    with pytest.raises(InputError, match=rf"my_mechanism\.py:SquaredMechanism.*{says}.*docs/add_a_mechanism\.md"):
        mechanism_checks.check("squared", 1)


@pytest.mark.parametrize("dim", [2, 3])
def test_the_outputs_show_a_level_that_is_stated_too_small(dim, monkeypatch):
    """100 of 100 runs at 1.5 times, of von Mises-Fisher and of Purkayastha; at the right level one in a thousand."""
    cls = mechanisms.class_of("von_mises_fisher")
    for factor in (1.0, 1.5):
        mechanism = mechanism_checks.made(cls, "metric", factor, dim)
        rngs = [seeding.generator(1, "audit", i) for i in range(2)]
        bound = mechanism_checks.audited_bound(mechanism, "metric", 0, rngs, mechanism_checks.RISK / 8)
        assert (bound > mechanism_checks.level_of(mechanism, "metric") / factor) == (factor > 1.0)


@pytest.mark.parametrize("promise", ["metric", "pure", "within"])
def test_uniform_inputs_show_it_too(promise, monkeypatch):
    """Of Purkayastha, or a staircase, with 20 000 outputs: a level 1.5 times too small, and no right one."""
    monkeypatch.setattr(mechanism_checks, "DRAWS", 20_000)
    cls = mechanisms.class_of({"metric": "purkayastha", "pure": "cap", "within": "staircase"}[promise])
    for factor in (1.0, 1.5):
        mechanism = mechanism_checks.made(cls, promise, factor, 3)
        rngs = [seeding.generator(2, "audit", i) for i in range(5)]
        *_, (bound, outputs) = mechanism_checks.audited_bounds(mechanism, promise, rngs, mechanism_checks.RISK)
        assert outputs == "uniformly random inputs" and (bound > 1.0) == (factor > 1.0)


@pytest.mark.parametrize(
    ("kernel", "other", "dim"),
    [
        (lambda theta: -theta, distributions.Purkayastha, 2),
        (lambda theta: -theta, distributions.Purkayastha, 3),
        (np.cos, distributions.VonMisesFisher, 3),
        (np.cos, distributions.VonMisesFisher, 5),
    ],
)
def test_noise_of_a_log_kernel_is_that_of_the_library(kernel, other, dim):
    """A thousand millionth of right draws differ as much; draws at another concentration do."""
    kappa, axis = 3.0, np.eye(dim)[0]
    noise = distributions.from_log_density(kernel, finest=1.0).noise(dim, kappa)
    exact, angles = other(dim, kappa), np.linspace(0.0, np.pi, 50)
    assert exact.metric_level() * (1.0 - 1e-12) <= noise.metric_level() < 1.003 * exact.metric_level()
    assert noise.pure_level() == pytest.approx(exact.pure_level(), rel=1e-5)
    assert noise.privacy_loss([0.5, 2.0]) == pytest.approx(exact.privacy_loss(np.array([0.5, 2.0])), rel=1e-3)
    assert guarantees.privacy_loss_within(noise, 1.0) == pytest.approx(exact.privacy_loss_within(1.0), rel=1e-3)
    for name in ("mean_angle", "mean_cosine", "mean_squared_sine"):
        assert getattr(noise, name)() == pytest.approx(getattr(exact, name)(), rel=1e-11)
    assert noise.angle_cdf(angles) == pytest.approx(exact.angle_cdf(angles), abs=1e-12)
    assert noise.angle_sf(angles) == pytest.approx(exact.angle_sf(angles), abs=1e-12)
    x = exact.rvs(axis, 20, rng=1)
    assert noise.logpdf(x, axis) == pytest.approx(exact.logpdf(x, axis), abs=1e-11)
    drawn = np.arccos(np.clip(noise.rvs(axis, 20_000, rng=1) @ axis, -1.0, 1.0))
    assert kstest(drawn, exact.angle_cdf).pvalue > 1e-9 > kstest(drawn, other(dim, 1.3 * kappa).angle_cdf).pvalue
    assert noise.rvs([axis, -axis], rng=1).shape == (2, dim)


def test_draws_show_a_kernel_that_is_steeper_than_declared():
    """As where values at many angles do not."""
    slopes = [1.0]
    noise = distributions.from_log_density(lambda theta: -slopes[-1] * theta, steepest=1.0).noise(2, 100.0)
    slopes.append(40.0)
    with pytest.raises(ValueError, match="steeper than"):
        noise.angle_rvs(1000, rng=np.random.default_rng(1))


def test_caps_and_staircases_are_compared_for_what_they_promise(given):
    config = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
    config["mechanisms"] += ["cap", "staircase", "cardioid"]
    check_configuration(config)
    compare_chosen(config)
    assert promising("pure", ["cap", "staircase", "cardioid"]) == ["cap", "cardioid"]
    for name in ("cap", "staircase", "cardioid"):
        mechanisms.check(name, ["published", "tight"])
    views = {"cap": {"pure"}, "staircase": {"within"}, "cardioid": {"within", "pure"}}
    for name, promised in views.items():
        points = times.points_of(name, ["published", "tight"], {"radius_hours": 3.0, "levels": [1.0]})
        assert {point.view for point in points} == promised
    audited = {(case.mechanism, case.promise) for case in circle_cases(config["audit"])}
    assert ("cap", "pure") in audited and not {("cap", "per_unit"), ("staircase", "pure")} & audited
    assert "cap" in {row["mechanism"] for row in compute.costs([1.0], 0.1, 8.0)}
    assert "staircase" not in set(compute.losses(1.0, 2.0, 3)["mechanism"])
