"""The obvious version of ``ops.cpu.kernel_l1``."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.reference.kernel_epilogue import block_of


def l1_product(a: Any, b: Any, out: Any, stride: int) -> None:
    """Set out[i, j] <- -|a_i - b_j|_1 / 2."""
    block_of(out, len(a), len(b), stride)[...] = -0.5 * np.abs(a[:, None, :] - b[None, :, :]).sum(
        axis=2
    )


def l1_by_column(a: Any, weight: Any, out: Any) -> None:
    """Set out[c] <- sum_ij weight[i, j] |a_ic - a_jc|."""
    out[...] = (weight[:, :, None] * np.abs(a[:, None, :] - a[None, :, :])).sum(axis=(0, 1))
