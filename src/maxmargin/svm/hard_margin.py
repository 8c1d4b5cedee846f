r"""The maximal-margin classifier: no row on the wrong side, and all as far away as can be.

    min_{w,b}  |w|^2 / 2     s.t.  t_i (<w, phi(x_i)> + b) >= 1 for all i.

The margin, the distance of the nearest rows to the hyperplane, is then 1 / |w|. The dual is
``problems.box_qp`` with bounds 0 and infinity; it has a maximum if and only if the classes are
separable (see ``solvers.hard_margin``). Reference: Boser, Guyon, Vapnik, "A training algorithm for
optimal margin classifiers", COLT 1992.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels import Linear
from maxmargin.kernels.gram import Gram
from maxmargin.problems import BoxQP, SlackBudget
from maxmargin.solvers import Progress, Solution
from maxmargin.solvers.hard_margin import HardMargin, MeansMeetError
from maxmargin.svm import reduction
from maxmargin.svm.kernel_choice import KernelChoice
from maxmargin.svm.kernel_classifier import Index, Vector
from maxmargin.svm.kernel_fit import KernelFit
from maxmargin.svm.separation import coincide, separate

Problem: TypeAlias = BoxQP | SlackBudget

_ON_MARGIN = 1e-9  # rows this close to a functional margin of 1 are on it, or twice the violation


class NotSeparable(ValueError):  # noqa: N818  (the name says what is wrong)
    """No hyperplane has every row on its side, or little enough slack: ``witness`` proves it.

    Attributes
    ----------
    witness : ndarray of shape (rows,)
        Weights of the training rows, none negative, that sum to 1 over the rows of either side,
        and with which both sides have the same mean in the kernel's feature space.
    """

    def __init__(self, message: str, witness: Vector | None = None) -> None:
        super().__init__(message)
        self.witness = witness


class HardMarginSVC(KernelFit):
    """The maximal-margin classifier, for classes that a hyperplane separates.

    Between separable classes there are many hyperplanes; this is the one whose distance to the
    nearest rows, the margin, is largest. With a kernel it is a hyperplane in the kernel's feature
    space: a radial kernel separates any rows of which no two with different labels are equal.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"}, Kernel or callable, \
default="linear"
    degree, gamma, coef0
        Of the kernel, as in ``SVC``.
    tol : float, default=1e-3
        Largest violation of t_i f(x_i) >= 1 and of the other optimality conditions.
    cache_size : float, default=200
        Memory for kernel values, in MB.
    verbose : bool, default=False
        Print a line for every working set.
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
        Called with a ``Progress`` at every step. While some row is on its wrong side the primal is
        infinite.

    Attributes
    ----------
    margin_ : float or ndarray of shape (problems,)
        Distance of the nearest training rows to the hyperplane, 1 / |w|; negative if the fit was
        stopped before all rows were on their side. One a problem for more than two classes.
    support_ : ndarray
        Rows on the margin: those with t_i f(x_i) = 1 to the tolerance reached. Some of them may
        have a dual coefficient of 0.
    certificate_, certificates_
        As in ``SVC``. The primal value is |w|^2 / 2 of the hyperplane scaled so that no row has
        t_i f(x_i) < 1.
    support_vectors_, n_support_, dual_coef_, intercept_, coef_, classes_, n_iter_, fit_status_,
    shape_fit_, n_features_in_, feature_names_in_
        As in ``SVC``.

    Examples
    --------
    >>> from maxmargin import HardMarginSVC, NotSeparable
    >>> X = [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]
    >>> model = HardMarginSVC().fit(X, [0, 1, 1])
    >>> round(float(model.margin_), 6), model.support_.tolist()
    (0.707107, [0, 1])
    >>> try:
    ...     HardMarginSVC().fit(X, [0, 1, 0])
    ... except NotSeparable as error:
    ...     print(error.witness)
    [0.5 1.  0.5]
    """

    class_weight = None
    probability = False

    def __init__(
        self,
        *,
        kernel: Any = "linear",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        multiclass: str = "ovo",
        time_limit: float | None = None,
        n_jobs: int | None = None,
        callback: Callable[[Progress], object] | None = None,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.multiclass = multiclass
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.callback = callback

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns), or items that the kernel takes
            A square matrix when kernel="precomputed".
        y : array-like of shape (rows,)
            Class labels.
        sample_weight : array-like of shape (rows,), default=None
            Rows without a positive weight are left out. How large a positive weight is makes no
            difference: a constraint cannot be met more than fully.

        Returns
        -------
        self : HardMarginSVC

        Raises
        ------
        NotSeparable
            With a ``witness``, if no hyperplane separates the classes.
        ArithmeticError
            If rows lie so far from the origin that rounded linear kernel values cannot tell.
        """
        before = dict(self.__dict__)
        try:
            return self._fit(X, y, sample_weight)
        except BaseException:  # a fit that fails leaves the model as it was
            self.__dict__ = before
            raise

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        self._check_kernel_parameters()
        X, label = self._validate(X, y)
        weight = self._validate_weight(sample_weight, label)
        choice = self._choose_kernel(X, weight)
        reduced = self._reduce(label, weight)
        solutions = self._solve(choice, X, label, reduced)
        self._recover(choice, X, reduced, solutions)
        margins = _margins(reduced, solutions)
        self.margin_ = float(margins[0]) if len(self.classes_) == 2 else margins
        return self

    def _cost(self, label: Index, weight: Vector | None) -> Vector:
        """Slack costs everything, in every row that counts."""
        counts = np.full(len(label), True) if weight is None else weight > 0
        return np.where(counts, np.inf, 0.0)

    def _solve(
        self, choice: KernelChoice, X: Any, label: Index, reduced: reduction.Reduction
    ) -> list[Solution]:
        """Solve every problem; for the linear kernel the linear program may be asked on the way."""
        refusal = Refusal(self.classes_, X, label, reduced, isinstance(choice.kernel, Linear))
        with refusal:
            gram = self._gram(choice, X, reduced.order)
            return self._run(gram, reduced, refusal.solver())

    def _whole_gram(self, choice: KernelChoice, X: Any) -> Gram:
        return super()._whole_gram(choice, in_double(X))

    def _on_margin(
        self, reduced: reduction.Reduction, solutions: list[Solution]
    ) -> NDArray[np.bool_]:
        found = np.zeros(len(reduced.order), dtype=bool)
        for task, solution in zip(reduced.tasks, solutions, strict=True):
            near = max(_ON_MARGIN, 2 * min(solution.certificate.kkt_violation, self.tol))
            found[reduced.variables(task)] |= _functional_margins(task, solution) <= 1 + near
        return found


def in_double(X: Any) -> Any:
    """Have rows of single precision in double: errors grow with duals, which have no bound here."""
    return X.astype(np.float64) if getattr(X, "dtype", None) == np.float32 else X


@dataclass(frozen=True)
class Refusal:
    """Turns a dual without a maximum into ``NotSeparable``, with a witness over all rows of X."""

    classes: NDArray[Any]
    X: Any
    label: Index
    reduced: reduction.Reduction
    linear: bool

    def solver(self) -> type[HardMargin]:
        """Give the solver, for the linear kernel one that may ask the linear program."""
        if not self._asks():
            return HardMargin
        return type("HardMargin", (HardMargin,), {"ask": lambda solver: self.ask(solver.problem)})

    def _asks(self) -> bool:
        """Tell whether a linear program would help: as many columns as rows separate almost all."""
        return self.linear and self.X.shape[1] < len(self.reduced.order)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: object, error: object, _traceback: object) -> None:
        if isinstance(error, MeansMeetError):
            if not error.convex:
                raise ValueError(
                    "The kernel is not positive semidefinite on these rows and the hard margin's "
                    "dual has no maximum; use another kernel, or SVC, whose C bounds the dual."
                ) from None
            self._doubt(error)
            raise self._not_separable(error.problem, error.weights) from None

    def _doubt(self, error: MeansMeetError) -> None:
        """Have the linear kernel's means compared on the rows themselves.

        Kernel values of rows far from the origin cannot tell means apart that rows can.
        """
        rows = self._rows(error.problem)
        if self.linear and not coincide(self.X[rows], error.problem.linear, error.weights):
            raise ArithmeticError(
                "The rows lie so far from the origin, next to how far apart they are, that kernel "
                "values in double precision cannot tell the classes apart; centre the columns."
            ) from None

    def ask(self, problem: BoxQP) -> bool:
        """Let the linear program decide about the rows of a problem; raise if they do not part."""
        try:
            found = separate(self.X[self._rows(problem)], problem.linear)
        except ArithmeticError:
            return False  # too close to touching for the program
        if found.witness is not None:
            raise self._not_separable(problem, found.witness)
        return True

    def _rows(self, problem: Problem) -> Index:
        task = next(task for task in self.reduced.tasks if task.problem is problem)
        return self.reduced.order[self.reduced.variables(task)]

    def _not_separable(self, problem: Problem, weights: Vector) -> NotSeparable:
        rows, t, witness = self._rows(problem), problem.linear, np.zeros(len(self.label))
        witness[rows] = weights
        sides = [self.classes[np.unique(self.label[rows[t == sign]])].tolist() for sign in (1, -1)]
        first, second = (repr(side[0]) if len(side) == 1 else "the rest" for side in sides)
        return NotSeparable(self._sentence(f"{first} from {second}", problem, weights), witness)

    def _sentence(self, sides: str, problem: Problem, weights: Vector) -> str:  # noqa: ARG002
        return (
            f"No hyperplane separates {sides}: the weights in the error's witness give both the "
            "same mean; allow slack with SVC or SlackBudgetSVC, or use another kernel."
        )


def _functional_margins(task: reduction.Task, solution: Solution) -> Vector:
    """Evaluate t_i f(x_i) at the point that was judged."""
    problem, point = task.problem, solution.point
    b = problem.intercept(point.beta, problem.linear - point.product)
    return problem.linear * (point.product + b)


def _margins(reduced: reduction.Reduction, solutions: list[Solution]) -> Vector:
    """Find the distance of the nearest row to the hyperplane of every task."""
    pairs = list(zip(reduced.tasks, solutions, strict=True))
    nearest = np.array([_functional_margins(*pair).min() for pair in pairs])
    squared = np.array([solution.point.beta @ solution.point.product for _, solution in pairs])
    return np.divide(nearest, np.sqrt(squared), out=np.full(len(pairs), np.nan), where=squared > 0)
