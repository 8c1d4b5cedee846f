"""The kernel whose matrix is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.kernels.base import Kernel
from maxmargin.kernels.points import FloatArray, Rows, as_matrix


@dataclass(frozen=True, eq=False, slots=True)
class Numbered:
    """Some rows of a given matrix: ``ids`` are their numbers, and their columns' numbers where the matrix is square."""

    K: FloatArray
    ids: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, rows: Rows) -> Numbered:
        return Numbered(self.K, self.ids[rows])

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.K.dtype


class Precomputed(Kernel):
    """X is the kernel matrix itself: entry (i, j) is k(row item i, column item j).

    To fit, X holds the training items in rows and in columns. To predict, its rows are the new items and its columns
    the training items, so ``block(prepare(X_new), prepare(X_train)[support])`` takes the support's columns of X_new.

    Examples
    --------
    >>> Precomputed()([[2.0, 1.0], [1.0, 2.0]]).tolist()
    [[2.0, 1.0], [1.0, 2.0]]
    """

    @property
    def psd(self) -> None:
        return None

    def prepare(self, X: Any) -> Numbered:
        if sparse.issparse(X):
            raise TypeError("Sparse precomputed kernels are not supported; pass X.toarray().")
        K = as_matrix(X)
        return Numbered(K, np.arange(len(K)))

    def __call__(self, X: Any, Y: Any = None) -> FloatArray:
        """X itself; with Y, the square matrix of the column items, the columns are checked against it."""
        K = self.prepare(X).K
        if Y is not None and K.shape[1] != len(self.prepare(Y)):
            raise ValueError(
                f"X has {K.shape[1]} columns for the {len(Y)} items of Y; it needs one an item."
            )
        return K.copy()

    def fill(self, A: Numbered, B: Numbered, out: FloatArray) -> None:
        if len(B) and B.ids.max() >= A.K.shape[1]:
            raise ValueError(
                f"The precomputed matrix has {A.K.shape[1]} columns but column {B.ids.max()} is needed; "
                "it needs one column for each training item."
            )
        out[...] = (
            A.K[_span(A.ids), :][:, _span(B.ids)] if _is_span(A.ids) else A.K[A.ids[:, None], B.ids]
        )

    def diagonal(self, A: Numbered) -> FloatArray:
        if A.K.shape[0] != A.K.shape[1]:
            raise ValueError(
                f"A precomputed matrix has a diagonal only when it is square, got shape {A.K.shape}."
            )
        return A.K[A.ids, A.ids]


def _is_span(ids: NDArray[np.intp]) -> bool:
    return len(ids) > 0 and bool((np.diff(ids) == 1).all())


def _span(ids: NDArray[np.intp]) -> slice | NDArray[np.intp]:
    """Consecutive numbers as a slice, so that a block is copied without gathering."""
    return slice(int(ids[0]), int(ids[-1]) + 1) if _is_span(ids) else ids
