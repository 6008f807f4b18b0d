from study.workflow import settings as s


class Settings(s.Section):
    """mean distances from the mode, drawn, by formula, by integration and by the distribution"""

    distributions: s.Distributions
    dimensions: s.Dimensions
    kappas: s.kappas("concentrations κ")
    draws: s.draws("draws of each distribution")
    points: s.points("concentrations κ of each line of the figure")
    tolerance: s.share("largest difference of two means that agree, as a share")
