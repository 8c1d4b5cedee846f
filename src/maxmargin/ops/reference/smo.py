"""The obvious versions of ``ops.cpu.smo``: the same steps in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.reference.kernel_row import slot_of


def times(store: Any, slots: Any, beta: Any, out: Any) -> None:
    """Write K beta, from the rows of all variables that are not 0."""
    used = np.flatnonzero(beta)
    out[:] = beta[used] @ store[slots[used], : len(out)].astype(np.float64)


def smo_pairs(
    store: Any,
    slots: Any,
    taken: Any,
    kind: int,
    K: Any,
    index: Any,
    XT: Any,
    norms: Any,
    params: Any,
    diagonal: Any,
    beta: Any,
    F: Any,
    lower: Any,
    upper: Any,
    target: float,
    most: int,
    second_order: bool,
    used: Any,
    groups: Any,
    n_groups: int,
) -> tuple[int, float, int, int]:
    """Pairs of variables; see ``ops.cpu.smo.smo_pairs``."""
    rows = store, slots, taken, kind, K, index, XT, norms, params
    diagonal, flattest = np.asarray(diagonal, np.float64), np.inf
    for steps in range(most + 1):
        parts = [groups == g for g in range(n_groups)] if n_groups > 1 else [np.ones(len(F), bool)]
        of_groups = [_limits(beta, F, lower, upper, part) for part in parts]
        up, low = max(of_groups, key=lambda pair: pair[0].max() - pair[1].min())
        if up.max() - low.min() <= target or steps == most:
            return steps, flattest, -1, -1
        i, j = int(up.argmax()), int(low.argmin())
        slot_i = slot_of(i, *rows)
        if second_order and slot_i < 0:
            return steps, flattest, i, i
        used[i] = True
        if second_order:
            curvatures = diagonal[i] + diagonal - 2 * store[slot_i].astype(np.float64)
            gains = np.maximum(up[i] - low, 0.0) ** 2 / np.maximum(curvatures, 1e-12)
            j = int(gains.argmax())
        slot_j = slot_of(j, *rows)
        if slot_i < 0 or slot_j < 0:
            return steps, flattest, i, j
        used[j] = True
        row_i, row_j = store[slot_i].astype(np.float64), store[slot_j].astype(np.float64)
        curvature = diagonal[i] + diagonal[j] - 2 * row_i[j]
        flattest = min(flattest, curvature)
        room = min(upper[i] - beta[i], beta[j] - lower[j])
        step = min((F[i] - F[j]) / max(curvature, 1e-12), room)
        beta[i] = min(upper[i], beta[i] + step)
        beta[j] = max(lower[j], beta[j] - step)
        F -= step * (row_i - row_j)
    return most, flattest, -1, -1


def _limits(beta: Any, F: Any, lower: Any, upper: Any, members: Any) -> tuple[Any, Any]:
    """F over a group's I_up and I_low."""
    up = np.where(members & (beta < upper), F, -np.inf)
    return up, np.where(members & (beta > lower), F, np.inf)


def smo_single(
    store: Any,
    slots: Any,
    taken: Any,
    kind: int,
    K: Any,
    index: Any,
    XT: Any,
    norms: Any,
    params: Any,
    diagonal: Any,
    beta: Any,
    F: Any,
    lower: Any,
    upper: Any,
    target: float,
    most: int,
) -> tuple[int, float]:
    """One variable by largest gain; see ``ops.cpu.smo.smo_single``."""
    rows = store, slots, taken, kind, K, index, XT, norms, params
    diagonal, flattest = np.maximum(np.asarray(diagonal, np.float64), 1e-12), np.inf
    for steps in range(most + 1):
        slope = np.where(beta < upper, np.maximum(F, 0.0), 0.0)
        slope = np.maximum(slope, np.where(beta > lower, -F, 0.0))
        if slope.max() <= target or steps == most:
            return steps, flattest
        i = int((slope**2 / diagonal).argmax())
        flattest = min(flattest, diagonal[i])
        moved = float(np.clip(beta[i] + F[i] / diagonal[i], lower[i], upper[i]))
        F -= (moved - beta[i]) * store[slot_of(i, *rows)].astype(np.float64)
        beta[i] = moved
    return most, flattest
