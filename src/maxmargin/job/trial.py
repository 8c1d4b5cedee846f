"""A trial: what a model reaches on a part of a fold's rows, and how long that takes.

Trials say in which order models are fitted, how many folds there is time for, and which models need
not go on. They never decide who wins: that is the mean over the folds, whose rows no trial changes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from maxmargin.evaluation.protocol import Split
from maxmargin.evaluation.rows import EvaluationRows
from maxmargin.job.metric import Judgement

Vector = NDArray[np.float64]
Index = NDArray[np.intp]

MOST_ROWS = 1200  # that a trial learns from
MOST_JUDGED = 4000  # that it is judged on
LEAST_ROWS = 400
ROWS_A_SECOND = 20.0  # of the time budget: 1,200 rows at 60 s
WORTH = 1.3  # times as many rows in a fold as in a trial: else the fold itself is as quick
LARGER = 15_000  # rows that a second trial learns from, where there are many rows
_BY_CLASS = ("balanced_accuracy", "f1", "recall", "jaccard", "f1_macro", "recall_macro")


@dataclass(frozen=True)
class Trial:
    """How a model did on few rows.

    Parameters
    ----------
    score : float
        By the metric that models are compared by.
    seconds : float
        Of the fit, without compiling.
    rows : int
        That it learned from.
    losses : ndarray
        One for each row that it was judged on; all models are judged on the same rows.
    judging : float
        How many of the seconds went into predicting these rows.
    """

    score: float
    seconds: float
    rows: int
    losses: Vector = field(repr=False)
    judging: float = 0.0


def trial_split(
    rows: EvaluationRows, part: Split, budget: float | None, *, classify: bool
) -> Split | None:
    """Choose rows of a fold for trials; None where they would save no time.

    Parameters
    ----------
    rows : EvaluationRows
        All rows of the contest.
    part : pair of arrays
        The rows that the fold learns from and is judged on.
    budget : float or None
        Seconds of the whole job; None for no limit.
    classify : bool

    Returns
    -------
    pair of arrays, or None
    """
    if budget is None:
        return None
    count = int(np.clip(ROWS_A_SECOND * budget, LEAST_ROWS, MOST_ROWS))
    train, judged = part
    if len(train) < WORTH * count:
        return None
    y = rows.y if classify else None
    return _some(train, count, y), _some(judged, MOST_JUDGED, y)


def larger_split(rows: EvaluationRows, part: Split, first: Split, *, classify: bool) -> Split:
    """Choose more rows of a fold for second trials, which are judged on the rows of the first.

    Parameters
    ----------
    rows : EvaluationRows
        All rows of the contest.
    part : pair of arrays
        The rows that the fold learns from and is judged on.
    first : pair of arrays
        Those of the first trials.
    classify : bool

    Returns
    -------
    pair of arrays
    """
    return _some(part[0], LARGER, rows.y if classify else None), first[1]


def _some(places: Index, count: int, y: NDArray[Any] | None) -> Index:
    """Draw some places, classes in proportion where every class has several."""
    if len(places) <= count:
        return places
    stratify = None if y is None else y[places]
    if stratify is not None and np.unique(stratify, return_counts=True)[1].min() < 2:
        stratify = None
    try:
        some, _ = train_test_split(places, train_size=count, stratify=stratify, random_state=0)
    except ValueError:  # more classes than rows to draw
        some, _ = train_test_split(places, train_size=count, random_state=0)
    return np.sort(some)


def by_class(metric: str) -> bool:
    """Return whether every class counts the same in a metric, or one class alone counts.

    Parameters
    ----------
    metric : str

    Returns
    -------
    bool

    Examples
    --------
    >>> by_class("balanced_accuracy"), by_class("accuracy")
    (True, False)
    """
    return metric in _BY_CLASS


def losses_of(said: Judgement, truth: NDArray[Any], metric: str) -> Vector:
    """Return a loss for each judged row: 0 or 1 of a class, the squared error of a quantity.

    Where the metric weighs classes, every class has the same share of the losses.

    Parameters
    ----------
    said : Judgement
        What a model said of the rows.
    truth : ndarray
    metric : str

    Returns
    -------
    ndarray
        Its mean is the share of errors, or the share of the variance that is left.
    """
    if truth.dtype.kind == "f":
        spread = float(np.var(truth)) or 1.0
        return np.square(np.asarray(said.predicted, np.float64) - truth) / spread
    wrong = (said.predicted != truth).astype(np.float64)
    if not by_class(metric):
        return wrong
    _, label, counts = np.unique(truth, return_inverse=True, return_counts=True)
    weights: Vector = len(truth) / (len(counts) * counts[label])
    return wrong * weights


def behind_by(losses: Vector, best: Vector) -> float:
    """Return by how many standard errors losses exceed those of the best on the same rows.

    Parameters
    ----------
    losses, best : ndarray

    Returns
    -------
    float

    Examples
    --------
    >>> round(behind_by(np.array([1.0, 1.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0, 0.0])), 2)
    1.73
    """
    off = losses - best
    if len(off) < 2 or not off.any():
        return 0.0
    error = float(off.std(ddof=1)) / np.sqrt(len(off))
    if error == 0.0:
        return float(np.inf * np.sign(off[0]))
    return float(off.mean() / error)
