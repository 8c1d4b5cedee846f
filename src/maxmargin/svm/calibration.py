"""Probabilities that never contradict predict: one temperature on the decision values.

p(class | x) is the softmax of z(x) / T, where z are the decision values (for two classes 0 and
f(x)) and T > 0 minimises the log-loss of decision values obtained by cross-validation: on each
part by a model fitted to the others (Guo et al., "On calibration of modern neural networks",
ICML 2017, section 4.2). Dividing by T keeps the order, so the most probable class is the
predicted one; Platt's sigmoid, with its offset, and pairwise coupling do not promise that.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import column_or_1d

from maxmargin.inputs.parameters import Parameter
from maxmargin.inputs.warning import warn_user
from maxmargin.ops.clock import Clock, TimeUp

Vector = NDArray[np.float64]

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


def _gives_probabilities(estimator: Any) -> bool:
    if estimator.probability == "deprecated" or not estimator.probability:
        raise AttributeError("predict_proba is not available when probability=False")
    return True


class ProbabilityMixin:
    """scikit-learn's ``probability`` parameter, for a ``KernelClassifier``."""

    probability: Any
    random_state: Any
    _temperature: float | None = None

    _parameters: ClassVar = {"probability": Parameter(flag=True, choices=("deprecated",))}

    def _calibrate(self: Any, X: Any, y: Any, sample_weight: Any, clock: Clock) -> None:
        """Warn as scikit-learn does of a given ``probability``, and calibrate if there is time."""
        owner = type(self).__name__
        warn_user(
            "The `probability` parameter is deprecated as in scikit-learn 1.9: "
            f"use CalibratedClassifierCV({owner}()) instead of {owner}(probability=True).",
            FutureWarning,
        )
        if not self.probability or clock.over():
            return
        plain = clone(self).set_params(probability="deprecated", decision_function_shape="ovr")
        random, labels = check_random_state(self.random_state), column_or_1d(y)
        with suppress(TimeUp):
            self._temperature = fit_temperature(plain, X, labels, sample_weight, random)

    @available_if(_gives_probabilities)
    def predict_proba(self: Any, X: Any) -> Vector:
        """Estimate class probabilities; the most probable class is the predicted one.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns)

        Returns
        -------
        p : ndarray of shape (rows, classes)
        """
        self._check_fitted()
        if self._temperature is None:
            raise NotFittedError(
                "predict_proba is not available when fitted with probability=False, or when the "
                "fit was cut short before it could calibrate"
            )
        machine, temperature = self._machine, self._temperature

        def shares(values: Vector) -> Vector:
            predicted = machine.numbers(values, self.break_ties)
            return probabilities(scores(machine.confidences(values)), temperature, predicted)

        found: Vector = self._decide(X, shares)
        return found

    @available_if(_gives_probabilities)
    def predict_log_proba(self: Any, X: Any) -> Vector:
        """Take the logarithm of predict_proba."""
        return np.log(self.predict_proba(X))

    @property
    def probA_(self: Any) -> Vector:  # noqa: N802
        """Slope of the calibration, -1 / temperature; empty without probability=True."""
        warn_user("Attribute `probA_` was deprecated in scikit-learn 1.9.", FutureWarning)
        slope = [] if self._temperature is None else [-1.0 / self._temperature]
        return np.repeat(np.asarray(slope, dtype=np.float64), len(self.intercept_))

    @property
    def probB_(self: Any) -> Vector:  # noqa: N802
        """Offset of the calibration: 0, so that probabilities agree with predict."""
        warn_user("Attribute `probB_` was deprecated in scikit-learn 1.9.", FutureWarning)
        return np.zeros(0 if self._temperature is None else len(self.intercept_))
