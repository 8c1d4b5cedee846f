"""Support vector regression with an insensitive zone: the drop-in for scikit-learn's SVR."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

from maxmargin.inputs.parameters import numeric
from maxmargin.ops.clock import Clock
from maxmargin.problems.regression import svr
from maxmargin.solvers import Progress
from maxmargin.svm.kernel_fit import Recipe
from maxmargin.svm.kernel_regressor import KernelRegressor, Together
from maxmargin.svm.svc import LARGEST_C


class SVR(KernelRegressor):
    """Support vector regression, with a certificate of how close to optimal it is.

    Parameters, defaults and fitted attributes are those of ``sklearn.svm.SVR``; what is added is
    keyword-only: ``time_limit``, ``n_jobs``, ``callback``, ``on_interrupt``, kernel values as
    ``kernel``, and the attribute ``certificate_``.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"}, Kernel or callable, default="rbf"
        A name, a value from ``maxmargin.kernels`` or a function of two sets of items that gives
        their kernel matrix.
    degree : int, default=3
        Of the "poly" kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Of "rbf", "poly" and "sigmoid": 1 / (columns * variance), 1 / columns, or a number.
    coef0 : float, default=0.0
        Of "poly" and "sigmoid".
    tol : float, default=1e-3
        Largest violation of the optimality conditions, as in LIBSVM.
    C : float, default=1.0
        Cost of a unit of error beyond the zone; anything above 1e10 is taken as 1e10.
    epsilon : float, default=0.1
        Half the width of the zone around the prediction in which errors cost nothing.
    shrinking : bool, default=True
        Whether to set settled variables aside; the regression's two variables a row are not.
    cache_size : float, default=200
        Memory for kernel values, in MB.
    verbose : bool, default=False
        Print a line for every working set.
    max_iter : int, default=-1
        Limit on the pair steps; -1 for none.
    time_limit : float, default=None
        Seconds after which the best point so far is returned.
    n_jobs : int, default=None
        Threads; None for all cores, and for one in a worker of somebody's pool. The result does
        not depend on it.
    callback : callable, default=None
        Called with a ``Progress`` (seconds, iterations, primal, dual, gap, violation) at every
        step.
    on_interrupt : {"raise", "keep"}, default="raise"
        What Ctrl-C does: raise KeyboardInterrupt and leave the model as it was, or end the fit
        with the best point so far and a warning.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where the model is fitted and predicts: on the CPU, or on an NVIDIA card ("cuda:1" for the
        second one). "auto" takes a card if there is one and enough to do.

    Attributes
    ----------
    certificate_ : Certificate
        How close to optimal the model is, by its duality gap.
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, n_iter_, fit_status_,
    shape_fit_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin import SVR
    >>> X = np.linspace(0, 6, 60)[:, None]
    >>> model = SVR(epsilon=0.05, C=10.0).fit(X, np.sin(X[:, 0]))
    >>> bool(np.abs(model.predict(X) - np.sin(X[:, 0])).max() < 0.06)
    True
    """

    _parameters: ClassVar = {"C": numeric(0.0, above=True, infinite=True), "epsilon": numeric(0.0)}

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        C: float = 1.0,
        epsilon: float = 0.1,
        shrinking: bool = True,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        callback: Callable[[Progress], object] | None = None,
        on_interrupt: str = "raise",
        device: str = "cpu",
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.C = C
        self.epsilon = epsilon
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.callback = callback
        self.on_interrupt = on_interrupt
        self.device = device

    def _recipe(self, clock: Clock, intercept: str = "free") -> Recipe:  # noqa: ARG002
        return Together(
            price=min(float(self.C), LARGEST_C),
            **self._resources(clock),
            state=partial(svr, epsilon=float(self.epsilon)),
            options={"shrinking": self.shrinking},
            copies=2,
            centred=True,
        )
