from study.workflow import settings as s

EPSILON = s.value(float, "a privacy level ε, above 0 and at most 12", gt=0, le=12)


class Settings(s.Section):
    """samplers of rotation Laplace as printed and exact"""

    epsilons: s.listed(EPSILON, "privacy levels ε per radian, above 0 and at most 12")
    draws: s.draws("draws of each sampler")
    cap: s.count("iterations after which a capped sampler returns its last proposal")
    other_caps: s.listed(s.count("a cap"), "other such caps, for which the mean angle is computed")
    bins: s.points("bins of the histograms")
