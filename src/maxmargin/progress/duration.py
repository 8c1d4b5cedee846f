"""A time as people write it."""

from __future__ import annotations


def duration(seconds: float) -> str:
    """Write a time as people do.

    Parameters
    ----------
    seconds : float

    Returns
    -------
    str

    Examples
    --------
    >>> duration(0.001), duration(0.25), duration(42.3), duration(130)
    ('< 0.01 s', '0.25 s', '42 s', '2 min 10 s')
    """
    if seconds < 0.01:
        return "< 0.01 s"
    if seconds < 10:
        return f"{seconds:.2g} s"
    whole = round(seconds)
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60} s"


def time_left(seconds: float | None) -> str:
    """Write the time that is left, as exactly as an estimate deserves.

    Parameters
    ----------
    seconds : float or None

    Returns
    -------
    str
        Empty where nothing is known (None or NaN), or there is less than a second.

    Examples
    --------
    >>> time_left(33.0), time_left(403.0), time_left(0.4)
    ('about 35 s left', 'about 7 min left', '')
    """
    if seconds is None or not 1.0 <= seconds < float("inf"):
        return ""
    unit = 1 if seconds < 10 else 5 if seconds < 120 else 60 if seconds < 3600 else 600
    whole = unit * round(seconds / unit)
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    words = [f"{hours} h"] * (hours > 0) + [f"{minutes} min"] * (minutes > 0)
    return f"about {' '.join(words + [f'{rest} s'] * (rest > 0))} left"
