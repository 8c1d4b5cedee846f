"""A fitted vote played again: what its members said, and what was weighed, round by round.

With t in {-1, +1}, H_T = sum over t <= T of alpha_t h_t and w_1 the weights given to ``fit``, the
weights that AdaBoost's weak learner of round T + 1 sees are w_1 exp(-t H_T(x)), normalised: the
product of all updates so far. They are therefore worked out from a fitted model alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxmargin.evaluation.members import coefficients, nameless, shares

Array: TypeAlias = NDArray[Any]


def choose_rounds(rounds: Iterable[int] | None, default: Iterable[int], count: int) -> Array:
    """Sort the numbers of rounds that were asked for, refusing those a model does not have."""
    chosen = np.unique([*(default if rounds is None else rounds)])
    if chosen.size == 0 or chosen[0] < 1 or chosen[-1] > count:
        raise ValueError(
            f"rounds must be some of 1, ..., {count}, those of the model. Got {rounds!r}."
        )
    return chosen


def votes(model: Any, rows: Any, chosen: Array) -> tuple[Array, Array]:
    """Ask the weak learners in turn; keep what they and their sum say in the chosen rounds."""
    rows = nameless(rows)
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
