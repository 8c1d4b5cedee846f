"""What a fitted kernel classifier does, however it was fitted: decide, predict, certify."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from maxmargin.certify import Certificate, Status, judge
from maxmargin.kernels import Linear, Precomputed
from maxmargin.kernels.gram import Gram
from maxmargin.kernels.points import ScaleError, refuse_nonfinite
from maxmargin.kernels.precomputed import Numbered
from maxmargin.svm import decision, reduction
from maxmargin.svm.calibration import probabilities, scores
from maxmargin.svm.kernel_choice import KernelChoice
from maxmargin.svm.weights import check_sample_weight

Vector = NDArray[np.float64]
Index = NDArray[np.intp]

VECTORS: dict[str, Any] = {
    "dtype": [np.float64, np.float32],
    "order": "C",
    "accept_sparse": "csr",
    "accept_large_sparse": True,
    "ensure_all_finite": False,  # refuse_nonfinite says where, in one sentence
}
_LARGEST_C = 1e10  # stands in for an infinite C, with which a problem may have no optimum


@dataclass(frozen=True)
class Ready:
    """What several fits share: the kernel in effect and its Gram matrix, evaluated or not."""

    choice: KernelChoice
    gamma: float
    gram: Gram

    def of(self, rows: Index) -> Ready:
        """Look at some of the rows."""
        return replace(self, gram=self.gram.reordered(rows))


def _gives_probabilities(estimator: KernelClassifier) -> bool:
    if estimator.probability == "deprecated" or not estimator.probability:
        raise AttributeError("predict_proba is not available when probability=False")
    return True


class KernelClassifier(ClassifierMixin, BaseEstimator):
    """Two classes or more, decided by kernels with support vectors.

    A subclass's ``fit`` sets ``classes_``, ``class_weight_``, ``support_``, ``support_vectors_``,
    ``intercept_`` and, as LIBSVM has them (a positive value speaks for the earlier class),
    ``_dual_coef_`` and ``_intercept_`` (for rows as the kernel sees them), with ``_n_support``,
    ``_choice``, ``_sparse``, ``_X_fit`` and ``_temperature``.
    """

    _ready: Ready | None = None
    _augmented = False  # whether the kernel was fitted with 1 added, instead of a free bias

    def __sklearn_tags__(self) -> Any:
        """Say what input is taken."""
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._is_precomputed()
        tags.input_tags.sparse = not self._is_precomputed()
        return tags

    # what the kernel parameter says

    def _choice_is(self, name: str) -> bool:
        return isinstance(self.kernel, str) and self.kernel == name

    def _is_precomputed(self) -> bool:
        return self._choice_is("precomputed") or isinstance(self.kernel, Precomputed)

    def _by_pairs(self) -> bool:
        return self.multiclass == "ovo" or len(self.classes_) == 2

    # fits that share a kernel matrix, for the wrappers of several classes

    def _make_ready(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Ready]:
        """Check X, choose the kernel by all of its rows and prepare them."""
        self._check_parameters()
        X, label = self._validate(X, y)
        choice = self._choose_kernel(X, self._validate_weight(sample_weight, label))
        return X, Ready(choice, self._gamma, self._gram(choice, X, np.arange(len(label))))

    def _fit_ready(self, ready: Ready, X: Any, y: Any, **params: Any) -> Self:
        """Fit to rows for which all that is ready: no kernel value is evaluated twice."""
        self._ready = ready
        try:
            return self.fit(X, y, **params)
        finally:
            del self._ready

    # reduction of the training data, for fit and certify

    def _validate_weight(self, sample_weight: Any, label: Index) -> Vector | None:
        if sample_weight is None:
            return None
        return check_sample_weight(sample_weight, label)

    def _reduce(self, label: Index, weight: Vector | None) -> reduction.Reduction:
        """Split the rows that cost something into tasks."""
        split = reduction.one_vs_one if self._by_pairs() else reduction.one_vs_rest
        cost = self._cost(label, weight)
        reduced = reduction.reduce_classes(label, cost, len(self.classes_), split)
        return reduction.without_bias(reduced) if self._augmented else reduced

    def _cost(self, label: Index, weight: Vector | None) -> Vector:
        """Rows cost C times the class weight times the sample weight."""
        cost: Vector = self._price() * self.class_weight_[label]
        return cost if weight is None else cost * np.maximum(weight, 0.0)

    def _price(self) -> float:
        return min(float(self.C), _LARGEST_C)

    def _gram(self, choice: KernelChoice, X: Any, order: Index) -> Gram:
        gram = self._whole_gram(choice, X) if self._ready is None else self._ready.gram
        return replace(gram.reordered(order), offset=1.0 if self._augmented else 0.0)

    def _whole_gram(self, choice: KernelChoice, X: Any) -> Gram:
        try:
            return Gram.of(choice.kernel, choice.items(X, X))
        except ScaleError as error:
            raise ValueError(
                f"The dual coefficients or intercepts are not finite. {error}"
            ) from None

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

    def _weights(self) -> Vector:
        """Feature weights of each problem, w = sum_i beta_i x_i."""
        rows = self._choice.items(self.support_vectors_, None)
        coefficients = np.asarray(self._dual_coef_)
        if not self._by_pairs():
            return np.asarray((rows.T @ coefficients.T).T)
        edges = np.cumsum([0, *self._n_support])
        parts = [np.asarray((rows[a:b].T @ coefficients[:, a:b].T).T) for a, b in pairwise(edges)]
        return decision.pair_values(np.stack(parts).transpose(2, 0, 1), np.zeros(1)).T

    def _shift_of_intercept(self) -> Any:
        """Give what w'x + b has to make good where the linear kernel saw rows less a shift."""
        shift = self._choice.shift
        if shift is None or not isinstance(self._choice.kernel, Linear):
            return 0.0
        return self._weights() @ shift.astype(np.float64)

    def _raw_decision(self, X: Any) -> Vector:
        """Values of all problems, positive for the positive class: shape (rows, problems)."""
        X = self._validate_new(X)
        if isinstance(self._choice.kernel, Linear):
            product = self._choice.items(X, None) @ self._weights().T
            return np.asarray(product + self._intercept_, dtype=np.float64)
        if len(self.support_) == 0:
            return np.tile(self._intercept_, (len(X) if not hasattr(X, "shape") else X.shape[0], 1))
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
        """Make new rows and the support vectors ready for the kernel."""
        kernel = self._choice.kernel
        if not self._choice.precomputed:
            pair = (self._choice.items(items, None) for items in (X, self.support_vectors_))
            rows, support = (kernel.prepare(items) for items in pair)
            return rows, support
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
            X = validate_data(self, X, reset=False, **VECTORS)
            refuse_nonfinite(X)
            if sparse.issparse(X) and not self._sparse:
                raise ValueError(
                    f"cannot use sparse input in {type(self).__name__!r} trained on dense data"
                )
        if not self._choice.precomputed and self._n_support.sum() != len(self.support_):
            raise ValueError(f"The internal representation of {type(self).__name__} was altered")
        return X

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

    def _predict_numbers(self, values: Vector) -> Index:
        if not self._by_pairs():
            return values.argmax(axis=1)
        if self.break_ties and len(self.classes_) > 2:
            return decision.one_value_a_class(values, len(self.classes_)).argmax(axis=1)
        return decision.votes(values > 0, len(self.classes_)).argmax(axis=1)

    @available_if(_gives_probabilities)
    def predict_proba(self, X: Any) -> Vector:
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
            raise NotFittedError(
                "predict_proba is not available when fitted with probability=False"
            )
        values = self._raw_decision(X)
        predicted = self._predict_numbers(values)
        z = -values.ravel() if len(self.classes_) == 2 else values
        if self._by_pairs() and len(self.classes_) > 2:
            z = decision.one_value_a_class(values, len(self.classes_))
        return probabilities(scores(z), self._temperature, predicted)

    @available_if(_gives_probabilities)
    def predict_log_proba(self, X: Any) -> Vector:
        """Take the logarithm of predict_proba."""
        return np.log(self.predict_proba(X))

    @property
    def probA_(self) -> Vector:  # noqa: N802
        """Slope of the calibration, -1 / temperature; empty without probability=True."""
        warnings.warn("Attribute `probA_` was deprecated in scikit-learn 1.9.", FutureWarning, 2)
        slope = [] if self._temperature is None else [-1.0 / self._temperature]
        return np.repeat(np.asarray(slope, dtype=np.float64), len(self._intercept_))

    @property
    def probB_(self) -> Vector:  # noqa: N802
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
        reduced = self._reduce(label, self._validate_weight(sample_weight, label))
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
        if not all(t.problem.feasible(p.beta) for t, p in zip(reduced.tasks, points, strict=True)):
            raise ValueError("certify needs the sample_weight and class_weight of the fit.")
        verdicts = [
            judge(task.problem, point, self.tol)
            for task, point in zip(reduced.tasks, points, strict=True)
        ]
        return max(verdicts, key=badness)


def badness(certificate: Certificate) -> tuple[bool, float]:
    """Order certificates from good to bad: first by status, then by relative gap."""
    return certificate.status is not Status.CERTIFIED, certificate.relative_gap


def _same_data(model: KernelClassifier, X: Any, y: Any) -> tuple[Any, Index]:
    """Check that X and y can be the training data; rows come back in float64."""
    shape = X.shape if hasattr(X, "shape") else (len(X), *np.shape(X)[1:])
    rows = model.shape_fit_[0]
    if shape[0] != rows or np.size(y) != rows or not np.isin(y, model.classes_).all():
        raise ValueError(
            f"certify needs the data the model was fitted to: {rows} rows of "
            f"classes {model.classes_.tolist()}."
        )
    if not model._choice.takes_items:
        X = validate_data(model, X, reset=False, **{**VECTORS, "dtype": np.float64})
    return X, np.searchsorted(model.classes_, np.ravel(y))
