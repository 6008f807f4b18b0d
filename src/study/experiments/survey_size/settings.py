from study.core import settings as s


class Settings(s.Section):
    """responses needed for a given error"""

    epsilons: s.epsilons("privacy levels ε")
    error: float = s.key(
        "the MAE to reach, in radians, above 0 and below 1.5 (uniform noise has π/2)", gt=0, lt=1.5
    )
    half_width: s.half_width("a survey size")
    most_draws: s.draws("most draws spent on one survey size")
