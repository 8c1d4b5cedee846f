"""Several classes by a classifier of two: one against one, or one against the rest (all).

The problems run side by side in threads, on one copy of the data. Those of a kernel classifier of
ours also share the kernel: it is chosen by all rows, and its matrix, where ``cache_size`` holds it,
is evaluated once. Votes and ties are scikit-learn's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context, get_config, multiclass
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    clone,
    is_regressor,
)
from sklearn.preprocessing import LabelBinarizer
from sklearn.utils import _safe_indexing, assert_all_finite, get_tags
from sklearn.utils.metadata_routing import UNUSED, process_routing
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    has_fit_parameter,
    validate_data,
)

from maxmargin.inputs.container import column_names
from maxmargin.inputs.items import check_items
from maxmargin.inputs.labels import find_classes
from maxmargin.inputs.parameters import ParameterError, all_or_nothing, check_shared
from maxmargin.inputs.vectors import refuse_dates
from maxmargin.inputs.warning import warn_user
from maxmargin.ops.clock import Clock, watch
from maxmargin.ops.threads import Workers, side_by_side
from maxmargin.progress import part
from maxmargin.progress.callbacks import CallbackSupport
from maxmargin.progress.report import report_fit
from maxmargin.solvers.kernel_values.memory import evaluate
from maxmargin.svm.decision import squeezed_confidence
from maxmargin.svm.kernel_classifier import KernelClassifier
from maxmargin.svm.training import Labels, Training

Vector = NDArray[np.float64]
Index = NDArray[np.intp]


@dataclass(frozen=True)
class _Problem:
    """Two classes, 0 and 1, on some of the rows or (None) all of them."""

    name: str
    y: NDArray[np.int64]
    rows: Index | None = None
    labels: tuple[str, str] = ("", "")
    """What 0 and 1 stand for, where one of them may be missing."""


class _Constant(ClassifierMixin, BaseEstimator):
    """What is learnt where all rows agree."""

    def __init__(self, value: int) -> None:
        self.value = value

    def predict(self, X: Any) -> NDArray[np.int64]:
        return np.full(_n_rows(X), self.value)

    def decision_function(self, X: Any) -> Vector:
        return np.full(_n_rows(X), float(self.value))

    def predict_proba(self, X: Any) -> Vector:
        return np.tile([1.0 - self.value, self.value], (_n_rows(X), 1))


def _n_rows(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def _shown(label: Any) -> str:
    return repr(label.item() if isinstance(label, np.generic) else label)


# fitting


def _fit_all(
    wrapper: Any, X: Any, problems: Sequence[_Problem], params: dict[str, Any]
) -> list[Any]:
    """Fit a clone of the estimator to every problem, several at a time."""
    estimator, config = wrapper.estimator, get_config()
    shared = None
    with watch() as clock:
        if _shares_kernel(estimator) and any(np.ptp(problem.y) for problem in problems):
            shared = _share_kernel(wrapper, X, problems, params.get("sample_weight"))
            X = shared.X

        def fit(problem: _Problem) -> Any:
            clock.over()
            with config_context(**config), part(1.0 / len(problems)):
                fitted = _fit_one(estimator, X, problem, params, shared)
            if getattr(wrapper, "verbose", 0):
                print(f"{problem.name}: fitted", flush=True)  # noqa: T201  (it was asked for)
            return fitted

        # A callback sees one problem after the other, and need not be prepared for threads.
        at_once = None if getattr(estimator, "callback", None) is None else 1
        return side_by_side(fit, problems, wrapper.n_jobs, at_once)


def _fit_one(
    estimator: Any, X: Any, problem: _Problem, params: dict[str, Any], shared: Training | None
) -> Any:
    if np.ptp(problem.y) == 0:
        value = int(problem.y[0])
        warn_user(f"Label {problem.labels[value]} is present in all training examples.")
        return _Constant(value)
    model, rows = clone(estimator), problem.rows
    if hasattr(type(estimator), "certify") and hasattr(estimator, "callback"):
        model.callback = estimator.callback  # a clone's is a copy, in which nobody would look
    try:
        if rows is not None:
            params = {name: _per_row(value, rows, X) for name, value in params.items()}
        if shared is not None:
            sides = Labels.of(model.class_weight, problem.y, params.get("sample_weight"))
            training = shared.of(rows, sides)

            def fit(model: Any, _X: Any, _y: Any) -> Any:
                return model._fit_shared(training)

            return report_fit(fit, model, training.X, problem.y)
        if rows is not None:
            X = _take(X, rows, pairwise=get_tags(estimator).input_tags.pairwise)
        return model.fit(X, problem.y, **params)
    except Exception as error:
        _blame(error, problem.name)
        raise


def _blame(error: Exception, name: str) -> None:
    """Name the problem in an error, whose type stays."""
    if len(error.args) == 1 and isinstance(error.args[0], str):
        error.args = (f"{name}: {error.args[0]}",)
    else:
        error.add_note(f"This happened for {name[0].lower()}{name[1:]}.")


def _take(X: Any, rows: Index, pairwise: bool) -> Any:
    return X[np.ix_(rows, rows)] if pairwise else _safe_indexing(X, rows)


def _per_row(value: Any, rows: Index, X: Any) -> Any:
    """Take these rows of what is given row by row."""
    one_each = hasattr(value, "__len__") and not isinstance(value, str | dict)
    return np.asarray(value)[rows] if one_each and len(value) == _n_rows(X) else value


# kernel rows in common


def _shares_kernel(estimator: Any) -> bool:
    return isinstance(estimator, KernelClassifier) and not estimator._is_precomputed()


def _share_kernel(
    wrapper: Any, X: Any, problems: Sequence[_Problem], sample_weight: Any
) -> Training:
    """Check X, choose the kernel and, if there is use and room for it, evaluate its matrix."""
    model = clone(wrapper.estimator)
    whole = next((p.y for p in problems if p.rows is None and np.ptp(p.y)), None)
    y = whole if whole is not None else _first_against_rest(problems, _n_rows(X))
    model._check_parameters()
    shared = model._prepare(X, y, sample_weight)
    n, item = len(shared), shared.gram.dtype.itemsize
    if len(problems) > 1 and n**2 * item <= model._resources(Clock())["memory"]:
        with Workers(wrapper.n_jobs) as workers:
            return shared.stored(evaluate(shared.gram, workers))
    return shared


def _first_against_rest(pairs: Sequence[_Problem], n: int) -> NDArray[np.int64]:
    """Label all rows 0 or 1, where every problem has only some of them."""
    y = np.ones(n, dtype=np.int64)
    first = pairs[0]
    if first.rows is not None:
        y[first.rows] = first.y
    return y


# deciding


def _value(estimator: Any, X: Any) -> Vector:
    """Evaluate what speaks for class 1: a decision value, a probability or a prediction."""
    if is_regressor(estimator):
        return np.asarray(estimator.predict(X))
    try:
        return np.ravel(estimator.decision_function(X))
    except (AttributeError, NotImplementedError):
        return np.asarray(estimator.predict_proba(X)[:, 1])


def _vote_and_value(estimator: Any, X: Any) -> tuple[NDArray[Any], Vector]:
    if isinstance(estimator, KernelClassifier):  # one pass over the kernel for both
        return estimator._votes_and_values(X)
    return estimator.predict(X), _value(estimator, X)


class _SharedFit(CallbackSupport):
    """The fit of both wrappers: all problems in threads, on one kernel matrix if possible."""

    estimator: Any
    estimators_: list[Any]
    classes_: NDArray[Any]
    n_jobs: int | None

    # A weight is the estimator's to ask for: the wrapper only hands it on.
    __metadata_request__fit = {"sample_weight": UNUSED}  # noqa: RUF012  (scikit-learn's own form)

    @property
    def partial_fit(self) -> Any:
        """Raise AttributeError: all problems are fitted to all rows at once."""
        raise AttributeError(f"{type(self).__name__} has no partial_fit.")

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Fit a clone of the estimator to every problem of two classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns), or items that the estimator takes
        y : array-like of shape (rows,)
            Class labels.
        sample_weight : array-like of shape (rows,), default=None
            Given to the estimator's fit.
        **fit_params : dict
            Given to the estimator's fit, where it requests them
            (``sklearn.set_config(enable_metadata_routing=True)``).

        Returns
        -------
        self : OneVsOneClassifier or OneVsRestClassifier
        """
        self._check_parameters()
        return self._fit(X, y, self._route(sample_weight, fit_params))

    def _fit(self, X: Any, y: Any, params: dict[str, Any]) -> Self:
        raise NotImplementedError

    def _check_parameters(self) -> None:
        owner, estimator = type(self).__name__, self.estimator
        decides = hasattr(estimator, "decision_function") or hasattr(estimator, "predict_proba")
        if isinstance(estimator, type) or not hasattr(estimator, "fit"):
            raise ParameterError(
                f"The 'estimator' parameter of {owner} must be a classifier with a fit method. "
                f"Got {estimator!r} instead."
            )
        if not decides and not is_regressor(estimator):
            raise ParameterError(
                f"The 'estimator' parameter of {owner} must have a decision_function or a "
                f"predict_proba. Got {estimator!r} instead."
            )
        check_shared(self)

    def _route(self, sample_weight: Any, fit_params: dict[str, Any]) -> dict[str, Any]:
        """Choose what the estimator's fit is given."""
        given = {} if sample_weight is None else {"sample_weight": sample_weight}
        if get_config()["enable_metadata_routing"]:
            return dict(process_routing(self, "fit", **given, **fit_params).estimator.fit)
        if fit_params:
            raise ValueError(
                f"{type(self).__name__}.fit hands on {', '.join(fit_params)} only after "
                "sklearn.set_config(enable_metadata_routing=True)."
            )
        if given and not has_fit_parameter(self.estimator, "sample_weight"):
            raise ValueError(f"{type(self.estimator).__name__}.fit takes no sample_weight.")
        return given

    def _refuse_one_class(self) -> None:
        if len(self.classes_) < 2:
            raise ValueError(
                f"{type(self).__name__} can not be fit when only one class is present; "
                f"all rows are of class {_shown(self.classes_[0])}."
            )

    def _keep_features(self, X: Any) -> None:
        """Remember the columns, here and in the estimators: predict gives them X as it is."""
        fitted = [each for each in self.estimators_ if not isinstance(each, _Constant)]
        for each in filter(_shares_kernel, fitted):
            if each._kernel().takes_items(X):
                check_items(each, X)
            else:
                validate_data(each, X, skip_check_array=True)
        for name in ("n_features_in_", "feature_names_in_"):
            if any(hasattr(each, name) for each in fitted):
                setattr(self, name, getattr(fitted[0], name))


class OneVsRestClassifier(_SharedFit, multiclass.OneVsRestClassifier):
    """One classifier a class, told against all the others (one-vs-all).

    A drop-in for ``sklearn.multiclass.OneVsRestClassifier``. The problems run in threads; those of
    a kernel classifier of this package evaluate the kernel matrix only once where the classifier's
    ``cache_size`` holds it. Each problem at work has its own cache beside.

    Parameters
    ----------
    estimator : classifier
        With a ``decision_function`` or else a ``predict_proba``; a regressor's ``predict`` will do.
    n_jobs : int, default=None
        Threads, of all problems together; None for all cores. The result does not depend on it.
    verbose : int, default=0
        Whether to print a line when a class is fitted.

    Attributes
    ----------
    estimators_ : list of classifiers
        One for each class, or a single one for two classes.
    classes_ : ndarray of shape (classes,)
    n_classes_ : int
    label_binarizer_, multilabel_, n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    OneVsOneClassifier : A classifier for each pair of classes.

    Notes
    -----
    ``SVC(multiclass="ovr")`` is the same model as ``OneVsRestClassifier(SVC())`` and keeps each
    support vector once.

    Examples
    --------
    >>> from maxmargin import SVC, OneVsRestClassifier
    >>> X = [[10, 10], [8, 10], [-5, 5.5], [-5.4, 5.5], [-20, -20], [-15, -20]]
    >>> model = OneVsRestClassifier(SVC()).fit(X, ["a", "a", "b", "b", "c", "c"])
    >>> model.predict([[-19, -20], [9, 9], [-5, 5]]).tolist()
    ['c', 'a', 'b']
    >>> [each.certificate_.status.name for each in model.estimators_]
    ['CERTIFIED', 'CERTIFIED', 'CERTIFIED']
    """

    def _fit(self, X: Any, y: Any, params: dict[str, Any]) -> Self:
        assert_all_finite(y, input_name="y")
        self.label_binarizer_ = LabelBinarizer(sparse_output=True)
        Y = self.label_binarizer_.fit_transform(y).tocsc()
        self.classes_ = self.label_binarizer_.classes_
        self._refuse_one_class()
        columns = [Y[:, [c]].toarray().ravel() for c in range(Y.shape[1])]
        labels = self.classes_[-len(columns) :]  # of two classes, the second one
        problems = [
            _Problem(f"Class {_shown(c)} against the rest", column, labels=(f"not {c}", f"{c}"))
            for c, column in zip(labels, columns, strict=True)
        ]
        self.estimators_ = _fit_all(self, X, problems, params)
        self._keep_features(X)
        return self


class OneVsOneClassifier(_SharedFit, multiclass.OneVsOneClassifier):
    """One classifier a pair of classes; the class that wins most of its pairs is predicted.

    A drop-in for ``sklearn.multiclass.OneVsOneClassifier``. The problems run in threads; those of
    a kernel classifier of this package evaluate the kernel matrix only once where the classifier's
    ``cache_size`` holds it, and gamma="scale" looks at all rows, as ``SVC`` does for its pairs
    (scikit-learn's wrapper lets each pair have its own). Each problem at work has its own cache
    beside.

    Parameters
    ----------
    estimator : classifier
        With a ``decision_function`` or else a ``predict_proba``; a regressor's ``predict`` will do.
    n_jobs : int, default=None
        Threads, of all problems together; None for all cores. The result does not depend on it.

    Attributes
    ----------
    estimators_ : list of classifiers
        For the pairs (0, 1), (0, 2), ..., (1, 2), ... of class numbers; the later class is 1.
    classes_ : ndarray of shape (classes,)
    n_classes_ : int
    pairwise_indices_ : list of ndarray, or None
        The rows of each pair, where X is a kernel matrix.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    OneVsRestClassifier : A classifier for each class.

    Notes
    -----
    ``SVC()`` does the same for itself, decides by votes alone and keeps each support vector once.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import SVC, OneVsOneClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OneVsOneClassifier(SVC(kernel="linear")).fit(X, y)
    >>> model.decision_function(X[:2]).round(2).tolist()
    [[2.25, 1.3, -0.31], [2.24, 1.3, -0.3]]
    >>> round(model.score(X, y), 3)
    0.993
    """

    def _fit(self, X: Any, y: Any, params: dict[str, Any]) -> Self:
        X, y = self._validate(X, y=y)
        check_classification_targets(y)
        self.classes_, label = find_classes(y)
        self._refuse_one_class()
        problems = [self._pair(label, i, j) for i, j in combinations(range(self.n_classes_), 2)]
        self.estimators_ = _fit_all(self, X, problems, params)
        if self._leaves_to_kernel(X):
            self._keep_features(X)
        pairwise = get_tags(self).input_tags.pairwise
        self.pairwise_indices_ = [problem.rows for problem in problems] if pairwise else None
        return self

    def _validate(self, X: Any, **labels: Any) -> Any:
        """Check X, and y to fit; what only the estimator's kernel understands is left to it."""
        if self._leaves_to_kernel(X):
            check_consistent_length(X, *labels.values())
            return (X, column_or_1d(labels["y"], warn=True)) if labels else X
        refuse_dates(X)
        rules: dict[str, Any] = {"ensure_all_finite": False, "accept_sparse": ["csr", "csc"]}
        return validate_data(self, X, reset=bool(labels), **labels, **rules)

    def _leaves_to_kernel(self, X: Any) -> bool:
        """Whether X is for a kernel alone to check: items, or columns that it knows by name."""
        if not _shares_kernel(self.estimator):
            return False
        kernel = self.estimator._kernel()
        by_name = kernel.selective and column_names(X) is not None
        return bool(by_name or kernel.takes_items(X))

    def _pair(self, label: Index, i: int, j: int) -> _Problem:
        first, second = (_shown(self.classes_[c]) for c in (i, j))
        rows = np.flatnonzero((label == i) | (label == j))
        y = (label[rows] == j).astype(np.int64)
        return _Problem(f"Class {first} against class {second}", y, rows)

    def decision_function(self, X: Any) -> Vector:
        """Evaluate the classes' votes, plus their confidence squeezed into (-1/3, 1/3).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns)

        Returns
        -------
        values : ndarray of shape (rows, classes), or (rows,) for two classes
        """
        check_is_fitted(self)
        X, indices = self._validate(X), self.pairwise_indices_
        parts = [X] * len(self.estimators_) if indices is None else [X[:, i] for i in indices]
        pairs = [_vote_and_value(e, part) for e, part in zip(self.estimators_, parts, strict=True)]
        predicted, values = (np.stack(column, axis=1) for column in zip(*pairs, strict=True))
        summary = self._votes(predicted) + squeezed_confidence(-values, self.n_classes_)
        return summary[:, 1] if self.n_classes_ == 2 else summary

    def _votes(self, predicted: NDArray[Any]) -> Vector:
        """Count the pairs that each class wins: what a regressor says may be neither's."""
        votes = np.zeros((len(predicted), self.n_classes_))
        for pair, (i, j) in enumerate(combinations(range(self.n_classes_), 2)):
            votes[:, i] += predicted[:, pair] == 0
            votes[:, j] += predicted[:, pair] == 1
        return votes
