"""Rows turned so that their mean lies along one column, which |theta|^2 does not notice.

Rows far from the origin are nearly parallel: every product of two of them, and every sum along a
column, is a large number whose last digits matter. Turned by the reflection H that takes their mean
m to -+|m| e_0 (Householder), the row x becomes H (x - m) -+ |m| e_0, in which only the first column
is large, and nearly constant; differences x - m lose nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxmargin.inputs.vectors import far_mean
from maxmargin.ops.design import Design

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Rotation:
    """The turned rows, their constant among them; ``normal`` is that of the mirror, if any."""

    design: Design
    normal: Vector | None = None

    @classmethod
    def of(cls, design: Design, *, turn: bool = True) -> Rotation:
        """Turn dense rows that are far from the origin; leave others, or all, as they are."""
        mean = far_mean(design.X) if turn and design.dense else None
        if mean is None:
            return cls(design)
        mean = np.append(mean.astype(np.float64), [design.constant] if design.constant else [])
        length = np.copysign(np.linalg.norm(mean), mean[0])
        normal = mean.copy()
        normal[0] += length
        normal /= np.linalg.norm(normal)
        rows = np.zeros((len(design), design.width))
        rows[:, : design.columns] = design.X - mean[: design.columns]
        rows -= 2.0 * np.outer(rows @ normal, normal)
        rows[:, 0] -= length
        return cls(Design(rows, 0.0, design.workers), normal)

    def back(self, theta: Vector) -> Vector:
        """Turn coefficients back to the rows as they were; the mirror is its own inverse."""
        if self.normal is None:
            return theta
        turned: Vector = theta - 2.0 * np.multiply.outer(theta @ self.normal, self.normal)
        return turned
