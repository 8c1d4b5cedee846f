"""The overlap kernel of categories: in how many columns two rows agree.

    k(x, y) = sum_c w_c [x_c = y_c],      w_c = 1 / columns where no weights are given.

1 - k is then the share of columns in which they differ, the Hamming distance.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.inputs.container import as_table, by_position, count_rows
from maxmargin.inputs.table import entries
from maxmargin.kernels.base import Columns, Kernel, Shift, Takes, check_nonnegative, precision_of
from maxmargin.kernels.points import FloatArray, Rows, row_major
from maxmargin.kernels.rounding import units
from maxmargin.ops.engine import engine_of


@dataclass(frozen=True, eq=False, slots=True)
class Categories:
    """Rows of categories as numbers, each column with numbers of its own."""

    codes: NDArray[np.int32]
    values: tuple[tuple[Any, ...], ...]
    """The category of each number, column by column."""
    dtype: np.dtype[Any]

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: Rows) -> Categories:
        return Categories(self.codes[rows], self.values, self.dtype)


class Categorical(Kernel):
    """In how many columns two rows agree.

    Parameters
    ----------
    weights : sequence of float, optional
        What each column counts, at least 0; 1 / columns where they are not given.

    Notes
    -----
    Any value is a category: texts, numbers, dates; two are the same if they are equal, and a number
    of single precision is equal to the one that is written like it. New rows whose categories are
    all of another kind than those of training are refused, as 1 is not "1". A missing value (None,
    NaN, NA) is a category of its own, so two missing values agree. A category that the training
    rows do not have agrees with none of theirs. The features say for each column and category
    whether a row has it. A pair of rows costs one look at each column.

    Examples
    --------
    >>> rows = [["red", "round"], ["red", "square"], [None, "round"]]
    >>> Categorical()(rows).tolist()
    [[1.0, 0.5, 0.5], [0.5, 1.0, 0.0], [0.5, 0.0, 1.0]]
    """

    def __init__(self, weights: Any = None) -> None:
        self.weights = weights
        self._check_params()

    def _check_params(self) -> None:
        if self.weights is None:
            return
        if np.ndim(self.weights) != 1 or len(self.weights) == 0:
            raise ValueError(f"Categorical needs one weight a column, got {self.weights!r}.")
        for weight in np.asarray(self.weights).tolist():
            check_nonnegative(self, "weights", weight)

    @property
    def takes(self) -> Takes:
        """Rows of categories of any kind."""
        return Takes.ITEMS

    @property
    def concurrent(self) -> bool:
        """True: blocks are compiled loops."""
        return True

    @property
    def shift(self) -> Shift:
        """Nothing: equal numbers stay equal."""
        return Shift.NOTHING

    @property
    def psd(self) -> bool:
        """True: the dot product of w_c^1/2 [x_c = v] over all columns c and categories v."""
        return True

    @property
    def _names_columns(self) -> bool:
        return True

    def n_features(self, columns: int) -> None:
        """Nobody knows before the categories are."""

    def prepare(self, X: Any) -> Categories:
        """Return the categories of each column numbers."""
        return self._coded(X, None)

    def prepare_new(self, X: Any, training: Categories) -> Categories:
        """Assign categories their numbers in the training set."""
        return self._coded(X, training.values)

    def _coded(self, X: Any, known: tuple[tuple[Any, ...], ...] | None) -> Categories:
        table = _table(X)
        width = table.shape[1]
        if self.weights is not None and len(self.weights) != width:
            raise ValueError(
                f"{self!r} has {len(self.weights)} weights, and X has {width} columns; give one a "
                "column."
            )
        if known is not None and len(known) != width:
            raise ValueError(
                f"X has {width} columns, and it is compared with rows of {len(known)}."
            )
        codes, values = np.empty(table.shape, np.int32), []
        for j in range(width):
            column, before = _comparable(entries(table, j), table, j), known[j] if known else ()
            _refuse_another_kind(column, before, j)
            codes[:, j], found = _numbered(column, before)
            values.append(found)
        return Categories(codes, tuple(values), precision_of(by_position(X)))

    def _weights(self, A: Categories) -> NDArray[np.float64]:
        width = A.codes.shape[1]
        given = np.full(width, 1.0 / width) if self.weights is None else self.weights
        return np.asarray(given, dtype=np.float64)

    def fill(self, A: Categories, B: Categories, out: FloatArray) -> None:
        """Add up the weights of columns that agree."""
        weights = self._weights(A).astype(out.dtype)
        engine_of(out).sequence_overlap.overlap(A.codes, B.codes, weights, *row_major(out))

    def diagonal(self, A: Categories) -> FloatArray:
        """Return the sum of all weights, added up as in a block."""
        weights = self._weights(A).astype(A.dtype)
        return np.full(len(A), np.add.accumulate(weights)[-1], A.dtype)

    def errors(self, A: Categories) -> NDArray[np.float64]:
        """Those of a sum of so many weights."""
        weights = self._weights(A)
        return np.full(len(A), np.sqrt(units(len(weights)) * weights.sum()))

    def _features(self, A: Categories) -> Any:
        sizes, roots = [len(each) for each in A.values], np.sqrt(self._weights(A))
        starts = np.concatenate([[0], np.cumsum(sizes)])
        known = np.less(A.codes, sizes)
        places = (A.codes + starts[:-1])[known]
        ends = np.concatenate([[0], np.cumsum(known.sum(axis=1))])
        values = np.broadcast_to(roots, A.codes.shape)[known]
        return sparse.csr_matrix((values, places, ends), shape=(len(A), int(starts[-1])))

    def _feature_names(self, A: Categories, columns: Columns = None) -> list[str]:
        names = range(len(A.values)) if columns is None else columns
        pairs = zip(names, A.values, strict=True)
        return [f"{name}={_said(value)}" for name, values in pairs for value in values]


def _said(value: Any) -> str:
    """Name a category; one that is called missing is told from a missing value by quotes."""
    return "missing" if value is None else repr(value) if value == "missing" else str(value)


def _table(X: Any) -> Any:
    table = as_table(X)
    if sparse.issparse(table):
        raise ValueError("Categorical takes dense tables; give X.toarray().")
    if count_rows(table) == 0:
        raise ValueError("Found no items; a kernel needs at least one.")
    return table.reshape(-1, 1) if len(table.shape) == 1 else table


def _comparable(column: list[Any], table: Any, j: int) -> list[Any]:
    """Return numbers of single precision as they are written: 0.1 is 0.1 in either precision."""
    kind = str(getattr(_column(table, j), "dtype", "")).lower()
    if kind != "float32":
        return column
    return [None if value is None else float(str(np.float32(value))) for value in column]


def _column(table: Any, j: int) -> Any:
    return table.iloc[:, j] if hasattr(table, "iloc") else table[:, j]


def _refuse_another_kind(column: list[Any], known: tuple[Any, ...], j: int) -> None:
    """Refuse categories none of which can be known, as 1 cannot be one of texts."""
    new, old = ({_kind(value) for value in each if value is not None} for each in (column, known))
    if new and old and new.isdisjoint(old):
        value, other = (next(v for v in each if v is not None) for each in (column, known))
        raise ValueError(
            f"Column {j} of X holds categories such as {value!r}, and what it is compared with "
            f"such as {other!r}; values of different kinds are never equal, so give both as one."
        )


def _kind(value: Any) -> str:
    if isinstance(value, str):
        return "text"
    return "number" if isinstance(value, Number) else type(value).__name__


def _numbered(column: list[Any], known: tuple[Any, ...]) -> tuple[list[int], tuple[Any, ...]]:
    """Assign categories their known numbers, and new ones the next, which no known row has."""
    number = {value: place for place, value in enumerate(known)}
    try:
        codes = [number.setdefault(value, len(number)) for value in column]
    except TypeError:
        raise ValueError(
            "X holds categories that cannot be told apart by a dictionary, such as lists; make "
            "texts, numbers or tuples of them."
        ) from None
    return codes, known or tuple(number)
