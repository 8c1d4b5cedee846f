"""Losses of the margin: L(z, t) = phi(m) with m = t z and t in {-1, +1}.

Since t^2 = 1, all calculus is that of phi in one variable:

    dL/dz = t phi'(m),    d2L/dz2 = phi''(m),    L*(u, t) = sup_m (t u) m - phi(m) = phi*(v)

with v = t u. Write [c] for 1 if c holds and 0 otherwise, s = -v, and 0 log 0 = 0:

    loss             phi(m)              dL/dz               L*(u, t)                        finite for
    ZeroOne          [m <= 0]            -                   -
    Hinge            max(0, 1 - m)       -t [m < 1]          v                               -1 <= v <= 0
    SquaredHinge     max(0, 1 - m)^2     -2t max(0, 1 - m)   v + v^2/4                       v <= 0
    Logistic         log(1 + e^-m)       -t / (1 + e^m)      s log s + (1 - s) log(1 - s)    -1 <= v <= 0
    Exponential      e^-m                -t e^-m             s log s - s                     v <= 0
    Squared          (1 - m)^2           -2t (1 - m)         v + v^2/4                       all v
    ModifiedHuber    max(0, 1 - m)^2     -2t max(0, 1 - m)   v + v^2/4                       -4 <= v <= 0
                     -4m for m < -1      -4t for m < -1

The conjugates: where phi is differentiable the supremum is at the m with phi'(m) = v, which is
1 + v/2 for the three squares, log(1 - s) - log s for the logistic loss and -log s for the
exponential one. The hinge attains it at its kink m = 1 for every v between its slopes -1 and 0.
Beyond the range of phi' the supremum is infinite.

Where t = +1 with probability eta, the expected loss eta phi(f) + (1 - eta) phi(-f) is least at

    Hinge                                   sign(2 eta - 1)        (at eta = 1/2, all of [-1, 1])
    Logistic                                log(eta / (1 - eta))
    Exponential                             log(eta / (1 - eta)) / 2
    Squared, SquaredHinge, ModifiedHuber    2 eta - 1

so that each has the sign of the Bayes rule. A convex phi does if and only if phi'(0) < 0 (Bartlett,
Jordan, McAuliffe, "Convexity, classification, and risk bounds", JASA 101, 2006, theorem 2).

Hastie, Tibshirani and Friedman, The Elements of Statistical Learning, 2nd ed., section 10.6
(losses of the margin). Shalev-Shwartz and Zhang, Stochastic dual coordinate ascent methods for
regularized loss minimization, JMLR 14 (2013) 567-599 (their conjugates, at v = -alpha).
"""  # noqa: E501  (a table is read across)

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from maxmargin.losses.base import FloatArray, Loss


class MarginLoss(Loss):
    """A loss phi(m) of the margin m = t z, where t is -1 or +1.

    To write one, define ``_value`` and ``_derivative``: phi(m) and phi'(m); and ``_curvature`` and
    ``_conjugate``, phi''(m) and phi*(v), if they are known. Each gets a float64 array that it may
    overwrite, and returns a new array or that one.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.losses import MarginLoss
    >>> class Savage(MarginLoss):
    ...     smooth = True
    ...
    ...     def _value(self, m):
    ...         return (1 + np.exp(2 * m)) ** -2
    ...
    ...     def _derivative(self, m):
    ...         return -4 * np.exp(2 * m) * (1 + np.exp(2 * m)) ** -3
    >>> Savage().derivative([0.0, 0.0], [-1, 1]).tolist()
    [0.5, -0.5]
    """

    def value(self, z: ArrayLike, t: ArrayLike) -> FloatArray:
        """phi(t z)."""
        return _apply(self._value, z, t)

    def derivative(self, z: ArrayLike, t: ArrayLike) -> FloatArray:
        """T phi'(t z); at a kink, one of the subgradients."""
        slope = np.asarray(_apply(self._derivative, z, t))
        return np.multiply(slope, t, out=slope)[()]

    def curvature(self, z: ArrayLike, t: ArrayLike) -> FloatArray:
        """phi''(t z); where it jumps, a value between the sides."""
        return _apply(self._curvature, z, t)

    def conjugate(self, u: ArrayLike, t: ArrayLike) -> FloatArray:
        """phi*(t u), and +inf outside its domain."""
        return _apply(self._conjugate, u, t)

    def domain(self, t: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Between the slopes of phi, times t."""
        low, high = self.slopes
        return np.where(t > 0, low, -high), np.where(t > 0, high, -low)

    @property
    def has_curvature(self) -> bool:
        """Whether the loss knows its curvature."""
        return type(self)._curvature is not MarginLoss._curvature

    def expected(self, z: ArrayLike, eta: ArrayLike) -> FloatArray:
        """Return the expected loss of predicting z where t = +1 with probability eta."""
        p = _check_probability(eta)
        with np.errstate(invalid="ignore"):
            parts = p * self.value(z, 1.0), (1.0 - p) * self.value(z, -1.0)
        # What is impossible costs nothing, even if its price is infinite.
        return (np.where(p > 0.0, parts[0], 0.0) + np.where(p < 1.0, parts[1], 0.0))[()]

    def population_minimiser(self, eta: ArrayLike) -> FloatArray:
        """Find the prediction with the least expected loss where t = +1 with probability eta.

        Parameters
        ----------
        eta : array-like
            Probabilities.

        Returns
        -------
        f : ndarray
            Of the shape of ``eta``; infinite where no finite prediction is best.

        Examples
        --------
        >>> from maxmargin.losses import Hinge, Logistic
        >>> Hinge().population_minimiser([0.1, 0.5, 0.9]).tolist()
        [-1.0, 0.0, 1.0]
        >>> Logistic().population_minimiser(0.75).round(3).item()
        1.099
        """
        return np.asarray(self._minimiser(_check_probability(eta)), np.float64)[()]

    def _minimiser(self, eta: FloatArray) -> FloatArray:
        """Search, for want of a closed form."""
        zero, t = np.zeros(2), np.array([1.0, -1.0])
        found = [self.best_shift(zero, t, np.array([p, 1.0 - p])) for p in np.ravel(eta)]
        return np.reshape(found, eta.shape)

    @abstractmethod
    def _value(self, m: FloatArray) -> FloatArray: ...

    @abstractmethod
    def _derivative(self, m: FloatArray) -> FloatArray: ...

    def _curvature(self, m: FloatArray) -> FloatArray:
        raise NotImplementedError(self._lacks("curvature"))

    def _conjugate(self, v: FloatArray) -> FloatArray:
        raise NotImplementedError(self._lacks("conjugate"))


@dataclass(frozen=True)
class ZeroOne(MarginLoss):
    """[m <= 0]: 1 for an error, and for a point on the boundary. For evaluation only.

    Examples
    --------
    >>> ZeroOne().value([0.5, 0.0, -3.0], 1).tolist()
    [0.0, 1.0, 1.0]
    """

    def _value(self, m: FloatArray) -> FloatArray:
        np.greater(m, 0.0, out=m)  # and not <= below, so that a prediction of NaN is an error too
        return np.subtract(1.0, m, out=m)

    def _derivative(self, m: FloatArray) -> NoReturn:
        raise NotImplementedError(
            "ZeroOne only evaluates: its derivative is zero wherever it exists; train with a loss "
            "that bounds it, such as Hinge() or Logistic()."
        )

    _curvature = _derivative

    def _minimiser(self, eta: FloatArray) -> FloatArray:
        return np.where(eta > 0.5, 1.0, -1.0)  # the Bayes rule; 0 would be an error either way

    def _conjugate(self, v: FloatArray) -> NoReturn:
        raise NotImplementedError(
            "ZeroOne only evaluates: its conjugate is infinite for all u but 0; train with a loss "
            "that bounds it, such as Hinge() or Logistic()."
        )


@dataclass(frozen=True)
class Hinge(MarginLoss):
    """max(0, 1 - m): the support vector machine's.

    Examples
    --------
    >>> Hinge().value([2.0, 0.0, -1.0], 1).tolist()
    [0.0, 1.0, 2.0]
    >>> Hinge().conjugate([-2.0, -0.5], 1).tolist()
    [inf, -0.5]
    """

    convex: ClassVar[bool] = True
    slopes: ClassVar[tuple[float, float]] = (-1.0, 0.0)

    def _value(self, m: FloatArray) -> FloatArray:
        return _shortfall(m)

    def _derivative(self, m: FloatArray) -> FloatArray:
        return np.negative(np.less(m, 1.0, out=m), out=m)

    def _curvature(self, m: FloatArray) -> FloatArray:
        m.fill(0.0)
        return m

    def _conjugate(self, v: FloatArray) -> FloatArray:
        return _restrict(v, v, *self.slopes)

    def _minimiser(self, eta: FloatArray) -> FloatArray:
        return np.sign(2.0 * eta - 1.0)


@dataclass(frozen=True)
class SquaredHinge(MarginLoss):
    """max(0, 1 - m)^2: the hinge without its kink.

    Examples
    --------
    >>> SquaredHinge().value([2.0, 0.0, -1.0], 1).tolist()
    [0.0, 1.0, 4.0]
    """

    smooth: ClassVar[bool] = True
    convex: ClassVar[bool] = True
    slopes: ClassVar[tuple[float, float]] = (-np.inf, 0.0)

    def _value(self, m: FloatArray) -> FloatArray:
        return np.square(_shortfall(m), out=m)

    def _derivative(self, m: FloatArray) -> FloatArray:
        return np.multiply(_shortfall(m), -2.0, out=m)

    def _curvature(self, m: FloatArray) -> FloatArray:
        return np.multiply(np.less(m, 1.0, out=m), 2.0, out=m)

    def _conjugate(self, v: FloatArray) -> FloatArray:
        return _restrict(_conjugate_of_square(v), v, *self.slopes)

    def _minimiser(self, eta: FloatArray) -> FloatArray:
        return 2.0 * eta - 1.0


@dataclass(frozen=True)
class Logistic(MarginLoss):
    """log(1 + exp(-m)): minus the log likelihood where P(t | z) = 1 / (1 + exp(-t z)).

    Examples
    --------
    >>> Logistic().value([1000.0, 0.0, -1000.0], 1).round(3).tolist()
    [0.0, 0.693, 1000.0]
    >>> Logistic().derivative(0.0, [-1, 1]).tolist()
    [0.5, -0.5]
    """

    smooth: ClassVar[bool] = True
    convex: ClassVar[bool] = True
    slopes: ClassVar[tuple[float, float]] = (-1.0, 0.0)

    def _value(self, m: FloatArray) -> FloatArray:
        tail = _exp_of_minus_abs(m)
        np.log1p(tail, out=tail)
        np.minimum(m, 0.0, out=m)
        return np.subtract(tail, m, out=tail)

    def _derivative(self, m: FloatArray) -> FloatArray:
        # exp(m) may become infinite, and then its reciprocal is the right answer: 0.
        np.exp(m, out=m)
        m += 1.0
        return np.divide(-1.0, m, out=m)

    def _curvature(self, m: FloatArray) -> FloatArray:
        tail = _exp_of_minus_abs(m)
        np.add(tail, 1.0, out=m)
        np.square(m, out=m)
        return np.divide(tail, m, out=tail)

    def _conjugate(self, v: FloatArray) -> FloatArray:
        s = np.clip(-v, 0.0, 1.0)
        return _restrict(_x_log_x(s) + _x_log_x(1.0 - s), v, *self.slopes)

    def _minimiser(self, eta: FloatArray) -> FloatArray:
        return _log_odds(eta)


@dataclass(frozen=True)
class Exponential(MarginLoss):
    """exp(-m): AdaBoost's. Margins below -709 cost more than a double can hold: inf.

    Examples
    --------
    >>> Exponential().value([0.0, -1.0], 1).round(3).tolist()
    [1.0, 2.718]
    """

    smooth: ClassVar[bool] = True
    convex: ClassVar[bool] = True
    slopes: ClassVar[tuple[float, float]] = (-np.inf, 0.0)

    def _value(self, m: FloatArray) -> FloatArray:
        np.negative(m, out=m)
        return np.exp(m, out=m)

    def _derivative(self, m: FloatArray) -> FloatArray:
        return np.negative(self._value(m), out=m)

    def _curvature(self, m: FloatArray) -> FloatArray:
        return self._value(m)

    def _conjugate(self, v: FloatArray) -> FloatArray:
        s = np.maximum(-v, 0.0)
        return _restrict(s * (_log(s) - 1.0), v, *self.slopes)

    def _minimiser(self, eta: FloatArray) -> FloatArray:
        return 0.5 * _log_odds(eta)


@dataclass(frozen=True)
class Squared(MarginLoss):
    """(1 - m)^2 = (t - z)^2: least squares on the labels, which punishes large margins too.

    Examples
    --------
    >>> Squared().value([2.0, 0.0, -1.0], 1).tolist()
    [1.0, 1.0, 4.0]
    """

    smooth: ClassVar[bool] = True
    convex: ClassVar[bool] = True

    def _value(self, m: FloatArray) -> FloatArray:
        m -= 1.0
        return np.square(m, out=m)

    def _derivative(self, m: FloatArray) -> FloatArray:
        m -= 1.0
        return np.multiply(m, 2.0, out=m)

    def _curvature(self, m: FloatArray) -> FloatArray:
        m.fill(2.0)
        return m

    def _conjugate(self, v: FloatArray) -> FloatArray:
        return _conjugate_of_square(v)

    def _minimiser(self, eta: FloatArray) -> FloatArray:
        return 2.0 * eta - 1.0


@dataclass(frozen=True)
class ModifiedHuber(MarginLoss):
    """max(0, 1 - m)^2 for m >= -1 and -4m below: smooth, and mild on outliers.

    As ``SGDClassifier(loss="modified_huber")`` of scikit-learn.

    Examples
    --------
    >>> ModifiedHuber().value([2.0, 0.0, -1.0, -3.0], 1).tolist()
    [0.0, 1.0, 4.0, 12.0]
    """

    smooth: ClassVar[bool] = True
    convex: ClassVar[bool] = True
    slopes: ClassVar[tuple[float, float]] = (-4.0, 0.0)

    def _value(self, m: FloatArray) -> FloatArray:
        # With h = max(0, 1 - m) and c = min(h, 2) both pieces are c (2h - c).
        h = _shortfall(m)
        c = np.minimum(h, 2.0)
        h *= 2.0
        h -= c
        return np.multiply(h, c, out=h)

    def _derivative(self, m: FloatArray) -> FloatArray:
        np.minimum(_shortfall(m), 2.0, out=m)
        return np.multiply(m, -2.0, out=m)

    def _curvature(self, m: FloatArray) -> FloatArray:
        np.less(np.abs(m, out=m), 1.0, out=m)
        return np.multiply(m, 2.0, out=m)

    def _conjugate(self, v: FloatArray) -> FloatArray:
        return _restrict(_conjugate_of_square(v), v, *self.slopes)

    def _minimiser(self, eta: FloatArray) -> FloatArray:
        return 2.0 * eta - 1.0


def _check_probability(eta: ArrayLike) -> FloatArray:
    p = np.asarray(eta, np.float64)
    if not ((p >= 0.0) & (p <= 1.0)).all():
        wrong = np.ravel(p)[~((np.ravel(p) >= 0.0) & (np.ravel(p) <= 1.0))][0]
        raise ValueError(f"eta must hold probabilities, from 0 to 1. Got {wrong}.")
    return p


def _log_odds(p: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):  # of 0 and 1 they are infinite
        return np.log(p) - np.log1p(-p)


def _apply(phi: Callable[[Any], Any], z: ArrayLike, t: ArrayLike) -> FloatArray:
    """Evaluate phi(t z) on a fresh array that phi may overwrite; overflow is infinity."""
    with np.errstate(over="ignore"):
        m = np.multiply(z, t, dtype=np.float64)
        if m.ndim > 0:
            return np.asarray(phi(m), np.float64)
        values = np.asarray(phi(np.atleast_1d(m)), np.float64)
    return values.reshape(())[()]


def _shortfall(m: FloatArray) -> FloatArray:
    """max(0, 1 - m), in place."""
    np.subtract(1.0, m, out=m)
    return np.maximum(m, 0.0, out=m)


def _exp_of_minus_abs(m: FloatArray) -> FloatArray:
    tail = np.abs(m)
    np.negative(tail, out=tail)
    return np.exp(tail, out=tail)


def _log(s: FloatArray) -> FloatArray:
    """Take the logarithm, with 0 for that of 0: then 0 log 0 = 0."""
    return np.log(s, out=np.zeros_like(s), where=s > 0)


def _x_log_x(s: FloatArray) -> FloatArray:
    return s * _log(s)


def _conjugate_of_square(v: FloatArray) -> FloatArray:
    """V + v^2/4, in a form that does not subtract infinities."""
    factor = 0.25 * v
    factor += 1.0
    return np.multiply(factor, v, out=factor)


def _restrict(values: FloatArray, v: FloatArray, low: float, high: float) -> FloatArray:
    """Put +inf where v is outside [low, high], in place."""
    np.copyto(values, np.inf, where=(v < low) | (v > high))
    return values
