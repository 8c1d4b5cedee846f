"""Probabilities that never contradict predict: one temperature on the decision values.

p(class | x) is the softmax of z(x) / T, where z are the decision values (for two classes 0 and
f(x)) and T > 0 minimises the log-loss of decision values obtained by cross-validation: on each
part by a model fitted to the others (Guo et al., "On calibration of modern neural networks",
ICML 2017, section 4.2). Dividing by T keeps the order, so the most probable class is the
predicted one; Platt's sigmoid, with its offset, and pairwise coupling do not promise that.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

_FOLDS = 5
_LOG_RANGE = (-8.0, 8.0)  # of T: beyond, probabilities are one-hot or uniform


def fit_temperature(estimator: Any, X: Any, y: Any, weight: Any, random_state: Any) -> float:
    """T from cross-validated decision values; 1 where a class has too few rows to split."""
    folds = min(_FOLDS, int(np.unique(y, return_counts=True)[1].min()))
    if folds < 2:
        return 1.0
    # Only here: model_selection takes longer to import than everything else a fit needs.
    from sklearn.model_selection import StratifiedKFold, cross_val_predict  # noqa: PLC0415

    splits = StratifiedKFold(folds, shuffle=True, random_state=random_state)
    values = cross_val_predict(
        estimator,
        X,
        y,
        cv=splits,
        method="decision_function",
        params=None if weight is None else {"sample_weight": weight},
    )
    return best_temperature(scores(values), np.searchsorted(np.unique(y), y))


def scores(values: NDArray[Any]) -> NDArray[np.float64]:
    """One column a class: decision values as they are, for two classes 0 and f."""
    values = np.asarray(values, dtype=np.float64)
    return np.stack([np.zeros(len(values)), values], axis=1) if values.ndim == 1 else values


def best_temperature(z: NDArray[np.float64], label: NDArray[np.intp]) -> float:
    """Minimise the log-loss over log T, in which it has one valley."""

    def loss(log_t: float) -> float:
        return -float(log_softmax(z / np.exp(log_t), axis=1)[np.arange(len(z)), label].mean())

    return float(np.exp(minimize_scalar(loss, bounds=_LOG_RANGE, method="bounded").x))


def _log_shares(z: NDArray[np.float64]) -> NDArray[np.float64]:
    """SciPy's ``log_softmax`` of finite values, which for one row looks at libraries for longer."""
    below = z - z.max(axis=1, keepdims=True)
    shares: NDArray[np.float64] = below - np.log(np.exp(below).sum(axis=1, keepdims=True))
    return shares


def probabilities(
    z: NDArray[np.float64], temperature: float, predicted: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Softmax at the temperature; a vote tie that predict broke otherwise is swapped to agree."""
    p = np.exp(_log_shares(z / temperature))
    largest = p.argmax(axis=1)
    if (largest != predicted).any():
        rows = np.arange(len(p))
        p[rows, largest], p[rows, predicted] = p[rows, predicted], p[rows, largest].copy()
    return p
