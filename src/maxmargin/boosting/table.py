"""Reading X for boosting: numbers with missing values, sparse matrices, tables with categories.

Categories become codes 0, 1, ... in the order of the categories; what is missing, or was not seen
in ``fit``, becomes NaN. The estimator keeps the categories of each column.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_array, check_X_y, validate_data

from maxmargin.svm.parameters import ParameterError

Mask = NDArray[np.bool_]
Vector = NDArray[np.float64]

_NOT_GIVEN = "no_validation"  # scikit-learn's word for a y that is not asked for
_NUMBERS: dict[str, Any] = {
    "dtype": [np.float64, np.float32],
    "accept_sparse": ["csr", "csc"],
    "accept_large_sparse": True,
    "ensure_all_finite": "allow-nan",
}
_CATEGORICAL_DTYPES = ("category", "Categorical", "Enum")  # of pandas and of polars
_TEXT_DTYPES = ("str", "string", "large_string", "String", "Utf8")
_ANY_DTYPES = ("object", "Object")  # texts, or numbers that came with them


def read(
    estimator: Any,
    X: Any,
    y: Any = _NOT_GIVEN,
    *,
    reset: bool,
    y_numeric: bool = False,
    categorical: Any = None,
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
    categorical : object, default=None
        Which columns are categorical; None for the estimator's ``categorical_features``.

    Returns
    -------
    X : ndarray or sparse matrix, of float32 or float64
    y : ndarray of shape (rows,)
        If given.
    """
    with_y = {} if isinstance(y, str) and y == _NOT_GIVEN else {"y": y, "y_numeric": y_numeric}
    given = _given(estimator, categorical) if reset else estimator.is_categorical_
    if given is None or (isinstance(given, str) and not hasattr(X, "dtypes")):
        if reset:
            estimator.is_categorical_ = None
        with _naming_strings(X):
            return validate_data(estimator, X, **with_y, reset=reset, **_NUMBERS)
    coded = _read_categories(estimator, X, reset, given)
    if not with_y:
        return coded
    return check_X_y(coded, **with_y, estimator=estimator, **_NUMBERS)


def missing_columns(X: Any) -> Mask:
    """Say which columns of a table that was read have missing values.

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


def read_weight(sample_weight: Any, n_rows: int, name: str = "sample_weight") -> Vector:
    """Check the weights of rows; None is 1 for each.

    Parameters
    ----------
    sample_weight : array-like of shape (rows,), a number or None
    n_rows : int
    name : str, default="sample_weight"
        The argument that it came as.

    Returns
    -------
    weight : ndarray of shape (rows,)
    """
    if sample_weight is None:
        return np.ones(n_rows)
    weight = np.array(sample_weight, dtype=np.float64)
    weight = np.full(n_rows, weight) if weight.ndim == 0 else weight
    if weight.ndim != 1:
        raise ValueError(f"Sample weights must be 1D array or scalar, got {weight.ndim}D array.")
    if len(weight) != n_rows:
        raise ValueError(f"{name}.shape == {weight.shape}, expected ({n_rows},): one weight a row.")
    _check_weight(weight, name)
    return weight


def _check_weight(weight: Vector, name: str) -> None:
    bad = np.flatnonzero(~np.isfinite(weight))
    if len(bad):
        raise ValueError(
            f"Input {name} contains NaN or infinity (row {bad[0]}); drop such rows first."
        )
    bad = np.flatnonzero(weight < 0)
    if len(bad):
        raise ValueError(
            f"Negative values in data passed to `{name}`: {weight[bad[0]]:g} for row "
            f"{bad[0]}; weights say how much a row counts, so they are at least 0."
        )
    if not weight.any():
        raise ValueError(
            "All sample weights are zero: there is nothing to learn from; give some row a weight."
        )


def _given(estimator: Any, categorical: Any) -> Any:
    given = estimator.categorical_features if categorical is None else categorical
    if isinstance(given, str) and given != "from_dtype":
        raise ParameterError(
            "The 'categorical_features' parameter must be None, 'from_dtype', indices, names "
            f"or a mask of columns. Got {given!r} instead."
        )
    return given


def _read_categories(estimator: Any, X: Any, reset: bool, given: Any) -> Any:
    """Give numbers as they are and categories as codes."""
    if sparse.issparse(X):
        raise ValueError(
            "Categorical features are read from dense tables only; give X as an array or a "
            "DataFrame, or one-hot encoded and without categorical_features."
        )
    if not hasattr(X, "dtypes"):  # not a DataFrame
        X = check_array(X, dtype=None, ensure_all_finite=False, estimator=estimator)
    validate_data(estimator, X, reset=reset, skip_check_array=True)
    if reset:
        estimator.is_categorical_ = find_categorical(given, X)
        estimator._categories = _list_categories(X, estimator.is_categorical_)
    mask = estimator.is_categorical_
    coded = np.empty(X.shape, dtype=np.float64)
    if not mask.all():
        with _naming_strings(X, ~mask):
            coded[:, ~mask] = check_array(
                _columns(X, np.flatnonzero(~mask)),
                **{**_NUMBERS, "accept_sparse": False, "dtype": np.float64},
                estimator=estimator,
                input_name="X",
            )
    for j, codes in estimator._categories.items():
        coded[:, j] = [codes.get(value, np.nan) for value in _entries(X, j)]
    return coded


@contextmanager
def _naming_strings(X: Any, numeric: Mask | None = None) -> Iterator[None]:
    """Say which column holds strings, where a table of numbers was expected."""
    try:
        yield
    except ValueError as error:
        if "could not convert string" not in str(error):
            raise
        found = _find_strings(X, numeric)
        if found is None:
            raise
        column, text = found
        raise ValueError(
            f"Column {column!r} of X holds strings such as {text!r}; list it in "
            "categorical_features, or encode it as numbers."
        ) from None


def _find_strings(X: Any, numeric: Mask | None) -> tuple[Any, str] | None:
    """Give the first column, by name or number, with a string that is no number, and the string."""
    if not hasattr(X, "dtypes"):
        X = np.asarray(X, dtype=object)
    places = range(X.shape[1]) if numeric is None else np.flatnonzero(numeric).tolist()
    for j in places:
        for value in _entries(X, j):
            if isinstance(value, str) and not _is_number(value):
                return (list(X.columns)[j] if hasattr(X, "columns") else j), value
    return None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def find_categorical(given: Any, X: Any) -> Mask:
    """Say which columns are categorical, from indices, a mask, names or the table itself.

    Parameters
    ----------
    given : "from_dtype" or array-like
    X : ndarray or DataFrame

    Returns
    -------
    mask : ndarray of bool of shape (columns,)
    """
    if isinstance(given, str):
        return np.array([_holds_categories(X, j) for j in range(X.shape[1])], dtype=bool)
    chosen = np.asarray(given)
    if chosen.dtype.kind == "b" and chosen.shape == (X.shape[1],):
        return chosen
    mask = np.zeros(X.shape[1], dtype=bool)
    if chosen.size:
        mask[_positions(chosen, X)] = True
    return mask


def _holds_categories(X: Any, j: int) -> bool:
    """Whether a column is of a categorical dtype or one of texts, or has a text in it."""
    kind = re.split(r"[(\[]", str(list(X.dtypes)[j]))[0]
    if kind in _ANY_DTYPES:
        return any(isinstance(value, str) for value in _entries(X, j))
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


def _entries(X: Any, j: int) -> Iterable[Any]:
    """List the entries of a column as Python's own values, None where missing."""
    column = X.iloc[:, j] if hasattr(X, "iloc") else X[:, j]
    values = column.tolist() if hasattr(column, "tolist") else column.to_list()
    return [None if _is_missing(value) else value for value in values]


def _is_missing(value: Any) -> bool:
    if value is None:
        return True
    same = value == value  # noqa: PLR0124  NaN is not itself, and pandas' NA does not know
    return same is not True


def _list_categories(X: Any, mask: Mask) -> dict[int, dict[Any, int]]:
    """Give the categories of each categorical column numbers in their order."""
    categories = {}
    for j in np.flatnonzero(mask).tolist():
        found = set(_entries(X, j)) - {None}
        try:
            ordered = sorted(found)
        except TypeError:
            raise ValueError(
                f"The categories of column {j} cannot be put in order, as texts and numbers "
                "together cannot; make all of them texts."
            ) from None
        categories[j] = {value: code for code, value in enumerate(ordered)}
    return categories
