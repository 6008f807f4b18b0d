"""The configuration: all its sections, and the check before any job starts.

What a section may hold and what its keys mean is said in the ``settings.py`` beside the code that uses it.
A section of an experiment has the name of its folder.
"""

import importlib
from pathlib import Path

from pydantic import create_model

from study.checkins.settings import Datasets, Limits
from study.claims.settings import Settings as Claims
from study.core import settings

FOLDER = Path(__file__).parent / "experiments"
EXPERIMENTS = sorted(path.parent.name for path in FOLDER.glob("*/settings.py"))

SECTIONS = {**settings.SECTIONS, "limits": Limits, "datasets": Datasets, "claims": Claims}
"""Section -> its type; every section is required."""
for name in EXPERIMENTS:
    SECTIONS[name] = importlib.import_module(f"study.experiments.{name}.settings").Settings

Configuration = create_model(
    "Configuration", __base__=settings.Section, **{name: (section, ...) for name, section in SECTIONS.items()}
)


def check(config):
    """Raise one :class:`~study.core.job.InputError` that lists everything wrong with a configuration.

    Parameters
    ----------
    config : dict
        The configuration with all its overlays.
    """
    settings.check(config, Configuration)
