"""Parts of the main job's models as tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.export.error import refuse
from maxmargin.export.registry import Frame, convert, converts, transforms
from maxmargin.export.result import Classes, Quantity, Result
from maxmargin.export.table import calibrated
from maxmargin.export.tensor import Tensor
from maxmargin.job.blend import BlendClassifier, BlendRegressor
from maxmargin.job.conformal import IntervalRegressor
from maxmargin.job.preparation import MarkedWords
from maxmargin.job.probability import FoldCalibratedClassifier
from maxmargin.job.rounds_search import RoundsSearch
from maxmargin.job.scaled_target import ScaledTarget
from maxmargin.job.texts import JoinedSequences, TextsAsNumbers


def _classes(model: Any, X: Any) -> Classes:
    found = convert(model, X)
    if not isinstance(found, Classes):
        raise refuse(model, "it predicts no classes")
    return found


def _quantity(model: Any, X: Any) -> Quantity:
    found = convert(model, X)
    if not isinstance(found, Quantity):
        raise refuse(model, "it predicts no quantity")
    return found


def _decided(found: Classes, floor: float) -> Tensor:
    """Return what calibration scales, as ``job.probability.values_of``."""
    two = len(found.labels) == 2
    values = found.decision if found.shown else None
    if values is None:
        assert found.probability is not None
        values = found.probability.take([1]) if two else found.probability
    if not floor:
        return values * 0.5 if two else values
    shares = (1.0 - values).beside(values) if two else values
    logs = shares.clip(floor, 1.0).log()
    return (logs.take([1]) - logs.take([0])) * 0.5 if two else logs


@converts(FoldCalibratedClassifier)
def _fold_calibrated(model: Any, X: Any) -> Result:
    found, count = _classes(model.model, X), len(model.classes_)
    p = calibrated(model.calibration, _decided(found, float(model.floor)), count)
    number = found.number
    if model.threshold is not None:
        place = int(model.classes_[1] == model.positive)
        named = p.take([place]) >= float(model.threshold)
        number = named.where(np.int64(place), np.int64(1 - place)).shaped(-1)
    return Classes(number, model.classes_, found.decision, p, found.additive, found.shown)


@converts(BlendClassifier)
def _blend(model: Any, X: Any) -> Result:
    count, total = len(model.classes_), None
    members = zip(model.models, model.calibrations, model.floors, model.weights, strict=True)
    for member, known, floor, weight in members:
        values = _decided(_classes(member, X), float(floor))
        part = calibrated(known, values, count) * float(weight)
        total = part if total is None else total + part
    assert total is not None
    weighed = total
    if model.frequencies is not None:
        weighed = total / np.asarray(model.frequencies, np.float64)[None]
    return Classes(weighed.argmax(), model.classes_, None, total)


@converts(BlendRegressor)
def _blended_value(model: Any, X: Any) -> Result:
    parts = [
        _quantity(member, X).value * float(weight)
        for member, weight in zip(model.models, model.weights, strict=True)
    ]
    return Quantity(sum(parts[1:], parts[0]))


@converts(RoundsSearch)
def _searched(model: Any, X: Any) -> Result:
    return convert(model.best_estimator_, X)


@converts(ScaledTarget)
def _scaled(model: Any, X: Any) -> Result:
    return Quantity(_quantity(model.model_, X).value * model.spread_ + model.mean_)


@converts(IntervalRegressor)
def _with_interval(model: Any, X: Any) -> Result:
    return _quantity(model.model, X)


@transforms(MarkedWords)
def _marked(step: Any, X: Any) -> Frame:
    kinds = [
        "marked" if name in step.columns and kind == "word" else kind
        for name, kind in zip(X.names, X.kinds, strict=True)
    ]
    return Frame(X.graph, X.names, X.columns, tuple(kinds))


@transforms(TextsAsNumbers, JoinedSequences)
def _texts(step: Any, X: Any) -> Any:  # noqa: ARG001
    raise refuse(step, "n-grams of texts are not written as a graph")
