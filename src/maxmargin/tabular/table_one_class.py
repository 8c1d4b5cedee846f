"""Where most rows of a table lie, ready for any columns: rows outside are outliers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import pdist
from sklearn.base import OutlierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from maxmargin.certify import Certificate, Status
from maxmargin.inputs.parameters import all_or_nothing, check_number, check_share
from maxmargin.inputs.warning import warn_user
from maxmargin.inputs.weights import read_weight
from maxmargin.kernels import Laplacian
from maxmargin.ops.clock import Clock, watch
from maxmargin.progress import part
from maxmargin.svm.one_class import OneClassSVM
from maxmargin.tabular.columns import read_columns
from maxmargin.tabular.distinct import Distinct, find_distinct
from maxmargin.tabular.final import LEAST_SECONDS
from maxmargin.tabular.preparation import BLOCKS, Preparation, Rows, TooManyRows
from maxmargin.tabular.search import MOST_SEARCHED
from maxmargin.tabular.stages import Stages
from maxmargin.tabular.table_model import TableModel

Vector = NDArray[np.float64]

LEAST_ROWS = 2
NUMBERS = 0.5  # weight of each of a number's two columns; together they count like a word
KINDS = ("standardised", "ranks")
SAMPLE = 500  # rows whose distances tell the median
LATE = "time_limit was reached before all rows were prepared; a sample of them is learned."
FAR = 4.0  # standard deviations: one column alone makes no row an outlier of any size


class TableOneClass(OutlierMixin, TableModel):
    """A one-class support vector machine for tables that needs no preparing.

    ``fit`` takes numbers, missing values, words, booleans and dates as they are and finds where
    most rows lie; ``predict`` says which rows lie there (1) and which are outliers (-1). Columns
    are prepared as by ``TableSVC``, without means of a target. The kernel's width comes from the
    median distance of rows, since there is no target to search by.

    Parameters
    ----------
    nu : float, default=0.1
        At most about this share of new rows of the same kind lies outside; above 0, at most 1.
    gamma : float, default=3.0
        Of the kernel, times X
    time_limit : float, default=None
        Seconds after which the best machine so far is kept.
    n_jobs : int, default=None
        Threads; None for all cores, and for one in a worker of a pool. The result does not depend
        on it.
    verbose : int, default=0
        Print which stage is done, the time and how much of it is left: 1 about once a second, 2
        after every stage. With 0 these lines go to the log "maxmargin" alone.

    Attributes
    ----------
    preparation_ : Preparation
        What became of each column; print it.
    machine_ : OneClassSVM
        On the prepared rows.
    offset_ : float
        decision_function is score_samples less this: the score that a share ``nu`` of the rows of
        the fit does not reach when their own part in it is left out.
    outliers_ : ndarray
        The rows of the training table that lie outside when their own part is left out, the
        farthest first, one of equal ones; ``predict`` leaves it in, and so forgives them.
    support_ : ndarray
        The rows of the training table that the machine keeps, one of equal ones.
    certificate_ : Certificate
        How close to optimal the machine is.
    stop_ : Status
        How the fit ended.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin import TableOneClass
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> model = TableOneClass(nu=0.1).fit(X)
    >>> model.predict([[0.0, 0.0], [9.0, 9.0]]).tolist()
    [1, -1]
    """

    stop_: Status

    def __init__(
        self,
        *,
        nu: float = 0.1,
        gamma: float = 3.0,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.nu = nu
        self.gamma = gamma
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_share(type(self).__name__, "nu", self.nu)
        check_number(type(self).__name__, "gamma", self.gamma, 0.0, above=True)

    @all_or_nothing
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix of shape (rows, columns)
        y : ignored
        sample_weight : array-like of shape (rows,), default=None
            How much each row counts; rows without a positive weight are left out.

        Returns
        -------
        self : TableOneClass
        """
        del y
        self._check_parameters()
        with watch() as clock:  # the machine has the limit: it ends with the best so far
            columns = read_columns(self, X, reset=True)
            weight = read_weight(sample_weight, len(columns[0]))
            clock.over()  # whoever waits may have given up: here and below
            found = find_distinct(columns, np.zeros(len(weight)), weight)
            if len(found.rows) < LEAST_ROWS:
                raise ValueError(
                    f"TableOneClass needs at least {LEAST_ROWS} different rows, got n_samples = "
                    f"{len(found.rows)}."
                )
            clock.over()
            stages = Stages(type(self).__name__, 0, self.verbose)
            late = False
            try:
                rows = self._prepare(columns, found, self._is_late(clock, found))
            except TooManyRows:  # a sample is prepared in a moment
                warn_user(LATE, ConvergenceWarning)
                found = found.sample(MOST_SEARCHED, np.zeros(len(weight)), 0)
                rows, late = self._prepare(columns, found), True
            clock.over()
            stages.prepared()
            with part(1.0 - stages.share):
                self._fit_rows(rows, found, clock)
            self.stop_ = Status.TIME_LIMIT if late else self.certificate_.status
            stages.fitted()
        return self

    def _fits_together(self) -> bool:
        known = isinstance(self.machine_, OneClassSVM) and hasattr(self.machine_, "support_")
        return known and super()._fits_together()

    def _takes(self, row: Rows) -> bool:
        width = row.X.shape[1]
        return self.scale_.shape == (width,) and self.machine_.n_features_in_ == width

    def _is_late(self, clock: Clock, found: Distinct) -> Callable[[], bool] | None:
        """Return what tells that the limit is over; None where there is none or rows are few."""
        limit = self.time_limit
        if limit is None or len(found.rows) <= MOST_SEARCHED:
            return None
        return lambda: clock.seconds >= limit

    def _prepare(
        self,
        columns: list[NDArray[Any]],
        found: Distinct,
        stop: Callable[[], bool] | None = None,
    ) -> Rows:
        nothing = np.zeros((len(found.rows), 0))  # targets: there are none to take means of
        names, columns = self._names(len(columns)), [each[found.rows] for each in columns]
        self.preparation_, rows = Preparation.learn(columns, names, nothing, found.weight, stop)
        return rows

    def _fit_rows(self, rows: Rows, found: Distinct, clock: Clock) -> None:
        limit = self.time_limit
        seconds = None if limit is None else max(limit - clock.seconds, LEAST_SECONDS)
        self.scale_ = self._scale(rows)
        self.machine_ = OneClassSVM(
            kernel=Laplacian(1.0), nu=self.nu, time_limit=seconds, n_jobs=self.n_jobs
        ).fit(self._scaled(rows), None, found.weight)
        self.support_ = found.rows[self.machine_.support_]
        scores = self._left_out(rows, found.weight)
        self.offset_ = _quantile(scores, found.weight, self.nu)
        order = np.argsort(scores, kind="stable")
        self.outliers_ = found.rows[order[scores[order] < self.offset_]]

    def _scale(self, rows: Rows) -> Vector:
        """Return factors of the prepared columns after which the kernel's gamma is 1."""
        numbers = np.isin(rows.block, [BLOCKS.index(name) for name in KINDS])
        weight = np.where(numbers, NUMBERS, 1.0)
        some = np.unique(np.linspace(0, len(rows.X) - 1, SAMPLE).astype(np.intp))
        Z = np.clip(rows.X[some], -FAR, FAR) * weight
        pairs = pdist(Z, "cityblock")
        median = float(np.median(pairs)) if len(pairs) else 1.0
        return np.asarray(weight * self.gamma / (median or float(pairs.mean()) or 1.0))

    def _scaled(self, rows: Rows) -> Vector:
        """Return what the kernel compares: a value beyond ``FAR`` is no farther away."""
        return np.asarray(np.clip(rows.X, -FAR, FAR) * self.scale_)

    def _left_out(self, rows: Rows, weight: Vector) -> Vector:
        """Return the scores of the rows of the fit, each without its own part."""
        scores = self.machine_.score_samples(self._scaled(rows))
        known = self.machine_.support_
        scores[known] -= self.machine_.dual_coef_[0] / weight[known]  # k(x, x) is 1
        return np.asarray(scores)

    @property
    def certificate_(self) -> Certificate:
        """Of the machine."""
        check_is_fitted(self)
        certificate: Certificate = self.machine_.certificate_
        return certificate

    def decision_function(self, X: Any) -> Vector:
        """Evaluate on which side rows lie, and how far: positive inside.

        Parameters
        ----------
        X : as in ``fit``

        Returns
        -------
        values : ndarray of shape (rows,)
        """
        return self.score_samples(X) - self.offset_

    def score_samples(self, X: Any) -> Vector:
        """Evaluate the sum of kernel values, without the offset.

        Parameters
        ----------
        X : as in ``fit``

        Returns
        -------
        values : ndarray of shape (rows,)
        """
        rows = self._prepared(X)
        model = self.machine_.set_params(n_jobs=self.n_jobs)
        return np.asarray(model.score_samples(self._scaled(rows)))

    def predict(self, X: Any) -> NDArray[np.intp]:
        """Say which rows lie inside (1) and which are outliers (-1).

        Parameters
        ----------
        X : as in ``fit``

        Returns
        -------
        sides : ndarray of shape (rows,)
        """
        return np.where(self.decision_function(X) >= 0, 1, -1)


def _quantile(scores: Vector, weight: Vector, share: float) -> float:
    """Return the score that rows of this share of the weight do not reach."""
    order = np.argsort(scores, kind="stable")
    below = np.cumsum(weight[order])
    place = int(np.searchsorted(below, share * below[-1], side="right"))
    return float(scores[order[min(place, len(order) - 1)]])
