"""A fitted vote played again: what its members said, and what was weighed, round by round.

With t in {-1, +1}, H_T = sum over t <= T of alpha_t h_t and w_1 the weights given to ``fit``, the
weights that AdaBoost's weak learner of round T + 1 sees are w_1 exp(-t H_T(x)), normalised: the
product of all updates so far. They are therefore worked out from a fitted model alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import is_classifier

Array: TypeAlias = NDArray[Any]


def choose_rounds(rounds: Iterable[int] | None, default: Iterable[int], count: int) -> Array:
    """Sort the numbers of rounds that were asked for, refusing those a model does not have."""
    chosen = np.unique([*(default if rounds is None else rounds)])
    if chosen.size == 0 or chosen[0] < 1 or chosen[-1] > count:
        raise ValueError(
            f"rounds must be some of 1, ..., {count}, those of the model. Got {rounds!r}."
        )
    return chosen


def coefficients(model: Any) -> Array | None:
    """Give the alphas of an AdaBoost, ours or scikit-learn's; None for any other model."""
    if not is_classifier(model) or not hasattr(model, "estimator_errors_"):
        return None
    return 0.5 * np.asarray(model.estimator_weights_[: len(model.estimators_)], np.float64)


def is_bag(model: Any) -> bool:
    """Whether a model averages classifiers of samples: bagging and forests, scikit-learn's too."""
    return is_classifier(model) and hasattr(type(model), "estimators_samples_")


def votes(model: Any, rows: Any, chosen: Array) -> tuple[Array, Array]:
    """Ask the weak learners in turn; keep what they and their sum say in the chosen rounds."""
    rows = _nameless(rows)
    total, members, ensembles = np.zeros(rows.shape[0]), [], []
    alphas = coefficients(model)
    assert alphas is not None
    for number, (alpha, member) in enumerate(zip(alphas, model.estimators_, strict=True), 1):
        vote = np.where(member.predict(rows) == model.classes_[1], 1.0, -1.0)
        total = total + alpha * vote
        if number in chosen:
            members.append(vote)
            ensembles.append(total)
        if number == chosen[-1]:
            break
    return np.array(members), np.array(ensembles)


def shares(model: Any, rows: Any) -> Iterator[Array]:
    """Give the share of each class in the vote of an AdaBoost or a bag after every member."""
    rows, alphas = _nameless(rows), coefficients(model)
    shape = rows.shape[0], len(model.classes_)
    total, cast = np.zeros(shape), 0.0
    for k, member in enumerate(model.estimators_):
        weight = 1.0 if alphas is None else float(alphas[k])
        seen = rows[:, model.estimators_features_[k]] if _draws_features(model) else rows
        total += weight * (_sure(model, member, seen) if alphas is not None else
                           _average(member, seen, shape))  # fmt: skip
        cast += weight
        yield total / cast


def margins(model: Any, rows: Any, y: ArrayLike, chosen: Array) -> dict[int, Array]:
    """Work out normalised margins after some members: the label's share less the next best."""
    label = np.searchsorted(model.classes_, np.asarray(y))
    found, place = {}, np.arange(len(label))
    for number, share in enumerate(shares(model, rows), 1):
        if number in chosen:
            rest = share.copy()
            rest[place, label] = -np.inf
            found[number] = share[place, label] - rest.max(axis=1)
    return found


def weights(before: Array, t: Array, first: ArrayLike | None) -> Array:
    """Work out the weights from the ensembles before each round: w_1 exp(-t H), normalised."""
    start = np.ones(len(t)) if first is None else np.asarray(first, np.float64)
    exponent = -t * before
    weight = start * np.exp(exponent - exponent.max(axis=1, keepdims=True))
    return np.asarray(weight / weight.sum(axis=1, keepdims=True))


def _nameless(rows: Any) -> Any:
    """Leave the names of features away: members were fitted without them."""
    return rows.tocsr() if sparse.issparse(rows) else np.asarray(rows)


def _draws_features(model: Any) -> bool:
    return hasattr(model, "estimators_features_")


def _sure(model: Any, member: Any, rows: Any) -> Array:
    """Count 1 for the class that a member names."""
    named = np.searchsorted(model.classes_, member.predict(rows))
    return np.eye(len(model.classes_))[named]


def _average(member: Any, rows: Any, shape: tuple[int, int]) -> Array:
    """Give a member's probabilities, or 1 for what it predicts; its classes are places."""
    if not hasattr(member, "predict_proba"):
        return np.eye(shape[1])[np.asarray(member.predict(rows), np.intp)]
    said = np.zeros(shape)
    said[:, np.asarray(member.classes_, np.intp)] = member.predict_proba(rows)
    return said
