"""The same instructions in Numba's public language: slower, and for one thread at a time.

A counter that is read and written in two steps, and a gate without atomic reads, cannot be shared.
So ``threads.py`` runs loops that share them on one thread (``threads_can_share``).
"""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np

from maxmargin.ops.kinds import PANEL, SLIVER

_BIASED_64, _BIASED_32 = 6755399441055744.0, 12582912.0  # what ``power_of_two`` is given for n = 0
_LARGEST_32 = 1 << 40


@numba.njit(nogil=True)
def take_next(counter: Any) -> Any:
    """Add 1 to counter[0]; return what it was."""
    counter[0] += 1
    return counter[0] - 1


@numba.njit(nogil=True)
def look(gate: Any, place: Any) -> Any:
    """Return a number of the gate."""
    return gate[place]


@numba.njit(nogil=True)
def call(address: Any) -> None:
    """Do nothing: one thread waits for no other."""


@numba.njit(nogil=True)
def prefetch(array: Any, index: Any) -> None:
    """Do nothing: the value is loaded when it is needed."""


@numba.njit(nogil=True)
def larger(a: Any, b: Any) -> Any:
    """Return the larger of two numbers of one type."""
    return a if a > b else b


@numba.njit(nogil=True)
def smaller(a: Any, b: Any) -> Any:
    """Return the smaller of two numbers of one type."""
    return a if a < b else b


@numba.njit(nogil=True)
def size(a: Any) -> Any:
    """Return the absolute value of a number."""
    return abs(a)


@numba.njit(nogil=True)
def power_of_two(rounded: Any) -> Any:
    """Return 2**n, where n + bias sits in the lowest bits of ``rounded``; 0 for n = -bias."""
    number = np.float64(rounded)
    double = number > _LARGEST_32
    n = number - (_BIASED_64 if double else _BIASED_32)
    bias = 1023 if double else 127
    return type(rounded)(0.0 if n <= 0 else math.ldexp(1.0, int(n) - bias))


@numba.njit(nogil=True, fastmath={"contract"})
def add_products(
    A: Any,
    a: Any,
    B: Any,
    b: Any,
    C: Any,
    c: Any,
    stride: Any,
    depth: Any,
    fresh: Any,
) -> None:
    """Add a sliver times a panel to the sums in a tile, or begin them where they are fresh."""
    width = PANEL // A.itemsize
    for i in range(SLIVER):
        row = C[c + i * stride : c + i * stride + width]
        if fresh:
            row[:] = 0
        for k in range(depth):
            one, line = A[a + k * SLIVER + i], B[b + k * width : b + (k + 1) * width]
            for j in range(width):
                row[j] += one * line[j]
