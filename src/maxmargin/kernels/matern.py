r"""Kernels between the Laplacian and the RBF: Matérn's and the rational quadratic.

With a squared Euclidean distance or a city-block distance d(x, y) and s = gamma d:

    Matérn 3/2             (1 + (3 s)^1/2) exp(-(3 s)^1/2)
    Matérn 5/2             (1 + (5 s)^1/2 + 5 s / 3) exp(-(5 s)^1/2)
    rational quadratic     (1 + s / alpha)^-alpha

All three are completely monotone functions of s, so mixtures of exp(-t d) over t > 0 (Bernstein),
and exp(-t d) is positive semidefinite for either distance (Schoenberg, "Metric spaces and positive
definite functions", 1938; Rasmussen and Williams, "Gaussian processes for machine learning", 2006,
eq. 4.17 and 4.19, state them for the Euclidean distance).
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels.base import check_finite, shown
from maxmargin.kernels.points import FloatArray, Points
from maxmargin.kernels.stationary import RBF, ExpOfDistance, Laplacian

METRICS = ("squared", "absolute")
_STEEPEST = 1.5  # |dk/ds| at most, where that of the exponential is at most 1


class RadialProfile(ExpOfDistance):
    """A decreasing function of gamma times a distance, 1 at distance 0."""

    metric: str

    def _check_params(self) -> None:
        self._check_gamma()
        if self.metric not in METRICS:
            raise ValueError(
                f"{type(self).__name__} needs metric 'squared' or 'absolute', "
                f"got {shown(self.metric)}."
            )

    @property
    def distance(self) -> str:
        """The metric."""
        return self.metric

    @property
    def _exponential(self) -> RBF | Laplacian:
        return RBF(gamma=self.rate) if self.metric == "squared" else Laplacian(gamma=self.rate)

    def prepare(self, X: Any) -> Points:
        """Check X; of a squared distance, take the squared length of each row."""
        kind = RBF if self.metric == "squared" else Laplacian
        return kind(gamma=1.0).prepare(X)

    def errors(self, A: Points) -> NDArray[np.float64]:
        """Those of the exponential of the same exponent, whose slope is 1 at most."""
        return np.sqrt(_STEEPEST) * self._exponential.errors(A)

    def distances(self, A: Points, B: Points, out: FloatArray) -> None:
        """Fill a tile with distances."""
        self._exponential.distances(A, B.astype(A.dtype), out)

    def of_distances(self, D: FloatArray, out: FloatArray) -> None:
        """Fill a tile from the distances of its rows."""
        rate = D.dtype.type(min(self.rate, float(np.finfo(D.dtype).max)))
        with np.errstate(over="ignore"):  # an infinite distance has no similarity, as it should
            np.multiply(D, rate, out=out)
        self._profile(out)

    def fill(self, A: Points, B: Points, out: FloatArray) -> None:
        """Measure the distances and take the function of them."""
        self.distances(A, B, out)
        self.of_distances(out, out)

    @abstractmethod
    def _profile(self, s: FloatArray) -> None:
        """Turn gamma times the distance into kernel values, in place."""


class Matern(RadialProfile):
    """Matérn's kernel of smoothness 3/2 or 5/2: rougher than the RBF, smoother than the Laplacian.

    Parameters
    ----------
    nu : {1.5, 2.5}, default=1.5
        Smoothness.
    gamma : float, "scale" or "auto", default=1.0
        At least 0; "scale" is 1 / (columns * variance) of the rows of a fit, "auto" 1 / columns.
        With the squared metric and a length scale l, gamma = 1 / l^2 is Matérn's usual form.
    metric : {"squared", "absolute"}, default="squared"
        The squared Euclidean distance, or the sum of absolute differences.

    Examples
    --------
    >>> Matern(nu=1.5, gamma=1 / 3)([[0.0], [1.0]]).round(3).tolist()
    [[1.0, 0.736], [0.736, 1.0]]
    """

    def __init__(self, nu: float = 1.5, gamma: float | str = 1.0, metric: str = "squared") -> None:
        self.nu = nu
        self.gamma = gamma
        self.metric = metric
        self._check_params()

    def _check_params(self) -> None:
        super()._check_params()
        if self.nu not in (1.5, 2.5):
            raise ValueError(f"Matern needs nu 1.5 or 2.5, got {shown(self.nu)}.")

    def _profile(self, s: FloatArray) -> None:
        root = np.sqrt(s.dtype.type(2.0 * self.nu) * s)
        if self.nu == 2.5:
            s *= s.dtype.type(5.0 / 3.0)
        else:
            s[...] = 0
        s += root
        s += s.dtype.type(1)
        np.negative(root, out=root)
        near = np.exp(root, out=root)
        with np.errstate(invalid="ignore"):
            s *= near
        s[near == 0] = 0


class RationalQuadratic(RadialProfile):
    """(1 + gamma d / alpha)^-alpha: RBFs of many widths at once, with a tail that never ends.

    Parameters
    ----------
    alpha : float, default=1.0
        Greater than 0; the larger, the nearer to exp(-gamma d).
    gamma : float, "scale" or "auto", default=1.0
        At least 0; "scale" is 1 / (columns * variance) of the rows of a fit, "auto" 1 / columns.
    metric : {"squared", "absolute"}, default="squared"
        The squared Euclidean distance, or the sum of absolute differences.

    Examples
    --------
    >>> RationalQuadratic(alpha=1.0, gamma=1.0)([[0.0], [1.0]]).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """

    def __init__(
        self, alpha: float = 1.0, gamma: float | str = 1.0, metric: str = "squared"
    ) -> None:
        self.alpha = alpha
        self.gamma = gamma
        self.metric = metric
        self._check_params()

    def _check_params(self) -> None:
        super()._check_params()
        check_finite(self, "alpha", self.alpha)
        if not self.alpha > 0:
            raise ValueError(f"RationalQuadratic needs alpha > 0, got {shown(self.alpha)}.")

    def _profile(self, s: FloatArray) -> None:
        s /= s.dtype.type(self.alpha)
        s += s.dtype.type(1)
        if self.alpha == 1.0:
            np.reciprocal(s, out=s)
        else:
            np.power(s, s.dtype.type(-self.alpha), out=s)
