"""The obvious versions of ``ops.cpu.square``."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.reference.polish import polish
from maxmargin.ops.reference.smo import smo_pairs, smo_single

_TRACE = 1e-11


def violation(beta: Any, F: Any, lower: Any, upper: Any, bias: bool) -> float:
    """By how much the optimality conditions fail."""
    up = float(F[beta < upper].max(initial=-np.inf))
    low = float(F[beta > lower].min(initial=np.inf))
    return up - low if bias else max(up, 0.0, -low)


def put_on_bounds(beta: Any, lower: Any, upper: Any, bias: bool) -> None:
    """Put traces on their bound; the freest variable takes over what they leave of the sum."""
    trace, before = _TRACE * np.abs(beta).max(initial=0.0), beta.copy()
    beta[:] = np.where(np.abs(before - upper) <= trace, upper, beta)
    beta[:] = np.where(np.abs(before - lower) <= trace, lower, beta)
    left, room = float((before - beta).sum()), np.minimum(beta - lower, upper - beta)
    if bias and room.max(initial=0.0) > 2.0 * abs(left):
        beta[room.argmax()] += left


def solve_square(
    K00: Any,
    K01: Any,
    K10: Any,
    K11: Any,
    at: Any,
    split: int,
    beta: Any,
    F: Any,
    lower: Any,
    upper: Any,
    bias: bool,
    first: float,
    enough: float,
    exact: float,
    rounds: int,
    most: int,
) -> tuple[int, float, float]:
    """SMO and Newton in turn; see ``ops.cpu.square``."""
    matrix, box = (K00, K01, K10, K11, at, split), (lower, upper)
    smo, steps, flattest, target = smo_pairs if bias else smo_single, 0, np.inf, first
    for turn in range(rounds + 1):
        if violation(beta, F, *box, bias) > target and steps < most:
            made, flat = smo(*matrix, beta, F, *box, target, most - steps)
            steps, flattest = steps + made, min(flattest, flat)
        if turn == rounds or steps >= most:
            break
        few = polish(*matrix, beta, F, *box, bias, exact)
        left = violation(beta, F, *box, bias)
        if not left > (exact if few else enough):
            break
        target = 0.1 * left if few else enough
    put_on_bounds(beta, *box, bias)
    return steps, flattest, violation(beta, F, *box, bias)
