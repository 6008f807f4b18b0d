from study.core import settings as core


class Settings(core.Section):
    """error of the private circular mean"""

    epsilons: core.Epsilons = core.key("privacy levels ε of the curves, positive numbers")
    responses: core.Count = core.key("number of responses of the curves against ε")
    epsilon: core.Epsilon = core.key(
        "privacy level ε of the curves against the number of responses, a positive number"
    )
    responses_grid: core.listed(int, "a number of responses, at least 1", ge=1) = core.key(
        "numbers of responses of the curves at fixed ε"
    )
    central_half_width: core.half_width("a central MAE")
    local_half_width: core.half_width("a local MAE")
    most_draws: core.Draws = core.key("most draws spent on one point, at least 1000")
