"""A kernel machine for tables with a quantity to predict, ready for any columns."""

from __future__ import annotations

from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from maxmargin.inputs.parameters import ParameterError, all_or_nothing
from maxmargin.inputs.targets import check_targets
from maxmargin.inputs.weights import check_sample_weight
from maxmargin.tabular.explanation import Asked
from maxmargin.tabular.final import Unseen
from maxmargin.tabular.preparation import Rows
from maxmargin.tabular.table_machine import TableMachine, Targets
from maxmargin.tabular.target_shape import TargetShape, choose_shape, smear

Vector = NDArray[np.float64]

LEAST_ROWS = 2
WIDER = 0.5  # of the range of the targets: so far may predictions lie beyond it
NO_RANGE = (-np.inf, np.inf)  # of models that an earlier release wrote


class TableSVR(RegressorMixin, TableMachine):
    """Support vector regression for tables that needs no preparing.

    ``fit`` takes numbers, missing values, words, texts, booleans and dates as they are, prepares
    every column, searches kernel and ridge, and keeps the weighted average of the best few
    machines. The target may be learned by its logarithm or by its ranks (``shape_``).

    Up to 3,000 rows the machines are least-squares support vector machines, to 10,000 support
    vector regressions. Of more rows all teach a machine of landmarks and exact machines of what it
    leaves, each of near rows.

    Parameters
    ----------
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
    range_ : tuple of float
        The lowest and the highest prediction, in the shape that was learned: the range of the
        targets, half of it wider on both sides.
    shape_ : TargetShape
        The function of the target that is learned: as it is, its logarithm, or the normal scores of
        its ranks. Chosen by leaving rows out; predictions are in the target's own unit.
    residuals_, smeared_ : ndarray
        What rows that the machines had not seen were off, in that shape: absolute, in ascending
        order; and quantiles, which predictions are averaged over.
    support_, weight_ : ndarray
        The rows of the training table that the machines are made of, one of equal ones, and how
        much each counts.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin import TableSVR
    >>> X = np.linspace(0, 6, 60)[:, None]
    >>> model = TableSVR().fit(X, np.sin(X[:, 0]))
    >>> bool(np.abs(model.predict(X) - np.sin(X[:, 0])).max() < 0.05)
    True
    """

    _scoring = "r2"

    def __init__(
        self,
        *,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        random_state: int = 0,
        verbose: int = 0,
    ) -> None:
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
            Targets.
        sample_weight : array-like of shape (rows,), default=None
            Factors of the loss by row; rows without a positive weight are left out.

        Returns
        -------
        self : TableSVR
        """
        self._fit(X, y, sample_weight)
        return self

    @property
    def _outputs(self) -> int:
        return 1

    def _read_target(self, y: Any) -> tuple[NDArray[Any], Vector]:
        target = check_targets(y)
        return target, np.ones(len(target))

    def _read_weight(self, sample_weight: Any, target: NDArray[Any]) -> Vector:
        none = np.zeros(len(target), dtype=np.intp)
        return check_sample_weight(sample_weight, none, classes=False)

    def _targets(
        self, columns: list[NDArray[Any]], target: NDArray[Any], weight: Vector
    ) -> Targets:
        if len(target) < LEAST_ROWS:
            raise ValueError(
                f"TableSVR needs at least {LEAST_ROWS} different rows, got n_samples = "
                f"{len(target)}."
            )
        self.shape_ = choose_shape(columns, target, weight, self.random_state)
        target = self.shape_.of(target)
        self.range_ = _widened(target)
        self.offset_, self.scale_ = _middle_and_scale(target, weight)
        return Targets(((target - self.offset_) / self.scale_)[:, None], np.zeros(1), weight)

    def _judge(self, unseen: Unseen, targets: Targets) -> None:
        off = (targets.Y[unseen.rows] - unseen.values)[:, 0] * self.scale_
        self.residuals_, self.smeared_ = np.sort(np.abs(off)), smear(off)

    def _fits_together(self) -> bool:
        numbers = self.residuals_.ndim == self.smeared_.ndim == 1 and len(self.smeared_) > 0
        return numbers and isinstance(self.shape_, TargetShape) and super()._fits_together()

    def _asked(self, row: Rows) -> Asked:
        value = float(self.predict(row)[0])
        shape = "" if self.shape_ == TargetShape() else self.shape_.name
        if self._unlimited(row)[0] != self._shaped(row)[0]:
            shape = f"{shape or 'value'} before limits"
        return Asked(value, quantity=True, scale=self.scale_, middle=self.offset_, shape=shape)

    def _shaped(self, X: Any) -> Vector:
        """Return predictions of the function of the target that is learned."""
        return np.asarray(np.clip(self._unlimited(X), *vars(self).get("range_", NO_RANGE)))

    def _unlimited(self, X: Any) -> Vector:
        """Return them before they are limited to the range of the targets."""
        values: Vector = self._values(X)[:, 0] * self.scale_ + self.offset_
        return values

    def predict(self, X: Any) -> Vector:
        """Return the predicted target of each row."""
        check_is_fitted(self)
        shape: TargetShape = self.shape_
        return shape.mean(self._shaped(X), self.smeared_)

    def predict_interval(self, X: Any, coverage: float = 0.9) -> tuple[Vector, Vector]:
        """Return the ends of intervals that hold the target of a new row with a probability.

        The half width is the quantile of what rows left out in the search were off (the jackknife
        of Barber, Candes, Ramdas and Tibshirani, "Predictive inference with the jackknife+",
        Annals of Statistics 49, 2021, eq. 1). All rows' intervals are equally wide in the shape
        that was learned: where that is the logarithm, they are wider for larger predictions.

        Parameters
        ----------
        X : as in ``fit``
        coverage : float, default=0.9
            Between 0 and 1.

        Returns
        -------
        low, high : ndarray of shape (rows,)
        """
        check_is_fitted(self)
        if not (isinstance(coverage, Real) and 0.0 < coverage < 1.0):
            raise ParameterError(f"coverage must be between 0 and 1, got {coverage!r}.")
        n = len(self.residuals_)
        width = self.residuals_[min(n - 1, int(np.ceil(coverage * (n + 1))) - 1)]
        middle, shape = self._shaped(X), self.shape_
        return shape.inverse(middle - width), shape.inverse(middle + width)


def _widened(target: Vector) -> tuple[float, float]:
    """Return the range of the targets, a part of it wider on both sides."""
    low, high = float(target.min()), float(target.max())
    more = WIDER * (high / 2 - low / 2) * 2  # at any size of the numbers
    return low - more, high + more


def _middle_and_scale(target: Vector, weight: Vector) -> tuple[float, float]:
    """Return the weighted mean and standard deviation, at any size of the numbers."""
    largest = float(np.abs(target).max()) or 1.0
    mean = largest * float(np.average(target / largest, weights=weight))
    off = (target - mean) / largest
    scale = largest * float(np.sqrt(np.average(off * off, weights=weight)))
    return mean, scale or 1.0
