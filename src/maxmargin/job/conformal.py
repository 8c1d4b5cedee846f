"""Intervals around predicted quantities that hold the truth as often as they say.

Split conformal prediction (Lei, G'Sell, Rinaldo, Tibshirani and Wasserman, "Distribution-free
predictive inference for regression", JASA 2018) by the residuals of the folds, which are of rows
that the models had not seen. Residuals are divided by their usual size where the prediction is as
large, so that intervals are wide where the model is often far off.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from maxmargin.evaluation import Interval, clopper_pearson
from maxmargin.tables import InputError

Vector = NDArray[np.float64]
USUAL_LEVEL = 0.9
ROWS_A_KNOT = 50  # residuals that say how large they usually are
MOST_KNOTS = 20


def read_level(text: str) -> float | None:
    """Read a share such as 90% or 0.9; "none" is none.

    Parameters
    ----------
    text : str

    Returns
    -------
    float or None

    Examples
    --------
    >>> read_level("90%"), read_level("0.95"), read_level("none")
    (0.9, 0.95, None)
    """
    said = text.strip().lower()
    if said == "none":
        return None
    try:
        level = float(said.removesuffix("%")) / (100.0 if said.endswith("%") else 1.0)
    except ValueError:
        level = math.nan
    if not 0.0 < level < 1.0:
        raise InputError(f"--interval is a share such as 90%, or none, and not {text!r}.")
    return level


@dataclass(frozen=True)
class Spread:
    """How far off predictions usually are, by how large they are: linear between knots.

    Parameters
    ----------
    knots : ndarray
        Predictions, ascending.
    sizes : ndarray
        Mean absolute residual there.
    """

    knots: Vector
    sizes: Vector

    def at(self, predicted: Vector) -> Vector:
        """Return the usual size of residuals of predictions.

        Parameters
        ----------
        predicted : ndarray

        Returns
        -------
        ndarray
        """
        return np.interp(predicted, self.knots, self.sizes)


def learn_spread(predicted: Vector, off: Vector) -> Spread:
    """Learn how far off predictions are, by how large they are.

    Parameters
    ----------
    predicted, off : ndarray
        Predictions, and their absolute residuals.

    Returns
    -------
    Spread

    Examples
    --------
    >>> predicted = np.arange(1.0, 201.0)
    >>> learn_spread(predicted, predicted / 10).sizes.round(1).tolist()
    [2.6, 7.6, 12.6, 17.6]
    """
    order = np.argsort(predicted, kind="stable")
    count = int(np.clip(len(off) // ROWS_A_KNOT, 1, MOST_KNOTS))
    parts = np.array_split(order, count)
    knots = np.array([predicted[part].mean() for part in parts])
    sizes = np.array([off[part].mean() for part in parts])
    least = max(float(off.mean()) * 1e-3, np.finfo(float).tiny)
    return Spread(knots, np.maximum(sizes, least))


@dataclass(frozen=True)
class Conformal:
    """Prediction ± factor · spread holds the truth in ``level`` of new rows.

    Parameters
    ----------
    level, factor : float
    spread : Spread
    """

    level: float
    factor: float
    spread: Spread

    def around(self, predicted: Vector) -> Vector:
        """Return the ends of the intervals around predictions.

        Parameters
        ----------
        predicted : ndarray of shape (rows,)

        Returns
        -------
        ndarray of shape (rows, 2)
        """
        half = self.factor * self.spread.at(predicted)
        return np.column_stack([predicted - half, predicted + half])


def learn_conformal(
    predicted: Sequence[Vector], truth: Sequence[Vector], level: float
) -> Conformal | None:
    """Learn intervals from the folds.

    Parameters
    ----------
    predicted, truth : sequence of ndarray
        Of each fold, of rows that it had not learned from.
    level : float

    Returns
    -------
    Conformal or None
        None where there are too few rows for the level.
    """
    off = [np.abs(np.asarray(t, float) - p) for p, t in zip(predicted, truth, strict=True)]
    n = sum(map(len, off))
    place = math.ceil((n + 1) * level)
    if place > n:
        return None
    # The spread that divides a fold's residuals is that of the other folds.
    relative = [own / _spread_of_others(predicted, off, fold) for fold, own in enumerate(off)]
    factor = float(np.partition(np.concatenate(relative), place - 1)[place - 1])
    return Conformal(level, factor, learn_spread(np.concatenate(predicted), np.concatenate(off)))


def _spread_of_others(predicted: Sequence[Vector], off: Sequence[Vector], fold: int) -> Vector:
    others = [place for place in range(len(off)) if place != fold] or [fold]
    known = [np.concatenate([each[place] for place in others]) for each in (predicted, off)]
    return learn_spread(known[0], known[1]).at(predicted[fold])


class IntervalRegressor(RegressorMixin, BaseEstimator):
    """A fitted regressor with an interval around every prediction.

    Parameters
    ----------
    model : regressor
        Fitted.
    conformal : Conformal
    """

    def __init__(self, model: Any, conformal: Conformal) -> None:
        self.model = model
        self.conformal = conformal

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        """Take the rows that the model takes."""
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.model).input_tags
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the same model to other rows; its intervals stay those that the folds taught.

        Parameters
        ----------
        X, y
            Rows, and what to predict.

        Returns
        -------
        self : object
        """
        self.model = clone(self.model).fit(X, y)
        return self

    def predict(self, X: Any) -> Vector:
        """Return the prediction of each row."""
        return np.asarray(self.model.predict(X), np.float64)

    def predict_interval(self, X: Any) -> Vector:
        """Return the lower and the upper end of each row's interval."""
        return self.conformal.around(self.predict(X))


def with_intervals(model: Pipeline, conformal: Conformal | None) -> Pipeline:
    """Return a fitted pipeline whose last step has intervals.

    Parameters
    ----------
    model : Pipeline
    conformal : Conformal or None
        None leaves the pipeline as it is.

    Returns
    -------
    Pipeline
    """
    if conformal is None:
        return model
    *before, (name, last) = model.steps
    return Pipeline([*before, (name, IntervalRegressor(last, conformal))])


def intervals_of(model: Pipeline, X: Any) -> Vector | None:
    """Return the ends of the intervals of rows; None where the model has none.

    Parameters
    ----------
    model : Pipeline
        Fitted.
    X : DataFrame

    Returns
    -------
    ndarray of shape (rows, 2), or None
    """
    last = model.steps[-1][1]
    if not isinstance(last, IntervalRegressor):
        return None
    return last.predict_interval(model[:-1].transform(X) if len(model.steps) > 1 else X)


@dataclass(frozen=True)
class IntervalResult:
    """Intervals on the test rows.

    Parameters
    ----------
    level : float
        How often they say that they hold the truth.
    coverage : Interval
        How often they did.
    width : float
        Of half of them at most.
    ends : ndarray of shape (rows, 2)
    """

    level: float
    coverage: Interval
    width: float
    ends: Vector


def judge_intervals(level: float, ends: Vector, truth: Vector) -> IntervalResult:
    """Count how many test rows lie in their intervals.

    Parameters
    ----------
    level : float
    ends : ndarray of shape (rows, 2)
    truth : ndarray of shape (rows,)

    Returns
    -------
    IntervalResult
    """
    held = (ends[:, 0] <= truth) & (truth <= ends[:, 1])
    coverage = clopper_pearson(int(held.sum()), len(held))
    return IntervalResult(level, coverage, float(np.median(ends[:, 1] - ends[:, 0])), ends)
