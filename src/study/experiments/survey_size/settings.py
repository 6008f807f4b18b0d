from study.core import settings as core


class Settings(core.Section):
    """responses needed for a given error"""

    epsilons: core.Epsilons = core.key("privacy levels ε, positive numbers")
    error: float = core.key(
        "the MAE to reach, in radians, above 0 and below 1.5 (uniform noise has π/2)", gt=0, lt=1.5
    )
    half_width: core.half_width("a survey size")
    most_draws: core.Draws = core.key("most draws spent on one survey size, at least 1000")
