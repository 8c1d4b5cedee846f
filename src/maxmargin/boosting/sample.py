"""Samples: rows to learn from or to watch, with their targets and weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Index = NDArray[np.intp]
Targets = tuple[NDArray[Any], ...]


@dataclass(frozen=True)
class Sample:
    """Rows that were read.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (rows, columns)
    targets : tuple of ndarray of shape (rows,)
        Numbers or class numbers, and the queries of a ranking.
    weight : ndarray of shape (rows,)
    """

    X: Any
    targets: Targets
    weight: Vector

    @property
    def arrays(self) -> tuple[Any, ...]:
        """All that rows have."""
        return self.X, *self.targets, self.weight

    @property
    def rows(self) -> Index:
        """The numbers of the rows that count."""
        return np.flatnonzero(self.weight > 0)

    def part(self, rows: Index) -> Sample:
        """Take some of the rows."""
        if len(rows) == len(self.weight):
            return self
        targets = tuple(target[rows] for target in self.targets)
        return Sample(self.X[rows], targets, self.weight[rows])


@dataclass(frozen=True)
class Watched:
    """Rows that the user gave to be watched, as they came.

    Parameters
    ----------
    X, y, sample_weight : array-like or None
    groups : tuple
        What else rows have, such as queries.
    """

    X: Any = None
    y: Any = None
    sample_weight: Any = None
    groups: tuple[Any, ...] = ()

    @property
    def given(self) -> bool:
        """Whether there are any; half of them is an error, in scikit-learn's words."""
        if (self.X is None) == (self.y is None):
            return self.X is not None
        there, lacking = ("X_val", "y_val") if self.y is None else ("y_val", "X_val")
        raise ValueError(f"{there} is provided, but {lacking} was not provided.")
