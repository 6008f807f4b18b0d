from study.core import settings as core


class Settings(core.Section):
    """Laplace noise for vectors with the right and with the wrong radius"""

    dimensions: core.Dimensions = core.key("lengths d of the vectors, whole numbers of at least 2")
    epsilon: core.Epsilon = core.key("privacy level ε that is claimed, a positive number")
    draws: core.Draws = core.key("noise vectors drawn for the privacy loss, at least 1000")
    probabilities: core.Probabilities = core.key(
        "probabilities of the quantiles of the privacy loss, between 0 and 1"
    )
    loss_range: core.ends("an end of the range, a positive number") = core.key(
        "lowest and highest privacy loss of the tail that is drawn, in units of ε"
    )
    loss_points: core.Points = core.key("losses at which the tail is drawn, at least 3")
    smallest_radius: core.Share = core.key(
        "lower end of the histogram of the radius, in units of 1/λ, between 0 and 1"
    )
    bins: core.Points = core.key("edges of the histogram of the radius, at least 3")
    people_grid: core.listed(int, "a number of vectors, at least 1", ge=1) = core.key(
        "numbers n of vectors whose mean is made private"
    )
    epsilons: core.Epsilons = core.key("privacy levels ε of the mean, positive numbers")
    repetitions: core.Several = core.key("private means drawn for each point, at least 2")
