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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.ops.clock import Clock
from maxmargin.solvers import Progress
from maxmargin.solvers.box_qp.hard_margin import HardMargin, MeansMeetError
from maxmargin.svm.classes import Reduction
from maxmargin.svm.kernel_classifier import KernelClassifier
from maxmargin.svm.kernel_fit import Learned, Recipe, functional_margins
from maxmargin.svm.separation import coincide, separate
from maxmargin.svm.training import Training

Vector = NDArray[np.float64]
Index = NDArray[np.intp]


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


class HardMarginSVC(KernelClassifier):
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
    on_interrupt : {"raise", "keep"}, default="raise"
        What Ctrl-C does, as in ``SVC``.

    Raises
    ------
    NotSeparable
        By ``fit``, with a ``witness``, if no hyperplane separates the classes.
    ArithmeticError
        By ``fit``, if rows lie so far from the origin that rounded linear kernel values cannot
        tell.

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
    _row_by_row = True

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
        on_interrupt: str = "raise",
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
        self.on_interrupt = on_interrupt

    def _prepare(self, X: Any, y: Any, sample_weight: Any) -> Training:
        """Return rows in double precision: errors grow with duals, which have no bound here."""
        return super()._prepare(X, y, sample_weight).in_double()

    def _recipe(self, clock: Clock, intercept: str = "free") -> Recipe:  # noqa: ARG002
        return Recipe(
            price=np.inf,
            **self._resources(clock),
            by_pairs=self.multiclass == "ovo",
            solver=HardMargin,
            adviser=Separability,
        )

    def _learn(self, training: Training, clock: Clock) -> Learned:
        learned = super()._learn(training, clock)
        margins = _margins(learned)
        self.margin_ = float(margins[0]) if len(self.classes_) == 2 else margins
        return learned


@dataclass(frozen=True)
class Separability:
    """Whether the rows of a problem part; a linear program decides where the kernel is linear."""

    training: Training
    reduced: Reduction

    def ask(self) -> Callable[[Any], bool] | None:
        """Return what a solver may ask; as many columns as rows separate almost all."""
        linear = self.training.seen.kernel.linear
        helps = linear and self.training.X.shape[1] < len(self.reduced.order)
        return self.parts if helps else None

    def parts(self, problem: Any) -> bool:
        """Decide by a linear program whether rows are separable; raise if they are not."""
        try:
            found = separate(self.training.X[self._rows(problem)], problem.p)
        except ArithmeticError:
            return False  # too close to touching for the program
        if found.witness is not None:
            raise self.not_separable(problem, found.witness)
        return True

    def refusal(self, error: MeansMeetError) -> Exception:
        """Return the error that says why there is no maximum, or that it cannot be decided."""
        if not error.convex:
            return ValueError(
                "The kernel is not positive semidefinite on these rows and the hard margin's "
                "dual has no maximum; use another kernel, or SVC, whose C bounds the dual."
            )
        if error.unclear or self._apart(error):
            return ArithmeticError(
                "The rows lie so far from the origin, next to how far apart they are, that kernel "
                "values in double precision cannot tell the classes apart; centre the columns and "
                "scale them."
            )
        return self.not_separable(error.problem, error.weights)

    def _apart(self, error: MeansMeetError) -> bool:
        """Compare the linear kernel's means on the rows themselves.

        Kernel values of rows far from the origin cannot tell means apart that rows can.
        """
        if not self.training.seen.kernel.linear:
            return False
        rows = self.training.X[self._rows(error.problem)]
        return not coincide(rows, error.problem.p, error.weights)

    def _rows(self, problem: Any) -> Index:
        return self.reduced.rows(next(t for t in self.reduced.tasks if t.problem is problem))

    def not_separable(self, problem: Any, weights: Vector) -> NotSeparable:
        """Spread the weights over all rows of the data and name the two sides."""
        rows, t = self._rows(problem), problem.p
        witness = np.zeros(len(self.training))
        witness[rows] = weights
        label, classes = self.training.label, self.training.classes
        sides = [classes[np.unique(label[rows[t == sign]])].tolist() for sign in (1, -1)]
        first, second = (repr(side[0]) if len(side) == 1 else "the rest" for side in sides)
        return NotSeparable(self.sentence(f"{first} from {second}", problem, weights), witness)

    def sentence(self, sides: str, problem: Any, weights: Vector) -> str:  # noqa: ARG002
        """Return a sentence with what the weights prove."""
        return (
            f"No hyperplane separates {sides}: the weights in the error's witness give both the "
            "same mean; allow slack with SVC or SlackBudgetSVC, or use another kernel."
        )


def _margins(learned: Learned) -> Vector:
    """Find the distance of the nearest row to the hyperplane of every task."""
    pairs = list(zip(learned.reduced.tasks, learned.solutions, strict=True))
    nearest = np.array([functional_margins(*pair).min() for pair in pairs])
    squared = np.array([solution.point.beta @ solution.point.product for _, solution in pairs])
    return np.divide(nearest, np.sqrt(squared), out=np.full(len(pairs), np.nan), where=squared > 0)
