"""The certificate: what is known about the point a model was made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

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
        if self.gap == float("inf"):
            return self.gap
        size = max(abs(self.primal), abs(self.dual))
        vanishes = self.status is Status.CERTIFIED and size <= self.floor
        return 0.0 if size == 0 or vanishes else self.gap / size

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
