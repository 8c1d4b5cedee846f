"""Kernel regression of any convex loss: least squares, quantiles, counts and others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.losses import Loss, ResidualLoss
from maxmargin.ops.clock import Clock
from maxmargin.solvers import Progress
from maxmargin.svm.kernel_fit import Recipe
from maxmargin.svm.kernel_regressor import KernelRegressor, Together
from maxmargin.svm.representer import Representer, check_for_numbers
from maxmargin.svm.training import Labels

Vector = NDArray[np.float64]


class KernelMachineRegressor(Representer, KernelRegressor):
    """Kernel regression of any convex loss, with a certificate of how close to optimal it is.

    Minimises |f|^2 / 2 + C sum_i L(f(x_i) + b, t_i) over the functions f of the kernel's space,
    where the minimum is f = sum_i beta_i k(., x_i) by the representer theorem.

    With loss="squared_error" this is kernel ridge regression: that of ``sklearn.kernel_ridge``
    with alpha = 1 / C, but with a free intercept, any kernel of this package, a limit on time and
    memory, and a certificate. ``Quantile(q)`` gives quantiles, "poisson" the mean of counts,
    "insensitive" support vector regression (``SVR``).

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"}, Kernel or callable, default="rbf"
        A name, a value from ``maxmargin.kernels`` or a function of two sets of items that gives
        their kernel matrix; positive semidefinite on the rows.
    loss : str or Loss, default="squared_error"
        "squared_error", "absolute_error", "huber", "quantile", "insensitive",
        "squared_insensitive", "poisson", or a value of ``maxmargin.losses``. One's own must be
        convex and smooth, with a curvature and a conjugate.
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
        How close to optimal the model is, by its duality gap.
    dual_coef_ : ndarray of shape (1, support vectors)
        The beta_i.
    support_, support_vectors_, intercept_, n_iter_, n_features_in_, feature_names_in_
        As in ``SVC``; with a smooth loss most rows are support vectors.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin import KernelMachineRegressor
    >>> from maxmargin.losses import Quantile
    >>> X = np.linspace(0, 6, 200)[:, None]
    >>> y = np.sin(X[:, 0]) + np.random.default_rng(0).normal(size=200)
    >>> upper = KernelMachineRegressor(loss=Quantile(0.9), C=5.0).fit(X, y)
    >>> round(float((y <= upper.predict(X)).mean()), 1)
    0.9
    """

    def __init__(
        self,
        kernel: Any = "rbf",
        loss: str | Loss = "squared_error",
        *,
        C: float = 1.0,
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        fit_intercept: bool = True,
        tol: float = 1e-4,
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
        self.cache_size = cache_size
        self.max_iter = max_iter
        self.verbose = verbose
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.callback = callback
        self.on_interrupt = on_interrupt
        self.device = device

    def _check_parameters(self) -> None:
        check_for_numbers(type(self).__name__, self._loss())
        super()._check_parameters()

    def _check_labels(self, y: Any, sample_weight: Any) -> Labels:
        sides = super()._check_labels(y, sample_weight)
        assert sides.target is not None
        self._loss().check_targets(sides.target)
        return sides

    def _recipe(self, clock: Clock, intercept: str = "free") -> Recipe:
        centred = intercept == "free" and isinstance(self._loss(), ResidualLoss)
        return Together(copies=self._copies(), centred=centred, **self._filled(clock, intercept))

    def predict(self, X: Any) -> Vector:
        """Predict the targets of rows: f(x) + b, and for counts their mean exp(f(x) + b).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns)

        Returns
        -------
        values : ndarray of shape (rows,)
        """
        return self._as_fitted()._loss().response(self._values(X))
