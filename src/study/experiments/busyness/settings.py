from pydantic import model_validator

from study.core import settings as core
from study.core.catalogue import of_times_and_places

OF_TIMES = "name of a mechanism of times; places are by the same, or planar Laplace with wrapped Laplace"


class Settings(core.Section):
    """busyness of venues from check-ins with randomised times and places"""

    mechanisms: core.mechanisms(of_times_and_places(), OF_TIMES) = core.key(
        "mechanisms of times and places; the others are compared with the first"
    )
    time_levels: core.Levels = core.key("privacy levels ℓ of times, positive numbers")
    place_levels: core.Levels = core.key("privacy levels ℓ of places, positive numbers")
    time_radius_hours: core.Hours = core.key("radius of the times in hours, above 0 and at most 12")
    place_radius_metres: float = core.key(
        "radius of the places in metres, above 0 and at most 2e7", gt=0, le=2e7
    )
    fewest_checkins: core.Count = core.key("check-ins of a venue that is measured, at least 1")
    most_venues: core.Count = core.key("number of venues that are measured at most, at least 1")
    most_checkins: core.Count = core.key(
        "most check-ins that the shares snapped to their own venue and the distance moved are "
        "measured on, at least 1"
    )
    panel_place_levels: core.Levels = core.key("those of the levels of places that get a column")
    example_levels: core.listed(core.Pair[core.Level], "a level of time and a level of place") = core.key(
        "pairs of levels of time and place for one venue's days"
    )

    @model_validator(mode="after")
    def is_drawn_where_it_is_computed(self):
        times, places = zip(*self.example_levels, strict=True)
        core.refuse(
            core.not_among(
                "panel_place_levels", self.panel_place_levels, "busyness.place_levels", self.place_levels
            )
            + core.not_among("example_levels", times, "busyness.time_levels", self.time_levels)
            + core.not_among("example_levels", places, "busyness.place_levels", self.place_levels)
        )
        return self
