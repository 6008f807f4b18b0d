from study.core import settings as core


class Settings(core.Section):
    """samplers of rotation Laplace as printed and exact"""

    epsilons: core.listed(float, "a privacy level ε, above 0 and at most 12", gt=0, le=12) = core.key(
        "privacy levels ε per radian, above 0 and at most 12"
    )
    draws: core.Draws = core.key("draws of each sampler, at least 1000")
    cap: core.Count = core.key(
        "iterations after which a capped sampler returns its last proposal, at least 1"
    )
    bins: core.Points = core.key("bins of the histograms, at least 3")
