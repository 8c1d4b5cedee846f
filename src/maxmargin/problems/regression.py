r"""Regression with an insensitive zone as a box QP of two variables a row.

Support vector regression of targets t_i with costs C_i (Drucker, Burges, Kaufman, Smola, Vapnik,
NIPS 1996; Smola and Schoelkopf, "A tutorial on support vector regression", 2004, eq. 10):

    min_{w,b}  |w|^2 / 2 + sum_i C_i max(0, |t_i - f(x_i)| - epsilon)

A row has a variable for either side of its zone, 0 <= alpha_i <= C_i and -C_i <= alpha*_i <= 0 in
the signs of ``box_qp``; both see the same row of K, and p is t_i - epsilon and t_i + epsilon. At
the optimum at most one of them is not 0, and their sum is the coefficient of the row.

With nu instead of epsilon (Schoelkopf, Smola, Williamson, Bartlett, "New support vector
algorithms", Neural Computation 12, 2000, eq. 3.2) the width of the zone is part of the primal:

    min_{w,b,e}  |w|^2 / 2 + sum_i C_i (nu e + max(0, |t_i - f(x_i)| - e)),    e >= 0,

and the dual fixes what each side sums to: nu / 2 sum C_i. The biases of the two groups are b + e
and b - e.
"""

from __future__ import annotations

import numpy as np

from maxmargin.problems.box_qp import BoxQP, Vector


def svr(t: Vector, C: Vector, epsilon: float) -> BoxQP:
    """State the regression of targets t with a zone of this width.

    Examples
    --------
    >>> problem = svr(np.array([3.0]), np.array([2.0]), 0.5)
    >>> problem.p.tolist(), problem.lower.tolist(), problem.upper.tolist()
    ([2.5, 3.5], [0.0, -2.0], [2.0, 0.0])
    """
    return BoxQP(np.concatenate([t - epsilon, t + epsilon]), *_two_sides(C), copies=2)


def nu_svr(t: Vector, C: Vector, nu: float) -> BoxQP:
    """State the regression of targets t with a share nu of rows outside of the zone, at most."""
    groups, half = np.repeat(np.array([0, 1], np.int8), len(t)), 0.5 * nu * float(C.sum())
    return BoxQP(np.tile(t, 2), *_two_sides(C), True, groups, (half, -half), copies=2)


def _two_sides(C: Vector) -> tuple[Vector, Vector]:
    nothing = np.zeros(len(C))
    return np.concatenate([nothing, -C]), np.concatenate([C, nothing])
