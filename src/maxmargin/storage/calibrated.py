"""scikit-learn's calibrated classifiers as parts that can be checked.

Each of its pairs is a classifier with the curves that turn its values into probabilities. They are
stored as tuples (classifier, curves, classes, method); the curve of an isotonic regression is made
again from its thresholds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

_METHODS = {
    "sigmoid": "_SigmoidCalibration",
    "isotonic": "IsotonicRegression",
    "temperature": "_TemperatureScaling",
}
_PAIR = ("estimator", "calibrators", "classes", "method")
_NUMBERS = {"_SigmoidCalibration": ("a_", "b_"), "_TemperatureScaling": ("beta_",)}


def _misfit(step: Any) -> ValueError:
    return ValueError(f"The parts of a stored {type(step).__name__} do not fit together.")


def part_calibrated(parts: dict[str, Any]) -> dict[str, Any]:
    """Return the pairs as tuples."""
    if "calibrated_classifiers_" not in parts:
        return parts
    pairs = [_as_tuple(pair) for pair in parts["calibrated_classifiers_"]]
    return {**parts, "calibrated_classifiers_": pairs}


def _as_tuple(pair: Any) -> tuple[Any, ...]:
    return tuple(getattr(pair, name) for name in _PAIR if hasattr(pair, name))


def check_calibrated(step: Any) -> None:
    """Refuse pairs that are none, or of other classes than the whole."""
    pairs = vars(step).get("calibrated_classifiers_")
    if pairs is None:
        return
    if not isinstance(pairs, list) or not pairs:
        raise _misfit(step)
    for pair in pairs:
        given = pair if isinstance(pair, tuple) else _as_tuple(pair)
        if len(given) != len(_PAIR) or not _is_pair(step, *given):
            raise _misfit(step)


def _is_pair(step: Any, classifier: Any, curves: Any, classes: Any, method: Any) -> bool:
    """Whether a classifier has a curve for each of its classes, or one for all."""
    if not (isinstance(method, str) and method in _METHODS and isinstance(curves, list)):
        return False
    kinds = {type(curve).__name__ for curve in curves}
    same = isinstance(classes, np.ndarray) and np.array_equal(classes, step.classes_)
    known = np.atleast_1d(getattr(classifier, "classes_", ()))
    count = 1 if method == "temperature" or len(step.classes_) == 2 else len(known)
    fits = kinds == {_METHODS[method]} and len(curves) == count
    usable = isinstance(classifier, BaseEstimator) and len(known) > 0
    return same and fits and usable and bool(np.isin(known, step.classes_).all())


def restore_calibrated(step: Any) -> None:
    """Make the pairs of tuples."""
    from sklearn.calibration import _CalibratedClassifier  # noqa: PLC0415  (slow to import)

    pairs = vars(step).get("calibrated_classifiers_")
    if pairs is not None:
        step.calibrated_classifiers_ = [
            _CalibratedClassifier(classifier, curves, classes=classes, method=method)
            for classifier, curves, classes, method in pairs
        ]


def check_curve(step: Any) -> None:
    """Refuse a curve whose numbers are none."""
    for name in _NUMBERS[type(step).__name__]:
        value = vars(step).get(name, 0.0)
        if not (isinstance(value, float | np.floating) and np.isfinite(value)):
            raise _misfit(step)


def part_isotonic(parts: dict[str, Any]) -> dict[str, Any]:
    """Leave out the curve, which is a function."""
    return {name: part for name, part in parts.items() if name != "f_"}


def check_isotonic(step: Any) -> None:
    """Refuse thresholds that do not ascend, or are not as many as their values."""
    held = vars(step)
    if "f_" in held and not callable(held["f_"]):
        raise _misfit(step)
    if not ({"X_thresholds_", "y_thresholds_"} & held.keys()):
        return
    x, y = held.get("X_thresholds_"), held.get("y_thresholds_")
    for each in (x, y):
        plain = isinstance(each, np.ndarray) and each.ndim == 1 and each.dtype.kind == "f"
        if not (plain and each.size and np.isfinite(each).all()):
            raise _misfit(step)
    ends = held.get("X_min_"), held.get("X_max_")
    if x.shape != y.shape or (np.diff(x) <= 0).any() or ends != (x[0], x[-1]):
        raise _misfit(step)


def restore_isotonic(step: Any) -> None:
    """Make the curve again."""
    if hasattr(step, "X_thresholds_"):
        step._build_f(step.X_thresholds_, step.y_thresholds_)
