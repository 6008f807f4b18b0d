from study.workflow import settings as s


class Settings(s.Section):
    """angular densities and mean angles of Purkayastha and its Laplace baselines"""

    kappas: s.kappas("concentrations κ of the densities")
    kappa_range: s.ends("a concentration κ", "lowest and highest concentration κ of the mean angles")
    points: s.points("points of each curve")
    dimensions: s.Dimensions
