"""Sums of radial kernel values in one pass that writes none of them to memory.

    out_i = sum_j w_j exp(-rate |x_i - z_j|^2)

A program takes some rows x, walks over all z in tiles, multiplies, takes the exponential and adds.
The dot products are three products of half-precision parts (``tf32x3``), whose error is that of
single precision. Sums over a tile are in single precision, over tiles in double.
"""

from __future__ import annotations

from typing import Any, Final

import torch

from maxmargin.ops.gpu.kernel_values import columns_at_a_time, exp_of, squared_distances

WIDE: Final = 256
"""Columns from which tiles of more rows and more warps are faster."""
NARROW_TILE: Final = (128, 64, 64, 4)
WIDE_TILE: Final = (128, 128, 64, 8)
"""Rows, other rows and columns of a tile, and warps: the fastest of five that were tried on an
H200, on 581,012 rows of 54 columns and on 60,000 of 784."""
AT_ONCE: Final = 1 << 28
"""Bytes of kernel values that plain torch writes at a time."""


def radial_sums(X: Any, x: Any, Z: Any, z: Any, w: Any, rate: float) -> Any:
    """Return the sums for rows X over rows Z; x and z are squared lengths, w weights.

    Returns
    -------
    sums : tensor of shape (rows of X,)
        In double precision.
    """
    if X.dtype == torch.float32 and X.is_cuda:
        return sums_by_program(X, x, Z, z, w, rate)
    out = torch.zeros(len(X), dtype=torch.float64, device=X.device)
    step = columns_at_a_time(len(Z), X.element_size(), AT_ONCE)
    for first in range(0, len(X), step):
        part = slice(first, first + step)
        values = exp_of(squared_distances(Z, X[part], z, x[part]), rate)
        out[part] = w.to(torch.float64) @ values.to(torch.float64)
    return out


def sums_by_program(X: Any, x: Any, Z: Any, z: Any, w: Any, rate: float) -> Any:
    """Return the sums by the Triton program, of rows in single precision."""
    from maxmargin.ops.gpu.programs import add_radial  # noqa: PLC0415  (needs Triton)

    n, d = X.shape
    rows, others, columns, warps = WIDE_TILE if d >= WIDE else NARROW_TILE
    out = torch.zeros(n, dtype=torch.float64, device=X.device)
    add_radial[(-(-n // rows),)](
        X, x, Z, z, w.to(torch.float32), out, rate, n, len(Z),
        d=d, ROWS=rows, OTHERS=others, COLUMNS=columns, num_warps=warps, num_stages=2,
    )  # fmt: skip
    return out
