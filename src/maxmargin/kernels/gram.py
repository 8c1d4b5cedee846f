"""The square Gram matrix of a training set, evaluated a block at a time and never stored whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels.base import Kernel, Prepared


@dataclass(frozen=True)
class Gram:
    """k(X, X) for prepared rows X: solvers see rows of this and nothing of the data behind it."""

    kernel: Kernel
    rows: Prepared

    @classmethod
    def of(cls, kernel: Kernel, X: Any) -> Gram:
        """Prepare X for the kernel."""
        return cls(kernel, kernel.prepare(X))

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The precision of the kernel values."""
        return self.rows.dtype

    def diagonal(self) -> NDArray[Any]:
        """k(x, x) for every row."""
        return self.kernel.diagonal(self.rows)

    def block(self, rows: Any, columns: Any) -> NDArray[Any]:
        """Evaluate k for some rows against some columns (slices or index arrays)."""
        return self.kernel.block(self.rows[rows], self.rows[columns])
