"""Errors of ensembles after every round over repeated training sets, or what more rounds harm."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from maxmargin.course.training_sets import Repeats, TrainingSets
from maxmargin.evaluation.interval import Interval, reach_of_mean, student
from maxmargin.evaluation.members import is_bag, staged_labels
from maxmargin.evaluation.rows import named

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class RoundErrors:
    """The test errors of an ensemble after every round, a line for each training set.

    A fit that ended early keeps the error it ended with.

    Attributes
    ----------
    errors : ndarray of shape (n_repeats, n_rounds)
        Error rates on the test rows.
    rounds : ndarray of shape (n_repeats,)
        Number of rounds of each fit.
    asked : int or None
        The number of training sets requested; a ``time_limit`` may have reduced it.

    Examples
    --------
    >>> found = RoundErrors(np.array([[0.3, 0.2, 0.25], [0.3, 0.1, 0.1]]), np.array([3, 2]))
    >>> found.best, round(found.final.value, 3), round(found.rise.value, 3)
    (2, 0.175, 0.025)
    """

    errors: Vector = field(repr=False)
    rounds: NDArray[np.intp]
    asked: int | None = None

    @property
    def complete(self) -> bool:
        """Whether all training sets asked for were learnt from; otherwise time ran out."""
        return self.asked in (None, len(self.errors))

    @property
    def mean(self) -> Vector:
        """The mean error after each round."""
        found: Vector = self.errors.mean(axis=0)
        return found

    @property
    def best(self) -> int:
        """The round with the least mean error, the first of several."""
        return int(self.mean.argmin()) + 1

    @property
    def final(self) -> Interval:
        """The error after all rounds."""
        return student(self.errors[:, -1])

    @property
    def rise(self) -> Interval:
        """By how much the error after all rounds is above that of the best one.

        The best round was chosen by these errors, so a small rise is chance.
        """
        return student(self.errors[:, -1] - self.errors[:, self.best - 1])

    def less(self, other: RoundErrors) -> Interval:
        """Return by how much the final error is below another's, on the same training sets.

        Parameters
        ----------
        other : RoundErrors

        Returns
        -------
        Interval
        """
        return student(other.errors[:, -1] - self.errors[:, -1])

    def band(self, level: float = 0.95) -> tuple[Vector, Vector]:
        """Return the ends of Student's interval of the mean error after each round.

        Parameters
        ----------
        level : float, default=0.95

        Returns
        -------
        low, high : ndarray of shape (n_rounds,)
        """
        mean, reach = reach_of_mean(self.errors, level)
        return mean - reach, mean + reach


def round_errors(
    models: Any,
    X: Any,
    y: Any,
    *,
    sample: Any = None,
    n_repeats: int = 10,
    random_state: Any = None,
    time_limit: float | None = None,
    callback: Callable[[int, int], object] | None = None,
    verbose: int = 0,
) -> dict[str, RoundErrors]:
    """Fit ensembles to repeatedly drawn training sets, and evaluate them after every round.

    Parameters
    ----------
    models : estimator, mapping of str to estimator, or list of estimators
        Boosted classifiers (with ``staged_predict``), bagged ones or forests; all learn from the
        same training sets.
    X : array-like or DataFrame of shape (n_rows, n_columns)
        Test rows. Without ``sample``, a random half of them is used for testing, and every training
        set is a half of the others.
    y : array-like of shape (n_rows,)
        Their labels, which may be without the noise of the training labels.
    sample : callable, default=None
        Function of a ``RandomState`` that draws a training set: X and y.
    n_repeats : int, default=10
        Number of training sets.
    random_state : int, RandomState or None, default=None
        Seed for the training sets.
    time_limit : float, default=None
        Seconds after which no new training set is started. The errors of the earlier ones, at least
        two, are returned, and ``complete`` is False. Ctrl-C raises.
    callback : callable, default=None
        Called with the number of fits done and of all fits.
    verbose : int, default=0
        Print progress, the elapsed time and the time left: 1 about once a second, 2 after every
        fit. With 0 these lines go only to the logger "maxmargin".

    Returns
    -------
    dict of str to RoundErrors

    Examples
    --------
    >>> from maxmargin.boosting import AdaBoostClassifier
    >>> from maxmargin.datasets import load_mixture
    >>> X, y = load_mixture(return_X_y=True)
    >>> boosted = AdaBoostClassifier(n_estimators=30)
    >>> round_errors(boosted, X, y, random_state=0)["AdaBoostClassifier"].errors.shape
    (10, 30)
    """
    found = named(models)
    for name, model in found.items():
        _refuse_roundless(name, model)
    sets = TrainingSets.of("round_errors", X, y, sample, n_repeats, random_state, classify=True)
    repeats = Repeats("round_errors", n_repeats, time_limit, callback, verbose)
    curves = repeats.ask(found, sets, lambda fitted: _errors(fitted, sets))
    return {name: _level(each, n_repeats) for name, each in curves.items()}


def _refuse_roundless(name: str, model: Any) -> None:
    if not is_classifier(model) or not (hasattr(model, "staged_predict") or is_bag(model)):
        raise TypeError(
            f"{name!r} is a {type(model).__name__}, which has no rounds: give boosted or bagged"
            " classifiers."
        )


def _errors(fitted: Any, sets: TrainingSets) -> Vector:
    return np.array([np.mean(said != sets.y) for said in staged_labels(fitted, sets.X)])


def _level(curves: list[Vector], asked: int) -> RoundErrors:
    """Draw out the curves of fits that ended early."""
    counts = np.array([len(each) for each in curves])
    longest = int(counts.max())
    drawn = [np.pad(each, (0, longest - len(each)), mode="edge") for each in curves]
    return RoundErrors(np.array(drawn), counts, asked)
