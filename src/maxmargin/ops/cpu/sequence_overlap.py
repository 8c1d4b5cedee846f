"""Weights of the places at which two rows of numbers agree, added up in their order."""

from __future__ import annotations

from typing import Any

from maxmargin.ops.loop import njit


@njit(cache=True, nogil=True)
def overlap(a: Any, b: Any, weights: Any, out: Any, stride: int) -> None:
    """Set out[i, j] <- sum_c weights[c] [a_ic = b_jc]."""
    nothing = out.dtype.type(0)
    for i in range(a.shape[0]):
        for j in range(b.shape[0]):
            total = nothing
            for c in range(a.shape[1]):
                total += weights[c] if a[i, c] == b[j, c] else nothing
            out[i * stride + j] = total
