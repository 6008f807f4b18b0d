from study.workflow import settings as s


class Settings(s.Section):
    """error of the private circular mean"""

    epsilons: s.epsilons("privacy levels ε of the curves")
    responses: s.count("number of responses of the curves against ε")
    epsilon: s.positive("privacy level ε of the curves against the number of responses")
    responses_grid: s.listed(s.count("a number of responses"), "numbers of responses of the curves at fixed ε")
    half_width: s.half_width("a local MAE")
    most_draws: s.draws("most draws spent on one point")
