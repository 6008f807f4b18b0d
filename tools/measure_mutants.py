"""Mutation testing: the share of small faults in the formulas and the releases that the tests notice.

    make mutants                                                     320 mutants, drawn with seed 1
    python tools/measure_mutants.py mutants.csv --seed 2 --count 150
    python tools/measure_mutants.py mutants.csv --again              those that survived, once more

A mutant is the library with one place changed by an operator of Cosmic Ray: another arithmetic, bit or
comparison operator, a number one larger or smaller, a condition negated, a loop that does nothing, and so on.
The sample is simple and random: each place in the modules of ``mutants.yaml`` is as likely as any other, then
each of its changes. Left out is what says nothing of the tests: annotations, the words of errors (``raise``
statements), ``@overload``, and an operator of another kind (``<<`` of floats raises TypeError).

The tests of the modules are collected once, in a copy of the project. For each mutant this process forks, the
functions in the child get the changed code, and the tests of the module run until the first failure, those
that take long last. Mutants of what runs when a module is imported, such as a constant, come first, before
the library is imported. A mutant is killed by a failing test, and by a test that takes ``SECONDS`` of the
processor. The tests must pass on the unchanged code, so run them before.
"""

import argparse
import ast
import contextlib
import csv
import difflib
import functools
import gc
import importlib
import inspect
import itertools
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter, defaultdict
from pathlib import Path
from types import CodeType, FunctionType
from typing import NamedTuple

import numpy as np
import pytest
import yaml
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.provider import OperatorProvider
from scipy.stats import binomtest

ROOT = Path(__file__).resolve().parents[1]
LIBRARY = "src/dirpriv/"
SECONDS = 12  # of the processor, that a test may take; on the unchanged code none takes 6
WARM = "duckdb mpmath numba numpy pandas scipy.integrate scipy.optimize scipy.spatial scipy.stats".split()
MEMORY = 8 << 30  # bytes of addresses that the tests of a mutant may ask for

# Each of these is replaced by another of its line only.
BINARY = ["Add Sub Mul Div FloorDiv Mod Pow", "BitOr BitAnd BitXor", "LShift RShift"]
COMPARISON = ["Eq NotEq Lt LtE Gt GtE", "Is IsNot"]
OTHERS = (
    "ReplaceUnaryOperator_Delete_USub ReplaceUnaryOperator_Delete_Invert ReplaceUnaryOperator_Delete_Not "
    "AddNot ReplaceTrueWithFalse ReplaceFalseWithTrue ReplaceAndWithOr ReplaceOrWithAnd "
    "ReplaceBreakWithContinue ReplaceContinueWithBreak ExceptionReplacer NumberReplacer RemoveDecorator "
    "ZeroIterationForLoop"
).split()


class Mutant(NamedTuple):
    """A row of the table of results."""

    group: str
    module: str
    line: int
    operator: str
    occurrence: int  # of the operator in the module
    before: str
    after: str
    outcome: str = ""
    test: str = ""  # that killed it

    @property
    def survived(self):
        return self.outcome == "survived"


def plan():
    """Group, module and names of tests of each module."""
    groups = yaml.safe_load((ROOT / "tools/mutants.yaml").read_text(encoding="utf-8"))
    for group, rows in groups.items():
        for row in rows:
            yield from ((group, module, row["tests"].split()) for module in row["modules"].split())


def file_of(test):
    """The file of a name in ``mutants.yaml``: of tests of the library, or of those of another folder."""
    folder, _, name = test.rpartition("/")
    return f"tests/{folder or 'dirpriv'}/test_{name}.py"


def alternatives():
    """Lists of operators; those of a list change the same places."""
    for family, kinds in (("ReplaceBinaryOperator", BINARY), ("ReplaceComparisonOperator", COMPARISON)):
        for kind in map(str.split, kinds):
            yield from ([f"{family}_{old}_{new}" for new in kind if new != old] for old in kind)
    yield from ([name] for name in OTHERS)


def noise(source):
    """Spans of a module, (line, column) from and to, that are not mutated."""
    lines = source.splitlines()

    def character(line, byte):  # ast counts bytes, parso counts characters
        return line, len(lines[line - 1].encode()[:byte].decode())

    for node in ast.walk(ast.parse(source)):
        parts = [getattr(node, "annotation", None), getattr(node, "returns", None)]
        parts += [mark for mark in getattr(node, "decorator_list", ()) if ast.unparse(mark) == "overload"]
        for_types = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        parts += [node] if isinstance(node, ast.Raise) or for_types else []
        for part in filter(None, parts):
            start, end = (part.lineno, part.col_offset), (part.end_lineno, part.end_col_offset)
            yield character(*start), character(*end)


def places(source):
    """Places of a module that can be mutated: line, operators, and which of their occurrences it is."""
    spans = list(noise(source))
    nodes = [node for node in ast_nodes(get_ast(source)) if node.type not in ("name", "string", "newline")]
    provider = OperatorProvider()
    for names in alternatives():
        operator = provider[names[0]]()
        mutations = ((node, place) for node in nodes for place in operator.mutation_positions(node))
        for occurrence, (node, (start, _)) in enumerate(mutations):
            if node.parent and node.parent.type in ("parameters", "lambdef"):
                continue  # the mark of arguments by name
            at = start if names[0] != "RemoveDecorator" else (start[0], start[1] + 1)  # behind the @
            if not any(low <= at < high for low, high in spans):
                yield start[0], names, occurrence


def mutated(source, mutant):
    return _mutated(source, mutant.operator, mutant.occurrence)


@functools.cache  # it takes a tenth of a second
def _mutated(source, operator, occurrence):
    return mutate_code(source, OperatorProvider()[operator](), occurrence)


def drawn(seed, count):
    """A simple random sample of mutants, and the number of places it was drawn from."""
    everything = []
    for group, module, _ in plan():
        everything += [(group, module, *place) for place in places(source_of(module))]
    rng = random.Random(seed)
    sample = []
    for group, module, line, names, occurrence in rng.sample(everything, len(everything)):
        mutant = Mutant(group, module, line, rng.choice(names), occurrence, "", "")
        with contextlib.suppress(SyntaxError, AttributeError):  # `if not x := 1`, `except (ValueError, module.Error)`
            compile(mutated(source_of(module), mutant) or "", module, "exec")
            sample.append(mutant._replace(**change(mutant)))
        if len(sample) == count:
            break
    return sample, len(everything)


def source_of(module):
    return (ROOT / LIBRARY / f"{module}.py").read_text(encoding="utf-8")


def change(mutant):
    """The changed lines, before and after; nothing if the operator has fewer occurrences."""
    source = source_of(mutant.module)
    texts = source.splitlines(), (mutated(source, mutant) or source).splitlines()
    lines = list(difflib.unified_diff(*texts, n=0))[3:]
    return {
        name: " ".join(line[1:].strip() for line in lines if line[0] == sign)
        for name, sign in (("before", "-"), ("after", "+"))
    }


def found_again(mutant):
    """The mutant where its place has moved, as its module was edited since it was drawn."""
    for occurrence in sorted(range(mutant.occurrence + 100), key=lambda n: abs(n - mutant.occurrence)):
        moved = mutant._replace(occurrence=occurrence)
        if change(moved) == {"before": mutant.before, "after": mutant.after}:
            return moved
    sys.exit(f"{mutant.module}: the line has changed, draw again: {mutant.before}")


def copy_of_project(folder):
    """The files of the project that git knows or does not ignore."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in names.split("\0"):
        if name and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)


def functions_by_place():
    """Functions that are alive, by file, name and line: also those that a decorator hides."""
    functions = defaultdict(list)
    for thing in gc.get_objects():
        if isinstance(thing, FunctionType):
            functions[place_of(thing.__code__)].append(thing)
    return functions


def place_of(code):
    return code.co_filename, code.co_qualname, code.co_firstlineno


def inner(code):
    return [const for const in code.co_consts if isinstance(const, CodeType)]


def changed_functions(old, new):
    """Pairs of codes of functions that differ; None if what differs runs when the module is imported."""
    if len(inner(old)) != len(inner(new)):
        return None
    pairs = []
    for pair in zip(inner(old), inner(new), strict=True):
        below = changed_functions(*pair)
        if below is None:
            return None
        pairs += below
    if pairs or bare(old) != bare(new):
        if old.co_flags & inspect.CO_OPTIMIZED:
            pairs.append((old, new))
        elif bare(old) != bare(new):
            return None
    return pairs


def bare(code):
    """What a code does without the functions in it."""
    consts = [(type(const), const) for const in code.co_consts if not isinstance(const, CodeType)]
    return code.co_code, repr(consts), code.co_names, code.co_varnames


class Tests:
    """A plugin of pytest that hands the collected tests to ``work``, in place of running them."""

    def __init__(self, work):
        self.work = work
        self.failed = ""

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.failed = self.failed or report.nodeid

    def pytest_runtestloop(self, session):
        if session.testsfailed:
            self.failed = "the tests cannot be collected"
            return True
        self.items = defaultdict(list)
        for item in session.items:
            self.items[item.location[0]].append(item)
        self.work(self)
        return True

    def collect(self, files):
        pytest.main(["-q", "-s", "-p", "no:cacheprovider", *files], plugins=[self])

    def run(self, usual, end):
        """The test that fails first, and the processor seconds of each that was run.

        ``usual`` has the seconds that tests usually take; those that take long come last. None begins after
        ``end``.
        """
        items = sorted(usual, key=lambda item: max(usual[item], 0.1))
        used = {}
        for item, following in itertools.zip_longest(items, items[1:]):
            if time.process_time() > end:
                break
            start = time.process_time()
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
            used[item.nodeid] = time.process_time() - start
            if self.failed:
                break
        return self.failed, used


class Runner:
    """Runs the tests of mutants in a copy of the project."""

    def __init__(self, folder, mutants, outcomes, table, budget):
        self.folder, self.mutants, self.outcomes = folder, mutants, outcomes
        self.table, self.budget = table, budget
        self.usual = {}  # processor seconds of the tests, from what passed
        self.tests = {module: [f"{LIBRARY}{module}.py", *map(file_of, tests)] for _, module, tests in plan()}

    def run(self):
        """First the mutants of what runs at import, then the others, in one collection of the tests."""
        todo = [n for n, mutant in enumerate(self.mutants) if mutant.outcome in self.outcomes]
        pairs = {n: changed_functions(*self.codes(self.mutants[n])) for n in todo}
        for number in (n for n in todo if pairs[n] is None):
            self.try_out(number, functools.partial(self.separately, self.tests[self.mutants[number].module]))

        def swapped(tests):
            for module in self.tests:
                importlib.import_module(f"dirpriv.{module.replace('/', '.')}")
            gc.unfreeze()  # conftest.py freezes what is collected, and get_objects leaves that out
            functions = functions_by_place()
            kind = type(functools.cache(str))
            self.caches = [thing for thing in gc.get_objects() if isinstance(thing, kind)]
            self.caches = [cached for cached in self.caches if cached.__module__.startswith("dirpriv")]
            gc.freeze()  # so that children share the memory
            for number in (n for n in todo if pairs[n] is not None):
                self.try_out(number, functools.partial(self.swap, tests, functions, number, pairs[number]))
            self.check(tests)
            gc.unfreeze()

        modules = {self.mutants[n].module for n in todo if pairs[n] is not None}
        files = sorted({file for module in modules for file in self.tests[module]})
        if files:
            tests = Tests(swapped)
            tests.collect(files)
            if tests.failed:
                sys.exit(tests.failed)

    def check(self, tests):
        """Stop if a test that killed a mutant fails on the unchanged code, too."""
        killers = {mutant.test for mutant in self.mutants}
        usual = {item: 0.0 for items in tests.items.values() for item in items if item.nodeid in killers}
        failed, used = in_child(lambda: tests.run(usual, np.inf))
        print(f"{len(used)} tests killed mutants; of the unchanged code they find: {failed or 'nothing'}")
        if failed:
            sys.exit(1)

    def codes(self, mutant):
        """The code of a module, and as the mutant changes it."""
        target = self.folder / LIBRARY / f"{mutant.module}.py"
        source = target.read_text(encoding="utf-8")
        return (compile(text, str(target), "exec") for text in (source, mutated(source, mutant)))

    def try_out(self, number, work):
        mutant = self.mutants[number]
        target, original = self.folder / LIBRARY / f"{mutant.module}.py", self.folder / "original"
        shutil.copy2(target, original)
        changed = mutated(target.read_text(encoding="utf-8"), mutant)
        target.write_text(changed, encoding="utf-8")  # also for processes that tests start
        start = time.monotonic()
        try:
            test, used = in_child(work)
        finally:
            shutil.copy2(original, target)  # with its time, so that its bytecode is valid again
        self.usual |= {name: seconds for name, seconds in used.items() if name != test}
        self.mutants[number] = mutant._replace(outcome="killed" if test else "survived", test=test)
        write(self.table, self.mutants)
        if not test:
            print(f"\n{mutant.module}:{mutant.line} survived ({time.monotonic() - start:.0f} s)")
            print(f"  - {mutant.before}\n  + {mutant.after}", flush=True)

    def separately(self, files):
        """Run tests in a process that has not imported the library yet."""
        outcome = "", {}

        def work(tests):
            nonlocal outcome
            outcome = self.run_tests(tests, files)

        tests = Tests(work)
        tests.collect(files)
        return (tests.failed or outcome[0]) if tests.failed or outcome[1] else "no collection", outcome[1]

    def swap(self, tests, functions, number, pairs):
        """Run tests after the functions of this process got their new code, and forgot what they cached."""
        for cached in self.caches:
            cached.cache_clear()
        if not any(functions[place_of(old)] for old, _ in pairs):
            raise LookupError(f"no function has the code of mutant {number}")
        for old, new in pairs:
            for function in functions[place_of(old)]:
                function.__code__ = new
        return self.run_tests(tests, self.tests[self.mutants[number].module])

    def run_tests(self, tests, files):
        usual = {item: self.usual.get(item.nodeid, 0.0) for file in files for item in tests.items[file]}
        return tests.run(usual, time.process_time() + self.budget)


def in_child(work):
    """What ``work`` gives in a process of its own; ``("time", {})`` if it takes too long."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.setsid()
        silence = os.open(os.devnull, os.O_WRONLY)
        for stream in (1, 2):
            os.dup2(silence, stream)
        sys.dont_write_bytecode = True
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        try:
            result = work()
        except BaseException:  # of this tool: pytest catches those of tests
            result = None, traceback.format_exc()
        with open(writing, "w", encoding="utf-8") as stream:
            json.dump(result, stream)
        os._exit(0)
    os.close(writing)
    with open(reading, encoding="utf-8") as stream:
        result = stream.read()
    _, status = os.waitpid(child, 0)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # processes that a test left
    if status != 0:
        return "time" if os.WIFSIGNALED(status) else f"exit {status}", {}
    test, used = json.loads(result)
    if test is None:
        sys.exit(used)
    return test, used


def summary(mutants):
    """Rows of the score: killed, of how many, percent, and the exact 95 % interval."""
    counts = Counter(mutant.group for mutant in mutants)
    survivors = Counter(mutant.group for mutant in mutants if mutant.survived)
    rows = [(group, n - survivors[group], n) for group, n in counts.items()]
    for group, killed, n in [*rows, ("all", sum(r[1] for r in rows), sum(r[2] for r in rows))]:
        low, high = binomtest(killed, n).proportion_ci(method="exact")
        yield f"{group:12s} {killed:4d} of {n:4d}  {killed / n:6.1%}  [{low:.1%}, {high:.1%}]"


def write(path, mutants):
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(Mutant._fields)
        table.writerows(mutants)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", type=Path, help="CSV file of the mutants and what became of them")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=320)
    parser.add_argument("--seconds", type=float, default=60.0, help="of the processor for a mutant; 60 by default")
    parser.add_argument("--resume", action="store_true", help="go on with a table that was interrupted")
    parser.add_argument("--again", action="store_true", help="run the survivors of a table again")
    arguments = parser.parse_args()
    outcomes = ("survived",) if arguments.again else ("",)
    if arguments.again or arguments.resume:
        with arguments.table.open(newline="", encoding="utf-8") as file:
            mutants = [Mutant(**row | {"occurrence": int(row["occurrence"])}) for row in csv.DictReader(file)]
        mutants = [found_again(mutant) if mutant.outcome in outcomes else mutant for mutant in mutants]
    else:
        mutants, total = drawn(arguments.seed, arguments.count)
        print(f"{len(mutants)} of {total} places, seed {arguments.seed}", flush=True)
    table = arguments.table.resolve()
    for name in WARM:
        importlib.import_module(name)
    with tempfile.TemporaryDirectory() as folder:
        copy_of_project(Path(folder))
        os.environ["PYTHONPATH"] = os.path.join(folder, "src")  # of the processes that tests start
        os.chdir(folder)
        Runner(Path(folder), mutants, outcomes, table, arguments.seconds).run()
        os.chdir(ROOT)
    print("\n".join(summary(mutants)))


if __name__ == "__main__":
    main()
