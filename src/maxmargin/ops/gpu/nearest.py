"""The nearest of many rows, by all distances, a few rows at a time."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray

from maxmargin.ops.clock import stop_if_over
from maxmargin.ops.gpu.arrays import SparseRows, to_device, to_host
from maxmargin.ops.gpu.kernel_values import absolute_distances, columns_at_a_time, squared_distances

AT_ONCE: Final = 1 << 29
"""Bytes of distances at a time."""


def nearest(
    queries: Any, rows: Any, k: int, metric: str, device: Any
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Return distances and numbers of the k nearest rows of every query, the nearest first.

    Of equally distant rows the one with the smallest number comes first.
    """
    X, step = (
        to_device(rows, device),
        columns_at_a_time(rows.shape[0], rows.dtype.itemsize, AT_ONCE),
    )
    x, found = _squares(X), []
    for first in range(0, queries.shape[0], step):
        stop_if_over()
        Q = to_device(queries[first : first + step], device)
        if metric == "manhattan":
            apart = absolute_distances(Q, X)
        else:
            apart = squared_distances(Q, X, _squares(Q), x)
        order = torch.sort(apart, dim=1, stable=True) if k > _SORTED else _top(apart, k)
        values, numbers = (each[:, :k] for each in order)
        values = values if metric == "manhattan" else values.sqrt()
        found.append((to_host(values.double()), to_host(numbers)))
    distances, numbers = (np.concatenate(each) for each in zip(*found, strict=True))
    return distances, numbers.astype(np.intp)


_SORTED: Final = 256
"""Neighbours from which sorting all distances is simpler than choosing."""


def _top(apart: Any, k: int) -> tuple[Any, Any]:
    """Return the k smallest of every row, ties by their numbers."""
    limit = torch.topk(apart, k, dim=1, largest=False).values[:, -1:]
    most = int((apart <= limit).sum(dim=1).max())
    values, numbers = torch.topk(apart, most, dim=1, largest=False)
    place = numbers.argsort(dim=1, stable=True)
    values, numbers = values.gather(1, place), numbers.gather(1, place)
    order = values.argsort(dim=1, stable=True)
    return values.gather(1, order), numbers.gather(1, order)


def _squares(X: Any) -> Any:
    if isinstance(X, SparseRows):
        counts = X.indptr[1:] - X.indptr[:-1]
        row = torch.repeat_interleave(torch.arange(len(X), device=X.device), counts)
        return X.data.new_zeros(len(X)).index_add_(0, row, X.data.square())
    return X.square().sum(1)
