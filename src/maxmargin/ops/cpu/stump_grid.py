"""Rounding values to a grid on which their sums are exact.

A search for splits adds the same values in many orders: by blocks and row by row, from either end,
in one piece or in several. Sums of rounded numbers would differ by that order, and a split found
with one of them could be missed with another. Multiples of a power of two u have exact sums while
these stay below 2^53 u, so values are rounded once, to a u that follows from the sum of their
sizes, and no sum of them is rounded again: in any order, on any processor.

With 2^e above the sum of sizes, u = 2^(e - 51), and adding and taking away 3 2^e rounds to a
multiple of it (S. M. Rump, T. Ogita and S. Oishi, Accurate floating-point summation part I, SIAM J.
Sci. Comput. 31, 2008, algorithm 3.2). What a value loses, u / 2 at most, is what one addition to a
sum of all of them would.
"""

from __future__ import annotations

import math
from typing import Any

from maxmargin.ops.cpu.stump import FAST
from maxmargin.ops.loop import njit


@njit(cache=True, nogil=True)
def size_of(values: Any) -> float:
    """Sum the sizes of values, in four sums, whatever the processor would like."""
    n, whole = len(values), len(values) // 4 * 4
    a = b = c = d = 0.0
    for i in range(0, whole, 4):
        a, b = a + abs(values[i]), b + abs(values[i + 1])
        c, d = c + abs(values[i + 2]), d + abs(values[i + 3])
    for i in range(whole, n):
        a += abs(values[i])
    return (a + b) + (c + d)


@njit(cache=True, nogil=True, fastmath=FAST)
def _total_and_size(values: Any) -> tuple[float, float]:
    """Sum values on a grid and their sizes; FAST changes the order, which changes no bit."""
    total = size = 0.0
    for i in range(len(values)):
        total += values[i]
        size += abs(values[i])
    return total, size


@njit(cache=True, nogil=True)
def put_on_grid(values: Any, size: float, rounded: Any) -> tuple[float, float]:
    """Round values so that all sums of them are exact; returns those of all and of their sizes.

    They may be some of more, whose sizes have that sum. Both may be the same array.
    """
    anchor = math.ldexp(3.0, math.frexp(size)[1])
    for i in range(len(values)):
        rounded[i] = (values[i] + anchor) - anchor
    return _total_and_size(rounded)
