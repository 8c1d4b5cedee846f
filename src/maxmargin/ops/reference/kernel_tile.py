"""Kernel values of dense vectors, evaluated and used in plain NumPy."""

from __future__ import annotations

from itertools import pairwise
from threading import Lock
from typing import Any

import numpy as np

from maxmargin.ops.kinds import POWER, RADIAL
from maxmargin.ops.reference.product import unpack

_turnstile = Lock()


def _evaluate(kind: int, params: Any, A: Any, a: Any, B: Any, b: Any) -> Any:
    """Return the values of two sets of vectors, a row each."""
    values = A[: len(a)] @ B[: len(b)].T
    if kind == RADIAL:
        return np.exp(-params[0] * np.maximum(0, a[:, None] + b - 2 * values)).astype(A.dtype)
    if kind == POWER:
        return ((params[0] * values + params[1]) ** int(params[2])).astype(A.dtype)
    return values


def add_rows_and_fill(
    settled: Any,
    leaving: Any,
    due: Any,
    running: Any,
    moving: Any,
    steps: Any,
    kind: int,
    params: Any,
    A: Any,
    a: Any,
    slots: Any,
    weights: Any,
    B: Any,
    b: Any,
    start: int,
    store: Any,
    scratch: Any,  # noqa: ARG001
    counter: Any,
    zones: int,  # noqa: ARG001
    most: int,  # noqa: ARG001
) -> bool:
    """Move on ranges of columns: book rows that leave, evaluate new ones, add those that stay.

    All of them, for whoever is the first to come.
    """
    with _turnstile:
        counter[0] += 1
        if counter[0] > 1:
            return False
    columns = slice(start, start + len(b))
    settled += due @ store[leaving, columns].astype(np.float64)
    store[slots, columns] = values = _evaluate(kind, params, unpack(A), a, unpack(B), b)
    running += weights @ values.astype(np.float64)
    running += steps @ store[moving, columns].astype(np.float64)
    return False


def fill_strip(
    kind: int,
    params: Any,
    A: Any,
    a: Any,
    B: Any,
    b: Any,
    first: int,
    stop: int,
    values: Any,
    scratch: Any,  # noqa: ARG001
) -> None:
    """Evaluate rows first to stop of a square matrix up to the diagonal, and mirror them."""
    own = slice(first - (len(b) - len(a)), stop - (len(b) - len(a)))
    strip = _evaluate(kind, params, unpack(A)[own], a[own], unpack(B), b[:stop])
    for i in range(first, stop):
        values[i, : i + 1] = values[: i + 1, i] = strip[i - first, : i + 1]


def add_decisions(
    kind: int,
    params: Any,
    A: Any,
    a: Any,
    X: Any,
    b: Any,
    edges: Any,
    weights: Any,
    sums: Any,
    panels: Any,  # noqa: ARG001
    scratch: Any,  # noqa: ARG001
) -> None:
    """Add sum_{i in class c} weights_i k(x, x_i) to sums[c] for all rows x of A."""
    for c, (first, stop) in enumerate(pairwise(edges)):
        values = _evaluate(kind, params, unpack(A), a, X[first:stop], b[first:stop])
        sums[c] += values.astype(np.float64) @ weights[first:stop]
