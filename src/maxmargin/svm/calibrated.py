"""Kernel classifiers that give probabilities if they are asked to before they are fitted."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import column_or_1d

from maxmargin.inputs.caution import caution
from maxmargin.inputs.parameters import check_flag
from maxmargin.ops.clock import Clock, TimeUp
from maxmargin.svm.calibration import fit_temperature, probabilities, scores
from maxmargin.svm.kernel_classifier import KernelClassifier

Vector = NDArray[np.float64]


def _gives_probabilities(estimator: CalibratedClassifier) -> bool:
    if estimator.probability == "deprecated" or not estimator.probability:
        raise AttributeError("predict_proba is not available when probability=False")
    return True


class CalibratedClassifier(KernelClassifier):
    """A kernel classifier with scikit-learn's ``probability`` parameter."""

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        super()._check_parameters()
        if isinstance(self.probability, str) and self.probability == "deprecated":
            return
        check_flag(owner, "probability", self.probability)
        caution(
            "The `probability` parameter is deprecated as in scikit-learn 1.9: "
            f"use CalibratedClassifierCV({owner}()) instead of {owner}(probability=True).",
            FutureWarning,
        )

    def _after(self, X: Any, y: Any, sample_weight: Any, clock: Clock) -> None:
        """Calibrate, if there is time."""
        self._temperature = None
        if self.probability in ("deprecated", False) or clock.over():
            return
        plain = clone(self).set_params(probability="deprecated", decision_function_shape="ovr")
        random, labels = check_random_state(self.random_state), column_or_1d(y)
        with suppress(TimeUp):
            self._temperature = fit_temperature(plain, X, labels, sample_weight, random)

    @available_if(_gives_probabilities)
    def predict_proba(self, X: Any) -> Vector:
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

        return self._decide(X, shares)

    @available_if(_gives_probabilities)
    def predict_log_proba(self, X: Any) -> Vector:
        """Take the logarithm of predict_proba."""
        return np.log(self.predict_proba(X))

    @property
    def probA_(self) -> Vector:  # noqa: N802
        """Slope of the calibration, -1 / temperature; empty without probability=True."""
        caution("Attribute `probA_` was deprecated in scikit-learn 1.9.", FutureWarning)
        slope = [] if self._temperature is None else [-1.0 / self._temperature]
        return np.repeat(np.asarray(slope, dtype=np.float64), len(self.intercept_))

    @property
    def probB_(self) -> Vector:  # noqa: N802
        """Offset of the calibration: 0, so that probabilities agree with predict."""
        caution("Attribute `probB_` was deprecated in scikit-learn 1.9.", FutureWarning)
        return np.zeros(0 if self._temperature is None else len(self.intercept_))
