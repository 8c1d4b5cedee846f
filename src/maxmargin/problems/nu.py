r"""Classes and novelty with a share nu of margin errors as box QPs with given sums.

nu-classification of labels t_i with weights c_i (Schoelkopf, Smola, Williamson, Bartlett, "New
support vector algorithms", Neural Computation 12, 2000, eq. 4.1, times sum c_i):

    min_{w,b,rho}  |w|^2 / 2 + sum_i c_i (max(0, rho - t_i f(x_i)) - nu rho),    rho >= 0

In the signs of ``box_qp`` p is 0, the variables of either class sum to nu / 2 sum c_i, and the
biases of the two groups are b - rho and b + rho. Divided by rho the model is that of a soft margin.

The single class (Schoelkopf, Platt, Shawe-Taylor, Smola, Williamson, "Estimating the support of a
high-dimensional distribution", Neural Computation 13, 2001, eq. 4) has all t_i = 1 and no bias but
b = -rho; its variables sum to nu sum c_i.
"""

from __future__ import annotations

import numpy as np

from maxmargin.problems.box_qp import BoxQP, Vector, c_svc


def nu_svc(t: Vector, weight: Vector, nu: float) -> BoxQP:
    """State the classifier of labels t, first all of +1 and then those of -1.

    Examples
    --------
    >>> problem = nu_svc(np.array([1.0, 1.0, -1.0]), np.ones(3), 0.5)
    >>> problem.totals, problem.lower.tolist(), problem.upper.tolist()
    ((0.75, -0.75), [0.0, 0.0, -1.0], [1.0, 1.0, 0.0])
    """
    box, half = c_svc(t, weight), 0.5 * nu * float(weight.sum())
    groups = (t < 0).astype(np.int8)
    return BoxQP(np.zeros(len(t)), box.lower, box.upper, True, groups, (half, -half))


def can_be_met(problem: BoxQP) -> bool:
    """Whether the box leaves room for the sums."""
    reach = [
        float((problem.upper if total > 0 else problem.lower)[members].sum())
        for members, total in zip(problem.members, problem.totals, strict=True)
    ]
    wanted = zip(problem.totals, reach, strict=True)
    return all(abs(total) <= abs(most) * (1.0 + 1e-12) for total, most in wanted)


def one_class(weight: Vector, nu: float) -> BoxQP:
    """State the single class of rows with these weights."""
    nothing = np.zeros(len(weight))
    return BoxQP(nothing, nothing, weight, True, None, (nu * float(weight.sum()),))
