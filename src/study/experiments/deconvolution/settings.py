from study.workflow import settings as s

Hour = s.value(float, "an hour of the day, from 0 up to 24", ge=0, lt=24)
Width = s.value(float, "a width in hours, above 0 and at most 24", gt=0, le=24)


class Settings(s.Section):
    """error of the hours of the day with noise taken out at fixed widths and at a chosen one"""

    bins: int = s.key("bins of the day, from 2 to 96", ge=2, le=96)
    radius_hours: float = s.key("radius r in hours within which level ℓ holds, above 0 and at most 12", gt=0, le=12)
    levels: s.levels("levels ℓ")
    reports: s.listed(s.several("a number of reports"), "numbers of reports")
    widths: s.listed(Width, "fixed widths in hours, above 0 and at most 24")
    peaks: s.listed(Hour, "hours of the peaks of the model with peaks")
    peak_deviation: s.positive("standard deviation of the people about a peak in hours")
    repetitions: s.several("repetitions")
    interval_levels: s.levels("levels ℓ at which the kinds of intervals are compared")
    interval_reports: s.several("number of reports of which the kinds of intervals are compared")
