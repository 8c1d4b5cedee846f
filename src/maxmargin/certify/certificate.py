"""The certificate: what is known about the point a model was made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.certify.status import Status
from maxmargin.inputs.tabular import Tabular


@dataclass(frozen=True)
class Certificate(Tabular):
    """Primal and dual values at the returned point and what follows from them.

    Attributes
    ----------
    primal, dual : float
        Objective values; the optimum lies between the dual and the primal.
    gap : float
        primal - dual, which bounds the suboptimality of both.
    relative_gap : float
        gap divided by the larger of the two in absolute value; 0 where both are 0, or certified to
        be 0 but for rounding.
    kkt_violation : float
        By how much the worst pair of variables breaks the optimality conditions; 0 if none does.
    floor : float
        What rounding can add to the gap of the returned model, whose decision values are rounded
        like these numbers. It holds if rounding errors are as good as independent of each other
        (``maxmargin.kernels.rounding``).
    precision : str
        In which the kernel values behind these numbers were evaluated.
    status : Status
        What the point proves.
    allowed : float
        The largest gap, with its floor, that the tolerance allows.
    about : str
        What was judged, where that is not the problem asked for but an approximation of it.

    Examples
    --------
    >>> print(Certificate(10.01, 10.0, 2e-4, 1e-9, "float64", Status.CERTIFIED))
    CERTIFIED optimum of the training problem  primal 10.01  dual 10  gap 1e-02 (relative 1e-03)  \
KKT violation 2e-04  floor 1e-09  float64
    """

    primal: float
    dual: float
    kkt_violation: float
    floor: float
    precision: str
    status: Status
    allowed: float = float("inf")
    about: str = ""

    @property
    def rounded(self) -> bool:
        """Whether rounding alone is more than the tolerance allows."""
        return self.floor > self.allowed

    @property
    def gap(self) -> float:
        """Primal minus dual."""
        return self.primal - self.dual

    @property
    def relative_gap(self) -> float:
        """The gap divided by the larger of |primal| and |dual|; 0 when both are 0.

        Those of an optimum of 0 differ by rounding alone where they are certified.
        """
        gap = self.primal - self.dual
        if gap == float("inf"):
            return gap
        size = max(abs(self.primal), abs(self.dual))
        vanishes = self.status is Status.CERTIFIED and size <= self.floor
        return 0.0 if size == 0 or vanishes else gap / size

    def to_dicts(self) -> list[dict[str, Any]]:
        """List what is known, in one line.

        Returns
        -------
        list of dict
        """
        return [
            {
                "status": self.status.name,
                "primal": self.primal,
                "dual": self.dual,
                "gap": self.gap,
                "relative_gap": self.relative_gap,
                "kkt_violation": self.kkt_violation,
                "floor": self.floor,
                "precision": self.precision,
                "meaning": self.status.sentence,
            }
        ]

    def __str__(self) -> str:
        found = " optimum of the training problem" if self.status is Status.CERTIFIED else ""
        return (
            f"{self.status.name}{found}  primal {self.primal:.7g}  dual {self.dual:.7g}  "
            f"gap {self.gap:.0e} (relative {self.relative_gap:.0e})  "
            f"KKT violation {self.kkt_violation:.0e}  floor {self.floor:.0e}  {self.precision}"
            + (f"  ({self.about})" if self.about else "")
        )


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
    four = numbers.primal, numbers.dual, numbers.violation, numbers.floor
    values = np.column_stack([*four, allowed]).tolist()
    sound, convex, feasible, _ = np.broadcast_arrays(*facts, kept)
    proofs = np.column_stack([sound, convex, kept & feasible]).tolist()
    found = []
    for (p, d, v, f, a), (whole, bends, proven) in zip(values, proofs, strict=True):
        status = _status(whole, bends, proven, stopped)
        found.append(Certificate(p, d, v, f, precision, status, a))
    return found


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
