"""What every kernel classifier does: decide between classes by the values of their problems."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from maxmargin.inputs.parameters import FLAG, one_of
from maxmargin.svm.kernel_estimator import KernelEstimator
from maxmargin.svm.training import Training, check_rows, ready

Vector = NDArray[np.float64]


class KernelClassifier(ClassifierMixin, KernelEstimator):
    """Two classes or more, decided by kernels with support vectors.

    A subclass says by which recipe its parameters make a machine (``_recipe``).
    """

    _parameters: ClassVar = {
        "decision_function_shape": one_of("ovr", "ovo"),
        "multiclass": one_of("ovo", "ovr"),
        "break_ties": FLAG,
    }
    _unit_margin: ClassVar[bool] = True
    """Whether its duals are those of a margin of 1, as it shows them."""
    _row_by_row: ClassVar[bool] = False
    """Whether a row adds a variable to the problem and changes nothing else of it.

    Then a row without a dual has no part in the solution, and leaving it out changes nothing.
    """

    def decision_function(self, X: Any) -> Vector:
        """Evaluate the decision values of rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns), or items that the kernel takes
            When kernel="precomputed", values with all training rows; or a mapping of the rows in
            ``support_`` to columns of values, or a function that is given such rows and gives
            their columns.

        Returns
        -------
        values : ndarray
            (rows,) for two classes, positive for ``classes_[1]``; otherwise (rows, classes), or
            (rows, pairs) with decision_function_shape="ovo" and multiclass="ovo".
        """
        self._check_fitted()
        several = len(self.classes_) > 2 and self._machine.by_pairs
        if several and self.decision_function_shape == "ovo":
            return self._decide(X, np.asarray)
        return self._decide(X, self._machine.confidences)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of rows: by vote of the pairs, or the largest value of all classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns), or items that the kernel takes
            When kernel="precomputed", as for ``decision_function``.

        Returns
        -------
        labels : ndarray of shape (rows,)
        """
        self._check_fitted()
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        numbers = self._decide(X, lambda values: self._machine.numbers(values, self.break_ties))
        labels: NDArray[Any] = self.classes_[numbers]
        return labels

    def _votes_and_values(self, X: Any) -> tuple[NDArray[np.intp], Vector]:
        """Predicted numbers of two classes and their values, in one pass over the kernel."""
        values = self._decide(X, np.asarray)
        return self._machine.numbers(values), -values.ravel()

    def _rebuild_training(
        self, X: Any, y: Any, sample_weight: Any, asker: str = "certify"
    ) -> Training:
        """Make the data ready as they were for the fit, with the kernel that it chose."""
        machine, labels = self._machine, np.ravel(y)
        rows = X.shape[0] if hasattr(X, "shape") else len(X)
        known = len(labels) == rows == machine.n_rows and np.isin(labels, self.classes_).all()
        if not known or len(np.unique(labels)) != len(self.classes_):
            raise ValueError(
                f"{asker} needs the data the model was fitted to: {machine.n_rows} rows of "
                f"classes {self.classes_.tolist()}."
            )
        X = check_rows(self, machine.seen.kernel, X, reset=False)
        sides = self._as_fitted()._check_labels(labels, sample_weight)
        sides = replace(sides, class_weight=self.class_weight_)
        return ready(machine.seen, X, sides, self._fitted_intercept)

    def _as_fitted(self) -> Self:
        model = super()._as_fitted()
        model.class_weight = None
        return model


def has_unit_margin(model: Any) -> bool:
    """Whether a model is a kernel classifier with the duals of a margin of 1."""
    return isinstance(model, KernelClassifier) and model._by_recipe and model._unit_margin
