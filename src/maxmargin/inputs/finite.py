"""Numbers that are none: found, and said where they are."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from maxmargin.ops.threads import Workers

_MANY = 2**20  # values that a thread adds at a time


class NonFiniteError(ValueError):
    """A number that is none, and where it is."""

    def __init__(self, found: str, row: int, column: Any, named: bool = False) -> None:
        super().__init__(
            f"Input X contains {found} (row {row}, column {column!r}); impute or drop such values "
            "first."
        )
        self.found, self.row, self.column, self.named = found, row, column, named

    def __reduce__(self) -> tuple[Any, ...]:
        return NonFiniteError, (self.found, self.row, self.column, self.named)


def refuse_nonfinite(matrix: Any, names: list[Any] | None = None) -> None:
    """Raise ValueError with the place of the first NaN or infinity, if there is one.

    With names, columns are told by them.
    """
    if (place := find_nonfinite(matrix)) is not None:
        found, row, column = place
        named = names is not None
        raise NonFiniteError(found, row, names[column] if names else column, named)


def _sum(values: Any) -> float:
    """Add all values, in one pass without a temporary; many of them on all threads."""
    if values.size <= _MANY or not values.flags.c_contiguous:
        with np.errstate(over="ignore", invalid="ignore"):
            return float(values.sum())
    flat = values.reshape(-1)
    sums = np.empty(-(-flat.size // _MANY))

    def add(part: int) -> None:
        with np.errstate(over="ignore", invalid="ignore"):
            sums[part] = flat[part * _MANY : (part + 1) * _MANY].sum()

    with Workers() as workers:
        workers.each(add, range(len(sums)))
    return float(sums.sum()) if np.isfinite(sums).all() else np.nan


def find_nonfinite(matrix: Any) -> tuple[str, int, int] | None:
    """Find the first NaN or infinity: its name, row and column."""
    values = matrix.data if sparse.issparse(matrix) else matrix
    if np.isfinite(_sum(values)):  # an overflow only leads to the slower test
        return None
    if np.isfinite(values).all():
        return None
    coordinates = matrix.tocoo() if sparse.issparse(matrix) else None
    bad = np.argwhere(~np.isfinite(values))[0]
    row, column = bad if coordinates is None else (coordinates.row[bad[0]], coordinates.col[bad[0]])
    return "NaN" if np.isnan(values[tuple(bad)]) else "infinity", int(row), int(column)
