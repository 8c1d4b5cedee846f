"""A kernel machine for tables with classes, ready for any columns."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import assert_all_finite
from sklearn.utils.validation import check_is_fitted

from maxmargin.inputs.labels import number_classes, weigh_classes
from maxmargin.inputs.parameters import all_or_nothing
from maxmargin.inputs.weights import check_sample_weight
from maxmargin.tabular.calibration import Calibration, calibrate
from maxmargin.tabular.explanation import Asked, Side
from maxmargin.tabular.final import Unseen
from maxmargin.tabular.machine import SupportVectorMachine
from maxmargin.tabular.preparation import Rows
from maxmargin.tabular.table_machine import TableMachine, Targets

Vector = NDArray[np.float64]


class TableSVC(ClassifierMixin, TableMachine):
    """A support vector machine for tables that needs no preparing.

    ``fit`` takes numbers, missing values, words, texts, booleans and dates as they are, prepares
    every column, searches kernel and ridge, and keeps the weighted average of the best few
    machines.

    Up to 3,000 rows the machines are least-squares support vector machines, one output a class
    against the rest: leaving rows out of them is exact and nearly free, which is what the search,
    the average and the probabilities are judged by. Of more rows a sample of 3,000 is searched,
    and the machines of all rows are support vector machines. Of more than 50,000 rows (20,000 from
    ten classes on) all teach a machine of landmarks and exact machines of what it leaves, each of
    near rows.

    Parameters
    ----------
    class_weight : dict or "balanced", default=None
        Factors of the loss by class.
    time_limit : float, default=None
        Seconds after which the search ends with the best machines so far. Without one the work
        depends on the number of rows alone, and so does the result.
    n_jobs : int, default=None
        Threads; None for all cores, and for one in a worker of a pool. The result does not depend
        on it.
    random_state : int, default=0
        Of the samples of rows that early stages of the search look at.
    verbose : int, default=0
        Print which stage is done of how many, the best so far, the time and how much of it is left:
        1 about once a second, 2 after every stage. With 0 these lines go to the log "maxmargin"
        alone.

    Attributes
    ----------
    classes_ : ndarray
    preparation_ : Preparation
        What became of each column; print it.
    members_ : tuple of Member
        The machines of the average, with their shares and certificates.
    certificate_, certificates_ : Certificate, list of Certificate
        The worst, and all.
    stop_ : Status
        TIME_LIMIT if the search was cut short, else the status of the worst certificate.
    search_ : tuple
        What was tried, on how many rows, with which loss; ``search_results()`` has it as columns.
    support_, weight_ : ndarray
        The rows of the training table that the machines are made of, one of equal ones, and how
        much each counts.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from maxmargin import TableSVC
    >>> from maxmargin.datasets import load_mixture
    >>> X, y = load_mixture(return_X_y=True)
    >>> model = TableSVC().fit(X, y)
    >>> model.certificate_.status.name
    'CERTIFIED'
    >>> print(model.preparation_)
    x0  a number
    x1  a number
    """

    _scoring = "accuracy"

    def __init__(
        self,
        *,
        class_weight: dict[Any, float] | str | None = None,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        random_state: int = 0,
        verbose: int = 0,
    ) -> None:
        self.class_weight = class_weight
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (rows, columns)
        y : array-like of shape (rows,)
            Class labels.
        sample_weight : array-like of shape (rows,), default=None
            Factors of the loss by row; rows without a positive weight are left out.

        Returns
        -------
        self : TableSVC
        """
        self._fit(X, y, sample_weight)
        return self

    @property
    def _outputs(self) -> int:
        return 1 if len(self.classes_) == 2 else len(self.classes_)

    def _fits_together(self) -> bool:
        known = isinstance(self.calibration_, Calibration)
        shape = (len(self.classes_),)
        return known and self.calibration_.shift.shape == shape and super()._fits_together()

    def _read_target(self, y: Any) -> tuple[NDArray[np.intp], Vector]:
        self.classes_, label, labels = number_classes(_finite(y))
        return label, weigh_classes(self.class_weight, self.classes_, labels)[label]

    def _read_weight(self, sample_weight: Any, label: NDArray[Any]) -> Vector:
        return check_sample_weight(sample_weight, label)

    def _targets(
        self,
        columns: list[NDArray[Any]],  # noqa: ARG002
        label: NDArray[Any],
        weight: Vector,
    ) -> Targets:
        signs = np.where(label[:, None] == np.arange(len(self.classes_)), 1.0, -1.0)
        if len(self.classes_) == 2:
            signs = signs[:, 1:]
        offset = np.average(signs, axis=0, weights=weight)
        return Targets(signs - offset, offset, weight, label)

    def _judge(self, unseen: Unseen, targets: Targets) -> None:
        assert targets.label is not None
        weight = targets.weight[unseen.rows]
        self.calibration_ = calibrate(unseen.values, targets.label[unseen.rows], weight)

    def _asked(self, row: Rows) -> Asked:
        count = len(self.classes_)
        value = np.asarray(self.decision_function(row))[0]
        of_class = np.append(-value, value) if count == 2 else value
        number = int(value > 0) if count == 2 else int(value.argmax())
        other = int(np.where(np.arange(count) == number, -np.inf, of_class).argmax())
        in_pairs = count == 2 or isinstance(self.members_[0].machine, SupportVectorMachine)
        against = self.classes_[other] if in_pairs else None
        return Asked(self.classes_[number], against, Side(number, other, count))

    def decision_function(self, X: Any) -> Vector:
        """Return the decision values of rows: one for two classes, else one for each class."""
        values = self._values(X)
        return values[:, 0] if len(self.classes_) == 2 else values

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row."""
        check_is_fitted(self)
        values = self.decision_function(X)
        number = (values > 0).astype(np.intp) if values.ndim == 1 else values.argmax(axis=1)
        classes: NDArray[Any] = self.classes_[number]
        return classes

    def predict_proba(self, X: Any) -> Vector:
        """Return the probability of each class, calibrated on the rows left out in the search."""
        check_is_fitted(self)
        calibration: Calibration = self.calibration_
        values = self.decision_function(X)
        return calibration.probabilities(values[:, None] if values.ndim == 1 else values)


def _finite(y: Any) -> Any:
    """Return the labels; refuse numbers among which one is missing."""
    if np.asarray(y).dtype.kind == "f":
        assert_all_finite(np.asarray(y), input_name="y")
    return y
