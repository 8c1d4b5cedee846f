"""What a loss is: a value L(z, t) of a prediction z and a target t, with its calculus in z.

Two small optimisations belong to every loss, because the closed form is known only to it:

    best_shift(z, t, w)    argmin_c sum_i w_i L(z_i + c, t_i)
    newton_shift(z, t, w)  -sum_i w_i L'(z_i, t_i) / sum_i w_i L''(z_i, t_i), one step towards it

The first is the constant that boosting begins with, the second the step it takes in a leaf.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxmargin.losses.descent import minimise

FloatArray: TypeAlias = NDArray[np.float64]

_VANISHING = 1e-150


class Loss(ABC):
    """The loss L(z, t) of predicting z if the target is t.

    Losses are values: frozen, hashable, and equal if their type and parameters are equal. All
    methods take arrays that broadcast, return float64, and may be called from several threads.

    To write one, define ``value`` and ``derivative``, and ``curvature`` and ``conjugate`` for the
    solvers that need them. A loss of the margin t z is shorter as a :class:`MarginLoss`. Set
    ``smooth`` and ``convex`` if they hold; both are False by default. A dataclass with
    ``frozen=True`` makes parameters part of the value. The other methods have defaults that work
    for any loss.

    Attributes
    ----------
    name : str
        The name for :func:`named`; by default the class name in snake case.
    smooth : bool
        Whether it has a derivative everywhere.
    convex : bool
        Whether it is convex in z for every t.
    slopes : (float, float)
        Bounds of the slopes t dL/dz, and of the t u for which the conjugate L*(u, t) is finite; for
        a loss of the residual, of dL/dz and u themselves.

    Examples
    --------
    >>> import numpy as np
    >>> from dataclasses import dataclass
    >>> from maxmargin.losses import Loss
    >>> @dataclass(frozen=True)
    ... class Ramp(Loss):
    ...     height: float = 2.0
    ...
    ...     def value(self, z, t):
    ...         return np.clip(1 - np.multiply(z, t), 0.0, self.height)
    ...
    ...     def derivative(self, z, t):
    ...         gap = 1 - np.multiply(z, t)
    ...         return -t * ((gap > 0) & (gap < self.height))
    >>> Ramp().name, Ramp().convex, Ramp(3.0) == Ramp(3.0)
    ('ramp', False, True)
    >>> Ramp().conjugate(0.0, 1)
    Traceback (most recent call last):
        ...
    NotImplementedError: Ramp has no conjugate: define it, or choose a solver that needs none.
    """

    name: ClassVar[str] = "loss"
    smooth: ClassVar[bool] = False
    convex: ClassVar[bool] = False
    slopes: ClassVar[tuple[float, float]] = (-np.inf, np.inf)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "name" not in vars(cls):
            cls.name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower()

    @abstractmethod
    def value(self, z: ArrayLike, t: ArrayLike) -> FloatArray:
        """L(z, t)."""

    @abstractmethod
    def derivative(self, z: ArrayLike, t: ArrayLike) -> FloatArray:
        """dL/dz; at a kink, one of the subgradients."""

    def curvature(self, z: ArrayLike, t: ArrayLike) -> FloatArray:
        """Return a generalised second derivative in z; at a jump, a value between both sides."""
        raise NotImplementedError(self._lacks("curvature"))

    def conjugate(self, u: ArrayLike, t: ArrayLike) -> FloatArray:
        """L*(u, t) = sup_z u z - L(z, t), and +inf where that is unbounded."""
        raise NotImplementedError(self._lacks("conjugate"))

    def terms(self, z: ArrayLike, t: ArrayLike) -> FloatArray:
        """Bound the numbers whose difference the value is; rounding is relative to these."""
        return self.value(z, t)

    def domain(self, t: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the interval of u in which the conjugate L*(u, t) is finite, for every target."""
        low, high = self.slopes
        return np.full(np.shape(t), low), np.full(np.shape(t), high)

    def response(self, z: ArrayLike) -> FloatArray:
        """Return the prediction of the target at z: z itself, unless there is a link function."""
        return np.asarray(z, dtype=np.float64)

    def check_targets(self, t: FloatArray) -> None:  # noqa: B027  (most losses take any target)
        """Refuse, in one sentence, targets that the loss has no meaning for."""

    def fitted_to(self, z: FloatArray, t: FloatArray, weight: FloatArray) -> Self:  # noqa: ARG002
        """Return the loss to use near predictions z: itself, unless a parameter depends on z."""
        return self

    def best_shift(self, z: FloatArray, t: FloatArray, weight: FloatArray) -> float:
        """argmin_c sum w L(z + c, t); where there is no minimum, where little is left to gain."""

        def value(c: float) -> float:
            return float(weight @ self.value(z + c, t))

        def slope(c: float) -> float:
            return float(weight @ self.derivative(z + c, t))

        return minimise(value, slope)

    def newton_shift(self, z: FloatArray, t: FloatArray, weight: FloatArray) -> float:
        """One Newton step towards the best shift; without a curvature, all of the way."""
        if not (self.smooth and self.has_curvature):
            return self.best_shift(z, t, weight)
        slope, bend = weight @ self.derivative(z, t), weight @ self.curvature(z, t)
        return newton_step(float(slope), float(bend))

    @property
    def has_curvature(self) -> bool:
        """Whether the loss knows its curvature."""
        return type(self).curvature is not Loss.curvature

    def _lacks(self, noun: str) -> str:
        owner = type(self).__name__
        return f"{owner} has no {noun}: define it, or choose a solver that needs none."


def newton_step(slope: float, curvature: float) -> float:
    """Minus slope over curvature; 0 where a vanishing curvature says that nothing is left."""
    return -float(slope) / float(curvature) if abs(curvature) > _VANISHING else 0.0
