"""What a worker computes for a kernel machine: its part of the gradient, and its worst violators.

A step sends the rows whose duals moved. A worker adds their kernel values to its part of K beta; a
worker that does not know the steps before (it has just read its rows) says so, and is sent all of
them, which it adds in the same order, to the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxmargin.dask.rows import Rows
from maxmargin.kernels.base import Kernel
from maxmargin.kernels.gram import Gram
from maxmargin.ops.clock import look

Vector = NDArray[np.float64]
Index = NDArray[np.int64]

_VALUES = 1 << 21
"""Kernel values at a time."""


@dataclass(frozen=True)
class KernelTask:
    """The machine of two classes that is fitted."""

    kernel: Kernel
    classes: NDArray[Any]
    costs: tuple[float, float]
    """What slack costs in each class, before the weights of rows."""


class Batch(NamedTuple):
    """Rows whose duals change by ``delta`` to ``beta``, and where they lie."""

    X: Any
    delta: Vector
    beta: Vector
    partition: Index
    place: Index


class Behind(NamedTuple):
    """An answer of a worker that has to be told all steps."""

    partition: int


class Violators(NamedTuple):
    """The worst rows of a partition on both sides, a sample of others, and its extremes."""

    partition: int
    place: Index
    gradient: Vector
    beta: Vector
    low: Vector
    high: Vector
    rising: NDArray[np.bool_]
    top: NDArray[np.bool_]
    X: Any
    most: float
    least: float


@dataclass
class _State:
    """A partition's part of the machine."""

    epoch: int
    step: int
    gram: Gram
    p: Vector
    low: Vector
    high: Vector
    beta: Vector
    product: Vector


def state_of(rows: Rows, task: KernelTask) -> _State:
    """Return the state in the memo, or that of no duals."""
    state: _State | None = rows.memo.get("machine")
    if state is None:
        state = _begin(rows, task)
        rows.memo["machine"] = state
    return state


def _begin(rows: Rows, task: KernelTask) -> _State:
    label = (rows.y == task.classes[1]).astype(np.intp)
    p = np.where(label == 1, 1.0, -1.0)
    cost = np.asarray(task.costs)[label] * rows.weights
    none = np.zeros(len(rows))
    X = rows.X.astype(np.float64, copy=False)
    gram = Gram.of(task.kernel, X) if len(rows) else Gram(task.kernel, none, task.kernel.psd)
    low, high = np.minimum(p * cost, 0.0), np.maximum(p * cost, 0.0)
    return _State(0, 0, gram, p, low, high, none, none.copy())


def _apply(rows: Rows, state: _State, task: KernelTask, batch: Batch) -> None:
    own = np.flatnonzero(batch.partition == rows.number)
    state.beta[batch.place[own]] = batch.beta[own]
    state.product = state.product + products(state.gram, task.kernel, batch.X, batch.delta)
    state.step += 1


def products(gram: Gram, kernel: Kernel, X: Any, delta: Vector) -> Vector:
    """Sum delta_j k(x_i, x_j) for all rows i of a partition."""
    n = len(gram.rows) if len(delta) else 0
    out = np.zeros(len(gram.rows))
    if n == 0:
        return out
    support = kernel.prepare_new(X, gram.rows)
    step = max(1, _VALUES // len(delta))
    for first in range(0, n, step):
        look()
        part = slice(first, min(first + step, n))
        out[part] = kernel.block(gram.rows[part], support) @ delta
    return out


def move(
    rows: Rows,
    task: KernelTask,
    epoch: int,
    step: int,
    batch: Batch | None,
    kept: tuple[Index, Index],
    wanted: int,
    seed: int,
) -> Violators | Behind:
    """Apply the newest step and return the worst rows."""
    state = state_of(rows, task)
    if (state.epoch, state.step) == (epoch, step - 1) and batch is not None:
        _apply(rows, state, task, batch)
    if (state.epoch, state.step) != (epoch, step):
        return Behind(rows.number)
    return _worst(rows, state, kept, wanted, seed + step)


def catch_up(rows: Rows, task: KernelTask, epoch: int, batches: list[Batch]) -> None:
    """Apply all steps from the beginning."""
    state = _begin(rows, task)
    for batch in batches:
        _apply(rows, state, task, batch)
    state.epoch = epoch
    rows.memo["machine"] = state


def _worst(
    rows: Rows, state: _State, kept: tuple[Index, Index], wanted: int, seed: int
) -> Violators:
    F = state.p - state.product
    up, down = state.beta < state.high, state.beta > state.low
    most = float(F.max(where=up, initial=-np.inf))
    least = float(F.min(where=down, initial=np.inf))
    mine = kept[1][kept[0] == rows.number]
    rng = np.random.default_rng([seed, rows.number])
    places, rising, top = [], [], []
    for side, sign in ((up, 1.0), (down, -1.0)):
        free = side.copy()
        free[mine] = False
        found = np.flatnonzero(free)
        first = _top(sign * F[found], wanted)
        others = np.setdiff1d(np.arange(len(found)), first, assume_unique=True)
        some = rng.choice(others, min(wanted, len(others)), replace=False)
        places.append(found[np.concatenate([first, some])])
        rising.append(np.full(len(first) + len(some), sign > 0))
        top.append(np.arange(len(first) + len(some)) < len(first))
    place = np.concatenate(places)
    return Violators(
        rows.number,
        place,
        F[place],
        state.beta[place],
        state.low[place],
        state.high[place],
        np.concatenate(rising),
        np.concatenate(top),
        rows.X[place].astype(np.float64),
        most,
        least,
    )


def _top(values: Vector, wanted: int) -> Index:
    """Return the places of the largest values, the largest first; ties by place."""
    if len(values) > wanted:
        level = np.partition(values, len(values) - wanted)[len(values) - wanted]
        some = np.flatnonzero(values >= level)
    else:
        some = np.arange(len(values))
    order = np.argsort(-values[some], kind="stable")[:wanted]
    return some[order].astype(np.int64)


class FreshPoint(NamedTuple):
    """What the judge needs of a partition."""

    p: Vector
    low: Vector
    high: Vector
    beta: Vector
    product: Vector
    errors: Vector
    lengths: Vector
    reach: Vector | None


def fresh(rows: Rows, task: KernelTask, batch: Batch) -> FreshPoint:
    """Evaluate K beta afresh from all support vectors."""
    state = _begin(rows, task)
    own = np.flatnonzero(batch.partition == rows.number)
    state.beta[batch.place[own]] = batch.beta[own]
    none = np.zeros(0)
    if len(rows) == 0:
        return FreshPoint(none, none, none, none, none, none, none, none)
    product = products(state.gram, task.kernel, batch.X, batch.beta)
    rounding = state.gram.rounding
    return FreshPoint(
        state.p,
        state.low,
        state.high,
        state.beta,
        product,
        rounding.errors,
        rounding.lengths,
        rounding.reach,
    )


def moments(rows: Rows) -> tuple[float, float, float]:
    """Return the sum of weights, of entries and of squared entries, for gamma="scale"."""
    X = rows.X.astype(np.float64, copy=False)
    w = rows.weights
    total = float((w @ X).sum()) if len(rows) else 0.0
    squares = X.multiply(X) if hasattr(X, "multiply") else X * X
    return float(w.sum()), total, float((w @ squares).sum()) if len(rows) else 0.0
