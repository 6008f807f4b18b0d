from pydantic import model_validator

from study.core import settings as core


class City(core.Section):
    """the level of geo-indistinguishability at the scale of a city"""

    level: core.Positive = core.key("the level within the radius, a positive number")
    radius_metres: core.Positive = core.key("the radius in metres, a positive number")


class Cost(core.Section):
    """privacy levels ε at which the responses needed are computed"""

    lowest: core.Positive = core.key("lowest ε, a positive number")
    highest: core.Positive = core.key("highest ε, a positive number")
    points: core.Points = core.key("number of levels, at least 3")

    @model_validator(mode="after")
    def ascends(self):
        core.refuse(core.not_ascending(("highest",), self.lowest, self.highest))
        return self


class Settings(core.Section):
    """levels and losses of all mechanisms, and what the calibration costs"""

    kappas: core.Kappas = core.key("concentrations κ at which levels are compared, positive numbers")
    distances: core.listed(core.Distance, "a distance in radians, above 0 and below π") = core.key(
        "distances of the inputs in radians at which losses are compared"
    )
    epsilon: core.Epsilon = core.key("what is promised per radian in the profiles, a positive number")
    pure_epsilon: core.Epsilon = core.key(
        "what is promised of pure privacy in the profiles, a positive number"
    )
    points: core.Points = core.key("distances of each profile, at least 3")
    polar_epsilons: core.Epsilons = core.key("levels ε per radian of polar Laplace, positive numbers")
    city: City
    cost: Cost
