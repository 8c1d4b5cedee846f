"""Losses for amounts, such as the cost of a claim: half the deviance, with the link log.

The mean of a target t is e^z. Write p for Tweedie's power, 1 < p < 2, and c(t) for a constant that
makes the loss 0 at e^z = t:

    loss      L(z, t)                                            dL/dz
    Gamma     z + t e^-z + c(t)                                  1 - t e^-z
    Tweedie   e^((2-p) z) / (2-p) + t e^((1-p) z) / (p-1) + c(t)  e^((2-p) z) - t e^((1-p) z)

Gamma's targets are above 0. Tweedie's may be 0 too: its distribution is that of a sum of gamma
amounts whose number is Poisson's. Both are convex, and their best shifts have a closed form.

Jorgensen, The Theory of Dispersion Models (1997), chapter 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from maxmargin.losses.base import FloatArray, Loss

_MOST_STEPS = 100  # of Newton's method for a conjugate; some five are needed


def _refuse_targets(name: str, allowed: str, wrong: Any, t: FloatArray) -> None:
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"The {name} loss is for amounts {allowed}: y[{row}] is {t[row]:g}; drop such rows or "
            "use loss='squared_error'."
        )


@dataclass(frozen=True)
class Gamma(Loss):
    """z + t e^-z - 1 - log t: half the deviance of positive amounts t whose mean is e^z.

    Examples
    --------
    >>> Gamma().value(0.0, [0.5, 1.0, 2.0]).round(3).tolist()
    [0.193, 0.0, 0.307]
    >>> Gamma().response([0.0, 1.0]).round(3).tolist()
    [1.0, 2.718]
    """

    smooth: ClassVar[bool] = True
    convex: ClassVar[bool] = True

    def value(self, z: ArrayLike, t: ArrayLike) -> FloatArray:
        """Z + t e^-z - 1 - log t, which is 0 where e^z = t."""
        z, t = np.asarray(z, np.float64), np.asarray(t, np.float64)
        linear = np.maximum(z, -1e300)  # the exponential is larger by far
        return np.asarray(self._ratio(z, t) + (linear - 1.0 - np.log(t)))[()]

    def terms(self, z: ArrayLike, t: ArrayLike) -> FloatArray:
        """|z| + t e^-z + 1 + |log t|."""
        z, t = np.asarray(z, np.float64), np.asarray(t, np.float64)
        return np.asarray(np.abs(z) + self._ratio(z, t) + 1.0 + np.abs(np.log(t)))

    def derivative(self, z: ArrayLike, t: ArrayLike) -> FloatArray:
        """1 - t e^-z."""
        return np.asarray(1.0 - self._ratio(z, t))[()]

    def curvature(self, z: ArrayLike, t: ArrayLike) -> FloatArray:
        """T e^-z."""
        return np.asarray(self._ratio(z, t))[()]

    def conjugate(self, u: ArrayLike, t: ArrayLike) -> FloatArray:
        """U log t + u + (1 - u) log(1 - u), and +inf for u > 1."""
        u, t = np.asarray(u, np.float64), np.asarray(t, np.float64)
        left = np.maximum(1.0 - u, 0.0)
        with np.errstate(over="ignore", invalid="ignore"):
            found = u * (np.log(t) + 1.0) + left * np.log(np.where(left > 0, left, 1.0))
        found = np.where(np.isneginf(u), np.inf, found)
        return np.where(u > 1.0, np.inf, found)[()]

    def domain(self, t: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Up to 1."""
        return np.full(np.shape(t), -np.inf), np.full(np.shape(t), 1.0)

    def response(self, z: ArrayLike) -> FloatArray:
        """Return the mean e^z."""
        with np.errstate(over="ignore"):
            return np.exp(np.asarray(z, np.float64))

    def check_targets(self, t: FloatArray) -> None:
        """Raise for targets that are not above 0."""
        _refuse_targets("gamma", "above 0", ~(t > 0), t)

    def best_shift(self, z: FloatArray, t: FloatArray, weight: FloatArray) -> float:
        """log(sum w t e^-z / sum w)."""
        tiny = float(np.finfo(np.float64).tiny)
        return float(np.log(max(float(weight @ self._ratio(z, t) / weight.sum()), tiny)))

    def newton_shift(self, z: FloatArray, t: FloatArray, weight: FloatArray) -> float:
        """Return the best shift, since Newton's may be too long."""
        return self.best_shift(z, t, weight)

    def _ratio(self, z: ArrayLike, t: ArrayLike) -> FloatArray:
        with np.errstate(over="ignore"):
            return np.asarray(np.asarray(t, np.float64) * np.exp(-np.asarray(z, np.float64)))


@dataclass(frozen=True)
class Tweedie(Loss):
    """Half the deviance of amounts t of at least 0, many of them 0, whose mean is e^z.

    Parameters
    ----------
    power : float, default=1.5
        Between 1 (Poisson) and 2 (gamma): the variance grows as this power of the mean.

    Examples
    --------
    >>> Tweedie().value(0.0, [0.0, 1.0, 4.0]).round(3).tolist()
    [2.0, 0.0, 2.0]
    """

    smooth: ClassVar[bool] = True
    convex: ClassVar[bool] = True
    power: float = 1.5

    def __post_init__(self) -> None:
        if not 1.0 < self.power < 2.0:
            raise ValueError(
                f"power of Tweedie must lie between 1 and 2; use Poisson() for 1 and Gamma() for "
                f"2. Got {self.power!r}."
            )

    def value(self, z: ArrayLike, t: ArrayLike) -> FloatArray:
        """Return the loss, which is 0 where e^z = t."""
        rise, fall = self._powers(z, t)
        a, b = 2.0 - self.power, self.power - 1.0
        with np.errstate(over="ignore"):
            return np.asarray(rise / a + (fall / b - self._least(t)))[()]

    def terms(self, z: ArrayLike, t: ArrayLike) -> FloatArray:
        """Return the sum of the three numbers that the loss is made of."""
        rise, fall = self._powers(z, t)
        parts = rise / (2.0 - self.power) + fall / (self.power - 1.0)
        return np.asarray(parts + self._least(t))

    def derivative(self, z: ArrayLike, t: ArrayLike) -> FloatArray:
        """e^((2-p) z) - t e^((1-p) z)."""
        rise, fall = self._powers(z, t)
        return np.asarray(rise - fall)[()]

    def curvature(self, z: ArrayLike, t: ArrayLike) -> FloatArray:
        """(2-p) e^((2-p) z) + (p-1) t e^((1-p) z)."""
        rise, fall = self._powers(z, t)
        return np.asarray((2.0 - self.power) * rise + (self.power - 1.0) * fall)[()]

    def conjugate(self, u: ArrayLike, t: ArrayLike) -> FloatArray:
        """U z - L(z, t) at the z whose slope is u; +inf where there is none."""
        u, t = np.broadcast_arrays(np.asarray(u, np.float64), np.asarray(t, np.float64))
        inside = np.isfinite(u) & ((t > 0) | (u > 0))
        z = self._slope_is(np.where(inside, u, 1.0), t)
        with np.errstate(over="ignore", invalid="ignore"):
            found = np.where(inside, u, 0.0) * z - self.value(z, t)
        found = np.where(np.isnan(found), np.inf, found)
        found = np.where(inside, found, np.where((u == 0.0) & (t == 0.0), 0.0, np.inf))
        return np.asarray(found)[()]

    def _slope_is(self, u: FloatArray, t: FloatArray) -> FloatArray:
        """Solve e^((2-p) z) - t e^((1-p) z) = u, with the logarithms of what stands on each side.

        Both sides are sums of positive numbers once the negative one has changed sides, so that
        the difference of their logarithms is concave, and Newton's method converges.
        """
        a, b = 2.0 - self.power, self.power - 1.0
        with np.errstate(divide="ignore"):
            log_t, log_u = np.log(t), np.log(np.abs(u))
        z = np.where(u >= 0, np.maximum(log_u / a, log_t), np.minimum(log_t, (log_t - log_u) / b))
        z = np.where(np.isfinite(z), z, 0.0)
        for _ in range(_MOST_STEPS):
            fall, rise = log_t - b * z, a * z
            side = np.where(u >= 0, np.logaddexp(log_u, fall), np.logaddexp(log_u, rise))
            apart = np.where(u >= 0, rise - side, fall - side)
            share = np.exp(np.where(u >= 0, fall, rise) - side)
            step = apart / np.where(u >= 0, a + b * share, -b - a * share)
            z = z - step
            if (np.abs(step) <= 1e-14 * (1.0 + np.abs(z))).all():
                break
        return np.asarray(z)

    def domain(self, t: FloatArray) -> tuple[FloatArray, FloatArray]:
        """All slopes, and for targets of 0 those of at least 0."""
        low = np.where(np.asarray(t, np.float64) > 0, -np.inf, 0.0)
        return low, np.full(np.shape(t), np.inf)

    def response(self, z: ArrayLike) -> FloatArray:
        """Return the mean e^z."""
        with np.errstate(over="ignore"):
            return np.exp(np.asarray(z, np.float64))

    def check_targets(self, t: FloatArray) -> None:
        """Raise for negative targets, and targets that are all 0."""
        _refuse_targets("tweedie", "of at least 0", ~(t >= 0), t)
        if not (t > 0).any():
            raise ValueError("The tweedie loss needs a target above 0; all of y is 0.")

    def best_shift(self, z: FloatArray, t: FloatArray, weight: FloatArray) -> float:
        """log(sum w t e^((1-p) z) / sum w e^((2-p) z))."""
        tiny = float(np.finfo(np.float64).tiny)
        rise, fall = self._powers(z, t)
        sums = (max(float(weight @ each), tiny) for each in (fall, rise))
        return float(np.subtract(*np.log(list(sums))))

    def newton_shift(self, z: FloatArray, t: FloatArray, weight: FloatArray) -> float:
        """Return the best shift, since Newton's may be too long."""
        return self.best_shift(z, t, weight)

    def _powers(self, z: ArrayLike, t: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """e^((2-p) z) and t e^((1-p) z)."""
        z, t = np.broadcast_arrays(np.asarray(z, np.float64), np.asarray(t, np.float64))
        fall = np.zeros(z.shape)
        with np.errstate(over="ignore"):
            rise = np.exp((2.0 - self.power) * z)
            np.multiply(t, np.exp((1.0 - self.power) * z), out=fall, where=t > 0)
        return rise, fall

    def _least(self, t: ArrayLike) -> FloatArray:
        a, b = 2.0 - self.power, self.power - 1.0
        return np.asarray(np.asarray(t, np.float64) ** a / (a * b))
