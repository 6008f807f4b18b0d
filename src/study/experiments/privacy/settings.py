from study.workflow import settings as s


class City(s.Section):
    """the level of geo-indistinguishability at the scale of a city"""

    level: s.positive("the level within the radius")
    radius_metres: s.positive("the radius in metres")


class Cost(s.Section):
    """privacy levels ε at which the responses needed are computed"""

    lowest: s.positive("lowest ε")
    highest: s.positive("highest ε")
    points: s.points("number of levels")

    def problems(self):
        return s.not_ascending(("highest",), self.lowest, self.highest)


class Settings(s.Section):
    """levels and losses of all mechanisms, and what the calibration costs"""

    kappas: s.kappas("concentrations κ at which levels are compared")
    distances: s.listed(s.distance("a distance"), "distances of the inputs in radians at which losses are compared")
    epsilon: s.positive("what is promised per radian in the profiles")
    pure_epsilon: s.positive("what is promised of pure privacy in the profiles")
    points: s.points("distances of each profile")
    polar_epsilons: s.epsilons("levels ε per radian of polar Laplace")
    city: City
    cost: Cost
