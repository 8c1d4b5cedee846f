"""Probabilities of any classifier: its values are calibrated on rows that the folds had not seen.

The folds' decision values, or the logarithms of its own probabilities, get one temperature and a
shift a class: of two classes Platt's scaling. Predictions stay what the model decides, by which
models were compared, unless costs have chosen a threshold.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if

from maxmargin.evaluation import Fold
from maxmargin.evaluation.run import decide
from maxmargin.tabular.calibration import Calibration, calibrate

Vector = NDArray[np.float64]
Method = TypeVar("Method", bound=Callable[..., Any])
FLOORS = (1e-2, 1e-3, 1e-4, 1e-6)  # below which a model's own probability is not believed


_model_decides: Callable[[Method], Method] = available_if(
    lambda own: hasattr(own.model, "decision_function")
)


class FoldCalibratedClassifier(ClassifierMixin, BaseEstimator):
    """A fitted classifier with probabilities, and a threshold where costs have chosen one.

    Parameters
    ----------
    model : classifier
        Fitted.
    calibration : Calibration
    floor : float, default=0.0
        The least of its own probabilities that is believed; 0 where it has decision values.
    threshold : float, default=None
        Rows with at least this probability of ``positive`` are predicted to be of it; None leaves
        the decision to the model.
    positive : label, default=None
        Of two classes.
    """

    def __init__(
        self,
        model: Any,
        calibration: Calibration,
        floor: float = 0.0,
        threshold: float | None = None,
        positive: Any = None,
    ) -> None:
        self.model = model
        self.calibration = calibration
        self.floor = floor
        self.threshold = threshold
        self.positive = positive

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        """Take the rows that the model takes."""
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.model).input_tags
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the same model to other rows; its probabilities stay those that the folds taught.

        Parameters
        ----------
        X, y
            Rows, and what to predict.

        Returns
        -------
        self : object
        """
        self.model = clone(self.model).fit(X, y)
        return self

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes, in order."""
        return np.asarray(self.model.classes_)

    @_model_decides
    def decision_function(self, X: Any) -> Vector:
        """Return the model's decision values."""
        return np.asarray(decide(self.model, X))

    def predict_proba(self, X: Any) -> Vector:
        """Return calibrated probabilities, a column a class."""
        return self.calibration.probabilities(values_of(decide(self.model, X), self.floor))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row."""
        if self.threshold is None:
            return np.asarray(self.model.predict(X))
        place = int(self.classes_[1] == self.positive)
        named = self.predict_proba(X)[:, place] >= self.threshold
        return np.where(named, self.classes_[place], self.classes_[1 - place])


def values_of(decision: Any, floor: float) -> Vector:
    """Return what calibration scales: of two classes half of the log odds, or a decision's half.

    Parameters
    ----------
    decision : ndarray of shape (rows,) or (rows, classes)
        Decision values or probabilities; of two classes those of the second.
    floor : float
        0 for decision values, else the least probability.

    Returns
    -------
    ndarray of shape (rows, 1) or (rows, classes)
    """
    values = np.asarray(decision, np.float64)
    if floor:
        shares = np.column_stack([1.0 - values, values]) if values.ndim == 1 else values
        logs = np.log(np.clip(shares, floor, 1.0))
        return (logs[:, 1:] - logs[:, :1]) / 2.0 if values.ndim == 1 else logs
    return values[:, None] / 2.0 if values.ndim == 1 else values


def learn_calibration(
    folds: Sequence[Fold], classes: Sequence[Any], by_probability: bool
) -> tuple[Calibration, float] | None:
    """Learn probabilities from what folds said of rows that they had not seen.

    Parameters
    ----------
    folds : sequence of Fold
        With decision values.
    classes : sequence
        All of them, in order.
    by_probability : bool
        Whether the values are probabilities.

    Returns
    -------
    calibration : Calibration
    floor : float
        As in ``FoldCalibratedClassifier``. None where no fold has values of all classes.
    """
    known = [each for each in folds if has_values(each, classes)]
    if not known:
        return None
    decision = np.concatenate([np.asarray(each.decision) for each in known])
    label = np.searchsorted(np.asarray(classes), np.concatenate([each.truth for each in known]))
    if not by_probability:
        scale = float(np.sqrt(np.mean(np.square(decision)))) or 1.0  # slopes are sought near 1
        found = calibrate(values_of(decision / scale, 0.0), label, None, shifts=True)
        return Calibration(found.slope / scale, found.shift), 0.0
    tried = [
        (calibrate(values_of(decision, floor), label, None, shifts=True), floor) for floor in FLOORS
    ]
    return min(tried, key=lambda pair: _log_loss(pair[0], values_of(decision, pair[1]), label))


def has_values(fold: Fold, classes: Sequence[Any]) -> bool:
    """Return whether a fold has finite decision values of all classes.

    Parameters
    ----------
    fold : Fold
    classes : sequence
        All of them, in order.

    Returns
    -------
    bool
    """
    if fold.decision is None or fold.classes is None or fold.truth is None:
        return False
    whole = np.array_equal(np.asarray(fold.classes), np.asarray(classes))
    return whole and bool(np.isfinite(fold.decision).all())


def _log_loss(found: Calibration, values: Vector, label: NDArray[Any]) -> float:
    shares = found.probabilities(values)[np.arange(len(label)), label]
    return -float(np.log(np.maximum(shares, np.finfo(float).tiny)).mean())


def with_probabilities(model: Pipeline, found: tuple[Calibration, float] | None) -> Pipeline:
    """Return a fitted pipeline whose last step has calibrated probabilities.

    Parameters
    ----------
    model : Pipeline
    found : tuple of (Calibration, float), or None
        As ``learn_calibration`` gives it; None leaves the pipeline as it is.

    Returns
    -------
    Pipeline
    """
    if found is None:
        return model
    *before, (name, last) = model.steps
    return Pipeline([*before, (name, FoldCalibratedClassifier(last, *found))])
