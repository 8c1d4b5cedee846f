"""Estimate the time that is left so that it can be read: it follows the truth without jumping."""

from __future__ import annotations

import math

_LEAST_SECONDS = 0.5  # of work, before which its speed says nothing
_ENOUGH = 0.1  # of the work, after which a single piece tells the speed
_PACE = 0.5  # of the time observed, or left: how long old estimates count beside new ones
_RISE = 1.5  # a new estimate is at most this many times the one before
_FALL = 0.5  # and at least this many times
_SMALL = 0.05  # of the time elapsed, by which it may rise besides
_TINY = 1e-9


class TimeLeft:
    """The seconds that work still takes, from one report to the next.

    The time left shrinks as time passes and moves towards each new guess: slowly while the guess is
    young or far off, fast near the end. No report makes it longer by more than half and a twentieth
    of the time elapsed, beyond the time that passed. No clock is read: reports bring their times.

    Examples
    --------
    >>> left = TimeLeft()
    >>> [round(left.by_share(seconds, seconds / 100)) for seconds in (10.0, 20.0, 50.0)]
    [90, 80, 50]
    >>> left.by_share(100.0, 1.0)
    0.0
    """

    def __init__(self) -> None:
        self._seconds, self._left = 0.0, math.nan
        self._begun = math.nan
        self._first: tuple[float, float] | None = None

    def by_share(
        self, seconds: float, share: float, compiling: float = 0.0, coming: float = 0.0
    ) -> float | None:
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
        coming : float, default=0.0
            Seconds of compilation that are still to be expected.

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
        begun, first = self._first
        if share >= 2.0 * first:  # the first piece loads loops and data that others find at hand
            worked, done = worked - begun, share - first
        elif share < _ENOUGH:
            return None
        else:
            done = share
        known = seconds - compiling >= _LEAST_SECONDS
        guess = max(worked, 0.0) / done * (1.0 - share) + coming
        return self.by_guess(seconds, guess) if known else None

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
        known = guess > 0.0 and not math.isnan(self._left)
        left = self._moved(seconds, guess) if known else max(guess, 0.0)
        self._begun = seconds if math.isnan(self._begun) else self._begun
        self._seconds, self._left = seconds, left
        return left

    def _moved(self, seconds: float, guess: float) -> float:
        """Move the time left towards a new guess, no faster than can be read."""
        passed = max(seconds - self._seconds, 0.0)
        expected = max(self._left - passed, _TINY)
        weight = 1.0 - math.exp(-passed / max(_PACE * min(seconds - self._begun, guess), _TINY))
        if guess > expected:
            most = _RISE * expected + passed + _SMALL * seconds
            return min(expected + weight * (guess - expected), most)
        weight = max(weight, 1.0 - guess / expected)  # good news far off need no patience
        return max(expected * (guess / expected) ** weight, _FALL * expected)
