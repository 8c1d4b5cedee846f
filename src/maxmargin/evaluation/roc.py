"""ROC curves of decision values: their points, and the area below them (AUC)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import auc, roc_curve


@dataclass(frozen=True)
class RocCurve:
    """A ROC curve and the area below it.

    Attributes
    ----------
    fpr, tpr : ndarray
        False and true positive rates, both increasing.
    area : float
        The area under the curve.

    Examples
    --------
    >>> from maxmargin.evaluation import RocCurve
    >>> curve = RocCurve.from_scores([0, 0, 1, 1], [-2.0, 0.3, 0.1, 1.5], classes=[0, 1])
    >>> curve.area
    0.75
    """

    fpr: NDArray[np.float64]
    tpr: NDArray[np.float64]
    area: float

    @classmethod
    def from_scores(cls, y: ArrayLike, scores: ArrayLike, classes: ArrayLike) -> Self | None:
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

        Returns
        -------
        RocCurve or None
            None when ``y`` holds a single class, where no curve exists.
        """
        labels, values, names = np.asarray(y), np.asarray(scores), np.asarray(classes)
        columns = [(names[1], values)] if values.ndim == 1 else [*zip(names, values.T, strict=True)]
        curves = [
            roc_curve(labels == name, column, drop_intermediate=False)[:2]
            for name, column in columns
            if 0 < np.count_nonzero(labels == name) < len(labels)
        ]
        return cls._averaged(curves) if curves else None

    @classmethod
    def _averaged(cls, curves: list[tuple[Any, Any]]) -> Self:
        if len(curves) == 1:
            fpr, tpr = curves[0]
        else:
            fpr, tpr = _average(curves)
        return cls(fpr=fpr, tpr=tpr, area=float(auc(fpr, tpr)))


def _average(curves: list[tuple[Any, Any]]) -> tuple[Any, Any]:
    """Average true positive rates at each false positive rate, keeping the vertical steps.

    Each rate stands twice on the grid, before and after the steps there: the area of the average
    is then exactly the average of the areas.
    """
    grid = np.unique(np.concatenate([fpr for fpr, _ in curves]))
    before = np.mean([np.interp(-grid, -fpr[::-1], tpr[::-1]) for fpr, tpr in curves], axis=0)
    after = np.mean([np.interp(grid, fpr, tpr) for fpr, tpr in curves], axis=0)
    return np.repeat(grid, 2), np.column_stack([before, after]).ravel()
