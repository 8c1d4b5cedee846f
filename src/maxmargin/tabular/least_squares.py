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
16, 1974). One factorisation serves all outputs and all left-out rows: with G = V V', V a triangle,
G_ii is the sum of squares of a row of V, and G itself is not needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.ops.positive_definite import invert_factor

Matrix = NDArray[Any]

REFINEMENTS = 30  # at most
CORRECTIONS = 2  # of coefficients that were found in single precision
ACCURACY = 1e-10  # of the residual, relative to the largest target


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
    V = K.copy()
    slack = ridge if weight is None else ridge / weight
    V.flat[:: len(V) + 1] += np.asarray(slack, dtype=V.dtype)
    if not invert_factor(V):
        return None
    beta = V @ (V.T @ Y.astype(V.dtype))
    diagonal = np.einsum("ij,ij->i", V, V)[:, None]
    return LeaveOneOut(beta, Y - beta / diagonal)


def solve_closely(
    K: Matrix, Y: Matrix, ridge: float, weight: NDArray[Any] | None
) -> tuple[LeaveOneOut, Matrix] | None:
    """Fit a machine and predict every row left out, with coefficients in double precision.

    Also returns the products K beta. One factor in single precision serves both.

    Examples
    --------
    >>> found, products = solve_closely(np.eye(2), np.array([[1.0], [-1.0]]), 1.0, None)
    >>> found.beta.ravel().round(9).tolist(), products.ravel().round(9).tolist()
    ([0.5, -0.5], [0.5, -0.5])
    """
    slack = np.asarray(ridge if weight is None else (ridge / weight)[:, None])
    V = K.astype(np.float32)
    V.flat[:: len(V) + 1] += slack.ravel().astype(np.float32)
    if not invert_factor(V):
        return None
    beta = (V @ (V.T @ Y.astype(V.dtype))).astype(np.float64)
    values = Y - beta / np.einsum("ij,ij->i", V, V)[:, None]
    for _ in range(CORRECTIONS):
        residual = Y - K @ beta - slack * beta
        beta += V @ (V.T @ residual.astype(V.dtype))
    return LeaveOneOut(beta, values), K @ beta


def solve_exactly(K: Matrix, Y: Matrix, ridge: float, weight: NDArray[Any] | None) -> Matrix | None:
    """Return the coefficients in the precision of K; None where K + ridge is singular in it.

    A factor in single precision is half the work; steps along what is left of the residual make up
    for it (iterative refinement), but where the matrix is too close to singular.

    Examples
    --------
    >>> solve_exactly(np.eye(2), np.array([[1.0], [-1.0]]), 1.0, None).ravel().round(9).tolist()
    [0.5, -0.5]
    """
    slack = np.asarray(ridge if weight is None else (ridge / weight)[:, None])
    V = K.astype(np.float32)
    V.flat[:: len(V) + 1] += slack.ravel().astype(np.float32)
    if invert_factor(V):
        beta, least = np.zeros(Y.shape), np.inf
        for _ in range(REFINEMENTS):
            residual = Y - K @ beta - slack * beta
            size = float(np.abs(residual).max())
            if size <= ACCURACY * float(np.abs(Y).max()):
                return beta
            if not size < 0.5 * least:
                break
            least = size
            beta += V @ (V.T @ residual.astype(np.float32))
    found = solve(K, Y, ridge, weight)
    return None if found is None else found.beta
