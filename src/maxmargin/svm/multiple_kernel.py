"""Support vector classification with a mixture of kernels, learned with the machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.certify import Certificate, MixturePoint, Status, judge
from maxmargin.inputs.parameters import FLAG, ParameterError, check_choice, numeric
from maxmargin.kernels import Kernel
from maxmargin.kernels.algebra import Scaled, Sum
from maxmargin.kernels.base import Takes
from maxmargin.kernels.choice import NAMES, choose_kernel
from maxmargin.kernels.gram import Gram
from maxmargin.kernels.rounding import Rounding
from maxmargin.ops.clock import Clock, TimeUp
from maxmargin.ops.threads import Workers
from maxmargin.problems import MultipleKernel, c_svc
from maxmargin.problems.multiple_kernel import Mixed, sum_of_squares
from maxmargin.progress import muted
from maxmargin.solvers import Progress
from maxmargin.solvers.kernel_values.memory import evaluate
from maxmargin.solvers.run import Approach
from maxmargin.svm.kernel_classifier import KernelClassifier
from maxmargin.svm.kernel_fit import Learned, Recipe, learn
from maxmargin.svm.svc import LARGEST_C
from maxmargin.svm.training import Training

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Index = NDArray[np.intp]

_SHARE = 0.02  # of the tolerance of the mixture is that of its machines
_ROUNDS = 500  # of weights and machines
_VANISHING = 1e-9  # of the largest weight: a kernel that is left out of the machine
_NAMES = tuple(name for name in NAMES if name != "precomputed")


@dataclass(frozen=True)
class LearnedMixture(Learned):
    """A machine of mixed kernels, the weights, and what is known of both together."""

    weights: Vector
    joint: Certificate
    rounds: int

    @property
    def certificates(self) -> list[Certificate]:
        """That of the weights and all problems."""
        return [self.joint]


@dataclass(frozen=True)
class Part:
    """The duals of one problem over some rows."""

    rows: Index
    problem: Any
    beta: Vector


@dataclass(frozen=True)
class Mixture:
    """Some kernels over the rows of a fit, and their matrices where they are evaluated."""

    training: Training
    kernels: Sequence[Kernel]
    factors: Vector
    """Of each kernel, as it stands in the training's sum."""
    matrices: Sequence[Matrix] = ()

    def evaluated(self, workers: Workers) -> Mixture:
        """Evaluate every kernel."""
        rows = self.training.seen.moved(self.training.X)
        grams = [Gram.of(kernel, rows) for kernel in self.kernels]
        return replace(self, matrices=[evaluate(gram, workers) for gram in grams])

    def normalised(self) -> Mixture:
        """Divide each kernel by the mean squared distance of rows from their mean."""
        share = (
            np.ones(len(self.training)) if self.training.weight is None else self.training.weight
        )
        share = np.maximum(share, 0.0) / np.maximum(share, 0.0).sum()
        spreads = np.array([share @ K.diagonal() - share @ K @ share for K in self.matrices])
        factors = 1.0 / np.where(spreads > 0, spreads, 1.0)
        pairs = list(zip(factors.tolist(), self.kernels, self.matrices, strict=True))
        kernels, matrices = [Scaled(f, k) for f, k, _ in pairs], [f * K for f, _, K in pairs]
        return replace(self, kernels=kernels, factors=factors, matrices=matrices)

    def kernel(self, weights: Vector) -> Kernel:
        """Return the mixed kernel as a value, without those that have no weight."""
        return added([Scaled(float(weights[m]), self.kernels[m]) for m in _kept(weights)])

    def rounding(self, weights: Vector) -> Rounding:
        """Bound how values of the mixed kernel are rounded, by those of the plain sum."""
        plain, root = self.training.gram.rounding, np.sqrt(np.max(weights * self.factors))
        return replace(plain, errors=root * plain.errors, lengths=root * plain.lengths, reach=None)

    def mixed(self, weights: Vector) -> Training:
        """Look at the same rows with the mixed kernel."""
        seen, gram = replace(self.training.seen, kernel=self.kernel(weights)), self.training.gram
        if self.matrices:
            matrix = np.zeros_like(self.matrices[0])
            for m in _kept(weights):
                matrix += weights[m] * self.matrices[m]
            gram = replace(gram.stored(matrix), known=self.rounding(weights))
        return replace(self.training, seen=seen, gram=gram)

    def point(self, weights: Vector, parts: Sequence[Part]) -> MixturePoint:
        """Multiply duals with every matrix, for the judge."""
        gram, rounding = self.training.gram, self.rounding(weights)
        convex = gram.psd if gram.psd is not None else gram.seems_convex(np.arange(len(gram)))
        mixed = [self._multiplied(part) for part in parts]
        roundings = [rounding.of(part.rows) for part in parts]
        return MixturePoint(weights, mixed, roundings, bool(convex))

    def _multiplied(self, part: Part) -> Mixed:
        spread = np.zeros(len(self.training))
        spread[part.rows] = part.beta
        products = np.zeros((len(self.kernels), len(part.beta)))
        for line, K in zip(products, self.matrices, strict=False):  # none where time was up before
            line[:] = (K @ spread)[part.rows]
        return Mixed(part.problem, part.beta, products)


def _kept(weights: Vector) -> Index:
    return np.flatnonzero(weights > _VANISHING * weights.max())


def added(kernels: Sequence[Kernel]) -> Kernel:
    """Add kernels up, from the left."""
    return reduce(Sum, kernels)


def parts_of(total: Kernel, count: int) -> list[Kernel]:
    """Take a sum of so many kernels, made from the left, apart."""
    rights: list[Kernel] = []
    for _ in range(count - 1):
        assert isinstance(total, Sum)
        rights.append(total.right)
        total = total.left
    return [total, *rights[::-1]]


class MultipleKernelSVC(KernelClassifier):
    """Support vector classification with the best mixture of some kernels.

    Minimises over weights d_m >= 0 of |d|_p <= 1, functions f_m of the kernels' spaces and b

        sum_m |f_m|^2 / (2 d_m) + C sum_i max(0, 1 - t_i (sum_m f_m(x_i) + b)),

    which is ``SVC`` with the kernel sum_m d_m k_m. All matrices are kept in memory. Several classes
    share the weights.

    Parameters
    ----------
    kernels : list of str or Kernel, default=("linear", "rbf")
        "linear", "poly", "rbf" or "sigmoid" with the defaults of ``SVC``, or values from
        ``maxmargin.kernels``; on a DataFrame each may look at columns of its own (``restrict``).
    p : float, default=1.0
        Norm of the weights, at least 1: with 1 most of them are 0, the larger the more even.
    C : float, default=1.0
        Cost of a unit of slack.
    normalize : bool, default=True
        Whether to divide each kernel by the mean squared distance of the rows from their mean in
        its feature space, so that weights compare.
    tol : float, default=1e-3
        Largest gap between the primal and the dual value, relative to them.
    cache_size : float, default=1000
        Memory for the kernels' matrices, in MB.
    class_weight : dict or "balanced", default=None
        Factors of C by class.
    max_iter : int, default=-1
        Limit on the rounds of weights and machines; -1 for 500.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        One decision value for each class, or for each pair.
    break_ties : bool, default=False
        Whether predict breaks vote ties by the decision values.
    multiclass : {"ovo", "ovr"}, default="ovo"
        A problem for each pair of classes, or for each class against the rest.
    verbose : int, default=0
        Print a line for every round.
    time_limit : float, default=None
        Seconds after which the best point so far is returned.
    n_jobs : int, default=None
        Threads; None for all cores. The result does not depend on it.
    callback : callable, default=None
        Called with a ``Progress`` at every round; see ``maxmargin.solvers.Trace``.
    on_interrupt : {"raise", "keep"}, default="raise"
        What Ctrl-C does: raise KeyboardInterrupt and leave the model as it was, or end the fit
        with the best point so far and a warning.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where the model is fitted and predicts: on the CPU, or on an NVIDIA card ("cuda:1" for the
        second one). "auto" takes a card if there is one and enough to do.

    Attributes
    ----------
    weights_ : ndarray of shape (kernels,)
        The d_m; ``plots.kernel_weights`` draws them.
    kernels_ : list of Kernel
        What they are the weights of: with gamma a number, and normalised if so asked.
    kernel_ : Kernel
        The mixture.
    certificate_ : Certificate
        Of weights and machines together, by their duality gap.
    certificates_ : list of that one
    support_, support_vectors_, n_support_, dual_coef_, intercept_, classes_, class_weight_,
    n_iter_, n_features_in_, feature_names_in_
        As in ``SVC``.

    Examples
    --------
    >>> from maxmargin import MultipleKernelSVC
    >>> from maxmargin.datasets import load_mixture
    >>> from maxmargin.kernels import RBF, Linear
    >>> X, y = load_mixture(return_X_y=True)
    >>> model = MultipleKernelSVC([Linear(), RBF(1.0), RBF(100.0)]).fit(X, y)
    >>> model.weights_.round(2).tolist(), model.certificate_.status.name
    ([0.05, 0.18, 0.76], 'CERTIFIED')
    """

    kernel = None

    _parameters: ClassVar = {
        "C": numeric(0.0, above=True, infinite=True),
        "p": numeric(1.0),
        "normalize": FLAG,
    }

    def __init__(
        self,
        kernels: Any = ("linear", "rbf"),
        *,
        p: float = 1.0,
        C: float = 1.0,
        normalize: bool = True,
        tol: float = 1e-3,
        cache_size: float = 1000,
        class_weight: dict[Any, float] | str | None = None,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        multiclass: str = "ovo",
        verbose: int = 0,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        callback: Callable[[Progress], object] | None = None,
        on_interrupt: str = "raise",
        device: str = "cpu",
    ) -> None:
        self.kernels = kernels
        self.p = p
        self.C = C
        self.normalize = normalize
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.multiclass = multiclass
        self.verbose = verbose
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.callback = callback
        self.on_interrupt = on_interrupt
        self.device = device

    # what the parameters say

    @property
    def _by_recipe(self) -> bool:
        return False

    def _check_parameters(self) -> None:
        super()._check_parameters()
        owner = type(self).__name__
        if not isinstance(self.kernels, list | tuple) or len(self.kernels) == 0:
            raise ParameterError(
                f"The 'kernels' parameter of {owner} must be a list of kernels, such as "
                f"['linear', 'rbf']. Got {self.kernels!r} instead."
            )
        for kernel in self.kernels:
            if not isinstance(kernel, Kernel):
                check_choice(owner, "kernels", kernel, _NAMES, "or a Kernel")
            elif kernel.takes is Takes.MATRIX:
                raise ParameterError(
                    f"The 'kernels' parameter of {owner} must be kernels of rows, not matrices."
                )

    def _is_precomputed(self) -> bool:
        return False

    def _kernel(self) -> Kernel:
        return added([choose_kernel(kernel, "scale", 3, 0.0) for kernel in self.kernels])

    def _recipe(self, clock: Clock, intercept: str = "free") -> Recipe:  # noqa: ARG002
        resources = self._resources(clock)
        limits = replace(resources["limits"], max_iter=-1, callback=None)
        return Recipe(
            price=min(float(self.C), LARGEST_C),
            **resources | {"limits": replace(limits, tol=_SHARE * limits.tol)},
            by_pairs=self.multiclass == "ovo",
            state=partial(c_svc, bias=True),
        )

    # fitting

    def _fit_machine(self, training: Training, recipe: Recipe) -> Learned:
        """Evaluate the kernels, and take turns of weights and machines."""
        training, problem = training.in_double(), MultipleKernel(float(self.p))
        self._refuse_too_many(len(training))
        kernels = parts_of(training.seen.kernel, len(self.kernels))
        mixture = Mixture(training, kernels, np.ones(len(kernels)))
        with suppress(TimeUp), Workers(self.n_jobs) as workers:  # then nothing is multiplied
            mixture = mixture.evaluated(workers)
            mixture = mixture.normalised() if self.normalize else mixture
        learned = self._turns(mixture, problem, recipe)
        self.weights_, self.kernels_ = learned.weights, list(mixture.kernels)
        self.kernel_ = learned.machine.seen.kernel
        return learned

    def _turns(self, mixture: Mixture, problem: MultipleKernel, recipe: Recipe) -> LearnedMixture:
        """Find the machine of the weights, then the weights of the machine, until both agree."""
        limits, starts = self._resources(recipe.limits.clock)["limits"], None
        weights, best, approach = problem.even(len(mixture.kernels)), None, Approach(limits)
        most = max(1, _ROUNDS if limits.max_iter < 0 else limits.max_iter)
        for number in range(1, most + 1):
            with muted():  # each machine is one step of many
                learned = learn(mixture.mixed(weights), recipe, starts)
            starts = [solution.point.beta for solution in learned.solutions]
            point = mixture.point(weights, _parts(learned))
            stopped = _stopped(limits.clock, number == most)
            seen = judge(problem, point, limits.tol, stopped)
            approach.report(seen.relative_gap, number)
            facts = learned.machine, learned.reduced, learned.solutions, weights
            if best is None or stopped is None or seen.gap < best.joint.gap:
                best = LearnedMixture(*facts, seen, number)
            if limits.callback is not None:
                numbers = seen.primal, seen.dual, seen.relative_gap
                limits.callback(Progress(limits.clock.seconds, number, *numbers))
            if stopped or seen.status in (Status.CERTIFIED, Status.NOT_CONVEX):
                break
            weights = problem.best_weights(weights, sum_of_squares(point.parts))
        assert best is not None
        return replace(best, joint=replace(best.joint, status=seen.status), rounds=number)

    def _refuse_too_many(self, rows: int) -> None:
        needed = 8 * rows**2 * len(self.kernels)
        if needed > self._resources(Clock())["memory"]:
            raise ValueError(
                f"{type(self).__name__} keeps the matrices of all {len(self.kernels)} kernels, "
                f"{needed / 2**20:.0f} MB for {rows} rows, more than cache_size="
                f"{self.cache_size}; raise it or fit to fewer rows."
            )

    def _set_fitted_attributes(self, training: Training, learned: Learned) -> None:
        super()._set_fitted_attributes(training, learned)
        assert isinstance(learned, LearnedMixture)
        self.n_iter_: Any = learned.rounds

    def _sentences(
        self,
        training: Training,  # noqa: ARG002
        learned: Learned,  # noqa: ARG002
    ) -> dict[Status, str]:
        return {}

    def certify(self, X: Any, y: Any, sample_weight: Any = None) -> Certificate:
        """Judge weights and machine again, in float64 and from the training data alone.

        Parameters
        ----------
        X, y, sample_weight
            The training data.

        Returns
        -------
        certificate : Certificate
        """
        evaluated = self._evaluate_duals(X, y, sample_weight)
        training = self._rebuild_training(X, y, sample_weight).in_double()
        parts = [Part(rows, problem, point.beta) for rows, problem, point in evaluated]
        plain = np.full(
            len(self.weights_), 1.0 / self.weights_.max()
        )  # the kernel is mixed already
        with Workers(self.n_jobs) as workers:
            mixture = Mixture(training, self.kernels_, plain).evaluated(workers)
        point = mixture.point(self.weights_, parts)
        return judge(MultipleKernel(float(self._as_fitted().p)), point, float(self.tol))


def _parts(learned: Learned) -> list[Part]:
    pairs = zip(learned.reduced.tasks, learned.solutions, strict=True)
    return [Part(learned.reduced.rows(t), t.problem, s.point.beta) for t, s in pairs]


def _stopped(clock: Clock, last: bool) -> Status | None:
    """Return why this round is the last, if it is."""
    if clock.over():
        return Status.INTERRUPTED if clock.interrupted else Status.TIME_LIMIT
    return Status.ITERATION_LIMIT if last else None
