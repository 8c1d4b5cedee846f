"""Kernels of a distance: exp(-gamma |x - y|^2) and exp(-gamma |x - y|_1)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.kernels.base import Shift, Takes, check_finite
from maxmargin.kernels.gamma import ALLOWED, HasGamma
from maxmargin.kernels.points import (
    FloatArray,
    Points,
    as_factor,
    as_points,
    check_widths,
    dense_tiles,
    dot,
    dot_units,
    row_major,
    squared_lengths,
)
from maxmargin.kernels.rounding import units
from maxmargin.ops.engine import engine_of
from maxmargin.ops.kinds import RADIAL


class ExpOfDistance(HasGamma):
    """exp(-rate * distance): 1 on the diagonal, between 0 and 1 elsewhere."""

    takes = Takes.VECTORS
    selective = False
    linear = False
    adds_columns = True  # a distance is a sum over columns
    shift = Shift.NOTHING  # a distance does not change
    psd = True  # the exponential of either negated distance is a characteristic function

    def n_features(self, columns: int) -> float:  # noqa: ARG002
        """Infinitely many: the expansion of the exponential has no end."""
        return np.inf

    def diagonal(self, A: Points) -> FloatArray:
        """Ones: a point has distance 0 from itself."""
        return np.ones(len(A), A.dtype)

    def of_distances(self, D: FloatArray, out: FloatArray) -> None:
        """Fill a tile from the distances of its rows, which serve kernels of every rate."""
        rate = D.dtype.type(min(self.rate, float(np.finfo(D.dtype).max)))
        engine_of(out).kernel_epilogue.exp_of_distances(rate, D, out)

    def _finish(self, a: FloatArray, b: FloatArray, out: FloatArray) -> None:
        """Set out <- exp(-rate * max(0, a + b' - 2 out))."""
        rate = out.dtype.type(min(self.rate, float(np.finfo(out.dtype).max)))
        engine_of(out).kernel_epilogue.exp_of_distance(rate, a, b, *row_major(out))


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

    @property
    def distance(self) -> str:
        """Euclid's, squared."""
        return "squared"

    @property
    def formula(self) -> tuple[int, NDArray[np.float64]]:
        """An exponential of dot products and squared lengths."""
        return RADIAL, np.array([self.rate, 0.0, 0.0])

    def prepare(self, X: Any) -> Points:
        """Check X and take the squared length of each row."""
        return as_factor(X, sq_norms=True)

    def errors(self, A: Points) -> NDArray[np.float64]:
        """Those of the exponent, where the value is not 0: then both rows are about as long.

        The exponent gamma (|x|^2 + |y|^2 - 2 <x, y>) is off by its parts' errors, 2 gamma |x| |y|
        times the dot product's units and 1.2 gamma (|x|^2 + |y|^2), and the value by that times
        exp(-r^2), r = gamma^1/2 |x - y|. With s = gamma^1/2 |x| and gamma^1/2 |y| <= s + r, and
        because r exp(-r^2) <= 0.43 and r^2 exp(-r^2) <= 0.37, this is what comes out.
        """
        squares = A.sq_norms
        if squares is None or squares.dtype != np.float64:
            squares = squared_lengths(A.X)
        s = np.sqrt(self.rate * squares)
        product, lengths = s * (s + 0.43), 2 * s**2 + 0.86 * s + 0.37
        return np.sqrt(2 * dot_units(A) * product + 1.2 * lengths + 2.0)

    def fill(self, A: Points, B: Points, out: FloatArray) -> None:
        """One matrix product and one pass over it."""
        B = B.astype(A.dtype)
        dot(A, B, out)
        assert A.sq_norms is not None
        assert B.sq_norms is not None
        self._finish(A.sq_norms, B.sq_norms, out)

    def distances(self, A: Points, B: Points, out: FloatArray) -> None:
        """Fill a tile with squared distances."""
        dot(A, B, out)
        assert A.sq_norms is not None
        assert B.sq_norms is not None
        np.subtract(B.sq_norms, 2 * out, out=out)
        np.maximum(out + A.sq_norms[:, None], 0.0, out=out)


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

    @property
    def distance(self) -> str:
        """City blocks."""
        return "absolute"

    def prepare(self, X: Any) -> Points:
        """Check X; nothing can be done beforehand."""
        return as_points(X)

    def errors(self, A: Points) -> NDArray[np.float64]:
        """Those of the sum in the exponent r, times exp(-r): r exp(-r) is below 0.37."""
        return np.full(len(A), np.sqrt(0.37 * (units(A.X.shape[1]) + 2.0) + 2.0))

    def fill(self, A: Points, B: Points, out: FloatArray) -> None:
        """Sum absolute differences, sparse rows written out a tile at a time."""
        self._products(A, B, out)
        self._finish(np.zeros(len(A), A.dtype), np.zeros(len(B), A.dtype), out)

    def distances(self, A: Points, B: Points, out: FloatArray) -> None:
        """Fill a tile with sums of absolute differences."""
        self._products(A, B, out)
        out *= -2.0

    def _products(self, A: Points, B: Points, out: FloatArray) -> None:
        """Fill a tile with -1/2 of the distance, as a dot product of rows without length has it."""
        check_widths(A, B)
        B, l1_product = B.astype(A.dtype), engine_of(out).kernel_l1.l1_product
        for rows in dense_tiles(A):
            part = _dense(A.X[rows])
            for columns in dense_tiles(B):
                l1_product(part, _dense(B.X[columns]), *row_major(out[rows, columns]))


def _dense(X: Any) -> FloatArray:
    dense: FloatArray = X.toarray() if sparse.issparse(X) else X
    return dense
