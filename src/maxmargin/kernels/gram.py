"""The square Gram matrix of a training set, evaluated a block at a time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.inputs.container import count_rows
from maxmargin.kernels.base import Kernel, Prepared
from maxmargin.kernels.formula import Formula
from maxmargin.kernels.points import Points, Rows
from maxmargin.kernels.precomputed import Numbered, Precomputed
from maxmargin.kernels.rounding import Rounding
from maxmargin.ops.clock import TimeUp

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
        try:
            return self.known or self._rounding(self.diagonal())
        except TimeUp:
            return Rounding.none(len(self))

    def _rounding(self, diagonal: NDArray[Any]) -> Rounding:
        lengths = np.sqrt(np.abs(diagonal.astype(np.float64)))
        errors, reach = self.kernel.errors(self.rows), None
        if self.offset:
            errors = np.hypot(errors, np.sqrt(self.offset) * lengths)
        if self.kernel.linear:
            reach = self.kernel.units(self.rows) * (lengths + self.far)
        return Rounding(self.dtype, errors, lengths, reach)

    def stored(self, matrix: NDArray[Any]) -> Gram:
        """Stand for the same matrix, evaluated already."""
        rows, known = Numbered(matrix, np.arange(len(matrix))), self.known
        known = known or self._rounding(matrix.diagonal())
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
        values = self._own
        return values + values.dtype.type(self.offset) if self.offset else values

    @cached_property
    def _own(self) -> NDArray[Any]:
        return self.kernel.diagonal(self.rows)

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
