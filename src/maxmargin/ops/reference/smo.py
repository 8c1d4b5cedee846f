"""The obvious versions of ``ops.cpu.smo``: the same steps in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np


def joined(K00: Any, K01: Any, K10: Any, K11: Any, at: Any, split: int, q: int) -> Any:
    """Put the blocks of a matrix together, in double precision."""
    rows = [slice(0, split), slice(0, q - split)]

    def block(matrix: Any, s: int, t: int) -> Any:
        (row, column), height, width = at[s, t], rows[s].stop, rows[t].stop
        return matrix[row : row + height, column : column + width].astype(np.float64)

    return np.block([[block(K00, 0, 0), block(K01, 0, 1)], [block(K10, 1, 0), block(K11, 1, 1)]])


def take_rows(
    K00: Any, K01: Any, K10: Any, K11: Any, at: Any, split: int, rows: Any, out: Any
) -> None:
    """Copy rows of the matrix, one a line of ``out``."""
    out[:] = joined(K00, K01, K10, K11, at, split, out.shape[1])[rows]


def times(K00: Any, K01: Any, K10: Any, K11: Any, at: Any, split: int, beta: Any, out: Any) -> None:
    """Write K beta."""
    out[:] = joined(K00, K01, K10, K11, at, split, len(beta)) @ beta


def smo_pairs(
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
    target: float,
    most: int,
) -> tuple[int, float]:
    """Pairs by second-order selection; see ``ops.cpu.smo.smo_pairs``."""
    K, flattest = joined(K00, K01, K10, K11, at, split, len(beta)), np.inf
    for steps in range(most + 1):
        up = np.where(beta < upper, F, -np.inf)
        low = np.where(beta > lower, F, np.inf)
        if up.max() - low.min() <= target or steps == most:
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
    target: float,
    most: int,
) -> tuple[int, float]:
    """One variable by largest gain; see ``ops.cpu.smo.smo_single``."""
    K, flattest = joined(K00, K01, K10, K11, at, split, len(beta)), np.inf
    for steps in range(most + 1):
        slope = np.where(beta < upper, np.maximum(F, 0.0), 0.0)
        slope = np.maximum(slope, np.where(beta > lower, -F, 0.0))
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
