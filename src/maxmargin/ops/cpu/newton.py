"""Newton's method for a linear model of few columns, all of its steps in one call.

The problem is that of ``problems.linear`` with the penalty "l2" and one of three losses, the steps
are those of ``solvers.linear.newton``. Of a few hundred rows a step is a few microseconds of
arithmetic; as calls of NumPy it was 300.

Every row has a dual a_i = t_i beta_i / c_i, which is minus the slope of its loss at its margin, and
a curvature that follows from it:

    hinge, smoothed around a0   a = clip(a0 + (1 - m) / width, 0, 1)   1 / width where 0 < a < 1
    squared hinge               a = 2 max(0, 1 - m)                    2 where a > 0
    logistic                    a = 1 / (1 + e^m)                      a (1 - a)

Rows are stored as in CSR; a dense matrix comes without column numbers. Fast-math: ``reassoc`` and
``contract`` let products be summed in vector registers, four rows of a dense matrix at a time;
divisions by 0 give what IEEE says, and the caller looks at what came out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.ops.cpu.kernel_epilogue import exp_nonpositive
from maxmargin.ops.kinds import DAMPING, DUAL, HINGE, IDLE, LOGISTIC, PRIMAL, SQUARED_HINGE, WIDTH
from maxmargin.ops.loop import njit

_FAST = {"contract", "reassoc", "nsz"}
_JITTER = 1e-11  # of the diagonal: columns that repeat others make the matrix singular
_FIRST_DAMPING, _MORE, _LEAST, _MOST = 1e-3, 5.0, 1e-9, 1e6
_NARROW = 0.3  # the factor by which a smoothed hinge becomes narrower
_GOOD = 0.2  # of the first slope may be left where a search on the line ends
_PROMISING = 0.1  # of the objective is the decrement below which duals are worth a look
_PATIENCE, _ROUNDED = 30, 1e-9  # steps without gain, of which a tenth will do at such a gap
_EPS, _TINY = 2.0**-52, 1e-300
_MOST_GRADIENTS, _SHARE = 1000, 0.3  # and what of the residual they leave far from the optimum
_LAST = 10.0  # times the aim may a step gain that may be the last, so that it has to be precise
_PROMISING_ROUGHLY = 15.0  # times the aim is the decrement below which duals are worth a product

_part = njit(cache=True, nogil=True, error_model="numpy", fastmath=_FAST)


@_part
def _log_of_one_more(e: float) -> float:
    """log(1 + e) for 0 <= e <= 1 to a few units in the last place, in a form that vectorises.

    With s = e / (2 + e) <= 1/3 it is 2 (s + s^3/3 + s^5/5 + ...).
    """
    s = e / (2.0 + e)
    z = s * s
    q = 1.0 / 29.0 + z * (1.0 / 31.0 + z * (1.0 / 33.0))
    q = 1.0 / 23.0 + z * (1.0 / 25.0 + z * (1.0 / 27.0 + z * q))
    q = 1.0 / 17.0 + z * (1.0 / 19.0 + z * (1.0 / 21.0 + z * q))
    q = 1.0 / 11.0 + z * (1.0 / 13.0 + z * (1.0 / 15.0 + z * q))
    q = 1.0 / 5.0 + z * (1.0 / 7.0 + z * (1.0 / 9.0 + z * q))
    return 2.0 * s * (1.0 + z * (1.0 / 3.0 + z * q))


@_part
def _dual(kind: int, m: float, centre: float, width: float) -> float:
    """Minus the slope of a loss."""
    if kind == HINGE:
        return min(max(centre + (1.0 - m) / width, 0.0), 1.0)
    if kind == SQUARED_HINGE:
        return 2.0 * max(0.0, 1.0 - m)
    e = exp_nonpositive(-abs(m))
    return (e if m > 0.0 else 1.0) / (1.0 + e)


@_part
def _bend(kind: int, a: float, width: float) -> float:
    """Return a loss's second derivative where its slope is -a."""
    if kind == HINGE:
        return 1.0 / width if 0.0 < a < 1.0 else 0.0
    if kind == SQUARED_HINGE:
        return 2.0 if a > 0.0 else 0.0
    return a * (1.0 - a)


@_part
def _price(kind: int, m: float) -> float:
    if kind == HINGE:
        return max(0.0, 1.0 - m)
    if kind == SQUARED_HINGE:
        return max(0.0, 1.0 - m) * max(0.0, 1.0 - m)
    return _log_of_one_more(exp_nonpositive(-abs(m))) + max(0.0, -m)


@_part
def _conjugate(kind: int, a: float) -> float:
    """Return the conjugate at the slope -a."""
    if kind == HINGE:
        return -a
    if kind == SQUARED_HINGE:
        return 0.25 * a * a - a
    total = a * np.log(a) if a > 0.0 else 0.0
    return total + (1.0 - a) * np.log(1.0 - a) if a < 1.0 else total


@_part
def _copy(source: Any, out: Any) -> None:
    """As ``out[:] = source``, which takes a second to compile: its error message does."""
    for j in range(len(out)):
        out[j] = source[j]


@_part
def _clear(out: Any) -> None:
    for j in range(len(out)):
        out[j] = 0.0


@_part
def _values(data: Any, indices: Any, indptr: Any, constant: float, theta: Any, out: Any) -> None:
    """Set out[i] = x_i'theta, with the constant column."""
    last = constant * theta[-1] if constant != 0.0 else 0.0
    for i in range(len(out)):
        first, stop = indptr[i], indptr[i + 1]
        total = 0.0
        if len(indices) == 0:
            for k in range(stop - first):
                total += data[first + k] * theta[k]
        else:
            for k in range(first, stop):
                total += data[k] * theta[indices[k]]
        out[i] = total + last


@_part
def _back(data: Any, indices: Any, indptr: Any, constant: float, weight: Any, out: Any) -> None:
    """Return sum_i weight_i x_i."""
    _clear(out)
    total = 0.0
    for i in range(len(weight)):
        if weight[i] != 0.0:
            total += weight[i]
            first, stop = indptr[i], indptr[i + 1]
            if len(indices) == 0:
                for k in range(stop - first):
                    out[k] += weight[i] * data[first + k]
            else:
                for k in range(first, stop):
                    out[indices[k]] += weight[i] * data[k]
    if constant != 0.0:
        out[-1] = constant * total


@_part
def _squares(data: Any, indices: Any, indptr: Any, constant: float, weight: Any, out: Any) -> None:
    """Return sum_i weight_i x_ij^2."""
    _clear(out)
    for i in range(len(weight)):
        first = indptr[i]
        for k in range(first, indptr[i + 1]):
            value = np.float64(data[k])
            out[k - first if len(indices) == 0 else indices[k]] += weight[i] * value * value
    if constant != 0.0:
        total = 0.0
        for i in range(len(weight)):
            total += weight[i]
        out[-1] = constant * constant * total


@_part
def _add_four(data: Any, columns: int, rows: Any, h: Any, total: Any) -> None:
    """Add four dense rows' h x x' to the lower half: reads and writes it once for them."""
    i, j, k, m = rows[0], rows[1], rows[2], rows[3]
    n = np.uint64(columns)
    a, b, c, d = n * np.uint64(i), n * np.uint64(j), n * np.uint64(k), n * np.uint64(m)
    for p in range(columns):
        q = np.uint64(p)
        u, v = h[i] * data[a + q], h[j] * data[b + q]
        w, z = h[k] * data[c + q], h[m] * data[d + q]
        line = total[p]
        for r in range(p + 1):
            s = np.uint64(r)
            line[r] += u * data[a + s] + v * data[b + s] + w * data[c + s] + z * data[d + s]


@_part
def _add_one(data: Any, indices: Any, first: Any, stop: Any, h: float, total: Any) -> None:
    for k in range(first, stop):
        line = total[k - first if len(indices) == 0 else indices[k]]
        value = h * data[k]
        if len(indices) == 0:
            for m in range(k - first + np.uint64(1)):
                line[m] += value * data[first + m]
        else:
            for m in range(first, k + np.uint64(1)):
                line[indices[m]] += value * data[m]


@_part
def _changes(h: Any, known: Any, some: Any, total: Any) -> int:
    """List the rows by which a sum of h_i x_i x_i' differs from a known one; returns how many.

    ``known`` becomes by how much they differ. Where that is most rows they are summed anew.
    """
    changed, used = 0, 0
    for i in range(len(h)):
        changed += 1 if h[i] != known[i] else 0
        used += 1 if h[i] != 0.0 else 0
    if 2 * changed >= used:
        _clear(known)
        for j in range(len(total)):
            _clear(total[j])
    count = 0
    for i in range(len(h)):
        known[i] = h[i] - known[i]
        if known[i] != 0.0:
            some[count] = i
            count += 1
    return count


@_part
def _products(
    data: Any, indices: Any, indptr: Any, constant: float, h: Any, known: Any, some: Any, total: Any
) -> None:
    """Sum h_i x_i x_i', for columns j >= l of each pair, from such a sum of known h.

    ``some`` has room for rows' numbers. Near the end few rows of a hinge change sides.
    """
    count, place = _changes(h, known, some, total), 0
    if len(indices) == 0:
        columns = np.int64(indptr[1] - indptr[0])
        while place + 4 <= count:
            _add_four(data, columns, some[place : place + 4], known, total)
            place += 4
    for rest in range(place, count):
        i = some[rest]
        _add_one(data, indices, indptr[i], indptr[i + 1], known[i], total)
    _copy(h, known)
    if constant != 0.0:
        line = total[-1]
        _back(data, indices, indptr, constant, h, line)
        for j in range(len(line)):
            line[j] *= constant


@_part
def _factor(matrix: Any, U: Any) -> bool:
    """Write Cholesky's factor U'U of a matrix given by its lower half; says whether there is one.

    A line of it is taken off all later ones at once: runs of numbers, and no sums to wait for.
    """
    for j in range(len(matrix)):
        for k in range(j + 1):
            U[k, j] = matrix[j, k]
    for k in range(len(matrix)):
        line = U[k, k:]
        if not line[0] > 0.0:
            return False
        root = np.sqrt(line[0])
        for m in range(len(line)):
            line[m] /= root
        for j in range(1, len(line)):
            factor, rest, row = line[j], line[j:], U[k + j, k + j :]
            for m in range(len(row)):
                row[m] -= factor * rest[m]
    return True


@_part
def _solve(U: Any, right: Any, out: Any) -> None:
    """Solve U'U out = right."""
    _copy(right, out)
    for j in range(len(out)):
        line, rest = U[j, j:], out[j:]
        rest[0] /= line[0]
        for m in range(1, len(rest)):
            rest[m] -= rest[0] * line[m]
    for j in range(len(out) - 1, -1, -1):
        line, rest = U[j, j:], out[j:]
        total = rest[0]
        for m in range(1, len(rest)):
            total -= line[m] * rest[m]
        rest[0] = total / line[0]


@_part
def _duals_ahead(
    kind: int, width: float, t: Any, cost: Any, centre: Any, values: Any, change: Any,
    length: float, a: Any,
) -> float:  # fmt: skip
    """Set a at values + length change; returns sum_i beta_i change_i."""
    total = 0.0
    for i in range(len(t)):
        a[i] = _dual(kind, t[i] * (values[i] + length * change[i]), centre[i], width)
        total += cost[i] * a[i] * (t[i] * change[i])
    return total


@_part
def _search(
    kind: int, width: float, t: Any, cost: Any, centre: Any, values: Any, change: Any,
    slope: float, inner: float, square: float, a: Any,
) -> float:  # fmt: skip
    """Find where the model is least along the step; as ``solvers.linear.newton.least_along``."""
    low, high, at_low, length = 0.0, 1.0, slope, 1.0
    at_high = inner + square - _duals_ahead(kind, width, t, cost, centre, values, change, 1.0, a)
    if at_high < 0.5 * slope:
        while length < 32.0:
            ahead = (
                inner
                + 2.0 * length * square
                - _duals_ahead(kind, width, t, cost, centre, values, change, 2.0 * length, a)
            )
            if not ahead < 0.5 * slope:
                break
            length *= 2.0
        _duals_ahead(kind, width, t, cost, centre, values, change, length, a)
        return length
    if at_high <= -_GOOD * slope:
        return 1.0
    for _ in range(10):
        length = low + (high - low) * min(0.9, max(0.1, -at_low / (at_high - at_low)))
        here = (
            inner
            + length * square
            - _duals_ahead(kind, width, t, cost, centre, values, change, length, a)
        )
        if abs(here) <= -_GOOD * slope:
            break
        if here > 0:
            high, at_high = length, here
        else:
            low, at_low = length, here
    return length


@_part
def _predict_duals(
    kind: int, width: float, t: Any, cost: Any, a: Any, change: Any, free: bool, near: Any
) -> bool:
    """Set the duals after a step of this change, made feasible; says if that changed any."""
    cut = free
    positive, negative = 0.0, 0.0
    for i in range(len(t)):
        wanted = a[i] - _bend(kind, a[i], width) * (t[i] * change[i])
        got = max(wanted, 0.0)
        got = got if kind == SQUARED_HINGE else min(got, 1.0)
        cut = cut or got != wanted
        near[i] = got
        if t[i] > 0:
            positive += cost[i] * got
        else:
            negative += cost[i] * got
    if free and max(positive, negative) > 0.0:
        factor = min(positive, negative) / max(positive, negative)
        heavier = 1.0 if positive > negative else -1.0
        for i in range(len(t)):
            if t[i] == heavier:
                near[i] *= factor
    return cut


@_part
def _narrow(
    t: Any, cost: Any, values: Any, a: Any, decrement: float, state: Any, centre: Any
) -> None:
    """Draw the hinge narrower, around the duals found, once it hides more than a step gains."""
    hidden = 0.0
    for i in range(len(t)):
        short = 1.0 - t[i] * values[i]
        hidden += cost[i] * (max(0.0, short) - a[i] * short)
    if decrement <= hidden:
        state[WIDTH] *= _NARROW
        for i in range(len(t)):
            centre[i] = a[i]
            a[i] = _dual(HINGE, t[i] * values[i], centre[i], state[WIDTH])


@_part
def _length_squared(vector: Any, free: bool) -> float:
    total = 0.0
    for j in range(len(vector) - (1 if free else 0)):
        total += vector[j] * vector[j]
    return total


@_part
def _adapt(length: float, state: Any) -> None:
    """Damp more where the search stopped short, and less where it did not."""
    if length < 0.5:
        state[DAMPING] = min(_MOST, _MORE * max(state[DAMPING], 1e-3 * _FIRST_DAMPING))
    elif length >= 0.8:
        state[DAMPING] = state[DAMPING] / _MORE if state[DAMPING] > _LEAST else 0.0


@_part
def _direction(
    H: Any, L: Any, D: Any, scale: Any, downhill: Any, damping: float, step: Any, undamped: Any,
    own: Any,
) -> bool:  # fmt: skip
    """Solve for the step, damped, and for the undamped one; says if there is such a one."""
    w, largest = len(D), 0.0
    for j in range(w):
        own[j] = H[j, j]
        H[j, j] += D[j]
        largest = max(largest, H[j, j])
    for j in range(w):
        H[j, j] += _JITTER * max(H[j, j], _JITTER * largest)
    whole = _factor(H, L)
    if whole:
        _solve(L, downhill, undamped)
        _copy(undamped, step)
    if damping > 0 or not whole:
        for j in range(w):
            H[j, j] += max(damping, _LEAST) * scale[j]
        if _factor(H, L):
            _solve(L, downhill, step)
        else:
            for j in range(w):
                step[j] = downhill[j] / (D[j] + scale[j])
    for j in range(w):
        H[j, j] = own[j]
    return whole


@_part
def _curved(
    data: Any, indices: Any, indptr: Any, constant: float, h: Any, vector: Any, out: Any
) -> None:
    """Return sum_i h_i (x_i'vector) x_i, reading a row once."""
    _clear(out)
    whole, last = 0.0, constant * vector[-1] if constant != 0.0 else 0.0
    for i in range(len(h)):
        if h[i] != 0.0:
            first, stop, total = indptr[i], indptr[i + 1], last
            if len(indices) == 0:
                for k in range(stop - first):
                    total += data[first + k] * vector[k]
            else:
                for k in range(first, stop):
                    total += data[k] * vector[indices[k]]
            total *= h[i]
            whole += total
            if len(indices) == 0:
                for k in range(stop - first):
                    out[k] += total * data[first + k]
            else:
                for k in range(first, stop):
                    out[indices[k]] += total * data[k]
    if constant != 0.0:
        out[-1] = constant * whole


@_part
def _by_gradients(
    data: Any, indices: Any, indptr: Any, constant: float, h: Any, D: Any, downhill: Any,
    goal: float, step: Any, inverse: Any, towards: Any, product: Any, residual: Any,
) -> None:  # fmt: skip
    """Solve for the step by conjugate gradients; as ``solvers.linear.newton`` does."""
    _squares(data, indices, indptr, constant, h, inverse)
    rho, promise = 0.0, 0.0
    for j in range(len(D)):
        inverse[j] = 1.0 / max(D[j] + inverse[j], _TINY)
        step[j], residual[j] = 0.0, downhill[j]
        towards[j] = inverse[j] * residual[j]
        rho += residual[j] * towards[j]
    first = rho
    for _ in range(_MOST_GRADIENTS):
        rough = rho <= _SHARE * _SHARE * first
        if rho == 0.0 or (rough and (promise > _LAST * goal or _dot(residual, residual) <= goal)):
            break
        _curved(data, indices, indptr, constant, h, towards, product)
        bend = 0.0
        for j in range(len(D)):
            product[j] += D[j] * towards[j]
            bend += towards[j] * product[j]
        length, before, rho, promise = rho / bend, rho, 0.0, 0.0
        for j in range(len(D)):
            step[j] += length * towards[j]
            residual[j] -= length * product[j]
            rho += residual[j] * residual[j] * inverse[j]
            promise += 0.5 * downhill[j] * step[j]
        for j in range(len(D)):
            towards[j] = inverse[j] * residual[j] + (rho / before) * towards[j]


@_part
def _dot(u: Any, v: Any) -> float:
    total = 0.0
    for j in range(len(u)):
        total += u[j] * v[j]
    return total


@_part
def _look_at_duals(
    data: Any, indices: Any, indptr: Any, constant: float, t: Any, cost: Any, kind: int, free: bool,
    exact: bool, width: float, a: Any, change: Any, ahead: Any, near: Any, weight: Any, v: Any,
) -> float:  # fmt: skip
    """Set ``near`` to feasible duals at the end of the undamped step; returns their value.

    Where none was made feasible, v = sum beta_i x_i is ``ahead``, the penalty's slope there.
    """
    if _predict_duals(kind, width, t, cost, a, change, free, near) or not exact:
        for i in range(len(t)):
            weight[i] = cost[i] * near[i] * t[i]
        _back(data, indices, indptr, constant, weight, v)
    else:
        _copy(ahead, v)
    value = -0.5 * _length_squared(v, free)
    for i in range(len(t)):
        value -= cost[i] * _conjugate(kind, near[i])
    return value


@_part
def _advance(
    t: Any, cost: Any, kind: int, free: bool, length: float, step: Any, change: Any,
    theta: Any, values: Any,
) -> float:  # fmt: skip
    """Go along the step; returns the primal there."""
    primal = 0.0
    for j in range(len(theta)):
        theta[j] += length * step[j]
    for i in range(len(t)):
        values[i] += length * change[i]
        primal += cost[i] * _price(kind, t[i] * values[i])
    return primal + 0.5 * _length_squared(theta, free)


@njit(cache=True, nogil=True, error_model="numpy", fastmath=_FAST)
def newton_steps(  # noqa: C901, PLR0912, PLR0915  (each of its parts has a name of its own)
    data: Any,
    indices: Any,
    indptr: Any,
    constant: float,
    t: Any,
    cost: Any,
    kind: int,
    free: bool,
    room: Any,
    aim: float,
    most: int,
    centre: Any,
    theta: Any,
    values: Any,
    state: Any,
    best_theta: Any,
    best_dual: Any,
    told: Any,
) -> int:
    """Make Newton steps until the relative gap is at most ``aim``, or at most so many.

    ``centre``, ``theta``, ``values`` and ``state`` are where it stands; ``best_theta`` and
    ``best_dual``, which has the a_i, are what was best so far. Steps are solved for by Cholesky's
    factor where ``room`` is a matrix, and by conjugate gradients where it is a vector: it is empty,
    and its kind decides which of the two is compiled. Where ``told`` has lines, each step writes
    primal and dual into one. Returns how many steps were made.
    """
    n, w = len(t), len(theta)
    of_rows, of_columns, some = np.empty((6, n)), np.empty((9, w)), np.empty(n, np.int64)
    a, h, change, other, near = of_rows[0], of_rows[1], of_rows[2], of_rows[3], of_rows[4]
    known = of_rows[5]  # the h that H is made of
    _clear(known)
    D, scale, downhill, step = of_columns[0], of_columns[1], of_columns[2], of_columns[3]
    undamped, v, ahead = of_columns[4], of_columns[5], of_columns[6]
    exact = room.ndim == 2
    side = w if exact else 1
    H, L = np.empty((side, side)), np.empty((side, side))
    for j in range(w):
        D[j] = 0.0 if free and j == w - 1 else 1.0
    _squares(data, indices, indptr, constant, cost, scale)
    _duals_ahead(kind, state[WIDTH], t, cost, centre, values, values, 0.0, a)
    for made in range(most):
        size = max(abs(state[PRIMAL]), abs(state[DUAL]))
        gap = state[PRIMAL] - state[DUAL]
        patience = _PATIENCE if gap > _ROUNDED * size else _PATIENCE // 10
        if gap <= aim * size or state[IDLE] >= patience:
            return made
        width = state[WIDTH]
        for i in range(n):
            h[i] = cost[i] * _bend(kind, a[i], width)
            near[i] = cost[i] * a[i] * t[i]
        _back(data, indices, indptr, constant, near, downhill)
        for j in range(w):
            downhill[j] -= D[j] * theta[j]
        if room.ndim == 2:
            _products(data, indices, indptr, constant, h, known, some, H)
            damping, own = state[DAMPING], of_columns[7]
            whole = _direction(H, L, D, scale, downhill, damping, step, undamped, own)
        else:
            goal = aim * abs(state[PRIMAL])
            _by_gradients(
                data, indices, indptr, constant, h, D, downhill, goal, step, v, ahead,
                of_columns[7], of_columns[8],
            )  # fmt: skip
            _copy(step, undamped)
            whole = True
        decrement = 0.5 * _dot(downhill, undamped) if whole else np.inf
        _values(data, indices, indptr, constant, step, change)
        promising = _PROMISING if exact else _PROMISING_ROUGHLY * aim
        if whole and decrement <= promising * abs(state[PRIMAL]):
            if exact and state[DAMPING] > 0:
                _values(data, indices, indptr, constant, undamped, other)
            else:
                _copy(change, other)
            for j in range(w):
                ahead[j] = D[j] * (theta[j] + undamped[j])
            value = _look_at_duals(
                data, indices, indptr, constant, t, cost, kind, free, exact, width, a, other, ahead,
                near, h, v,
            )  # fmt: skip
            if value > state[DUAL]:
                state[DUAL] = value
                _copy(near, best_dual)
        inner, square = 0.0, 0.0
        for j in range(w):
            inner += D[j] * step[j] * theta[j]
            square += D[j] * step[j] * step[j]
        slope = -_dot(downhill, step)
        length = _search(kind, width, t, cost, centre, values, change, slope, inner, square, a)
        primal = _advance(t, cost, kind, free, length, step, change, theta, values)
        if primal < state[PRIMAL]:
            state[PRIMAL] = primal
            _copy(theta, best_theta)
        _adapt(length, state)
        if kind == HINGE and length > 0.3:
            _narrow(t, cost, values, a, decrement, state, centre)
        better = state[PRIMAL] - state[DUAL] < gap - 4.0 * _EPS * abs(state[PRIMAL])
        state[IDLE] = 0.0 if better else state[IDLE] + 1.0
        if made < len(told):
            told[made, 0], told[made, 1] = state[PRIMAL], state[DUAL]
        if not np.isfinite(primal):
            return made + 1
    return most


@_part
def _logistic_pass(
    t: Any, cost: Any, values: Any, first: int, stop: int, beta: Any, h: Any
) -> float:
    """As ``row_pass``, in loops over so few arrays that LLVM makes them of vectors: 7 ns a row.

    It asks of every array written whether it overlaps the others, and gives up beyond eight.
    """
    m, e, total = np.empty(stop - first), np.empty(stop - first), 0.0
    for i in range(stop - first):
        m[i] = t[first + i] * values[first + i]
        e[i] = exp_nonpositive(-abs(m[i]))
    for i in range(stop - first):
        a = (e[i] if m[i] > 0.0 else 1.0) / (1.0 + e[i])
        beta[first + i] = cost[first + i] * t[first + i] * a
    for i in range(stop - first):
        h[first + i] = cost[first + i] * e[i] / ((1.0 + e[i]) * (1.0 + e[i]))
        total += cost[first + i] * (_log_of_one_more(e[i]) + max(0.0, -m[i]))
    return total


@njit(cache=True, nogil=True, error_model="numpy", fastmath=_FAST)
def row_pass(
    kind: int,
    width: float,
    t: Any,
    cost: Any,
    centre: Any,
    values: Any,
    first: int,
    stop: int,
    beta: Any,
    h: Any,
) -> float:
    """Set duals beta_i and curvatures h_i of rows first to stop; returns what their losses cost."""
    total = 0.0
    if kind == LOGISTIC:
        return _logistic_pass(t, cost, values, first, stop, beta, h)
    for i in range(first, stop):
        m = t[i] * values[i]
        a0 = centre[i] if kind == HINGE else 0.0
        a = _dual(kind, m, a0, width)
        beta[i] = cost[i] * t[i] * a
        h[i] = cost[i] * _bend(kind, a, width)
        total += cost[i] * _price(kind, m)
    return total


@njit(cache=True, nogil=True, error_model="numpy", fastmath=_FAST)
def dual_pass(
    kind: int,
    t: Any,
    cost: Any,
    beta: Any,
    h: Any,
    change: Any,
    first: int,
    stop: int,
    near: Any,
    cut: Any,
) -> float:
    """Set feasible duals near beta - h change, and by how much they differ from that.

    Returns the sum of their conjugates.
    """
    total = 0.0
    for i in range(first, stop):
        wanted = beta[i] - h[i] * change[i]
        a = max(t[i] * wanted / cost[i], 0.0)
        a = a if kind == SQUARED_HINGE else min(a, 1.0)
        inside = wanted * t[i] >= 0.0 and (kind == SQUARED_HINGE or abs(wanted) <= cost[i])
        near[i] = wanted if inside else cost[i] * t[i] * a
        cut[i] = near[i] - wanted
        total += cost[i] * _conjugate(kind, a)
    return total
