"""Writes down the seeds of a process and the faults of its figures, where RECORDED names a folder.

``texts/`` has what generators are seeded with, ``faults/`` what cannot be read in print: :mod:`legibility`. Python
imports this when it starts with this folder in PYTHONPATH; ``forking.py`` does in a forked process.
"""

import importlib.abc
import importlib.machinery
import os
import sys
from pathlib import Path
from unittest import mock


class Recording(importlib.abc.MetaPathFinder):
    """Finds modules as Python does, and has those of ``RECORDERS`` write lines."""

    def find_spec(self, name, path, target=None):
        if name not in RECORDERS:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            RECORDERS[name](module)

        spec.loader.exec_module = exec_module
        return spec


def write(kind, line):
    folder = Path(os.environ["RECORDED"], kind)
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / str(os.getpid()), "a", encoding="utf-8") as file:
        file.write(f"{line}\n")


def record_texts(seeding):
    generator, written = seeding.generator, set()

    def recorded(seed, *names):
        text = repr([getattr(name, "item", lambda name=name: name)() for name in names])
        if text not in written:
            written.add(text)
            write("texts", text)
        return generator(seed, *names)

    seeding.generator = recorded


def record_faults(figures):
    class Canvas(figures.FigureCanvasAgg):
        def print_png(self, path, **options):
            from legibility import faults

            super().print_png(path, **options)
            with mock.patch.object(self.figure, "draw_without_rendering"):  # the file has just been drawn
                problems = "; ".join(faults(self.figure)) or "no faults"
            width = round(self.figure.get_figwidth() / figures.MILLIMETRE)
            name = Path(path).name.partition(".png-")[0].removeprefix(".")  # of a temporary file
            write("faults", f"{name}, printed {width} mm wide: {problems}")

    figures.FigureCanvasAgg = Canvas


RECORDERS = {"study.simulation.seeding": record_texts, "study.figures": record_faults}

if "RECORDED" in os.environ:
    sys.meta_path.insert(0, Recording())
