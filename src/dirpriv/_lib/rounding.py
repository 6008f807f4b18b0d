"""Bounds as people read them: never below the number that they stand for."""

import decimal


def upwards(value: float, digits: int = 6) -> str:
    """A level or a ratio with ``digits`` digits, rounded upwards; errors of doubles do not count."""
    # sums and exponentials of doubles err by less than 1e-12
    context = decimal.Context(prec=digits, rounding=decimal.ROUND_CEILING)
    return f"{float(context.create_decimal(float(value) * (1.0 - 1e-12))):.{digits}g}"
