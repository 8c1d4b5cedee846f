"""The one rule by which a point is certified, whatever its problem: nothing else says CERTIFIED.

A gap is judged relative to the objective, the larger of |primal| and |dual|, and to nothing else:
not to costs, nor to a size that the objective might have had. With what rounding can add to it, the
floor, it may be a few times the tolerance; how many, every kind of problem promises (``Promise``).
An optimum of 0 is met where both values are 0 but for rounding: no larger than a ``rest`` that the
judge of the problem knows to be next to nothing beside the numbers that cancel in them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.certify.certificate import Certificate
from maxmargin.certify.status import Status

Vector = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Promise:
    """How many times the tolerance a relative gap may be: alone, and with its floor."""

    alone: float
    whole: float
    conditions: bool = False
    """Whether the violation of the optimality conditions has to keep to the tolerance too."""


BY_CONDITIONS = Promise(10.0, 10.0, conditions=True)
BY_GAP = Promise(1.0, 2.0)  # the second only where rounding explains what is above the first


@dataclass(frozen=True)
class Numbers:
    """What a judge has found of some points, a number a point."""

    primal: Vector
    dual: Vector
    violation: Vector
    floor: Vector
    error: Vector | float = 0.0
    """Of a decision value: so much of the violation rounding may explain, up to the tolerance."""
    rest: Vector | float = 0.0
    """An objective up to this is 0 but for rounding."""
    unit: Vector | float = 1.0
    """What the violation is measured in, of the values that a user gets."""

    def allowed(self, promise: Promise, tol: float) -> Vector:
        """Return how large a gap may be, with its floor."""
        size = np.maximum(np.abs(self.primal), np.abs(self.dual))
        size = np.where(self.primal < np.inf, size, 0.0)
        vanishing = np.where(size <= self.rest, 3.0 * np.asarray(self.rest), 0.0)
        return np.maximum(promise.whole * tol * size, vanishing)

    def keep(self, promise: Promise, tol: float) -> Mask:
        """Return which of them keep the promise."""
        allowed = self.allowed(promise, tol)
        gap = np.abs(self.primal - self.dual)  # a dual above the primal is as far from the truth
        alone = promise.alone / promise.whole * allowed
        kept = gap + self.floor <= allowed
        if promise.alone < promise.whole:
            kept &= gap <= alone + np.minimum(alone, self.floor)
        if promise.conditions:
            most = tol * self.unit
            kept &= self.violation <= most + np.minimum(most, self.error)
        return kept


def conclude(
    numbers: Numbers,
    promise: Promise,
    tol: float,
    facts: tuple[Any, Any, Any],
    precision: str,
    stopped: Status | None,
) -> list[Certificate]:
    """Certify points, or say what is known of them.

    ``facts`` are, of each, whether its numbers are sound, its problem convex and its duals proven
    to be feasible.
    """
    with np.errstate(invalid="ignore", over="ignore"):  # what is not finite is not sound
        kept, allowed = numbers.keep(promise, tol), numbers.allowed(promise, tol)
    sound, convex, feasible = (np.broadcast_to(fact, kept.shape) for fact in facts)
    proofs = zip(sound.tolist(), convex.tolist(), (kept & feasible).tolist(), strict=True)
    statuses = [_status(*of_one, stopped) for of_one in proofs]
    four = numbers.primal, numbers.dual, numbers.violation, numbers.floor
    values = zip(*(each.tolist() for each in (*four, allowed)), statuses, strict=True)
    return [Certificate(p, d, v, f, precision, status, a) for p, d, v, f, a, status in values]


def conclude_one(
    numbers: tuple[float, float, float, float],
    promise: Promise,
    tol: float,
    facts: tuple[bool, bool, bool],
    precision: str,
    stopped: Status | None,
    error: float = 0.0,
    rest: float = 0.0,
) -> Certificate:
    """Do so for a single point, of this primal, dual, violation and floor."""
    primal, dual, violation, floor = np.array(numbers, dtype=np.float64)[:, None]
    found = Numbers(primal, dual, violation, floor, error, rest)
    return conclude(found, promise, tol, facts, precision, stopped)[0]


def _status(sound: bool, convex: bool, proven: bool, stopped: Status | None) -> Status:
    if not sound:
        return Status.NUMERICAL_ERROR
    if not convex:
        return Status.NOT_CONVEX if stopped in (None, Status.STALLED) else stopped
    if proven:
        return Status.CERTIFIED
    return stopped or Status.STALLED
