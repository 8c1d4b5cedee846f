"""What kernel machines of one value share: a regression's, or that of a single class."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from maxmargin.inputs.container import count_rows
from maxmargin.inputs.parameters import FLAG
from maxmargin.inputs.targets import check_targets
from maxmargin.losses.regression import weighted_quantile
from maxmargin.problems import BoxQP
from maxmargin.svm.classes import Reduction, keep_together
from maxmargin.svm.kernel_estimator import KernelEstimator
from maxmargin.svm.kernel_fit import Recipe
from maxmargin.svm.training import Labels, Training, check_rows, ready

Vector = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Together(Recipe):
    """One problem of all rows."""

    copies: int = 1
    centred: bool = False
    """Whether a free bias makes good what is taken off all targets."""

    def reduce(self, training: Training) -> Reduction:
        """State the problem of the rows that cost something."""
        costs, target = self.costs(training), training.target
        assert target is not None
        return keep_together(
            costs, lambda rows: self._stated(target[rows], costs[rows]), self.copies
        )

    def _stated(self, target: Vector, costs: Vector) -> BoxQP:
        shift = far_level(target, costs) if self.centred else 0.0
        problem: BoxQP = self.state(target - shift, costs)
        return replace(problem, shift=shift) if shift else problem


def far_level(target: Vector, costs: Vector) -> float:
    """Return the median of targets that lie farther from 0 than from each other; otherwise 0.

    Half of the median to twice of it is taken off without rounding, and equal targets become 0.
    """
    level = weighted_quantile(target, costs, 0.5) if len(target) else 0.0
    return level if abs(level) > float(np.abs(target - level).max(initial=0.0)) else 0.0


class OneValue(KernelEstimator):
    """A kernel machine that gives one value for a row."""

    _parameters: ClassVar = {"shrinking": FLAG}

    def _rebuild_training(
        self, X: Any, y: Any, sample_weight: Any, asker: str = "certify"
    ) -> Training:
        machine, rows = self._machine, count_rows(X)
        if rows != machine.n_rows:
            raise ValueError(
                f"{asker} needs the data the model was fitted to: "
                f"{machine.n_rows} rows, not {rows}."
            )
        X = check_rows(self, machine.seen.kernel, X, reset=False)
        target = np.zeros(rows) if y is None else y
        sides = self._as_fitted()._check_labels(target, sample_weight)
        return ready(machine.seen, X, sides, self._fitted_intercept)

    def _values(self, X: Any) -> Vector:
        """Evaluate f(x) of rows."""
        values: Vector = self._decide(X, lambda values: values[:, 0])
        return values


class KernelRegressor(RegressorMixin, OneValue):
    """Targets predicted by kernels with support vectors."""

    def _check_labels(self, y: Any, sample_weight: Any) -> Labels:
        return Labels.of_one(check_targets(y), sample_weight)

    def predict(self, X: Any) -> Vector:
        """Predict the targets of rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns)

        Returns
        -------
        values : ndarray of shape (rows,)
        """
        return self._values(X)
