"""Runs of equal letters along the diagonals of two strings (``kernels.weighted_degree``)."""

from __future__ import annotations

from typing import Any

from maxmargin.ops.loop import njit


@njit(inline="always")
def _run(s: Any, t: Any, gains: Any) -> float:
    """Add up gains[r] over all letters, each the r-th of its run of equal ones."""
    total, run, most = 0.0, 0, gains.size - 1
    for i in range(min(s.size, t.size)):
        run = run + 1 if s[i] == t[i] else 0
        total += gains[min(run, most)]
    return total


@njit(inline="always")
def _value(s: Any, t: Any, gains: Any, weights: Any) -> float:
    value = weights[0] * _run(s, t, gains)
    for apart in range(1, weights.size):
        value += weights[apart] * (_run(s[apart:], t, gains) + _run(s, t[apart:], gains))
    return value


@njit(cache=True, nogil=True)
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
    for i in range(a_starts.size - 1):
        s = a_codes[a_starts[i] : a_starts[i + 1]]
        for j in range(b_starts.size - 1):
            t = b_codes[b_starts[j] : b_starts[j + 1]]
            out[i * stride + j] = _value(s, t, gains, weights)


@njit(cache=True, nogil=True)
def runs_diagonal(codes: Any, starts: Any, gains: Any, weights: Any, out: Any) -> None:
    """Set out[i] <- k(a_i, a_i)."""
    for i in range(starts.size - 1):
        s = codes[starts[i] : starts[i + 1]]
        out[i] = _value(s, s, gains, weights)
