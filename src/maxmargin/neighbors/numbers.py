"""Rows of numbers for neighbours: who is given words says which of the others takes them."""

from __future__ import annotations

from typing import Any

from sklearn.base import is_regressor

from maxmargin.inputs.vectors import check_vectors


def read_numbers(estimator: Any, X: Any, **rules: Any) -> Any:
    """Read rows as ``check_vectors`` does, and point out who takes words.

    Parameters
    ----------
    estimator : estimator
    X : array-like or sparse matrix of shape (rows, columns)
    **rules
        As of ``check_vectors``.

    Returns
    -------
    rows : ndarray or CSR matrix
        With y, a pair of both.
    """
    try:
        return check_vectors(estimator, X, **rules)
    except ValueError as error:
        if "could not convert string" not in str(error):
            raise
        instead = "Regressor" if is_regressor(estimator) else "Classifier"
        raise ValueError(
            f"X holds words ({error}), and {type(estimator).__name__} measures numbers; "
            f"MixedNeighbors{instead} takes both."
        ) from error
