"""Kernel values of a fit on a device: the whole matrix where it pays, evaluated anew where not.

Rows lie on the device for the whole fit. A card evaluates a kernel value of some hundred columns
about as fast as it reads one, so rows that moved are evaluated and not kept; the whole matrix is
kept only where several problems share it, or where it was given.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels.gram import Gram
from maxmargin.kernels.on_device import CARD, values
from maxmargin.kernels.points import Points
from maxmargin.kernels.stationary import RBF
from maxmargin.ops.clock import stop_if_over

Vector = NDArray[np.float64]
Index = NDArray[np.intp]

SHARE_OF_MEMORY: Final = 0.5
"""Of the free memory of a card that kernel values may take, where nothing else is asked for."""
BLOCK: Final = 1 << 28
"""Bytes of kernel values at a time, if there is memory for them."""
SUMMED: Final = 8192
"""Rows whose values are summed in double precision at a time."""


@dataclass(frozen=True, eq=False)
class DeviceGram:
    """The Gram matrix of rows that lie on a device."""

    gram: Gram
    device: Any
    budget: int
    """Bytes for kernel values."""
    shared: bool = False
    """Whether several problems read it."""

    def __len__(self) -> int:
        return len(self.gram)

    @cached_property
    def rows(self) -> Any:
        """The prepared rows on the device."""
        return CARD.arrays.tree_to_device(self.gram.rows, self.device)

    @cached_property
    def whole(self) -> Any:
        """The matrix itself, where it is worth its memory; else None."""
        n, item = len(self), self.gram.dtype.itemsize
        if not self.shared or 2 * n * n * item > self.budget:
            return None
        step, found = self._at_once(n), None
        for first in range(0, n, step):
            stop_if_over()
            part = self._evaluated(self.rows[first : first + step], self.rows)
            found = part.new_empty((n, n)) if found is None else found
            found[first : first + step] = part
        return found

    @cached_property
    def radial(self) -> bool:
        """Whether sums of values are made in one pass that writes none of them."""
        rows = self.gram.rows
        plain = type(self.gram.kernel) is RBF and not self.gram.offset
        return plain and isinstance(rows, Points) and isinstance(rows.X, np.ndarray)

    def _at_once(self, rows: int) -> int:
        """Return how many columns to take with so many rows."""
        most = min(BLOCK, max(self.budget, 1 << 22))
        return int(CARD.kernel_values.columns_at_a_time(rows, self.gram.dtype.itemsize, most))

    def _evaluated(self, A: Any, B: Any) -> Any:
        found = values(self.gram.kernel, CARD.kernel_values, A, B)
        found = found.expand(len(A), len(B)) if found.ndim == 0 else found
        return found + self.gram.offset if self.gram.offset else found

    def block(self, rows: Any, columns: Any) -> Any:
        """Return the matrix of some rows and columns, by tensors of their numbers."""
        if self.whole is not None:
            return self.whole[rows][:, columns]
        return self._evaluated(self.rows[rows], self.rows[columns])

    def sums(self, seen: Any, moved: Any, weights: Any) -> Any:
        """Return sum_j weights_j k(x_i, x_j) for the rows ``seen`` over the rows ``moved``.

        Parameters
        ----------
        seen : tensor of row numbers, or None for all rows
        moved, weights : tensor of shape (rows that moved,)

        Returns
        -------
        sums : tensor
            In double precision.
        """
        if self.whole is None and self.radial:
            X = self.rows if seen is None else self.rows[seen]
            Z, rate = self.rows[moved], self.gram.kernel.rate  # type: ignore[attr-defined]
            return CARD.fused.radial_sums(X.X, X.sq_norms, Z.X, Z.sq_norms, weights, rate)
        count = len(self) if seen is None else len(seen)
        out, step = weights.new_zeros(count), self._at_once(max(1, min(len(moved), SUMMED)))
        for first in range(0, len(moved), SUMMED):
            some = slice(first, first + SUMMED)
            for start in range(0, count, step):
                part = slice(start, min(start + step, count))
                rows = part if seen is None else seen[part]
                block = self.block(moved[some], rows)
                out[part] += weights[some] @ block.to(weights.dtype)
        return out

    def index(self, rows: NDArray[np.integer[Any]]) -> Any:
        """Copy row numbers to the device."""
        return CARD.arrays.to_device(np.asarray(rows, np.int64), self.device)

    def vector(self, values: Vector) -> Any:
        """Copy numbers to the device, in double precision."""
        return CARD.arrays.to_device(np.asarray(values, np.float64), self.device)


@dataclass(frozen=True)
class DeviceView:
    """What one problem sees of the rows on a device."""

    matrix: DeviceGram
    rows: Index
    """The rows of the problem, among all."""
    copies: int = 1
    """Variables that each row has, one after the other over all rows."""

    @property
    def gram(self) -> Gram:
        """The matrix of all rows."""
        return self.matrix.gram

    @property
    def index(self) -> Index:
        """For each of the problem's variables its row."""
        return np.tile(self.rows, self.copies)

    @cached_property
    def seen(self) -> Any:
        """The rows as the device knows them; None for all of them in order."""
        everything = len(self.rows) == len(self.matrix)
        if everything and np.array_equal(self.rows, np.arange(len(self.rows))):
            return None
        return self.matrix.index(self.rows)


@dataclass(frozen=True)
class DeviceProducts:
    """A whole Gram matrix on a device, to multiply vectors with (``Products`` on a device)."""

    there: DeviceGram
    matrix: None = None
    """No solver reads the matrix itself."""

    def __len__(self) -> int:
        return len(self.there)

    @property
    def gram(self) -> Gram:
        """The matrix of all rows."""
        return self.there.gram

    @property
    def index(self) -> Index:
        """The row of every variable: its own."""
        return np.arange(len(self))

    def times(self, beta: Vector) -> Vector:
        """K beta of a vector or of a few columns, summed anew in double precision."""
        stop_if_over()
        weights, everything = self.there.vector(beta), self.there.index(self.index)
        columns = weights[:, None] if weights.ndim == 1 else weights
        sums = [self.there.sums(None, everything, w.contiguous()) for w in columns.T]
        found: Vector = np.column_stack([CARD.arrays.to_host(each) for each in sums])
        return found[:, 0] if weights.ndim == 1 else found

    def columns(self, chosen: Index) -> Vector:
        """Return some columns."""
        block = self.there.block(self.there.index(self.index), self.there.index(chosen))
        found: Vector = CARD.arrays.to_host(block.to(CARD.arrays.DOUBLE))
        return found
