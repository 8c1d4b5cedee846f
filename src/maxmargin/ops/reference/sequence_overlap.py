"""The obvious version of ``ops.cpu.sequence_overlap``."""

from __future__ import annotations

from typing import Any

from maxmargin.ops.reference.kernel_epilogue import block_of


def overlap(a: Any, b: Any, weights: Any, out: Any, stride: int) -> None:
    """Set out[i, j] <- sum_c weights[c] [a_ic = b_jc]."""
    block = block_of(out, len(a), len(b), stride)
    block[...] = ((a[:, None, :] == b[None, :, :]) * weights).sum(axis=2)
