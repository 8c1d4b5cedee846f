"""Glass boxes, wrappers of several classes, and neighbours as tensors."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from maxmargin import losses
from maxmargin.export.categories import coded, column_of
from maxmargin.export.ensemble import ordered_sum
from maxmargin.export.error import refuse
from maxmargin.export.machine import class_probabilities, dense, respond, squeezed
from maxmargin.export.registry import as_matrix, convert, converts
from maxmargin.export.result import Additive, Classes, Quantity, Result, by_sign
from maxmargin.export.tensor import Tensor, beside, softmax
from maxmargin.glass_box.classifier import GlassBoxClassifier
from maxmargin.glass_box.model import GlassBoxModel
from maxmargin.neighbors import KNeighborsClassifierCV, KNeighborsRegressorCV
from maxmargin.svm.multiclass import OneVsOneClassifier, OneVsRestClassifier, _Constant

_WIDE = 64  # columns; of more, squared distances are expanded into products

# glass boxes


def _bins(model: Any, X: Any, j: int) -> Tensor:
    """Return the bin of each row in a column, (rows, 1)."""
    column = model._binning.columns[j]
    x, kind = (X.take([j]), "number") if isinstance(X, Tensor) else column_of(X, j)
    if not column.categorical:
        if kind != "number":
            raise refuse(f"Column {j}", "the model reads numbers there")
        below = (x > column.cuts[None]).as_kind("number").sum() if len(column.cuts) else x * 0.0
        return x.isnan().where(np.float64(0.0), below + 1.0).as_kind("place")
    codes = coded(x, kind, model._categories[j])
    known = np.append(column.members, column.n_bins + 1)
    at = codes.isnan().where(float(len(known) - 1), codes).clip(0.0, float(len(known) - 1))
    found = x.graph.constant(known).take(at.as_kind("place"), axis=0)
    missing = x.isnan() if kind == "number" else x.equals(np.array("", object))
    return missing.where(np.int64(0), found)


def _contributions(model: Any, X: Any, function: int) -> list[Tensor]:
    bins: dict[int, Tensor] = {}
    parts = []
    for term in model._terms:
        for j in term.columns:
            if j not in bins:
                bins[j] = _bins(model, X, j)
        place = bins[term.columns[0]]
        if len(term.columns) == 2:
            a, b = (
                place.graph.constant(np.asarray(of, np.int64)).take(bins[j], axis=0)
                for of, j in zip(term.coarse, term.columns, strict=True)
            )
            place = a * np.int64(term.weight.shape[1]) + b
        line = term.values.reshape(len(term.values), -1)[function]
        parts.append(place.graph.constant(line).take(place, axis=0))
    return parts


@converts(GlassBoxModel)
def _glass_box(model: Any, X: Any) -> Result:
    lines = []
    first = X if isinstance(X, Tensor) else X.columns[0]
    for k, start in enumerate(model.constants_.tolist()):
        parts = _contributions(model, X, k)
        begun = beside([first.filled(np.float64(start), 1), *parts])
        lines.append(ordered_sum(begun, len(parts) + 1))
    values, additive = beside(lines), None
    if len(lines) == 1 and model._terms:
        names = tuple(term.name for term in model._terms)
        additive = Additive(beside(parts), names, float(model.constants_[0]))
    if not isinstance(model, GlassBoxClassifier):
        return Quantity(respond(model._loss(), values), additive)
    loss, count = model._loss(), len(model.classes_)
    if count > 2 and loss == losses.Logistic():
        return by_sign(values, model.classes_, probability=softmax(values))
    p = class_probabilities(loss, values, count)
    return by_sign(values, model.classes_, probability=p, additive=additive)


# several classes


def _pair_value(member: Any, X: Any) -> tuple[Tensor, Tensor]:
    """Return which of two classes a member predicts, and how surely, both (rows, 1)."""
    if isinstance(member, _Constant):
        first = as_matrix(X)
        same = first.filled(np.float64(member.value), 1)
        return same, same
    found = convert(member, X)
    if not isinstance(found, Classes):
        raise refuse(member, "it predicts no classes")
    second = found.number.as_kind("number").shaped(-1, 1)
    if found.decision is not None and found.shown:
        return second, found.decision
    if found.probability is None:
        raise refuse(member, "it has neither decision values nor probabilities")
    return second, found.probability.take([1])


@converts(OneVsRestClassifier)
def _one_vs_rest(model: Any, X: Any) -> Result:
    if model.multilabel_ or model.label_binarizer_.y_type_ not in ("multiclass", "binary"):
        raise refuse(model, "several labels a row are not written")
    members = [_pair_value(each, X) for each in model.estimators_]
    values = beside([value for _, value in members])
    if len(members) == 1:
        number = members[0][0].as_kind("place").shaped(-1)
        return Classes(number, model.classes_, values)
    return Classes(values.argmax(), model.classes_, values)


@converts(OneVsOneClassifier)
def _one_vs_one(model: Any, X: Any) -> Result:
    if model.pairwise_indices_ is not None:
        raise refuse(model, "its members need kernel values with the training rows")
    members, count = [_pair_value(each, X) for each in model.estimators_], len(model.classes_)
    gain, start = np.zeros((len(members), count)), np.zeros(count)
    for pair, (i, j) in enumerate(combinations(range(count), 2)):
        gain[pair, j], gain[pair, i] = 1.0, -1.0
        start[i] += 1.0
    votes = beside([won for won, _ in members]) @ gain + start[None]
    values = beside([value for _, value in members])
    summary = votes + squeezed(-values, count)
    if count == 2:
        number = members[0][0].as_kind("place").shaped(-1)
        return Classes(number, model.classes_, summary.take([1]))
    return Classes(summary.argmax(), model.classes_, summary)


# neighbours


@converts(KNeighborsClassifierCV, KNeighborsRegressorCV)
def _chosen_neighbours(model: Any, X: Any) -> Result:
    return convert(model.best_estimator_, X)


def _neighbours(model: Any, X: Any) -> tuple[Tensor, Tensor]:
    """Return the places of the nearest training rows and their weights, (rows, neighbours)."""
    plain = model.effective_metric_ in ("euclidean", "minkowski")
    if not plain or model.effective_metric_params_.get("p", 2) != 2:
        raise refuse(model, "only Euclidean distances are written")
    if model.weights not in ("uniform", "distance"):
        raise refuse(model, "a Python function cannot be written as a graph")
    rows, known = as_matrix(X), dense(model._fit_X)
    squared = _squared(rows, known)
    distance, place = _smallest(squared, int(model.n_neighbors))
    if model.weights == "uniform":
        return place, (distance * 0.0) + 1.0
    root = distance.sqrt()
    same = (root <= 0.0).as_kind("number")
    exact = same.max() > 0.0
    safe = (root <= 0.0).where(np.float64(1.0), root)
    return place, exact.where(same, 1.0 / safe)


def _squared(rows: Tensor, known: Any) -> Tensor:
    if known.shape[1] > _WIDE:
        lengths = (rows * rows).sum() + np.square(known).sum(axis=1)[None]
        return (lengths - 2.0 * (rows @ np.ascontiguousarray(known.T))).clip(0.0, None)
    total = rows.filled(np.float64(0.0), len(known))
    for j in range(known.shape[1]):
        off = rows.take([j]) - known[:, j][None]
        total = total + off * off
    return total


def _smallest(values: Tensor, count: int) -> tuple[Tensor, Tensor]:
    graph = values.graph
    names = [graph.name("near"), graph.name("place")]
    inputs = [values.name, graph.constant(np.array([count])).name]
    from onnx import helper  # noqa: PLC0415

    graph.add(helper.make_node("TopK", inputs, names, axis=1, largest=0, sorted=1))
    return Tensor(graph, names[0]), Tensor(graph, names[1])


@converts(KNeighborsClassifier)
def _near_classes(model: Any, X: Any) -> Result:
    place, weight = _neighbours(model, X)
    label = place.graph.constant(np.asarray(model._y, np.int64)).take(place, axis=0)
    zero, count = np.float64(0.0), len(model.classes_)
    votes = beside([label.equals(np.int64(c)).where(weight, zero).sum() for c in range(count)])
    return Classes(votes.argmax(), model.classes_, None, votes / votes.sum())


@converts(KNeighborsRegressor)
def _near_values(model: Any, X: Any) -> Result:
    place, weight = _neighbours(model, X)
    value = place.graph.constant(np.asarray(model._y, np.float64).ravel()).take(place, axis=0)
    return Quantity((value * weight).sum() / weight.sum())
