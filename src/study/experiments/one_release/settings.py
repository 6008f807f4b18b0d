from study.workflow import settings as s


class Settings(s.Section):
    """one release of a file of times: true, reports, estimate, and counts of a trusted data owner"""

    level: float = s.key("level of a report within the radius, from 0.5 to 10", ge=0.5, le=10)
    radius: str = s.key("radius of this level, from 1h to 12h", pattern=r"^([1-9]|1[0-2])h$")
    epsilon: float = s.key("pure level ε of the central counts, from 0.1 to 10", ge=0.1, le=10)
    blur: float = s.key("blur of the estimate in hours, from 1 to 8", ge=1, le=8)
    bins: int = s.key("bins of the day, from 2 to 96", ge=2, le=96)
