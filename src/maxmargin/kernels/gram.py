"""The square Gram matrix of a training set, evaluated a block at a time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.inputs.container import count_rows
from maxmargin.kernels.base import Kernel, Prepared
from maxmargin.kernels.points import Points, Rows
from maxmargin.kernels.precomputed import Numbered, Precomputed
from maxmargin.kernels.rounding import Rounding
from maxmargin.ops.clock import TimeUp
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

    @cached_property
    def as_rows(self) -> tuple[int, NDArray[np.float64], NDArray[Any], NDArray[Any]]:
        """Return the kernel, and the rows as those of a tile."""
        return self.kind, self.params, self._packed(SLIVER), self.lengths

    @cached_property
    def as_columns(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the rows as columns of a tile."""
        return self._packed(PANEL // self.X.itemsize), self.lengths

    def take(self, rows: Any) -> Formula:
        """Look at some of the rows."""
        known = np.arange(len(self)) if self.rows is None else self.rows
        return replace(self, lengths=self.lengths[rows], rows=known[rows])

    def __len__(self) -> int:
        return len(self.lengths)


_ALL, _SAMPLE = 2048, 256  # rows of which all are looked at, and how many of more


@dataclass(frozen=True)
class Unready:
    """So many rows that were not prepared in time: whoever reads them is told so."""

    count: int

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise TimeUp

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, rows: Rows) -> Unready:
        return Unready(len(np.arange(self.count)[rows]))

    @property
    def dtype(self) -> np.dtype[Any]:
        """Double precision."""
        return np.dtype(np.float64)


@dataclass(frozen=True)
class Gram:
    """k(X, X) for prepared rows X: solvers see rows of this and nothing of the data behind it.

    With ``offset`` the matrix is that of k + offset. An offset of 1 stands for a bias: it adds a
    feature to phi that is 1 everywhere, whose weight is the bias.
    """

    kernel: Kernel
    rows: Prepared
    psd: bool | None
    offset: float = 0.0
    far: float = 0.0
    """How far rows were moved before the kernel saw them."""
    whole: NDArray[Any] | None = None
    """The matrix itself, where it has been evaluated; exactly symmetric."""
    known: Rounding | None = None
    """Its rounding, where that cannot be seen from kernel and rows any more."""

    @classmethod
    def of(cls, kernel: Kernel, X: Any, offset: float = 0.0, far: float = 0.0) -> Gram:
        """Prepare X for the kernel; where time is up meanwhile, no value can be had."""
        try:
            return cls(kernel, kernel.prepare(X), kernel.psd, offset, far)
        except TimeUp:
            rows, nothing = Unready(count_rows(X)), Rounding.none(count_rows(X))
            return cls(kernel, rows, kernel.psd, offset, far, known=nothing)

    @cached_property
    def rounding(self) -> Rounding:
        """How far values, and models made of them, may be off.

        Where time is up before k(x, x) is known no solver has begun, and 0 is judged exactly.
        """
        if self.known is not None:
            return self.known
        try:
            diagonal = self.diagonal() if self.whole is None else self.whole.diagonal()
            errors, reach = self.kernel.errors(self.rows), None
        except TimeUp:
            return Rounding.none(len(self))
        lengths = np.sqrt(np.abs(diagonal.astype(np.float64)))
        if self.offset:
            errors = np.hypot(errors, np.sqrt(self.offset) * lengths)
        if self.kernel.linear:
            reach = self.kernel.units(self.rows) * (lengths + self.far)
        return Rounding(self.dtype, errors, lengths, reach)

    def stored(self, matrix: NDArray[Any]) -> Gram:
        """Stand for the same matrix, evaluated already."""
        rows = Numbered(matrix, np.arange(len(matrix)))
        known = replace(self, whole=matrix).rounding
        return Gram(Precomputed(), rows, self.psd, whole=matrix, known=known)

    def reordered(self, order: NDArray[np.intp]) -> Gram:
        """Take some of the rows, in another order; without a copy if nothing changes."""
        if len(order) == len(self) and np.array_equal(order, np.arange(len(self))):
            return self
        known = self.__dict__.get("rounding", self.known)
        known = None if known is None else known.of(order)
        return replace(self, rows=self.rows[order], whole=None, known=known)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The precision of the kernel values."""
        return self.rows.dtype

    @cached_property
    def formula(self) -> Formula | None:
        """Rows and kernel as compiled loops evaluate them; None where they cannot."""
        return None if self.offset else Formula.of(self.kernel, self.rows)

    @property
    def cheap(self) -> bool:
        """Whether values are evaluated about as fast as they are looked up: those of vectors."""
        return isinstance(self.rows, Points)

    def block(self, A: Prepared, B: Prepared, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Evaluate the matrix of two sets of rows, into ``out`` if it is given."""
        values = self.kernel.block(A, B, out)
        if self.offset:
            values += self.offset
        return values

    def diagonal(self) -> NDArray[Any]:
        """k(x, x) for every row."""
        values: NDArray[Any] = self.kernel.diagonal(self.rows)
        return values + values.dtype.type(self.offset) if self.offset else values

    def spread(self) -> float:
        """Mean squared distance of rows from their mean in feature space, by a sample of them."""
        part = self.rows[np.unique(np.linspace(0, len(self) - 1, _SAMPLE).astype(np.intp))]
        values = self.block(part, part).astype(np.float64)
        return max(0.0, float(values.diagonal().mean() - values.mean()))

    def seems_convex(self, rows: NDArray[np.intp]) -> bool:
        """Look for negative curvature where positive semidefiniteness is not a fact.

        False is a proof: the matrix, up to rounding, has a negative eigenvalue. True is one too
        when there are few enough rows to look at all of them; of a larger matrix only the first
        of the given rows are looked at, and True says that those show nothing.
        """
        if self.psd is not None:
            return self.psd
        values = self._sample(rows)
        if not np.isfinite(values).all() or len(values) == 0:
            return True
        try:
            np.linalg.cholesky((values + values.T) / 2 + self._jitter(values) * np.eye(len(values)))
        except np.linalg.LinAlgError:
            return False
        return True

    def asymmetry(self, rows: NDArray[np.intp]) -> tuple[int, int] | None:
        """Find two rows with k(x, y) far from k(y, x): those that differ most, or None.

        As in ``seems_convex``, only where nothing is known of the kernel, and of many rows only the
        first. What is not symmetric is no kernel, whatever its eigenvalues.
        """
        if self.psd is not None or len(rows) == 0:
            return None
        values = self._sample(rows)
        apart = np.abs(values - values.T)
        i, j = np.unravel_index(np.argmax(apart), apart.shape)
        return (int(rows[i]), int(rows[j])) if apart[i, j] > self._jitter(values) else None

    def _sample(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        part = self.rows[rows if len(rows) <= _ALL else rows[:_SAMPLE]]
        return self.block(part, part).astype(np.float64)

    def _jitter(self, values: NDArray[np.float64]) -> float:
        """Bound what rounding alone can do to values."""
        rounding = 10 * len(values) * float(np.finfo(self.dtype).eps)
        return rounding * max(float(np.abs(values).max()), np.finfo(np.float64).tiny)
