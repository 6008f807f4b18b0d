"""Writes down what texts a process seeds its random generators with, where RECORDED_TEXTS names a folder.

Python imports this when it starts with this folder in PYTHONPATH; ``forking.py`` does in a forked process.
"""

import importlib.abc
import importlib.machinery
import os
import sys

MODULE = "study.simulation.seeding"


class Recording(importlib.abc.MetaPathFinder):
    """Finds the module of seeds as Python does, and has its generator write a line for each new text."""

    def find_spec(self, name, path, target=None):
        if name != MODULE:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            record(module)

        spec.loader.exec_module = exec_module
        return spec


def record(module):
    generator, written = module.generator, set()

    def recorded(seed, *names):
        text = repr([getattr(name, "item", lambda name=name: name)() for name in names])
        if text not in written:
            written.add(text)
            with open(os.path.join(os.environ["RECORDED_TEXTS"], str(os.getpid())), "a", encoding="utf-8") as file:
                file.write(f"{text}\n")
        return generator(seed, *names)

    module.generator = recorded


if "RECORDED_TEXTS" in os.environ:
    sys.meta_path.insert(0, Recording())
