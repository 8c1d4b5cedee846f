"""What every kernel machine does for its users: check parameters, fit by a recipe, certify."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import suppress
from copy import copy
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from maxmargin.certify import Certificate, Point, Status, judge
from maxmargin.inputs.container import count_rows
from maxmargin.inputs.parameters import all_or_nothing, check_declared, numeric, one_of
from maxmargin.inputs.warning import warn_user
from maxmargin.kernels import Kernel
from maxmargin.kernels.base import Takes
from maxmargin.kernels.choice import NAMES, choose_kernel
from maxmargin.kernels.precomputed import Columns
from maxmargin.ops.clock import Clock, TimeUp, watch
from maxmargin.progress.callbacks import CallbackSupport
from maxmargin.solvers import Limits, with_printing
from maxmargin.solvers.run import badness, nothing_proven, warn_not_converged
from maxmargin.svm import decision
from maxmargin.svm.classes import Reduction
from maxmargin.svm.kernel_fit import Learned, Recipe, learn
from maxmargin.svm.on_device import DEVICE, chosen_device
from maxmargin.svm.training import Labels, Training, check_rows, prepare

Vector = NDArray[np.float64]

_MEGABYTE = 2**20
_BIASES = {"free": 0.0, "regularized": 1.0, "none": 0.0}
"""What may become of the bias, with what is added to the kernel for it."""
_STATING = ("C", "approximate", "budget", "epsilon", "loss", "multiclass", "nu", "p")
"""Parameters that say which problem is solved."""
_LARGEST_CACHE = 2.0**40  # in MB, more than there is anywhere


class KernelUser(CallbackSupport, BaseEstimator):
    """Something that sees rows through a kernel, given by ``kernel`` and its numbers."""

    _parameters: ClassVar = {
        "kernel": one_of(
            *NAMES,
            also=lambda value: callable(value) and not isinstance(value, type),
            otherwise="a Kernel or a function",
        ),
        "gamma": numeric(0.0, choices=("scale", "auto"), otherwise="'scale' or 'auto'"),
        "degree": numeric(0, whole=True),
        "coef0": numeric(),
        "cache_size": numeric(0.0, above=True),
        "device": DEVICE,
    }

    def __sklearn_tags__(self) -> Any:
        """Return scikit-learn's tags: what input is taken."""
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._is_precomputed()
        tags.input_tags.sparse = not self._is_precomputed()
        return tags

    def _is_precomputed(self) -> bool:
        value = isinstance(self.kernel, Kernel) and self.kernel.takes is Takes.MATRIX
        return value or (isinstance(self.kernel, str) and self.kernel == "precomputed")

    def _kernel(self) -> Kernel:
        return choose_kernel(self.kernel, self.gamma, self.degree, self.coef0)

    def _check_parameters(self) -> None:
        """Check each parameter by itself; a subclass checks those that depend on each other."""
        check_declared(self)
        if isinstance(vars(self).get("kernel"), Kernel):
            self._warn_of_ignored()

    def _warn_of_ignored(self) -> None:
        """Warn of numbers that a kernel value has no use for."""
        usual = {"gamma": "scale", "degree": 3, "coef0": 0.0}
        given = [name for name, value in usual.items() if getattr(self, name) != value]
        if given:
            said = ", ".join(f"{name}={getattr(self, name)!r}" for name in given)
            warn_user(
                f"{type(self).__name__} ignores {said}: kernel={self.kernel!r} has its own "
                "parameters; give them to the kernel."
            )

    def _check_fitted(self) -> None:
        """Refuse to answer before a fit; asking scikit-learn takes as long as deciding a row."""
        if "_machine" not in vars(self):
            check_is_fitted(self)

    def _decide(self, X: Any, finish: decision.Finish) -> NDArray[Any]:
        """Finish the values of all problems, positive for the positive class, of checked rows."""
        self._check_fitted()
        kernel = self._machine.seen.kernel
        if kernel.takes is Takes.MATRIX and Columns.are_given(X):
            X = Columns.of(X, self._machine.rows)
        else:
            X = check_rows(self, kernel, X, reset=False)
        if sparse.issparse(X) and not self._sparse and kernel.takes is Takes.VECTORS:
            raise ValueError(
                f"cannot use sparse input in {type(self).__name__!r} trained on dense data"
            )
        if self._machine.counts.sum() != len(self._machine.rows):
            raise ValueError(f"The internal representation of {type(self).__name__} was altered")
        return self._machine.decide(X, finish, self.n_jobs, self._device(count_rows(X)))

    def _device(self, rows: int) -> str:
        """Return where so many rows are fitted or decided; some estimators know the CPU alone."""
        wish = getattr(self, "device", "cpu")
        return wish if wish == "cpu" else chosen_device(wish, rows, self._kernel())


class KernelEstimator(KernelUser):
    """Something that is decided by kernels with support vectors.

    A subclass says what the rows' labels or targets are (``_check_labels``), by which recipe its
    parameters make a machine (``_recipe``) and what its values mean.
    """

    _parameters: ClassVar = {
        "tol": numeric(0.0, above=True),
        "max_iter": numeric(-1, whole=True),
    }
    _balanced: ClassVar[bool] = True
    """Whether the duals sum to 0, so that a free bias makes good a shift of the rows."""

    probability: bool | str = "deprecated"
    """scikit-learn's parameter, which some classifiers have."""

    @property
    def _sign(self) -> float:
        """Of the machine's numbers, as scikit-learn shows them: of two classes the second one's."""
        return -1.0 if len(vars(self).get("classes_", ())) == 2 else 1.0

    @property
    def _intercept(self) -> str:
        """Return what becomes of the bias: it is free, a weight of the kernel k + 1, or none."""
        return "free"

    @property
    def _by_recipe(self) -> bool:
        """Whether the machine is its recipe's support vector machine, so that others may make it.

        Otherwise more is learned, or something else: it is fitted as a whole.
        """
        return True

    # what the parameters say

    @abstractmethod
    def _recipe(self, clock: Clock, intercept: str = "free") -> Recipe:
        """Return which problems rows state, with a free bias or without, and who solves them."""

    def _resources(self, clock: Clock) -> dict[str, Any]:
        """Return the limits, the bytes for kernel values and the threads of a recipe."""
        watched = self.callback is not None or self.verbose
        callback = with_printing(self.callback, bool(self.verbose)) if watched else None
        return {
            "limits": Limits(float(self.tol), int(self.max_iter), clock, callback),
            "memory": int(min(float(self.cache_size), _LARGEST_CACHE) * _MEGABYTE),
            "n_jobs": self.n_jobs,
        }

    # fitting

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns), or items that the kernel takes
            A square matrix when kernel="precomputed".
        y : array-like of shape (rows,)
            Class labels, or targets of a regression.
        sample_weight : array-like of shape (rows,), default=None
            How much each row costs, as a factor; rows without a positive weight are left out.

        Returns
        -------
        self : object
        """
        self._check_parameters()
        with watch(self.time_limit, self.on_interrupt) as clock:
            self._learn(self._prepare(X, y, sample_weight), clock)
            if self.probability != "deprecated":
                self._calibrate(X, y, sample_weight, clock)
        return self

    def _fit_shared(self, training: Training) -> Self:
        """Fit to a part of rows that several fits share: no kernel value is evaluated twice."""
        with watch(self.time_limit) as clock:
            self._learn(training, clock)
        return self

    def _calibrate(self, X: Any, y: Any, sample_weight: Any, clock: Clock) -> None:
        raise NotImplementedError  # only estimators with a ``probability`` parameter get here

    def _prepare(self, X: Any, y: Any, sample_weight: Any) -> Training:
        """Check the data and choose the kernel by all rows."""
        return prepare(self, self._kernel(), X, y, sample_weight, self._intercept)

    def _check_labels(self, y: Any, sample_weight: Any) -> Labels:
        """Check labels and weights; a regression checks its targets instead."""
        return Labels.of(self.class_weight, y, sample_weight)

    def _learn(self, training: Training, clock: Clock) -> Learned:
        """Fit to rows that are ready, and show the machine as scikit-learn does."""
        recipe = self._recipe(clock, training.intercept)
        recipe = replace(recipe, device=self._device(len(training)))
        learned = self._fit_machine(training, recipe)
        self._set_fitted_attributes(training, learned)
        if self.certificate_.status is not Status.CERTIFIED:  # it is the worst one
            warn_not_converged(learned.certificates, self._sentences(training, learned))
        return learned

    def _fit_machine(self, training: Training, recipe: Recipe) -> Learned:
        """Return the machine of the recipe."""
        return learn(training, recipe)

    def _set_fitted_attributes(self, training: Training, learned: Learned) -> None:
        """Set the fitted attributes."""
        machine = learned.machine
        if training.target is None:
            self.classes_, self.class_weight_ = training.classes, training.class_weight
        if not (np.isfinite(machine.coefficients).all() and np.isfinite(machine.intercepts).all()):
            raise ValueError(
                "The dual coefficients or intercepts are not finite. The input data may contain "
                "large values and need to be preprocessed."
            )
        self._machine, self._sparse = machine, sparse.issparse(training.X)
        self._bias = training.intercept
        self._stated = {name: getattr(self, name) for name in _STATING if hasattr(self, name)}
        self.support_, self.support_vectors_ = machine.rows, machine.support
        self.intercept_ = self._sign * machine.shifted_intercepts() + 0.0  # and no -0
        coefficients = self._sign * machine.coefficients
        self.dual_coef_ = sparse.csr_matrix(coefficients) if self._sparse else coefficients
        steps = np.array([s.iterations for s in learned.solutions], dtype=np.int32)
        self.n_iter_: Any = steps if training.target is None else int(steps[0])
        self.certificates_ = learned.certificates
        self.certificate_ = max(self.certificates_, key=badness)
        solved = {Status.CERTIFIED, Status.NOT_CONVEX}
        self.fit_status_ = int(not solved.issuperset([c.status for c in self.certificates_]))
        shape = getattr(training.X, "shape", None)
        self.shape_fit_ = (len(training),) if shape is None else tuple(shape)

    def _sentences(self, training: Training, learned: Learned) -> dict[Status, str]:
        """Return sentences that replace those of statuses; an empty one for what is well known."""
        limited = (
            f"Solver terminated early (max_iter={self.max_iter}).  Consider pre-processing "
            "your data with StandardScaler or MinMaxScaler."
        )
        return {Status.ITERATION_LIMIT: limited, Status.NOT_CONVEX: _not_convex(training, learned)}

    # what a fitted model shows

    @property
    def n_support_(self) -> NDArray[np.int32]:
        """Number of support vectors of each class."""
        if "_machine" not in self.__dict__:
            raise AttributeError("n_support_ is known after fit.")
        return self._machine.counts

    @property
    def coef_(self) -> Any:
        """Weights of the columns, for the linear kernel: one line a problem."""
        if not (self.kernel.linear if isinstance(self.kernel, Kernel) else self.kernel == "linear"):
            raise AttributeError("coef_ is only available when using a linear kernel")
        check_is_fitted(self)
        weights = self._sign * self._machine.weights
        weights.flags.writeable = False
        return sparse.csr_matrix(weights) if self._sparse else weights

    # scikit-learn's names for parts of the machine, which some of its users change

    @property
    def _n_support(self) -> NDArray[np.int32]:
        return self._machine.counts

    @_n_support.setter
    def _n_support(self, counts: Any) -> None:
        self._machine = replace(self._machine, counts=np.asarray(counts))

    @property
    def _gamma(self) -> float:
        return float(getattr(self._machine.seen.kernel, "gamma", 0.0))

    @property
    def _dual_coef_(self) -> Vector:
        return self._machine.coefficients

    @_dual_coef_.setter
    def _dual_coef_(self, coefficients: Any) -> None:
        self._machine = replace(self._machine, coefficients=np.asarray(coefficients))

    def certify(self, X: Any, y: Any, sample_weight: Any = None) -> Certificate:
        """Judge the model again, in float64 and from the training data alone.

        The problem is the one that was fitted, whatever ``set_params`` has said since; ``tol`` is
        the present one.

        Parameters
        ----------
        X, y, sample_weight
            The training data.

        Returns
        -------
        certificate : Certificate
            Of the problem with the worst relative gap; ``certificate_`` is left as it is.
        """
        evaluated = self._evaluate_duals(X, y, sample_weight)
        return max((self._judged(problem, point) for _, problem, point in evaluated), key=badness)

    def _judged(self, problem: Any, point: Point) -> Certificate:
        """Return what a problem's point proves of the model."""
        return judge(problem, point, self.tol)

    def _evaluate_duals(
        self, X: Any, y: Any, sample_weight: Any, asker: str = "certify"
    ) -> list[tuple[NDArray[np.intp], Any, Point]]:
        """Return the rows of every problem, the problem, and the duals with a fresh K beta."""
        check_is_fitted(self)
        if any(map(nothing_proven, self.certificates_)):
            raise ValueError(
                f"{asker} needs a point of all rows: this fit ended before it had one; give it "
                "more time, or fewer rows."
            )
        training = self._rebuild_training(X, y, sample_weight, asker).in_double()
        reduced = self._as_fitted()._recipe(Clock(), training.intercept).reduce(training)
        gram, machine = training.gram.reordered(reduced.order), self._machine
        place = np.empty(len(training), dtype=np.intp)
        place[reduced.order] = np.arange(len(gram))
        support = place[machine.rows]
        duals = np.zeros((len(machine.coefficients), len(gram)))
        duals[:, support] = machine.coefficients
        values = machine.products(gram, support, self.n_jobs)
        points = self._as_stated(reduced.points(duals, values, gram), reduced)
        pairs = list(zip(reduced.tasks, points, strict=True))
        if not all(task.problem.feasible(point.beta) for task, point in pairs):
            raise ValueError(
                f"{asker} needs the labels and the sample_weight of the fit: the duals do not fit "
                "these."
            )
        return [(reduced.rows(task), task.problem, point) for task, point in pairs]

    def _as_fitted(self) -> Self:
        """Return the model with the parameters that stated its problem, whatever was set since.

        Models stored by earlier releases know only those that they have.
        """
        model = copy(self)
        model.__dict__.update(vars(self).get("_stated", {}))
        return model

    def __restored__(self) -> None:
        """Check what was read: a bias of another kind than the machine's is another problem."""
        if "_machine" not in vars(self):
            return
        if "device" in vars(self):  # a machine without a card can read the file
            self.device = "cpu"
        bias = self._fitted_intercept
        if bias not in _BIASES or _BIASES[bias] != self._machine.offset:
            raise ValueError("The bias of a stored machine is none that its kernel says.")
        stated = vars(self).get("_stated", {})
        if not isinstance(stated, dict) or not stated.keys() <= set(_STATING):
            raise ValueError("A stored machine has other parameters of its problem than there are.")

    @property
    def _fitted_intercept(self) -> str:
        """Return what became of the bias; models stored by earlier releases had no "none"."""
        usual = "regularized" if self._machine.offset else "free"
        return str(vars(self).get("_bias", usual))

    def _as_stated(self, points: list[Point], _reduced: Reduction) -> list[Point]:
        """Return the points of the machine as the problems have them."""
        return points

    @abstractmethod
    def _rebuild_training(
        self, X: Any, y: Any, sample_weight: Any, asker: str = "certify"
    ) -> Training:
        """Make the data ready as they were for the fit, with the kernel that it chose."""


def _not_convex(training: Training, learned: Learned) -> str:
    """Return a sentence for a user's own kernel that is not convex; nothing for a known one."""
    if training.gram.psd is not None:
        return ""
    apart = None
    if any(c.status is Status.NOT_CONVEX for c in learned.certificates):
        with suppress(TimeUp):  # then nobody waits for the pair that differs most
            apart = training.gram.asymmetry(learned.machine.rows.astype(np.intp))
    if apart is not None:
        return (
            f"NOT_CONVEX: the kernel is not symmetric: rows {apart[0]} and {apart[1]} have another "
            "value the other way round, so the gap proves nothing about optimality."
        )
    return f"{Status.NOT_CONVEX.name}: {Status.NOT_CONVEX.sentence}"
