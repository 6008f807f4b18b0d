from study.workflow import settings as s

LEVEL = "probability p with which rotation Laplace stays within the radius, above 0 and at most 0.95"
RADIUS = s.value(float, "a radius in degrees, from 0.001 to 180", ge=0.001, le=180)


class Settings(s.Section):
    """angles of rotation Laplace and Bingham noise at given radii of indistinguishability"""

    level: float = s.key(LEVEL, gt=0, le=0.95)
    radii_degrees: s.listed(RADIUS, "radii ρ of indistinguishability in degrees")
    draws: s.draws("draws of each mechanism")
    probabilities: s.probabilities("probabilities of the quantiles of the angle")
    bins: s.points("bins of the histograms")
