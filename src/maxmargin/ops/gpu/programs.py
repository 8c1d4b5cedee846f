"""The Triton programs: loops that torch has no operation for."""

import triton
import triton.language as tl

# Triton reads the source of its programs, whose annotations can only be its own.


@triton.jit
def add_radial(
    X,
    x,
    Z,
    z,
    w,
    out,
    rate,
    n,
    m,
    d: tl.constexpr,
    ROWS: tl.constexpr,
    OTHERS: tl.constexpr,
    COLUMNS: tl.constexpr,
):
    """Add sum_j w_j exp(-rate |x_i - z_j|^2) to out_i for some rows i; see ``fused``."""
    i = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    there = i < n
    total = tl.zeros((ROWS,), tl.float64)
    length = tl.load(x + i, mask=there, other=0.0)
    for first in range(0, m, OTHERS):
        j = first + tl.arange(0, OTHERS)
        known = j < m
        dots = tl.zeros((ROWS, OTHERS), tl.float32)
        for start in range(0, d, COLUMNS):
            k = start + tl.arange(0, COLUMNS)
            within = k < d
            a = tl.load(
                X + i[:, None] * d + k[None, :], mask=there[:, None] & within[None, :], other=0.0
            )
            b = tl.load(
                Z + j[:, None] * d + k[None, :], mask=known[:, None] & within[None, :], other=0.0
            )
            dots = tl.dot(a, tl.trans(b), dots, input_precision="tf32x3")
        other = tl.load(z + j, mask=known, other=0.0)
        weight = tl.load(w + j, mask=known, other=0.0)
        apart = tl.maximum(length[:, None] + other[None, :] - 2.0 * dots, 0.0)
        values = tl.exp(-rate * apart) * weight[None, :]
        total += tl.sum(values, 1).to(tl.float64)
    before = tl.load(out + i, mask=there, other=0.0)
    tl.store(out + i, before + total, mask=there)


@triton.jit
def ascend_pairs(
    K,
    F,
    beta,
    lower,
    upper,
    group,
    steps,
    flattest,
    tol,
    fraction,
    most,
    q: tl.constexpr,
    GROUPS: tl.constexpr,
):
    """Raise the dual of one small problem by pairs of variables; see ``smo``.

    A program is a problem; problems lie one after the other.
    """
    p = tl.program_id(0).to(tl.int64)
    t = tl.arange(0, q)
    K += p * q * q
    at = p * q + t
    f = tl.load(F + at)
    b = tl.load(beta + at)
    low = tl.load(lower + at)
    top = tl.load(upper + at)
    diagonal = tl.load(K + t * q + t).to(tl.float64)
    of = tl.load(group + at)
    far = 1e150  # whose square is finite
    made = 0
    least = far
    rising = tl.where((b < top) & (of != 1), f, -far)
    falling = tl.where((b > low) & (of != 1), f, far)
    high, down = tl.max(rising, 0), tl.min(falling, 0)
    gap = high - down
    if GROUPS == 2:
        rising_1 = tl.where((b < top) & (of == 1), f, -far)
        falling_1 = tl.where((b > low) & (of == 1), f, far)
        gap = tl.maximum(gap, tl.max(rising_1, 0) - tl.min(falling_1, 0))
    target = tl.maximum(tol, fraction * gap)
    while (gap > target) & (made < most):
        if GROUPS == 2:
            first_gap = high - down
            rising = tl.where(first_gap >= gap, rising, rising_1)
            falling = tl.where(first_gap >= gap, falling, falling_1)
            high = tl.max(rising, 0)
        i = tl.argmax(rising, 0)
        row = tl.load(K + i * q + t).to(tl.float64)
        own = tl.load(K + i * q + i).to(tl.float64)
        curvature = own + diagonal - 2.0 * row
        safe = tl.maximum(curvature, 1e-12)
        apart = high - falling
        gain = tl.where(apart > 0, apart * apart / safe, -1.0)
        gain = tl.where(falling < far, gain, -1.0)
        j = tl.argmax(gain, 0)
        other = tl.load(K + j * q + t).to(tl.float64)
        is_i = t == i
        is_j = t == j
        apart_j = tl.sum(tl.where(is_j, apart, 0.0), 0)
        safe_j = tl.sum(tl.where(is_j, safe, 0.0), 0)
        least = tl.minimum(least, tl.sum(tl.where(is_j, curvature, 0.0), 0))
        room_i = tl.sum(tl.where(is_i, top - b, 0.0), 0)
        room_j = tl.sum(tl.where(is_j, b - low, 0.0), 0)
        step = tl.minimum(tl.minimum(apart_j / safe_j, room_i), room_j)
        b = tl.where(is_i, tl.where(step == room_i, top, b + step), b)
        b = tl.where(is_j, tl.where(step == room_j, low, b - step), b)
        f = f - step * (row - other)
        rising = tl.where((b < top) & (of != 1), f, -far)
        falling = tl.where((b > low) & (of != 1), f, far)
        high, down = tl.max(rising, 0), tl.min(falling, 0)
        gap = high - down
        if GROUPS == 2:
            rising_1 = tl.where((b < top) & (of == 1), f, -far)
            falling_1 = tl.where((b > low) & (of == 1), f, far)
            gap = tl.maximum(gap, tl.max(rising_1, 0) - tl.min(falling_1, 0))
        made += 1
    tl.store(beta + at, b)
    tl.store(steps + p, made)
    tl.store(flattest + p, least)
