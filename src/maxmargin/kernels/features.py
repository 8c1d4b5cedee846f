"""Features written out: phi with k(x, y) = <phi(x), phi(y)>, where they are finitely many.

A power of <z, z'> has the monomials of z as features, each with the root of how often it comes up:

    <z, z'>^p = sum_{|a| = p}  (p! / prod_j a_j!)  prod_j z_j^a_j  prod_j z'_j^a_j .
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from math import comb, factorial, prod, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Matrix = NDArray[np.float64]


def count_monomials(columns: float, degree: int) -> float:
    """Count the monomials of a degree.

    Examples
    --------
    >>> count_monomials(2, 2), count_monomials(float("inf"), 2)
    (3, inf)
    """
    if degree == 0:
        return 1
    return columns if columns in (0, float("inf")) else comb(int(columns) + degree - 1, degree)


def monomials(Z: Any, degree: int) -> Matrix:
    """Write out the features of <z, z'>^degree.

    Examples
    --------
    >>> monomials([[2.0, 3.0]], 2).round(3).tolist()
    [[4.0, 8.485, 9.0]]
    """
    Z = written_out(Z)
    chosen = list(combinations_with_replacement(range(Z.shape[1]), degree))
    features = np.empty((len(Z), len(chosen)))
    for number, columns in enumerate(chosen):
        times = prod(factorial(columns.count(j)) for j in set(columns))
        features[:, number] = sqrt(factorial(degree) / times) * Z[:, columns].prod(axis=1)
    return features


def products(left: Any, right: Any) -> Matrix:
    """Multiply every feature of one with every feature of the other."""
    left, right = written_out(left), written_out(right)
    width = left.shape[1] * right.shape[1]
    return np.einsum("ij,ik->ijk", left, right).reshape(len(left), width)


def written_out(features: Any) -> Matrix:
    """Return features in double precision, the zeros of sparse ones too."""
    dense = features.toarray() if sparse.issparse(features) else features
    return np.asarray(dense, dtype=np.float64)


def beside(left: Any, right: Any) -> Any:
    """Put the features of one beside those of another; a CSR matrix if either is sparse."""
    if sparse.issparse(left) or sparse.issparse(right):
        return sparse.hstack([left, right], format="csr")
    return np.hstack([left, right])


def scaled_rows(factors: Any, features: Any) -> Any:
    """Multiply the features of each item by a number."""
    if sparse.issparse(features):
        return sparse.csr_matrix(sparse.diags_array(factors) @ features)
    return factors[:, None] * features
