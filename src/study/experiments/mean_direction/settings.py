from study.core import settings as s
from study.core.catalogue import names

ANY = "name of a mechanism on spheres of any dimension"


class Settings(s.Section):
    """error of the private mean direction of unit vectors"""

    mechanisms: s.named(names("spheres"), ANY, "mechanisms to compare in any dimension")
    dimensions: s.Dimensions
    epsilons: s.epsilons("privacy levels ε of the curves")
    responses: int = s.key("number of responses", ge=1)
    resultant: s.share("length of the mean vector of the spread population")
    people: int = s.key("number of directions in the spread population", ge=1)
    panel_dimensions: s.listed(s.Length, "those of the dimensions that get a panel")
    epsilon: float = s.key("privacy level ε of the curves against dimension, one of epsilons", gt=0)
    central_half_width: s.half_width("a central MAE")
    local_half_width: s.half_width("a local MAE")
    most_numbers: s.draws("most coordinates drawn for one point")

    def problems(self):
        panels = self.not_among("panel_dimensions", "mean_direction.dimensions")
        return panels + self.not_among("epsilon", "mean_direction.epsilons", [self.epsilon])
