"""The rows of features that a linear model sees, and the few products solvers ask of them.

Dense rows go to BLAS in blocks that stay in the cache; sparse ones to the engine's ``features``.
Work is cut the same way for any number of threads and partial sums are added in order, so results
are equal to the last bit. Data keep their precision, sums are in double precision.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.ops.clock import pieces, stop_if_over
from maxmargin.ops.engine import Engine, engine_of
from maxmargin.ops.threads import Workers

Vector = NDArray[np.float64]

_BLOCK = 2**17  # values in a block of dense rows: a megabyte
_GROUPS = 8  # partial sums of sparse rows, or of a d x d matrix
_MANY_GROUPS, _NARROW_GROUPS = 32, 2**12  # partial sums of so small matrices
_TILE = 256  # columns of a tile of a d x d matrix, where d is larger
_TILED = 2**24  # values of rows that are multiplied into tiles at a time
_COMPILED = 4  # blocks that a compiled loop reads at a time
_PARTS = 256  # most partial sums of dense rows
_ROWS = 2**14  # in a part of work on single numbers
_LEAST_WORK = 2**17  # multiplications in a range of sparse rows: a tenth of a millisecond
_SPARSE_ROOM = 2**22  # numbers in all partial sums of sparse rows
_MOSTLY = 0.7  # fewer rows than this share are gathered before they are multiplied


class Design:
    """Rows x_i with, where ``constant`` is not 0, that constant as their last column.

    ``far`` is the length of what was taken off the rows that the user has. Rows are dense or
    sparse, which subclasses store; their products are those of the rows without the constant.
    """

    dense: bool
    """Whether every value is stored."""
    stored: int
    """How many values one pass over the data reads."""
    csr: tuple[Any, Any, Any]
    """Values, columns and row starts, for loops over rows; no columns when dense."""
    engine: Engine

    _lay_out: Callable[[Any], Any]
    _values: Callable[[Vector], Vector]
    _back: Callable[[Vector], Vector]
    _curved: Callable[[Vector, Vector, float], tuple[Vector, float]]
    _squares: Callable[[Vector], Vector]
    _products: Callable[[Vector], Vector]
    _row_squares: Callable[[], Vector]
    _take: Callable[[NDArray[np.intp]], Any]

    def __new__(cls, X: Any, *_parts: Any) -> Design:
        """Choose the storage by the rows."""
        return super().__new__(_SparseDesign if sparse.issparse(X) else _DenseDesign)

    def __init__(self, X: Any, constant: float, workers: Workers, far: float = 0.0) -> None:
        self.X = self._lay_out(X)
        self.constant, self.workers, self.far = constant, workers, far
        self.dtype: np.dtype[np.floating] = X.dtype
        self.columns = int(X.shape[1])
        self.width: int = self.columns + (constant != 0)

    def __len__(self) -> int:
        return int(self.X.shape[0])

    def take(self, rows: NDArray[np.intp]) -> Design:
        """Make a design of some rows."""
        return Design(self._take(rows), self.constant, self.workers, self.far)

    def values(self, theta: Vector) -> Vector:
        """Return theta'x_i for all rows."""
        values = self._values(np.ascontiguousarray(theta[: self.columns]))
        if self.constant:
            values += self.constant * theta[-1]
        return values

    def back(self, beta: Vector) -> Vector:
        """sum_i beta_i x_i."""
        back = self._back(beta)
        return np.append(back, self.constant * beta.sum()) if self.constant else back

    def joint_values(self, W: Vector) -> Vector:
        """Return w_k'x_i for all rows and the lines of W, reading the rows once for all lines."""
        out, inner = np.empty((len(self), len(W))), np.ascontiguousarray(W[:, : self.columns].T)

        def work(rows: slice) -> None:
            out[rows] = self.X[rows] @ inner

        self.workers.each(work, pieces(len(self), self.stored * len(W)))
        if self.constant:
            out += self.constant * W[:, -1]
        return out

    def joint_back(self, A: Vector) -> Vector:
        """sum_i a_ik x_i for all columns of A, a line for each."""
        parts = list(pieces(len(self), self.stored * A.shape[1]))
        partial = np.zeros((min(_GROUPS, len(parts)), self.columns, A.shape[1]))

        def work(group: int) -> None:
            for rows in parts[group :: len(partial)]:
                partial[group] += self.X[rows].T @ A[rows]

        self.workers.each(work, range(len(partial)))
        total = partial.sum(axis=0).T
        if not self.constant:
            return np.ascontiguousarray(total)
        return np.column_stack([total, self.constant * A.sum(axis=0)])

    def curved(self, weight: Vector, theta: Vector) -> Vector:
        """sum_i weight_i (theta'x_i) x_i: a product with a second derivative."""
        inner = np.ascontiguousarray(theta[: self.columns])
        shift = self.constant * float(theta[-1]) if self.constant else 0.0
        product, total = self._curved(weight, inner, shift)
        return self._with_constant(product, self.constant * total)

    def squares(self, weight: Vector) -> Vector:
        """Return the diagonal of sum_i weight_i x_i x_i'."""
        return self._with_constant(self._squares(weight), self.constant**2 * weight.sum())

    def products(self, weight: Vector) -> Vector:
        """sum_i weight_i x_i x_i', a square matrix; where the fit is over meanwhile, ``TimeUp``."""
        inner = self._products(weight)
        if not self.constant:
            return inner
        matrix = np.empty((self.width, self.width))
        matrix[:-1, :-1] = inner
        matrix[-1, :-1] = matrix[:-1, -1] = self.constant * self._back(weight)
        matrix[-1, -1] = self.constant**2 * weight.sum()
        return matrix

    def system(self, weight: Vector, beta: Vector) -> tuple[Vector, Vector]:
        """Return ``products(weight)`` and ``back(beta)``."""
        return self.products(weight), self.back(beta)

    def row_norms(self) -> Vector:
        """|x_i|^2 for all rows."""
        return self._row_squares() + self.constant**2

    @cached_property
    def lengths(self) -> Vector:
        """|x_i| for all rows."""
        return np.sqrt(self.row_norms())

    def each_part(self, work: Callable[[slice], Any]) -> None:
        """Call the function on parts of the rows, on all threads."""
        parts = [slice(i, i + _ROWS) for i in range(0, len(self), _ROWS)]
        self.workers.each(work, parts)

    def _with_constant(self, vector: Vector, last: float) -> Vector:
        return np.append(vector, last) if self.constant else vector


class _DenseDesign(Design):
    dense = True

    def _lay_out(self, X: Any) -> Any:
        self.engine, self.stored = engine_of(X), X.size
        rows = max(1, _BLOCK // max(1, X.shape[1]), len(X) // _PARTS)
        self._blocks = [slice(i, min(i + rows, len(X))) for i in range(0, len(X), rows)]
        return X

    @cached_property
    def csr(self) -> tuple[Any, Any, Any]:  # type: ignore[override]
        n, d = self.X.shape
        none, starts = np.empty(0, np.uint32), np.arange(n + 1, dtype=np.uint64)
        return np.ascontiguousarray(self.X).ravel(), none, np.uint64(d) * starts

    def _take(self, rows: NDArray[np.intp]) -> Any:
        out = np.empty((len(rows), self.X.shape[1]), self.X.dtype)
        step = max(1, _BLOCK // max(1, self.X.shape[1]))

        def work(part: slice) -> None:
            # With a mode other than "raise" nothing is buffered; the rows' numbers are our own.
            np.take(self.X, rows[part], axis=0, out=out[part], mode="clip")

        self.workers.each(work, [slice(i, i + step) for i in range(0, len(rows), step)])
        return out

    def _values(self, theta: Vector) -> Vector:
        out = np.empty(len(self))

        def work(rows: slice) -> None:
            out[rows] = self.X[rows] @ theta

        self.workers.each(work, self._blocks)
        return out

    def _back(self, beta: Vector) -> Vector:
        if len(self._blocks) < _COMPILED:
            few = [beta[rows] @ self.X[rows] for rows in self._blocks]
            return sum(few, np.zeros(self.X.shape[1]))
        parts = self._blocks_together()
        partial, add = np.zeros((len(parts), self.X.shape[1])), self.engine.features.add_dense_back

        def work(number: int) -> None:
            rows = parts[number]
            add(self.X, beta, rows.start, rows.stop, partial[number])

        self.workers.each(work, range(len(parts)))
        return partial.sum(axis=0)

    def _blocks_together(self) -> list[slice]:
        """Join neighbouring blocks, so that a compiled loop has some tenths of a millisecond."""
        ends = [*self._blocks[::_COMPILED], slice(len(self), len(self))]
        return [slice(a.start, b.start) for a, b in pairwise(ends)]

    def _curved(self, weight: Vector, theta: Vector, shift: float) -> tuple[Vector, float]:
        partial = np.empty((len(self._blocks), self.X.shape[1]))
        totals = np.empty(len(self._blocks))

        def work(number: int) -> None:
            rows = self._blocks[number]
            scaled = weight[rows] * (self.X[rows] @ theta + shift)
            partial[number], totals[number] = scaled @ self.X[rows], scaled.sum()

        self.workers.each(work, range(len(self._blocks)))
        return partial.sum(axis=0), float(totals.sum())

    def _squares(self, weight: Vector) -> Vector:
        partial = np.empty((len(self._blocks), self.X.shape[1]))

        def work(number: int) -> None:
            rows = self._blocks[number]
            partial[number] = weight[rows] @ np.square(self.X[rows], dtype=np.float64)

        self.workers.each(work, range(len(self._blocks)))
        return partial.sum(axis=0)

    def _products(self, weight: Vector) -> Vector:
        return self._by_tiles(weight) if self.X.shape[1] > _TILE else self._by_rows(weight)

    def _by_rows(self, weight: Vector) -> Vector:
        """Sum groups of rows, each in a matrix of its own."""
        d = self.X.shape[1]
        partial = np.zeros((min(_GROUPS, max(1, len(self._blocks))), d, d))

        def work(group: int) -> None:
            for rows in self._blocks[group :: len(partial)]:
                stop_if_over()
                part, root = self._with_weight(rows, weight[rows])
                scaled = part * root[:, None]
                partial[group] += scaled.T @ scaled

        self.workers.each(work, range(len(partial)))
        return partial.sum(axis=0)

    def system(self, weight: Vector, beta: Vector) -> tuple[Vector, Vector]:
        """Sum products and rows, with the constant column, while a block is in the cache."""
        if self.columns > _TILE:
            return super().system(weight, beta)
        constant = self.constant
        d = self.X.shape[1]
        width = d + (constant != 0)
        most = _MANY_GROUPS if width * width <= _NARROW_GROUPS else _GROUPS
        groups = min(most, max(1, len(self._blocks)))
        partial, sums = np.zeros((groups, width, width)), np.zeros((groups, width))

        def work(group: int) -> None:
            room = np.empty((_rows_of(self._blocks), width))
            for rows in self._blocks[group::groups]:
                stop_if_over()
                part, root = self._with_weight(rows, weight[rows])
                scaled = room[: len(root)]
                np.multiply(part, root[:, None], out=scaled[:, :d])
                if constant:
                    np.multiply(root, constant, out=scaled[:, d])
                    sums[group, d] += constant * beta[rows].sum()
                partial[group] += scaled.T @ scaled
                sums[group, :d] += beta[rows] @ self.X[rows]

        self.workers.each(work, range(groups))
        return partial.sum(axis=0), sums.sum(axis=0)

    def _by_tiles(self, weight: Vector) -> Vector:
        """Sum all rows into one matrix, a tile of its lower half after the other.

        Matrices of many columns are too large to have several of, and have tiles for all threads.
        """
        d, some = self.X.shape[1], np.flatnonzero(weight)
        matrix, root = np.zeros((d, d)), np.sqrt(weight[some])
        cuts = [slice(i, min(i + _TILE, d)) for i in range(0, d, _TILE)]
        tiles = [(a, b) for a in cuts for b in cuts if a.start >= b.start]
        step = max(_TILE, _TILED // d)
        room = np.empty((min(step, len(some)), d))
        for first in range(0, len(some), step):
            stop_if_over()
            rows = some[first : first + step]
            scaled = room[: len(rows)]
            self._scale(rows, root[first : first + step], scaled)

            def work(tile: tuple[slice, slice], scaled: Vector = scaled) -> None:
                matrix[tile] += scaled[:, tile[0]].T @ scaled[:, tile[1]]

            self.workers.each(work, tiles)
        return np.tril(matrix) + np.tril(matrix, -1).T

    def _scale(self, rows: NDArray[np.intp], root: Vector, out: Vector) -> None:
        """Multiply some rows by a number each."""

        def work(part: slice) -> None:
            np.multiply(self.X[rows[part]], root[part, None], out=out[part])

        self.workers.each(work, [slice(i, i + _TILE) for i in range(0, len(rows), _TILE)])

    def _with_weight(self, rows: slice, weight: Vector) -> tuple[Any, Vector]:
        """Rows whose weight is not 0, and the roots of their weights."""
        some = np.flatnonzero(weight)
        if len(some) > _MOSTLY * len(weight):
            return self.X[rows], np.sqrt(weight)
        return self.X[rows][some], np.sqrt(weight[some])

    def _row_squares(self) -> Vector:
        out = np.empty(len(self))

        def work(rows: slice) -> None:
            part = self.X[rows].astype(np.float64, copy=False)
            np.einsum("ij,ij->i", part, part, out=out[rows])

        self.workers.each(work, self._blocks)
        return out


class _SparseDesign(Design):
    dense = False

    def _lay_out(self, X: Any) -> Any:
        if not X.has_canonical_format:  # products of columns need them in order, and each once
            X = X.copy()
            X.sum_duplicates()
        self.engine, self.stored = engine_of(X.data), X.nnz
        self._verbs = self.engine.features
        self.csr = X.data, _unsigned(X.indices), X.indptr.astype(np.uint64)
        self._cuts: dict[int, list[tuple[int, int]]] = {}
        return X

    def _take(self, rows: NDArray[np.intp]) -> Any:
        return self.X[rows]

    def _ranges(self, room: int, work: float) -> list[tuple[int, int]]:
        """Cut the rows into ranges of equally many values.

        As many as their work is worth threads, and the adding up of partial sums of this size.
        """
        most = int(min(work / max(8 * room, _LEAST_WORK), _SPARSE_ROOM / max(1, room)))
        count = max(1, min(_GROUPS, most))
        if count not in self._cuts:
            wanted = np.linspace(0, self.X.nnz, count + 1)[1:-1]
            cuts = [0, *np.searchsorted(self.X.indptr, wanted).tolist(), len(self)]
            self._cuts[count] = list(pairwise(cuts))
        return self._cuts[count]

    def _values(self, theta: Vector) -> Vector:
        out = np.empty(len(self))
        ranges = self._ranges(1, self.X.nnz)
        self.workers.each(lambda part: self._verbs.row_values(*self.csr, theta, *part, out), ranges)
        return out

    def _back(self, beta: Vector) -> Vector:
        return self._summed(self._verbs.add_rows_back, beta, (self.X.shape[1],), self.X.nnz)

    def _curved(self, weight: Vector, theta: Vector, shift: float) -> tuple[Vector, float]:
        ranges = self._ranges(self.X.shape[1], 2 * self.X.nnz)
        partial, totals = np.zeros((len(ranges), self.X.shape[1])), np.empty(len(ranges))

        def work(number: int) -> None:
            some = partial[number]
            totals[number] = self._verbs.add_curved(
                *self.csr, weight, theta, shift, *ranges[number], some
            )

        self.workers.each(work, range(len(ranges)))
        return _sum_parts(partial), float(totals.sum())

    def _squares(self, weight: Vector) -> Vector:
        return self._summed(self._verbs.add_squares, weight, (self.X.shape[1],), self.X.nnz)

    def _products(self, weight: Vector) -> Vector:
        columns, pairs = self.X.shape[1], 0.5 * self.X.nnz**2 / max(1, len(self))

        def add(*given: Any) -> None:
            *rows, first, stop, out = given
            for part in pieces(stop - first, (stop - first) / max(1, len(self)) * pairs):
                stop_if_over()
                self._verbs.add_products(*rows, first + part.start, first + part.stop, out)

        lower = self._summed(add, weight, (columns, columns), pairs)
        return lower + np.tril(lower, -1).T

    def _summed(self, add: Any, weight: Vector, shape: tuple[int, ...], work: float) -> Vector:
        ranges = self._ranges(int(np.prod(shape)), work)
        partial = np.zeros((len(ranges), *shape))

        def part(number: int) -> None:
            add(*self.csr, weight, *ranges[number], partial[number])

        self.workers.each(part, range(len(ranges)))
        return _sum_parts(partial)

    def _row_squares(self) -> Vector:
        out = np.empty(len(self))
        data, _, indptr = self.csr
        self.workers.each(
            lambda part: self._verbs.row_squares(data, indptr, *part, out),
            self._ranges(1, self.X.nnz),
        )
        return out


def _rows_of(blocks: list[slice]) -> int:
    """Count the rows of the largest block."""
    return blocks[0].stop - blocks[0].start if blocks else 0


def _unsigned(indices: Any) -> Any:
    """View the same numbers as unsigned ones, which compiled loops read faster."""
    return indices.view(np.dtype(f"u{indices.dtype.itemsize}"))


def _sum_parts(partial: Vector) -> Vector:
    total: Vector = partial[0] if len(partial) == 1 else partial.sum(axis=0)
    return total
