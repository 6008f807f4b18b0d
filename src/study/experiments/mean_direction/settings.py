from study.workflow import settings as s
from study.workflow.mechanism_catalogue import names

ANY = "name of a mechanism on spheres of any dimension"


class Settings(s.Section):
    """error of the private mean direction of unit vectors"""

    mechanisms: s.named(names("spheres"), ANY, "mechanisms to compare in any dimension")
    dimensions: s.Dimensions
    epsilons: s.epsilons("privacy levels ε of the curves")
    responses: s.count("number of responses")
    resultant: s.share("mean resultant length of the spread population")
    people: s.count("number of directions in the spread population")
    panel_dimensions: s.listed(s.VectorLength, "those of the dimensions that get a panel")
    epsilon: s.positive("privacy level ε of which the title of the figure speaks, one of epsilons")
    central_half_width: s.half_width("a central MAE")
    local_half_width: s.half_width("a local MAE")
    least_repetitions: s.several("repetitions of a local point on spheres, at least")
    most_numbers: s.draws("most coordinates drawn for one point, and for all local ones of a mechanism and n")

    def problems(self):
        panels = self.not_among("panel_dimensions", "mean_direction.dimensions")
        size = self.people * max(self.dimensions)
        text = f"people times the largest dimension must be at most 1e9 coordinates; they are {size}"
        panels += [(("people",), text)] if size > 10**9 else []
        return panels + self.not_among("epsilon", "mean_direction.epsilons", [self.epsilon])
