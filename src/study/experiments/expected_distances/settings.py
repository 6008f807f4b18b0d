from study.core import settings as s


class Settings(s.Section):
    """mean distances from the mode, drawn and computed"""

    laws: s.Laws
    dimensions: s.Dimensions
    kappas: s.kappas("concentrations κ")
    draws: s.draws("draws of each law")
