"""Classification with a share of margin errors: the drop-in for scikit-learn's NuSVC."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.certify import Certificate, Point, Status
from maxmargin.inputs.parameters import FLAG, SHARE
from maxmargin.ops.clock import Clock
from maxmargin.problems.nu import can_be_met, nu_svc
from maxmargin.solvers import Progress, Solution
from maxmargin.svm.calibration import ProbabilityMixin
from maxmargin.svm.classes import Reduction
from maxmargin.svm.kernel_classifier import KernelClassifier
from maxmargin.svm.kernel_fit import Learned, Recipe
from maxmargin.svm.machine import KernelMachine
from maxmargin.svm.training import Labels, Training

Vector = NDArray[np.float64]

_NEAR = 1e-9  # of their sum may duals be off, as in every problem
_ULPS = 8 * float(np.finfo(np.float64).eps)  # that a dual at its bound is off by


@dataclass(frozen=True, kw_only=True)
class _OfShares(Recipe):
    """Pairs of classes with a share of margin errors, in units of the margin found."""

    nu: float

    def costs(self, training: Training) -> Vector:
        """Rows count by their own weights alone: class weights are factors of a C."""
        return super().costs(replace(training, class_weight=np.ones(len(training.classes))))

    def reduce(self, training: Training) -> Reduction:
        """State the problems, and say before anything is evaluated if one has no solution."""
        reduced = super().reduce(training)
        if not all(can_be_met(task.problem) for task in reduced.tasks):
            raise ValueError(
                f"specified nu is infeasible: nu={self.nu:g} asks for more support vectors than "
                "the smaller class has rows; take a smaller nu."
            )
        return reduced

    def unit(
        self, machine: KernelMachine, reduced: Reduction, solutions: Sequence[Solution]
    ) -> KernelMachine:
        """Divide every problem's numbers by its rho, so that margins are 1 as in SVC."""
        points = [solution.point for solution in solutions]
        pairs = list(zip(reduced.tasks, points, strict=True))
        margins = [_margin(task.problem, point) for task, point in pairs]
        duals = reduced.join_duals([p.beta / rho for p, rho in zip(points, margins, strict=True)])
        place = np.empty(machine.n_rows, dtype=np.intp)
        place[reduced.order] = np.arange(len(reduced.order))
        return replace(
            machine,
            coefficients=duals[:, place[machine.rows]],
            intercepts=machine.intercepts / margins,
        )


def _margin(problem: Any, point: Point) -> float:
    """Find rho: half of what lies between the biases of the two sides; 1 if nothing does."""
    first, second = problem.biases(point.beta, problem.p - point.product)
    rho = float(0.5 * (second - first))
    return rho if rho > 0.0 else 1.0


def _in_units_of_rho(certificate: Certificate) -> Certificate:
    """Certify only a model whose rho is shown to be above 0, as by an objective below 0.

    The optimum is -nu rho / 2 times the weights. Where it may be 0, so may rho be, and w and b
    divided by it are rounding.
    """
    shown = certificate.primal + certificate.floor < 0.0
    if shown or certificate.status is not Status.CERTIFIED:
        return certificate
    return replace(certificate, status=Status.STALLED)


def _without_margin(certificate: Certificate) -> bool:
    return certificate.status is Status.STALLED and not certificate.primal + certificate.floor < 0.0


class NuSVC(ProbabilityMixin, KernelClassifier):
    """Classification where nu bounds the share of margin errors and that of support vectors.

    Parameters, defaults and fitted attributes are those of ``sklearn.svm.NuSVC``; what is added is
    keyword-only: ``time_limit``, ``n_jobs``, ``callback``, ``on_interrupt``, kernel values as
    ``kernel``, and the attributes ``certificate_`` and ``certificates_``. Several classes are
    decided by pairs.

    Parameters
    ----------
    nu : float, default=0.5
        At most this share of a pair's rows lies inside of the margin, and at least this share are
        support vectors; above 0 and at most 1. More than twice the share of the smaller class
        cannot be met. With too little of it classes that overlap have no margin: then the fit warns
        and is not certified.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"}, Kernel or callable, default="rbf"
        A name, a value from ``maxmargin.kernels`` or a function of two sets of items that gives
        their kernel matrix.
    degree : int, default=3
        Of the "poly" kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Of "rbf", "poly" and "sigmoid": 1 / (columns * variance), 1 / columns, or a number.
    coef0 : float, default=0.0
        Of "poly" and "sigmoid".
    shrinking : bool, default=True
        Kept for scikit-learn's sake: nothing is set aside here.
    probability : bool, default="deprecated"
        Whether to calibrate, by five-fold cross-validation, so that ``predict_proba`` works.
    tol : float, default=1e-3
        Largest violation of the optimality conditions, as in LIBSVM.
    cache_size : float, default=200
        Memory for kernel values, in MB.
    class_weight : dict or "balanced", default=None
        Checked and shown as ``class_weight_``, but without effect, as in scikit-learn: these are
        factors of C, and here there is none. ``sample_weight`` has an effect.
    verbose : bool, default=False
        Print a line for every working set.
    max_iter : int, default=-1
        Limit on the pair steps; -1 for none.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        One decision value for each class, or for each pair.
    break_ties : bool, default=False
        Whether predict breaks vote ties by the decision values.
    random_state : int, RandomState instance or None, default=None
        Of the calibration's folds.
    time_limit : float, default=None
        Seconds after which the best point so far is returned.
    n_jobs : int, default=None
        Threads; None for all cores, and for one in a worker of somebody's pool. The result does
        not depend on it.
    callback : callable, default=None
        Called with a ``Progress`` (seconds, iterations, primal, dual, gap, violation) at every
        step.
    on_interrupt : {"raise", "keep"}, default="raise"
        What Ctrl-C does: raise KeyboardInterrupt and leave the model as it was, or end the fit
        with the best point so far and a warning.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where the model is fitted and predicts: on the CPU, or on an NVIDIA card ("cuda:1" for the
        second one). "auto" takes a card if there is one and enough to do.

    Attributes
    ----------
    certificate_ : Certificate
        Of the problem with the worst relative gap.
    certificates_ : list of Certificate
        Of all problems, in the order of ``intercept_``.
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, classes_, class_weight_,
    n_iter_, fit_status_, shape_fit_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from maxmargin import NuSVC
    >>> from maxmargin.datasets import load_mixture
    >>> X, y = load_mixture(return_X_y=True)
    >>> model = NuSVC(nu=0.5, gamma=1.0).fit(X, y)
    >>> model.certificate_.status.name, len(model.support_) >= 100
    ('CERTIFIED', True)
    """

    multiclass = "ovo"
    _parameters: ClassVar = {"nu": SHARE, "shrinking": FLAG}
    _unit_margin = False  # but in units of rho

    def __init__(
        self,
        *,
        nu: float = 0.5,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool | str = "deprecated",
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: dict[Any, float] | str | None = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        callback: Callable[[Progress], object] | None = None,
        on_interrupt: str = "raise",
        device: str = "cpu",
    ) -> None:
        self.nu = nu
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.callback = callback
        self.on_interrupt = on_interrupt
        self.device = device

    def _check_labels(self, y: Any, sample_weight: Any) -> Labels:
        """Check labels and weights; that a class is left without weight is said of nu."""
        return Labels.of(self.class_weight, y, sample_weight, every_class=False)

    def _recipe(self, clock: Clock, intercept: str = "free") -> Recipe:  # noqa: ARG002
        return _OfShares(
            price=1.0,
            **self._resources(clock),
            state=partial(nu_svc, nu=float(self.nu)),
            nu=float(self.nu),
        )

    def _as_stated(self, points: list[Point], reduced: Reduction) -> list[Point]:
        """Undo the division by rho: the duals of a problem have a known sum."""
        pairs = zip(reduced.tasks, points, strict=True)
        return [_undivided(task.problem, point) for task, point in pairs]

    def _fit_machine(self, training: Training, recipe: Recipe) -> Learned:
        learned = super()._fit_machine(training, recipe)
        return replace(
            learned,
            solutions=[
                replace(s, certificate=_in_units_of_rho(s.certificate)) for s in learned.solutions
            ],
        )

    def _judged(self, problem: Any, point: Point) -> Certificate:
        return _in_units_of_rho(super()._judged(problem, point))

    def _sentences(self, training: Training, learned: Learned) -> dict[Status, str]:
        sentences = super()._sentences(training, learned)
        if any(_without_margin(certificate) for certificate in learned.certificates):
            sentences[Status.STALLED] = (
                f"{Status.STALLED.name}: rho is 0 within the tolerance, so that there is no margin "
                f"at nu={self.nu:g} and the model is rounding; take a larger nu."
            )
        return sentences


def _undivided(problem: Any, point: Point) -> Point:
    """Return duals their sum again; those at their bound, which have the largest share, exactly."""
    rho = 2.0 * problem.totals[0] / float(np.abs(point.beta).sum())
    bound = np.where(point.beta > 0, problem.upper, problem.lower)
    share = np.divide(rho * point.beta, bound, out=np.zeros(len(bound)), where=point.beta != 0)
    if abs(share.max() - 1.0) < _NEAR:
        rho /= share.max()
        share /= share.max()
    beta = np.where(share > 1.0 - _ULPS, bound, rho * point.beta)
    return replace(point, beta=beta, product=rho * point.product)
