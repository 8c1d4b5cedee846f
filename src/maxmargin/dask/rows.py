"""What a worker holds of one partition: checked rows, and what was worked out of them.

``memo`` is a cache and nothing else: whatever is in it follows from the rows and from the state
that a task is sent. It is not pickled, so a partition that was read again, spilled to disk or moved
to another worker works it out again, to the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.inputs.labels import check_labels
from maxmargin.inputs.vectors import find_nonfinite

Vector = NDArray[np.float64]
T = TypeVar("T")


Parts = dict[int, tuple[float, ...]]
"""Sums of every partition, by its number."""


def in_order(parts: Parts, place: int) -> float:
    """Add one of the sums of all partitions, in their order."""
    return float(sum(parts[number][place] for number in sorted(parts)))


@dataclass(frozen=True)
class Reading:
    """How partitions are read."""

    names: tuple[Any, ...] | None
    """Columns of a DataFrame."""
    columns: int
    labels: bool
    """Whether targets are class labels; otherwise they are numbers."""
    what: str = "X"


@dataclass
class Rows:
    """The rows of one partition with a positive weight."""

    X: Any
    y: NDArray[Any]
    weight: Vector | None
    number: int
    memo: dict[Any, Any] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return int(self.X.shape[0])

    def __sizeof__(self) -> int:
        return self.nbytes

    @property
    def nbytes(self) -> int:
        """Bytes of the rows, without the memo."""
        X = self.X
        arrays = [X.data, X.indices, X.indptr] if sparse.issparse(X) else [X]
        arrays += [self.y] if self.weight is None else [self.y, self.weight]
        return sum(int(each.nbytes) for each in arrays)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "memo": {}}

    def recall(self, key: Any, make: Callable[[], T]) -> T:
        """Return what is in the memo under a key, making it if need be."""
        if key not in self.memo:
            self.memo[key] = make()
        value: T = self.memo[key]
        return value

    @property
    def weights(self) -> Vector:
        """The weights, ones without any."""
        return np.ones(len(self)) if self.weight is None else self.weight


@dataclass(frozen=True)
class Summary:
    """What the client needs to know of a partition."""

    rows: int
    nbytes: int
    classes: NDArray[Any]
    class_rows: NDArray[np.intp]
    dtype: Any


def read_rows(X: Any, y: Any, weight: Any, number: int, how: Reading) -> Rows:
    """Check one partition; every complaint names the partition, and the column if there is one."""
    matrix = _numbers(X, number, how)
    target = np.zeros(matrix.shape[0]) if y is None else _targets(y, number, how)
    if len(target) != matrix.shape[0]:
        raise ValueError(
            f"Partition {number} of {how.what} has {matrix.shape[0]} rows and that of its target "
            f"{len(target)}; partition both in the same way."
        )
    weights = None if weight is None else _weights(weight, matrix.shape[0], number)
    if weights is not None and not (weights > 0).all():
        kept = np.flatnonzero(weights > 0)
        matrix, target, weights = matrix[kept], target[kept], weights[kept]
    return Rows(matrix, target, weights, number)


def summarise(rows: Rows, labels: bool) -> Summary:
    """Count rows and classes."""
    classes, count = np.unique(rows.y, return_counts=True) if labels else (rows.y[:0], rows.y[:0])
    return Summary(len(rows), rows.nbytes, classes, count, rows.X.dtype)


def _numbers(X: Any, number: int, how: Reading) -> Any:
    if hasattr(X, "columns"):
        X = _from_frame(X, number, how)
    X = X.tocsr() if sparse.issparse(X) else np.asarray(X)
    if X.ndim != 2 or X.shape[1] != how.columns:
        raise ValueError(
            f"Partition {number} of {how.what} has shape {X.shape}; {how.columns} columns were "
            "expected."
        )
    if X.dtype.kind not in "biuf":
        raise ValueError(
            f"Partition {number} of {how.what} holds {X.dtype} where numbers belong; encode it."
        )
    if X.dtype not in (np.float32, np.float64):
        X = X.astype(np.float64)
    X = X if sparse.issparse(X) else np.ascontiguousarray(X)
    if X.shape[0] and (place := find_nonfinite(X)) is not None:
        found, row, column = place
        name = column if how.names is None else how.names[column]
        raise ValueError(
            f"{how.what} contains {found} in column {name!r} of partition {number} (its row "
            f"{row}); impute or drop such values first."
        )
    return X


def _from_frame(frame: Any, number: int, how: Reading) -> Any:
    names = tuple(frame.columns)
    if how.names is not None and names != how.names:
        raise ValueError(
            f"Partition {number} of {how.what} has the columns {list(names)}, but "
            f"{list(how.names)} were expected, in this order; select the columns by name first."
        )
    for name, kind in zip(names, frame.dtypes, strict=True):
        if getattr(kind, "kind", "O") not in "biuf":
            raise ValueError(
                f"Column {name!r} of {how.what} holds {kind} in partition {number}; encode it as "
                "numbers, the same way in all partitions."
            )
    single = all(kind == np.float32 for kind in frame.dtypes)
    return frame.to_numpy(dtype=np.float32 if single else np.float64, na_value=np.nan)


def _targets(y: Any, number: int, how: Reading) -> NDArray[Any]:
    y = np.asarray(y)
    y = y.ravel() if y.ndim == 2 and y.shape[1] == 1 else y
    if y.ndim != 1:
        raise ValueError(
            f"Partition {number} of y has shape {y.shape}; one target a row is needed."
        )
    if how.labels:
        try:
            return check_labels(y) if len(y) else y
        except ValueError as error:
            raise ValueError(f"In partition {number}: {error}") from None
    try:
        y = y.astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"Partition {number} of y holds what are not numbers.") from None
    if not np.isfinite(y).all():
        raise ValueError(
            f"y contains NaN or infinity in partition {number} (its row "
            f"{np.flatnonzero(~np.isfinite(y))[0]}); drop such rows first."
        )
    return y


def _weights(weight: Any, n_rows: int, number: int) -> Vector:
    try:
        weights = np.asarray(weight, dtype=np.float64).ravel()
    except (TypeError, ValueError):
        raise ValueError(
            f"Partition {number} of sample_weight holds what are not numbers."
        ) from None
    if len(weights) != n_rows:
        raise ValueError(
            f"Partition {number} of sample_weight has {len(weights)} rows and that of X {n_rows}."
        )
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError(
            f"sample_weight contains NaN, infinity or a negative number in partition {number}; "
            "weights say how much a row counts."
        )
    return weights
