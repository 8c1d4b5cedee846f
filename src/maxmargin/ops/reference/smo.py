"""The obvious versions of ``ops.cpu.smo``: the same steps in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np


def smo_pairs(
    K: Any, beta: Any, F: Any, lower: Any, upper: Any, tol: float, fraction: float, most: int
) -> tuple[int, float]:
    """Pairs by second-order selection; see ``ops.cpu.smo.smo_pairs``."""
    K, flattest, target = np.asarray(K, np.float64), np.inf, None
    for steps in range(most + 1):
        up = np.where(beta < upper, F, -np.inf)
        low = np.where(beta > lower, F, np.inf)
        violation = up.max() - low.min()
        target = max(tol, fraction * violation) if target is None else target
        if violation <= target or steps == most:
            return steps, flattest
        i = int(up.argmax())
        curvatures = np.maximum(K[i, i] + np.diag(K) - 2 * K[i], 1e-12)
        j = int((np.maximum(up[i] - low, 0.0) ** 2 / curvatures).argmax())
        flattest = min(flattest, K[i, i] + K[j, j] - 2 * K[i, j])
        step = min((F[i] - F[j]) / curvatures[j], upper[i] - beta[i], beta[j] - lower[j])
        beta[i] = min(upper[i], beta[i] + step)
        beta[j] = max(lower[j], beta[j] - step)
        F -= step * (K[i] - K[j])
    return most, flattest


def smo_single(
    K: Any, beta: Any, F: Any, lower: Any, upper: Any, tol: float, fraction: float, most: int
) -> tuple[int, float]:
    """One variable by largest gain; see ``ops.cpu.smo.smo_single``."""
    K, flattest, target = np.asarray(K, np.float64), np.inf, None
    for steps in range(most + 1):
        slope = np.where(beta < upper, np.maximum(F, 0.0), 0.0)
        slope = np.maximum(slope, np.where(beta > lower, -F, 0.0))
        target = max(tol, fraction * slope.max()) if target is None else target
        if slope.max() <= target or steps == most:
            return steps, flattest
        i = int((slope**2 / np.maximum(np.diag(K), 1e-12)).argmax())
        flattest = min(flattest, K[i, i])
        moved = float(np.clip(beta[i] + F[i] / max(K[i, i], 1e-12), lower[i], upper[i]))
        F -= (moved - beta[i]) * K[i]
        beta[i] = moved
    return most, flattest


def smo_rows(
    store: Any,
    slots: Any,
    diagonal: Any,
    beta: Any,
    F: Any,
    lower: Any,
    upper: Any,
    tol: float,
    most: int,
    second_order: bool,
    used: Any,
) -> tuple[int, float, int, int]:
    """Pairs on the rows at hand; see ``ops.cpu.smo.smo_rows``."""
    diagonal, flattest = np.asarray(diagonal, np.float64), np.inf
    for steps in range(most + 1):
        up = np.where(beta < upper, F, -np.inf)
        low = np.where(beta > lower, F, np.inf)
        if up.max() - low.min() <= tol or steps == most:
            return steps, flattest, -1, -1
        i, j = int(up.argmax()), int(low.argmin())
        if second_order and slots[i] < 0:
            return steps, flattest, i, i
        used[i] = True
        if second_order:
            row_i = store[slots[i]].astype(np.float64)
            curvatures = np.maximum(diagonal[i] + diagonal - 2 * row_i, 1e-12)
            j = int((np.maximum(up[i] - low, 0.0) ** 2 / curvatures).argmax())
        if slots[i] < 0 or slots[j] < 0:
            return steps, flattest, i, j
        used[j] = True
        row_i, row_j = store[slots[i]].astype(np.float64), store[slots[j]].astype(np.float64)
        curvature = row_i[i] + row_j[j] - 2 * row_i[j]
        flattest = min(flattest, curvature)
        room = min(upper[i] - beta[i], beta[j] - lower[j])
        step = min((F[i] - F[j]) / max(curvature, 1e-12), room)
        beta[i] = min(upper[i], beta[i] + step)
        beta[j] = max(lower[j], beta[j] - step)
        F -= step * (row_i - row_j)
    return most, flattest, -1, -1
