"""A long move of many dual variables, cut into parts between which the fit may end.

Each part leads from a feasible point to a feasible one: with a bias what rises has to be made up
for by what falls, in every group. Let D_i be how much the rising variables before i rise in all,
and likewise of the falling ones. At a level s of both, variable i has moved by

    min(|d_i|, max(0, s - D_i)),

so that both sides have moved by s. Levels are chosen so that about as many variables move between
any two of them; at most one of each side is in between at a level, and moves twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from maxmargin.problems import BoxQP

Vector = NDArray[np.float64]
Index = NDArray[np.intp]
Move = tuple[Index, Vector]
"""Variables, and where they go."""


def feasible_parts(
    problem: BoxQP, variables: Index, beta: Vector, values: Vector, most: int
) -> Iterator[Move]:
    """Cut the move of some variables to these values into parts of about so many.

    Examples
    --------
    >>> from maxmargin.problems import c_svc
    >>> problem, beta = c_svc(np.array([1, 1, -1, -1]), 3.0), np.zeros(4)
    >>> for some, there in feasible_parts(problem, np.arange(4), beta, np.r_[1, 2, -2, -1.0], 2):
    ...     print(some.tolist(), there.tolist())
    [0, 1, 2] [1.0, 1.0, -2.0]
    [1, 3] [2.0, -1.0]
    """
    if len(variables) <= most:
        return iter([(variables, values)])
    if not problem.bias:
        parts = (slice(first, first + most) for first in range(0, len(variables), most))
        return ((variables[part], values[part]) for part in parts)
    return _balanced_parts(problem, variables, beta[variables], values, most)


def _balanced_parts(
    problem: BoxQP, variables: Index, old: Vector, values: Vector, most: int
) -> Iterator[Move]:
    group = np.zeros(len(variables)) if problem.groups is None else problem.groups[variables]
    for g in np.unique(group):
        some = np.flatnonzero(group == g)
        for chosen, there in _levelled(old[some], values[some], most):
            yield variables[some[chosen]], there


def _levelled(old: Vector, values: Vector, most: int) -> Iterator[Move]:
    """Move the variables of one group from level to level."""
    change = values - old
    size, begin = np.abs(change), np.zeros(len(change))
    for side in (change > 0, change < 0):
        begin[side] = np.cumsum(size[side]) - size[side]
    end = begin + size
    levels = np.unique(np.sort(end)[most - 1 : -1 : most])
    for low, high in pairwise([-1.0, *levels.tolist(), np.inf]):
        moving = np.flatnonzero((begin < high) & (end > low))
        start, aim = old[moving], values[moving]
        far = start + np.sign(aim - start) * np.minimum(size[moving], high - begin[moving])
        inside = np.clip(far, np.minimum(start, aim), np.maximum(start, aim))
        yield moving, np.where(end[moving] <= high, aim, inside)
