"""Words and other categories as codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from maxmargin.export.error import refuse
from maxmargin.export.registry import Frame, as_matrix
from maxmargin.export.tensor import Tensor, beside


def places_of(words: Tensor, known: Sequence[str]) -> Tensor:
    """Return the place of each word among known ones, -1 for others.

    Parameters
    ----------
    words : Tensor
        (rows, 1).
    known : sequence of str
        Distinct.

    Returns
    -------
    Tensor
        Places of shape (rows, 1).
    """
    if not known:
        return words.filled(np.int64(-1), 1)
    return words.graph.node(
        "LabelEncoder",
        words,
        domain="ai.onnx.ml",
        keys_strings=[*known],
        values_int64s=[*range(len(known))],
        default_int64=-1,
    )


def number_places(x: Tensor, known: Any) -> Tensor:
    """Return the place of each number among known ones, -1 for others.

    Parameters
    ----------
    x : Tensor
        (rows, 1).
    known : array-like of float

    Returns
    -------
    Tensor
    """
    same = x.equals(np.asarray(known, np.float64)[None])
    any_of = same.as_kind("number").max() > 0.0
    place = same.as_kind("number").argmax().shaped(-1, 1)
    return any_of.where(place, np.int64(-1))


def coded(column: Tensor, kind: str, codes: Mapping[Any, int]) -> Tensor:
    """Return the codes of categories as numbers; unknown and missing ones are NaN.

    Parameters
    ----------
    column : Tensor
        (rows, 1).
    kind : {"number", "word"}
    codes : mapping
        Of categories to codes.

    Returns
    -------
    Tensor
        (rows, 1).
    """
    known = [*codes]
    texts = all(isinstance(each, str) for each in known)
    if kind == "word":
        if not texts:
            raise refuse("A column of categories", "it holds words here and numbers in the fit")
        place = places_of(column, known)
    else:
        if texts and known:
            raise refuse("A column of categories", "it holds numbers here and words in the fit")
        place = number_places(column, known) if known else column.filled(np.int64(-1), 1)
    numbers = np.array([*codes.values(), np.nan], np.float64)
    found = (place < np.int64(0)).where(np.int64(len(known)), place)
    return column.graph.constant(numbers).take(found, axis=0)


def coded_matrix(model: Any, X: Tensor | Frame) -> Tensor:
    """Return rows as the stumps and trees of a model read them: categories as codes.

    Parameters
    ----------
    model : estimator
    X : Tensor or Frame

    Returns
    -------
    Tensor
    """
    if getattr(model, "is_categorical_", None) is None:
        return as_matrix(X)
    columns = []
    for j in range(model.n_features_in_):
        column, kind = (X.take([j]), "number") if isinstance(X, Tensor) else column_of(X, j)
        codes = model._categories.get(j)
        if codes is not None:
            column = coded(column, kind, codes)
        elif kind != "number":
            raise refuse(f"Column {j}", "the model reads numbers there")
        columns.append(column)
    return beside(columns)


def column_of(X: Frame, j: int) -> tuple[Tensor, str]:
    """Return a column of a frame and its kind."""
    return X.columns[j], X.kinds[j]
