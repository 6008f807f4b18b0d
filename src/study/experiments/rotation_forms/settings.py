from study.core import settings as core


class Settings(core.Section):
    """formulas of the SO(3) paper beside what they stand for"""

    epsilons: core.Epsilons = core.key("levels ε per radian, positive numbers")
    points: core.Points = core.key("angles from 0 to π, at least 3")
