"""The Heart data of *An Introduction to Statistical Learning*."""

from pathlib import Path
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from maxmargin.datasets.shipped import DATA, read_texts

_TARGET = "AHD"
_CATEGORICAL = ("ChestPain", "Thal")

Table = dict[str, NDArray[Any]]


def heart_path() -> Path:
    """Return the path of the shipped csv file: 303 rows, missing values as empty cells.

    Examples
    --------
    >>> from maxmargin.datasets import heart_path
    >>> heart_path().name
    'heart.csv'
    """
    return DATA / "heart.csv"


@overload
def load_heart(*, complete: bool = ..., as_table: Literal[True]) -> Table: ...
@overload
def load_heart(
    *, return_X_y: Literal[True], complete: bool = ..., as_table: Literal[False] = ...
) -> tuple[NDArray[Any], NDArray[Any]]: ...
@overload
def load_heart(
    *,
    return_X_y: Literal[False] = ...,
    complete: bool = ...,
    as_table: Literal[False] = ...,
) -> Bunch: ...
def load_heart(
    *, return_X_y: bool = False, complete: bool = True, as_table: bool = False
) -> Bunch | tuple[NDArray[Any], NDArray[Any]] | Table:
    """Load the Heart data: 13 measurements of a patient, and whether the heart is diseased.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(X, y)`` instead of a Bunch.
    complete : bool, default=True
        Keep only the 297 patients without a missing value, as the book does. With False all 303
        are kept, and what is missing (Ca of four patients, Thal of two) is NaN.
    as_table : bool, default=False
        Return the raw columns instead: a dict from each name, the target ``"AHD"`` included, to
        its values. Numbers are float arrays with NaN where missing, texts are object arrays with
        None. ``polars.DataFrame`` and ``pandas.DataFrame`` take the dict as it is.

    Returns
    -------
    Bunch, (X, y) or dict
        ``data``, a float matrix of 18 columns (eleven numbers; the categories of ChestPain and
        Thal as indicators), not scaled; ``target``, the texts "No" and "Yes"; ``feature_names``,
        ``target_names``, ``filename`` and ``DESCR``.

    Notes
    -----
    Source: Janosi, Steinbrunn, Pfisterer and Detrano, Heart Disease (Cleveland), UCI Machine
    Learning Repository, CC BY 4.0; columns named as by James, Witten, Hastie and Tibshirani.

    Examples
    --------
    >>> from maxmargin.datasets import load_heart
    >>> heart = load_heart()
    >>> heart.data.shape
    (297, 18)
    >>> heart.feature_names[2:4]
    ['ChestPain=asymptomatic', 'ChestPain=nonanginal']
    >>> print(heart.target[:3])
    ['No' 'Yes' 'Yes']
    """
    if as_table and return_X_y:
        raise ValueError("load_heart: return_X_y and as_table exclude each other; set only one.")
    table = _read(complete)
    if as_table:
        return table
    y = table.pop(_TARGET).astype(str)
    features = _encode(table)
    X = np.column_stack(list(features.values()))
    return (X, y) if return_X_y else _bunch(X, y, list(features))


def _read(complete: bool) -> Table:
    texts = read_texts("heart.csv")
    missing = np.column_stack(list(texts.values())) == ""
    rows = ~missing.any(axis=1) if complete else np.ones(len(missing), dtype=bool)
    return {name: _parse(name, column[rows]) for name, column in texts.items()}


def _parse(name: str, texts: NDArray[Any]) -> NDArray[Any]:
    if name in _CATEGORICAL or name == _TARGET:
        return np.array([text or None for text in texts], dtype=object)
    return np.array([float(text or "nan") for text in texts])


def _encode(table: Table) -> Table:
    features: Table = {}
    for name, column in table.items():
        features |= _indicators(name, column) if name in _CATEGORICAL else {name: column}
    return features


def _indicators(name: str, column: NDArray[Any]) -> Table:
    known = np.array([value is not None for value in column])
    levels = sorted(set(column[known]))
    return {f"{name}={level}": np.where(known, column == level, np.nan) for level in levels}


def _bunch(X: NDArray[Any], y: NDArray[Any], feature_names: list[str]) -> Bunch:
    return Bunch(
        data=X,
        target=y,
        feature_names=feature_names,
        target_names=np.array(["No", "Yes"]),
        filename=str(heart_path()),
        DESCR="ISLR Heart: does a patient have heart disease (AHD), from 13 measurements.",
    )
