"""The obvious versions of ``ops.cpu.selection``."""

from __future__ import annotations

from typing import Any

import numpy as np


def survey(F: Any, beta: Any, lower: Any, upper: Any) -> tuple[float, float, float, float]:
    """Find max F over I_up, min F over I_low, and the sum and number of F over free variables."""
    rises, falls = beta < upper, beta > lower
    free = F[rises & falls]
    up, low = F[rises].max(initial=-1e300), F[falls].min(initial=1e300)
    return float(up), float(low), float(free.sum()), float(len(free))


def violators(slope: Any, sign: float, steepest: Any, others: Any) -> int:
    """Find the variables with a positive sign * slope: the steepest, and all others."""
    found = np.flatnonzero(sign * slope > 0)
    order = np.argsort(-sign * slope[found], kind="stable")
    steepest[:] = -1
    steepest[: len(order)] = found[order[: len(steepest)]]
    rest = np.sort(found[order[len(steepest) :]])
    others[: len(rest)] = rest
    return len(rest)


def slopes(F: Any, beta: Any, lower: Any, upper: Any, b: float, out: Any) -> None:
    """Set out to how much each variable wants to rise (positive) or fall, at the bias b."""
    rises = np.where(beta < upper, np.maximum(F - b, 0.0), 0.0)
    falls = np.where(beta > lower, np.minimum(F - b, 0.0), 0.0)
    out[:] = rises + falls
