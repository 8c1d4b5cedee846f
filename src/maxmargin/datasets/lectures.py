"""Two tables small enough to work through by hand, as lectures on boosting do."""

from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from maxmargin.datasets.shipped import read_numbers, read_texts


@overload
def load_going_to_class(*, return_X_y: Literal[False] = ...) -> Bunch: ...
@overload
def load_going_to_class(*, return_X_y: Literal[True]) -> tuple[NDArray[Any], NDArray[Any]]: ...
def load_going_to_class(*, return_X_y: bool = False) -> Bunch | tuple[NDArray[Any], NDArray[Any]]:
    """Load the eight students who do or do not go to class.

    Four categorical features: weather, health, teaching and topic importance. The stump "sick or
    not" errs on row 7 alone.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(X, y)`` instead of a Bunch.

    Returns
    -------
    Bunch or (X, y)
        ``data``, an object array (8, 4) of texts; ``target``, "Yes" or "No"; ``feature_names``,
        ``target_names`` and ``DESCR``.

    Notes
    -----
    Source: a worked example from lectures on boosting; no licence is stated.

    Examples
    --------
    >>> from maxmargin.datasets import load_going_to_class
    >>> X, y = load_going_to_class(return_X_y=True)
    >>> print(X[6], y[6])
    ['Rainy' 'Good' 'Mediocre' 'Medium'] No
    """
    columns = read_texts("going_to_class.csv")
    del columns["instance"]
    y = columns.pop("going").astype(str)
    X = np.column_stack(list(columns.values()))
    return (X, y) if return_X_y else _bunch(X, y, list(columns), "Who goes to class: eight rows.")


@overload
def load_ten_points(*, return_X_y: Literal[False] = ...) -> Bunch: ...
@overload
def load_ten_points(*, return_X_y: Literal[True]) -> tuple[NDArray[Any], NDArray[Any]]: ...
def load_ten_points(*, return_X_y: bool = False) -> Bunch | tuple[NDArray[Any], NDArray[Any]]:
    """Load the ten points on which three rounds of AdaBoost with stumps reach no error.

    The stumps' weighted errors are 0.30, 0.21 and 0.14; their coefficients 0.42, 0.65 and 0.92.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(X, y)`` instead of a Bunch.

    Returns
    -------
    Bunch or (X, y)
        ``data`` (10, 2); ``target``, five +1 and then five -1; ``feature_names``,
        ``target_names`` and ``DESCR``.

    Notes
    -----
    Source: laid out to give the figures of a worked example from lectures on boosting; no licence
    is stated.

    Examples
    --------
    >>> from maxmargin.datasets import load_ten_points
    >>> X, y = load_ten_points(return_X_y=True)
    >>> print(y)
    [ 1  1  1  1  1 -1 -1 -1 -1 -1]
    """
    points = read_numbers("ten_points.csv")
    X, y = points[:, :2].copy(), points[:, 2].astype(np.intp)
    return (X, y) if return_X_y else _bunch(X, y, ["x1", "x2"], "Ten points for AdaBoost.")


def _bunch(X: NDArray[Any], y: NDArray[Any], feature_names: list[str], descr: str) -> Bunch:
    return Bunch(
        data=X, target=y, feature_names=feature_names, target_names=np.unique(y), DESCR=descr
    )
