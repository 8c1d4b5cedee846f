"""The kernel whose matrix is given."""

from __future__ import annotations

from collections.abc import Mapping
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


@dataclass(frozen=True, eq=False, slots=True)
class Columns:
    """Kernel values of new items with some of the training items, which are all that is asked for.

    A machine asks for its support vectors alone, so whoever has no matrix need not fill one.
    """

    K: FloatArray

    def __len__(self) -> int:
        return len(self.K)

    @classmethod
    def are_given(cls, X: Any) -> bool:
        """Whether X is a mapping of training items to columns, or a function that makes them."""
        return isinstance(X, Mapping) or callable(X)

    @classmethod
    def of(cls, X: Any, wanted: NDArray[np.integer[Any]]) -> Columns:
        """Collect the columns of the wanted training items."""
        if len(wanted) == 0:
            raise ValueError("This model has no support vectors; give the whole matrix, of zeros.")
        if not isinstance(X, Mapping):
            return cls(_checked_block(X(wanted), len(wanted)))
        missing = [i for i in wanted.tolist() if i not in X]
        if missing:
            raise ValueError(
                f"Column {missing[0]} is missing: values with all {len(wanted)} support vectors "
                "are needed, whose numbers are in support_."
            )
        columns = [np.ravel(X[i]) for i in wanted.tolist()]
        if len({len(column) for column in columns}) > 1:
            raise ValueError("The columns of the support vectors have different lengths.")
        return cls(_checked_block(np.column_stack(columns), len(wanted)))

    def pair(self) -> tuple[Numbered, Numbered]:
        """Return the new items as rows, and the wanted training items as columns."""
        rows, columns = (np.arange(n) for n in self.K.shape)
        return Numbered(self.K, rows), Numbered(self.K, columns)


def _checked_block(block: Any, columns: int) -> FloatArray:
    K: FloatArray = as_matrix(block)
    if K.shape[1] != columns:
        raise ValueError(
            f"The block of kernel values has {K.shape[1]} columns for {columns} training items."
        )
    return K


class Precomputed(Kernel):
    """X is the kernel matrix itself: entry (i, j) is k(row item i, column item j).

    To fit, X holds the training items in rows and in columns. To predict, its rows are the new
    items and its columns the training items, so that
    ``block(prepare(X_new), prepare(X_train)[support])`` takes the support's columns of X_new. An
    estimator needs only the support vectors' columns: it also takes them as a mapping of training
    items to columns, or as a function of an array of training items that gives their columns.

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
