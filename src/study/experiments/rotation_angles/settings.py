from study.core import settings as core


class Settings(core.Section):
    """angles of rotation Laplace and Bingham noise at given radii of indistinguishability"""

    level: float = core.key(
        "probability p with which rotation Laplace stays within the radius, above 0 and at most 0.95",
        gt=0,
        le=0.95,
    )
    radii_degrees: core.listed(float, "a radius in degrees, from 0.001 to 180", ge=0.001, le=180) = core.key(
        "radii ρ of indistinguishability in degrees"
    )
    draws: core.Draws = core.key("draws of each mechanism, at least 1000")
    probabilities: core.Probabilities = core.key(
        "probabilities of the quantiles of the angle, between 0 and 1"
    )
    bins: core.Points = core.key("bins of the histograms, at least 3")
