"""What every kernel classifier does: check its parameters, fit by a recipe, decide, certify."""

from __future__ import annotations

from abc import abstractmethod
from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from maxmargin.certify import Certificate, Point, Status, judge
from maxmargin.inputs.caution import caution
from maxmargin.inputs.parameters import check_choice, check_flag, check_number, check_shared
from maxmargin.kernels import Kernel
from maxmargin.kernels.base import Takes
from maxmargin.ops.clock import Clock, watch
from maxmargin.solvers import Limits, with_printing
from maxmargin.solvers.tasks import badness
from maxmargin.svm import decision
from maxmargin.svm.kernel_choice import NAMES, choose_kernel
from maxmargin.svm.kernel_fit import Learned, Recipe, complain, learn
from maxmargin.svm.training import Sides, Training, check_rows, prepare, ready

Vector = NDArray[np.float64]

_MEGABYTE = 2**20
_BIASES = {"free": 0.0, "regularized": 1.0, "none": 0.0}
"""What may become of the bias, with what is added to the kernel for it."""
_STATING = ("C", "budget", "multiclass")  # parameters that say which problem is solved
_LARGEST_CACHE = 2.0**40  # in MB, more than there is anywhere


class KernelClassifier(ClassifierMixin, BaseEstimator):
    """Two classes or more, decided by kernels with support vectors.

    A subclass says by which recipe its parameters make a machine (``_recipe``).
    """

    @property
    def _intercept(self) -> str:
        """Say what becomes of the bias: it is free, a weight of the kernel k + 1, or none."""
        return "free"

    # what the parameters say

    @abstractmethod
    def _recipe(self, clock: Clock, intercept: str = "free") -> Recipe:
        """Say which problems rows state, with a free bias or without, and who solves them."""

    def __sklearn_tags__(self) -> Any:
        """Say what input is taken."""
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
        """Check what every kernel classifier takes."""
        owner = type(self).__name__
        if isinstance(self.kernel, type) or not callable(self.kernel):  # a Kernel can be called
            check_choice(owner, "kernel", self.kernel, NAMES, "a Kernel or a function")
        if isinstance(self.gamma, str):
            check_choice(owner, "gamma", self.gamma, ("scale", "auto"), "a number of at least 0")
        else:
            check_number(owner, "gamma", self.gamma, 0.0, otherwise="'scale' or 'auto'")
        check_number(owner, "degree", self.degree, 0, whole=True)
        check_number(owner, "coef0", self.coef0)
        check_number(owner, "tol", self.tol, 0.0, above=True)
        check_number(owner, "cache_size", self.cache_size, 0.0, above=True)
        check_number(owner, "max_iter", self.max_iter, -1, whole=True)
        check_choice(owner, "decision_function_shape", self.decision_function_shape, ("ovr", "ovo"))
        check_choice(owner, "multiclass", self.multiclass, ("ovo", "ovr"))
        check_flag(owner, "break_ties", self.break_ties)
        check_shared(self)
        self._caution_of_ignored(owner)

    def _caution_of_ignored(self, owner: str) -> None:
        """Say so where numbers are given that a kernel value has no use for."""
        if not isinstance(self.kernel, Kernel):
            return
        usual = {"gamma": "scale", "degree": 3, "coef0": 0.0}
        given = [name for name, value in usual.items() if getattr(self, name) != value]
        if given:
            said = ", ".join(f"{name}={getattr(self, name)!r}" for name in given)
            caution(
                f"{owner} ignores {said}: kernel={self.kernel!r} has its own parameters; give them "
                "to the kernel."
            )

    def _limits(self, clock: Clock) -> Limits:
        callback = with_printing(self.callback, bool(self.verbose))
        return Limits(float(self.tol), int(self.max_iter), clock, callback)

    def _memory(self) -> int:
        return int(min(float(self.cache_size), _LARGEST_CACHE) * _MEGABYTE)

    # fitting

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        self._check_parameters()
        with watch(self.time_limit, self.on_interrupt) as clock:
            self._learn(self._prepare(X, y, sample_weight), clock)
            self._after(X, y, sample_weight, clock)

    def _fit_shared(self, training: Training) -> Self:
        """Fit to a part of rows that several fits share: no kernel value is evaluated twice."""
        with watch(self.time_limit) as clock:
            self._learn(training, clock)
        return self

    def _after(self, X: Any, y: Any, sample_weight: Any, clock: Clock) -> None:
        """Do what else a fit has to do with the data as they came; here nothing."""

    def _prepare(self, X: Any, y: Any, sample_weight: Any) -> Training:
        """Check the data and choose the kernel by all rows."""
        return prepare(self, self._kernel(), X, y, sample_weight, self._intercept)

    def _learn(self, training: Training, clock: Clock) -> Learned:
        """Fit to rows that are ready, and show the machine as scikit-learn does."""
        learned = learn(training, self._recipe(clock, training.intercept))
        self._show(training, learned)
        complain(learned.certificates, self._sentences(training, learned))
        return learned

    def _show(self, training: Training, learned: Learned) -> None:
        """Set the fitted attributes."""
        machine = learned.machine
        if not (np.isfinite(machine.coefficients).all() and np.isfinite(machine.intercepts).all()):
            raise ValueError(
                "The dual coefficients or intercepts are not finite. The input data may contain "
                "large values and need to be preprocessed."
            )
        sign = -1.0 if len(training.classes) == 2 else 1.0
        self._machine, self._sparse = machine, sparse.issparse(training.X)
        self._bias = training.intercept
        self._stated = {name: getattr(self, name) for name in _STATING if hasattr(self, name)}
        self.classes_, self.class_weight_ = training.classes, training.class_weight
        self.support_, self.support_vectors_ = machine.rows, machine.support
        self.intercept_ = sign * machine.shifted_intercepts() + 0.0  # and no -0
        coefficients = sign * machine.coefficients
        self.dual_coef_ = sparse.csr_matrix(coefficients) if self._sparse else coefficients
        self.n_iter_ = np.array([s.iterations for s in learned.solutions], dtype=np.int32)
        self.certificates_ = learned.certificates
        self.certificate_ = max(self.certificates_, key=badness)
        solved = (Status.CERTIFIED, Status.NOT_CONVEX)
        self.fit_status_ = int(any(c.status not in solved for c in self.certificates_))
        shape = getattr(training.X, "shape", None)
        self.shape_fit_ = (len(training),) if shape is None else tuple(shape)

    def _sentences(self, training: Training, learned: Learned) -> dict[Status, str]:
        """Say something else of a status than its own sentence; nothing of what is well known."""
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
        weights = (-1.0 if len(self.classes_) == 2 else 1.0) * self._machine.weights
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
    def _dual_coef_(self) -> Vector:
        return self._machine.coefficients

    @_dual_coef_.setter
    def _dual_coef_(self, coefficients: Any) -> None:
        self._machine = replace(self._machine, coefficients=np.asarray(coefficients))

    def _decide(self, X: Any, finish: decision.Finish) -> NDArray[Any]:
        """Finish the values of all problems, positive for the positive class, of checked rows."""
        check_is_fitted(self)
        kernel = self._machine.seen.kernel
        X = check_rows(self, kernel, X, reset=False)
        if sparse.issparse(X) and not self._sparse and kernel.takes is Takes.VECTORS:
            raise ValueError(
                f"cannot use sparse input in {type(self).__name__!r} trained on dense data"
            )
        if self._machine.counts.sum() != len(self._machine.rows):
            raise ValueError(f"The internal representation of {type(self).__name__} was altered")
        return self._machine.decide(X, finish, self.n_jobs)

    def decision_function(self, X: Any) -> Vector:
        """Evaluate the decision values of rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns)

        Returns
        -------
        values : ndarray
            (rows,) for two classes, positive for ``classes_[1]``; otherwise (rows, classes), or
            (rows, pairs) with decision_function_shape="ovo" and multiclass="ovo".
        """
        check_is_fitted(self)
        several = len(self.classes_) > 2 and self._machine.by_pairs
        if several and self.decision_function_shape == "ovo":
            return self._decide(X, np.asarray)
        return self._decide(X, self._machine.confidences)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of rows: by vote of the pairs, or the largest value of all classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns)

        Returns
        -------
        labels : ndarray of shape (rows,)
        """
        check_is_fitted(self)
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        numbers = self._decide(X, lambda values: self._machine.numbers(values, self.break_ties))
        labels: NDArray[Any] = self.classes_[numbers]
        return labels

    def _votes_and_values(self, X: Any) -> tuple[NDArray[np.intp], Vector]:
        """Predicted numbers of two classes and their values, in one pass over the kernel."""
        values = self._decide(X, np.asarray)
        return self._machine.numbers(values), -values.ravel()

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
        return max(
            (judge(problem, point, self.tol) for _, problem, point in evaluated), key=badness
        )

    def _evaluate_duals(
        self, X: Any, y: Any, sample_weight: Any, asker: str = "certify"
    ) -> list[tuple[NDArray[np.intp], Any, Point]]:
        """Give the rows of every problem, the problem, and the duals with a fresh K beta."""
        check_is_fitted(self)
        training = self._again(X, y, sample_weight, asker).in_double()
        reduced = self._as_fitted()._recipe(Clock(), training.intercept).reduce(training)
        gram, machine = training.gram.reordered(reduced.order), self._machine
        place = np.empty(len(training), dtype=np.intp)
        place[reduced.order] = np.arange(len(gram))
        support = place[machine.rows]
        duals = np.zeros((len(machine.coefficients), len(gram)))
        duals[:, support] = machine.coefficients
        values = machine.products(gram, support, self.n_jobs)
        points = reduced.points(duals, values, gram)
        pairs = list(zip(reduced.tasks, points, strict=True))
        if not all(task.problem.feasible(point.beta) for task, point in pairs):
            raise ValueError(
                f"{asker} needs the labels and the sample_weight of the fit: the duals do not fit "
                "these."
            )
        return [(reduced.rows(task), task.problem, point) for task, point in pairs]

    def _again(self, X: Any, y: Any, sample_weight: Any, asker: str = "certify") -> Training:
        """Make the data ready as they were for the fit, with the kernel that it chose."""
        machine, labels = self._machine, np.ravel(y)
        rows = X.shape[0] if hasattr(X, "shape") else len(X)
        known = len(labels) == rows == machine.n_rows and np.isin(labels, self.classes_).all()
        if not known or len(np.unique(labels)) != len(self.classes_):
            raise ValueError(
                f"{asker} needs the data the model was fitted to: {machine.n_rows} rows of "
                f"classes {self.classes_.tolist()}."
            )
        X = check_rows(self, machine.seen.kernel, X, reset=False)
        sides = Sides.of(self._as_fitted(), labels, sample_weight)
        sides = replace(sides, class_weight=self.class_weight_)
        return ready(machine.seen, X, sides, self._fitted_intercept)

    def _as_fitted(self) -> Self:
        """Give the model with the parameters that stated its problem, whatever was set since.

        Models stored by earlier releases know only those that they have.
        """
        model = copy(self)
        model.__dict__.update({**vars(self).get("_stated", {}), "class_weight": None})
        return model

    def __restored__(self) -> None:
        """Check what was read: a bias of another kind than the machine's is another problem."""
        if "_machine" not in vars(self):
            return
        bias = self._fitted_intercept
        if bias not in _BIASES or _BIASES[bias] != self._machine.offset:
            raise ValueError("The bias of a stored machine is none that its kernel says.")
        stated = vars(self).get("_stated", {})
        if not isinstance(stated, dict) or not stated.keys() <= set(_STATING):
            raise ValueError("A stored machine has other parameters of its problem than there are.")

    @property
    def _fitted_intercept(self) -> str:
        """Say what became of the bias; models stored by earlier releases had no "none"."""
        usual = "regularized" if self._machine.offset else "free"
        return str(vars(self).get("_bias", usual))


def _not_convex(training: Training, learned: Learned) -> str:
    """Say of a user's own kernel that it is none; of a known one nothing new."""
    if training.gram.psd is not None:
        return ""
    apart = training.gram.asymmetry(learned.machine.rows.astype(np.intp))
    if apart is not None:
        return (
            f"NOT_CONVEX: the kernel is not symmetric: rows {apart[0]} and {apart[1]} have another "
            "value the other way round, so the gap proves nothing about optimality."
        )
    return f"{Status.NOT_CONVEX.name}: {Status.NOT_CONVEX.sentence}"
