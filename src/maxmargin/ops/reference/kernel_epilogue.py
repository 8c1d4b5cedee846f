"""The obvious version of ``ops.cpu.kernel_epilogue``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided


def block_of(out: Any, rows: int, columns: int, stride: int) -> Any:
    """View a block with contiguous rows as a matrix."""
    return as_strided(out, (rows, columns), (stride * out.itemsize, out.itemsize))


def exp_of_distance(gamma: Any, a: Any, b: Any, out: Any, stride: int) -> None:
    """Set out[i, j] <- exp(-gamma * max(0, a[i] + b[j] - 2 out[i, j]))."""
    block = block_of(out, a.size, b.size, stride)
    block[...] = np.exp(-gamma * np.maximum(0, a[:, None] + b - 2 * block))


def exp_of_distances(gamma: Any, distances: Any, out: Any) -> None:
    """Set out[i, j] <- exp(-gamma * distances[i, j])."""
    out[...] = np.exp(-gamma * distances)


def affine_power(
    gamma: Any, coef0: Any, degree: int, rows: int, columns: int, out: Any, stride: int
) -> None:
    """Set out[i, j] <- (gamma * out[i, j] + coef0) ** degree."""
    block = block_of(out, rows, columns, stride)
    block[...] = (gamma * block + coef0) ** degree
