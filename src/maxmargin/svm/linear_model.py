"""What linear models share: a fit that validates, reduces, solves and recovers; prediction."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, is_classifier
from sklearn.utils.validation import check_is_fitted

from maxmargin.certify import Certificate, LinearPoint, Status, judge
from maxmargin.inputs.labels import number_classes, weigh_classes
from maxmargin.inputs.parameters import (
    FLAG,
    Parameter,
    ParameterError,
    all_or_nothing,
    check_declared,
    numeric,
    one_of,
    seed_of,
)
from maxmargin.inputs.vectors import check_vectors, far_mean
from maxmargin.inputs.weights import check_sample_weight
from maxmargin.ops.clock import Clock, watch
from maxmargin.ops.design import Design
from maxmargin.ops.threads import Workers
from maxmargin.problems import LinearProblem
from maxmargin.progress.callbacks import CallbackSupport
from maxmargin.solvers import Limits, Solution, with_printing
from maxmargin.solvers.linear.propose import LinearStart
from maxmargin.solvers.plan import NO_WISH, Wish, plan
from maxmargin.solvers.run import (
    Stage,
    badness,
    given_up,
    solve_all,
    warn_not_converged,
)
from maxmargin.solvers.solver import Solver
from maxmargin.svm.on_device import DEVICE, chosen_device, design_on, wish_on

_SMALL = 2**14  # values in the data, of which problems are solved before another thread wakes up;
# they share one design, and what is known of its rows

Vector = NDArray[np.float64]
Index = NDArray[np.intp]


DUAL = Parameter(flag=True, choices=("auto",))
"""scikit-learn's parameter."""


class LinearEstimator(CallbackSupport, BaseEstimator):
    """Something that is decided by weights on the columns.

    A subclass checks labels or targets (``_validate``, ``_known``), says what a row costs
    (``_costs``), which problems it states (``_tasks``) and which solver is wanted (``_wish``).
    """

    _parameters: ClassVar = {
        "C": numeric(0.0, above=True),
        "tol": numeric(0.0, above=True),
        "max_iter": numeric(0, whole=True),
        "intercept_scaling": numeric(0.0, above=True),
        "fit_intercept": FLAG,
        "intercept": one_of("regularized", "free"),
        "device": DEVICE,
    }

    def __sklearn_tags__(self) -> Any:
        """Return scikit-learn's tags: what input is taken."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns)
        y : array-like of shape (rows,)
            Class labels, or targets of a regression.
        sample_weight : array-like of shape (rows,), default=None
            Factors of C by row; rows without a positive weight are left out.

        Returns
        -------
        self : object
        """
        self._check_parameters()
        with watch(self.time_limit, self.on_interrupt) as clock:
            X, target = self._validate(X, y)
            X, target, cost = self._weigh(X, target, sample_weight)
            X, shift = self._centred(X)
            self._recover(self._solve(X, target, cost, clock, shift), shift)
        return self

    # validate

    def _check_parameters(self) -> None:
        """Check each parameter by itself; a subclass checks those that depend on each other."""
        check_declared(self)

    @abstractmethod
    def _validate(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Check the data; labels come back as class numbers."""

    @abstractmethod
    def _known(self, X: Any, y: Any) -> Any:
        """Return the labels or targets of a fit again, as ``_validate`` did."""

    @abstractmethod
    def _costs(self, target: Any) -> Vector:
        """Return what slack of each row costs, before sample weights."""

    def _weigh(self, X: Any, target: Any, sample_weight: Any) -> tuple[Any, Any, Vector]:
        """Multiply costs with the sample weights; rows that cost nothing are left out."""
        cost = self._costs(target)
        if sample_weight is None:
            return X, target, cost
        cost = cost * np.maximum(self._row_weight(sample_weight, target), 0.0)
        kept = np.flatnonzero(cost > 0)
        if len(kept) == len(target):
            return X, target, cost
        return X[kept], target[kept], cost[kept]

    def _row_weight(self, sample_weight: Any, target: Any) -> Vector:
        weight = np.asarray(sample_weight)
        if weight.ndim == 0:  # one for all rows
            weight = np.full(target.shape, weight)
        return check_sample_weight(weight, target, classes=is_classifier(self))

    def _centred(self, X: Any) -> tuple[Any, Vector | None]:
        """Take the mean off dense rows far from the origin, which a free intercept makes good."""
        if not self._free() or sparse.issparse(X):
            return X, None
        shift = far_mean(X)
        if shift is None:
            return X, None
        shift = shift.astype(np.float64)  # so that differences of single precision are exact
        return X - shift, shift

    # reduce and solve

    def _constant(self) -> float:
        """Return the value of the column that stands for the intercept; 0 for none."""
        if not self.fit_intercept:
            return 0.0
        return 1.0 if self._free() else float(self.intercept_scaling)

    def _free(self) -> bool:
        return bool(self.fit_intercept) and self.intercept == "free"

    @abstractmethod
    def _tasks(self, target: Any, cost: Vector) -> list[Any]:
        """State the problems."""

    def _wish(self) -> Wish:
        """Return what the user said of solvers."""
        return NO_WISH

    def _solve(
        self,
        X: Any,
        target: Any,
        cost: Vector,
        clock: Clock,
        shift: Vector | None,
        starts: Sequence[LinearStart] | None = None,
    ) -> list[Solution]:
        """Solve every problem within the limits, from the solutions of neighbouring ones."""
        watched = self.callback is not None or self.verbose
        callback = with_printing(self.callback, bool(self.verbose)) if watched else None
        wish = self._wish()
        limits = Limits(self.tol, int(self.max_iter), clock, callback)
        seed = seed_of(self.random_state)

        far = 0.0 if shift is None else float(np.linalg.norm(shift))

        small = X.shape[0] * X.shape[1] <= _SMALL
        shared = Design(X, self._constant(), Workers(1), far) if small else None
        device = chosen_device(getattr(self, "device", "cpu"), X.shape[0])
        if device != "cpu":
            wish = wish_on(device, wish, self._tasks(target, cost))
            shared = design_on(device, X, self._constant(), far)

        def start(task: Any, workers: Workers) -> Any:
            clock.stop_if_over()
            problem, first = task
            design = Design(X, self._constant(), workers, far) if shared is None else shared
            stages = plan(problem, design, wish)

            def begin(stage: Stage) -> Solver:
                warm = first if stage is stages[0] else None
                solver: Solver = stage.solver(problem, design, warm, seed, **stage.options)
                return solver

            return stages, begin

        def untouched(task: Any) -> Solution:
            problem, width = task[0], X.shape[1] + (self._constant() != 0)
            return given_up(problem, self._origin(problem, width, X.dtype), limits)

        problems = self._tasks(target, cost)
        begin: Sequence[LinearStart | None] = starts or [None] * len(problems)
        tasks = list(zip(problems, begin, strict=True))
        threads = {"n_jobs": self.n_jobs, "at_once": None if shared is None else 1}
        return solve_all(start, tasks, limits, **threads, give_up=untouched)

    def _origin(self, problem: Any, width: int, dtype: Any) -> Any:
        """Return the point where all coefficients and duals are 0."""
        theta, values = np.zeros(width), np.zeros(len(problem))
        return LinearPoint(theta, values, values, theta, dtype, theta)

    # recover

    def _recover(self, solutions: list[Solution], shift: Vector | None) -> None:
        """Set the fitted attributes."""
        theta = self._coefficients(solutions)
        constant = self._constant()
        self.coef_: Any = theta[:, :-1].copy() if constant else theta
        self.intercept_: Any = constant * theta[:, -1] if constant else 0.0
        if shift is not None:
            self.intercept_ = self.intercept_ - self.coef_ @ shift
        self.n_iter_ = max(solution.iterations for solution in solutions)
        self.certificates_ = [solution.certificate for solution in solutions]
        self.certificate_ = max(self.certificates_, key=badness)
        if self.certificate_.status is not Status.CERTIFIED:  # it is the worst one
            warn_not_converged(self.certificates_, self._sentences())

    def _sentences(self) -> dict[Status, str]:
        """Return sentences that replace those of statuses."""
        return {}

    def _coefficients(self, solutions: list[Solution]) -> Vector:
        """Return one row of coefficients for two classes, and one a class for more."""
        theta = np.stack([solution.point.theta for solution in solutions])
        if not np.isfinite(theta).all():
            raise ValueError("The coefficients are not finite; scale the data.")
        return theta

    # what a fitted model does

    def _values(self, X: Any) -> Vector:
        """Evaluate w'x + b of every problem, a column each."""
        check_is_fitted(self)
        X = check_vectors(self, X, reset=False)
        product = X @ (self.coef_ if self.coef_.ndim == 2 else self.coef_[None]).T
        product = product.toarray() if sparse.issparse(product) else product
        return np.asarray(product + self.intercept_, dtype=np.float64)

    def densify(self) -> Self:
        """Store ``coef_`` as an array."""
        check_is_fitted(self)
        if sparse.issparse(self.coef_):
            self.coef_ = self.coef_.toarray()
        return self

    def sparsify(self) -> Self:
        """Store ``coef_`` as a sparse matrix, which is smaller when most weights are 0."""
        check_is_fitted(self)
        self.coef_ = sparse.csr_matrix(self.coef_)
        return self

    def certify(self, X: Any, y: Any, sample_weight: Any = None) -> Certificate:
        """Judge the model again, from the training data alone.

        The duals that prove how good the weights are, one for each row, are not kept in the model;
        they are found anew, which takes about as long as the fit did.

        Parameters
        ----------
        X, y, sample_weight
            The training data.

        Returns
        -------
        certificate : Certificate
            Of the problem with the worst relative gap; ``certificate_`` is left as it is.
        """
        check_is_fitted(self)
        X = check_vectors(self, X, reset=False, dtype=np.float64)
        X, target, cost = self._weigh(X, self._known(X, y), sample_weight)
        X, shift = self._centred(X)
        theta, verdicts = self._own_coefficients(shift), []
        with Workers(self.n_jobs) as workers:
            values = Design(X, self._constant(), workers).values
            solutions = self._solve(X, target, cost, Clock(), shift)
            tasks = zip(self._tasks(target, cost), solutions, strict=True)
            for number, (problem, solution) in enumerate(tasks):
                point = self._own_point(number, theta, solution.point, values)
                verdicts.append(judge(problem, point, self.tol))
        return max(verdicts, key=badness)

    def _own_coefficients(self, shift: Vector | None) -> Vector:
        """Return this model's coefficients as a solver has them, for rows less a shift."""
        coef = self.coef_.toarray() if sparse.issparse(self.coef_) else self.coef_
        theta, constant = np.atleast_2d(np.asarray(coef, dtype=np.float64)), self._constant()
        if not constant:
            return theta
        intercept = np.broadcast_to(self.intercept_, len(theta))
        intercept = intercept if shift is None else intercept + theta @ shift
        return np.column_stack([theta, intercept / constant])

    def _own_point(self, number: int, theta: Vector, point: Any, values: Any) -> Any:
        """Put this model's coefficients beside the duals of a fresh solution."""
        return replace(point, theta=theta[number], values=values(theta[number]))


class LinearModel(ClassifierMixin, LinearEstimator):
    """Classes told apart by weights on the columns.

    A subclass says which problem its parameters mean (``_problem``). More than two classes are one
    problem for each, against the rest.
    """

    _parameters: ClassVar = {"sampling": one_of("epochs", "uniform")}

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.sampling != "epochs" and self.solver != "dual_coordinate":
            raise ParameterError(
                f"{type(self).__name__}(sampling={self.sampling!r}) needs "
                "solver='dual_coordinate': the others take all rows at once, or have their own way "
                "to draw them."
            )

    def _validate(self, X: Any, y: Any) -> tuple[Any, Index]:
        """Check the data; labels come back as class numbers."""
        X, y = check_vectors(self, X, y=y)
        self.classes_, label, labels = number_classes(y)
        self._class_weight = weigh_classes(self.class_weight, self.classes_, labels)
        return X, label

    def _known(self, X: Any, y: Any) -> Index:
        if len(np.atleast_1d(y)) != X.shape[0] or not np.isin(y, self.classes_).all():
            raise ValueError(
                "certify needs the data the model was fitted to, with labels among "
                f"{self.classes_.tolist()}."
            )
        return np.searchsorted(self.classes_, np.asarray(y))

    def _costs(self, target: Any) -> Vector:
        """C times the class weight."""
        cost: Vector = float(self.C) * self._class_weight[target]
        return cost

    def _tasks(self, label: Index, cost: Vector) -> list[Any]:
        """One problem for two classes, the later one positive; otherwise one for each class."""
        positive = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        return [self._problem(np.where(label == c, 1.0, -1.0), cost) for c in positive]

    def _problem(self, t: Vector, cost: Vector) -> LinearProblem:
        raise NotImplementedError

    def decision_function(self, X: Any) -> Vector:
        """Evaluate w'x + b.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns)

        Returns
        -------
        values : ndarray
            (rows,) for two classes, positive for ``classes_[1]``; otherwise (rows, classes).
        """
        values = self._values(X)
        return values.ravel() if values.shape[1] == 1 else values

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class: by the sign of the value, or the class with the largest one.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns)

        Returns
        -------
        labels : ndarray of shape (rows,)
        """
        values = self.decision_function(X)
        numbers = (values > 0).astype(np.intp) if values.ndim == 1 else values.argmax(axis=1)
        labels: NDArray[Any] = self.classes_[numbers]
        return labels
