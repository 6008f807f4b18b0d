from pydantic import model_validator

from study.core import settings as core
from study.core.catalogue import names

ANY = "name of a mechanism on spheres of any dimension"


class Settings(core.Section):
    """error of the private mean direction of unit vectors"""

    mechanisms: core.mechanisms(names("spheres"), ANY) = core.key("mechanisms to compare in any dimension")
    dimensions: core.Dimensions
    epsilons: core.Epsilons = core.key("privacy levels ε of the curves, positive numbers")
    responses: core.Count = core.key("number of responses")
    resultant: core.Share = core.key("length of the mean vector of the spread population, between 0 and 1")
    people: core.Count = core.key("number of directions in the spread population")
    panel_dimensions: core.Dimensions = core.key("those of the dimensions that get a panel")
    epsilon: core.Epsilon = core.key("privacy level ε of the curves against dimension, one of epsilons")
    central_half_width: core.half_width("a central MAE")
    local_half_width: core.half_width("a local MAE")
    most_numbers: core.Draws = core.key("most coordinates drawn for one point, at least 1000")

    @model_validator(mode="after")
    def is_drawn_where_it_is_computed(self):
        core.refuse(
            core.not_among(
                "panel_dimensions", self.panel_dimensions, "mean_direction.dimensions", self.dimensions
            )
            + core.not_among("epsilon", [self.epsilon], "mean_direction.epsilons", self.epsilons)
        )
        return self
