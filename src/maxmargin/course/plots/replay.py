"""A fitted vote played again: what its members said, and what was weighed, round by round.

With t in {-1, +1}, H_T = sum over t <= T of alpha_t h_t and w_1 the weights given to ``fit``, the
weights that AdaBoost's weak learner of round T + 1 sees are w_1 exp(-t H_T(x)), normalised: the
product of all updates so far. They are therefore worked out from a fitted model alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxmargin.evaluation.members import (
    coefficients,
    coefficients_after,
    is_corrected,
    labels,
    nameless,
    shares,
)
from maxmargin.inputs.labels import weigh_classes
from maxmargin.inputs.weights import read_weight

Array: TypeAlias = NDArray[Any]

_SAME = 1e-6  # how far rounding may move the error of a round that is played again


def choose_rounds(rounds: Iterable[int] | None, default: Iterable[int], count: int) -> Array:
    """Sort the numbers of rounds that were asked for, refusing those a model does not have."""
    chosen = np.unique([*(default if rounds is None else rounds)])
    if chosen.size == 0 or chosen[0] < 1 or chosen[-1] > count:
        raise ValueError(
            f"rounds must be some of 1, ..., {count}, those of the model. Got {rounds!r}."
        )
    return chosen


def refuse_corrected(model: Any) -> None:
    """Raise for a model whose rounds have no separate coefficient to write beside them."""
    if is_corrected(model):
        raise ValueError(
            "Rounds are drawn of models that find one coefficient in each; corrective=True fits "
            "all of them again; draw plots.error_curves or plots.margin_distribution instead."
        )


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


def leader(model: Any, rows: Any, number: int) -> Array:
    """Return the index of the class with most votes after the first members."""
    share = next(islice(shares(model, rows), number - 1, None))
    return np.asarray(share.argmax(axis=1))


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


def first_weights(model: Any, y: Array, given: ArrayLike | None) -> Array:
    """Return the weights before the first round: those of ``fit``, times the class weights."""
    _refuse_other_number(model, y)
    weight = read_weight(given, len(y))
    factors = weigh_classes(getattr(model, "class_weight", None), model.classes_, y)
    weight = weight * factors[np.searchsorted(model.classes_, y)]
    if getattr(model, "n_iter_no_change", None) is not None:  # some rows were held out
        weight = np.where(model.weights_ > 0, weight, 0.0)
    return np.asarray(weight / weight.sum())


def _refuse_other_number(model: Any, y: Array) -> None:
    fitted = getattr(model, "weights_", y)  # scikit-learn's do not say of how many rows they are
    if len(fitted) != len(y):
        raise ValueError(
            f"X has {len(y)} rows, but rounds are drawn of the {len(fitted)} rows that the model "
            "was fitted to."
        )


def learned(model: Any, rows: Any, y: Array, chosen: Array, first: Array) -> tuple[Array, Array]:
    """Return the weights in the chosen rounds and the indices of the classes predicted.

    With any number of classes a wrong row's weight is multiplied by exp(2 alpha), which for two is
    the update above but for a factor of all rows.
    """
    label, wrong = np.searchsorted(model.classes_, y), []
    weight, seen, said = first, [], []
    for number, named in enumerate(labels(model, rows), 1):
        if number in chosen:
            seen.append(weight)
            said.append(named)
        if number == chosen[-1]:
            break
        wrong.append(named != label)
        alphas = coefficients_after(model, number)
        if is_corrected(model):
            against = sum(alpha * each for alpha, each in zip(alphas, wrong, strict=True))
            weight = first * np.exp(2.0 * (against - np.max(against)))
        else:
            weight = weight * np.exp(2.0 * alphas[-1] * wrong[-1])
        weight = weight / weight.sum()
    weights, places = np.array(seen), np.array(said)
    refuse_other_rows(model, chosen, (weights * (places != label)).sum(axis=1))
    return weights, places


def refuse_other_rows(model: Any, chosen: Array, errors: Array) -> None:
    """Raise where the errors of rounds played again are not those that the fit found."""
    found = model.estimator_errors_[chosen - 1]
    off = np.flatnonzero(~np.isclose(errors, found, rtol=0.0, atol=_SAME))
    if len(off):
        raise ValueError(
            f"Round {chosen[off[0]]} has the error {errors[off[0]]:.4f} on these rows and had "
            f"{found[off[0]]:.4f} in the fit: rounds are drawn of the X, y and sample_weight that "
            "the model was fitted to."
        )


def weights(before: Array, t: Array, first: Array) -> Array:
    """Work out the weights from the ensembles before each round: w_1 exp(-t H), normalised."""
    exponent = -t * before
    weight = first * np.exp(exponent - exponent.max(axis=1, keepdims=True))
    return np.asarray(weight / weight.sum(axis=1, keepdims=True))
