r"""Precision-recall curves of decision values: their points, and the average precision.

At the n-th threshold from above let R_n be the share of positive rows that are found and P_n the
share of positives among the rows found; the average precision is the area below the steps,

    AP = sum_n (R_n - R_{n-1}) P_n.

Points are not joined by straight lines, which promise more than any threshold keeps (Davis and
Goadrich, "The relationship between precision-recall and ROC curves", ICML 2006).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import precision_recall_curve

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class PrecisionRecallCurve:
    """A precision-recall curve as steps, and the area below them.

    Attributes
    ----------
    recall : ndarray
        Where steps end, increasing from 0 to 1.
    precision : ndarray
        Of the step that ends there.
    area : float
        The average precision.
    chance : float
        The precision of guessing: the share of positive rows.

    Examples
    --------
    >>> from maxmargin.evaluation import PrecisionRecallCurve
    >>> curve = PrecisionRecallCurve.from_scores([0, 0, 1, 1], [-2.0, 0.3, 0.1, 1.5], [0, 1])
    >>> round(curve.area, 4), curve.chance
    (0.8333, 0.5)
    """

    recall: Vector
    precision: Vector
    area: float
    chance: float

    @classmethod
    def from_scores(
        cls, y: ArrayLike, scores: ArrayLike, classes: ArrayLike, sample_weight: Any = None
    ) -> Self | None:
        """Make the curve of decision values.

        Two classes give one curve. More give the average of the curves of each class against the
        rest, over the classes that occur.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            True labels.
        scores : array-like of shape (n_samples,) or (n_samples, n_classes)
            Decision values: of the second class, or one column a class.
        classes : array-like of shape (n_classes,)
            The labels in the order of the columns.
        sample_weight : array-like of shape (n_samples,), default=None

        Returns
        -------
        PrecisionRecallCurve or None
            None when no row, or every row, is of a class to be found.
        """
        labels, values, names = np.asarray(y), np.asarray(scores), np.asarray(classes)
        columns = [(names[1], values)] if values.ndim == 1 else [*zip(names, values.T, strict=True)]
        curves = [
            _steps(labels == name, column, sample_weight)
            for name, column in columns
            if 0 < np.count_nonzero(labels == name) < len(labels)
        ]
        return cls._averaged(curves) if curves else None

    @classmethod
    def _averaged(cls, curves: list[tuple[Vector, Vector, float]]) -> Self:
        recall = np.unique(np.concatenate([curve[0] for curve in curves]))
        precision = np.mean([step(*curve[:2], recall) for curve in curves], axis=0)
        area = float(np.diff(recall) @ precision[1:])
        return cls(recall, precision, area, float(np.mean([curve[2] for curve in curves])))


def _steps(
    positive: NDArray[np.bool_], scores: Vector, sample_weight: Any
) -> tuple[Vector, Vector, float]:
    """List the points from the highest threshold down, those that find more alone."""
    precision, recall, _ = precision_recall_curve(positive, scores, sample_weight=sample_weight)
    recall, first = np.unique(recall[::-1], return_index=True)
    found = precision[::-1][first]
    found[0] = found[1]  # at recall 0 nothing is found; the first step begins there
    chance = float(np.average(positive, weights=sample_weight))
    return recall, found, chance


def step(recall: Vector, precision: Vector, where: Vector) -> Vector:
    """Evaluate steps: the precision of the first one that reaches a recall."""
    places = np.minimum(np.searchsorted(recall, where), len(recall) - 1)
    return precision[places]
