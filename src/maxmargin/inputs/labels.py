"""Class labels and class weights: checked, and turned into numbers."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from maxmargin.inputs.missing import is_missing
from maxmargin.inputs.vectors import is_plain_line


def check_labels(y: Any) -> NDArray[Any]:
    """Refuse what are not class labels, one a row."""
    labels: NDArray[Any] = y if is_plain_line(y) else column_or_1d(y, warn=True)
    if labels.dtype.kind == "O":
        _refuse_unordered(labels)
    if labels.dtype.kind not in "biu":  # whole numbers are labels, whatever they are
        check_classification_targets(labels)
    return labels


def _refuse_unordered(labels: NDArray[Any]) -> None:
    """Refuse labels that cannot be put in order: missing ones, and texts among others."""
    missing = next((i for i, label in enumerate(labels) if is_missing(label)), None)
    if missing is not None:
        raise ValueError(
            f"Input y contains NaN or None instead of a label (row {missing}); drop such rows "
            "first."
        )
    if len({isinstance(label, str) for label in labels}) > 1:
        raise ValueError("Labels in y are texts and numbers together; make all of them texts.")


def refuse_one_class(classes: NDArray[Any]) -> None:
    """Refuse labels that leave nothing to tell apart."""
    if len(classes) < 2:
        raise ValueError(
            f"The number of classes has to be greater than one; got {len(classes)} class"
        )


def number_classes(y: Any) -> tuple[NDArray[Any], NDArray[np.intp], NDArray[Any]]:
    """Return the classes in order, the number of each row's class, and the labels as an array."""
    labels = check_labels(y)
    classes, numbers = find_classes(labels)
    refuse_one_class(classes)
    return classes, numbers, labels


def find_classes(labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the classes in order, and the number of each row's class.

    As ``np.unique`` does with ``return_inverse``, which would sort all rows to find a few classes.
    Whether whole numbers are the two outermost alone takes less time than to look for others.
    """
    if labels.dtype.kind in "biu" and len(labels):
        ends = np.array([labels.min(), labels.max()])
        second = labels == ends[1]
        if ends[0] != ends[1] and (second | (labels == ends[0])).all():
            return ends, second.astype(np.intp)
    classes = np.unique(labels)
    if len(classes) == 2:
        return classes, (labels == classes[1]).astype(np.intp)
    return classes, np.searchsorted(classes, labels).astype(np.intp, copy=False)


def weigh_classes(
    class_weight: Any, classes: NDArray[Any], labels: NDArray[Any]
) -> NDArray[np.float64]:
    """Return the factor of each class, and refuse those that cannot be a cost."""
    if class_weight is None:
        return np.ones(len(classes))
    if not (
        isinstance(class_weight, str)
        or all(isinstance(factor, Real) for factor in class_weight.values())
    ):
        raise ValueError(f"class_weight must give a number for each class, got {class_weight}.")
    weight: NDArray[np.float64] = compute_class_weight(class_weight, classes=classes, y=labels)
    if not (weight > 0).all() or not np.isfinite(weight).all():
        raise ValueError(
            f"class_weight must be finite and greater than 0, got {class_weight}; "
            "leave rows out by sample_weight=0."
        )
    return weight
