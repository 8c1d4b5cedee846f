"""C-support vector classification with any kernel: the drop-in for scikit-learn's SVC."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state, compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, column_or_1d, validate_data

from maxmargin.certify import Status
from maxmargin.kernels import Kernel
from maxmargin.kernels.gram import Gram
from maxmargin.kernels.points import refuse_nonfinite
from maxmargin.ops.threads import Workers
from maxmargin.solvers import Limits, Progress, Shrinking, Solution, WorkingSet, tell
from maxmargin.svm import reduction
from maxmargin.svm.calibration import fit_temperature
from maxmargin.svm.kernel_choice import (
    NAMES,
    KernelChoice,
    centred_on,
    choose_kernel,
    resolve_gamma,
)
from maxmargin.svm.kernel_classifier import VECTORS, Index, KernelClassifier, Vector, badness
from maxmargin.svm.parameters import check_choice, check_flag, check_number

_MEGABYTE = 2**20
_UNFINISHED = (Status.INTERRUPTED, Status.NUMERICAL_ERROR, Status.STALLED, Status.TIME_LIMIT)


class SVC(KernelClassifier):
    """C-support vector classification, with a certificate of how close to optimal it is.

    Parameters, defaults and fitted attributes are those of ``sklearn.svm.SVC``; what is added is
    keyword-only: ``multiclass``, ``time_limit``, ``n_jobs``, ``callback``, kernel values as
    ``kernel``, and the attributes ``certificate_`` and ``certificates_``.
    float32 data are kept in float32.

    Parameters
    ----------
    C : float, default=1.0
        Cost of a unit of slack; anything above 1e10, infinity included, is taken as 1e10.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"}, Kernel or callable, default="rbf"
        A name, a value from ``maxmargin.kernels`` or a function of two sets of items that gives
        their kernel matrix.
    degree : int, default=3
        Of the "poly" kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Of "rbf", "poly" and "sigmoid": 1 / (columns * variance), 1 / columns, or a number. The
        variance counts a row as often as its sample weight says.
    coef0 : float, default=0.0
        Of "poly" and "sigmoid".
    shrinking : bool, default=True
        Whether to set settled variables aside when the cache is too small for all rows in use.
    probability : bool, default="deprecated"
        Whether to calibrate, by five-fold cross-validation, so that ``predict_proba`` works. As in
        scikit-learn 1.9, giving it warns; ``CalibratedClassifierCV(SVC())`` does the same.
    tol : float, default=1e-3
        Largest violation of the optimality conditions, as in LIBSVM.
    cache_size : float, default=200
        Memory for kernel values, in MB.
    class_weight : dict or "balanced", default=None
        Factors of C by class.
    verbose : bool, default=False
        Print a line for every working set.
    max_iter : int, default=-1
        Limit on the pair steps of each problem; -1 for none.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        One decision value for each class, or for each pair.
    break_ties : bool, default=False
        Whether predict breaks vote ties by the decision values.
    random_state : int, RandomState instance or None, default=None
        Of the calibration's folds.
    multiclass : {"ovo", "ovr"}, default="ovo"
        A problem for each pair of classes, or for each class against the rest.
    time_limit : float, default=None
        Seconds after which the best point so far is returned.
    n_jobs : int, default=None
        Threads; None for all cores. The result does not depend on it.
    callback : callable, default=None
        Called with a ``Progress`` (seconds, iterations, primal, dual, gap, violation) at every
        step; ``maxmargin.solvers.Trace()`` keeps them for ``maxmargin.plots.convergence``.

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
    >>> from maxmargin import SVC
    >>> from maxmargin.datasets import load_mixture
    >>> X, y = load_mixture(return_X_y=True)
    >>> model = SVC(kernel="rbf", gamma=1.0).fit(X, y)
    >>> round(1 - model.score(X, y), 3)
    0.16
    >>> model.certificate_.status.name
    'CERTIFIED'
    """

    def __init__(
        self,
        *,
        C: float = 1.0,
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
        multiclass: str = "ovo",
        time_limit: float | None = None,
        n_jobs: int | None = None,
        callback: Callable[[Progress], object] | None = None,
    ) -> None:
        self.C = C
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
            Factors of C by row; rows without a positive weight are left out.

        Returns
        -------
        self : SVC
        """
        before = dict(self.__dict__)
        try:
            return self._fit(X, y, sample_weight)
        except BaseException:  # a fit that fails leaves the model as it was
            self.__dict__ = before
            raise

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        self._check_parameters()
        X, label = self._validate(X, y)
        weight = self._validate_weight(sample_weight, label)
        choice = self._choose_kernel(X, weight)
        reduced = self._reduce(label, weight)
        solutions = self._solve(self._gram(choice, X, reduced.order), reduced)
        self._recover(choice, X, reduced, solutions)
        self._calibrate(X, y, sample_weight)
        return self

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        if not (isinstance(self.kernel, Kernel) or callable(self.kernel)):
            check_choice(owner, "kernel", self.kernel, NAMES)
        if isinstance(self.gamma, str):
            check_choice(owner, "gamma", self.gamma, ("scale", "auto"))
        else:
            check_number(owner, "gamma", self.gamma, 0.0)
        check_number(owner, "C", self.C, 0.0, above=True, infinite=True)
        check_number(owner, "degree", self.degree, 0, whole=True)
        check_number(owner, "coef0", self.coef0)
        check_number(owner, "tol", self.tol, 0.0, above=True)
        check_number(owner, "cache_size", self.cache_size, 0.0, above=True)
        check_number(owner, "max_iter", self.max_iter, -1, whole=True)
        check_choice(owner, "decision_function_shape", self.decision_function_shape, ("ovr", "ovo"))
        check_choice(owner, "multiclass", self.multiclass, ("ovo", "ovr"))
        for name in ("shrinking", "break_ties"):
            check_flag(owner, name, getattr(self, name))
        if self.time_limit is not None:
            check_number(owner, "time_limit", self.time_limit, 0.0, infinite=True)
        if self.probability != "deprecated":
            check_flag(owner, "probability", self.probability)
            warnings.warn(
                "The `probability` parameter is deprecated as in scikit-learn 1.9: "
                f"use CalibratedClassifierCV({owner}()) instead of {owner}(probability=True).",
                FutureWarning,
                stacklevel=4,
            )

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
        labels = column_or_1d(y, warn=True)
        check_classification_targets(labels)
        self.classes_, numbers = np.unique(labels, return_inverse=True)
        self.class_weight_ = compute_class_weight(
            self.class_weight, classes=self.classes_, y=labels
        )
        if not (self.class_weight_ > 0).all() or not np.isfinite(self.class_weight_).all():
            raise ValueError(
                f"class_weight must be finite and greater than 0, got {self.class_weight}; "
                "leave rows out by sample_weight=0."
            )
        if len(self.classes_) < 2:
            raise ValueError(
                f"The number of classes has to be greater than one; got {len(self.classes_)} class"
            )
        return X, numbers.astype(np.intp)

    def _takes_items(self) -> bool:
        value = isinstance(self.kernel, Kernel)
        return callable(self.kernel) and (not value or KernelChoice(self.kernel).takes_items)

    def _choose_kernel(self, X: Any, weight: Vector | None) -> KernelChoice:
        named = isinstance(self.kernel, str) and self.kernel != "precomputed"
        self._gamma = resolve_gamma(self.gamma, X, weight) if named else 0.0
        return centred_on(choose_kernel(self.kernel, self._gamma, self.degree, self.coef0), X)

    def _solve(self, gram: Gram, reduced: reduction.Reduction) -> list[Solution]:
        limits = Limits(self.tol, self.max_iter, self.time_limit, tell(self.callback, self.verbose))
        solver = Shrinking if self.shrinking else WorkingSet
        budget = int(self.cache_size * _MEGABYTE)
        with Workers(self.n_jobs) as workers:
            return reduction.solve(gram, reduced, limits, budget, workers, solver)

    def _recover(
        self,
        choice: KernelChoice,
        X: Any,
        reduced: reduction.Reduction,
        solutions: list[Solution],
    ) -> None:
        """Set the fitted attributes."""
        duals = reduced.dual_coefficients([solution.point.beta for solution in solutions])
        kept = np.flatnonzero(duals.any(axis=0))
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
        self.intercept_ = sign * self._intercept_
        self.dual_coef_ = self._dual_coef_ * sign
        if self._sparse:
            self.dual_coef_ = sparse.csr_matrix(self.dual_coef_)
        self.n_iter_ = np.array([s.iterations for s in solutions], dtype=np.int32)
        self.certificates_ = [solution.certificate for solution in solutions]
        self.certificate_ = max(self.certificates_, key=badness)
        self.shape_fit_ = X.shape if hasattr(X, "shape") else (len(X),)
        self._warn()

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

    def _calibrate(self, X: Any, y: Any, sample_weight: Any) -> None:
        self._temperature = None
        interrupted = any(c.status is Status.INTERRUPTED for c in self.certificates_)
        if self.probability not in ("deprecated", False) and not interrupted:
            plain = clone(self).set_params(probability="deprecated", decision_function_shape="ovr")
            random = check_random_state(self.random_state)
            labels = column_or_1d(y)
            self._temperature = fit_temperature(plain, X, labels, sample_weight, random)
