r"""Least-squares support vector machines, and the errors that leaving each row out would make.

For rows with kernel matrix K, targets Y less their weighted mean (a column an output), weights w
and a ridge r > 0:

    min_f  |f|_H^2 / 2 + sum_i w_i / (2 r) |f(x_i) - y_i|^2,     f = sum_i beta_i k(., x_i),

whose optimum solves (K + r W^-1) beta = Y (Suykens and Vandewalle, "Least squares support vector
machine classifiers", Neural Processing Letters 9, 1999; Saunders, Gammerman and Vovk, "Ridge
regression learning algorithm in dual variables", ICML 1998). With G its inverse matrix, the row i
predicted by the machine of all other rows is off by

    y_i - f_-i(x_i) = beta_i / G_ii

exactly (Allen, "The relationship between variable selection and data augmentation", Technometrics
16, 1974). One factorisation serves all outputs and all left-out rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.ops.positive_definite import invert

Matrix = NDArray[Any]


@dataclass(frozen=True)
class LeaveOneOut:
    """The coefficients of a machine, and what it would say of each row without having seen it."""

    beta: Matrix
    values: Matrix


def solve(K: Matrix, Y: Matrix, ridge: float, weight: NDArray[Any] | None) -> LeaveOneOut | None:
    """Fit the machine of a kernel matrix and predict every row left out.

    Parameters
    ----------
    K : ndarray of shape (rows, rows)
        Positive semidefinite; left as it is.
    Y : ndarray of shape (rows, outputs)
        Of mean 0.
    ridge : float
    weight : ndarray of shape (rows,) or None
        Greater than 0; None for ones.

    Returns
    -------
    LeaveOneOut or None
        None where K + ridge is singular in this precision.

    Examples
    --------
    >>> found = solve(np.eye(2), np.array([[1.0], [-1.0]]), 1.0, None)
    >>> found.beta.ravel().round(9).tolist(), found.values.ravel().tolist()
    ([0.5, -0.5], [0.0, 0.0])
    """
    G = K.copy()
    slack = ridge if weight is None else ridge / weight
    G.flat[:: len(G) + 1] += np.asarray(slack, dtype=G.dtype)
    if not invert(G):
        return None
    beta = G @ Y.astype(G.dtype)
    return LeaveOneOut(beta, Y - beta / G.diagonal()[:, None])
