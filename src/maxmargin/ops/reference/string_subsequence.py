"""The obvious version of ``ops.cpu.string_subsequence``: the recursion for one pair at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.reference.kernel_epilogue import block_of


def subsequence_value(s: Any, t: Any, k: int, decay: float) -> float:
    """k(s, t) by dynamic programming, a letter of s and a letter of t at a time."""
    before = np.ones((len(s) + 1, len(t) + 1))  # K'_{i-1} of all prefixes
    for _ in range(k - 1):
        now = np.zeros_like(before)
        for i in range(1, len(s) + 1):
            run = 0.0
            for j in range(1, len(t) + 1):
                met = decay**2 * before[i - 1, j - 1] if s[i - 1] == t[j - 1] else 0.0
                run = decay * run + met
                now[i, j] = decay * now[i - 1, j] + run
        before = now
    equal = np.equal.outer(s, t)
    return float(decay**2 * before[:-1, :-1][equal].sum())


def subsequence_block(
    a_codes: Any,
    a_starts: Any,
    b_codes: Any,
    b_starts: Any,
    k: int,
    decay: float,
    out: Any,
    stride: int,
) -> None:
    """Set out[i, j] <- k(a_i, b_j)."""
    left, right = np.split(a_codes, a_starts[1:-1]), np.split(b_codes, b_starts[1:-1])
    block = block_of(out, len(left), len(right), stride)
    block[...] = [[subsequence_value(s, t, k, decay) for t in right] for s in left]


def subsequence_part(s: Any, lanes: Any, k: int, decay: float, state: Any, total: Any) -> None:
    """Add further letters s to a string that is compared with those in the columns of lanes."""
    for letter in s:
        met = np.where(lanes == letter, decay**2, 0.0) * state[:, :-1]
        total += met[k - 1].sum(axis=0)
        for i in range(1, k):
            run = np.zeros(len(total))
            for j in range(len(lanes)):
                run = decay * run + met[i - 1, j]
                state[i, j + 1] = decay * state[i, j + 1] + run


def subsequence_diagonal(codes: Any, starts: Any, k: int, decay: float, out: Any) -> None:
    """Set out[i] <- k(a_i, a_i)."""
    out[:] = [subsequence_value(s, s, k, decay) for s in np.split(codes, starts[1:-1])]
