"""Where columns come from: a source that gives a few of them at a time.

An array in memory, one on disk (``np.memmap``) and a sparse matrix are sources. To compute columns
on demand, write another by subclassing ``ColumnSource``. Columns are read a few
at a time, so they need never all lie in memory.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Array = NDArray[Any]


class Entries(NamedTuple):
    """One column: its values and, where only some are stored and the others 0, their rows."""

    values: Array
    rows: Array | None = None

    def at(self, row: int) -> float:
        """Return the value of a row."""
        if self.rows is None:
            return float(self.values[row])
        place = int(np.searchsorted(self.rows, row))
        stored = place < len(self.rows) and self.rows[place] == row
        return float(self.values[place]) if stored else 0.0

    def dense(self, n_rows: int) -> Array:
        """Return the values of all rows."""
        if self.rows is None:
            return self.values
        x = np.zeros(n_rows, dtype=self.values.dtype)
        x[self.rows] = self.values
        return x


class ColumnSource(ABC):
    """Columns of a training set, of float32 or float64, read a block at a time.

    Parameters
    ----------
    n_rows, n_columns : int
    """

    def __init__(self, n_rows: int, n_columns: int) -> None:
        self.n_rows, self.n_columns = n_rows, n_columns

    @abstractmethod
    def read(self, columns: NDArray[np.intp]) -> Sequence[Entries]:
        """Read some columns, given in ascending order; threads may do so side by side."""

    def lines(self, columns: NDArray[np.intp]) -> Array | None:  # noqa: ARG002
        """Read some columns as the lines of an array, if all rows are stored."""
        return None

    def column(self, column: int) -> Entries:
        """Read one of them, to look at a few of its values."""
        return self.read(np.array([column]))[0]

    def at(self, rows: Array, columns: Array) -> Array:
        """Look up single values, each by its row and its column."""
        pairs = zip(rows.tolist(), columns.tolist(), strict=True)
        return np.array([self.column(j).at(i) for i, j in pairs])


class ArraySource(ColumnSource):
    """Columns of an array, in memory or on disk."""

    def __init__(self, X: Any) -> None:
        X = np.asarray(X)
        self._X = X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)
        super().__init__(*self._X.shape)

    def read(self, columns: NDArray[np.intp]) -> Sequence[Entries]:
        """Copy them in one walk along the rows."""
        return [Entries(line) for line in self.lines(columns)]

    def lines(self, columns: NDArray[np.intp]) -> Array:
        """Copy them in one walk along the rows."""
        first, stop = columns[0], columns[-1] + 1
        block = np.ascontiguousarray(self._X[:, first:stop].T)
        return block if len(columns) == stop - first else block[columns - first]

    def column(self, column: int) -> Entries:
        """Return a view of one."""
        return Entries(self._X[:, column])

    def at(self, rows: Array, columns: Array) -> Array:
        """Look up single values, each by its row and its column."""
        return self._X[rows, columns].astype(np.float64)


class SparseSource(ColumnSource):
    """Columns of a sparse matrix."""

    def __init__(self, X: Any) -> None:
        self._X = X.tocsc(copy=False)
        if not self._X.has_canonical_format:
            self._X = self._X.copy()
            self._X.sum_duplicates()
        super().__init__(*self._X.shape)

    def read(self, columns: NDArray[np.intp]) -> Sequence[Entries]:
        """Return views of their entries."""
        X = self._X
        parts = [slice(X.indptr[j], X.indptr[j + 1]) for j in columns]
        return [Entries(X.data[part], X.indices[part]) for part in parts]


def source_of(X: Any) -> ColumnSource:
    """Return the source of a matrix, or the source itself."""
    if isinstance(X, ColumnSource):
        return X
    return SparseSource(X) if sparse.issparse(X) else ArraySource(X)
