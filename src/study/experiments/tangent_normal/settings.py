from study.workflow import settings as s


class Settings(s.Section):
    """the drawing of the tangent-normal decomposition"""

    theta: float = s.key("angle of the drawn vector from the mode in degrees, from 0 to 180", ge=0, le=180)
    azimuth: s.turn("direction of the drawn vector about the mode")
    elevation: s.Elevation
    turn: s.turn("direction of the eye about the mode")
