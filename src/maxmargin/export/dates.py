"""Parts of dates, which a graph gets as seconds since the first of January 1970 (UTC)."""

from __future__ import annotations

from maxmargin.export.tensor import Tensor

_DAY = 86_400.0


def take_part(seconds: Tensor, part: str) -> Tensor:
    """Return a part of dates as numbers; NaN stays NaN.

    Parameters
    ----------
    seconds : Tensor
        Since 1970.
    part : {"days", "month", "weekday", "hour"}

    Returns
    -------
    Tensor
    """
    days = (seconds / _DAY).floor()
    if part == "days":
        return days
    if part == "weekday":
        return _remainder(days + 3.0, 7.0) + 1.0
    if part == "hour":
        return (seconds - days * _DAY) / 3600.0
    return _month(days)


def _remainder(x: Tensor, by: float) -> Tensor:
    return x - (x / by).floor() * by


def _month(days: Tensor) -> Tensor:
    """Return the month of days since 1970, in the Gregorian calendar.

    Years begin in March here, so that the leap day is the last one of a year.
    """
    shifted = days + 719_468.0  # days since the first of March of the year 0
    era = (shifted / 146_097.0).floor()
    day = shifted - era * 146_097.0
    leaps = (day / 1460.0).floor() - (day / 36_524.0).floor() + (day / 146_096.0).floor()
    year = ((day - leaps) / 365.0).floor()
    of_year = day - (year * 365.0 + (year / 4.0).floor() - (year / 100.0).floor())
    from_march = ((of_year * 5.0 + 2.0) / 153.0).floor()
    return (from_march < 10.0).where(from_march + 3.0, from_march - 9.0)
