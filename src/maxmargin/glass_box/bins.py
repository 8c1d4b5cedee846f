"""Columns as bins: every column is cut once, for all bags and rounds.

Code 0 is a missing value. Values have codes 1 to n: distinct ones if there are few, quantiles of
the weights otherwise. Categories have a code each, the rarest a common one if there are too many;
one that was not seen in ``fit`` has the code n + 1, whose step is always 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.ops.engine import engine_of
from maxmargin.ops.threads import Workers

Vector = NDArray[np.float64]
Codes = NDArray[Any]

MOST = 254
_BYTE = 256


@dataclass(frozen=True)
class ColumnBins:
    """How the values of one column become codes.

    Parameters
    ----------
    cuts : ndarray of shape (n - 1,)
        Of numbers: a value has the code 1 plus the number of cuts below it.
    members : ndarray of int
        Of categories: the code of each, from 1.
    categorical : bool
    """

    cuts: NDArray[np.float64]
    members: NDArray[np.int64]
    categorical: bool

    @property
    def n_bins(self) -> int:
        """How many bins of values there are."""
        if self.categorical:
            return int(self.members.max(initial=0))
        return len(self.cuts) + 1

    @property
    def width(self) -> int:
        """How many bins there are, with that of missing values and that of unknown categories."""
        return self.n_bins + 1 + self.categorical

    def code(self, values: Vector, unknown: NDArray[np.bool_] | None = None) -> Codes:
        """Give the codes of values, NaN where they are missing.

        Parameters
        ----------
        values : ndarray of shape (rows,)
        unknown : ndarray of bool of shape (rows,), default=None
            Which of the missing ones are categories that were not seen in ``fit``.

        Returns
        -------
        codes : ndarray of uint8, or of uint16 where there are more bins than that
        """
        codes = np.empty(len(values), np.uint8 if self.width <= _BYTE else np.uint16)
        if not self.categorical:
            engine_of(codes).glass_box.code_numbers(values, self.cuts, codes)
            return codes
        missing = np.isnan(values)
        place = np.where(missing, 0, values).astype(np.intp)
        known = np.append(self.members, self.n_bins + 1)
        codes[:] = np.where(missing, 0, known[np.minimum(place, len(self.members))])
        if unknown is not None:
            codes[unknown] = self.n_bins + 1
        return codes


def bin_numbers(values: Vector, weight: Vector, most: int) -> ColumnBins:
    """Cut a column of numbers into at most so many bins of about the same weight."""
    distinct, total = _weights_of_distinct(values, weight)
    if len(distinct) <= most:
        last = np.arange(1, len(distinct))
    else:
        share = np.cumsum(total)
        aims = share[-1] * np.arange(1, most) / most
        last = np.unique(np.searchsorted(share, aims, side="left") + 1)
        last = last[last < len(distinct)]
    low, high = distinct[last - 1], distinct[last]
    with np.errstate(over="ignore"):
        middle = np.clip(low + 0.5 * (high - low), low, high)
    cuts = np.where((middle >= low) & (middle < high), middle, low)
    return ColumnBins(cuts, np.zeros(0, np.int64), False)


def _weights_of_distinct(values: Vector, weight: Vector) -> tuple[Vector, Vector]:
    known = ~np.isnan(values)
    if known.all() and (weight == weight[0]).all():
        ordered = np.sort(values)
        first = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)])
        counts = np.diff(np.append(first, len(ordered))).astype(np.float64)
        return ordered[first], counts
    distinct, place = np.unique(values[known], return_inverse=True)
    return distinct, np.bincount(place, weight[known], len(distinct)).astype(np.float64)


def bin_categories(codes: Vector, weight: Vector, count: int, most: int) -> ColumnBins:
    """Give each category a bin; the rarest share the last one if there are too many."""
    known = ~np.isnan(codes)
    total = np.bincount(codes[known].astype(np.intp), weight[known], count)
    members = np.arange(1, count + 1)
    if count > most:
        rank = np.empty(count, np.int64)
        rank[np.argsort(-total, kind="stable")] = np.arange(count)
        kept = rank < most - 1
        members = np.where(kept, np.cumsum(kept), most)
    return ColumnBins(np.zeros(0), members.astype(np.int64), True)


@dataclass(frozen=True)
class Binning:
    """The bins of all columns.

    Parameters
    ----------
    columns : tuple of ColumnBins
    """

    columns: tuple[ColumnBins, ...]

    def code(self, X: Any, unknown: Any = None, n_jobs: int | None = None) -> Codes:
        """Give the codes of a table, a line for each column.

        Parameters
        ----------
        X : ndarray or sparse matrix of shape (rows, columns)
        unknown : ndarray of bool of shape (rows, columns), default=None
        n_jobs : int, default=None

        Returns
        -------
        codes : ndarray of uint8, or of uint16, of shape (columns, rows)
        """
        widest = max(column.width for column in self.columns)
        kind = np.uint8 if widest <= _BYTE else np.uint16
        codes = np.empty((len(self.columns), X.shape[0]), kind)
        read = column_reader(X)

        def work(j: int) -> None:
            strange = None if unknown is None else unknown[:, j]
            codes[j] = self.columns[j].code(read(j), strange)

        with Workers(n_jobs) as workers:
            workers.each(work, range(len(codes)))
        return codes


def cut_table(
    X: Any, weight: Vector, categories: dict[int, int], most: int, workers: Workers
) -> Binning:
    """Cut every column of a table.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (rows, columns)
    weight : ndarray of shape (rows,)
    categories : dict
        How many there are, by categorical column.
    most : int
        Bins of a column.
    workers : Workers

    Returns
    -------
    binning : Binning
    """
    read, found = column_reader(X), dict[int, ColumnBins]()

    def work(j: int) -> None:
        if j in categories:
            found[j] = bin_categories(read(j), weight, categories[j], most)
        else:
            found[j] = bin_numbers(read(j), weight, most)

    workers.each(work, range(X.shape[1]))
    return Binning(tuple(found[j] for j in range(X.shape[1])))


def column_reader(X: Any) -> Any:
    """Give a function from a column's number to its values in float64."""
    if sparse.issparse(X):
        by_column = X.tocsc()
        return lambda j: by_column[:, [j]].toarray().ravel().astype(np.float64)
    return lambda j: np.ascontiguousarray(X[:, j], dtype=np.float64)
