"""Rows of whatever container, taken by position, with what belongs to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils import check_consistent_length, get_tags
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import has_fit_parameter

from maxmargin.inputs.container import by_position, column_names, take_rows

Index = NDArray[np.intp]


@dataclass(frozen=True)
class EvaluationRows:
    """X and y with groups and weights, and which rows of the user's data they are."""

    X: Any
    y: NDArray[Any]
    groups: NDArray[Any] | None
    weight: NDArray[np.float64] | None
    index: Index
    """Their places in the data as they came."""

    @classmethod
    def of(cls, X: Any, y: Any, groups: Any = None, sample_weight: Any = None) -> EvaluationRows:
        """Check that everything has as many rows; tables stay tables, lists become arrays."""
        X = X if column_names(X) is not None else by_position(X)
        columns = [None if each is None else np.asarray(each) for each in (y, groups)]
        weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        check_consistent_length(X, *columns, weight)
        if columns[0] is None:
            raise ValueError("y is missing: a protocol judges predictions of it.")
        return cls(X, columns[0], columns[1], weight, np.arange(len(columns[0])))

    def __len__(self) -> int:
        return len(self.y)

    def take(self, rows: Index) -> EvaluationRows:
        """Take some rows, by position among these."""
        groups = None if self.groups is None else self.groups[rows]
        weight = None if self.weight is None else self.weight[rows]
        return EvaluationRows(
            take_rows(self.X, rows), self.y[rows], groups, weight, self.index[rows]
        )

    def part(
        self, train: Index, other: Index, pairwise: bool = False
    ) -> tuple[EvaluationRows, EvaluationRows]:
        """Take rows to learn from and rows to be judged on; of a kernel matrix columns too."""
        parts = self.take(train), self.take(other)
        if pairwise:  # a model of the training rows knows their kernel values alone
            first, second = (replace(each, X=np.asarray(each.X)[:, train]) for each in parts)
            parts = first, second
        return parts


def takes_kernel_matrix(*models: Any) -> bool:
    """Return whether X is a kernel matrix for these models."""
    return any(get_tags(model).input_tags.pairwise for model in models)


def fit(model: Any, rows: EvaluationRows) -> Any:
    """Fit a model to rows, weighted if they have weights; a search also gets their groups."""
    return model.fit(rows.X, rows.y, **_weights(model, rows), **_groups(model, rows))


def _groups(model: Any, rows: EvaluationRows) -> dict[str, Any]:
    """Name the groups as the ``fit`` of a search does, which splits rows itself."""
    if rows.groups is None:
        return {}
    steps = model.steps if isinstance(model, Pipeline) else []
    last, prefix = (steps[-1][1], f"{steps[-1][0]}__") if steps else (model, "")
    return {f"{prefix}groups": rows.groups} if has_fit_parameter(last, "groups") else {}


def _weights(model: Any, rows: EvaluationRows) -> dict[str, Any]:
    """Name the weights as the model's ``fit`` does; a pipeline's are those of its last step."""
    if rows.weight is None:
        return {}
    if isinstance(model, Pipeline):
        last, final = model.steps[-1]
        _refuse_unweighted(final)
        return {f"{last}__sample_weight": rows.weight}
    _refuse_unweighted(model)
    return {"sample_weight": rows.weight}


def _refuse_unweighted(model: Any) -> None:
    if not has_fit_parameter(model, "sample_weight"):
        raise ValueError(
            f"{type(model).__name__}.fit takes no sample_weight; leave the weights out, or the"
            " model."
        )


def named(models: Any) -> dict[str, Any]:
    """Return models by name: a mapping unchanged, pairs, or a list named by classes."""
    if isinstance(models, Mapping):
        found = dict(models)
    elif hasattr(models, "fit"):
        found = {type(models).__name__: models}
    else:
        found = _listed(models)
    if not found:
        raise ValueError("No models were given; give a mapping of names to estimators.")
    for name, model in found.items():
        if not hasattr(model, "fit"):
            raise TypeError(f"{name!r} is no estimator but {model!r}.")
    return found


def _listed(models: Sequence[Any]) -> dict[str, Any]:
    pairs = [each if isinstance(each, tuple) else (type(each).__name__, each) for each in models]
    names = [name for name, _ in pairs]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(
            f"Two models are called {min(twice)!r}; give a mapping of names to estimators."
        )
    return dict(pairs)


def classifies(models: Mapping[str, Any], y: NDArray[Any]) -> bool:
    """Return whether y holds classes: the models say so, and must agree."""
    kinds = {name: is_classifier(model) for name, model in models.items()}
    if len(set(kinds.values())) > 1:
        odd = [name for name, kind in kinds.items() if not kind]
        raise ValueError(
            f"{', '.join(odd)} is no classifier and others are; compare models of one kind."
        )
    return next(iter(kinds.values())) and type_of_target(y) in ("binary", "multiclass")
