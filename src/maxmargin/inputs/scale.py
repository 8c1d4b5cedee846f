"""Columns of different scales: a distance between rows is then that of the largest columns.

A column's part in squared distances is its variance. The columns are unscaled if the smaller half
of them has next to no part in the distances, and if this is not due to a few extreme values: the
spread of a large column is the smaller of its standard deviation and what its quartiles say.
Sparse columns and those with a heavy tail have a small spread in this sense, so pixels,
indicators, counts of words and a single long tail are no reason to warn.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.inputs.container import column_names
from maxmargin.inputs.warning import warn_user

Vector = NDArray[np.float64]

_SHARE = 0.005  # of squared distances: a factor of 14 between two columns
_SAMPLE = 1024  # rows that tell
_FEWEST = 10  # rows without which quartiles say little
_OF_NORMAL = 1.349  # standard deviations between the quartiles of a normal column


class UnscaledColumnsWarning(UserWarning):
    """Columns of different scales where a kernel adds them up.

    Examples
    --------
    >>> import warnings
    >>> from maxmargin import UnscaledColumnsWarning
    >>> warnings.simplefilter("ignore", UnscaledColumnsWarning)  # the units are meant
    """


def warn_of_scales(owner: str, X: Any, given: Any, first: Any) -> None:
    """Warn if few columns make all of the distances between rows.

    Parameters
    ----------
    owner : str
        The estimator, as its user calls it.
    X : ndarray or CSR matrix
        Checked rows.
    given : array-like or DataFrame
        What X was made of, whose names of columns are used.
    first : callable
        Whether this is to be said, asked only if there is something to say.
    """
    if sparse.issparse(X) or len(X) < _FEWEST or X.shape[1] < 2:
        return
    extremes = _extremes(X[:: max(1, len(X) // _SAMPLE)])
    if extremes is None or not first() or _fits_a_fold():
        return
    names = column_names(given)
    large, small = (f"column {j}" if names is None else repr(names[j]) for j in extremes)
    warn_user(
        "The columns of X differ in scale by orders of magnitude: the largest, such as "
        f"{large}, decide distances between rows, and half of the columns, such as {small}, hardly "
        f"count. Scale them: make_pipeline(StandardScaler(), {owner}(...)).",
        UnscaledColumnsWarning,
    )


def _extremes(rows: NDArray[Any]) -> tuple[int, int] | None:
    """Find the columns of the largest and the smallest spread, if the smaller half has no part."""
    variance = _variances(rows)
    order = np.argsort(variance)
    order = order[variance[order] > 0]  # constant columns have no part in any distance
    half = (len(order) + 1) // 2
    if len(order) < 2 or not np.isfinite(variance[order[-1]]):
        return None
    small, large = float(variance[order[:half]].sum()), order[half:]
    if small >= _SHARE * float(variance[large].sum()):
        return None
    low, high = np.percentile(rows[:, large], [25.0, 75.0], axis=0)
    within = np.minimum(np.square((high - low) / _OF_NORMAL), variance[large])
    if small >= _SHARE * float(within.sum()):
        return None
    return int(large[within.argmax()]), int(order[0])


def _variances(rows: NDArray[Any]) -> Vector:
    with np.errstate(over="ignore", invalid="ignore"):
        off = rows - rows.mean(axis=0, dtype=np.float64)
        found: Vector = np.einsum("ij,ij->j", off, off)
    return found / len(rows)


def _fits_a_fold() -> bool:
    """Whether a search of scikit-learn fits a part of the rows, before it fits all of them.

    Or a worker of a pool does, where nobody would see to whom it is said.
    """
    frame, pooled = sys._getframe(), False
    while frame.f_back is not None:
        frame = frame.f_back
        module = str(frame.f_globals.get("__name__", ""))
        pooled = pooled or module.startswith("joblib")
        if pooled and module.startswith("sklearn.model_selection._search"):
            return True
        if module.startswith("joblib.externals"):
            return True
    return False
