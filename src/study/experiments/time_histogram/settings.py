from pydantic import model_validator

from study.core import settings as core


class Settings(core.Section):
    """error of the hour-of-day histogram of randomised check-ins"""

    bins: int = core.key("bins of the day, from 2 to 96", ge=2, le=96)
    radius_hours: core.Hours = core.key(
        "radius r in hours within which level ℓ holds, above 0 and at most 12"
    )
    levels: core.Epsilons = core.key("levels ℓ, and pure ε, of the curves, positive numbers")
    responses: core.Count = core.key("number of check-ins in the sample")
    half_width: core.half_width("an earth mover's distance")
    most_draws: core.Draws = core.key("most draws spent on one point, at least 1000")
    deconvolved: core.Several = core.key("repetitions that are deconvolved, at least 2")
    example_levels: core.Epsilons = core.key("those of the levels whose histograms are shown")

    @model_validator(mode="after")
    def shows_what_is_computed(self):
        core.refuse(
            core.not_among("example_levels", self.example_levels, "time_histogram.levels", self.levels)
        )
        return self
