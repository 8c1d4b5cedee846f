"""The columns of any container, by position, as NumPy arrays.

A column is one of three arrays: float64 with NaN where a value is missing, datetime64 with NaT, or
objects (strings) with None. What a column holds decides which, not how it is stored: a list of
numbers, an integer column and a column of Python objects that are all numbers are read alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_array, validate_data

from maxmargin.inputs.missing import is_missing
from maxmargin.ops.clock import look
from maxmargin.tabular.written import write_number

_RANGES = ("Interval", "Period")  # of pandas, as its cut makes them
_MICROSECONDS = "datetime64[us]"


def read_columns(estimator: Any, X: Any, *, reset: bool) -> list[NDArray[Any]]:
    """Return the columns of X, checked against those of ``fit`` unless ``reset``.

    Parameters
    ----------
    estimator : object
        Gets ``n_features_in_`` and ``feature_names_in_`` when ``reset``.
    X : DataFrame, array-like or sparse matrix of shape (rows, columns)
    reset : bool
        True in ``fit``.

    Returns
    -------
    list of ndarray
        One array a column.
    """
    table = _as_table(estimator, X)
    _check_names(table)
    validate_data(estimator, table, reset=reset, skip_check_array=True)
    rows = table.shape[0]
    if rows == 0:
        raise ValueError(
            f"Found array with 0 sample(s) (shape={table.shape}) while a minimum of 1 is required."
        )
    if table.shape[1] == 0:
        raise ValueError(
            f"Found array with 0 feature(s) (shape={table.shape}) while a minimum of 1 is required."
        )
    return list(_each_column(table))


def _each_column(table: Any) -> Iterator[NDArray[Any]]:
    """Yield columns, with a look at the clock before each."""
    for j in range(table.shape[1]):
        look()
        yield _as_column(_raw_column(table, j))


def _check_names(table: Any) -> None:
    """Refuse columns that share a name: new rows find theirs by it."""
    names = getattr(table, "column_names", None)  # Arrow
    names = list(getattr(table, "columns", ()) if names is None else names)
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise ValueError(
            f"X has several columns named {twice!r}: rename them, or drop all but one."
        )


def _as_table(estimator: Any, X: Any) -> Any:
    """Return X with a shape and columns found by position; refuse what has no columns."""
    if sparse.issparse(X):
        return check_array(X, accept_sparse=True, ensure_all_finite=False).toarray()
    if hasattr(X, "columns") and len(getattr(X, "shape", ())) == 2:
        return X
    table = np.asarray(X)
    if table.dtype.kind in "US":  # rows of a list: NumPy turned the numbers beside words to text
        table = np.asarray(X, dtype=object)
    if table.dtype.kind == "O" and table.ndim == 2:
        return table
    return check_array(
        X, dtype=None, ensure_all_finite=False, ensure_min_samples=0, ensure_min_features=0,
        estimator=estimator, input_name="X",
    )  # fmt: skip


def _raw_column(table: Any, j: int) -> Any:
    if hasattr(table, "iloc"):
        return table.iloc[:, j]
    if hasattr(table, "column") and not hasattr(table, "to_series"):  # Arrow
        return table.column(j)
    if hasattr(table, "to_series"):  # polars
        return table.to_series(j)
    return table[:, j]


def _as_column(raw: Any) -> NDArray[Any]:
    """Return a column as one of the three arrays."""
    values = raw if isinstance(raw, np.ndarray) else _to_array(raw)
    if values.dtype.kind in "iufb":
        return values.astype(np.float64)
    if values.dtype.kind == "M":
        return values.astype(_MICROSECONDS)
    if values.dtype.kind == "m":
        return _seconds(values)
    if values.dtype.kind == "c":
        raise ValueError("Complex data not supported")
    return _of_objects(values.astype(object))


def _to_array(raw: Any) -> NDArray[Any]:
    """Return a Series' or Arrow column's values; where some are missing, as objects with None."""
    plain = getattr(raw, "dtype", None)
    if isinstance(plain, np.dtype) and plain.kind in "iufbMm":
        return np.asarray(raw)
    listed = raw.to_list() if hasattr(raw, "to_list") else raw.to_pylist()
    return np.array([None if is_missing(v) else v for v in listed] + [None], dtype=object)[:-1]


def _seconds(values: NDArray[Any]) -> NDArray[np.float64]:
    seconds = values / np.timedelta64(1, "s")
    return np.asarray(seconds, dtype=np.float64)


def _of_objects(values: NDArray[Any]) -> NDArray[Any]:
    """Read objects as numbers or dates where all of them are, else as words."""
    missing = np.array([is_missing(value) for value in values], dtype=bool)
    present = values[~missing]
    if all(isinstance(value, Real | Decimal | np.bool_) for value in present):
        numbers = np.full(len(values), np.nan)
        numbers[~missing] = present.astype(np.float64)
        return numbers
    if all(isinstance(value, date | datetime | np.datetime64) for value in present):
        dates = np.full(len(values), np.datetime64("NaT"), dtype=_MICROSECONDS)
        dates[~missing] = [np.datetime64(_naive(value), "us") for value in present]
        return dates
    if any(isinstance(value, complex) for value in present):
        raise ValueError("Complex data not supported")
    words = np.empty(len(values), dtype=object)
    words[~missing] = [_as_word(value) for value in present]
    return words


def _naive(value: Any) -> Any:
    """Drop the zone of a time, after moving it to universal time."""
    if getattr(value, "tzinfo", None) is None:
        return value
    return (value - value.utcoffset()).replace(tzinfo=None)


def _as_word(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, Real | Decimal) and not isinstance(value, bool):
        return write_number(value)
    if isinstance(value, str | bool | np.bool_ | date) or type(value).__name__ in _RANGES:
        return str(value)
    raise TypeError(
        f"argument must be a string or a number, got {type(value).__name__} among the values of a "
        "column: turn them into numbers or text first."
    )


def read_values(values: list[Any]) -> list[NDArray[Any]]:
    """Return the values of one row as columns of length 1.

    Examples
    --------
    >>> [column.tolist() for column in read_values([1, "red", None])]
    [[1.0], ['red'], [nan]]
    """
    columns = []
    for value in values:
        column = np.empty(1, dtype=object)
        column[0] = value
        columns.append(_of_objects(column))
    return columns
