from study.workflow import settings as s


class Settings(s.Section):
    """the drawing of a rotation's axes under Bingham noise"""

    epsilons: s.epsilons("concentrations ε of the Bingham distribution")
    draws: int = s.key("private versions drawn in each panel, from 1 to 10000", ge=1, le=10**4)
    rotation_degrees: list[s.turn("a turn")] = s.key(
        "the true rotation as turns about z, y and x in degrees", min_length=3, max_length=3
    )
    elevation: s.Elevation
    turn: s.turn("direction of the eye about z")
