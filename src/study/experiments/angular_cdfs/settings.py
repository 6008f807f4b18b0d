from study.workflow import settings as s


class Settings(s.Section):
    """angular CDFs by the distribution, by the paper's formulas, by numerical integration and by draws"""

    distributions: s.Distributions
    dimensions: s.Dimensions
    kappas: s.kappas("concentrations κ")
    points: s.points("evenly spaced angles at which CDFs are compared")
    probabilities: s.listed(s.Probability, "probabilities of the quantiles at which CDFs are compared, besides")
    draws: s.draws("draws of each distribution")
    tolerance: s.share("largest absolute difference of two CDFs that agree")
