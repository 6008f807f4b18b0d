from study.core import settings as core


class Settings(core.Section):
    """angular densities and mean angles of Purkayastha and its Laplace baselines"""

    kappas: core.Kappas = core.key("concentrations κ of the densities, positive numbers")
    kappa_range: core.ends("a concentration κ, a positive number") = core.key(
        "lowest and highest concentration κ of the mean angles"
    )
    points: core.Points = core.key("points of each curve, at least 3")
