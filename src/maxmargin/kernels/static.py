"""Kernels that do not look at the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from maxmargin.inputs.container import by_position, count_rows
from maxmargin.kernels.base import Kernel, Shift, Takes, check_nonnegative, precision_of
from maxmargin.kernels.points import FloatArray, Rows


@dataclass(frozen=True, slots=True)
class Count:
    """So many rows of which nothing else is known."""

    n: int
    dtype: np.dtype[Any]

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, rows: Rows) -> Count:
        chosen = range(*rows.indices(self.n)) if isinstance(rows, slice) else rows
        return Count(len(chosen), self.dtype)


class Constant(Kernel):
    """The same value c >= 0 for every pair; added to a kernel it acts as a (penalised) bias.

    Examples
    --------
    >>> Constant(2.0)(["any", "items", "at all"]).shape
    (3, 3)
    """

    def __init__(self, c: float = 1.0) -> None:
        self.c = c
        self._check_params()

    def _check_params(self) -> None:
        check_nonnegative(self, "c", self.c)

    @property
    def takes(self) -> Takes:
        """Anything: it only counts."""
        return Takes.ITEMS

    @property
    def concurrent(self) -> bool:
        """True: there is nothing to evaluate."""
        return True

    @property
    def shift(self) -> Shift:
        """It looks at no row."""
        return Shift.NOTHING

    @property
    def psd(self) -> bool:
        """True: c (sum z_i)^2 >= 0."""
        return True

    def n_features(self, columns: int) -> float:  # noqa: ARG002
        """One, the same everywhere."""
        return 1

    def _features(self, A: Count) -> FloatArray:
        return np.full((len(A), 1), np.sqrt(self.c))

    def prepare(self, X: Any) -> Count:
        """Count the items."""
        items = by_position(X)
        return Count(count_rows(items), precision_of(items))

    def fill(self, A: Count, B: Count, out: FloatArray) -> None:  # noqa: ARG002
        """Write c everywhere."""
        out[...] = self.c

    def diagonal(self, A: Count) -> FloatArray:
        """Repeat c."""
        return np.full(len(A), self.c, A.dtype)
