from study.core import settings as core


class Settings(core.Section):
    """the drawing of the tangent-normal decomposition"""

    theta: float = core.key("angle of the drawn vector from the mode in degrees, from 0 to 180", ge=0, le=180)
    azimuth: core.Turn = core.key("direction of the drawn vector about the mode in degrees, from -360 to 360")
    elevation: core.Elevation
    turn: core.Turn = core.key("direction of the eye about the mode in degrees, from -360 to 360")
