r"""Newton steps on the free variables of a small box QP whose variables are in groups.

Problem: ``problems.box_qp`` with a sum s_G and a bias b_G of every group G. Once SMO has found who
is at a bound, the others solve

    K_AA delta + b_G = F_A,     sum_G delta = 0     for every group with free variables,

the maximum of the dual on the face of the box where bound variables stay put (``ops.cpu.polish``
does the same for one group). SMO alone is slow here: a pair is of one group, and where a regression
has both variables of a row free, as at a zone of width 0, K_AA is singular, and steps are long.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrf, dpotrs

from maxmargin.problems import BoxQP
from maxmargin.solvers.kernel_values.matrix import Matrix
from maxmargin.solvers.run import Limits

Vector = NDArray[np.float64]

MOST_FREE = 2048
_MOST_WORK = 2e10  # multiplications; a singular system takes a step a bound
_FULL_STEPS = 3  # steps that met no bound
_JITTER = 1e-11  # of the largest diagonal value
_TRACE = 1e-11  # of the largest variable: what linear systems leave of one at its bound
_ULPS = 4.0 * float(np.finfo(np.float64).eps)


def solve_groups(K: Matrix, problem: BoxQP, beta: Vector, F: Vector, limits: Limits) -> bool:
    """Improve beta and F = p - K beta in place; says whether few enough are free."""
    work, full = 0.0, 0
    while work < _MOST_WORK and full < _FULL_STEPS and not limits.clock.over():
        free = np.flatnonzero((beta > problem.lower) & (beta < problem.upper))
        if len(free) > MOST_FREE:
            return False
        rows = K.rows(free)
        step = _step(rows[:, free], F[free], _sides(problem, free))
        if step is None:
            break
        moved, length = _advanced(problem, beta, free, step)
        F -= (moved - beta[free]) @ rows
        beta[free] = moved
        full += length == 1.0
        work += float(len(free)) ** 3 + 1e5
    _put_on_bounds(problem, beta)
    return True


def _sides(problem: BoxQP, free: NDArray[np.intp]) -> Vector:
    """Return the groups of free variables as indicators: a column for every group with any."""
    groups = problem.groups
    assert groups is not None
    present = np.unique(groups[free])
    return (groups[free][:, None] == present).astype(np.float64)


def _step(A: Vector, F: Vector, sides: Vector) -> Vector | None:
    """Solve for the step of the free variables; None where rounding is all there is."""
    if len(F) == 0:
        return None
    jittered = A + _JITTER * float(A.diagonal().max()) * np.eye(len(A))
    factor, failed = dpotrf(jittered, lower=1, clean=0, overwrite_a=1)
    if failed:
        return None
    off = F - sides @ (sides.T @ F / sides.sum(axis=0))  # less cancels without the means
    both = dpotrs(factor, np.column_stack([off, sides]), lower=1)[0]
    bends = sides.T @ both[:, 1:]
    try:
        b = np.linalg.solve(bends, sides.T @ both[:, 0])
    except np.linalg.LinAlgError:
        return None
    step = both[:, 0] - both[:, 1:] @ b
    step -= sides @ (sides.T @ step / sides.sum(axis=0))
    return step if 0.0 < np.abs(step).sum() < np.inf else None


def _advanced(
    problem: BoxQP, beta: Vector, free: NDArray[np.intp], step: Vector
) -> tuple[Vector, float]:
    """Go as far as the box allows; an edge that is reached up to rounding is reached."""
    before, lower, upper = beta[free], problem.lower[free], problem.upper[free]
    edge = np.where(step > 0, upper, lower)
    fits = np.divide(edge - before, step, out=np.ones(len(step)), where=step != 0)
    length = min(1.0, float(fits.min()))
    moved = np.clip(before + length * step, lower, upper)
    near = np.abs(edge - moved) <= _ULPS * np.maximum(np.abs(before), np.abs(moved))
    return np.where(near & (step != 0), edge, moved), length


def _put_on_bounds(problem: BoxQP, beta: Vector) -> None:
    """Put variables on a bound that is a trace away; the freest of a group makes good the sum."""
    trace = _TRACE * float(np.abs(beta).max(initial=0.0))
    settled = np.where(np.abs(beta - problem.upper) <= trace, problem.upper, beta)
    settled = np.where(np.abs(beta - problem.lower) <= trace, problem.lower, settled)
    for members, total in zip(problem.members, problem.totals, strict=True):
        some = settled[members]
        room = np.minimum(some - problem.lower[members], problem.upper[members] - some)
        left = total - float(some.sum())
        if room.max(initial=0.0) > 2.0 * abs(left):
            some[room.argmax()] += left
            settled[members] = some
    beta[:] = settled
