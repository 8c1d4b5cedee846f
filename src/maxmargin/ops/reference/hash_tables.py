"""Nearest rows among those in buckets: the obvious way."""

from __future__ import annotations

from typing import Any

import numpy as np


def search_buckets(
    X: Any,
    asked: Any,
    order: Any,
    starts: Any,
    codes: Any,
    seen: Any,
    first: int,
    stop: int,
    squares: Any,
    indices: Any,
) -> int:
    """Find the nearest rows of questions first to stop; return how many rows were compared."""
    compared = 0
    for q in range(first, stop):
        found = [
            order[table, starts[table, code] : starts[table, code + 1]]
            for table in range(len(order))
            for code in codes[q, table]
        ]
        rows = np.unique(np.concatenate(found)).astype(np.intp)
        seen[rows] = q
        gaps = X[rows].astype(np.float64) - asked[q].astype(np.float64)
        distances = np.square(gaps).sum(axis=1)
        nearest = np.lexsort((rows, distances))[: squares.shape[1]]
        squares[q, : len(nearest)] = distances[nearest]
        indices[q, : len(nearest)] = rows[nearest]
        compared += len(rows)
    return compared
