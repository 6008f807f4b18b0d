from study.core import settings as core


class Settings(core.Section):
    """mean distances from the mode, drawn and computed"""

    laws: core.Laws
    dimensions: core.Dimensions
    kappas: core.Kappas = core.key("concentrations κ, positive numbers")
    draws: core.Draws = core.key("draws of each law, at least 1000")
