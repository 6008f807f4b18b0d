from study.workflow import settings as s


class Settings(s.Section):
    """mean distances from the mode, drawn, by formula, by integration and by the law"""

    laws: s.Laws
    dimensions: s.Dimensions
    kappas: s.kappas("concentrations κ")
    draws: s.draws("draws of each law")
    tolerance: s.share("largest difference of two means that agree, as a share")
