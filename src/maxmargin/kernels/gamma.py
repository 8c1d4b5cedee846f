"""Gamma: a number, or the name of one that the rows decide.

    "scale"    1 / (columns * variance of all entries)
    "auto"     1 / columns

as in scikit-learn. A name becomes a number once, on the rows that a model is fitted to, and new
rows see the same number.
"""

from __future__ import annotations

from copy import copy
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.kernels.base import Kernel, shown
from maxmargin.kernels.points import as_matrix

NAMES = ("scale", "auto")
ALLOWED = "a finite number >= 0, 'scale' or 'auto' for gamma"
_SMALLEST = float(np.finfo(np.float64).tiny)  # whose inverse is still a number


class HasGamma(Kernel):
    """A kernel with a width gamma, which the rows may decide."""

    gamma: float | str | None

    @property
    def rate(self) -> float:
        """Gamma as a number."""
        if isinstance(self.gamma, str):
            raise ValueError(
                f"{self!r} takes its gamma from the rows of a fit: use {self!r}.resolved(X)."
            )
        return float(self.gamma)  # type: ignore[arg-type]

    def resolved(self, X: Any, weight: NDArray[np.float64] | None = None) -> Self:
        """Put a number for gamma's name."""
        if not isinstance(self.gamma, str):
            return self
        same = copy(self)
        same.gamma = resolve(self.gamma, as_matrix(X), weight)
        return same

    def _check_gamma(self) -> None:
        gamma = self.gamma
        if isinstance(gamma, str) and gamma in NAMES:
            return
        a_number = isinstance(gamma, Real) and not isinstance(gamma, bool | np.bool_)
        if a_number and 0 <= float(gamma) < np.inf:  # type: ignore[arg-type]
            return
        sentence = f"{type(self).__name__} needs {ALLOWED}, got {shown(gamma)}."
        raise (ValueError if a_number or isinstance(gamma, str) else TypeError)(sentence)


def resolve(gamma: str, X: Any, weight: NDArray[np.float64] | None = None) -> float:
    """Return the number that a name means on rows.

    The variance counts a row as often as its weight says, so that a weight of 2 and a row given
    twice make the same kernel.

    Examples
    --------
    >>> resolve("auto", np.ones((3, 4))), resolve("scale", np.array([[0.0, 2.0]]))
    (0.25, 0.5)
    """
    if gamma == "auto":
        return 1.0 / float(X.shape[1])
    with np.errstate(over="ignore", invalid="ignore"):
        if weight is None and not sparse.issparse(X):
            variance = float(X.var(dtype=np.float64))
        else:
            variance = _weighted_variance(
                X, np.ones(X.shape[0]) if weight is None else np.maximum(weight, 0.0)
            )
    if not variance > 0:  # all entries are equal, or too large to tell
        return 1.0
    return 1.0 / max(X.shape[1] * variance, _SMALLEST)


def _weighted_variance(X: Any, w: NDArray[np.float64]) -> float:
    """Compute the variance of all entries, each counted as often as its row."""
    size = float(w.sum()) * X.shape[1]
    if sparse.issparse(X):
        mean = float((w @ X).sum()) / size
        return float((w @ X.multiply(X)).sum()) / size - mean**2
    # einsum rather than BLAS, whose sums depend on the number of its threads
    mean = float(np.einsum("i,ij->", w, X)) / size
    return float(np.einsum("i,ij,ij->", w, X - mean, X - mean)) / size
