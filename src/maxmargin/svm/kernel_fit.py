"""What the fits of all kernel classifiers share: check, choose the kernel, recover a model."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, column_or_1d, validate_data

from maxmargin.certify import Status
from maxmargin.kernels import Kernel
from maxmargin.kernels.gram import Gram
from maxmargin.kernels.points import refuse_nonfinite
from maxmargin.ops.threads import Workers
from maxmargin.solvers import Limits, Solution, tell
from maxmargin.svm import reduction
from maxmargin.svm.kernel_choice import (
    NAMES,
    KernelChoice,
    centred_on,
    choose_kernel,
    resolve_gamma,
)
from maxmargin.svm.kernel_classifier import VECTORS, Index, KernelClassifier, Vector, badness
from maxmargin.svm.parameters import check_choice, check_flag, check_number
from maxmargin.svm.weights import weigh_classes

_MEGABYTE = 2**20
_UNFINISHED = (Status.INTERRUPTED, Status.NUMERICAL_ERROR, Status.STALLED, Status.TIME_LIMIT)


def check_labels(y: Any) -> NDArray[Any]:
    """Refuse what are not class labels, one a row."""
    labels: NDArray[Any] = column_or_1d(y, warn=True)
    check_classification_targets(labels)
    return labels


def refuse_one_class(classes: NDArray[Any]) -> None:
    """Refuse labels that leave nothing to tell apart."""
    if len(classes) < 2:
        raise ValueError(
            f"The number of classes has to be greater than one; got {len(classes)} class"
        )


class KernelFit(KernelClassifier):
    """A kernel classifier whose ``fit`` is validate, reduce, solve, recover.

    A subclass states its problem (``_reduce``) and how to solve it.
    """

    def _check_parameters(self) -> None:
        self._check_kernel_parameters()

    def _check_kernel_parameters(self) -> None:
        """Check what every kernel classifier takes."""
        owner = type(self).__name__
        if not (isinstance(self.kernel, Kernel) or callable(self.kernel)):
            check_choice(owner, "kernel", self.kernel, NAMES)
        if isinstance(self.gamma, str):
            check_choice(owner, "gamma", self.gamma, ("scale", "auto"))
        else:
            check_number(owner, "gamma", self.gamma, 0.0)
        check_number(owner, "degree", self.degree, 0, whole=True)
        check_number(owner, "coef0", self.coef0)
        check_number(owner, "tol", self.tol, 0.0, above=True)
        check_number(owner, "cache_size", self.cache_size, 0.0, above=True)
        check_number(owner, "max_iter", self.max_iter, -1, whole=True)
        check_choice(owner, "decision_function_shape", self.decision_function_shape, ("ovr", "ovo"))
        check_choice(owner, "multiclass", self.multiclass, ("ovo", "ovr"))
        check_flag(owner, "break_ties", self.break_ties)
        if self.time_limit is not None:
            check_number(owner, "time_limit", self.time_limit, 0.0, infinite=True)

    def _validate(self, X: Any, y: Any) -> tuple[Any, Index]:
        """Check the data; labels come back as class numbers."""
        if self._takes_items():
            check_consistent_length(X, y)
        else:
            if sparse.issparse(X) and self._is_precomputed():
                raise TypeError("Sparse precomputed kernels are not supported; pass X.toarray().")
            X, y = validate_data(self, X, y, **VECTORS)
            refuse_nonfinite(X)
            if self._is_precomputed() and X.shape[0] != X.shape[1]:
                raise ValueError(
                    "Precomputed matrix must be a square matrix. "
                    f"Input is a {X.shape[0]}x{X.shape[1]} matrix."
                )
        labels = check_labels(y)
        self.classes_, numbers = np.unique(labels, return_inverse=True)
        self.class_weight_ = weigh_classes(self.class_weight, self.classes_, labels)
        refuse_one_class(self.classes_)
        return X, numbers.astype(np.intp)

    def _takes_items(self) -> bool:
        value = isinstance(self.kernel, Kernel)
        return callable(self.kernel) and (not value or KernelChoice(self.kernel).takes_items)

    def _choose_kernel(self, X: Any, weight: Vector | None) -> KernelChoice:
        if self._ready is not None:
            self._gamma = self._ready.gamma
            return self._ready.choice
        named = isinstance(self.kernel, str) and self.kernel != "precomputed"
        self._gamma = resolve_gamma(self.gamma, X, weight) if named else 0.0
        choice = choose_kernel(self.kernel, self._gamma, self.degree, self.coef0)
        return centred_on(choice, X, weight, free_bias=not self._augmented)

    def _run(
        self, gram: Gram, reduced: reduction.Reduction, solver: Any, seed: int = 0
    ) -> list[Solution]:
        """Let a solver work on every problem within the limits that the parameters say."""
        limits = Limits(self.tol, self.max_iter, self.time_limit, tell(self.callback, self.verbose))
        budget = int(self.cache_size * _MEGABYTE)
        with Workers(self.n_jobs) as workers:
            return reduction.solve(gram, reduced, limits, budget, workers, solver, seed)

    def _recover(
        self,
        choice: KernelChoice,
        X: Any,
        reduced: reduction.Reduction,
        solutions: list[Solution],
    ) -> None:
        """Set the fitted attributes."""
        duals = reduced.dual_coefficients([solution.point.beta for solution in solutions])
        kept = np.flatnonzero(duals.any(axis=0) | self._on_margin(reduced, solutions))
        self.support_ = reduced.order[kept].astype(np.int32)
        self._n_support = np.histogram(kept, reduced.edges)[0].astype(np.int32)
        self._dual_coef_ = duals[:, kept]
        self._intercept_ = reduced.intercepts([solution.point for solution in solutions])
        if not np.isfinite(self._dual_coef_).all() or not np.isfinite(self._intercept_).all():
            raise ValueError(
                "The dual coefficients or intercepts are not finite. The input data may contain "
                "large values and need to be preprocessed."
            )
        self._keep_support(choice, X)
        sign = -1.0 if len(self.classes_) == 2 else 1.0
        self.intercept_ = sign * (self._intercept_ - self._shift_of_intercept())
        self.dual_coef_ = self._dual_coef_ * sign
        if self._sparse:
            self.dual_coef_ = sparse.csr_matrix(self.dual_coef_)
        self.n_iter_ = np.array([s.iterations for s in solutions], dtype=np.int32)
        self.certificates_ = [solution.certificate for solution in solutions]
        self.certificate_ = max(self.certificates_, key=badness)
        self.shape_fit_ = X.shape if hasattr(X, "shape") else (len(X),)
        self._warn()

    def _on_margin(
        self,
        reduced: reduction.Reduction,
        solutions: list[Solution],  # noqa: ARG002
    ) -> NDArray[np.bool_]:
        """Tell which rows are support vectors even where their dual is 0."""
        return np.zeros(len(reduced.order), dtype=bool)

    def _keep_support(self, choice: KernelChoice, X: Any) -> None:
        self._choice, self._sparse = choice, sparse.issparse(X) and choice.function is None
        self._X_fit = X if choice.function is not None else None
        if choice.precomputed:
            self.support_vectors_: Any = np.empty((0, 0))
        elif hasattr(X, "shape"):
            self.support_vectors_ = X[self.support_]
        else:
            self.support_vectors_ = [X[i] for i in self.support_]

    def _warn(self) -> None:
        limited = any(c.status is Status.ITERATION_LIMIT for c in self.certificates_)
        unfinished = any(c.status in _UNFINISHED for c in self.certificates_)
        self.fit_status_ = int(limited or unfinished)
        if limited:
            warnings.warn(
                f"Solver terminated early (max_iter={self.max_iter}).  Consider pre-processing "
                "your data with StandardScaler or MinMaxScaler.",
                ConvergenceWarning,
                stacklevel=5,
            )
        for status in _UNFINISHED:
            if any(c.status is status for c in self.certificates_):
                warnings.warn(f"{status.name}: {status.sentence}", ConvergenceWarning, stacklevel=5)
