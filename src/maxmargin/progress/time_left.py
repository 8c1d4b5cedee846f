"""Estimate the time that is left so that it can be read: it follows the truth without jumping."""

from __future__ import annotations

import math

_LEAST_SECONDS = 0.5  # of work, before which its speed says nothing
_PACE = 0.5  # of the time elapsed: how long old estimates count beside new ones
_RISE, _FALL = 1.5, 0.5  # times the estimate before, which a new one keeps between


class TimeLeft:
    """The seconds that work still takes, from one report to the next.

    The total time, elapsed and left together, moves towards each new estimate, the faster the
    more time has passed since the last report. No report changes the time left by more than half
    beyond the time that passed. No clock is read here: reports bring their own times.

    Examples
    --------
    >>> left = TimeLeft()
    >>> [round(left.by_share(seconds, seconds / 100)) for seconds in (10.0, 20.0, 50.0)]
    [90, 80, 50]
    >>> left.by_share(100.0, 1.0)
    0.0
    """

    def __init__(self) -> None:
        self._seconds, self._total = 0.0, math.nan

    def by_share(self, seconds: float, share: float, compiling: float = 0.0) -> float | None:
        """Return the seconds left after a report of the share that is done.

        Parameters
        ----------
        seconds : float
            Since the work began.
        share : float
            Of the work that is done, by its cost.
        compiling : float, default=0.0
            Seconds of these in which loops were compiled, which happens once and says nothing of
            the speed of the work.

        Returns
        -------
        float or None
            None while too little is done to tell.
        """
        worked = max(seconds - compiling, 0.0)
        if share >= 1.0:
            return self.by_guess(seconds, 0.0)
        if share <= 0.0 or worked < _LEAST_SECONDS:
            return None
        return self.by_guess(seconds, worked * (1.0 - share) / share)

    def by_guess(self, seconds: float, guess: float) -> float:
        """Return the seconds left after a report of a new guess of them.

        Parameters
        ----------
        seconds : float
            Since the work began.
        guess : float
            Seconds left as they look now; 0 says that the work is done.

        Returns
        -------
        float
        """
        passed, expected = max(seconds - self._seconds, 0.0), self._total - seconds
        if guess <= 0.0 or math.isnan(self._total):
            left = max(guess, 0.0)
        else:
            total, aim = max(self._total, seconds), max(seconds + guess, 1e-9)
            weight = 1.0 - math.exp(-passed / (_PACE * max(seconds, 1e-9)))
            moved = total * (aim / max(total, 1e-9)) ** weight - seconds
            expected = max(expected, 0.0)
            left = min(max(moved, _FALL * expected, 0.0), _RISE * expected + passed)
        self._seconds, self._total = seconds, seconds + left
        return left
