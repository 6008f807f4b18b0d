from study.core import settings as core


class Settings(core.Section):
    """mean angles of all mechanisms on rotations against ε"""

    epsilons: core.Epsilons = core.key("privacy levels ε per radian, positive numbers")
    draws: core.Draws = core.key("draws of each point, at least 1000")
