r"""The soft margin with a budget of slack: the constrained form of what SVC solves penalised.

    min_{w,b,xi}  |w|^2 / 2     s.t.  t_i (<w, phi(x_i)> + b) >= 1 - xi_i,   xi_i >= 0,
                                      sum_i s_i xi_i <= budget.

The multiplier of the budget is the C of the penalised form (``problems.slack_budget``): a model
found here is SVC's for ``C_``, and SVC's model for a C is found here with its ``total_slack``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.inputs.labels import check_labels
from maxmargin.inputs.parameters import numeric
from maxmargin.ops.clock import Clock
from maxmargin.problems import SlackBudget
from maxmargin.solvers import Progress
from maxmargin.solvers.box_qp.budget_search import BudgetSearch
from maxmargin.solvers.box_qp.hard_margin import HardMargin
from maxmargin.svm.classes import intercept
from maxmargin.svm.hard_margin import Separability
from maxmargin.svm.kernel_classifier import KernelClassifier
from maxmargin.svm.kernel_fit import Learned, Recipe
from maxmargin.svm.separation import heaviest_meeting
from maxmargin.svm.training import Training

Vector = NDArray[np.float64]


class SlackBudgetSVC(KernelClassifier):
    """The largest margin with no more than a given total of slack.

    A row's slack is by how much it falls short of a functional margin of 1: max(0, 1 - t_i f(x_i)).
    ``SVC`` pays C for each unit of it; here all rows together may have ``budget``. Both say the
    same: the solution for a budget is SVC's with C equal to the budget's multiplier ``C_``, and the
    solution for a C is found with the budget ``total_slack(model, X, y)``. Two ends of the scale:
    a budget of 0 is the hard margin, and one that w = 0 fits in gives w = 0 and C_ = 0.

    Parameters
    ----------
    budget : float, default=1.0
        Largest sum of all slacks, each times its row's weight. For more than two classes, of every
        problem.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"}, Kernel or callable, \
default="linear"
    degree, gamma, coef0
        Of the kernel, as in ``SVC``.
    tol : float, default=1e-3
        Largest violation of the optimality conditions, and relative gap.
    cache_size : float, default=200
        Memory for kernel values, in MB.
    class_weight : dict or "balanced", default=None
        Weights of slack by class.
    verbose : bool, default=False
        Print a line for every step.
    max_iter : int, default=-1
        Limit on the pair steps of each problem; -1 for none.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
    break_ties : bool, default=False
        As in ``SVC``.
    multiclass : {"ovo", "ovr"}, default="ovo"
        A problem for each pair of classes, or for each class against the rest.
    time_limit : float, default=None
        Seconds after which the best point so far is returned.
    n_jobs : int, default=None
        Threads; None for all cores. The result does not depend on it.
    callback : callable, default=None
        Called with a ``Progress`` at every step. While no point within the budget is known the
        primal is infinite.
    on_interrupt : {"raise", "keep"}, default="raise"
        What Ctrl-C does, as in ``SVC``.

    Raises
    ------
    NotSeparable
        By ``fit``, with a ``witness``, if every hyperplane has more slack than the budget.
    ArithmeticError
        By ``fit``, if rows lie so far from the origin that rounded linear kernel values cannot
        tell.

    Attributes
    ----------
    C_ : float or ndarray of shape (problems,)
        The multiplier of the budget: ``SVC(C=C_)`` gives the same model. Where the solution is the
        same for a range of costs, this is one of them.
    slack_ : float or ndarray of shape (problems,)
        Total slack used.
    certificate_, certificates_
        Of the constrained problem: the primal value is |w|^2 / 2.
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, classes_, class_weight_,
    n_iter_, fit_status_, shape_fit_, n_features_in_, feature_names_in_
        As in ``SVC``.

    Examples
    --------
    >>> from maxmargin import SVC, SlackBudgetSVC
    >>> X, y = [[-2.0], [-1.0], [0.5], [1.0], [2.0]], [0, 0, 0, 1, 1]
    >>> model = SlackBudgetSVC(budget=1.0).fit(X, y)
    >>> round(model.C_, 6), round(model.slack_, 6), model.coef_.round(6)
    (4.0, 1.0, array([[2.]]))
    >>> SVC(C=model.C_, kernel="linear").fit(X, y).coef_.round(6)
    array([[2.]])
    """

    _parameters: ClassVar = {"budget": numeric(0.0)}
    _row_by_row = True

    def __init__(
        self,
        *,
        budget: float = 1.0,
        kernel: Any = "linear",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: dict[Any, float] | str | None = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        multiclass: str = "ovo",
        time_limit: float | None = None,
        n_jobs: int | None = None,
        callback: Callable[[Progress], object] | None = None,
        on_interrupt: str = "raise",
    ) -> None:
        self.budget = budget
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.multiclass = multiclass
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.callback = callback
        self.on_interrupt = on_interrupt

    def _recipe(self, clock: Clock, intercept: str = "free") -> Recipe:  # noqa: ARG002
        budget = float(self.budget)
        return Recipe(
            price=1.0,
            **self._resources(clock),
            by_pairs=self.multiclass == "ovo",
            state=partial(_within_budget, budget),
            solver=BudgetSearch if budget > 0 else HardMargin,
            adviser=partial(Affordability, budget=budget),
        )

    def _learn(self, training: Training, clock: Clock) -> Learned:
        learned = super()._learn(training, clock)
        weight = self._recipe(clock).costs(training)
        found = np.array(list(_multipliers(learned, weight, float(self.budget))))
        two = len(self.classes_) == 2
        self.C_, self.slack_ = (float(v[0]) if two else v for v in found.T.copy())
        return learned


def _within_budget(budget: float, t: Vector, weight: Vector) -> Any:
    """State a budget of slack; one of 0 leaves only infinite costs."""
    problem = SlackBudget(t, weight, budget)
    return problem if budget > 0 else problem.penalised(np.inf)


def _multipliers(learned: Learned, weight: Vector, budget: float) -> Any:
    """Find the multiplier of the budget and the slack used, for every problem."""
    for task, solution in zip(learned.reduced.tasks, learned.solutions, strict=True):
        point, rows = solution.point, learned.reduced.rows(task)
        problem = SlackBudget(task.problem.p, weight[rows], budget)
        values = point.product + intercept(task.problem, point)
        yield problem.multiplier(point.beta), problem.slack(values)


@dataclass(frozen=True)
class Affordability(Separability):
    """Whether the rows of a problem part with no more than a budget of slack."""

    budget: float = 0.0

    def parts(self, problem: Any) -> bool:
        """Find the least total slack by a linear program; raise if it is above the budget."""
        if self.budget == 0:
            return super().parts(problem)
        X = self.training.X[self._rows(problem)].astype(np.float64)
        weights = heaviest_meeting(X, problem.p, problem.weight)
        if weights is not None and problem.refuted(weights):
            raise self.not_separable(problem, weights)
        return weights is not None

    def sentence(self, sides: str, problem: Any, weights: Vector) -> str:
        """Return how much slack the weights prove to be needed."""
        if self.budget == 0:
            return super().sentence(sides, problem, weights)
        return (
            f"No hyperplane separates {sides} with a total slack of {self.budget:g}: the weights "
            "in the error's witness prove that it takes at least "
            f"{problem.least_slack(weights):.10g}; raise the budget or use another kernel."
        )


def total_slack(model: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
    """Add up the slack of rows: the budget with which ``SlackBudgetSVC`` finds an SVC again.

    Parameters
    ----------
    model : classifier
        Fitted to two classes, with a ``decision_function``.
    X : array-like or sparse matrix of shape (rows, columns)
    y : array-like of shape (rows,)
    sample_weight : array-like of shape (rows,), default=None
        Weights of the slacks, class weights included.

    Returns
    -------
    slack : float
        sum_i s_i max(0, 1 - t_i f(x_i)).

    Examples
    --------
    >>> from maxmargin import SVC, SlackBudgetSVC
    >>> from maxmargin.datasets import load_mixture
    >>> X, y = load_mixture(return_X_y=True)
    >>> svc = SVC(C=2.0, gamma=1.0).fit(X, y)
    >>> budget = total_slack(svc, X, y)
    >>> round(SlackBudgetSVC(budget=budget, kernel="rbf", gamma=1.0, tol=1e-6).fit(X, y).C_, 4)
    2.0
    """
    labels: NDArray[Any] = check_labels(y)
    if len(model.classes_) != 2 or not np.isin(labels, model.classes_).all():
        raise ValueError(
            "total_slack is of models of two classes, and of rows with their labels; "
            f"the model's are {model.classes_.tolist()}."
        )
    t = np.where(labels == model.classes_[1], 1.0, -1.0)
    slack = np.maximum(0.0, 1.0 - t * model.decision_function(X))
    weight = np.ones(len(t)) if sample_weight is None else np.maximum(sample_weight, 0.0)
    return float(weight @ slack)
