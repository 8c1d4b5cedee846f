"""Kernel classifiers of any convex loss; with the logistic one, kernel logistic regression."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if

from maxmargin.losses import Loss
from maxmargin.losses.probability import class_probabilities, gives_probabilities
from maxmargin.ops.clock import Clock
from maxmargin.solvers import Progress
from maxmargin.svm.kernel_classifier import KernelClassifier
from maxmargin.svm.kernel_fit import Recipe
from maxmargin.svm.representer import Representer, check_for_labels

Vector = NDArray[np.float64]


def _gives_probabilities(model: Any) -> bool:
    return gives_probabilities(model._as_fitted())


class KernelMachineClassifier(Representer, KernelClassifier):
    """A kernel classifier of any convex loss, with a certificate of how close to optimal it is.

    Minimises |f|^2 / 2 + C sum_i L(f(x_i) + b, t_i) over the functions f of the kernel's space,
    where the minimum is f = sum_i beta_i k(., x_i) by the representer theorem. With the hinge this
    is ``SVC``, with the logistic loss kernel logistic regression. More than two classes are one
    problem for each, against the rest.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"}, Kernel or callable, default="rbf"
        A name, a value from ``maxmargin.kernels`` or a function of two sets of items that gives
        their kernel matrix; positive semidefinite on the rows.
    loss : str or Loss, default="logistic"
        "logistic", "squared_hinge", "hinge", "exponential", "squared", "modified_huber", or a value
        of ``maxmargin.losses``. One's own must be convex and smooth, with a curvature and a
        conjugate.
    C : float, default=1.0
        Cost of a unit of loss.
    degree : int, default=3
        Of the "poly" kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Of "rbf", "poly" and "sigmoid": 1 / (columns * variance), 1 / columns, or a number.
    coef0 : float, default=0.0
        Of "poly" and "sigmoid".
    fit_intercept : bool, default=True
        Whether there is a b, which the penalty leaves out.
    tol : float, default=1e-4
        Largest gap between the primal and the dual value, relative to them; of a loss of straight
        pieces the largest violation of the optimality conditions, as in ``SVC``.
    class_weight : dict or "balanced", default=None
        Factors of C by class.
    cache_size : float, default=200
        Memory for kernel values, in MB. Where the whole matrix does not fit, it is evaluated anew
        for every product.
    max_iter : int, default=-1
        Limit on the solver's steps for each problem; -1 for none.
    verbose : int, default=0
        Print a line for every step.
    time_limit : float, default=None
        Seconds after which the best point so far is returned.
    n_jobs : int, default=None
        Threads; None for all cores, and for one in a worker of somebody's pool. The result does
        not depend on it.
    callback : callable, default=None
        Called with a ``Progress`` at every step; see ``maxmargin.solvers.Trace``.
    on_interrupt : {"raise", "keep"}, default="raise"
        What Ctrl-C does: raise KeyboardInterrupt and leave the model as it was, or end the fit
        with the best point so far and a warning. Inside a search, a pipeline or an ensemble it
        always raises.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where the model is fitted and predicts: on the CPU, or on an NVIDIA card ("cuda:1" for the
        second one). "auto" takes a card if there is one and enough to do.

    Attributes
    ----------
    certificate_ : Certificate
        Of the problem with the worst relative gap.
    certificates_ : list of Certificate
        Of all problems.
    classes_, class_weight_
        As in ``SVC``.
    dual_coef_ : ndarray of shape (problems, support vectors)
        The beta_i; of two classes those of the second.
    support_, support_vectors_, intercept_, n_iter_, n_features_in_, feature_names_in_
        As in ``SVC``; with a smooth loss most rows are support vectors.

    Examples
    --------
    >>> from maxmargin import KernelMachineClassifier
    >>> from maxmargin.datasets import load_mixture
    >>> X, y = load_mixture(return_X_y=True)
    >>> model = KernelMachineClassifier(loss="squared_hinge", gamma=1.0).fit(X, y)
    >>> round(1 - model.score(X, y), 3), model.certificate_.status.name
    (0.15, 'CERTIFIED')
    """

    multiclass, decision_function_shape, break_ties = "ovr", "ovr", False

    def __init__(
        self,
        kernel: Any = "rbf",
        loss: str | Loss = "logistic",
        *,
        C: float = 1.0,
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        fit_intercept: bool = True,
        tol: float = 1e-4,
        class_weight: dict[Any, float] | str | None = None,
        cache_size: float = 200,
        max_iter: int = -1,
        verbose: int = 0,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        callback: Callable[[Progress], object] | None = None,
        on_interrupt: str = "raise",
        device: str = "cpu",
    ) -> None:
        self.kernel = kernel
        self.loss = loss
        self.C = C
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.class_weight = class_weight
        self.cache_size = cache_size
        self.max_iter = max_iter
        self.verbose = verbose
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.callback = callback
        self.on_interrupt = on_interrupt
        self.device = device

    def _check_parameters(self) -> None:
        check_for_labels(type(self).__name__, self._loss())
        super()._check_parameters()

    def _recipe(self, clock: Clock, intercept: str = "free") -> Recipe:
        return Recipe(by_pairs=False, **self._filled(clock, intercept))

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class: by the sign of the value, or the class with the largest one.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns)

        Returns
        -------
        labels : ndarray of shape (rows,)
        """
        values = self.decision_function(X)
        numbers = (values > 0).astype(np.intp) if values.ndim == 1 else values.argmax(axis=1)
        labels: NDArray[Any] = self.classes_[numbers]
        return labels

    @available_if(_gives_probabilities)
    def predict_proba(self, X: Any) -> Vector:
        """Estimate class probabilities; for several classes, of each against the rest, normalised.

        1 / (1 + exp(-f)) for the logistic loss, with 2f for the exponential one, and (1 + f) / 2
        within [0, 1] for the squared ones; the hinge says nothing about probabilities.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns)

        Returns
        -------
        p : ndarray of shape (rows, classes)
        """
        return class_probabilities(self._as_fitted()._loss(), self.decision_function(X))

    @available_if(_gives_probabilities)
    def predict_log_proba(self, X: Any) -> Vector:
        """Take the logarithm of predict_proba."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


class KernelLogisticRegression(KernelMachineClassifier):
    """Logistic regression with a kernel, and a certificate of how close to optimal it is.

    Minimises |f|^2 / 2 + C sum_i log(1 + exp(-t_i (f(x_i) + b))): the maximum a posteriori when f
    is a Gaussian process with the covariance C k. More than two classes are one problem for each,
    against the rest, whose probabilities are divided by their sum.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"}, Kernel or callable, default="rbf"
        A name, a value from ``maxmargin.kernels`` or a function of two sets of items that gives
        their kernel matrix; positive semidefinite on the rows.
    C : float, default=1.0
        Cost of a unit of loss.
    degree : int, default=3
        Of the "poly" kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Of "rbf", "poly" and "sigmoid": 1 / (columns * variance), 1 / columns, or a number.
    coef0 : float, default=0.0
        Of "poly" and "sigmoid".
    fit_intercept : bool, default=True
        Whether there is a b, which the penalty leaves out.
    tol : float, default=1e-4
        Largest gap between the primal and the dual value, relative to them.
    class_weight : dict or "balanced", default=None
        Factors of C by class.
    cache_size : float, default=200
        Memory for kernel values, in MB. Where the whole matrix does not fit, it is evaluated anew
        for every product.
    max_iter : int, default=-1
        Limit on the solver's steps for each problem; -1 for none.
    verbose : int, default=0
        Print a line for every step.
    time_limit : float, default=None
        Seconds after which the best point so far is returned.
    n_jobs : int, default=None
        Threads; None for all cores, and for one in a worker of somebody's pool. The result does
        not depend on it.
    callback : callable, default=None
        Called with a ``Progress`` at every step; see ``maxmargin.solvers.Trace``.
    on_interrupt : {"raise", "keep"}, default="raise"
        What Ctrl-C does: raise KeyboardInterrupt and leave the model as it was, or end the fit
        with the best point so far and a warning. Inside a search, a pipeline or an ensemble it
        always raises.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where the model is fitted and predicts: on the CPU, or on an NVIDIA card ("cuda:1" for the
        second one). "auto" takes a card if there is one and enough to do.

    Attributes
    ----------
    certificate_ : Certificate
        Of the problem with the worst relative gap.
    certificates_ : list of Certificate
        Of all problems.
    classes_, class_weight_
        As in ``SVC``.
    dual_coef_ : ndarray of shape (problems, support vectors)
        The beta_i; of two classes those of the second.
    support_, support_vectors_, intercept_, n_iter_, n_features_in_, feature_names_in_
        As in ``SVC``; with a smooth loss most rows are support vectors.

    Examples
    --------
    >>> from maxmargin import KernelLogisticRegression
    >>> from maxmargin.datasets import load_mixture
    >>> X, y = load_mixture(return_X_y=True)
    >>> model = KernelLogisticRegression(gamma=1.0).fit(X, y)
    >>> model.predict_proba(X[:2]).round(2).tolist()
    [[0.65, 0.35], [0.88, 0.12]]
    """

    loss = "logistic"

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        C: float = 1.0,
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        fit_intercept: bool = True,
        tol: float = 1e-4,
        class_weight: dict[Any, float] | str | None = None,
        cache_size: float = 200,
        max_iter: int = -1,
        verbose: int = 0,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        callback: Callable[[Progress], object] | None = None,
        on_interrupt: str = "raise",
        device: str = "cpu",
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.class_weight = class_weight
        self.cache_size = cache_size
        self.max_iter = max_iter
        self.verbose = verbose
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.callback = callback
        self.on_interrupt = on_interrupt
        self.device = device
