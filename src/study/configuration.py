"""The configuration: all its sections, and the check before any job starts.

The ``settings.py`` beside the code that uses a section defines the keys of the section and their meaning.
The section of an experiment has the name of its folder.
"""

import functools
import importlib
from pathlib import Path

from pydantic import create_model

from study.checkins.settings import Datasets, Limits
from study.claims.settings import ClaimsSettings
from study.workflow import settings
from study.workflow.job import InputError

FOLDER = Path(__file__).parent / "experiments"
PARTS = ("rules.smk", "settings.py", "caption.rst")
"""Files that every experiment has, besides its scripts."""


def experiments(folder=FOLDER):
    """Names of the experiments; an incomplete folder raises an error, instead of being skipped silently."""
    folders = [path for path in sorted(folder.iterdir()) if path.is_dir() and path.name[0] not in "._"]
    for path in folders:
        for part in PARTS:
            if not (path / part).is_file():
                raise InputError(f"experiments/{path.name} has no {part}; CONTRIBUTING.md says what is in it")
    return [path.name for path in folders]


@functools.cache
def model():
    """The model of the whole configuration; every section is required."""
    sections = {**settings.SECTIONS, "limits": Limits, "datasets": Datasets, "claims": ClaimsSettings}
    for name in experiments():
        sections[name] = importlib.import_module(f"study.experiments.{name}.settings").Settings
    fields = {name: (section, ...) for name, section in sections.items()}
    return create_model("Configuration", __base__=settings.Section, **fields)


def check(config):
    """Raise one :class:`~study.workflow.job.InputError` that lists everything wrong with a configuration."""
    settings.check(config, model())
