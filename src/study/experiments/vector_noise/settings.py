from study.workflow import settings as s


class Settings(s.Section):
    """Laplace noise for vectors with the right and with the wrong radius"""

    dimensions: s.listed(s.VectorLength, "lengths d of the vectors, whole numbers of at least 2")
    epsilon: s.positive("privacy level ε that is claimed")
    draws: s.draws("noise vectors drawn for the privacy loss")
    probabilities: s.probabilities("probabilities of the quantiles of the privacy loss")
    loss_range: s.ends(
        "an end of the range", "lowest and highest privacy loss of the tail that is drawn, in units of ε"
    )
    loss_points: s.points("losses at which the tail is drawn")
    smallest_radius: s.share("lower end of the histogram of the radius, in units of 1/λ")
    bins: s.points("edges of the histogram of the radius")
    people_grid: s.listed(s.count("a number of vectors"), "numbers n of vectors whose mean is made private")
    epsilons: s.epsilons("privacy levels ε of the mean")
    repetitions: s.several("private means drawn for each point")
