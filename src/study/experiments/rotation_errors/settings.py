from study.workflow import settings as s


class Settings(s.Section):
    """mean angles of all mechanisms on rotations against ε"""

    epsilons: s.epsilons("privacy levels ε per radian")
    draws: s.draws("draws of each point")
