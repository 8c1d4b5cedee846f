"""The obvious version of ``ops.cpu.string_runs``: substrings of every length are compared."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.reference.kernel_epilogue import block_of


def _value(s: Any, t: Any, gains: Any, weights: Any) -> float:
    value, beta = 0.0, np.diff(gains)
    for d in range(1, len(gains)):
        for i in range(len(s) - d + 1):
            for j in range(len(t) - d + 1):
                if abs(i - j) < len(weights) and np.array_equal(s[i : i + d], t[j : j + d]):
                    value += beta[d - 1] * weights[abs(i - j)]
    return float(value)


def runs_block(
    a_codes: Any,
    a_starts: Any,
    b_codes: Any,
    b_starts: Any,
    gains: Any,
    weights: Any,
    out: Any,
    stride: int,
) -> None:
    """Set out[i, j] <- k(a_i, b_j)."""
    left, right = np.split(a_codes, a_starts[1:-1]), np.split(b_codes, b_starts[1:-1])
    block = block_of(out, len(left), len(right), stride)
    block[...] = [[_value(s, t, gains, weights) for t in right] for s in left]


def runs_diagonal(codes: Any, starts: Any, gains: Any, weights: Any, out: Any) -> None:
    """Set out[i] <- k(a_i, a_i)."""
    out[:] = [_value(s, s, gains, weights) for s in np.split(codes, starts[1:-1])]
