"""Numeric parts of scikit-learn as tensors: pipelines, scalers, encoders, linear models."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.feature_selection import SelectKBest, SelectPercentile, VarianceThreshold
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.linear_model._base import LinearClassifierMixin, LinearModel
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
)

from maxmargin.export.categories import number_places, places_of
from maxmargin.export.error import refuse
from maxmargin.export.machine import dense
from maxmargin.export.registry import (
    Frame,
    as_matrix,
    convert,
    converts,
    transform,
    transforms,
)
from maxmargin.export.result import Classes, Quantity, Result, by_sign
from maxmargin.export.tensor import Tensor, beside, expit, softmax
from maxmargin.inputs.missing import is_missing


def _row(values: Any) -> Any:
    return np.asarray(values, np.float64).reshape(1, -1)


@converts(Pipeline)
def _pipeline(model: Any, X: Any) -> Result:
    *before, (_, last) = model.steps
    for _, step in before:
        X = transform(step, X) if step is not None else X
    return convert(last, X)


@transforms(Pipeline)
def _steps(step: Any, X: Any) -> Any:
    for _, each in step.steps:
        X = transform(each, X) if each is not None else X
    return X


@transforms(FeatureUnion)
def _union(step: Any, X: Any) -> Tensor:
    if step.transformer_weights:
        raise refuse(step, "it weighs its transformers")
    used = [each for _, each in step.transformer_list if each != "drop"]
    return beside([as_matrix(transform(each, X)) for each in used])


@transforms(ColumnTransformer)
def _by_column(step: Any, X: Any) -> Any:
    if step.transformer_weights:
        raise refuse(step, "it weighs its transformers")
    parts = []
    for name, each, columns in step.transformers_:
        chosen = _places(step, name, columns)
        if (isinstance(each, str) and each == "drop") or not len(chosen):
            continue
        part = X.take(chosen) if isinstance(X, Tensor) else X.select(chosen)
        parts.append(transform(each, part))
    if all(isinstance(part, Frame) for part in parts):
        return _joined(parts)
    return beside([as_matrix(part) for part in parts])


def _joined(frames: list[Any]) -> Frame:
    joined = [
        tuple(each for frame in frames for each in getattr(frame, name))
        for name in ("names", "columns", "kinds")
    ]
    return Frame(frames[0].graph, *joined)


def _places(step: Any, name: str, columns: Any) -> Any:
    found = step._transformer_to_input_indices.get(name)
    return list(found) if found is not None else list(columns)


@converts(GridSearchCV, RandomizedSearchCV)
def _searched(model: Any, X: Any) -> Result:
    return convert(model.best_estimator_, X)


@transforms(StandardScaler)
def _standard(step: Any, X: Any) -> Tensor:
    X = as_matrix(X)
    X = X - _row(step.mean_) if step.with_mean else X
    return X / _row(step.scale_) if step.with_std else X


@transforms(MinMaxScaler)
def _min_max(step: Any, X: Any) -> Tensor:
    X = as_matrix(X) * _row(step.scale_) + _row(step.min_)
    return X.clip(*map(float, step.feature_range)) if step.clip else X


@transforms(MaxAbsScaler)
def _max_abs(step: Any, X: Any) -> Tensor:
    return as_matrix(X) / _row(step.scale_)


@transforms(RobustScaler)
def _robust(step: Any, X: Any) -> Tensor:
    X = as_matrix(X)
    X = X - _row(step.center_) if step.with_centering else X
    return X / _row(step.scale_) if step.with_scaling else X


@transforms(Normalizer)
def _normalizer(step: Any, X: Any) -> Tensor:
    X = as_matrix(X)
    sizes = {
        "l2": lambda: (X * X).sum().sqrt(),
        "l1": lambda: X.abs().sum(),
        "max": lambda: X.abs().max(),
    }[step.norm]()
    return X / (sizes > 0.0).where(sizes, np.float64(1.0))


@transforms(PCA)
def _pca(step: Any, X: Any) -> Tensor:
    made = (as_matrix(X) - _row(step.mean_)) @ np.ascontiguousarray(step.components_.T)
    return made / _row(np.sqrt(step.explained_variance_)) if step.whiten else made


@transforms(PolynomialFeatures)
def _polynomial(step: Any, X: Any) -> Tensor:
    X = as_matrix(X)
    parts = []
    for powers in step.powers_:
        part = X.filled(np.float64(1.0), 1)
        for j in np.flatnonzero(powers).tolist():
            for _ in range(int(powers[j])):
                part = part * X.take([j])
        parts.append(part)
    return beside(parts)


@transforms(FunctionTransformer)
def _function(step: Any, X: Any) -> Any:
    if step.func is not None:
        raise refuse(step, "a Python function cannot be written as a graph")
    return X


@transforms(SelectKBest, SelectPercentile, VarianceThreshold)
def _selected(step: Any, X: Any) -> Tensor:
    return as_matrix(X).take(np.flatnonzero(step.get_support()))


@transforms(SimpleImputer)
def _imputer(step: Any, X: Any) -> Any:
    if isinstance(X, Frame) and "number" not in X.kinds:
        return _imputed_words(step, X)
    X = as_matrix(X)
    if not is_missing(step.missing_values):
        raise refuse(step, "only NaN counts as missing in a graph")
    fill = np.asarray(step.statistics_, np.float64)
    kept = np.flatnonzero(~np.isnan(fill)) if not step.keep_empty_features else np.arange(len(fill))
    chosen = X.take(kept)
    made = chosen.isnan().where(_row(np.nan_to_num(fill[kept])), chosen)
    return made.beside(_flags(step.indicator_, X)) if step.add_indicator else made


def _imputed_words(step: Any, X: Frame) -> Frame:
    if step.add_indicator:
        raise refuse(step, "add_indicator of words is not written")
    columns = [
        x.equals(np.array("", object)).where(np.array(str(fill), object), x)
        for x, fill in zip(X.columns, step.statistics_, strict=True)
    ]
    return Frame(X.graph, X.names, tuple(columns), X.kinds)


@transforms(MissingIndicator)
def _indicator(step: Any, X: Any) -> Tensor:
    return _flags(step, as_matrix(X))


def _flags(step: Any, X: Tensor) -> Tensor:
    if not len(step.features_):
        return X.take([])
    return X.take(np.asarray(step.features_)).isnan().as_kind("number")


def _columns(X: Any, count: int) -> list[tuple[Tensor, str]]:
    if isinstance(X, Tensor):
        return [(X.take([j]), "number") for j in range(count)]
    return [*zip(X.columns, X.kinds, strict=True)]


def _category_places(x: Tensor, kind: str, categories: Any) -> Tensor:
    """Return the place of each entry among categories; a missing one may be among them."""
    known = list(categories)
    gone = [place for place, each in enumerate(known) if is_missing(each)]
    if kind in ("word", "marked"):
        words = ["" if is_missing(each) else each for each in known]
        if not all(isinstance(each, str) for each in words):
            raise refuse("A column of categories", "it holds words here and numbers in the fit")
        return places_of(x, words)
    if any(isinstance(each, str) for each in known):
        raise refuse("A column of categories", "it holds numbers here and words in the fit")
    place = number_places(x, [np.inf if is_missing(e) else float(e) for e in known])
    return x.isnan().where(np.int64(gone[0]), place) if gone else place


@transforms(OneHotEncoder)
def _one_hot(step: Any, X: Any) -> Tensor:
    parts = []
    columns = _columns(X, len(step.categories_))
    for j, ((x, kind), categories) in enumerate(zip(columns, step.categories_, strict=True)):
        table = _one_hot_table(step, j, len(categories))
        place = _category_places(x, kind, categories)
        at = (place < np.int64(0)).where(np.int64(len(categories)), place).shaped(-1)
        parts.append(x.graph.constant(table).take(at, axis=0))
    return beside(parts)


def _one_hot_table(step: Any, j: int, count: int) -> Any:
    """Return the columns of each category, and in the last row those of an unknown one."""
    groups, width = np.arange(count), count
    rare = step._infrequent_indices[j] if step._infrequent_enabled else None
    if rare is not None:
        groups = np.asarray(step._default_to_infrequent_mappings[j])
        width = int(groups.max()) + 1
    table = np.zeros((count + 1, width))
    table[np.arange(count), groups] = 1.0
    if rare is not None and step.handle_unknown == "infrequent_if_exist":
        table[-1, width - 1] = 1.0
    dropped = step._drop_idx_after_grouping
    if dropped is not None and dropped[j] is not None:
        table = np.delete(table, int(dropped[j]), axis=1)
    return table


@transforms(OrdinalEncoder)
def _ordinal(step: Any, X: Any) -> Tensor:
    parts = []
    columns = _columns(X, len(step.categories_))
    if step._infrequent_enabled:
        raise refuse(step, "its rare categories share codes")
    unknown = step.unknown_value if step.handle_unknown == "use_encoded_value" else np.nan
    for (x, kind), categories in zip(columns, step.categories_, strict=True):
        codes = np.array(
            [
                float(step.encoded_missing_value) if is_missing(each) else float(place)
                for place, each in enumerate(categories)
            ]
            + [float(unknown)]
        )
        place = _category_places(x, kind, categories)
        at = (place < np.int64(0)).where(np.int64(len(categories)), place)
        parts.append(x.graph.constant(codes).take(at, axis=0))
    return beside(parts)


# models


@converts(LinearClassifierMixin)
def _linear_classes(model: Any, X: Any) -> Result:
    weights = dense(model.coef_)
    values = as_matrix(X) @ np.ascontiguousarray(weights.T) + _row(
        np.broadcast_to(model.intercept_, len(weights))
    )
    probability = None
    if isinstance(model, LogisticRegression | LinearDiscriminantAnalysis):
        if len(model.classes_) == 2:
            second = expit(values)
            probability = (1.0 - second).beside(second)
        else:
            probability = softmax(values)
    return by_sign(values, model.classes_, probability=probability)


@converts(LinearModel)
def _linear_value(model: Any, X: Any) -> Result:
    weights = np.atleast_2d(dense(model.coef_))
    if len(weights) != 1 or not _is_identity(model):
        raise refuse(model, "only a linear model of one quantity is written")
    values = as_matrix(X) @ np.ascontiguousarray(weights.T) + _row(model.intercept_)
    return Quantity(values)


def _is_identity(model: Any) -> bool:
    return not hasattr(model, "_base_loss") and not hasattr(model, "link")


@converts(DummyClassifier)
def _constant_class(model: Any, X: Any) -> Result:
    if model.strategy not in ("prior", "most_frequent", "constant"):
        raise refuse(model, "it draws at random")
    place = int(np.argmax(model.class_prior_))
    shares = np.asarray(
        model.class_prior_ if model.strategy == "prior" else np.eye(len(model.classes_))[place],
        np.float64,
    )
    if model.strategy == "constant":
        place = list(model.classes_).index(np.ravel(model.constant)[0])
        shares = np.eye(len(model.classes_))[place]
    first = _any_column(X)
    number = first.filled(np.int64(place), 1).shaped(-1)
    p = first.filled(np.float64(0.0), len(shares)) + shares[None]
    return Classes(number, model.classes_, None, p)


@converts(DummyRegressor)
def _constant_value(model: Any, X: Any) -> Result:
    return Quantity(_any_column(X).filled(np.float64(np.ravel(model.constant_)[0]), 1))


def _any_column(X: Any) -> Tensor:
    return X if isinstance(X, Tensor) else X.columns[0]


@converts(TransformedTargetRegressor)
def _transformed_target(model: Any, X: Any) -> Result:
    found, step = convert(model.regressor_, X), model.transformer_
    if not isinstance(found, Quantity) or not isinstance(
        step, StandardScaler | FunctionTransformer
    ):
        raise refuse(model, "only a scaled target is undone in a graph")
    if isinstance(step, FunctionTransformer):
        if step.inverse_func is not None and step.inverse_func is not np.exp:
            raise refuse(model, "a Python function cannot be written as a graph")
        return Quantity(found.value.exp() if step.inverse_func is np.exp else found.value)
    value = found.value * _row(step.scale_) if step.with_std else found.value
    return Quantity(value + _row(step.mean_) if step.with_mean else value)


@converts(CalibratedClassifierCV)
def _calibrated(model: Any, X: Any) -> Result:
    total: Tensor | None = None
    for each in model.calibrated_classifiers_:
        part = _calibrated_one(each, X, len(model.classes_))
        total = part if total is None else total + part
    assert total is not None
    p = total / float(len(model.calibrated_classifiers_))
    return Classes(p.argmax(), model.classes_, None, p)


def _calibrated_one(each: Any, X: Any, count: int) -> Tensor:
    found = convert(each.estimator, X)
    assert isinstance(found, Classes)
    if each.method != "sigmoid":
        raise refuse(f"Calibration by {each.method}", "only method='sigmoid' is written")
    values = found.decision if found.decision is not None and found.shown else found.probability
    assert values is not None
    if count == 2 and values is found.probability:
        values = values.take([1])
    curves = each.calibrators
    lines = [
        expit(-(values.take([k]) * float(curve.a_) + float(curve.b_)))
        for k, curve in enumerate(curves)
    ]
    if count == 2:
        return (1.0 - lines[0]).beside(lines[0])
    p = beside(lines)
    total = p.sum()
    positive = total > 0.0
    return positive.where(p / positive.where(total, np.float64(1.0)), np.float64(1.0 / count))
