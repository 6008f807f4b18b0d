from typing import Annotated

from study.core import settings as core


class Settings(core.Section):
    """the drawing of a rotation's axes under Bingham noise"""

    epsilons: core.Epsilons = core.key("concentrations ε of the Bingham law, positive numbers")
    draws: core.Count = core.key("private versions drawn in each panel, at least 1")
    rotation_degrees: list[Annotated[core.Turn, core.key("a turn in degrees, from -360 to 360")]] = core.key(
        "the true rotation as turns about z, y and x in degrees", min_length=3, max_length=3
    )
    elevation: core.Elevation
    turn: core.Turn = core.key("direction of the eye about z in degrees, from -360 to 360")
