"""Containers of rows or items, taken by position: labels of an index never choose a row."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import _safe_indexing


def by_position(X: Any) -> Any:
    """Return X as an array, a sparse matrix or a list, in which rows are found by position."""
    if sparse.issparse(X):
        return X
    if not hasattr(X, "__array__"):
        return _listed(X)
    rows = np.asarray(X)
    if rows.ndim == 0:
        raise ValueError(f"Expected a list or an array of items, got the single item {X!r}.")
    return rows


def _listed(X: Any) -> list[Any]:
    unordered = isinstance(X, str | bytes | Mapping | AbstractSet) or hasattr(X, "is_directed")
    if unordered or not (hasattr(X, "__len__") and hasattr(X, "__getitem__")):
        found = f"got a {type(X).__name__}; put the items into a list first"
        raise ValueError(f"Expected a list or an array of items, {found}.")
    return list(X)


def count_rows(rows: Any) -> int:
    """Count what ``by_position`` gave."""
    return int(rows.shape[0]) if hasattr(rows, "shape") else len(rows)


def column_names(X: Any) -> list[Any] | None:
    """List the names of a table's columns; None for what has none."""
    return list(X.columns) if hasattr(X, "columns") else None


def as_table(X: Any) -> Any:
    """Return X as something with columns: a DataFrame as it is, all else as a matrix."""
    if column_names(X) is not None:
        return X
    if sparse.issparse(X):
        return X.tocsc()
    rows = by_position(X)
    table = np.asarray(rows)
    # A list of rows with texts beside numbers: NumPy would make texts of the numbers, and of NaN.
    return np.asarray(rows, dtype=object) if table.dtype.kind in "US" else table


def take_rows(X: Any, places: NDArray[np.intp]) -> Any:
    """Take some rows of a table, a matrix or a list, by position."""
    return _safe_indexing(X, places)


def take_columns(table: Any, places: NDArray[np.intp]) -> Any:
    """Take some columns of a table, by position."""
    return _safe_indexing(table, places, axis=1)


def refuse_other_columns(X: Any, Y: Any) -> None:
    """Refuse two tables whose columns have different names or another order."""
    left, right = column_names(X), column_names(Y)
    if left is not None and right is not None and left != right:
        raise ValueError(
            f"X has the columns {listed(left)} and Y has {listed(right)}; give both the same ones "
            "in the same order."
        )


def listed(names: list[Any]) -> str:
    """Write names out, the first few of many."""
    return ", ".join(map(repr, names[:8])) + (", ..." if len(names) > 8 else "")
