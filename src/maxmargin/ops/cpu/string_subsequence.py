"""The recursion of the gap-weighted subsequence kernel (``kernels.subsequence``).

A step waits for the one before it, in both strings; so a few strings of B go side by side, letter
by letter, and the innermost loop runs over them. Shorter ones end in letters that equal none.
Fast-math flags: ``contract`` only; every sum keeps its order, so results repeat bit for bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.loop import njit

_LANES = 16  # strings side by side: two or four vector registers
_NONE = -1  # a letter that equals no other


@njit(inline="always")
def _lay_out(codes: Any, starts: Any, first: int, stop: int, lanes: Any) -> int:
    """Write strings as columns of ``lanes``, and give the length of the longest."""
    longest = 0
    for j in range(first, stop):
        longest = max(longest, starts[j + 1] - starts[j])
    lanes[:longest, :] = _NONE
    for j in range(first, stop):
        for place in range(starts[j + 1] - starts[j]):
            lanes[place, j - first] = codes[starts[j] + place]
    return longest


@njit(inline="always")
def _values(s: Any, lanes: Any, longest: int, k: int, decay: float, state: Any, total: Any) -> None:
    """Set total <- k(s, t) for the strings t in lanes."""
    state[0, : longest + 1, :] = 1.0
    state[1:, : longest + 1, :] = 0.0
    total[:] = 0.0
    _go_on(s, lanes, longest, k, decay, state, total)


@njit(inline="always")
def _go_on(s: Any, lanes: Any, longest: int, k: int, decay: float, state: Any, total: Any) -> None:
    """Add further letters s to the first string; state[i, j] is K'_i of it and prefixes of j."""
    square, run = decay * decay, np.empty(total.size)
    for letter in s:
        for j in range(longest):
            here, before = lanes[j], state[k - 1, j]
            for lane in range(total.size):
                total[lane] += before[lane] * square if here[lane] == letter else 0.0
        for i in range(k - 1, 0, -1):  # K'_{i-1} is still that of the letters before
            run[:] = 0.0
            for j in range(longest):
                here, before, now = lanes[j], state[i - 1, j], state[i, j + 1]
                for lane in range(total.size):
                    met = before[lane] * square if here[lane] == letter else 0.0
                    run[lane] = decay * run[lane] + met
                    now[lane] = decay * now[lane] + run[lane]


@njit(inline="always")
def _longest(starts: Any) -> int:
    most = 0
    for j in range(starts.size - 1):
        most = max(most, starts[j + 1] - starts[j])
    return most


@njit(cache=True, nogil=True, fastmath={"contract"})
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
    rows, columns, most = a_starts.size - 1, b_starts.size - 1, _longest(b_starts)
    width = max(1, min(_LANES, columns))
    lanes, total = np.empty((most, width), np.int32), np.empty(width)
    state = np.empty((k, most + 1, width))
    for first in range(0, columns, width):
        stop = min(first + width, columns)
        longest = _lay_out(b_codes, b_starts, first, stop, lanes)
        for i in range(rows):
            s = a_codes[a_starts[i] : a_starts[i + 1]]
            _values(s, lanes, longest, k, decay, state, total)
            for j in range(first, stop):
                out[i * stride + j] = total[j - first]


@njit(cache=True, nogil=True, fastmath={"contract"})
def subsequence_part(s: Any, lanes: Any, k: int, decay: float, state: Any, total: Any) -> None:
    """Add further letters s to a string that is compared with those in the columns of lanes.

    ``state[i, j]`` is K'_i of the letters so far and the first j of each column, ``total`` their
    values: 1 for i = 0 and 0 elsewhere before the first letter.
    """
    _go_on(s, lanes, lanes.shape[0], k, decay, state, total)


@njit(cache=True, nogil=True, fastmath={"contract"})
def subsequence_diagonal(codes: Any, starts: Any, k: int, decay: float, out: Any) -> None:
    """Set out[i] <- k(a_i, a_i)."""
    most = _longest(starts)
    lanes, total = np.empty((most, 1), np.int32), np.empty(1)
    state = np.empty((k, most + 1, 1))
    for i in range(starts.size - 1):
        longest = _lay_out(codes, starts, i, i + 1, lanes)
        s = codes[starts[i] : starts[i + 1]]
        _values(s, lanes, longest, k, decay, state, total)
        out[i] = total[0]
