"""C-support vector classification with any kernel: the drop-in for scikit-learn's SVC."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils import check_random_state, compute_class_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from maxmargin.certify import Certificate, Status, judge
from maxmargin.kernels import Kernel, Linear
from maxmargin.kernels.gram import Gram
from maxmargin.kernels.points import ScaleError
from maxmargin.kernels.precomputed import Numbered
from maxmargin.ops.threads import Workers
from maxmargin.solvers import Limits, Progress, Solution
from maxmargin.svm import decision, reduction
from maxmargin.svm.calibration import fit_temperature, probabilities, scores
from maxmargin.svm.kernel_choice import NAMES, KernelChoice, choose_kernel, resolve_gamma
from maxmargin.svm.parameters import check_choice, check_flag, check_number

_FINITE_C = 1e10  # stands in for an infinite C, with which a problem may have no optimum
_MEGABYTE = 2**20


def _gives_probabilities(estimator: SVC) -> bool:
    if estimator.probability == "deprecated" or not estimator.probability:
        raise AttributeError("predict_proba is not available when probability=False")
    return True


class SVC(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """C-support vector classification, with a certificate of how close to optimal it is.

    Parameters, defaults and fitted attributes are those of ``sklearn.svm.SVC``; what is added is
    keyword-only: ``multiclass``, ``time_limit``, ``n_jobs``, kernel values as ``kernel``, and the
    attributes ``certificate_`` and ``certificates_``. float32 data are kept in float32.

    Parameters
    ----------
    C : float, default=1.0
        Cost of a unit of slack; infinity is taken as 1e10.
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
        Accepted for compatibility: the solver touches only the variables that move anyway.
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

    _estimator_type: ClassVar[str] = "classifier"

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

    def __sklearn_tags__(self) -> Any:
        """Say what input is taken."""
        tags = super().__sklearn_tags__()
        pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        tags.input_tags.pairwise = pairwise
        tags.input_tags.sparse = not pairwise
        return tags

    # fit: validate, reduce, solve, recover

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
        self._check_parameters()
        X, label = self._validate(X, y)
        choice = self._choose_kernel(X)
        reduced = self._reduce(label, sample_weight)
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
                stacklevel=3,
            )

    def _validate(self, X: Any, y: Any) -> tuple[Any, NDArray[np.intp]]:
        """Check the data; labels come back as class numbers."""
        if self._takes_items():
            check_consistent_length(X, y)
        else:
            if sparse.issparse(X) and self._choice_is("precomputed"):
                raise TypeError("Sparse precomputed kernels are not supported; pass X.toarray().")
            X, y = validate_data(self, X, y, **_VECTORS)
            if self._choice_is("precomputed") and X.shape[0] != X.shape[1]:
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
        if len(self.classes_) < 2:
            raise ValueError(
                "The number of classes has to be greater than one; "
                f"got {len(self.classes_)} class"
            )
        return X, numbers.astype(np.intp)

    def _takes_items(self) -> bool:
        value = isinstance(self.kernel, Kernel)
        return callable(self.kernel) and (not value or KernelChoice(self.kernel).takes_items)

    def _choice_is(self, name: str) -> bool:
        return isinstance(self.kernel, str) and self.kernel == name

    def _costs(self, label: NDArray[np.intp], sample_weight: Any) -> NDArray[np.float64]:
        """C times the class weight times the sample weight, row by row."""
        cost = min(float(self.C), _FINITE_C) * self.class_weight_[label]
        if sample_weight is None:
            return cost
        weight = np.asarray(sample_weight, dtype=np.float64)
        if weight.shape != label.shape:
            raise ValueError(
                f"sample_weight and X have incompatible shapes: {weight.shape} vs {label.shape}."
            )
        if not np.isfinite(weight).all():
            raise ValueError("Input sample_weight contains NaN or infinity; drop such rows first.")
        if not (weight > 0).any():
            raise ValueError("Invalid input - all samples have zero or negative weights.")
        if len(np.unique(label[weight > 0])) < 2:
            raise ValueError(
                "Invalid input - all samples with positive weights belong to the same class."
            )
        return np.where(weight > 0, cost * weight, 0.0)

    def _choose_kernel(self, X: Any) -> KernelChoice:
        unused = not isinstance(self.kernel, str) or self.kernel in ("precomputed", "linear")
        self._gamma = 0.0 if unused and not self._choice_is("linear") else resolve_gamma(
            self.gamma, X
        )
        return choose_kernel(self.kernel, self._gamma, self.degree, self.coef0)

    def _reduce(self, label: NDArray[np.intp], sample_weight: Any) -> reduction.Reduction:
        cost = self._costs(label, sample_weight)
        split = reduction.one_vs_one if self._by_pairs() else reduction.one_vs_rest
        return reduction.reduce_classes(label, cost, len(self.classes_), split)

    def _gram(self, choice: KernelChoice, X: Any, order: NDArray[np.intp]) -> Gram:
        try:
            gram = Gram.of(choice.kernel, choice.items(X, X))
        except ScaleError as error:
            raise ValueError(
                f"The dual coefficients or intercepts are not finite. {error}"
            ) from None
        return gram.reordered(order)

    def _solve(self, gram: Gram, reduced: reduction.Reduction) -> list[Solution]:
        limits = Limits(self.tol, self.max_iter, self.time_limit, _print if self.verbose else None)
        with Workers(self.n_jobs) as workers:
            return reduction.solve(gram, reduced, limits, int(self.cache_size * _MEGABYTE), workers)

    def _by_pairs(self) -> bool:
        return self.multiclass == "ovo" or len(self.classes_) == 2

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
        self._intercept_ = np.array([solution.intercept for solution in solutions])
        if not np.isfinite(self._dual_coef_).all() or not np.isfinite(self._intercept_).all():
            raise ValueError(
                "The dual coefficients or intercepts are not finite. The input data may contain "
                "large values and need to be preprocessed."
            )
        self._keep_support(choice, X)
        sign = -1.0 if len(self.classes_) == 2 else 1.0
        self.intercept_ = sign * self._intercept_
        self.dual_coef_ = self._like_input(sign * self._dual_coef_)
        self.n_iter_ = np.array([s.iterations for s in solutions], dtype=np.int32)
        self.certificates_ = [solution.certificate for solution in solutions]
        self.certificate_ = max(self.certificates_, key=_badness)
        self.shape_fit_ = X.shape if hasattr(X, "shape") else (len(X),)
        self._warn()

    def _keep_support(self, choice: KernelChoice, X: Any) -> None:
        self._choice, self._sparse = choice, sparse.issparse(X) and choice.function is None
        self._X_fit = X if choice.function is not None else None
        if choice.precomputed:
            self.support_vectors_ = np.empty((0, 0))
        elif hasattr(X, "shape"):
            self.support_vectors_ = X[self.support_]
        else:
            self.support_vectors_ = [X[i] for i in self.support_]

    def _like_input(self, coefficients: NDArray[np.float64]) -> Any:
        return sparse.csr_matrix(coefficients) if self._sparse else coefficients

    def _warn(self) -> None:
        limited = any(c.status is Status.ITERATION_LIMIT for c in self.certificates_)
        self.fit_status_ = int(limited)
        if limited:
            warnings.warn(
                f"Solver terminated early (max_iter={self.max_iter}).  Consider pre-processing "
                "your data with StandardScaler or MinMaxScaler.",
                ConvergenceWarning,
                stacklevel=4,
            )
        unfinished = {Status.STALLED, Status.TIME_LIMIT, Status.INTERRUPTED, Status.NUMERICAL_ERROR}
        for status in sorted({c.status for c in self.certificates_} & unfinished, key=lambda s: s.name):
            warnings.warn(f"{status.name}: {status.sentence}", ConvergenceWarning, stacklevel=4)

    def _calibrate(self, X: Any, y: Any, sample_weight: Any) -> None:
        self._temperature = None
        if self.probability is True or self.probability is np.True_:
            plain = clone(self).set_params(probability="deprecated", decision_function_shape="ovr")
            random = check_random_state(self.random_state)
            self._temperature = fit_temperature(plain, X, np.asarray(y), sample_weight, random)

    # what a fitted model does

    @property
    def n_support_(self) -> NDArray[np.int32]:
        """Number of support vectors of each class."""
        if not hasattr(self, "_n_support"):
            raise AttributeError("n_support_ is known after fit.")
        return self._n_support

    @property
    def coef_(self) -> Any:
        """Weights of the columns, for the linear kernel: one line a problem."""
        if not (self._choice_is("linear") or self.kernel == Linear()):
            raise AttributeError("coef_ is only available when using a linear kernel")
        check_is_fitted(self)
        sign = -1.0 if len(self.classes_) == 2 else 1.0
        weights = sign * self._weights()
        weights.flags.writeable = False
        return sparse.csr_matrix(weights) if self._sparse else weights

    def _weights(self) -> NDArray[np.float64]:
        """Feature weights of each problem, w = sum_i beta_i x_i."""
        rows, coefficients = self.support_vectors_, np.asarray(self._dual_coef_)
        if not self._by_pairs():
            return np.asarray((rows.T @ coefficients.T).T)
        edges = np.cumsum([0, *self._n_support])
        parts = [
            np.asarray((rows[a:b].T @ coefficients[:, a:b].T).T)
            for a, b in zip(edges[:-1], edges[1:], strict=True)
        ]
        return decision.pair_values(np.stack(parts).transpose(2, 0, 1), np.zeros(1)).T

    def _raw_decision(self, X: Any) -> NDArray[np.float64]:
        """Values of all problems, positive for the positive class: shape (rows, problems)."""
        X = self._validate_new(X)
        if isinstance(self._choice.kernel, Linear):
            product = X @ self._weights().T
            return np.asarray(product + self._intercept_, dtype=np.float64)
        rows, support = self._prepare_new(X)
        sums = decision.sums_by_class(
            self._choice.kernel,
            rows,
            support,
            self._n_support.tolist(),
            np.asarray(self._dual_coef_),
            self.n_jobs,
        )
        if self._by_pairs():
            return decision.pair_values(sums, self._intercept_)
        return sums.sum(axis=1) + self._intercept_

    def _prepare_new(self, X: Any) -> tuple[Any, Any]:
        """New rows and the support vectors, ready for the kernel."""
        kernel = self._choice.kernel
        if not self._choice.precomputed:
            return kernel.prepare(X), kernel.prepare(self.support_vectors_)
        rows = kernel.prepare(self._choice.items(X, self._X_fit))
        if rows.K.shape[1] != self.shape_fit_[0]:
            raise ValueError(
                f"X.shape[1] = {rows.K.shape[1]} should be equal to {self.shape_fit_[0]}, "
                "the number of samples at training time"
            )
        return rows, Numbered(rows.K, self.support_)

    def _validate_new(self, X: Any) -> Any:
        check_is_fitted(self)
        if not self._choice.takes_items:
            X = validate_data(self, X, reset=False, **_VECTORS)
            if sparse.issparse(X) and not self._sparse:
                raise ValueError(
                    f"cannot use sparse input in {type(self).__name__!r} trained on dense data"
                )
        if not self._choice.precomputed and self._n_support.sum() != len(self.support_):
            raise ValueError(
                f"The internal representation of {type(self).__name__} was altered"
            )
        return X

    def decision_function(self, X: Any) -> NDArray[np.float64]:
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
        values = self._raw_decision(X)
        if len(self.classes_) == 2:
            return -values.ravel()
        if self._by_pairs() and self.decision_function_shape == "ovr":
            return decision.one_value_a_class(values, len(self.classes_))
        return values

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
        labels: NDArray[Any] = self.classes_[self._predict_numbers(self._raw_decision(X))]
        return labels

    def _predict_numbers(self, values: NDArray[np.float64]) -> NDArray[np.intp]:
        if not self._by_pairs():
            return values.argmax(axis=1)
        if self.break_ties and len(self.classes_) > 2:
            return decision.one_value_a_class(values, len(self.classes_)).argmax(axis=1)
        return decision.votes(values, len(self.classes_)).argmax(axis=1)

    @available_if(_gives_probabilities)
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Estimate class probabilities; the most probable class is the predicted one.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns)

        Returns
        -------
        p : ndarray of shape (rows, classes)
        """
        check_is_fitted(self)
        if self._temperature is None:
            raise NotFittedError("predict_proba is not available when fitted with probability=False")
        values = self._raw_decision(X)
        predicted = self._predict_numbers(values)
        z = -values.ravel() if len(self.classes_) == 2 else values
        if self._by_pairs() and len(self.classes_) > 2:
            z = decision.one_value_a_class(values, len(self.classes_))
        return probabilities(scores(z), self._temperature, predicted)

    @available_if(_gives_probabilities)
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Take the logarithm of predict_proba."""
        return np.log(self.predict_proba(X))

    @property
    def probA_(self) -> NDArray[np.float64]:  # noqa: N802
        """Slope of the calibration, -1 / temperature; empty without probability=True."""
        warnings.warn("Attribute `probA_` was deprecated in scikit-learn 1.9.", FutureWarning, 2)
        slope = [] if self._temperature is None else [-1.0 / self._temperature]
        return np.repeat(np.asarray(slope, dtype=np.float64), len(self._intercept_))

    @property
    def probB_(self) -> NDArray[np.float64]:  # noqa: N802
        """Offset of the calibration: 0, so that probabilities agree with predict."""
        warnings.warn("Attribute `probB_` was deprecated in scikit-learn 1.9.", FutureWarning, 2)
        return np.zeros(0 if self._temperature is None else len(self._intercept_))

    def certify(self, X: Any, y: Any, sample_weight: Any = None) -> Certificate:
        """Judge the model again, in float64 and from the training data alone.

        Parameters
        ----------
        X, y, sample_weight
            The training data.

        Returns
        -------
        certificate : Certificate
            Of the problem with the worst relative gap; ``certificate_`` is left as it is.
        """
        check_is_fitted(self)
        X, label = _same_data(self, X, y)
        reduced = self._reduce(label, sample_weight)
        gram = self._gram(self._choice, X, reduced.order)
        place = np.searchsorted(np.sort(reduced.order), self.support_)
        place = np.argsort(reduced.order, kind="stable")[place]
        sums = decision.sums_by_class(
            gram.kernel,
            gram.rows,
            gram.rows[place],
            self._n_support.tolist(),
            np.asarray(self._dual_coef_),
            self.n_jobs,
        )
        none = np.zeros(1)
        values = decision.pair_values(sums, none) if self._by_pairs() else sums.sum(axis=1)
        duals = np.zeros((len(self._dual_coef_), len(gram)))
        duals[:, place] = self._dual_coef_
        points = reduced.points(duals, values, gram)
        verdicts = [
            judge(task.problem, point, self.tol)
            for task, point in zip(reduced.tasks, points, strict=True)
        ]
        return max(verdicts, key=_badness)


_VECTORS: dict[str, Any] = {
    "dtype": [np.float64, np.float32],
    "order": "C",
    "accept_sparse": "csr",
    "accept_large_sparse": True,
}


def _badness(certificate: Certificate) -> tuple[bool, float]:
    return certificate.status is not Status.CERTIFIED, certificate.relative_gap


def _print(progress: Progress) -> None:
    print(
        f"{progress.seconds:8.2f} s  {progress.iterations:9d} steps  dual {progress.dual:.9g}  "
        f"violation {progress.violation:.2e}",
        flush=True,
    )


def _same_data(model: SVC, X: Any, y: Any) -> tuple[Any, NDArray[np.intp]]:
    """Check that X and y can be the training data; rows come back in float64."""
    shape = X.shape if hasattr(X, "shape") else (len(X), *np.shape(X)[1:])
    if shape[0] != model.shape_fit_[0] or not np.isin(y, model.classes_).all():
        raise ValueError(
            f"certify needs the data the model was fitted to: {model.shape_fit_[0]} rows of "
            f"classes {model.classes_.tolist()}."
        )
    if not model._choice.takes_items:
        X = validate_data(model, X, reset=False, **{**_VECTORS, "dtype": np.float64})
    return X, np.searchsorted(model.classes_, np.asarray(y))
