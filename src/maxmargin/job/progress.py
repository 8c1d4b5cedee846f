"""What the job says of itself while it is at work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """Where the job is.

    Parameters
    ----------
    title : str
        The model at work, or what else is done.
    step : str
        Such as "fold 2 of 5".
    share : float
        Of the whole work that is done, between 0 and 1, by what it costs; it never falls.
    seconds : float
        Since the job began.
    left : float
        Seconds to go, estimated so that they do not jump; no more than the budget has left. NaN
        while nothing is known of them.
    """

    title: str
    step: str
    share: float
    seconds: float
    left: float


Teller = Callable[[Progress], object]


def silent(_progress: Progress) -> None:
    """Say nothing."""
