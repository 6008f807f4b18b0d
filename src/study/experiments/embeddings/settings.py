from study.workflow import settings as s


class Settings(s.Section):
    """mechanisms of directions where they are used most: unit vectors of many coordinates"""

    dimensions: s.Dimensions
    epsilons: s.epsilons("privacy levels ε per radian of Algorithm 1 with quadrature")
    depths: s.listed(
        s.value(int, "a number of bisections, from 1 to 20", ge=1, le=20),
        "numbers of bisections after which shares never drawn are given; the tree ends after the largest",
    )
    most_integrals: s.count("values of the CDF for one tree, at most")
    pure: s.epsilons("pure levels ε")
    per_radian: s.epsilons("levels ε per radian")
    within: s.levels("levels ℓ within the radius")
    radius: s.distance("the radius")
