from pydantic import model_validator

from study.core import settings as core


class Settings(core.Section):
    """the inequalities of Theorem 24 over a range of concentrations"""

    lowest: core.Positive = core.key("lowest concentration κ, a positive number")
    highest: float = core.key("highest concentration κ, above 0 and at most 100", gt=0, le=100)
    points: core.Points = core.key("number of concentrations, at least 3")

    @model_validator(mode="after")
    def ascends(self):
        core.refuse(core.not_ascending(("highest",), self.lowest, self.highest))
        return self
