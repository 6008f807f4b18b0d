from study.workflow import settings as s


class Settings(s.Section):
    """mechanisms of directions where they are used most: unit vectors of many coordinates"""

    dimensions: s.Dimensions
    epsilons: s.epsilons("privacy levels ε per radian of Algorithm 1 with quadrature")
    most_integrals: s.count("values of the CDF for one tree, at most")
    pure: s.epsilons("pure levels ε")
    per_radian: s.epsilons("levels ε per radian")
    within: s.levels("levels ℓ within the radius")
    radius: s.distance("the radius")
    approximate: s.epsilons("levels ε of (ε, δ)")
    delta: s.share("δ of (ε, δ)")
    words: s.several("words of the list, the most frequent ones")
    coordinates: s.VectorLength
    words_per_radian: s.epsilons("levels ε per radian of the release of a word")
    draws: s.draws("noisy vectors at a level")
