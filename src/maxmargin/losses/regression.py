"""Losses for targets that are numbers: of the residual r = z - t, and Poisson's of counts.

Write [c] for 1 if c holds and 0 otherwise. With d = delta, q = level and e = epsilon:

    loss             L(z, t)                        dL/dz              L*(u, t)             finite for
    SquaredError     r^2 / 2                        r                  u t + u^2/2          all u
    AbsoluteError    |r|                            sign r             u t                  |u| <= 1
    Huber            r^2 / 2        for |r| <= d    max(-d, min(r, d)) u t + u^2/2          |u| <= d
                     d |r| - d^2/2  otherwise
    Quantile         (1 - q) r      for r >= 0      [r > 0] - q        u t                  -q <= u <= 1 - q
                     -q r           otherwise
    Insensitive      max(0, |r| - e)                sign r [|r| > e]   u t + e |u|          |u| <= 1
    SquaredInsensitive  max(0, |r| - e)^2           2 sign r max(0, |r| - e)  u t + e |u| + u^2/4  all u
    Poisson          e^z - t z + t log t - t        e^z - t            s log s - s          s = u + t >= 0
                                                                       - (t log t - t)

Half the square, so that minus the derivative is the residual that boosting fits, and so that Huber's
loss is the squared one for a large delta. Poisson's z is the logarithm of the mean, and its value
half the deviance. The best shifts are the mean, the median, the quantile of -r and the logarithm
of sum t / sum e^z; Huber's has no closed form, and its step is Friedman's: from the median, the mean
of the residuals cut off at delta.

Huber, Robust estimation of a location parameter, Ann. Math. Statist. 35 (1964) 73-101. Koenker and
Bassett, Regression quantiles, Econometrica 46 (1978) 33-50. Friedman, Greedy function approximation:
a gradient boosting machine, Ann. Statist. 29 (2001) 1189-1232, sections 4.1 to 4.4. Vapnik, The
Nature of Statistical Learning Theory (1995), section 6.1 (the insensitive zone).
"""  # noqa: E501  (a table is read across)

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlogy

from maxmargin.losses.base import FloatArray, Loss


class ResidualLoss(Loss):
    """A loss rho(r) of the residual r = z - t.

    To write one, define ``_value`` and ``_derivative``: rho(r) and rho'(r); and ``_curvature`` and
    ``_conjugate``, rho''(r) and rho*(u), if they are known. Each gets a float64 array that it may
    overwrite.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.losses import ResidualLoss
    >>> class LogCosh(ResidualLoss):
    ...     smooth = convex = True
    ...
    ...     def _value(self, r):
    ...         return np.logaddexp(r, -r) - np.log(2.0)
    ...
    ...     def _derivative(self, r):
    ...         return np.tanh(r)
    >>> LogCosh().derivative([3.0, 1.0], 1.0).round(3).tolist()
    [0.964, 0.0]
    """

    def value(self, z: ArrayLike, t: ArrayLike) -> FloatArray:
        """rho(z - t)."""
        return _apply(self._value, z, t)

    def derivative(self, z: ArrayLike, t: ArrayLike) -> FloatArray:
        """rho'(z - t); at a kink, one of the subgradients."""
        return _apply(self._derivative, z, t)

    def curvature(self, z: ArrayLike, t: ArrayLike) -> FloatArray:
        """rho''(z - t); where it jumps, a value between the sides."""
        return _apply(self._curvature, z, t)

    def conjugate(self, u: ArrayLike, t: ArrayLike) -> FloatArray:
        """U t + rho*(u), and +inf outside its domain."""
        with np.errstate(over="ignore", invalid="ignore"):
            slope = np.asarray(u, dtype=np.float64) + np.zeros(np.shape(t))
            rho = np.asarray(self._conjugate(np.atleast_1d(slope.copy())), np.float64)
            total = np.multiply(u, t, dtype=np.float64) + rho.reshape(slope.shape)
        return np.where(np.isinf(rho.reshape(slope.shape)), np.inf, total)[()]

    @property
    def has_curvature(self) -> bool:
        """Whether the loss knows its curvature."""
        return type(self)._curvature is not ResidualLoss._curvature

    @abstractmethod
    def _value(self, r: FloatArray) -> FloatArray: ...

    @abstractmethod
    def _derivative(self, r: FloatArray) -> FloatArray: ...

    def _curvature(self, r: FloatArray) -> FloatArray:
        raise NotImplementedError(self._lacks("curvature"))

    def _conjugate(self, u: FloatArray) -> FloatArray:
        raise NotImplementedError(self._lacks("conjugate"))


@dataclass(frozen=True)
class SquaredError(ResidualLoss):
    """r^2 / 2: least squares, whose best constant is the mean.

    Examples
    --------
    >>> SquaredError().value([2.0, 0.0], 3.0).tolist()
    [0.5, 4.5]
    """

    smooth: ClassVar[bool] = True
    convex: ClassVar[bool] = True

    def best_shift(self, z: FloatArray, t: FloatArray, weight: FloatArray) -> float:
        """Return the mean residual."""
        return float(weight @ (t - z) / weight.sum())

    def _value(self, r: FloatArray) -> FloatArray:
        np.square(r, out=r)
        return np.multiply(r, 0.5, out=r)

    def _derivative(self, r: FloatArray) -> FloatArray:
        return r

    def _curvature(self, r: FloatArray) -> FloatArray:
        r.fill(1.0)
        return r

    def _conjugate(self, u: FloatArray) -> FloatArray:
        return self._value(u)


@dataclass(frozen=True)
class AbsoluteError(ResidualLoss):
    """|r|: least absolute deviations, whose best constant is the median.

    Examples
    --------
    >>> AbsoluteError().value([2.0, 0.0], 3.0).tolist()
    [1.0, 3.0]
    """

    convex: ClassVar[bool] = True

    def best_shift(self, z: FloatArray, t: FloatArray, weight: FloatArray) -> float:
        """Return the weighted median of t - z."""
        return weighted_quantile(t - z, weight, 0.5)

    def domain(self, t: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Between -1 and 1."""
        return np.full(np.shape(t), -1.0), np.full(np.shape(t), 1.0)

    def _value(self, r: FloatArray) -> FloatArray:
        return np.abs(r, out=r)

    def _derivative(self, r: FloatArray) -> FloatArray:
        return np.sign(r, out=r)

    def _curvature(self, r: FloatArray) -> FloatArray:
        r.fill(0.0)
        return r

    def _conjugate(self, u: FloatArray) -> FloatArray:
        return np.where(np.abs(u) <= 1.0, 0.0, np.inf)


@dataclass(frozen=True)
class Huber(ResidualLoss):
    """r^2 / 2 near 0 and linear beyond delta: least squares that limits the effect of outliers.

    Parameters
    ----------
    delta : float, default=1.0
        Residuals beyond it are outliers.
    level : float, default=None
        If given, delta is recomputed in every round of boosting as this quantile of the absolute
        residuals, like ``alpha`` of scikit-learn's ``GradientBoostingRegressor(loss="huber")`` (0.9
        there). None keeps delta.

    Examples
    --------
    >>> Huber().value([0.5, 3.0], 0.0).tolist()
    [0.125, 2.5]
    """

    name: ClassVar[str] = "huber"
    smooth: ClassVar[bool] = True
    convex: ClassVar[bool] = True
    delta: float = 1.0
    level: float | None = None

    def __post_init__(self) -> None:
        if not 0.0 < self.delta < np.inf:
            raise ValueError(f"delta of Huber must be a number above 0. Got {self.delta!r}.")
        if self.level is not None and not 0.0 < self.level < 1.0:
            raise ValueError(f"level of Huber must lie between 0 and 1. Got {self.level!r}.")

    def fitted_to(self, z: FloatArray, t: FloatArray, weight: FloatArray) -> Self:
        """Return the loss with the quantile of the absolute residuals as delta, if level is set."""
        if self.level is None:
            return self
        delta = weighted_quantile(np.abs(t - z), weight, self.level)
        return replace(self, delta=max(delta, np.finfo(np.float64).tiny), level=None)

    def best_shift(self, z: FloatArray, t: FloatArray, weight: FloatArray) -> float:
        """Search for it; with a level give the median, since delta then follows the shift."""
        if self.level is None:
            return super().best_shift(z, t, weight)
        return weighted_quantile(t - z, weight, 0.5)

    def newton_shift(self, z: FloatArray, t: FloatArray, weight: FloatArray) -> float:
        """From the median, the mean of the residuals cut off at delta."""
        median = weighted_quantile(t - z, weight, 0.5)
        beyond = np.clip(t - z - median, -self.delta, self.delta)
        return median + float(weight @ beyond / weight.sum())

    def domain(self, t: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Between -delta and delta."""
        return np.full(np.shape(t), -self.delta), np.full(np.shape(t), self.delta)

    def _value(self, r: FloatArray) -> FloatArray:
        # With c = min(|r|, delta) both pieces are c (|r| - c / 2).
        np.abs(r, out=r)
        c = np.minimum(r, self.delta)
        r -= 0.5 * c
        return np.multiply(r, c, out=r)

    def _derivative(self, r: FloatArray) -> FloatArray:
        return np.clip(r, -self.delta, self.delta, out=r)

    def _curvature(self, r: FloatArray) -> FloatArray:
        return np.less(np.abs(r, out=r), self.delta, out=r)

    def _conjugate(self, u: FloatArray) -> FloatArray:
        return np.where(np.abs(u) <= self.delta, 0.5 * u * u, np.inf)


@dataclass(frozen=True)
class Quantile(ResidualLoss):
    """The pinball loss, whose best constant is the quantile of that level.

    Parameters
    ----------
    level : float, default=0.5
        Between 0 and 1: a target above the prediction costs ``level`` a unit, one below 1 -
        ``level``.

    Examples
    --------
    >>> Quantile(0.9).value([0.0, 2.0], 1.0).round(3).tolist()
    [0.9, 0.1]
    """

    convex: ClassVar[bool] = True
    level: float = 0.5

    def __post_init__(self) -> None:
        if not 0.0 < self.level < 1.0:
            raise ValueError(f"level of Quantile must lie between 0 and 1. Got {self.level!r}.")

    def best_shift(self, z: FloatArray, t: FloatArray, weight: FloatArray) -> float:
        """Return the weighted quantile of t - z."""
        return weighted_quantile(t - z, weight, self.level)

    def domain(self, t: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Between -level and 1 - level."""
        return np.full(np.shape(t), -self.level), np.full(np.shape(t), 1.0 - self.level)

    def _value(self, r: FloatArray) -> FloatArray:
        return np.where(r > 0.0, (1.0 - self.level) * r, -self.level * r)

    def _derivative(self, r: FloatArray) -> FloatArray:
        np.greater(r, 0.0, out=r)
        return np.subtract(r, self.level, out=r)

    def _curvature(self, r: FloatArray) -> FloatArray:
        r.fill(0.0)
        return r

    def _conjugate(self, u: FloatArray) -> FloatArray:
        return np.where((u >= -self.level) & (u <= 1.0 - self.level), 0.0, np.inf)


@dataclass(frozen=True)
class Insensitive(ResidualLoss):
    """max(0, |r| - epsilon): errors within a zone cost nothing; support vector regression's.

    Examples
    --------
    >>> Insensitive(0.5).value([3.2, 2.0], 3.0).tolist()
    [0.0, 0.5]
    """

    epsilon: float = 0.1

    convex: ClassVar[bool] = True
    slopes: ClassVar[tuple[float, float]] = (-1.0, 1.0)

    def __post_init__(self) -> None:
        _check_zone(self)

    def _value(self, r: FloatArray) -> FloatArray:
        return _beyond(r, self.epsilon)

    def _derivative(self, r: FloatArray) -> FloatArray:
        return np.where(np.abs(r) > self.epsilon, np.sign(r), 0.0)

    def _curvature(self, r: FloatArray) -> FloatArray:
        r.fill(0.0)
        return r

    def _conjugate(self, u: FloatArray) -> FloatArray:
        size = np.abs(u)
        return np.where(size <= 1.0, self.epsilon * size, np.inf)


@dataclass(frozen=True)
class SquaredInsensitive(ResidualLoss):
    """max(0, |r| - epsilon)^2: the same zone, without kinks.

    Examples
    --------
    >>> SquaredInsensitive(0.5).value([3.2, 1.5], 3.0).tolist()
    [0.0, 1.0]
    """

    epsilon: float = 0.1

    smooth: ClassVar[bool] = True
    convex: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _check_zone(self)

    def _value(self, r: FloatArray) -> FloatArray:
        return np.square(_beyond(r, self.epsilon), out=r)

    def _derivative(self, r: FloatArray) -> FloatArray:
        return 2.0 * np.sign(r) * np.maximum(np.abs(r) - self.epsilon, 0.0)

    def _curvature(self, r: FloatArray) -> FloatArray:
        return np.where(np.abs(r) > self.epsilon, 2.0, 0.0)

    def _conjugate(self, u: FloatArray) -> FloatArray:
        return self.epsilon * np.abs(u) + 0.25 * np.square(u)


def _check_zone(loss: Insensitive | SquaredInsensitive) -> None:
    if not loss.epsilon >= 0.0 or not np.isfinite(loss.epsilon):
        raise ValueError(f"epsilon must be a number of at least 0, not {loss.epsilon!r}.")


def _beyond(r: FloatArray, epsilon: float) -> FloatArray:
    """max(0, |r| - epsilon), in place."""
    np.abs(r, out=r)
    r -= epsilon
    return np.maximum(r, 0.0, out=r)


@dataclass(frozen=True)
class Poisson(Loss):
    """e^z - t z + t log t - t: half the deviance of counts t whose mean is e^z.

    Examples
    --------
    >>> Poisson().value(0.0, [0.0, 1.0, 2.0]).round(3).tolist()
    [1.0, 0.0, 0.386]
    >>> Poisson().response([0.0, 1.0]).round(3).tolist()
    [1.0, 2.718]
    """

    smooth: ClassVar[bool] = True
    convex: ClassVar[bool] = True

    def value(self, z: ArrayLike, t: ArrayLike) -> FloatArray:
        """e^z - t z + t log t - t, which is 0 where e^z = t."""
        z, t = np.asarray(z, np.float64), np.asarray(t, np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            price = np.exp(z) - t * z + (xlogy(t, t) - t)
        undefined = np.isnan(price) & ~np.isnan(z + t)
        return np.where(undefined, np.where(z > 0, np.inf, 0.0), price)[()]

    def terms(self, z: ArrayLike, t: ArrayLike) -> FloatArray:
        """e^z + |t z| + |t log t| + t."""
        z, t = np.asarray(z, np.float64), np.asarray(t, np.float64)
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(z) + np.abs(t * z) + np.abs(xlogy(t, t)) + t)

    def derivative(self, z: ArrayLike, t: ArrayLike) -> FloatArray:
        """e^z - t."""
        with np.errstate(over="ignore"):
            return np.exp(np.asarray(z, np.float64)) - np.asarray(t, np.float64)

    def curvature(self, z: ArrayLike, t: ArrayLike) -> FloatArray:
        """e^z."""
        with np.errstate(over="ignore"):
            return np.exp(np.asarray(z, np.float64) + np.zeros(np.shape(t)))

    def conjugate(self, u: ArrayLike, t: ArrayLike) -> FloatArray:
        """S log s - s - (t log t - t) with s = u + t, and +inf for s < 0."""
        t = np.asarray(t, np.float64)
        s = np.asarray(u, np.float64) + t
        with np.errstate(divide="ignore", invalid="ignore"):
            inside = np.where(s > 0, s * (np.log(np.where(s > 0, s, 1.0)) - 1.0), 0.0)
        return np.where(s < 0, np.inf, inside - (xlogy(t, t) - t))[()]

    def domain(self, t: FloatArray) -> tuple[FloatArray, FloatArray]:
        """From -t on."""
        return -np.asarray(t, np.float64), np.full(np.shape(t), np.inf)

    def response(self, z: ArrayLike) -> FloatArray:
        """Return the mean e^z."""
        with np.errstate(over="ignore"):
            return np.exp(np.asarray(z, np.float64))

    def check_targets(self, t: FloatArray) -> None:
        """Raise for negative targets, and targets that are all 0."""
        if (t < 0).any():
            row = int(np.argmax(t < 0))
            raise ValueError(
                f"The poisson loss is for counts, which are not negative: y[{row}] is {t[row]:g}; "
                "drop such rows or use loss='squared_error'."
            )
        if not (t > 0).any():
            raise ValueError("The poisson loss needs a target above 0; all of y is 0.")

    def best_shift(self, z: FloatArray, t: FloatArray, weight: FloatArray) -> float:
        """log(sum w t / sum w e^z)."""
        return float(np.log(self._ratio(z, t, weight)))

    def newton_shift(self, z: FloatArray, t: FloatArray, weight: FloatArray) -> float:
        """Newton's step downwards, and the best one upwards, where Newton's is too long."""
        ratio = self._ratio(z, t, weight)
        return float(np.log(ratio)) if ratio > 1.0 else ratio - 1.0

    def _ratio(self, z: FloatArray, t: FloatArray, weight: FloatArray) -> float:
        tiny = float(np.finfo(np.float64).tiny)
        mean = float(weight @ self.response(z))
        return max(float(weight @ t), tiny) / max(mean, tiny)


def weighted_quantile(values: FloatArray, weight: FloatArray, level: float) -> float:
    """Return the smallest value with at least ``level`` of the weight at or below it.

    Examples
    --------
    >>> import numpy as np
    >>> weighted_quantile(np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 5.0]), 0.5)
    2.0
    """
    order = np.argsort(values)
    share = np.cumsum(weight[order])
    place = np.searchsorted(share, level * share[-1])
    return float(values[order[min(place, len(order) - 1)]])


def _apply(rho: Callable[[Any], Any], z: ArrayLike, t: ArrayLike) -> FloatArray:
    """Evaluate rho(z - t) on a fresh array that rho may overwrite; overflow is infinity."""
    with np.errstate(over="ignore"):
        r = np.subtract(z, t, dtype=np.float64)
        values = np.asarray(rho(np.atleast_1d(r)), np.float64)
    return values.reshape(r.shape)[()]
