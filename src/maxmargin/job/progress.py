"""What the job says of itself while it is at work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from maxmargin.job.outcome import Entry


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
    model : str
        Name of the model at work, as ``--models`` calls it; empty where it is no single one.
    result : Entry or None
        A model that is finished, told once for each: with its scores, or with the reason for
        having none. All else is then as it was told before.
    """

    title: str
    step: str
    share: float
    seconds: float
    left: float
    model: str = ""
    result: Entry | None = None


Teller = Callable[[Progress], object]


def silent(_progress: Progress) -> None:
    """Say nothing."""
