r"""Curves of several folds as one: their mean, and the band of one standard deviation around it.

ROC curves are averaged vertically, the true positive rates at each false positive rate (Fawcett,
"An introduction to ROC analysis", 2006, algorithm 3); of precision-recall curves, the precision at
each recall. The area is the mean of the folds' areas, not the area of the mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.evaluation.precision_recall import PrecisionRecallCurve, step
from maxmargin.evaluation.roc import RocCurve

Vector = NDArray[np.float64]

_POINTS = 201


@dataclass(frozen=True)
class Band:
    """A mean curve with a band around it.

    Attributes
    ----------
    x : ndarray
        False positive rates, or recalls.
    mean, low, high : ndarray
        True positive rates, or precisions: mean, and mean minus and plus one standard deviation.
    area, deviation : float
        Mean and standard deviation of the areas below the curves.
    curves : tuple
        The curves themselves.

    Examples
    --------
    >>> curve = RocCurve.from_scores([0, 0, 1, 1], [-2.0, 0.3, 0.1, 1.5], classes=[0, 1])
    >>> better = RocCurve.from_scores([0, 0, 1, 1], [-2.0, 0.0, 0.1, 1.5], classes=[0, 1])
    >>> band = band_of([curve, better])
    >>> band.area, round(band.deviation, 4)
    (0.875, 0.1768)
    """

    x: Vector
    mean: Vector
    low: Vector
    high: Vector
    area: float
    deviation: float
    curves: tuple[Any, ...] = field(repr=False)

    def __repr__(self) -> str:
        return f"Band({len(self.curves)} curves, area {self.area:.4g} ± {self.deviation:.3g})"

    @property
    def kind(self) -> type:
        """What the curves are."""
        return type(self.curves[0])


def band_of(curves: Sequence[RocCurve] | Sequence[PrecisionRecallCurve]) -> Band:
    """Average curves of one kind.

    Parameters
    ----------
    curves : sequence of RocCurve, or of PrecisionRecallCurve
        One a fold; a single one has no width.

    Returns
    -------
    Band
    """
    kinds = {type(curve) for curve in curves}
    if len(kinds) != 1 or not kinds <= {RocCurve, PrecisionRecallCurve}:
        raise TypeError("A band needs curves, all RocCurve or all PrecisionRecallCurve.")
    x = np.linspace(0.0, 1.0, _POINTS)
    heights = np.array([_at(curve, x) for curve in curves])
    mean, width = heights.mean(axis=0), _deviation(heights)
    areas = np.array([curve.area for curve in curves])
    ends = np.clip(mean - width, 0.0, 1.0), np.clip(mean + width, 0.0, 1.0)
    return Band(x, mean, *ends, float(areas.mean()), float(_deviation(areas)), tuple(curves))


def _at(curve: RocCurve | PrecisionRecallCurve, x: Vector) -> Vector:
    if isinstance(curve, PrecisionRecallCurve):
        return step(curve.recall, curve.precision, x)
    heights = np.interp(x, curve.fpr, curve.tpr)
    heights[0] = 0.0  # every curve begins at the origin, however high it rises there
    return heights


def _deviation(values: Vector) -> Any:
    return values.std(axis=0, ddof=1) if len(values) > 1 else np.zeros(values.shape[1:])
