from study.workflow import settings as s


class Settings(s.Section):
    """formulas of the SO(3) paper as printed, and their correct values"""

    epsilons: s.epsilons("levels ε per radian")
    points: s.points("angles from 0 to π")
    dimensions: s.Dimensions
    draws: s.several("random arguments of each identity")
