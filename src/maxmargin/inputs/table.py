"""Tables: numbers with missing values, sparse matrices, categories as codes.

Categories become codes 0, 1, ... in the order of the categories; what is missing, or was not seen
in ``fit``, becomes NaN. The estimator keeps the categories of each column.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, time, timedelta
from itertools import islice
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_array, check_X_y, validate_data

from maxmargin.inputs.missing import is_missing
from maxmargin.inputs.parameters import ParameterError
from maxmargin.inputs.vectors import take_plain

Mask = NDArray[np.bool_]

_NOT_GIVEN = "no_validation"  # scikit-learn's word for a y that is not asked for
_OWN = object()
FROM_DTYPE = "from_dtype"
_NUMBERS: dict[str, Any] = {
    "dtype": [np.float64, np.float32],
    "accept_sparse": ["csr", "csc"],
    "accept_large_sparse": True,
    "ensure_all_finite": "allow-nan",
}
_CATEGORICAL_DTYPES = ("category", "Categorical", "Enum")  # of pandas and of polars
_TEXT_DTYPES = ("str", "string", "large_string", "String", "Utf8")
_ANY_DTYPES = ("object", "Object")  # texts, or numbers that came with them
_DATE_DTYPES = ("datetime64", "timedelta64", "period", "Date", "Datetime", "Duration", "Time")
_ENCODE = "encode it as numbers, as OneHotEncoder does"
_LIST = "list it in categorical_features, or encode it as numbers"
_DATES = (
    "Column {!r} of X holds dates or times{}; turn it into numbers, such as the days since one of "
    "them, or list it in categorical_features."
)


def read(
    estimator: Any,
    X: Any,
    y: Any = _NOT_GIVEN,
    *,
    reset: bool,
    y_numeric: bool = False,
    categorical: Any = _OWN,
) -> Any:
    """Check X (and y) as scikit-learn does; missing values are NaN, categories are codes.

    Parameters
    ----------
    estimator : object
        Gets ``n_features_in_``, ``feature_names_in_``, ``is_categorical_`` and the categories when
        ``reset``.
    X : array-like, sparse matrix or DataFrame of shape (rows, columns)
    y : array-like of shape (rows,)
        Read only if given.
    reset : bool
        True in ``fit``, False where X has to be like that of ``fit``.
    y_numeric : bool, default=False
        Whether y holds numbers rather than classes.
    categorical : object, optional
        Which columns are categorical; the estimator's ``categorical_features`` unless given.

    Returns
    -------
    X : ndarray or sparse matrix, of float32 or float64
    y : ndarray of shape (rows,)
        If given.
    """
    with_y = {} if isinstance(y, str) and y == _NOT_GIVEN else {"y": y, "y_numeric": y_numeric}
    given = _given(estimator, categorical, X) if reset else estimator.is_categorical_
    if given is None:
        if reset:
            estimator.is_categorical_ = None
        rules = {"reset": reset} | ({"y": y} if with_y else {})
        taken = take_plain(estimator, X, rules)
        if taken is not None:
            return taken
        with _naming_the_column(X, listed=getattr(estimator, "_reads_categories", True)):
            return validate_data(estimator, X, **with_y, reset=reset, **_NUMBERS)
    coded = _read_categories(estimator, X, reset, given)
    if not with_y:
        return coded
    return check_X_y(coded, **with_y, estimator=estimator, **_NUMBERS)


def missing_columns(X: Any) -> Mask:
    """Return which columns of a table that was read have missing values.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (rows, columns)

    Returns
    -------
    mask : ndarray of bool of shape (columns,)
    """
    if not sparse.issparse(X):
        return np.isnan(X).any(axis=0)
    entries = X.tocoo()
    mask = np.zeros(X.shape[1], dtype=bool)
    mask[entries.col[np.isnan(entries.data)]] = True
    return mask


def is_left_open(categorical_features: Any) -> bool:
    """Return whether the user did not name the categorical columns."""
    return categorical_features is None or (
        isinstance(categorical_features, str) and categorical_features == FROM_DTYPE
    )


def _given(estimator: Any, categorical: Any, X: Any) -> Any:
    """Return which columns were asked for as categorical; None if there are none."""
    given = estimator.categorical_features if categorical is _OWN else categorical
    if not isinstance(given, str):
        return given
    if given != FROM_DTYPE:
        raise ParameterError(
            "The 'categorical_features' parameter must be None, 'from_dtype', indices, names "
            f"or a mask of columns. Got {given!r} instead."
        )
    mask = find_categorical(given, X) if _is_frame(X) else np.zeros(0, dtype=bool)
    return mask if mask.any() else None


def _read_categories(estimator: Any, X: Any, reset: bool, given: Any) -> Any:
    """Return numbers as they are and categories as codes."""
    if sparse.issparse(X):
        raise ValueError(
            "Categorical features are read from dense tables only; give X as an array or a "
            "DataFrame, or one-hot encoded and without categorical_features."
        )
    if not _is_frame(X):  # not a DataFrame
        X = check_array(X, dtype=None, ensure_all_finite=False, estimator=estimator)
    validate_data(estimator, X, reset=reset, skip_check_array=True)
    if reset:
        estimator.is_categorical_ = find_categorical(given, X)
        estimator._categories = _list_categories(X, estimator.is_categorical_)
    mask = estimator.is_categorical_
    coded = np.empty(X.shape, dtype=np.float64)
    if not mask.all():
        with _naming_the_column(X, ~mask):
            coded[:, ~mask] = check_array(
                _columns(X, np.flatnonzero(~mask)),
                **{**_NUMBERS, "accept_sparse": False, "dtype": np.float64},
                estimator=estimator,
                input_name="X",
            )
    for j, codes in estimator._categories.items():
        values = entries(X, j)
        _refuse_another_kind(values, codes, _name(X, j))
        coded[:, j] = [codes.get(value, np.nan) for value in values]
    return coded


def _refuse_another_kind(entries: list[Any], known: dict[Any, int], name: Any) -> None:
    """Refuse categories that cannot be among those of fit, as 1 cannot be one of texts."""
    kinds = {_kind(value) for value in known}
    for value in dict.fromkeys(entries):
        strange = value is not None and value not in known and _kind(value) not in kinds
        if kinds and strange:
            raise ValueError(
                f"Column {name!r} of X holds categories such as {value!r}, a {_kind(value)}, and "
                f"those of fit were such as {next(iter(known))!r}; give both as the same type."
            )


def _kind(value: Any) -> str:
    if isinstance(value, str):
        return "text"
    return "number" if isinstance(value, Number) else type(value).__name__


def _name(X: Any, j: int) -> Any:
    return list(X.columns)[j] if hasattr(X, "columns") else j


@contextmanager
def _naming_the_column(X: Any, numeric: Mask | None = None, listed: bool = True) -> Iterator[None]:
    """Name the column that holds strings or dates, where a table of numbers was expected.

    And whether it may be listed as categorical.
    """
    _refuse_dates(X, numeric)
    try:
        with naming_strings(X, numeric, _LIST if listed else _ENCODE):
            yield
    except TypeError:
        for j, value in _first(X, numeric, _is_date):
            raise ValueError(_DATES.format(_name(X, j), f", such as {value}")) from None
        raise


@contextmanager
def naming_strings(X: Any, numeric: Mask | None = None, advice: str = _ENCODE) -> Iterator[None]:
    """Name the column that holds strings in an error about numbers."""
    try:
        yield
    except ValueError as error:
        if "could not convert string" not in str(error):
            raise
        for j, text in _first(X, numeric, _is_text):
            raise ValueError(
                f"Column {_name(X, j)!r} of X holds strings such as {text!r}; {advice}."
            ) from None
        raise


def _refuse_dates(X: Any, numeric: Mask | None) -> None:
    """Refuse dates and times, whose numbers would depend on how they are stored."""
    kinds = _dtypes(X) if _is_frame(X) else [str(getattr(X, "dtype", "")).split("[")[0]]
    for j, kind in enumerate(kinds):
        if kind in _DATE_DTYPES and (numeric is None or numeric[j]):
            raise ValueError(_DATES.format(_name(X, j), ""))


def _is_frame(X: Any) -> bool:
    return hasattr(X, "dtypes") and len(X.shape) == 2  # a Series has dtypes too


def _dtypes(X: Any) -> list[str]:
    """Return the names of a DataFrame's dtypes, without their details."""
    return [re.split(r"[(\[]", str(dtype))[0] for dtype in X.dtypes]


def _first(X: Any, numeric: Mask | None, test: Callable[[Any], bool]) -> list[tuple[int, Any]]:
    """Return the first column with a value of a kind, and the value; an empty list if none has."""
    if not _is_frame(X):
        X = np.asarray(X, dtype=object)
    width = X.shape[1] if len(X.shape) == 2 else 0
    places = range(width) if numeric is None else np.flatnonzero(numeric).tolist()
    found = ((j, value) for j in places for value in entries(X, j) if test(value))
    return list(islice(found, 1))


def _is_date(value: Any) -> bool:
    return isinstance(value, date | time | timedelta) or type(value).__name__ == "Period"


def _is_text(value: Any) -> bool:
    """Whether a value is a string that is no number."""
    if not isinstance(value, str):
        return False
    try:
        float(value)
    except ValueError:
        return True
    return False


def find_categorical(given: Any, X: Any) -> Mask:
    """Return which columns are categorical, from indices, a mask, names or the table itself.

    Parameters
    ----------
    given : "from_dtype" or array-like
    X : ndarray or DataFrame

    Returns
    -------
    mask : ndarray of bool of shape (columns,)
    """
    if isinstance(given, str):
        kinds = enumerate(_dtypes(X))
        return np.array([_holds_categories(X, j, kind) for j, kind in kinds], dtype=bool)
    chosen = np.asarray(given)
    if chosen.dtype.kind == "b" and chosen.shape == (X.shape[1],):
        return chosen
    mask = np.zeros(X.shape[1], dtype=bool)
    if chosen.size:
        mask[_positions(chosen, X)] = True
    return mask


def _holds_categories(X: Any, j: int, kind: str) -> bool:
    """Whether a column is of a categorical dtype or one of texts, or has a text in it."""
    if kind in _ANY_DTYPES:
        return any(isinstance(value, str) for value in entries(X, j))
    return kind in _CATEGORICAL_DTYPES + _TEXT_DTYPES


def _positions(chosen: NDArray[Any], X: Any) -> NDArray[np.intp]:
    n_columns = X.shape[1]
    if chosen.dtype.kind in "iu" and chosen.ndim == 1:
        if not (chosen.min() >= 0 and chosen.max() < n_columns):
            raise ParameterError(
                f"categorical_features={chosen.tolist()} names columns that are not there; X has "
                f"columns 0 to {n_columns - 1}."
            )
        return chosen.astype(np.intp)
    names = [str(name) for name in getattr(X, "columns", [])]
    unknown = [name for name in chosen.ravel().tolist() if name not in names]
    if chosen.dtype.kind not in "UO" or unknown:
        raise ParameterError(
            f"categorical_features={chosen.tolist()} must be indices, a mask of {n_columns} "
            f"columns or names of a DataFrame's columns{f'; it has {names}' if names else ''}."
        )
    return np.array([names.index(name) for name in chosen.ravel()], dtype=np.intp)


def _columns(X: Any, positions: NDArray[np.intp]) -> Any:
    chosen = positions.tolist()
    return X.iloc[:, chosen] if hasattr(X, "iloc") else X[:, chosen]


def entries(X: Any, j: int) -> list[Any]:
    """List the entries of a column as Python's own values, None where missing."""
    column = X.iloc[:, j] if hasattr(X, "iloc") else X[:, j]
    values = column.tolist() if hasattr(column, "tolist") else column.to_list()
    return [None if is_missing(value) else value for value in values]


def _list_categories(X: Any, mask: Mask) -> dict[int, dict[Any, int]]:
    """Return the categories of each categorical column numbers in their order."""
    categories = {}
    for j in np.flatnonzero(mask).tolist():
        found = set(entries(X, j)) - {None}
        try:
            ordered = sorted(found)
        except TypeError:
            raise ValueError(
                f"The categories of column {j} cannot be put in order, as texts and numbers "
                "together cannot; make all of them texts."
            ) from None
        categories[j] = {value: code for code, value in enumerate(ordered)}
    return categories
