from study.core import settings as core
from study.core.catalogue import names


class Settings(core.Section):
    """error of the histogram of randomised places on the globe"""

    mechanisms: core.mechanisms(names("sphere"), "name of a mechanism on the sphere") = core.key(
        "mechanisms to compare"
    )
    epsilons: core.Epsilons = core.key("privacy levels ε per radian, positive numbers")
    cells: int = core.key("number of cells of equal area, from 2 to 4000", ge=2, le=4000)
    responses: core.Count = core.key("number of check-ins in the sample")
    half_width: core.half_width("an earth mover's distance")
    most_draws: core.Draws = core.key("most draws spent on one point, at least 1000")
    claimed_band: core.ends("an end of the band, a positive number") = core.key(
        "ends of the band of ε in which the paper has polar Laplace worse"
    )
