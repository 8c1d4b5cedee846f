"""Approximate neighbours by locality-sensitive hashing, as a step before estimators.

A table writes each row as B bits, bit b being whether w_b'x > c_b, with w_b drawn at random and c_b
the median over rows: rows that are near agree in most bits, and each bucket of equal bits holds
about n / 2^B rows. A question looks, in each of L tables, into the bucket of its bits and into
those that differ from it in the F bits in which it lies nearest to a threshold, 2^F buckets in all,
and compares itself with the rows there.

M. S. Charikar, Similarity estimation techniques from rounding algorithms, STOC 2002 (bits by random
hyperplanes). Q. Lv, W. Josephson, Z. Wang, M. Charikar and K. Li, Multi-probe LSH: efficient
indexing for high-dimensional similarity search, VLDB 2007 (several buckets of a table).
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from maxmargin.inputs.parameters import (
    ParameterError,
    all_or_nothing,
    check_choice,
    check_number,
    check_shared,
)
from maxmargin.neighbors.numbers import read_numbers
from maxmargin.ops.engine import engine_of
from maxmargin.ops.threads import Workers
from maxmargin.progress.callbacks import CallbackSupport

Vector = NDArray[np.float64]
Index = NDArray[np.intp]

_ROWS_A_BUCKET = 8
_MOST_BITS = 20
_SAMPLE = 10_000  # rows whose medians are the thresholds
_AT_ONCE = 1 << 12  # rows of a piece
_QUESTIONS = 1 << 8  # of a piece


class LSHNeighborsTransformer(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, CallbackSupport, BaseEstimator
):
    """Distances to approximately nearest rows, found by hashing.

    Replaces scikit-learn's ``KNeighborsTransformer``, before any estimator that takes neighbours
    with ``metric="precomputed"``. Some of the rows found may not be the nearest. Their number is
    always ``n_neighbors``: a query whose buckets hold fewer rows is compared with all rows. Hashing
    pays for many rows in groups or near a surface of few dimensions, but not if all distances are
    alike; ``recall`` measures it.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of neighbours. ``transform`` returns one more, as in scikit-learn: in
        ``fit_transform`` a row is its own first neighbour.
    n_tables : int, default=16
        Number of tables. More tables find more neighbours, and need more time and memory.
    n_bits : int or "auto", default="auto"
        Bits of a code, from 1 to 20; "auto" leaves about eight rows in each bucket.
    n_flips : int, default=4
        Number of the least certain bits of a query that may be wrong: 2**n_flips buckets are
        searched in each table, at most all of them.
    random_state : int, RandomState instance or None, default=None
        Seed for the codes.
    n_jobs : int, default=None
        Number of threads; None uses all cores. The result does not depend on it.

    Attributes
    ----------
    n_bits_ : int
    n_samples_fit_ : int
        Number of rows that are searched.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from maxmargin.neighbors import LSHNeighborsTransformer
    >>> X, y = load_digits(return_X_y=True)
    >>> hashed = LSHNeighborsTransformer(n_neighbors=5, random_state=0)
    >>> model = make_pipeline(hashed, KNeighborsClassifier(5, metric="precomputed"))
    >>> model.fit(X[:1000], y[:1000]).score(X[1000:], y[1000:]) > 0.94
    True
    >>> hashed.recall(X[1000:]) > 0.9
    True
    """

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        n_tables: int = 16,
        n_bits: int | str = "auto",
        n_flips: int = 4,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_tables = n_tables
        self.n_bits = n_bits
        self.n_flips = n_flips
        self.random_state = random_state
        self.n_jobs = n_jobs

    @all_or_nothing
    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Write the tables.

        Parameters
        ----------
        X : array-like of shape (rows, columns)
        y : object, default=None
            Not looked at.

        Returns
        -------
        self : object
        """
        self._check_parameters()
        rows = np.ascontiguousarray(read_numbers(self, X, accept_sparse=False))
        self.n_samples_fit_ = self._n_features_out = len(rows)
        self._rows = rows
        if isinstance(self.n_bits, str):
            wanted = round(np.log2(max(2.0, len(rows) / _ROWS_A_BUCKET)))
            self.n_bits_ = int(np.clip(wanted, 1, _MOST_BITS))
        else:
            self.n_bits_ = int(self.n_bits)
        random = check_random_state(self.random_state)
        shape = rows.shape[1], int(self.n_tables) * self.n_bits_
        self._directions = random.normal(size=shape).astype(rows.dtype)
        sample = random.permutation(len(rows))[:_SAMPLE]
        with Workers(self.n_jobs) as workers:
            self._thresholds = np.median(rows[sample] @ self._directions, axis=0)
            self._write(workers)
        return self

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        check_shared(self)
        for name in ("n_neighbors", "n_tables"):
            check_number(owner, name, getattr(self, name), 1, whole=True)
        check_number(owner, "n_flips", self.n_flips, 0, whole=True)
        if isinstance(self.n_bits, str):
            check_choice(owner, "n_bits", self.n_bits, ("auto",), f"from 1 to {_MOST_BITS}")
        else:
            check_number(owner, "n_bits", self.n_bits, 1, whole=True, otherwise="'auto'")
            if self.n_bits > _MOST_BITS:
                raise ParameterError(
                    f"The 'n_bits' parameter of {owner} must be at most {_MOST_BITS}, since a "
                    f"table has 2**n_bits buckets. Got {self.n_bits!r} instead."
                )

    def _write(self, workers: Workers) -> None:
        """Put all rows into their buckets, table by table."""
        codes = np.empty((len(self._rows), int(self.n_tables)), np.int32)

        def work(part: slice) -> None:
            codes[part] = self._codes(self._offsets(self._rows[part]) > 0.0)

        workers.each(work, _pieces(len(codes), _AT_ONCE))
        self._order = np.empty((codes.shape[1], len(codes)), np.int32)
        self._starts = np.zeros((codes.shape[1], 2**self.n_bits_ + 1), np.int64)

        def sort(table: int) -> None:
            self._order[table] = np.argsort(codes[:, table], kind="stable")
            counts = np.bincount(codes[:, table], minlength=2**self.n_bits_)
            np.cumsum(counts, out=self._starts[table, 1:])

        workers.each(sort, range(codes.shape[1]))

    def _offsets(self, points: Any) -> Any:
        """Return the distances of points above the threshold of each bit."""
        return points @ self._directions - self._thresholds

    def _codes(self, bits: Any) -> Any:
        """Read the bits of each table as a number."""
        places = (1 << np.arange(self.n_bits_)).astype(np.int32)
        return bits.reshape(len(bits), -1, self.n_bits_) @ places

    def _probes(self, points: Any) -> Any:
        """Return the numbers of the buckets to look into, of shape (points, tables, buckets)."""
        offsets = self._offsets(points)
        codes, flips = self._codes(offsets > 0.0), min(int(self.n_flips), self.n_bits_)
        distance = np.abs(offsets).reshape(len(points), -1, self.n_bits_)
        unsure = np.argsort(distance, axis=2, kind="stable")[:, :, :flips]
        subsets = (np.arange(2**flips)[:, None] >> np.arange(flips)) & 1
        masks = (1 << unsure) @ subsets.T
        return (codes[:, :, None] ^ masks).astype(np.int32)

    def kneighbors(self, X: Any, n_neighbors: int | None = None) -> tuple[Vector, Index]:
        """Find rows near questions.

        Parameters
        ----------
        X : array-like of shape (questions, columns)
        n_neighbors : int, default=None
            None is the parameter.

        Returns
        -------
        distances : ndarray of shape (questions, n_neighbors)
            Ascending, and true ones of the rows found.
        indices : ndarray of shape (questions, n_neighbors)
            Their places; the smaller first where distances are equal.
        """
        check_is_fitted(self)
        wanted = self.n_neighbors if n_neighbors is None else n_neighbors
        check_number(type(self).__name__, "n_neighbors", wanted, 1, whole=True)
        return self._search(self._read(X), int(wanted))[:2]

    def _read(self, X: Any) -> Any:
        points = read_numbers(self, X, accept_sparse=False, reset=False)
        return np.ascontiguousarray(points, dtype=self._rows.dtype)

    def _search(self, points: Any, k: int) -> tuple[Vector, Index, int]:
        """Find k rows near each point, and count those that were compared with one."""
        if k > len(self._rows):
            raise ValueError(
                f"Expected n_neighbors <= n_samples_fit, but n_neighbors = {k}, n_samples_fit = "
                f"{len(self._rows)}; ask for fewer, or fit more rows."
            )
        squares, indices = np.full((len(points), k), np.inf), np.full((len(points), k), -1)
        compared = np.zeros(len(points), np.int64)

        def work(part: slice) -> None:
            mine = squares[part], indices[part]
            compared[part.start] = self._search_piece(points[part], *mine)

        with Workers(self.n_jobs) as workers:
            workers.each(work, _pieces(len(points), _QUESTIONS))
        return np.sqrt(squares), indices, int(compared.sum())

    def _search_piece(self, points: Any, squares: Vector, indices: Index) -> int:
        search = engine_of(self._rows).hash_tables.search_buckets
        tables, seen = (self._order, self._starts), np.full(len(self._rows), -1, np.int32)
        codes, ends = self._probes(points), (0, len(points))
        compared = int(search(self._rows, points, *tables, codes, seen, *ends, squares, indices))
        short = np.flatnonzero(indices[:, -1] < 0)
        for place in short:  # its buckets hold too few: all rows are one bucket
            every = np.arange(len(self._rows), dtype=np.int32)[None], np.array([[0, len(seen)]])
            whole, one = np.zeros((1, 1, 1), np.int32), slice(place, place + 1)
            seen.fill(-1)
            squares[one], indices[one] = np.inf, -1
            found = squares[one], indices[one]
            asked = np.ascontiguousarray(points[one])
            compared += int(search(self._rows, asked, *every, whole, seen, 0, 1, *found))
        return compared

    def transform(self, X: Any) -> Any:
        """Return the distances to neighbours.

        Parameters
        ----------
        X : array-like of shape (questions, columns)

        Returns
        -------
        graph : CSR matrix of shape (questions, rows fitted)
            In each line n_neighbors + 1 distances, ascending; those of 0 are stored too.
        """
        check_is_fitted(self)
        points = self._read(X)
        distances, indices, _ = self._search(points, int(self.n_neighbors) + 1)
        ends = np.arange(len(points) + 1) * distances.shape[1]
        shape = len(points), len(self._rows)
        return sparse.csr_matrix((distances.ravel(), indices.ravel(), ends), shape=shape)

    def recall(self, X: Any, n_neighbors: int | None = None) -> float:
        """Measure which share of the true neighbours is found, against all rows.

        Parameters
        ----------
        X : array-like of shape (questions, columns)
            Some hundred are enough: each is compared with all rows.
        n_neighbors : int, default=None
            None is the parameter.

        Returns
        -------
        share : float
            A row found counts if it is as near as the last of the true ones.
        """
        distances, _ = self.kneighbors(X, n_neighbors)
        points, k = self._read(X), distances.shape[1]
        hits = 0
        for point, found in zip(points, distances, strict=True):
            gaps = self._rows.astype(np.float64, copy=False) - point.astype(np.float64)
            squares = np.einsum("ij,ij->i", gaps, gaps)
            last = np.sqrt(np.partition(squares, k - 1)[k - 1])
            hits += int(np.count_nonzero(found <= last * (1.0 + 1e-12)))
        return hits / distances.size

    def __restored__(self) -> None:
        """Raise for tables from a file that the compiled search cannot use safely."""
        if not hasattr(self, "_order"):
            return
        try:
            fits = self._fit_together()
        except (AttributeError, IndexError, TypeError, ValueError):
            fits = False
        if not fits:
            raise ValueError("The hash tables of LSHNeighborsTransformer do not fit together.")

    def _fit_together(self) -> bool:
        rows, order, starts, bits = self._rows, self._order, self._starts, self.n_bits_
        n, tables = rows.shape[0], order.shape[0]
        whole = isinstance(bits, int) and 1 <= bits <= _MOST_BITS
        shapes = order.shape == (tables, n) and starts.shape == (tables, 2**bits + 1)
        shapes = shapes and self._directions.shape == (rows.shape[1], tables * bits)
        shapes = shapes and self._thresholds.shape == (tables * bits,)
        kinds = rows.dtype.kind == "f" and order.dtype == np.int32 and starts.dtype == np.int64
        kinds = kinds and self._directions.dtype.kind == self._thresholds.dtype.kind == "f"
        inside = order.min() >= 0 and order.max() < n and (np.diff(starts, axis=1) >= 0).all()
        ends = (starts[:, 0] == 0).all() and (starts[:, -1] == n).all()
        return bool(whole and shapes and kinds and inside and ends and self.n_samples_fit_ == n)

    def __sklearn_tags__(self) -> Any:
        """Return the tags: the precision of distances is always double."""
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags


def _pieces(count: int, size: int) -> list[slice]:
    return [slice(first, min(first + size, count)) for first in range(0, count, size)]
