"""Items for an estimator whose kernel alone can check them: by position, columns by name."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from maxmargin.inputs.container import by_position, column_names, take_columns

_NUMBERS = ("Int", "UInt", "Float", "Boolean")  # as pandas and polars name their own kinds
_OF_TABLES = ("feature_names_in_", "n_features_in_")


def check_items(estimator: Any, X: Any, reset: bool = True) -> Any:
    """Return items by position; the columns of a table in the order that they had in ``fit``.

    Parameters
    ----------
    estimator : object
        Gets ``n_features_in_`` and ``feature_names_in_`` of a table when ``reset``.
    X : array, sparse matrix, DataFrame, Series or list
    reset : bool, default=True
        True in ``fit``, False where X has to be like that of ``fit``.

    Returns
    -------
    items : ndarray, sparse matrix or list
    """
    if reset:
        for name in _OF_TABLES:
            vars(estimator).pop(name, None)
    known = getattr(estimator, "feature_names_in_", None)
    if known is not None:
        X = _in_order(X, known.tolist())
    if known is not None or (reset and column_names(X) is not None):
        validate_data(estimator, X, reset=reset, skip_check_array=True)
    return by_position(X)


def holds_other_than_numbers(X: Any) -> bool:
    """Whether X is a table with a column of texts, categories, dates or the like."""
    if column_names(X) is None or not hasattr(X, "dtypes"):
        return False
    return not all(_is_number(kind) for kind in X.dtypes)


def _is_number(kind: Any) -> bool:
    return kind.kind in "biuf" if isinstance(kind, np.dtype) else str(kind).startswith(_NUMBERS)


def _in_order(X: Any, known: list[Any]) -> Any:
    """Put columns into the order of ``fit`` where they have the same names."""
    names = column_names(X)
    if names is None or names == known or sorted(map(str, names)) != sorted(map(str, known)):
        return X
    return take_columns(X, np.array([names.index(name) for name in known], dtype=np.intp))
