"""Dask collections as partitions of rows, and local answers as collections."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import dask
import dask.array as da
import numpy as np
from numpy.typing import NDArray

from maxmargin.dask.cluster import Cluster, Table
from maxmargin.dask.rows import Reading, Summary, read_rows, summarise


def is_collection(X: Any) -> bool:
    """Whether something is a Dask collection."""
    return bool(dask.is_dask_collection(X))


def is_frame(X: Any) -> bool:
    """Whether a collection is a DataFrame or a Series."""
    return hasattr(X, "npartitions") and hasattr(X, "to_delayed") and hasattr(X, "map_partitions")


@dataclass(frozen=True)
class TableOnCluster:
    """Rows on workers and what is known of all of them."""

    table: Table
    summaries: list[Summary]
    names: tuple[Any, ...] | None
    columns: int

    @property
    def rows(self) -> int:
        """The number of rows with a positive weight."""
        return sum(each.rows for each in self.summaries)

    @property
    def dtype(self) -> Any:
        """The precision of the data."""
        full = [each.dtype for each in self.summaries if each.rows]
        return np.result_type(*full) if full else np.dtype(np.float64)

    def classes(self) -> NDArray[Any]:
        """Return the labels of all partitions, in order."""
        found = [each.classes for each in self.summaries if each.rows]
        if len({each.dtype.kind in "OUT" for each in found}) > 1:
            raise ValueError(
                "Labels are texts in some partitions and numbers in others; make all of them one "
                "kind."
            )
        classes: NDArray[Any] = np.unique(np.concatenate(found)) if found else np.empty(0)
        return classes

    def class_rows(self, classes: NDArray[Any]) -> NDArray[np.intp]:
        """Count the rows of each class."""
        count = np.zeros(len(classes), np.intp)
        for each in self.summaries:
            count[np.searchsorted(classes, each.classes)] += each.class_rows
        return count


def place_rows(
    cluster: Cluster, X: Any, y: Any, weight: Any, labels: bool, what: str = "X"
) -> TableOnCluster:
    """Read the partitions of collections onto the workers."""
    columns, names = _shape(X, what)
    how = Reading(names, columns, labels, what)
    parts = _aligned(X, y, weight, what)
    read = dask.delayed(read_rows, pure=False)
    delayed = [
        read(*part, i, how, dask_key_name=f"read partition-{cluster.token}{what}{i}")
        for i, part in enumerate(parts)
    ]
    table = cluster.hold("read partition", delayed)
    summaries = cluster.ask(table, "count rows", summarise, labels)
    placed = TableOnCluster(table, summaries, names, columns)
    if placed.rows == 0:
        raise ValueError(
            f"{what} has no row with a positive weight in any of its {len(table)} partitions."
        )
    return placed


def _shape(X: Any, what: str) -> tuple[int, tuple[Any, ...] | None]:
    if not is_collection(X):
        raise TypeError(
            f"{what} must be a Dask array or DataFrame, got {type(X).__name__}; use the class of "
            "the same name in maxmargin for data in memory, or dask.array.from_array."
        )
    if is_frame(X):
        names = tuple(X.columns)
        return len(names), names
    if X.ndim != 2:
        raise ValueError(f"{what} must have two dimensions, got {X.ndim}.")
    return int(X.shape[1]), None


def _aligned(X: Any, y: Any, weight: Any, what: str) -> list[tuple[Any, Any, Any]]:
    """Return the partitions of rows, targets and weights, cut in the same places."""
    if not is_frame(X) and X.numblocks[1] > 1:
        X = X.rechunk({1: -1})
    rows = _delayed(X)
    lines = [_delayed(_like(line, X)) for line in (y, weight) if line is not None]
    for name, line in zip(("its target", "its weights"), lines, strict=False):
        if len(line) != len(rows):
            raise ValueError(
                f"{what} has {len(rows)} partitions and {name} {len(line)}; partition both in the "
                "same way."
            )
    if y is None:
        lines.insert(0, [None] * len(rows))
    if weight is None:
        lines.append([None] * len(rows))
    return list(zip(rows, *lines, strict=True))


def _like(line: Any, X: Any) -> Any:
    """Cut targets or weights as the rows are, where both sizes are known."""
    if not is_collection(line):
        raise TypeError(
            f"Targets and weights must be Dask collections as X is, got {type(line).__name__}; use "
            "dask.array.from_array."
        )
    if is_frame(line) or is_frame(X):
        return line
    known = not (np.isnan(X.shape[0]) or np.isnan(line.shape[0]))
    if known and X.shape[0] != line.shape[0]:
        raise ValueError(f"X has {X.shape[0]} rows, its targets or weights {line.shape[0]}.")
    return line.rechunk({0: X.chunks[0]}) if known and line.chunks[0] != X.chunks[0] else line


def _delayed(collection: Any) -> list[Any]:
    parts = collection.to_delayed()
    return list(np.asarray(parts, dtype=object).ravel()) if not isinstance(parts, list) else parts


def map_rows(function: Callable[[Any], Any], X: Any, tail: tuple[int, ...], dtype: Any) -> Any:
    """Call a function on every partition, lazily; return an array with a line for each row."""
    guarded = _NotOnNothing(function, tail, np.dtype(dtype))
    if not is_frame(X):
        X = X.rechunk({1: -1}) if X.numblocks[1] > 1 else X
        meta = np.empty((0,) * (1 + len(tail)), dtype)
        shape: dict[str, Any] = {"chunks": (X.chunks[0], tail)} if tail else {"drop_axis": 1}
        return da.map_blocks(guarded, X, dtype=dtype, meta=meta, name=None, **shape)
    call = dask.delayed(guarded, pure=True)
    parts = [
        da.from_delayed(call(part), (np.nan, *tail), dtype=dtype, meta=np.empty((0, *tail), dtype))
        for part in _delayed(X)
    ]
    return da.concatenate(parts, axis=0, allow_unknown_chunksizes=True)


@dataclass(frozen=True)
class _NotOnNothing:
    """A function that is not called for no rows."""

    function: Callable[[Any], Any]
    tail: tuple[int, ...]
    dtype: Any

    def __call__(self, part: Any) -> Any:
        if part.shape[0] == 0:
            return np.empty((0, *self.tail), self.dtype)
        return self.function(part)
