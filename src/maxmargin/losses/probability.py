"""Class probabilities from decision values, for the losses that say something about them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from maxmargin.losses.base import Loss
from maxmargin.losses.choice import named

Vector = NDArray[np.float64]

# P(t = 1 | x) as a function of f(x): of the f that minimises the expected loss, which is the
# logarithm of the odds (half of it for the exponential loss), or 2 P - 1 for the squared losses.
_PROBABILITY: dict[str, Callable[[Vector], Vector]] = {
    "logistic": expit,
    "exponential": lambda f: expit(2.0 * f),
    "squared": lambda f: np.clip(0.5 * (1.0 + f), 0.0, 1.0),
    "squared_hinge": lambda f: np.clip(0.5 * (1.0 + f), 0.0, 1.0),
    "modified_huber": lambda f: np.clip(0.5 * (1.0 + f), 0.0, 1.0),
}


def gives_probabilities(model: Any) -> bool:
    """Return whether the loss of a model defines probabilities."""
    if named(model.loss).name not in _PROBABILITY:
        raise AttributeError(
            f"loss={model.loss!r} says nothing about probabilities; use loss='logistic'."
        )
    return True


def class_probabilities(loss: Loss, values: Vector) -> Vector:
    """Turn values f(x) into probabilities; those of several classes are normalised."""
    p = _PROBABILITY[loss.name](values)
    if values.ndim == 1:
        return _led_by(np.column_stack([1.0 - p, p]), (values > 0).astype(np.intp))
    total = p.sum(axis=1, keepdims=True)
    share: Vector = np.where(total > 0, p / np.where(total > 0, total, 1.0), 1.0 / p.shape[1])
    return _led_by(share, values.argmax(axis=1))


def _led_by(p: Vector, chosen: NDArray[np.intp]) -> Vector:
    """Make the chosen class the most probable, by the last bit if another one is as probable.

    Values that differ may be cut off, or rounded, to the same probability.
    """
    rows = np.flatnonzero(p.argmax(axis=1) != chosen)
    p[rows, chosen[rows]] = np.nextafter(p[rows].max(axis=1), 1.0)
    return p
