"""Linear models fitted on a cluster: the local estimators, with sums over partitions."""

from __future__ import annotations

import warnings
from contextlib import suppress
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from maxmargin import losses
from maxmargin.dask.cluster import Cluster, connect
from maxmargin.dask.collection import TableOnCluster
from maxmargin.dask.estimator import (
    OnCluster,
    by_class,
    by_problem,
    label,
    lazy,
    one,
    with_client,
)
from maxmargin.dask.linear_newton import SummedNewton, SummedPoint, SummedProblem
from maxmargin.dask.linear_rows import LinearTask, draw_rows, spread_of_targets
from maxmargin.dask.reading import class_factors, read_table
from maxmargin.inputs.labels import refuse_one_class
from maxmargin.inputs.parameters import all_or_nothing
from maxmargin.ops.clock import Clock, TimeUp, watch
from maxmargin.solvers import Limits, Solution, with_printing
from maxmargin.solvers.run import given_up, run
from maxmargin.solvers.solver import has
from maxmargin.svm.linear_classifier import LinearClassifier as LocalLinearClassifier
from maxmargin.svm.linear_svc import LinearSVC as LocalLinearSVC
from maxmargin.svm.linear_svr import LinearSVR as LocalLinearSVR

Vector = NDArray[np.float64]

_SAMPLE, _PER_COLUMN = 4_000, 100
"""Rows of the sample that a fit begins with: at least, and for each column."""


class LinearOnCluster(OnCluster):
    """A linear model whose rows lie on the workers of a Dask cluster."""

    labels: ClassVar = True

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model to Dask collections.

        Parameters
        ----------
        X : dask Array or DataFrame of shape (rows, columns)
            Partitions may have any size, unknown ones too, or be empty.
        y : dask Array or Series of shape (rows,)
            Partitioned as X is.
        sample_weight : dask Array or Series of shape (rows,), default=None
            Factors of C by row; rows without a positive weight are left out.

        Returns
        -------
        self : object
        """
        self._check_parameters()
        keep = self.on_interrupt == "keep"
        with (
            watch(self.time_limit, self.on_interrupt) as clock,
            connect(self.client, clock, keep) as cluster,
        ):
            placed = read_table(cluster, X, y, sample_weight, self.labels)
            self._note_columns(placed)
            tasks = self._linear_tasks(placed)
            self._recover(self._solve_all(cluster, placed, tasks, clock), None)
        return self

    def _linear_tasks(self, placed: TableOnCluster) -> list[LinearTask]:
        raise NotImplementedError

    def _task(self, loss: Any, penalty: str, **of_classes: Any) -> LinearTask:
        """State the problem, or say why it cannot be solved with sums."""
        if penalty == "l1" or not has(loss.curvature):
            raise ValueError(
                f"On a cluster linear models need {SummedNewton.needs}; got loss={loss.name!r} and "
                f"penalty={penalty!r}. Fit a sample of the rows with maxmargin."
                f"{type(self).__name__}, or use another loss."
            )
        terms = loss, penalty, self._free(), self._constant(), float(self.C)
        return LinearTask(of_classes.get("positive", 0), *terms, **of_classes)

    def _solve_all(
        self, cluster: Cluster, placed: TableOnCluster, tasks: list[LinearTask], clock: Clock
    ) -> list[Solution]:
        callback = with_printing(self.callback, bool(self.verbose))
        limits = Limits(self.tol, int(self.max_iter), clock, callback)
        starts = self._start(cluster, placed, len(tasks), clock)
        scale = self._scale(cluster, placed)
        pairs = zip(tasks, starts, strict=True)
        return [
            self._solve_one(cluster, placed, task, start, scale, limits) for task, start in pairs
        ]

    def _solve_one(
        self,
        cluster: Cluster,
        placed: TableOnCluster,
        task: LinearTask,
        theta: Vector,
        scale: float,
        limits: Limits,
    ) -> Solution:
        problem, precision = SummedProblem(task, placed.rows), placed.dtype
        name = "" if task.classes is None or len(task.classes) == 2 else f"class {task.positive} "
        try:
            solver = SummedNewton(
                problem, cluster, placed.table, theta, scale=scale, precision=precision, name=name
            )
        except TimeUp:
            return given_up(problem, SummedPoint(theta, None, precision, len(theta)), limits)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            return run(solver, limits)

    def _scale(self, cluster: Cluster, placed: TableOnCluster) -> float:
        """Return what widths of the smoothing are measured in: the deviation of the targets."""
        if self.labels:
            return 1.0
        parts = cluster.ask(placed.table, "spread of targets", spread_of_targets)
        n, total, squares = np.sum(parts, axis=0).tolist()
        return float(np.sqrt(max(0.0, squares / n - (total / n) ** 2))) or 1.0

    def _start(
        self, cluster: Cluster, placed: TableOnCluster, problems: int, clock: Clock
    ) -> list[Vector]:
        """Fit a sample of the rows here: where Newton's steps on all of them begin."""
        width = placed.columns + (self._constant() != 0)
        size = max(_SAMPLE, _PER_COLUMN * width)
        if placed.rows < 3 * size:
            return [np.zeros(width)] * problems
        seed = 0 if self.random_state is None else int(_seed(self.random_state))
        drawn = cluster.ask(placed.table, "sample", draw_rows, size / placed.rows, seed)
        X, y, weight = (np.concatenate([part[k] for part in drawn]) for k in range(3))
        found = self._fit_sample(X, y, weight * (placed.rows / len(y)), clock)
        return [np.zeros(width)] * problems if found is None else found

    def _fit_sample(self, X: Any, y: Any, weight: Vector, clock: Clock) -> list[Vector] | None:
        if self.labels and len(np.unique(y)) < len(self.classes_):
            return None
        left = None if clock.left == np.inf else max(0.05, 0.3 * clock.left)
        model = self._local_copy()
        quiet = {"time_limit": left, "callback": None, "verbose": 0, "on_interrupt": "raise"}
        model.set_params(**quiet, tol=max(self.tol, 1e-2), max_iter=30)
        with warnings.catch_warnings(), suppress(ValueError):
            warnings.simplefilter("ignore")
            model.fit(X, y, sample_weight=weight)
            return list(model._own_coefficients(None))
        return None

    def certify(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Judge the model again, on data in memory as the local class does.

        Parameters
        ----------
        X, y, sample_weight
            The training data, in memory.

        Returns
        -------
        certificate : Certificate
        """
        return self.to_local().certify(X, y, sample_weight)


def _seed(random_state: Any) -> int:
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


class ClassifierOnCluster(LinearOnCluster):
    """A linear classifier: two classes, or each against the rest."""

    def _class_tasks(self, placed: TableOnCluster, loss: Any, penalty: str) -> list[LinearTask]:
        self.classes_ = placed.classes()
        refuse_one_class(self.classes_)
        factors = class_factors(self.class_weight, self.classes_, placed)
        positive = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        known = {"classes": self.classes_, "class_weight": factors}
        return [self._task(loss, penalty, positive=k, **known) for k in positive]

    predict: Any = lazy("predict", one, label)
    decision_function: Any = lazy("decision_function", by_problem)


@with_client
class LinearSVC(ClassifierOnCluster, LocalLinearSVC):
    """``maxmargin.LinearSVC`` for Dask collections, with the certificate as sums over all rows.

    Parameters are those of ``maxmargin.LinearSVC``, and

    Parameters
    ----------
    client : distributed.Client or str, default=None
        The cluster; None is the current client.

    Attributes
    ----------
    coef_, intercept_, classes_, n_features_in_, feature_names_in_, n_iter_
        As in scikit-learn.
    certificate_ : Certificate
        Of the problem with the worst relative gap, judged on all rows.

    Examples
    --------
    >>> from maxmargin.dask import LinearSVC
    >>> LinearSVC(C=0.1, client=None).get_params()["C"]
    0.1
    """

    local = LocalLinearSVC

    def _linear_tasks(self, placed: TableOnCluster) -> list[LinearTask]:
        if self.multi_class == "crammer_singer":
            raise ValueError(
                "multi_class='crammer_singer' is not available on a cluster; use 'ovr'."
            )
        return self._class_tasks(placed, losses.named(self.loss), self.penalty)


@with_client
class LinearClassifier(ClassifierOnCluster, LocalLinearClassifier):
    """``maxmargin.LinearClassifier`` for Dask collections: any loss with a curvature.

    Parameters are those of ``maxmargin.LinearClassifier``, and

    Parameters
    ----------
    client : distributed.Client or str, default=None
        The cluster; None is the current client.

    Attributes
    ----------
    coef_, intercept_, classes_, n_features_in_, feature_names_in_, n_iter_
        As in scikit-learn.
    certificate_ : Certificate
        Of the problem with the worst relative gap, judged on all rows.

    Examples
    --------
    >>> from maxmargin.dask import LinearClassifier
    >>> LinearClassifier("squared_hinge").loss
    'squared_hinge'
    """

    local = LocalLinearClassifier
    predict_proba: Any = lazy("predict_proba", by_class)
    predict_log_proba: Any = lazy("predict_log_proba", by_class)

    def _linear_tasks(self, placed: TableOnCluster) -> list[LinearTask]:
        penalty = "none" if self.penalty is None else self.penalty
        return self._class_tasks(placed, losses.named(self.loss), penalty)


@with_client
class LinearSVR(LinearOnCluster, LocalLinearSVR):
    """``maxmargin.LinearSVR`` for Dask collections.

    Parameters are those of ``maxmargin.LinearSVR``, and

    Parameters
    ----------
    client : distributed.Client or str, default=None
        The cluster; None is the current client.

    Attributes
    ----------
    coef_, intercept_, n_features_in_, feature_names_in_, n_iter_
        As in scikit-learn.
    certificate_ : Certificate
        Judged on all rows.

    Examples
    --------
    >>> from maxmargin.dask import LinearSVR
    >>> LinearSVR(epsilon=0.5).epsilon
    0.5
    """

    local = LocalLinearSVR
    labels = False
    predict: Any = lazy("predict", one)

    def _linear_tasks(self, placed: TableOnCluster) -> list[LinearTask]:  # noqa: ARG002
        (problem,) = self._tasks(np.ones(1), np.ones(1))
        return [self._task(problem.loss, problem.penalty)]
