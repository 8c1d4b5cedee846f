"""The plan of a contest that has a time budget: who is fitted first, on how many folds.

Everything here is a pure function of what trials showed, so that tests can play contests without
fitting anything.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

from maxmargin.job.trial import Trial, behind_by

GROWTH = 1.3  # power of the rows by which the time of a fit is expected to grow
HOPELESS = 4.0  # standard errors behind the best trial: fitted last
CLOSE = 2.0  # standard errors behind the best trial: fitted first, the quickest of them before
PROMISING = 3  # models whose time decides on how many folds all are compared
LOST = 2.5  # standard errors behind on the same folds: need not go on if time is short


def seconds_on(trial: Trial, rows: int, growth: float = GROWTH) -> float:
    """Return how long a fit to more rows will take, by its trial.

    Parameters
    ----------
    trial : Trial
    rows : int
    growth : float
        The power of the rows.

    Returns
    -------
    float
    """
    return trial.seconds * max(1.0, rows / trial.rows) ** growth


def distances(trials: Mapping[str, Trial]) -> dict[str, float]:
    """Return by how many standard errors each model is behind the best trial.

    Parameters
    ----------
    trials : mapping of str to Trial

    Returns
    -------
    dict of str to float
    """
    if not trials:
        return {}
    best = max(trials.values(), key=lambda each: (each.score, -each.seconds))
    return {
        name: 0.0 if each.score >= best.score else max(0.0, behind_by(each.losses, best.losses))
        for name, each in trials.items()
    }


def order_of(
    names: Sequence[str], trials: Mapping[str, Trial], learners: Collection[str] = ()
) -> list[str]:
    """Put models in the order in which they are fitted.

    First the best of those that are close to the best trial and those that learn more from more
    rows, then the others that are close, the quickest before; then the others by their score, and
    at the end those without a trial, as they were given.

    Parameters
    ----------
    names : sequence of str
    trials : mapping of str to Trial
    learners : collection of str
        Models whose trials, on few rows, say little against them.

    Returns
    -------
    list of str
    """
    off = distances(trials)
    close = [name for name in names if name in trials and off[name] <= CLOSE]
    first = sorted(close, key=lambda name: -trials[name].score)[:PROMISING]
    first += [name for name in learners if name in trials]

    def place(name: str) -> tuple[int, float]:
        if name not in trials:
            return 4, 0.0
        if name in first or name in close:
            return (0 if name in first else 1), trials[name].seconds
        return (2 if off[name] <= HOPELESS else 3), -trials[name].score

    return sorted(names, key=place)


def affordable_folds(promising: Sequence[float], free: float, folds: int) -> int:
    """Return on how many folds the promising models can be compared.

    Each is fitted once a fold, and once to all rows. If two folds of all of them take too long,
    there are two and the last of them will not finish; if two folds of the first alone take too
    long, there is one.

    Parameters
    ----------
    promising : sequence of float
        Seconds of a fit of each, the first to be fitted first.
    free : float
        Seconds for all of it.
    folds : int
        The most.

    Returns
    -------
    int

    Examples
    --------
    >>> affordable_folds([1.0, 2.0], 12.0, 5), affordable_folds([1.0, 2.0], 1000.0, 5)
    (3, 5)
    >>> affordable_folds([10.0, 90.0], 100.0, 5), affordable_folds([50.0], 100.0, 5)
    (2, 1)
    """
    whole = sum(promising)
    if whole <= 0.0 or math.isinf(free):
        return folds
    found = math.floor(free / whole) - 1
    least = 2 if 3.0 * promising[0] <= free else 1
    return min(folds, max(found, least))
