from study.workflow import settings as s


class Settings(s.Section):
    """error of the hour-of-day histogram of randomised check-ins"""

    bins: int = s.key("bins of the day, from 2 to 96", ge=2, le=96)
    radius_hours: float = s.key("radius r in hours within which level ℓ holds, above 0 and at most 12", gt=0, le=12)
    levels: s.epsilons("levels ℓ, and pure ε, of the curves")
    responses: s.count("number of check-ins in the sample")
    half_width: s.half_width("an earth mover's distance")
    most_draws: s.draws("most draws spent on one point")
    deconvolved: s.several("repetitions that are deconvolved")
    example_levels: s.listed(s.Epsilon, "those of the levels whose histograms are shown")

    def problems(self):
        return self.not_among("example_levels", "time_histogram.levels")
