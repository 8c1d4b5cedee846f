"""What fitted classifiers say of rows, for pictures of curves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from maxmargin.inputs.fitted import Fitted


def named_models(models: Any) -> dict[str, Any]:
    """Return models by name: a mapping unchanged, a single model under the name of its class."""
    return dict(models) if isinstance(models, Mapping) else {Fitted.of(models).name: models}


def curves_of(models: Any, X: Any, y: Any, kind: Any, drawn_of: str) -> dict[str, Any]:
    """Make the curve of every classifier by its decision values, or else its probabilities."""
    labels = np.asarray(y)
    found = {}
    for name, model in named_models(models).items():
        _refuse_others(model, "decision_function", drawn_of)
        curve = kind.from_scores(labels, _values(model, X), model.classes_)
        if curve is None:
            raise ValueError(f"All rows are of one class, and {kind.__name__} needs two.")
        found[name] = curve
    return found


def _values(model: Any, X: Any) -> NDArray[np.float64]:
    """Return decision values; for two classes those of the second."""
    if hasattr(model, "decision_function"):
        values = np.asarray(model.decision_function(X))
    else:
        values = np.asarray(model.predict_proba(X))
        values = values[:, 1] if values.shape[1] == 2 else values
    if values.ndim == 2 and values.shape[1] != len(model.classes_):
        raise ValueError(
            f"{Fitted.of(model).name} gives {values.shape[1]} decision values for "
            f"{len(model.classes_)} classes; set decision_function_shape='ovr'."
        )
    return values


def probabilities_of(
    model: Any, X: Any, y: Any, drawn_of: str
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Return for every row whether it was positive, and its predicted probability.

    Of two classes "it" is the second; of more it is the class that the model predicts.
    """
    _refuse_others(model, "predict_proba", drawn_of, every=True)
    p, labels = np.asarray(model.predict_proba(X)), np.asarray(y)
    if p.shape[1] == 2:
        return labels == model.classes_[1], p[:, 1]
    return labels == model.classes_[p.argmax(axis=1)], p.max(axis=1)


def _refuse_others(model: Any, method: str, drawn_of: str, every: bool = False) -> None:
    """Raise for anything but a classifier with decision values."""
    fitted = Fitted.of(model)
    able = hasattr(model, method) or (not every and hasattr(model, "predict_proba"))
    if not (is_classifier(model) and able):
        raise TypeError(f"{fitted.name} gives no such values, and this is drawn of {drawn_of}.")
