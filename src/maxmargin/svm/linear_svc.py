"""Linear support vector classification on explicit features: the drop-in for LinearSVC."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from maxmargin import losses
from maxmargin.certify import CrammerSingerPoint
from maxmargin.inputs.parameters import one_of
from maxmargin.problems import CrammerSinger, LinearProblem
from maxmargin.solvers import LINEAR_SOLVERS, Progress, Solution, solvers_for
from maxmargin.solvers.plan import Wish
from maxmargin.svm.linear_model import DUAL, Index, LinearModel

Vector = NDArray[np.float64]

_SOLVERS = ("auto", *LINEAR_SOLVERS)


class LinearSVC(LinearModel):
    """Linear support vector classification, with a certificate of how close to optimal it is.

    Minimises, over weights w and an intercept b,

        |w|^2 / 2 + C sum_i max(0, 1 - t_i (w'x_i + b))^p,    p = 1 (hinge) or 2 (squared_hinge),

    and with penalty="l1" the sum of |w_j| in place of |w|^2 / 2. Parameters, defaults and fitted
    attributes are those of ``sklearn.svm.LinearSVC``; added, keyword-only: ``intercept``,
    ``solver``, ``time_limit``, ``n_jobs``, ``callback``, ``on_interrupt``, ``sampling``, and the
    attributes ``certificate_`` and ``certificates_``.

    Parameters
    ----------
    penalty : {"l2", "l1"}, default="l2"
        "l1" leaves few weights that are not 0; with squared_hinge only.
    loss : {"squared_hinge", "hinge"}, default="squared_hinge"
    dual : {"auto", True, False}, default="auto"
        Whether a dual solver is to be used, as in scikit-learn; ``solver`` says more.
    tol : float, default=1e-4
        Largest gap between the primal and the dual value, relative to them.
    C : float, default=1.0
        Cost of a unit of loss.
    multi_class : {"ovr", "crammer_singer"}, default="ovr"
        Each class against the rest, or one joint problem for more than two classes.
    fit_intercept : bool, default=True
    intercept_scaling : float, default=1.0
        With a regularised intercept, the value of the column that stands for it: the larger, the
        less b is pulled towards 0.
    class_weight : dict or "balanced", default=None
        Factors of C by class.
    verbose : int, default=0
        Print a line for every step.
    random_state : int, RandomState instance or None, default=None
        Of the order in which rows are visited; None is always the same order.
    max_iter : int, default=1000
        Limit on the passes over the rows, or the Newton steps, of each problem.
    intercept : {"regularized", "free"}, default="regularized"
        Whether the penalty includes b / intercept_scaling, as in LIBLINEAR, or leaves b free, as
        SVC does: then the model agrees with ``SVC(kernel="linear")``.
    solver : str, default="auto"
        "dual_coordinate", "newton", "gradient_descent" (squared_hinge), "primal_coordinate" (l1),
        "working_set" (hinge with a free intercept), "projected_subgradient" and "pegasos" (hinge,
        regularised intercept; to learn from: a gap of 1e-2 is what they reach), or "auto": by the
        shape of the data.
    time_limit : float, default=None
        Seconds after which the best point so far is returned.
    n_jobs : int, default=None
        Threads; None for all cores. The result does not depend on it.
    callback : callable, default=None
        Called with a ``Progress`` at every step; see ``maxmargin.solvers.Trace``.
    on_interrupt : {"raise", "keep"}, default="raise"
        What Ctrl-C does: raise KeyboardInterrupt and leave the model as it was, or end the fit
        with the best point so far and a warning. Inside a search, a pipeline or an ensemble it
        always raises.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where the model is fitted: on the CPU, or on an NVIDIA card ("cuda:1" for the second one).
        "auto" takes a card if there is one and enough to do.
    sampling : {"epochs", "uniform"}, default="epochs"
        Of solver="dual_coordinate": whether rows are visited in a new random order in each pass,
        those at rest left out, or every step draws one of all rows, each with the same probability.

    Attributes
    ----------
    coef_, intercept_, classes_, n_features_in_, feature_names_in_, n_iter_
        As in scikit-learn.
    certificate_ : Certificate
        Of the problem with the worst relative gap.
    certificates_ : list of Certificate
        Of all problems.

    Examples
    --------
    >>> from maxmargin import LinearSVC
    >>> from maxmargin.datasets import load_mixture
    >>> X, y = load_mixture(return_X_y=True)
    >>> model = LinearSVC(loss="hinge", intercept="free").fit(X, y)
    >>> round(1 - model.score(X, y), 3)
    0.27
    >>> model.certificate_.status.name
    'CERTIFIED'
    """

    _parameters: ClassVar = {
        "penalty": one_of("l1", "l2"),
        "loss": one_of("hinge", "squared_hinge"),
        "multi_class": one_of("ovr", "crammer_singer"),
        "solver": one_of(*_SOLVERS),
        "dual": DUAL,
    }

    def __init__(
        self,
        penalty: str = "l2",
        loss: str = "squared_hinge",
        *,
        dual: bool | str = "auto",
        tol: float = 1e-4,
        C: float = 1.0,
        multi_class: str = "ovr",
        fit_intercept: bool = True,
        intercept_scaling: float = 1,
        class_weight: dict[Any, float] | str | None = None,
        verbose: int = 0,
        random_state: Any = None,
        max_iter: int = 1000,
        intercept: str = "regularized",
        solver: str = "auto",
        time_limit: float | None = None,
        n_jobs: int | None = None,
        callback: Callable[[Progress], object] | None = None,
        on_interrupt: str = "raise",
        device: str = "cpu",
        sampling: str = "epochs",
    ) -> None:
        self.penalty = penalty
        self.loss = loss
        self.dual = dual
        self.tol = tol
        self.C = C
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter
        self.intercept = intercept
        self.solver = solver
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.callback = callback
        self.on_interrupt = on_interrupt
        self.device = device
        self.sampling = sampling

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.multi_class == "ovr":
            self._check_one_vs_rest()
        elif self.intercept == "free":
            raise ValueError('multi_class="crammer_singer" has no free intercept; use "ovr".')

    def _check_one_vs_rest(self) -> None:
        if self.penalty == "l1" and self.loss == "hinge":
            self._refuse(f"penalty={self.penalty!r} and loss={self.loss!r} is not supported")
        primal_hinge = self.loss == "hinge" and self.dual is False
        if primal_hinge or (self.penalty == "l1" and self.dual is True):
            self._refuse(
                f"penalty={self.penalty!r} and loss={self.loss!r} are not supported when "
                f"dual={self.dual}"
            )
        if self.solver == "auto":
            return
        fitting = solvers_for(losses.named(self.loss), self.penalty, self._free())
        if self.solver not in fitting:
            self._refuse_subgradients()
            self._refuse(
                f"penalty={self.penalty!r}, loss={self.loss!r}, intercept={self.intercept!r} and "
                f"solver={self.solver!r} is not supported (these are: {', '.join(fitting)})"
            )

    def _refuse_subgradients(self) -> None:
        """Return what the descents of the hinge need, which the defaults are not."""
        if self.solver in ("projected_subgradient", "pegasos"):
            raise ValueError(
                f"LinearSVC(solver={self.solver!r}) needs loss='hinge', penalty='l2' and "
                f"intercept='regularized'. Got loss={self.loss!r}, penalty={self.penalty!r} and "
                f"intercept={self.intercept!r}."
            )

    def _refuse(self, combination: str) -> None:
        raise ValueError(
            f"Unsupported set of arguments: The combination of {combination}, Parameters: "
            f"penalty={self.penalty!r}, loss={self.loss!r}, dual={self.dual!r}"
        )

    def _tasks(self, label: Index, cost: Vector) -> list[Any]:
        if self.multi_class == "crammer_singer":
            return [CrammerSinger(label, cost, len(self.classes_))]
        return super()._tasks(label, cost)

    def _problem(self, t: Vector, cost: Vector) -> LinearProblem:
        return LinearProblem(losses.named(self.loss), t, cost, self.penalty, self._free())

    def _wish(self) -> Wish:
        dual = self.dual if isinstance(self.dual, str) else bool(self.dual)
        return Wish(self.solver, dual, {"dual_coordinate": {"sampling": self.sampling}})

    def _coefficients(self, solutions: list[Solution]) -> Vector:
        theta = super()._coefficients(solutions)
        if theta.ndim == 2:
            return theta
        return theta[0] if len(self.classes_) > 2 else theta[0, 1:] - theta[0, :1]

    def _origin(self, problem: Any, width: int, dtype: Any) -> Any:
        if self.multi_class == "ovr":
            return super()._origin(problem, width, dtype)
        theta = np.zeros((problem.classes, width))
        values = np.zeros((len(problem), problem.classes))
        return CrammerSingerPoint(theta, values, values, theta, dtype)

    def _own_point(self, number: int, theta: Vector, point: Any, values: Any) -> Any:
        if self.multi_class == "ovr":
            return super()._own_point(number, theta, point, values)
        if len(self.classes_) == 2:
            theta = np.concatenate([-0.5 * theta, 0.5 * theta])
        return replace(point, theta=theta, values=np.column_stack([values(row) for row in theta]))
