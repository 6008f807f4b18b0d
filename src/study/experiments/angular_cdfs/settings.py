from study.core import settings as core


class Settings(core.Section):
    """angular CDFs by the law, by the paper's closed form and by numerical integration"""

    laws: core.Laws
    dimensions: core.Dimensions
    kappas: core.Kappas = core.key("concentrations κ, positive numbers")
    points: core.Points = core.key("evenly spaced angles at which CDFs are compared, at least 3")
    probabilities: core.Probabilities = core.key(
        "probabilities of the quantiles at which CDFs are compared, besides"
    )
    tolerance: core.Share = core.key("largest absolute difference of two CDFs that agree, between 0 and 1")
