"""The obvious version of ``ops.cpu.newton``: whole matrices, one step after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import entr, expit

from maxmargin.ops.kinds import DAMPING, DUAL, HINGE, IDLE, PRIMAL, SQUARED_HINGE, WIDTH

_JITTER, _NARROW, _GOOD, _PROMISING, _PROMISING_ROUGHLY = 1e-11, 0.3, 0.2, 0.1, 15.0
_FIRST_DAMPING, _MORE, _LEAST, _MOST = 1e-3, 5.0, 1e-9, 1e6
_PATIENCE, _ROUNDED, _EPS = 30, 1e-9, 2.0**-52


def _matrix(data: Any, indices: Any, indptr: Any, constant: float, shape: Any) -> Any:
    Z, dense = np.zeros(shape), len(indices) == 0
    for i in range(len(Z)):
        part = slice(int(indptr[i]), int(indptr[i + 1]))
        Z[i, np.arange(part.stop - part.start) if dense else indices[part]] = data[part]
    if constant:
        Z[:, -1] = constant
    return Z


def _duals(kind: int, m: Any, centre: Any, width: float) -> Any:
    if kind == HINGE:
        return np.clip(centre + (1.0 - m) / width, 0.0, 1.0)
    return 2.0 * np.maximum(0.0, 1.0 - m) if kind == SQUARED_HINGE else expit(-m)


def _bends(kind: int, a: Any, width: float) -> Any:
    if kind == HINGE:
        return np.where((a > 0) & (a < 1), 1.0 / width, 0.0)
    return np.where(a > 0, 2.0, 0.0) if kind == SQUARED_HINGE else a * (1.0 - a)


def _prices(kind: int, m: Any) -> Any:
    short = np.maximum(0.0, 1.0 - m)
    if kind == HINGE:
        return short
    return short**2 if kind == SQUARED_HINGE else np.logaddexp(0.0, -m)


def _conjugates(kind: int, a: Any) -> Any:
    if kind == HINGE:
        return -a
    return 0.25 * a**2 - a if kind == SQUARED_HINGE else -entr(a) - entr(1.0 - a)


def _feasible(kind: int, wanted: Any, t: Any, cost: Any, free: bool) -> Any:
    near = np.clip(wanted, 0.0, np.inf if kind == SQUARED_HINGE else 1.0)
    if free:
        up, down = cost @ (near * (t > 0)), cost @ (near * (t < 0))
        if max(up, down) > 0:
            near[t == (1 if up > down else -1)] *= min(up, down) / max(up, down)
    return near


def _direction(H: Any, scale: Any, damping: float, downhill: Any) -> tuple[Any, Any]:
    largest = H.diagonal().max()
    H = H + np.diag(_JITTER * np.maximum(H.diagonal(), _JITTER * largest))
    undamped = np.linalg.solve(H, downhill)
    if damping == 0:
        return undamped, undamped
    return np.linalg.solve(H + np.diag(max(damping, _LEAST) * scale), downhill), undamped


def _search(derivative: Any, slope: float) -> float:
    low, high, at_low, at_high = 0.0, 1.0, slope, derivative(1.0)
    length = 1.0
    if at_high < 0.5 * slope:
        while length < 32.0 and derivative(2.0 * length) < 0.5 * slope:
            length *= 2.0
        return length
    if at_high <= -_GOOD * slope:
        return length
    for _ in range(10):
        length = low + (high - low) * min(0.9, max(0.1, -at_low / (at_high - at_low)))
        here = derivative(length)
        if abs(here) <= -_GOOD * slope:
            break
        low, at_low, high, at_high = (
            (low, at_low, length, here) if here > 0 else (length, here, high, at_high)
        )
    return length


def _damped(length: float, damping: float) -> float:
    if length < 0.5:
        return min(_MOST, _MORE * max(damping, 1e-3 * _FIRST_DAMPING))
    return damping if length < 0.8 else damping / _MORE if damping > _LEAST else 0.0


def newton_steps(
    data: Any,
    indices: Any,
    indptr: Any,
    constant: float,
    t: Any,
    cost: Any,
    kind: int,
    free: bool,
    room: Any,
    aim: float,
    most: int,
    centre: Any,
    theta: Any,
    values: Any,
    state: Any,
    best_theta: Any,
    best_dual: Any,
    told: Any,
) -> int:
    """Make Newton steps until the relative gap is at most ``aim``; all of them exact."""
    Z = _matrix(data, indices, indptr, constant, (len(t), len(theta)))
    D = np.where(free & (np.arange(len(theta)) == len(theta) - 1), 0.0, 1.0)
    scale, exact = cost @ Z**2, room.ndim == 2
    for made in range(most):
        size, gap = max(abs(state[PRIMAL]), abs(state[DUAL])), state[PRIMAL] - state[DUAL]
        patience = _PATIENCE if gap > _ROUNDED * size else _PATIENCE // 10
        if gap <= aim * size or state[IDLE] >= patience:
            return made
        width, damping = state[WIDTH], state[DAMPING] if exact else 0.0
        a = _duals(kind, t * values, centre, width)
        bend = _bends(kind, a, width)
        downhill = Z.T @ (cost * a * t) - D * theta
        H = (Z.T * (cost * bend)) @ Z + np.diag(D)
        step, undamped = _direction(H, scale, damping, downhill)
        decrement = 0.5 * float(downhill @ undamped)
        if decrement <= (_PROMISING if exact else _PROMISING_ROUGHLY * aim) * abs(state[PRIMAL]):
            near = _feasible(kind, a - bend * t * (Z @ undamped), t, cost, free)
            v = np.where(D > 0, Z.T @ (cost * near * t), 0.0)
            value = -0.5 * float(v @ v) - float(cost @ _conjugates(kind, near))
            if value > state[DUAL]:
                state[DUAL], best_dual[:] = value, near
        change = Z @ step
        inner, square = float(D * step @ theta), float(D * step @ step)

        def derivative(
            length: float, at: Any = (values, change, width), line: Any = (inner, square)
        ) -> float:
            values, change, width = at
            beta = cost * t * _duals(kind, t * (values + length * change), centre, width)
            return float(line[0] + length * line[1] - beta @ change)

        length = _search(derivative, -float(downhill @ step))
        theta += length * step
        values += length * change
        primal = float(cost @ _prices(kind, t * values)) + 0.5 * float(D * theta @ theta)
        if primal < state[PRIMAL]:
            state[PRIMAL], best_theta[:] = primal, theta
        state[DAMPING] = _damped(length, state[DAMPING])
        a, short = _duals(kind, t * values, centre, width), 1.0 - t * values
        hidden = float(cost @ (np.maximum(0.0, short) - a * short))
        if kind == HINGE and length > 0.3 and decrement <= hidden:
            state[WIDTH], centre[:] = _NARROW * width, a
        better = state[PRIMAL] - state[DUAL] < gap - 4.0 * _EPS * abs(state[PRIMAL])
        state[IDLE] = 0.0 if better else state[IDLE] + 1.0
        if made < len(told):
            told[made] = state[PRIMAL], state[DUAL]
        if not np.isfinite(primal):
            return made + 1
    return most


def row_pass(
    kind: int,
    width: float,
    t: Any,
    cost: Any,
    centre: Any,
    values: Any,
    first: int,
    stop: int,
    beta: Any,
    h: Any,
) -> float:
    """Set duals beta_i and curvatures h_i of rows first to stop; returns what their losses cost."""
    rows = slice(first, stop)
    m = t[rows] * values[rows]
    a = _duals(kind, m, centre[rows], width)
    beta[rows], h[rows] = cost[rows] * t[rows] * a, cost[rows] * _bends(kind, a, width)
    return float(cost[rows] @ _prices(kind, m))


def dual_pass(
    kind: int,
    t: Any,
    cost: Any,
    beta: Any,
    h: Any,
    change: Any,
    first: int,
    stop: int,
    near: Any,
    cut: Any,
) -> float:
    """Set feasible duals near beta - h change, and by how much they differ from that."""
    rows = slice(first, stop)
    scale = cost[rows] * t[rows]
    wanted = beta[rows] - h[rows] * change[rows]
    a = np.clip(wanted / scale, 0.0, np.inf if kind == SQUARED_HINGE else 1.0)
    near[rows] = np.where(a == wanted / scale, wanted, scale * a)
    cut[rows] = near[rows] - wanted
    return float(cost[rows] @ _conjugates(kind, a))
