"""Many splits asked at once: the sum of their values, or their votes, row by row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.ops.cpu import stump_ensemble as ops
from maxmargin.ops.threads import Workers
from maxmargin.trees.split import Split

Vector = NDArray[np.float64]

_BLOCK_VALUES = 32_768  # a quarter of a megabyte stays in the cache of a core
_FEWEST_ROWS, _MOST_ROWS = 256, 4_096
_WORTH_THREADS = 1_000_000  # comparisons; fewer are done before another thread has woken up


_BY_SPLIT = ("_line", "_threshold", "_missing_right", "_begin", "_end", "left", "right")


class StumpEnsemble:
    """Splits packed for prediction.

    Parameters
    ----------
    splits : sequence of Split
        In the order in which they are added.
    n_jobs : int, default=None
        Threads; sums do not depend on their number.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.boosting import Split, StumpEnsemble
    >>> splits = [Split(0, 0.5, left=-1.0, right=1.0), Split(0, 1.5, left=-1.0, right=1.0)]
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> StumpEnsemble(splits).sum(X, coefficients=[1.0, 0.25])
    array([-1.25,  0.75,  1.25])
    """

    def __init__(self, splits: Sequence[Split], n_jobs: int | None = None) -> None:
        self._n_jobs = n_jobs
        feature = np.array([split.feature for split in splits], dtype=np.int64)
        self._used = np.unique(feature[feature >= 0])
        self._line = np.where(feature >= 0, np.searchsorted(self._used, feature), -1)
        self._threshold = np.array([split.threshold for split in splits], dtype=np.float64)
        self._missing_right = np.array([split.missing_right for split in splits], dtype=bool)
        none = np.zeros(0, dtype=bool)
        chosen = [none if split.categories is None else split.categories for split in splits]
        self._chosen = np.concatenate([none, *chosen])
        self._end = np.cumsum([len(part) for part in chosen], dtype=np.int64)
        self._begin = self._end - np.array([len(part) for part in chosen], dtype=np.int64)
        self.left = np.array([split.left for split in splits], dtype=np.float64)
        self.right = np.array([split.right for split in splits], dtype=np.float64)

    def __len__(self) -> int:
        return len(self.left)

    def first(self, rounds: int | None = None, n_jobs: int | None = None) -> StumpEnsemble:
        """Give the first splits, or all, to be asked on so many threads.

        Parameters
        ----------
        rounds : int, default=None
            How many; None for all.
        n_jobs : int, default=None

        Returns
        -------
        ensemble : StumpEnsemble
        """
        part = copy(self)
        part._n_jobs = n_jobs
        for name in _BY_SPLIT:
            setattr(part, name, getattr(self, name)[:rounds])
        return part

    def sum(self, X: Any, coefficients: Any = None, start: Any = 0.0) -> Vector:
        """Add the values of all splits, each times its coefficient, in their order.

        Parameters
        ----------
        X : ndarray or sparse matrix of shape (rows, columns)
        coefficients : array-like of shape (splits,), default=None
            None for 1 each.
        start : float or array-like of shape (rows,), default=0
            What they are added to.

        Returns
        -------
        values : ndarray of shape (rows,)
        """
        total = np.full(X.shape[0], start, dtype=np.float64)
        leaves = self._scaled(coefficients)
        self._add(X, slice(None), ops.add_stumps, leaves, total)
        return total

    def staged_sum(self, X: Any, coefficients: Any = None, start: Any = 0.0) -> Iterator[Vector]:
        """Give the same sum after every split; the last is equal to ``sum`` bit by bit.

        Parameters
        ----------
        X, coefficients, start
            As for ``sum``.

        Yields
        ------
        values : ndarray of shape (rows,)
            The same array each time, to be copied if kept.
        """
        total = np.full(X.shape[0], start, dtype=np.float64)
        leaves = self._scaled(coefficients)
        X = X.tocsc() if sparse.issparse(X) else X
        for t in range(len(self)):
            self._add(X, slice(t, t + 1), ops.add_stumps, leaves, total)
            yield total

    def votes(self, X: Any, left: Any, right: Any, weight: Any, n_classes: int) -> Vector:
        """Add up, for every class, the weights of the splits that vote for it.

        Parameters
        ----------
        X : ndarray or sparse matrix of shape (rows, columns)
        left, right : array-like of int of shape (splits,)
            The class numbers of the sides.
        weight : array-like of shape (splits,)
        n_classes : int

        Returns
        -------
        votes : ndarray of shape (rows, classes)
        """
        votes = np.zeros((X.shape[0], n_classes))
        classes = np.asarray(left, dtype=np.int64), np.asarray(right, dtype=np.int64)
        given = *classes, np.asarray(weight, dtype=np.float64)
        self._add(X, slice(None), ops.add_votes, given, votes)
        return votes

    def _scaled(self, coefficients: Any) -> tuple[Vector, Vector]:
        if coefficients is None:
            return self.left, self.right
        scale = np.asarray(coefficients, dtype=np.float64)
        return scale * self.left, scale * self.right

    def _add(self, X: Any, rounds: slice, op: Any, leaves: tuple[Any, ...], total: Vector) -> None:
        """Do the rounds' additions, block by block of rows."""
        line, used = self._line[rounds], self._used
        if rounds != slice(None):  # only the features of these rounds are read
            used, line = _narrow(used, line)
        stumps = line, self._threshold[rounds], self._missing_right[rounds]
        chosen = self._begin[rounds], self._end[rounds], self._chosen
        sides = [leaf[rounds] for leaf in leaves]
        source = _Rows(X, used)
        size = int(np.clip(_BLOCK_VALUES // max(1, len(used)), _FEWEST_ROWS, _MOST_ROWS))

        def work(first: int) -> None:
            part = total[first : first + size]
            op(source.block(first, len(part)), *stumps, *chosen, *sides, part)

        pieces = range(0, len(total), size)
        if len(total) * len(line) < _WORTH_THREADS:
            for piece in pieces:
                work(piece)
            return
        with Workers(self._n_jobs) as workers:
            workers.each(work, pieces)


def _narrow(used: NDArray[np.int64], line: NDArray[np.int64]) -> tuple[Any, Any]:
    """Keep the features that some line asks about."""
    lines = np.unique(line[line >= 0])
    return used[lines], np.where(line >= 0, np.searchsorted(lines, line), -1)


class _Rows:
    """Some columns of X, copied a block of rows at a time."""

    def __init__(self, X: Any, columns: NDArray[np.int64]) -> None:
        self._columns = columns
        if sparse.issparse(X):
            self._X: Any = X.tocsc()[:, columns].tocsr() if len(columns) else None
        else:
            self._X = np.ascontiguousarray(X)

    def block(self, first: int, length: int) -> Vector:
        """Give the columns of some rows, each a line."""
        block = np.empty((len(self._columns), length))
        if sparse.issparse(self._X):
            block[:] = self._X[first : first + length].toarray().T
        elif len(block):
            ops.take_columns(self._X, self._columns, first, block)
        return block
