r"""The area under a ROC curve with its interval, and two areas on the same rows compared.

With m positive rows of scores x_i and n negative ones of scores y_j, and psi(x, y) = 1 where
x > y, 1/2 where x = y and 0 otherwise,

    theta = 1/(mn) sum_ij psi(x_i, y_j)                                     the area,
    V_i = 1/n sum_j psi(x_i, y_j),   W_j = 1/m sum_i psi(x_i, y_j)          the placements,
    var theta = var(V) / m + var(W) / n                   (sample variances; covariances alike),
    z = (theta_1 - theta_2) / sqrt(var theta_1 + var theta_2 - 2 cov).

Placements are differences of ranks, so that all of it costs a sort (Sun and Xu). The interval is
that of logit theta, var theta / (theta (1 - theta))^2, carried back: it stays inside [0, 1].

References: DeLong, DeLong, Clarke-Pearson, Biometrics 44 (1988); Sun and Xu, IEEE Signal Processing
Letters 21 (2014); Pepe, "The Statistical Evaluation of Medical Tests" (2003), section 5.2.3, for
the logit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats
from scipy.special import expit, logit
from sklearn.utils.validation import check_consistent_length, column_or_1d

from maxmargin.evaluation.interval import Interval, check_share
from maxmargin.evaluation.verdict import Verdict, normal_verdict
from maxmargin.inputs.parameters import check_choice

Vector = NDArray[np.float64]

SCALES = ("logit", "plain")


def delong_interval(
    y: ArrayLike,
    scores: ArrayLike,
    *,
    pos_label: Any = None,
    level: float = 0.95,
    scale: str = "logit",
) -> Interval:
    """Compute the area under the ROC curve of scores, with DeLong's interval.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels of two classes.
    scores : array-like of shape (n_samples,)
        Larger for the positive class.
    pos_label : label, default=None
        The positive class; None for the larger of the two.
    level : float, default=0.95
        The approximate probability that the interval covers the truth.
    scale : {"logit", "plain"}, default="logit"
        Which quantity is treated as normal: the logit of the area, or the area itself, as in other
        programs.

    Returns
    -------
    Interval
        The ends are NaN if a class has a single row, or if all positive rows score above all
        negative ones (or below), because the placements then do not vary.

    Examples
    --------
    >>> print(delong_interval([0, 0, 0, 0, 1, 1, 1, 1], [1, 2, 3, 6, 4, 5, 7, 8]))
    0.875 (95 % interval 0.345 to 0.989, DeLong)
    """
    check_share("delong_interval", "level", level)
    check_choice("delong_interval", "scale", scale, SCALES)
    placed = _place(y, [scores], pos_label)
    area, deviation = float(placed.areas[0]), float(np.sqrt(placed.covariance[0, 0]))
    if not deviation > 0:
        return Interval(area, np.nan, np.nan, level, "DeLong")
    reach = float(stats.norm.ppf(0.5 + level / 2)) * deviation
    if scale == "plain":
        low, high = max(0.0, area - reach), min(1.0, area + reach)
    else:
        step = reach / (area * (1 - area))
        low, high = expit(logit(area) - step), expit(logit(area) + step)
    return Interval(area, float(low), float(high), level, "DeLong")


def delong_test(
    y: ArrayLike, first: ArrayLike, second: ArrayLike, *, pos_label: Any = None
) -> Verdict:
    """Test whether two scores of the same rows have equal areas under their ROC curves.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels of two classes.
    first, second : array-like of shape (n_samples,)
        Scores by two models, larger for the positive class.
    pos_label : label, default=None
        The positive class; None for the larger of the two.

    Returns
    -------
    Verdict
        For the first area minus the second.

    Examples
    --------
    >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> print(delong_test(y, [1, 2, 3, 6, 4, 5, 7, 8], [2, 1, 6, 5, 3, 4, 8, 7]))
    the difference may be chance (p = 0.39)
    """
    placed = _place(y, [first, second], pos_label)
    contrast = np.array([1.0, -1.0])
    variance = float(contrast @ placed.covariance @ contrast)
    return normal_verdict(float(contrast @ placed.areas), variance, "DeLong")


@dataclass(frozen=True)
class _Placed:
    """The areas of several scores and their covariance."""

    areas: Vector
    covariance: Vector


def _place(y: ArrayLike, scores: list[ArrayLike], pos_label: Any) -> _Placed:
    positive = positive_rows(y, pos_label)
    columns = [column_or_1d(column) for column in scores]
    check_consistent_length(positive, *columns)
    V, W = (
        np.array(side)
        for side in zip(*(_placements(column, positive) for column in columns), strict=True)
    )
    if min(V.shape[1], W.shape[1]) < 2:
        return _Placed(V.mean(axis=1), np.full((len(V), len(V)), np.nan))
    covariance = np.atleast_2d(np.cov(V)) / V.shape[1] + np.atleast_2d(np.cov(W)) / W.shape[1]
    return _Placed(V.mean(axis=1), covariance)


def _placements(scores: NDArray[Any], positive: NDArray[np.bool_]) -> tuple[Vector, Vector]:
    """Return V and W: the rank of a row among all, minus that within its class."""
    ranks, m = stats.rankdata(scores), int(positive.sum())
    above = ranks[positive] - stats.rankdata(scores[positive])
    below = ranks[~positive] - stats.rankdata(scores[~positive])
    return above / (len(scores) - m), 1.0 - below / m


def positive_rows(y: ArrayLike, pos_label: Any) -> NDArray[np.bool_]:
    """Return the rows of the positive class and those of the other."""
    labels = column_or_1d(y)
    classes = np.unique(labels)
    if len(classes) != 2:
        raise ValueError(
            f"An area under a ROC curve needs rows of two classes, got {len(classes)}; compare one"
            " class with the rest by y == label."
        )
    if pos_label is not None and pos_label not in classes:
        raise ValueError(f"pos_label={pos_label!r} is none of the classes {classes.tolist()}.")
    return np.asarray(labels == (classes[1] if pos_label is None else pos_label))
