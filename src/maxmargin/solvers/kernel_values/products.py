"""Products with a whole Gram matrix, stored or evaluated in strips every time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels.gram import Gram
from maxmargin.ops.clock import stop_if_over
from maxmargin.ops.threads import Workers

Vector = NDArray[np.float64]
Index = NDArray[np.intp]

_STRIP, _COLUMNS = 256, 4096  # rows that one thread multiplies, kernel values of them at a time


@dataclass(frozen=True)
class Products:
    """The matrix of all rows of a fit, to multiply vectors with."""

    gram: Gram
    matrix: NDArray[Any] | None
    """Where it is stored; None where strips are evaluated for every product."""
    workers: Workers | None = None
    """Threads that share a product; None leaves it to the one that asks."""

    def __len__(self) -> int:
        return len(self.gram)

    @property
    def index(self) -> Index:
        """The row of every variable: its own."""
        return np.arange(len(self))

    def times(self, beta: Vector) -> Vector:
        """K beta of a vector or of a few columns, summed anew in double precision."""
        if self.matrix is not None and self.workers is None:
            return self.matrix @ beta
        out = np.empty(beta.shape)

        def work(first: int) -> None:
            stop_if_over()
            strip = slice(first, first + _STRIP)
            out[strip] = self._strip(strip, beta)

        (self.workers or Workers(1)).each(work, range(0, len(self), _STRIP))
        return out

    def _strip(self, strip: slice, beta: Vector) -> Vector:
        if self.matrix is not None:
            return self.matrix[strip] @ beta
        rows, total = self.gram.rows, np.zeros_like(beta[strip])
        for first in range(0, len(self), _COLUMNS):
            part = slice(first, first + _COLUMNS)
            total += self.gram.block(rows[strip], rows[part]) @ beta[part]
        return total

    def columns(self, chosen: Index) -> Vector:
        """Return some columns."""
        if self.matrix is not None:
            return self.matrix[:, chosen].astype(np.float64, copy=False)
        out, some = np.empty((len(self), len(chosen))), self.gram.rows[chosen]

        def work(first: int) -> None:
            stop_if_over()
            strip = slice(first, first + _STRIP)
            out[strip] = self.gram.block(self.gram.rows[strip], some)

        (self.workers or Workers(1)).each(work, range(0, len(self), _STRIP))
        return out
