"""Dense vectors and a kernel that compiled loops evaluate by themselves, tile after tile."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.kernels.base import Kernel, Prepared
from maxmargin.kernels.points import Points
from maxmargin.ops.engine import engine_of
from maxmargin.ops.kinds import PANEL, SLIVER
from maxmargin.ops.threads import Workers

_WORTH_A_PIECE = 1 << 15  # numbers: fewer are packed while another thread wakes up


@cache
def _speaks_for(kind: type[Kernel]) -> bool:
    """Whether a formula says what a kernel fills: not where a subclass fills something else."""
    ways = ("formula", "fill", "_apply", "_finish")
    first = next((way for base in kind.__mro__ for way in ways if way in vars(base)), None)
    return first == "formula"


@dataclass(frozen=True, eq=False)
class Formula:
    """A kernel by the number of its formula (``ops.kinds``), with rows and their squared lengths.

    The rows are those of X, or some of them; lengths are zeros where the formula has no use for
    them. Workers, where there are any, share the packing of rows.
    """

    kind: int
    params: NDArray[np.float64]
    X: NDArray[Any]
    lengths: NDArray[Any]
    rows: NDArray[np.intp] | None = None
    workers: Workers | None = None

    @classmethod
    def of(cls, kernel: Kernel, rows: Prepared) -> Formula | None:
        """Look at rows through a kernel; None where compiled loops cannot."""
        dense = isinstance(rows, Points) and not sparse.issparse(rows.X)
        if not dense or kernel.formula is None or not _speaks_for(type(kernel)):
            return None
        assert isinstance(rows, Points)
        kind, params = kernel.formula
        # Loops are compiled for arrays that may be written to; for others they would be once more.
        X = rows.X if rows.X.flags.writeable else rows.X.copy()
        lengths = np.zeros(len(X), X.dtype) if rows.sq_norms is None else rows.sq_norms
        return cls(kind, np.minimum(params, np.finfo(X.dtype).max), X, lengths)

    @property
    def verbs(self) -> Any:
        """The loops for these rows."""
        return engine_of(self.X).kernel_tile

    @cached_property
    def slivers(self) -> NDArray[Any]:
        """The rows as one side of their products with others."""
        return self._packed(SLIVER)

    @cached_property
    def panels(self) -> NDArray[Any]:
        """The rows as the other side."""
        return self._packed(self.panel)

    @property
    def panel(self) -> int:
        """How many rows lie side by side in a panel."""
        return PANEL // self.X.itemsize

    def _packed(self, width: int) -> NDArray[Any]:
        rows = np.arange(len(self)) if self.rows is None else self.rows
        packed = np.empty((-(-len(self) // width), self.X.shape[1], width), self.X.dtype)
        pack, each = engine_of(self.X).product.pack, -(-_WORTH_A_PIECE // (width * self.X.shape[1]))

        def work(first: int) -> None:
            some = rows[first * width : (first + each) * width]
            pack(self.X, some, packed[first : first + each])

        if self.workers is None:
            pack(self.X, rows, packed)
        else:
            self.workers.each(work, range(0, len(packed), each))
        return packed

    @property
    def as_rows(self) -> tuple[int, NDArray[np.float64], NDArray[Any], NDArray[Any]]:
        """Return the kernel, and the rows as those of a tile."""
        return self.kind, self.params, self.slivers, self.lengths

    @property
    def as_columns(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the rows as columns of a tile."""
        return self.panels, self.lengths

    def take(self, rows: Any) -> Formula:
        """Look at some of the rows."""
        known = np.arange(len(self)) if self.rows is None else self.rows
        return replace(self, lengths=self.lengths[rows], rows=known[rows])

    def __len__(self) -> int:
        return len(self.lengths)
