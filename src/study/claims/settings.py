from typing import Literal

from study.workflow import settings as s

Choice = Literal["fail", "report"]


class ClaimsSettings(s.Section):
    """how the claims of the sources are decided, and when that fails the run"""

    confidence: s.confidence("confidence of the intervals")
    certainty: s.confidence("confidence with which a statement is refuted where chance is involved")
    changed: Choice = s.key("fail or report: what happens when a verdict is not the expected one")
    undecided: Choice = s.key("fail or report: what happens when a claim is not decided that should be")
    timings: bool = s.key("whether claims about speed are decided")
