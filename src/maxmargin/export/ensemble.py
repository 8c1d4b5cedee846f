"""Stumps and sums of weak learners as tensors.

Sums are added in the order of the rounds (``Tensor.running``), so that they have the bits of ours
and labels agree where votes are equal.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin import losses
from maxmargin.bagging import BaggingClassifier
from maxmargin.boosting.additive_model import AdditiveModel
from maxmargin.boosting.classifier import BoostingClassifier
from maxmargin.boosting.vote import WeightedVote
from maxmargin.export.categories import coded_matrix
from maxmargin.export.error import refuse
from maxmargin.export.machine import class_probabilities, respond
from maxmargin.export.registry import convert, converts
from maxmargin.export.result import Additive, Classes, Quantity, Result, by_sign
from maxmargin.export.tensor import Tensor, beside, softmax
from maxmargin.trees.split import Split
from maxmargin.trees.stump import DecisionStump, RegressionStump
from maxmargin.trees.stump_ensemble import StumpEnsemble

Vector = NDArray[np.float64]


def right_sides(stumps: StumpEnsemble, X: Tensor) -> Tensor:
    """Return which stumps send each row to the right, as flags of shape (rows, stumps).

    Parameters
    ----------
    stumps : StumpEnsemble
    X : Tensor
        Codes of categories, and numbers; NaN is missing.

    Returns
    -------
    Tensor
    """
    asks = stumps.feature >= 0
    x = X.take(np.where(asks, stumps.feature, 0))
    missing = np.where(asks, stumps.missing_right, False)
    threshold = np.where(asks, stumps.threshold, np.inf)
    gone = x.isnan()
    right = (gone & missing[None]) | (~gone & (x > threshold[None]))
    sorts = np.flatnonzero(asks & (stumps.end > stumps.begin))
    if not len(sorts):
        return right
    chosen = beside([_by_codes(stumps, t, X) for t in sorts.tolist()])
    place = np.full(len(stumps), -1)
    place[sorts] = np.arange(len(sorts))
    sorted_out = chosen.take(np.maximum(place, 0))
    among = (place >= 0)[None]
    return (sorted_out & among) | (right & ~among)


def _by_codes(stumps: StumpEnsemble, t: int, X: Tensor) -> Tensor:
    """Look up the side of a category; unknown ones go where missing values go."""
    sides = stumps.chosen[stumps.begin[t] : stumps.end[t]]
    table = np.append(sides, stumps.missing_right[t])
    x = X.take([int(stumps.feature[t])])
    known = (x >= 0.0) & (x < float(len(sides)))
    place = known.where(x, float(len(sides))).as_kind("place")
    return X.graph.constant(table).take(place, axis=0).shaped(-1, 1)


def chosen_values(right: Tensor, low: Any, high: Any) -> Tensor:
    """Return the value of each stump's side, of shape (rows, stumps)."""
    return right.where(np.asarray(high, np.float64)[None], np.asarray(low, np.float64)[None])


def ordered_sum(values: Tensor, count: int, start: float | None = None) -> Tensor:
    """Add up columns one after the other; return shape (rows, 1).

    Parameters
    ----------
    values : Tensor
    count : int
        Columns.
    start : float, optional
        What they are added to.

    Returns
    -------
    Tensor
    """
    if start is not None:
        values, count = values.filled(np.float64(start), 1).beside(values), count + 1
    return values.running().take([count - 1])


def _rows(model: Any, X: Any) -> Tensor:
    return coded_matrix(model, X)


@converts(WeightedVote)
def _vote(model: Any, X: Any) -> Result:
    count = len(model.classes_)
    if model._stumps is None:
        votes, total = _member_votes(model, X)
    else:
        votes, total = _stump_votes(model, _rows(model, X))
    if count == 2:
        decision = 2.0 * votes / total
        half = decision * 0.5
        p = softmax((-half).beside(half))
    else:
        decision = (float(count) * (votes / total) - 1.0) / (count - 1.0)
        p = softmax(decision / (count - 1.0))
    additive = _vote_parts(model, X, total) if count == 2 else None
    return by_sign(decision, model.classes_, probability=p, additive=additive)


def _weights(model: Any) -> tuple[Vector, float]:
    weights = np.asarray(model._weights_after(len(model.estimators_)), np.float64)
    return weights, float(np.cumsum(weights)[-1])


def _stump_votes(model: Any, X: Tensor) -> tuple[Tensor, float]:
    stumps, (weights, total) = model._stumps, _weights(model)
    right = right_sides(stumps, X)
    if len(model.classes_) == 2:
        values = chosen_values(right, weights * stumps.left, weights * stumps.right)
        return ordered_sum(values, len(stumps)), total
    said = right.where(stumps.right[None], stumps.left[None])
    return _class_votes(said, weights, len(model.classes_)), total


def _class_votes(said: Tensor, weights: Vector, count: int) -> Tensor:
    """Add up the weights of the members that say each class; ``said`` is (rows, members)."""
    lines = [
        ordered_sum(said.equals(np.float64(c)).where(weights[None], np.float64(0.0)), len(weights))
        for c in range(count)
    ]
    return beside(lines)


def _member_votes(model: Any, X: Any) -> tuple[Tensor, float]:
    weights, total = _weights(model)
    numbers = [_class_number(member, X, model.classes_) for member in model.estimators_]
    said = beside([each.as_kind("number").shaped(-1, 1) for each in numbers])
    if len(model.classes_) == 2:
        signed = said.equals(np.float64(1.0)).where(weights[None], -weights[None])
        return ordered_sum(signed, len(weights)), total
    return _class_votes(said, weights, len(model.classes_)), total


def _class_number(member: Any, X: Any, classes: Any) -> Tensor:
    """Return the place of a member's prediction among the ensemble's classes."""
    found = convert(member, X)
    if not isinstance(found, Classes):
        raise refuse(member, "a vote needs members that predict classes")
    places = np.searchsorted(np.asarray(classes), np.asarray(found.labels))
    return found.number.graph.constant(places).take(found.number, axis=0)


def _vote_parts(model: Any, X: Any, total: float) -> Additive | None:
    if model._stumps is None:
        return None
    stumps, (weights, _) = model._stumps, _weights(model)
    factor = 2.0 / total
    low, high = factor * weights * stumps.left, factor * weights * stumps.right
    return stump_parts(stumps, low, high, _rows(model, X), model.n_features_in_, 0.0)


def stump_parts(
    stumps: StumpEnsemble, low: Vector, high: Vector, X: Tensor, columns: int, start: float
) -> Additive:
    """Return what the stumps of each column add.

    Parameters
    ----------
    stumps : StumpEnsemble
    low, high : ndarray
        The values of their sides.
    X : Tensor
    columns : int
    start : float
        The constant.

    Returns
    -------
    Additive
    """
    values = chosen_values(right_sides(stumps, X), low, high)
    indicator = np.zeros((len(stumps), columns))
    asks = np.flatnonzero(stumps.feature >= 0)
    indicator[asks, stumps.feature[asks]] = 1.0
    constant = start + float(low[stumps.feature < 0].sum())
    return Additive(values @ indicator, tuple(f"x{j}" for j in range(columns)), constant)


def additive_values(model: AdditiveModel, X: Any) -> Tensor:
    """Return F of rows, of shape (rows, functions).

    Parameters
    ----------
    model : AdditiveModel
    X : Tensor or Frame

    Returns
    -------
    Tensor
    """
    rows = _rows(model, X)
    lines = []
    for k, function in enumerate(model._functions):
        steps, start = np.asarray(model.coefficients_[:, k]), float(model.constants_[k])
        if isinstance(function, StumpEnsemble):
            right = right_sides(function, rows)
            values = chosen_values(right, steps * function.left, steps * function.right)
            lines.append(ordered_sum(values, len(function), start))
        else:
            used = [(m, c) for m, c in zip(function, steps.tolist(), strict=True) if c != 0.0]
            said = [_member_value(member, rows) * c for member, c in used]
            begun = rows.filled(np.float64(start), 1)
            lines.append(ordered_sum(begun.beside(*said), len(said) + 1))
    return beside(lines)


def _member_value(member: Any, X: Tensor) -> Tensor:
    """Return what a member says, of shape (rows, 1)."""
    if isinstance(member, Split) or hasattr(member, "right_side"):
        stumps = StumpEnsemble([member])
        return chosen_values(right_sides(stumps, X), stumps.left, stumps.right)
    found = convert(member, X)
    if isinstance(found, Quantity):
        return found.value
    labels = np.asarray(found.labels, np.float64)
    return found.number.graph.constant(labels).take(found.number, axis=0).shaped(-1, 1)


@converts(BoostingClassifier)
def _boosted_classes(model: Any, X: Any) -> Result:
    values, count = additive_values(model, X), len(model.classes_)
    proper = hasattr(model, "predict_proba")
    found = class_probabilities(losses.named(model.loss), values, count) if proper else None
    return by_sign(values, model.classes_, probability=found, additive=_parts(model, X))


def _parts(model: Any, X: Any) -> Additive | None:
    if len(model._functions) != 1 or not isinstance(model._functions[0], StumpEnsemble):
        return None
    stumps, steps = model._functions[0], np.asarray(model.coefficients_[:, 0])
    low, high = steps * stumps.left, steps * stumps.right
    start = float(model.constants_[0])
    return stump_parts(stumps, low, high, _rows(model, X), model.n_features_in_, start)


@converts(AdditiveModel)
def _boosted_value(model: Any, X: Any) -> Result:
    values = additive_values(model, X)
    loss = getattr(model, "_loss", None)
    return Quantity(values if loss is None else _answered(model, values), _parts(model, X))


def _answered(model: Any, values: Tensor) -> Tensor:
    loss = model._loss()
    return respond(loss, values) if hasattr(loss, "response") else values


@converts(DecisionStump)
def _stump(model: Any, X: Any) -> Result:
    split = model.split_
    stumps = StumpEnsemble([split])
    side = right_sides(stumps, _rows(model, X)).as_kind("place").shaped(-1)
    shares = np.asarray(model._leaf_shares(), np.float64)
    p = side.graph.constant(shares).take(side, axis=0)
    low, high = _leaf_numbers(model, split)
    number = side.graph.constant(np.array([low, high])).take(side, axis=0)
    return Classes(number, model.classes_, None, p)


def _leaf_numbers(model: Any, split: Split) -> tuple[int, int]:
    from maxmargin.trees.label_search import leaf_classes  # noqa: PLC0415

    low, high = leaf_classes(split, len(model.classes_))
    return int(low), int(high)


@converts(RegressionStump)
def _regression_stump(model: Any, X: Any) -> Result:
    return Quantity(_member_value(model.split_, _rows(model, X)))


@converts(BaggingClassifier)
def _bag(model: Any, X: Any) -> Result:
    count = len(model.classes_)
    if model._stored is not None:
        stumps, shares = model._stored, model._stored.leaf_shares()
        right = right_sides(stumps, _rows(model, X))
        lines = [
            ordered_sum(chosen_values(right, shares[:, 0, c], shares[:, 1, c]), len(stumps))
            for c in range(count)
        ]
        p = beside(lines) / float(len(stumps))
    else:
        rows = _rows(model, X)
        total = rows.filled(np.float64(0.0), count)
        for member in model.estimators_:
            total = total + _member_shares(member, rows, count)
        p = total / float(len(model.estimators_))
    return Classes(p.argmax(), model.classes_, None, p)


def _member_shares(member: Any, X: Tensor, count: int) -> Tensor:
    """Return a member's probabilities of all classes, whose labels are class numbers."""
    found = convert(member, X)
    if not isinstance(found, Classes):
        raise refuse(member, "a bag of classes needs members that predict classes")
    known = np.asarray(found.labels, np.intp)
    if found.probability is None or not hasattr(member, "predict_proba"):
        number = found.number.graph.constant(known).take(found.number, axis=0)
        return number.shaped(-1, 1).equals(np.arange(count)[None]).as_kind("number")
    spread = np.zeros((len(known), count))
    spread[np.arange(len(known)), known] = 1.0
    return found.probability @ spread


__all__ = ["additive_values", "ordered_sum", "right_sides"]
