"""What follows a block of dot products: one pass that turns it into kernel values.

A block is handed over as a flat array with a row stride, so that a C-contiguous block and a slice
of columns of a larger buffer share one compiled function: value (i, j) is ``out[i * stride + j]``.

The exponential is written out instead of calling ``math.exp``: a library call per element keeps
LLVM from vectorising, and this pass would then cost more than the matrix product before it.

Fast-math flags: ``contract`` lets a * b + c become one fused instruction (more accurate, twice as
fast) and ``nsz`` ignores the sign of zero so that the clamp at zero becomes one instruction.
``reassoc`` is left out because it would cancel the add-and-subtract that rounds to an integer;
``nnan`` and ``ninf`` because a NaN has to pass through and an infinite distance has to give zero.
Loops that call these passes have them written into themselves (``inline``), with flags of their own
that must be these: compiled by itself, a pass would be optimised once more for every caller.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from maxmargin.ops.compiler.instruction import power_of_two
from maxmargin.ops.loop import njit

FAST = {"contract", "nsz"}

# ln 2 in two parts: n * HIGH is exact for every n that occurs, LOW holds the digits HIGH lacks.
_LOG2E_32, _LN2_HIGH_32, _LN2_LOW_32 = (
    np.float32(1.44269504),
    np.float32(0.693359375),
    np.float32(-2.12194440e-4),
)
_LOG2E_64, _LN2_HIGH_64, _LN2_LOW_64 = (
    1.4426950408889634,
    6.93147180369123816490e-01,
    1.90821492927058770002e-10,
)

# Adding and subtracting 1.5 * 2**(mantissa bits) rounds to the nearest integer n; the exponent's
# bias on top leaves n + bias in the lowest bits, ready to be shifted into the exponent's place.
_ROUND_32, _ROUND_64 = np.float32(12582912.0 + 127), 6755399441055744.0 + 1023

# -bias * ln 2: there the exponent's bits are all zero, so everything below comes out as exactly 0.
_LOWEST_32, _LOWEST_64 = np.float32(-88.03), -709.09

# exp(r) = 1 + r + r**2 q(r) on |r| <= ln(2) / 2, with the coefficients of q that make the worst
# relative error smallest: 1.0e-7 in single, 3.6e-18 in double precision. exp(0) is exactly 1.
_ONE = np.float32(1.0)
_Q0, _Q1, _Q2, _Q3 = (
    np.float32(c) for c in (4.99992303e-1, 1.66671154e-1, 4.18903316e-2, 8.31250129e-3)
)


def exp_nonpositive(x: Any) -> Any:
    """exp(x) for x <= 0, to about one unit in the last place; NaN stays NaN."""
    return np.exp(x)


def _exp32(x: Any) -> Any:
    t = _LOWEST_32 if x < _LOWEST_32 else x
    rounded = t * _LOG2E_32 + _ROUND_32
    n = rounded - _ROUND_32
    r = (t - n * _LN2_HIGH_32) - n * _LN2_LOW_32
    q = _Q0 + r * (_Q1 + r * (_Q2 + r * _Q3))
    return (_ONE + r * (_ONE + r * q)) * power_of_two(rounded)


def _exp64(x: Any) -> Any:
    t = _LOWEST_64 if x < _LOWEST_64 else x
    rounded = t * _LOG2E_64 + _ROUND_64
    n = rounded - _ROUND_64
    r = (t - n * _LN2_HIGH_64) - n * _LN2_LOW_64
    q = 2.7630308407190384e-07 + r * 2.4999951797597901e-08
    q = 2.4801492944021999e-05 + r * (2.7557586995473613e-06 + r * q)
    q = 1.3888888943764870e-03 + r * (1.9841269505590377e-04 + r * q)
    q = 4.1666666666529712e-02 + r * (8.3333333334950426e-03 + r * q)
    q = 5.0000000000000107e-01 + r * (1.6666666666666411e-01 + r * q)
    return (1.0 + r * (1.0 + r * q)) * power_of_two(rounded)


@overload(exp_nonpositive, jit_options={"fastmath": FAST})
def _exp_for_type(x: Any) -> Any:
    return _exp64 if x == types.float64 else _exp32


@njit(cache=True, nogil=True, fastmath=FAST, inline="always")
def exp_of_distance(gamma: Any, a: Any, b: Any, out: Any, stride: int) -> None:
    """Turn dot products into out[i, j] <- exp(-gamma * max(0, a[i] + b[j] - 2 out[i, j])).

    gamma, a, b and out have one dtype. Two rows at a time share the constants, which do not all
    fit in registers: that saves a quarter of the time.
    """
    zero, two = out.dtype.type(0), out.dtype.type(2)
    spare = b[: b.size * (a.size % 2)].copy()  # the partner of the last row of an odd number
    for i in range(0, a.size, 2):
        paired = i + 1 < a.size
        first = out[i * stride : i * stride + b.size]
        second = out[(i + 1) * stride : (i + 1) * stride + b.size] if paired else spare
        a1, a2 = a[i], a[i + 1] if paired else zero
        for j in range(b.size):
            d1 = a1 + b[j] - two * first[j]
            d2 = a2 + b[j] - two * second[j]
            first[j] = exp_nonpositive(-gamma * (zero if d1 < zero else d1))
            second[j] = exp_nonpositive(-gamma * (zero if d2 < zero else d2))


@njit(cache=True, nogil=True, fastmath=FAST)
def exp_of_distances(gamma: Any, distances: Any, out: Any) -> None:
    """Set out[i, j] <- exp(-gamma * distances[i, j]), in the precision of the distances."""
    for i in range(distances.shape[0]):
        row, target = distances[i], out[i]
        for j in range(len(row)):
            target[j] = exp_nonpositive(-gamma * row[j])


@njit(cache=True, nogil=True, fastmath=FAST, inline="always")
def affine_power(
    gamma: Any, coef0: Any, degree: int, rows: int, columns: int, out: Any, stride: int
) -> None:
    """Set out[i, j] <- (gamma * out[i, j] + coef0) ** degree by repeated squaring.

    A row at a time, so that both the row and its squares stay in the L1 cache.
    """
    squares = out[:columns].copy()
    for i in range(rows):
        row = out[i * stride : i * stride + columns]
        for j in range(columns):
            squares[j] = gamma * row[j] + coef0
            row[j] = 1
        left = degree
        while left > 0:
            if left & 1:
                for j in range(columns):
                    row[j] *= squares[j]
            left >>= 1
            if left > 0:
                for j in range(columns):
                    squares[j] *= squares[j]
