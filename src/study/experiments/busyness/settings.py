from study.workflow import settings as s
from study.workflow.mechanism_catalogue import paired_mechanisms

OF_TIMES = "name of a mechanism of times; places are by the same, or planar Laplace with wrapped Laplace"
MECHANISMS = "mechanisms of times and places; the others are compared with the first"
PAIR = s.value(s.Pair[s.Level], "a level of time and a level of place")


class Settings(s.Section):
    """busyness of venues from check-ins with randomised times and places"""

    mechanisms: s.named(paired_mechanisms(), OF_TIMES, MECHANISMS)
    time_levels: s.levels("privacy levels ℓ of times")
    place_levels: s.levels("privacy levels ℓ of places")
    time_radius_hours: float = s.key("radius of the times in hours, above 0 and at most 12", gt=0, le=12)
    place_radius_metres: float = s.key("radius of the places in metres, above 0 and at most 2e7", gt=0, le=2e7)
    fewest_checkins: s.count("check-ins of a venue that is measured")
    half_width: float = s.key(
        "half of the 95 % interval that the noise leaves of a mean EMD over the venues, in hours", gt=0, le=12
    )
    most_randomised: s.draws(
        "check-ins that are randomised at all levels of places and in all repetitions together, or each once"
    )
    most_venues: s.count("number of venues that are measured at most")
    most_checkins: s.count(
        "most check-ins that the shares snapped to their own venue and the distance moved are measured on"
    )
    estimated: s.several("repetitions of the estimates with the noise taken out")
    most_estimated: s.count("number of venues at most whose hours are estimated so")
    panel_place_levels: s.listed(s.Level, "those of the levels of places that get a column")
    example_levels: s.listed(PAIR, "pairs of levels of time and place for one venue's days")

    def problems(self):
        times, places = zip(*self.example_levels, strict=True)
        problems = self.not_among("panel_place_levels", "busyness.place_levels")
        problems += self.not_among("example_levels", "busyness.time_levels", times)
        return problems + self.not_among("example_levels", "busyness.place_levels", places)
