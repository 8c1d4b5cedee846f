"""In which shape a quantity is learned: as it is, its logarithm, or the normal scores of its ranks.

A least-squares machine cares most for the largest errors. Where they grow with the target, as those
of prices do, a concave function of it is learned better. The shape is chosen by leaving rows out of
a few machines on some of the rows, which one factorisation gives for all shapes. What counts is the
squared error of the quantity itself. The mean of a function's inverse is not the inverse of its
mean, so predictions are averaged over the errors of unseen rows (the smearing estimate: Duan,
"Smearing estimate: a nonparametric retransformation method", JASA 78, 1983).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.ops.clock import TimeUp, look, stop_if_over
from maxmargin.tabular.candidate import Candidate
from maxmargin.tabular.distances import Distances
from maxmargin.tabular.least_squares import solve
from maxmargin.tabular.preparation import Preparation, rank_knots

Vector = NDArray[np.float64]
Matrix = NDArray[Any]

SHAPES = ("as it is", "logarithm", "ranks")
ROWS, LEAST_ROWS = 600, 100  # by which a shape is chosen, and below which there is no choice
GAMMAS, RIDGES = (0.15, 0.5, 1.5), (0.03, 0.3)
LEAST_GAIN = 0.02  # share of the squared error that another shape has to save
SMEARED = 25  # quantiles of the errors that predictions are averaged over


@dataclass(frozen=True)
class TargetShape:
    """An increasing function of the target, and its inverse.

    Examples
    --------
    >>> shape = TargetShape("logarithm")
    >>> shape.inverse(shape.of(np.array([1.0, 10.0]))).round(9).tolist()
    [1.0, 10.0]
    """

    name: str = SHAPES[0]
    knots: Vector | None = None
    """Of ranks: values of the target."""
    scores: Vector | None = None
    """Of ranks: the normal scores of the knots."""

    def __restored__(self) -> None:
        """Check what was read: ranks have knots in order."""
        if self.name not in SHAPES or (self.name == SHAPES[2]) != (self.knots is not None):
            raise ValueError("The shape of a stored machine's target is none that there is.")
        if self.knots is None or self.scores is None:
            return
        ordered = self.knots.shape == self.scores.shape and self.knots.ndim == 1
        if not (ordered and (np.diff(self.knots) > 0).all() and (np.diff(self.scores) > 0).all()):
            raise ValueError("The shape of a stored machine's target does not fit together.")

    def of(self, target: Vector) -> Vector:
        """Return the function of targets."""
        if self.name == "logarithm":
            return np.log(target)
        if self.knots is None or self.scores is None:
            return target
        return np.interp(target, self.knots, self.scores)

    def inverse(self, values: Vector) -> Vector:
        """Return the targets of values; of ranks none beyond those of the fit."""
        if self.name == "logarithm":
            with np.errstate(over="ignore"):
                return np.exp(values)
        if self.knots is None or self.scores is None:
            return values
        return np.interp(values, self.scores, self.knots)

    def mean(self, values: Vector, errors: Vector) -> Vector:
        """Return the mean target where a value may be off by any of some errors."""
        if self.name == SHAPES[0]:
            return values
        total = np.zeros(values.shape)
        for error in errors.tolist():
            total += self.inverse(values + error)
        return total / len(errors)


def smear(errors: Vector) -> Vector:
    """Return few errors that stand for all.

    Examples
    --------
    >>> smear(np.arange(101.0))[[0, 12, 24]].tolist()
    [2.0, 50.0, 98.0]
    """
    return np.quantile(errors, (np.arange(SMEARED) + 0.5) / SMEARED)


def choose_shape(
    columns: Sequence[NDArray[Any]], target: Vector, weight: Vector, seed: int
) -> TargetShape:
    """Choose the shape in which left-out rows are predicted best."""
    largest = float(np.abs(target).max())
    if len(target) < LEAST_ROWS or target.min() == target.max():
        return TargetShape()
    places = np.sort(np.random.default_rng(seed).permutation(len(target))[:ROWS])
    some, part = target[places] / largest, weight[places]  # so that squares stay finite
    every = [each for each in _shapes(some, part) if np.std(each.of(some)) > 0]
    if len(every) == 1:
        return TargetShape()
    try:
        errors = _errors([each[places] for each in columns], every, some, part)
    except (ValueError, TimeUp):  # no column of these few rows can be used, or time is up
        look()
        return TargetShape()
    best = 0
    for other in range(1, len(every)):
        if _is_better(errors[other], errors[best], part):
            best = other
    return next(each for each in _shapes(target, weight) if each.name == every[best].name)


def _is_better(errors: Vector, plain: Vector, weight: Vector) -> bool:
    """Whether errors are smaller by a share of them, and by more than chance."""
    saved = plain - errors
    doubt = float(saved.std()) / np.sqrt(len(saved))
    least = LEAST_GAIN * float(np.average(plain, weights=weight))
    return float(np.average(saved, weights=weight)) > max(doubt, least)


def _shapes(target: Vector, weight: Vector) -> Iterator[TargetShape]:
    """Yield the shapes that a target can take."""
    yield TargetShape()
    if target.min() > 0.0:
        yield TargetShape("logarithm")
    yield TargetShape("ranks", *rank_knots(target, weight))


def _errors(
    columns: Sequence[NDArray[Any]], every: Sequence[TargetShape], target: Vector, weight: Vector
) -> list[Vector]:
    """Return the squared errors of left-out rows in each shape, by the best of a few machines."""
    Y = np.column_stack([each.of(target) for each in every])
    offset, scale = Y.mean(axis=0), Y.std(axis=0)
    Y = (Y - offset) / scale
    names = [f"x{j}" for j in range(len(columns))]
    _, rows = Preparation.learn(columns, names, Y, weight)
    start = Candidate((0.5, 0.5, 0.5, 1.0, 1.0, 1.0, 1.0), "absolute", "exponential", 1.0, 1.0)
    D, median = Distances(rows).of(start)
    best: list[Vector] = [np.full(len(target), np.inf)] * len(every)
    spread = float(np.square(target - target.mean()).mean())
    for gamma, ridge in product(GAMMAS, RIDGES):
        stop_if_over()
        K = np.exp(D * np.float32(-gamma / median))
        found = solve(K, Y, ridge, weight / weight.mean())
        if found is None or not np.isfinite(found.values).all():
            continue
        values = found.values * scale + offset
        for k, each in enumerate(every):
            told = each.mean(values[:, k], smear(each.of(target) - values[:, k]))
            errors = np.square(told - target) / spread
            if errors.mean() < best[k].mean():
                best[k] = errors
    return best
