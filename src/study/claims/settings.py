from typing import Literal

from study.core import settings as core

Choice = Literal["fail", "report"]


class Settings(core.Section):
    """how the claims of the sources are decided, and when that fails the run"""

    confidence: core.Confidence = core.key("confidence of the intervals, from 0.5 up to 1")
    certainty: core.Confidence = core.key(
        "confidence with which a statement is refuted where chance is involved, from 0.5 up to 1"
    )
    changed: Choice = core.key("fail or report: what happens when a verdict is not the expected one")
    undecided: Choice = core.key("fail or report: what happens when a claim is not decided that should be")
    timings: bool = core.key("whether claims about speed are decided")
