"""What kernel machines for tables share: reading, searching, fitting and explaining."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from maxmargin.certify import Certificate, Status
from maxmargin.inputs.parameters import ParameterError
from maxmargin.inputs.warning import warn_user
from maxmargin.ops.clock import Clock, says_first, watch
from maxmargin.ops.threads import one_blas_thread
from maxmargin.progress import part
from maxmargin.tabular.columns import read_columns
from maxmargin.tabular.distinct import Distinct, find_distinct
from maxmargin.tabular.explanation import Asked, Explanation, gather, read_row, take_rows
from maxmargin.tabular.final import Unseen, fit_members
from maxmargin.tabular.importances import Importances, Question, measure
from maxmargin.tabular.machine import Member, average
from maxmargin.tabular.preparation import Preparation, Rows, TooManyRows
from maxmargin.tabular.search import MOST_SEARCHED, run_search, stage_sizes
from maxmargin.tabular.stages import Stages
from maxmargin.tabular.table_model import TableModel
from maxmargin.tabular.task import Task

MANY_TIMES = 10.0  # that every row is counted, from which on a warning asks if that is meant

Vector = NDArray[np.float64]
Matrix = NDArray[Any]


@dataclass(frozen=True)
class Targets:
    """What is to be learned: outputs of mean 0, what was taken off them, weights and classes."""

    Y: Matrix
    offset: Vector
    weight: Vector
    label: NDArray[np.intp] | None = None


class TableMachine(TableModel):
    """A kernel machine that prepares a table, searches its kernel, and averages the best few."""

    _scoring: ClassVar[str]
    members_: tuple[Member, ...]
    support_: NDArray[np.intp]
    weight_: Vector

    @property
    @abstractmethod
    def _outputs(self) -> int:
        """How many values a row gets."""

    def _fits_together(self) -> bool:
        """Whether there are machines, of rows that weigh something, for all outputs."""
        members, rows = self.members_, len(self.support_)
        known = isinstance(members, tuple) and all(isinstance(each, Member) for each in members)
        outputs = {each.machine.outputs for each in members}
        of_rows = self.support_.shape == self.weight_.shape == (rows,)
        return known and of_rows and outputs == {self._outputs} and super()._fits_together()

    def _takes(self, row: Rows) -> bool:
        return all(each.takes(row) for each in self.members_)

    @abstractmethod
    def _read_target(self, y: Any) -> tuple[NDArray[Any], Vector]:
        """Return what is to be learned of each row, and what the row weighs by itself."""

    @abstractmethod
    def _read_weight(self, sample_weight: Any, target: NDArray[Any]) -> Vector: ...

    @abstractmethod
    def _targets(
        self, columns: list[NDArray[Any]], target: NDArray[Any], weight: Vector
    ) -> Targets: ...

    @abstractmethod
    def _judge(self, unseen: Unseen, targets: Targets) -> None:
        """Keep what rows that the machines have not seen tell."""

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        self._check_parameters()
        with watch(self.time_limit) as clock:
            columns = read_columns(self, X, reset=True)
            clock.over()  # whoever waits may have given up: here and below
            target, weight = self._read_target(y)
            check_consistent_length(columns[0], target)
            if sample_weight is not None:
                weight = weight * _as_counts(self._read_weight(sample_weight, target))
            found = _at_least_one(find_distinct(columns, target, weight))
            clock.over()
            try:
                self._fit_rows(columns, target, found, clock, clock.over)
            except TooManyRows:  # a sample is prepared in a moment
                found = found.sample(MOST_SEARCHED, target, self.random_state)
                self._fit_rows(columns, target, found, clock)

    def _fit_rows(
        self,
        columns: list[NDArray[Any]],
        target: NDArray[Any],
        found: Distinct,
        clock: Clock,
        stop: Callable[[], bool] | None = None,
    ) -> None:
        """Fit the machines to distinct rows, unless they take too long to prepare."""
        columns = [each[found.rows] for each in columns]
        stop = stop if len(found.rows) > MOST_SEARCHED else None
        with one_blas_thread:  # sums are the same wherever the fit runs
            targets = self._targets(columns, target[found.rows], found.weight)
            unseen = self._learn(columns, targets, clock, stop)
        self._judge(unseen, targets)
        self.weight_ = found.weight[self.support_]
        self.support_ = found.rows[self.support_]

    def _learn(
        self,
        columns: list[NDArray[Any]],
        target: Targets,
        clock: Clock,
        stop: Callable[[], bool] | None,
    ) -> Unseen:
        """Prepare, search and fit; returns what is known of rows the machines did not see."""
        names = self._names(len(columns))
        sizes = stage_sizes(len(target.Y))
        stages = Stages(type(self).__name__, len(sizes), self.verbose)
        prepared = Preparation.learn(
            columns, names, target.Y, target.weight, stop, tails=target.label is None
        )
        self.preparation_, rows = prepared
        clock.over()
        stages.prepared()
        task = Task(rows, target.Y, target.weight, target.label)
        found = run_search(task, clock, self.n_jobs, self.random_state, stages)
        says_first("scales")  # weights of columns are meant to differ
        with part(1.0 - stages.share):
            fitted = fit_members(task, found, target.offset, clock, self.n_jobs, self.random_state)
        stages.fitted()
        complete = found.complete and fitted.complete
        if not complete:
            warn_user(
                "time_limit was reached before the search was done; the best machines so far are "
                "kept.",
                ConvergenceWarning,
            )
        self.members_ = fitted.members
        self.stop_ = self.certificate_.status if complete else Status.TIME_LIMIT
        self.search_ = found.trials + fitted.trials
        self.support_ = fitted.rows
        return fitted.unseen

    @property
    def certificates_(self) -> list[Certificate]:
        """Of every member and output."""
        check_is_fitted(self)
        members: tuple[Member, ...] = self.members_
        return [each for member in members for each in member.certificates]

    @property
    def certificate_(self) -> Certificate:
        """Of the member and output with the worst relative gap."""
        return max(self.certificates_, key=lambda each: each.relative_gap)

    def _values(self, X: Any) -> Vector:
        rows = self._prepared(X)
        return average(self.members_, rows, self.n_jobs)

    def importances(
        self,
        X: Any,
        y: Any,
        repeats: int = 5,
        *,
        scoring: Any = None,
        sample_weight: Any = None,
        random_state: int = 0,
    ) -> Importances:
        """Measure how much the score falls when each column's values are dealt to the rows anew.

        Parameters
        ----------
        X, y : as in ``fit``
            Rows that the model has not seen; of those of the fit it also tells what was learned by
            heart.
        repeats : int, default=5
            How often each column is dealt anew.
        scoring : str or callable, default=None
            As in scikit-learn: "neg_log_loss", for example; None for the accuracy or R².
        sample_weight : array-like of shape (rows,), default=None
            How much each row counts in the score.
        random_state : int, default=0
            Of the dealing.

        Returns
        -------
        Importances
            Print it, or see its ``names``, ``mean``, ``spread`` and ``falls``.
        """
        check_is_fitted(self)
        if not isinstance(repeats, Integral) or repeats < 1:
            raise ParameterError(f"repeats must be a whole number from 1 on, got {repeats!r}.")
        columns = read_columns(self, X, reset=False)
        check_consistent_length(columns[0], y, sample_weight)
        preparation = self.preparation_
        question = Question(
            preparation.rows(columns), preparation.places(columns), y, sample_weight
        )
        scoring = self._scoring if scoring is None else scoring
        names = self._names(len(columns))
        return measure(self, names, question, scoring, int(repeats), random_state)

    def explain(self, row: Any, X: Any = None, y: Any = None) -> Explanation:
        """Tell which rows of the training table decide about a row, and by which columns.

        Parameters
        ----------
        row : DataFrame of one row, Series, dict, or sequence of values
        X : DataFrame or array-like, default=None
            The training table, as ``fit`` had it; then the values of rows are printed too.
        y : array-like of shape (rows,), default=None
            Its labels or targets; then they are told too.

        Returns
        -------
        Explanation
            Print it, or see its ``rows``, ``contributions`` and ``shares``. Of several classes
            least-squares machines, and those of landmarks and cells, explain the predicted class
            against all others; support vector machines, which compare classes in pairs, explain it
            against the second.
        """
        check_is_fitted(self)
        columns = read_row(self, row, self._names(self.n_features_in_))
        prepared, places = self.preparation_.rows(columns), self.preparation_.places(columns)
        asked = self._asked(prepared)
        found = gather(self.members_, self.weight_, prepared, places, len(columns), asked.side)
        rows = self.support_[found.places]
        told = None if X is None else take_rows(read_columns(self, X, reset=False), rows)
        targets = None if y is None else take_rows([np.asarray(y)], rows)[0]
        return found.explain(asked, rows, self._names(len(columns)), told, targets)

    @abstractmethod
    def _asked(self, row: Rows) -> Asked:
        """Say what of a prepared row is explained."""

    def search_results(self) -> dict[str, NDArray[Any]]:
        """Return what the search tried, as columns: candidate, rows, loss."""
        check_is_fitted(self)
        names, rows, losses = zip(*self.search_, strict=True)
        return {
            "candidate": np.array(names, dtype=object),
            "rows": np.array(rows),
            "loss": np.array(losses),
        }


def _as_counts(weight: Vector) -> Vector:
    """Return whole weights, which count rows, as they are, and others with a mean of 1."""
    weight = np.maximum(weight, 0.0)
    positive = weight[weight > 0]
    if not len(positive):
        return weight
    if (np.floor(positive) != positive).any():
        largest = positive.max()  # so that sums stay finite
        return np.asarray(weight / largest / (positive / largest).mean())
    if positive.min() >= MANY_TIMES:
        warn_user(
            f"Every sample weight is {positive.min():g} or more. Whole weights count equal rows, "
            "so the model follows them closely; divide the weights by their mean if they do not "
            "count rows.",
            UserWarning,
        )
    return weight


def _at_least_one(found: Distinct) -> Distinct:
    """Scale weights below 1 on average to a mean of 1; larger ones count equal rows.

    The ridges that are searched are for such rows: from weights of 1e-6 nothing is learned.
    """
    mean = float(found.weight.mean()) if len(found.weight) else 1.0
    return found if mean >= 1.0 else replace(found, weight=found.weight / mean)
