"""Positive semidefinite matrices near one that is not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.kernels.points import as_matrix
from maxmargin.kernels.validity import refuse_unfit, rounding_of

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RepairedGram:
    """What ``nearest_psd`` made of a matrix.

    Attributes
    ----------
    matrix : ndarray
        Positive semidefinite up to rounding.
    distance : float
        How far it moved: the root of the sum of squared changes of all entries.
    relative_distance : float
        The same, of the root of the sum of squares of the given matrix.
    least_before, least_after : float
        The smallest eigenvalue of the given matrix and of this one.
    method : str
    """

    matrix: Vector
    distance: float
    relative_distance: float
    least_before: float
    least_after: float
    method: str

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """Return the matrix, so that ``SVC(kernel="precomputed")`` takes this as it is."""
        return np.array(self.matrix, dtype=dtype, copy=copy)

    def __str__(self) -> str:
        return (
            f"{self.method}: moved by {self.distance:.3g} ({self.relative_distance:.2%}), smallest "
            f"eigenvalue {self.least_before:.3g} before and {self.least_after:.3g} after"
        )


def nearest_psd(K: Any, method: str = "clip") -> RepairedGram:
    """Repair a Gram matrix that is not positive semidefinite, and say how far it moved.

    Parameters
    ----------
    K : array-like of shape (items, items)
        Symmetric.
    method : {"clip", "shift", "flip"}, default="clip"
        What becomes of a negative eigenvalue: "clip" sets it to 0, which gives the nearest positive
        semidefinite matrix there is (Higham, "Computing a nearest symmetric positive semidefinite
        matrix", 1988, theorem 2.1); "flip" takes its absolute value; "shift" adds the same number
        to all eigenvalues, which changes the diagonal of K alone.

    Returns
    -------
    RepairedGram
        A matrix without negative eigenvalues comes back as it is, moved by 0. New items have no
        place in a repaired matrix: it serves the fit, and predictions use values as they come.

    Examples
    --------
    >>> from maxmargin.kernels import nearest_psd
    >>> repaired = nearest_psd([[1.0, 2.0], [2.0, 1.0]])
    >>> repaired.matrix.round(3).tolist(), round(repaired.distance, 3)
    ([[1.5, 1.5], [1.5, 1.5]], 1.0)
    >>> print(nearest_psd([[1.0, 2.0], [2.0, 1.0]], method="shift"))
    shift: moved by 1.41 (44.72%), smallest eigenvalue -1 before and 0 after
    """
    if not isinstance(method, str) or method not in _METHODS:
        raise ValueError(f"nearest_psd takes {', '.join(map(repr, _METHODS))}, got {method!r}.")
    given = _written_out(K)
    refuse_unfit(given)
    _refuse_asymmetric(given)
    given = (given + given.T) / 2
    values, vectors = np.linalg.eigh(given)
    least = float(values[0])
    matrix = given.copy() if least >= 0 else _METHODS[method](given, values, vectors)
    distance, size = float(np.linalg.norm(matrix - given)), float(np.linalg.norm(given))
    after = least if least >= 0 else float(np.linalg.eigvalsh(matrix)[0])
    return RepairedGram(matrix, distance, distance / size if size else 0.0, least, after, method)


def _written_out(K: Any) -> Vector:
    matrix = as_matrix(K)
    return np.asarray(matrix.toarray() if sparse.issparse(matrix) else matrix, dtype=np.float64)


def _refuse_asymmetric(K: Vector) -> None:
    apart = np.abs(K - K.T)
    i, j = np.unravel_index(np.argmax(apart), apart.shape)
    if apart[i, j] > rounding_of(K):
        raise ValueError(
            f"A Gram matrix is symmetric, and this one has {K[i, j]:.6g} at ({i}, {j}) and "
            f"{K[j, i]:.6g} at ({j}, {i}); give (K + K.T) / 2 if that is what you mean."
        )


def _clip(K: Vector, values: Vector, vectors: Vector) -> Vector:  # noqa: ARG001
    return _composed(np.maximum(values, 0.0), vectors)


def _flip(K: Vector, values: Vector, vectors: Vector) -> Vector:  # noqa: ARG001
    return _composed(np.abs(values), vectors)


def _shift(K: Vector, values: Vector, vectors: Vector) -> Vector:  # noqa: ARG001
    return K - float(values[0]) * np.eye(len(K))


def _composed(values: Vector, vectors: Vector) -> Vector:
    K: Vector = (vectors * values) @ vectors.T
    return (K + K.T) / 2


_METHODS: dict[str, Callable[[Vector, Vector, Vector], Vector]] = {
    "clip": _clip,
    "shift": _shift,
    "flip": _flip,
}
