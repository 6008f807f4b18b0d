"""Units of the numbers of a column of times: the caller names one, and none is guessed from values."""

from fractions import Fraction
from typing import Any, NamedTuple

from dirpriv._inputs.errors import InvalidArgument, named

# each unit: what it is in words, how many are an hour, and the hours that are added to a number. Spreadsheets
# round fractions of a day, so these are read to the nearest second. A new unit is one line here.
_UNITS = {
    "h": ("hours", Fraction(1), Fraction(0)),
    "hourbin": ("whole hours", Fraction(1), Fraction(1, 2)),
    "min": ("minutes", Fraction(60), Fraction(0)),
    "s": ("seconds", Fraction(3600), Fraction(0)),
    "day": ("days", Fraction(1, 24), Fraction(1, 7200)),
    "deg": ("degrees", Fraction(15), Fraction(0)),  # of a turn, whatever the period
}
# since 1970 in UTC: the unit, and from which size to which numbers are read. Others are of another unit.
EPOCHS = {"epoch": ("s", 10**8, 10**11), "epoch_ms": ("ms", 10**11, 10**14)}
NAMES = (*_UNITS, *EPOCHS)
RIGHT = f"give the {named('unit')} of the column ({', '.join(NAMES)}; epoch is seconds since 1970), "
RIGHT += "or convert it"


class Count(NamedTuple):
    """What numbers count: ``turn`` of them are the period, and ``later`` is added to each."""

    unit: str
    what: str
    turn: Fraction
    later: Fraction

    @property
    def bins(self) -> bool:
        """Whether a number stands for all that begins with it, so that the last one is before the turn."""
        return self.unit == "hourbin"

    @property
    def rule(self) -> str:
        """What a number that is not read breaks."""
        if self.unit in EPOCHS:
            return f"is not a number of {self.what} since 1970, in the years 1973 to 5138"
        return f"is not a number of {self.what} from 0 to {float(self.turn - self.bins):g}"

    def beyond(self, values: Any, last: Any, one: Any = 1) -> Any:
        """Which of these values, ``one`` of which is 1 and ``last`` a turn, are not read."""
        read = (values >= 0) & (values <= last)
        if self.bins:
            read &= (values < last) & (values % one == 0)
        return ~read.astype(bool)


def count(unit: str, period: Fraction) -> Count:
    """How a unit counts this period, which is in hours; an epoch counts none."""
    if unit in EPOCHS:
        return Count(unit, "seconds" if unit == "epoch" else "milliseconds", Fraction(0), Fraction(0))
    what, per_hour, later = _UNITS[unit]
    per_hour = 360 / period if unit == "deg" else per_hour
    return Count(unit, what, period * per_hour, later * per_hour)


def check(unit: Any) -> None:
    """Refuse what is no unit, and not None."""
    if unit is not None and (not isinstance(unit, str) or unit not in NAMES):
        raise InvalidArgument("unit", f"must be one of {', '.join(NAMES)}", got=unit)


def refuse_none(name: str, unit: Any, numbers: bool) -> None:
    """Refuse numbers without a unit, and a unit where there are no numbers."""
    if numbers and unit is None:
        rule = "contains numbers without a unit"
        others = f"{', '.join(NAMES[1:])}, where epochs also need {named('zone')}"
        hint = f"give {named('unit', 'h')} for hours, or another of {others}"
        raise InvalidArgument(f"{name} {rule}", hint=hint)
    if unit is not None and not numbers:
        hint = "leave it out; only numbers need a unit"
        raise InvalidArgument("unit", f"is for numbers, but {name} contains none", got=unit, hint=hint)
