from study.workflow import settings as s
from study.workflow.mechanism_catalogue import names


class Settings(s.Section):
    """error of the histogram of randomised places on the globe"""

    mechanisms: s.named(names("sphere"), f"name of a mechanism on the sphere; {s.OWN}", "mechanisms to compare")
    epsilons: s.epsilons("privacy levels ε per radian")
    cells: int = s.key("number of cells of equal area, from 2 to 4000", ge=2, le=4000)
    responses: s.count("number of check-ins in the sample")
    half_width: s.half_width("an earth mover's distance")
    most_draws: s.draws("most draws spent on one point")
    claimed_band: s.ends("an end of the band", "ends of the band of ε in which the paper has polar Laplace worse")
