"""Kernels of a distance: exp(-gamma |x - y|^2) and exp(-gamma |x - y|_1)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from maxmargin.kernels.base import check_finite
from maxmargin.kernels.gamma import ALLOWED, HasGamma
from maxmargin.kernels.points import (
    FloatArray,
    Points,
    as_factor,
    as_points,
    check_widths,
    dense_tiles,
    dot,
    row_major,
)
from maxmargin.ops.cpu.kernel_epilogue import exp_of_distance
from maxmargin.ops.cpu.kernel_l1 import l1_product


class ExpOfDistance(HasGamma):
    """exp(-rate * distance): 1 on the diagonal, between 0 and 1 elsewhere."""

    @property
    def psd(self) -> bool:
        """True: the exponential of either negated distance is a characteristic function."""
        return True

    def diagonal(self, A: Points) -> FloatArray:
        """Ones: a point has distance 0 from itself."""
        return np.ones(len(A), A.dtype)

    def _finish(self, a: FloatArray, b: FloatArray, out: FloatArray) -> None:
        """Set out <- exp(-rate * max(0, a + b' - 2 out))."""
        rate = out.dtype.type(min(self.rate, float(np.finfo(out.dtype).max)))
        exp_of_distance(rate, a, b, *row_major(out))


class RBF(ExpOfDistance):
    """exp(-gamma |x - y|^2), given by gamma or by sigma with gamma = 1 / (2 sigma^2).

    The squared distance is taken as |x|^2 + |y|^2 - 2 <x, y>. Columns far from zero compared with
    their spread lose digits in that difference, most of all in float32: centre the data first
    (a distance does not notice).

    Parameters
    ----------
    gamma : float, "scale" or "auto", optional
        At least 0; "scale" is 1 / (columns * variance) of the rows of a fit, "auto" 1 / columns.
        Give either gamma or sigma.
    sigma : float, optional
        Greater than 0: the standard deviation of the bell.

    Examples
    --------
    >>> RBF(gamma=0.5)([[0.0], [1.0]]).round(3).tolist()
    [[1.0, 0.607], [0.607, 1.0]]
    >>> RBF(sigma=2.0).rate
    0.125
    >>> RBF(gamma="scale").resolved([[0.0], [1.0]])
    RBF(gamma=4.0)
    """

    def __init__(self, gamma: float | str | None = None, sigma: float | None = None) -> None:
        self.gamma = gamma
        self.sigma = sigma
        self._check_params()

    def _check_params(self) -> None:
        if (self.gamma is None) == (self.sigma is None):
            raise ValueError(f"RBF needs exactly one of gamma and sigma: {ALLOWED}, or sigma > 0.")
        if self.gamma is not None:
            self._check_gamma()
        else:
            check_finite(self, "sigma", self.sigma)
            if not self.sigma > 0:  # type: ignore[operator]
                raise ValueError(f"RBF needs sigma > 0, got {self.sigma}.")

    @property
    def rate(self) -> float:
        """The gamma in effect, given or worked out from sigma."""
        if self.gamma is not None:
            return super().rate
        with np.errstate(
            divide="ignore", over="ignore"
        ):  # a vanishing sigma compares for equality, as it should
            return float(np.float64(0.5) / np.float64(self.sigma) / np.float64(self.sigma))

    def prepare(self, X: Any) -> Points:
        """Check X and take the squared length of each row."""
        return as_factor(X, sq_norms=True)

    def fill(self, A: Points, B: Points, out: FloatArray) -> None:
        """One matrix product and one pass over it."""
        B = B.astype(A.dtype)
        dot(A, B, out)
        assert A.sq_norms is not None
        assert B.sq_norms is not None
        self._finish(A.sq_norms, B.sq_norms, out)


class Laplacian(ExpOfDistance):
    """exp(-gamma |x - y|_1), with the sum of absolute differences.

    Parameters
    ----------
    gamma : float, "scale" or "auto", default=1.0
        At least 0; "scale" is 1 / (columns * variance) of the rows of a fit, "auto" 1 / columns.

    Examples
    --------
    >>> Laplacian(gamma=0.5)([[0.0, 0.0], [1.0, 1.0]]).round(3).tolist()
    [[1.0, 0.368], [0.368, 1.0]]
    """

    def __init__(self, gamma: float | str = 1.0) -> None:
        self.gamma = gamma
        self._check_params()

    def _check_params(self) -> None:
        self._check_gamma()

    def prepare(self, X: Any) -> Points:
        """Check X; nothing can be done beforehand."""
        return as_points(X)

    def fill(self, A: Points, B: Points, out: FloatArray) -> None:
        """Sum absolute differences, sparse rows written out a tile at a time."""
        check_widths(A, B)
        B = B.astype(A.dtype)
        for rows in dense_tiles(A):
            part = _dense(A.X[rows])
            for columns in dense_tiles(B):
                l1_product(part, _dense(B.X[columns]), *row_major(out[rows, columns]))
        self._finish(np.zeros(len(A), A.dtype), np.zeros(len(B), A.dtype), out)


def _dense(X: Any) -> FloatArray:
    dense: FloatArray = X.toarray() if sparse.issparse(X) else X
    return dense
