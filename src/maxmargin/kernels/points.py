"""Rows of numbers, checked once and kept the way the loops want them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.inputs.container import by_position
from maxmargin.inputs.vectors import refuse_nonfinite
from maxmargin.kernels.rounding import units
from maxmargin.ops.engine import engine_of

FloatArray: TypeAlias = NDArray[Any]
Rows: TypeAlias = "slice | NDArray[np.integer[Any]]"

_DENSE_TILE = 1 << 20  # numbers written out at a time when a sparse operand meets a dense one
# Numbers in the dense tile of a sparse product: 2 MB in float32. Wider tiles read A less often.
_SPARSE_TILE = 1 << 19
_LARGE, _MOSTLY_ZERO = 1 << 20, 0.25  # dense data of so many numbers, at most so many of them not 0
_MOST_TILE_ROWS, _FEWEST_TILE_ROWS = 512, 8


class ScaleError(ValueError):
    """The numbers are too large for their precision."""


@dataclass(frozen=True, eq=False, slots=True)
class Points:
    """Rows of vectors: C-contiguous or CSR, float32 or float64.

    Their squared norms are there where a kernel wants them. A slice of rows is a view of dense
    data; an array of row numbers copies.
    """

    X: Any
    sq_norms: FloatArray | None = None

    def __restored__(self) -> None:
        """Check what was read: compiled loops trust that every row has its norm."""
        norms, rows = self.sq_norms, self.X
        dense = isinstance(rows, np.ndarray) and rows.flags.c_contiguous
        whole = (dense or sparse.issparse(rows)) and rows.ndim == 2 and rows.dtype.char in "fd"
        if not whole or not rows.dtype.isnative:
            raise ValueError("The rows of stored points are no matrix of numbers.")
        if norms is not None and (norms.shape != rows.shape[:1] or norms.dtype != rows.dtype):
            raise ValueError("The norms of stored points are not those of their rows.")

    def __len__(self) -> int:
        return int(self.X.shape[0])

    def __getitem__(self, rows: Rows) -> Points:
        return Points(self.X[rows], None if self.sq_norms is None else self.sq_norms[rows])

    @property
    def dtype(self) -> np.dtype[Any]:
        """The precision of the rows."""
        return cast("np.dtype[Any]", self.X.dtype)

    def astype(self, dtype: np.dtype[Any]) -> Points:
        """Convert to another precision; itself when nothing changes."""
        if self.dtype == dtype:
            return self
        return Points(
            self.X.astype(dtype), None if self.sq_norms is None else self.sq_norms.astype(dtype)
        )


def as_points(X: Any, sq_norms: bool = False) -> Points:
    """Check X and keep it as Points, without a copy when it already is as the loops want it."""
    matrix = as_matrix(X)
    return Points(matrix, squared_norms(matrix) if sq_norms else None)


def as_factor(X: Any, sq_norms: bool = False) -> Points:
    """Check X for kernels of dot products: large dense data that are mostly zeros become CSR.

    A sparse product does nothing for a zero, and overtakes the dense one when three values of four
    are zeros (measured: twice as fast with 11% of 123 columns, 1.5 times with 19% of 784).
    """
    matrix = as_matrix(X)
    if not sparse.issparse(matrix) and matrix.size >= _LARGE and _density(matrix) <= _MOSTLY_ZERO:
        matrix = _without_zeros(matrix)
    return Points(matrix, squared_norms(matrix) if sq_norms else None)


def _without_zeros(matrix: FloatArray) -> Any:
    indptr, verbs = np.empty(len(matrix) + 1, np.int64), engine_of(matrix).kernel_sparse
    verbs.count_nonzeros(matrix, indptr)
    size = int(indptr[-1])
    indices, data = np.empty(size + 1, np.int32), np.empty(size + 1, matrix.dtype)
    verbs.collect_nonzeros(matrix, indptr, indices, data)
    return _as_csr(sparse.csr_matrix((data[:size], indices[:size], indptr), shape=matrix.shape))


def _density(matrix: FloatArray) -> float:
    """Share of nonzeros, by a thousand evenly spaced rows."""
    rows = matrix[:: max(1, len(matrix) // 1024)]
    return float(np.count_nonzero(rows)) / rows.size


def as_matrix(X: Any, finite: bool = True) -> Any:
    """Make X a finite float32 or float64 matrix, C-contiguous or CSR, or say where it fails.

    With ``finite=False`` any values will do.
    """
    plain = type(X) is np.ndarray and X.ndim == 2 and X.size and X.flags.c_contiguous
    if plain and X.dtype in (np.float32, np.float64):  # as every fit has checked its rows
        matrix = X
    else:
        matrix = _as_csr(X) if sparse.issparse(X) else _as_dense(X)
    if matrix.shape[0] == 0 or matrix.shape[1] == 0:
        needed = "a kernel needs at least one row and one column"
        raise ValueError(f"Found an array of shape {matrix.shape}; {needed}.")
    if finite:
        refuse_nonfinite(matrix, getattr(X, "columns", None))
    return matrix


def _as_dense(X: Any) -> FloatArray:
    array = _as_array(X)
    if array.ndim != 2:
        hint = "reshape one feature with X.reshape(-1, 1), one row with X.reshape(1, -1)"
        raise ValueError(f"Expected a 2D array, got shape {array.shape}; {hint}.")
    if np.iscomplexobj(array):
        raise ValueError(
            "Complex data not supported: kernels here take real numbers; split the two parts."
        )
    if array.dtype.kind in "mM":
        raise ValueError(
            f"This kernel takes numbers, and X holds dates or times ({array.dtype}); encode them "
            "first, for example as days since the earliest."
        )
    try:
        return np.ascontiguousarray(array, dtype=_float_type(array.dtype))
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"This kernel takes numbers, and X holds something else ({error}); encode it first."
        ) from None


def _as_array(X: Any) -> FloatArray:
    rows = by_position(X)
    try:
        return np.asarray(rows)
    except ValueError:
        raise ValueError(
            "The rows of X have different lengths; this kernel takes rows of one width."
        ) from None


def _as_csr(X: Any) -> Any:
    matrix = X.tocsr()
    if matrix.dtype != _float_type(matrix.dtype):
        matrix = matrix.astype(_float_type(matrix.dtype))
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return _with_narrow_indices(matrix)


def _with_narrow_indices(matrix: Any) -> Any:
    """Narrow the indices to int32 where they fit: less to read, one specialisation to compile."""
    fits = max(matrix.nnz, matrix.shape[1]) <= np.iinfo(np.int32).max
    kind = np.int32 if fits else np.int64
    if matrix.indices.dtype == kind and matrix.indptr.dtype == kind:
        return matrix
    narrow = (matrix.data, matrix.indices.astype(kind), matrix.indptr.astype(kind))
    return type(matrix)(narrow, shape=matrix.shape, copy=False)


def _float_type(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype(np.float32) if dtype == np.float32 else np.dtype(np.float64)


def dot_units(A: Points) -> float:
    """Units in the last place of |x| |y| that a dot product may be off; see ``rounding``."""
    longest = A.X.shape[1]
    if sparse.issparse(A.X):
        longest = int(np.diff(A.X.indptr).max(initial=0))
    return units(longest)


def squared_lengths(matrix: Any) -> NDArray[np.float64]:
    """Sum <x, x> of each row in double precision, infinite where that is not enough."""
    with np.errstate(over="ignore"):
        if not sparse.issparse(matrix):
            sums: FloatArray = np.einsum("ij,ij->i", matrix, matrix, dtype=np.float64)
            return sums
        squares = np.square(matrix.data, dtype=np.float64)
        squared = type(matrix)((squares, matrix.indices, matrix.indptr), shape=matrix.shape)
        return np.asarray(squared.sum(axis=1)).ravel()


def squared_norms(matrix: Any) -> FloatArray:
    """Sum <x, x> of each row, in float64: a distance is a small difference of large norms."""
    norms = squared_lengths(matrix)
    if not norms.max(initial=0.0) < np.finfo(matrix.dtype).max / 4:
        row = norms.argmax()
        raise ScaleError(f"The square of row {row} of X overflows {matrix.dtype}; scale X.")
    return norms.astype(matrix.dtype)


def row_major(out: FloatArray) -> tuple[FloatArray, int]:
    """Flatten a block with contiguous rows, and give its row stride, as compiled loops take it."""
    rows, columns = out.shape
    stride = out.strides[0] // out.itemsize if rows > 1 else columns
    if out.size == 0:
        return np.empty(0, out.dtype), stride
    return as_strided(out, ((rows - 1) * stride + columns,), (out.itemsize,)), stride


def dot(A: Points, B: Points, out: FloatArray) -> None:
    """Set out <- A B', dense or sparse on either side."""
    check_widths(A, B)
    sparse_a, sparse_b = sparse.issparse(A.X), sparse.issparse(B.X)
    if sparse_a and sparse_b:
        _dot_sparse(A.X, B.X, out)
    elif sparse_a:
        for rows in dense_tiles(A):
            np.matmul(A.X[rows].toarray(), B.X.T, out=out[rows])
    elif sparse_b:
        for rows in dense_tiles(B):
            np.matmul(A.X, B.X[rows].toarray().T, out=out[:, rows])
    else:
        np.matmul(A.X, B.X.T, out=out)


def check_widths(A: Points, B: Points) -> None:
    """Refuse rows of different widths."""
    a, b = A.X.shape[1], B.X.shape[1]
    if a != b:
        raise ValueError(f"X has {a} columns and Y has {b}; a kernel compares rows of one width.")


def dense_tiles(A: Points) -> list[slice]:
    """Slices of rows that are small enough to be written out densely."""
    size = max(1, _DENSE_TILE // A.X.shape[1])
    return [slice(start, start + size) for start in range(0, len(A), size)]


def _dot_sparse(A: Any, B: Any, out: FloatArray) -> None:
    tile, most_lines = _sparse_tile(B)
    a, b = (A.data, A.indices, A.indptr), (B.data, B.indices, B.indptr)
    sparse_dot = engine_of(out).kernel_sparse.sparse_dot
    sparse_dot(*a, *b, A.shape[1], tile, most_lines, *row_major(out))


def _sparse_tile(B: Any) -> tuple[int, int]:
    """Rows of B to spread out at a time, and how many distinct columns they can have at most."""
    longest = int(np.diff(B.indptr).max(initial=0))
    rows = _MOST_TILE_ROWS
    while rows > _FEWEST_TILE_ROWS and rows * min(B.shape[1], rows * longest) > _SPARSE_TILE:
        rows //= 2
    return rows, min(B.shape[1], rows * longest)
