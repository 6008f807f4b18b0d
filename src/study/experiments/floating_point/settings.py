from study.workflow import settings as s

Kappa = s.value(float, "a concentration κ, from 1 to 10000", ge=1, le=10000)
Minutes = s.value(float, "minutes, above 0 and below 720", gt=0, lt=720)


class Settings(s.Section):
    """what one double of a sampler reveals"""

    kappas: s.listed(Kappa, "concentrations κ, the level ε per radian, from 1 to 10000")
    minutes: s.listed(Minutes, "distances of a wrong input from the right one in minutes of a day")
    draws: s.draws("doubles of each sampler")
