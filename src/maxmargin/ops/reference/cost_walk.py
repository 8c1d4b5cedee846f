"""The obvious version of ``ops.cpu.cost_walk``: a plain SMO for each cost, from the one before."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.kinds import GIVEN
from maxmargin.ops.reference.smo import smo_pairs


def gather(store: Any, index: Any) -> Any:
    """Copy the square of some variables."""
    return store[np.ix_(index, index)]


def ascend(store: Any, beta: Any, F: Any, lower: Any, upper: Any, target: float, most: int) -> int:
    """Optimise beta and F in place by SMO on all variables."""
    q, nothing = len(beta), np.empty((0, 0))
    rows = store, np.arange(q), np.zeros(1, np.int64)
    source = GIVEN, nothing, np.empty(0, np.intp), nothing, np.empty(0), np.empty(0)
    point = store.diagonal().copy(), beta, F, lower, upper, target, most
    given: tuple[Any, ...] = (*rows, *source, *point, True, np.empty(q, np.bool_), None, 1)
    return smo_pairs(*given)[0]


def walk(
    store: Any,
    p: Any,
    low: Any,
    high: Any,
    costs: Any,
    first: int,
    target: float,
    most: int,
    limit: int,
    beta: Any,
    F: Any,
    betas: Any,
    products: Any,
    intercepts: Any,
    steps: Any,
) -> int:
    """Solve for one cost after the other; see ``ops.cpu.cost_walk.walk``."""
    made = 0
    for c in range(first, len(costs)):
        lower, upper = costs[c] * low, costs[c] * high
        if c > 0 and steps[c] == 0:
            _stretch(p, beta, F, lower, upper)
        some = min(most - made, limit - int(steps[c]))
        now = ascend(store, beta, F, lower, upper, target, some)
        made, steps[c] = made + now, steps[c] + now
        if now == some and steps[c] < limit:
            return c
        betas[c], products[c] = beta, p - F
        intercepts[c] = _intercept(beta, F, lower, upper)
    return len(costs)


def _stretch(p: Any, beta: Any, F: Any, lower: Any, upper: Any) -> None:
    moves = beta != 0
    edges = np.where(beta > 0, upper, lower)[moves]
    most = ((edges - beta[moves]) / beta[moves]).min(initial=np.inf)
    slope, bend = beta @ F, beta @ (p - F)
    length = most if bend <= 0 else min(most, slope / bend)
    if 0 < length < np.inf:
        beta[:] = np.clip(beta + length * beta, lower, upper)
        F -= length * (p - F)


def _intercept(beta: Any, F: Any, lower: Any, upper: Any) -> float:
    trace = 1e-11 * np.abs(beta).max(initial=0.0)
    up, down = upper - beta > trace, beta - lower > trace
    if (up & down).any():
        return float(F[up & down].mean())
    ends = [F[up].max(initial=-np.inf), F[down].min(initial=np.inf)]
    finite = [end for end in ends if np.isfinite(end)]
    return float(np.mean(finite)) if finite else 0.0
