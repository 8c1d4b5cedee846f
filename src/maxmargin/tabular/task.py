"""What a machine for a table is to learn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.tabular.preparation import Rows

Vector = NDArray[np.float64]
Matrix = NDArray[Any]


@dataclass(frozen=True)
class Task:
    """What a machine is to learn: prepared rows, targets of mean 0 and weights."""

    rows: Rows
    Y: Matrix
    weight: Vector | None
    label: NDArray[np.intp] | None = None
    """Of classes, whose shares samples keep."""

    def part(self, places: NDArray[np.intp]) -> Task:
        """Return some of the rows."""
        weight = None if self.weight is None else self.weight[places]
        label = None if self.label is None else self.label[places]
        return Task(self.rows.part(places), self.Y[places], weight, label)

    def __len__(self) -> int:
        return len(self.Y)
