"""The kernel whose matrix is given."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.kernels.base import Kernel, Takes
from maxmargin.kernels.points import FloatArray, Rows, as_matrix
from maxmargin.ops.engine import engine_of

_MOST_RUNS = 16  # blocks that are copied one by one


@dataclass(frozen=True, eq=False, slots=True)
class Numbered:
    """Some rows of a given matrix, by number; as columns of another matrix they keep these."""

    K: FloatArray
    ids: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, rows: Rows) -> Numbered:
        return Numbered(self.K, self.ids[rows])

    @property
    def dtype(self) -> np.dtype[Any]:
        """The precision of the matrix."""
        return self.K.dtype


class Precomputed(Kernel):
    """X is the kernel matrix itself: entry (i, j) is k(row item i, column item j).

    To fit, X holds the training items in rows and in columns. To predict, its rows are the new
    items and its columns the training items, so that
    ``block(prepare(X_new), prepare(X_train)[support])`` takes the support's columns of X_new.

    Examples
    --------
    >>> Precomputed()([[2.0, 1.0], [1.0, 2.0]]).tolist()
    [[2.0, 1.0], [1.0, 2.0]]
    """

    @property
    def takes(self) -> Takes:
        """The matrix."""
        return Takes.MATRIX

    @property
    def psd(self) -> None:
        """Unknown: ``check`` looks at the matrix."""
        return

    def prepare(self, X: Any) -> Numbered:
        """Check the matrix and number its rows."""
        if sparse.issparse(X):
            raise TypeError("Sparse precomputed kernels are not supported; pass X.toarray().")
        K = as_matrix(X)
        return Numbered(K, np.arange(len(K)))

    def __call__(self, X: Any, Y: Any = None) -> FloatArray:
        """Copy X; with Y, the square matrix of the column items, check the columns against it."""
        K = self.prepare(X).K
        if Y is not None and K.shape[1] != len(self.prepare(Y)):
            raise ValueError(
                f"X has {K.shape[1]} columns for {len(Y)} items; it needs one an item."
            )
        return K.copy()

    def fill(self, A: Numbered, B: Numbered, out: FloatArray) -> None:
        """Copy the rows of A and the columns of B from A's matrix."""
        width, last = A.K.shape[1], B.ids.max(initial=-1)
        if last >= width:
            needed = f"needs one column a training item, at least {last + 1}"
            raise ValueError(f"The precomputed matrix has {width} columns; it {needed}.")
        breaks = [np.flatnonzero(np.diff(ids) != 1) + 1 for ids in (A.ids, B.ids)]
        if (len(breaks[0]) + 1) * (len(breaks[1]) + 1) > _MOST_RUNS:
            _gather(A.K, A.ids, B.ids, out)
            return
        rows, columns = _runs(A.ids, breaks[0]), _runs(B.ids, breaks[1])
        for to, source in rows:
            for across, column in columns:
                out[to, across] = A.K[source, column]

    def errors(self, A: Numbered) -> NDArray[np.float64]:
        """None: the matrix is what the user says it is."""
        return np.zeros(len(A))

    def diagonal(self, A: Numbered) -> FloatArray:
        """Copy the diagonal entries."""
        if A.K.shape[0] != A.K.shape[1]:
            raise ValueError(f"Precomputed matrix must be square, got shape {A.K.shape}.")
        return A.K[A.ids, A.ids]


def _gather(K: FloatArray, rows: NDArray[np.intp], columns: NDArray[np.intp], out: Any) -> None:
    """Copy entries one by one, compiled: NumPy's gathering is several times slower."""
    whole = out if out.flags.c_contiguous else np.empty_like(out, order="C")
    engine_of(K).rows.take_columns(K, rows, columns, 0, len(rows), whole)
    if whole is not out:
        out[...] = whole


def _runs(ids: NDArray[np.intp], breaks: NDArray[np.intp]) -> list[tuple[slice, slice]]:
    """Cut numbers into runs of consecutive ones: where each stands, and which they are.

    Runs are copied as blocks, which is several times faster than gathering entries.
    """
    edges = [0, *breaks.tolist(), len(ids)]
    starts = [(a, b, int(ids[a])) for a, b in pairwise(edges) if b > a]
    return [(slice(a, b), slice(i, i + b - a)) for a, b, i in starts]
