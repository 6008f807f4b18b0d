from study.workflow import settings as s


class Settings(s.Section):
    """people needed for a mean direction under three trust models"""

    epsilons: s.epsilons("pure levels ε of a person")
    error: float = s.key("mean absolute error that is wanted, in radians, from 0.01 to 1", ge=0.01, le=1)
    radius: str = s.key("radius of the levels within one, from 1h to 12h", pattern=r"^([1-9]|1[0-2])h$")
    delta: float = s.key("δ of shuffled and Gaussian levels, above 0 and below 1", gt=0, lt=1)
    surveys: s.several("simulated surveys of each number of people under central trust, and within a radius")
    half_width: s.half_width("a MAE under the others")
    most_draws: s.draws("draws allowed for the surveys of one number of people")
    local_levels: s.epsilons("levels of single reports whose cost after shuffling is compared")
    histogram_people: s.several("people of the histograms of one day")
    histogram_epsilons: s.epsilons("levels ε of a person in these histograms")
    histogram_surveys: s.several("simulated histograms of each trust model and level")
