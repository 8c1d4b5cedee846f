"""The members of a fitted vote, asked in turn: of AdaBoost, bagging and forests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import is_classifier

Array: TypeAlias = NDArray[Any]


def coefficients(model: Any) -> Array | None:
    """Return the alphas of an AdaBoost, ours or scikit-learn's; None for any other model."""
    if not is_classifier(model) or not hasattr(model, "estimator_errors_"):
        return None
    return 0.5 * np.asarray(model.estimator_weights_[: len(model.estimators_)], np.float64)


def is_corrected(model: Any) -> bool:
    """Return whether each round of a model fitted the coefficients of all members again."""
    return bool(getattr(model, "_corrected", False))


def coefficients_after(model: Any, rounds: int) -> Array:
    """Return the alphas of the first members after a number of rounds."""
    if is_corrected(model):
        return 0.5 * np.asarray(model._weights_after(rounds), np.float64)
    alphas = coefficients(model)
    assert alphas is not None
    return alphas[:rounds]


def is_bag(model: Any) -> bool:
    """Return whether a model averages classifiers of samples: bagging or a forest."""
    return is_classifier(model) and hasattr(type(model), "estimators_samples_")


def nameless(rows: Any) -> Any:
    """Leave the names of features away: members were fitted without them."""
    return rows.tocsr() if sparse.issparse(rows) else np.asarray(rows)


def labels(model: Any, rows: Any) -> Iterator[Array]:
    """Return the predicted classes of each member, as indices among the model's classes."""
    for member, seen in _each(model, nameless(rows)):
        yield _places(model, member, seen)


def shares(model: Any, rows: Any) -> Iterator[Array]:
    """Return the share of each class in the vote of an AdaBoost or a bag after every member."""
    rows, alphas = nameless(rows), coefficients(model)
    shape = rows.shape[0], len(model.classes_)
    if is_corrected(model):
        yield from _corrected_shares(model, rows, shape)
        return
    total, cast = np.zeros(shape), 0.0
    for k, (member, seen) in enumerate(_each(model, rows)):
        weight = 1.0 if alphas is None else float(alphas[k])
        sure = alphas is not None or not hasattr(member, "predict_proba")
        total += weight * (np.eye(shape[1])[_places(model, member, seen)] if sure else
                           _average(member, seen, shape))  # fmt: skip
        cast += weight
        yield total / cast


def _corrected_shares(model: Any, rows: Any, shape: tuple[int, int]) -> Iterator[Array]:
    """Return vote shares if every round has separate coefficients for all members."""
    said: list[Array] = []
    for named in labels(model, rows):
        said.append(np.eye(shape[1])[named])
        alphas, total = coefficients_after(model, len(said)), np.zeros(shape)
        for alpha, votes in zip(alphas, said, strict=True):
            total += alpha * votes
        yield total / alphas.sum()


def staged_labels(model: Any, rows: Any) -> Iterator[Array]:
    """Return the labels that the model would predict after each member."""
    if hasattr(model, "staged_predict"):
        return iter(model.staged_predict(rows))
    return (model.classes_[share.argmax(axis=1)] for share in shares(model, rows))


def _each(model: Any, rows: Any) -> Iterator[tuple[Any, Any]]:
    """Return each member with the columns it uses."""
    drawn = getattr(model, "estimators_features_", None)
    for k, member in enumerate(model.estimators_):
        yield member, rows if drawn is None else rows[:, drawn[k]]


def _places(model: Any, member: Any, rows: Any) -> Array:
    """Return the indices of a member's labels; those of a bag's members are indices already."""
    said = member.predict(rows)
    return np.asarray(said, np.intp) if is_bag(model) else np.searchsorted(model.classes_, said)


def _average(member: Any, rows: Any, shape: tuple[int, int]) -> Array:
    """Return a member's probabilities; its classes are indices."""
    said = np.zeros(shape)
    said[:, np.asarray(member.classes_, np.intp)] = member.predict_proba(rows)
    return said
