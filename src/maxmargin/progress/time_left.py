"""Estimate the time that is left so that it can be read: it follows the truth without jumping."""

from __future__ import annotations

import math

_LEAST_SECONDS = 0.5  # of work, before which its speed says nothing
_PACE = 0.5  # of the time elapsed, or of the work done: how long old estimates count beside new
_RISE, _FALL = 1.5, 0.5  # times the estimate before, which a new one keeps between


class TimeLeft:
    """The seconds that work still takes, from one report to the next.

    The time left shrinks as time passes and moves towards each new estimate, the faster the more
    time has passed or work was done since the last report. No report makes it longer by more than
    half, beyond the time that passed. No clock is read here: reports bring their times.

    Examples
    --------
    >>> left = TimeLeft()
    >>> [round(left.by_share(seconds, seconds / 100)) for seconds in (10.0, 20.0, 50.0)]
    [90, 80, 50]
    >>> left.by_share(100.0, 1.0)
    0.0
    """

    def __init__(self) -> None:
        self._seconds, self._total, self._share = 0.0, math.nan, 0.0
        self._first: tuple[float, float] | None = None

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
        if share >= 1.0:
            return self.by_guess(seconds, 0.0)
        worked = max(seconds - compiling, 0.0)
        if share <= 0.0:
            return None
        if self._first is None:
            self._first = worked, share
        pace = self._pace(worked, share)
        return None if worked < _LEAST_SECONDS else self.by_guess(seconds, pace * (1.0 - share))

    def _pace(self, worked: float, share: float) -> float:
        """Estimate the seconds of the whole work, without a slow start once there is more to see.

        The first piece of work loads compiled loops and data, which the others find at hand.
        """
        assert self._first is not None
        begun, first = self._first
        if share >= 2.0 * first:
            return max(worked - begun, 0.0) / (share - first)
        return worked / share

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
        share = seconds / (seconds + guess) if guess > 0.0 else 1.0
        known = guess > 0.0 and not math.isnan(self._total)
        left = self._moved(seconds, guess, share) if known else max(guess, 0.0)
        self._seconds, self._total, self._share = seconds, seconds + left, share
        return left

    def _moved(self, seconds: float, guess: float, share: float) -> float:
        """Move the time left towards a new guess, no faster than can be read."""
        passed = max(seconds - self._seconds, 0.0)
        expected = max(self._total - seconds, 1e-9)
        news = max(passed / max(seconds, 1e-9), (share - self._share) / max(share, 1e-9))
        weight = 1.0 - math.exp(-news / _PACE)
        left = expected * (guess / expected) ** weight
        return min(max(left, _FALL * expected), _RISE * expected + passed)
