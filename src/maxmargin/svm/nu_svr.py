"""Support vector regression with a share of rows outside of the zone: scikit-learn's NuSVR."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from maxmargin.certify import Point
from maxmargin.inputs.parameters import SHARE, numeric
from maxmargin.ops.clock import Clock
from maxmargin.problems.regression import nu_svr
from maxmargin.solvers import Progress
from maxmargin.svm.classes import Reduction
from maxmargin.svm.kernel_fit import Recipe
from maxmargin.svm.kernel_regressor import KernelRegressor, Together
from maxmargin.svm.svc import LARGEST_C

_NEAR = 1e-9  # of their sum may duals be off, as in every problem


class NuSVR(KernelRegressor):
    """Regression whose zone is as wide as a share nu of the rows outside of it asks for.

    Parameters, defaults and fitted attributes are those of ``sklearn.svm.NuSVR``; what is added is
    keyword-only: ``time_limit``, ``n_jobs``, ``callback``, ``on_interrupt``, kernel values as
    ``kernel``, and the attribute ``certificate_``.

    Parameters
    ----------
    nu : float, default=0.5
        At most this share of the rows lies outside of the zone, and at least this share are
        support vectors; above 0 and at most 1.
    C : float, default=1.0
        Cost of a unit of error beyond the zone; anything above 1e10 is taken as 1e10.
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
        Whether to set settled variables aside; the regression's two variables a row are not.
    tol : float, default=1e-3
        Largest violation of the optimality conditions, as in LIBSVM.
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
    >>> from maxmargin import NuSVR
    >>> X = np.linspace(0, 6, 60)[:, None]
    >>> model = NuSVR(nu=0.2, C=10.0).fit(X, np.sin(X[:, 0]))
    >>> model.certificate_.status.name, len(model.support_) >= 12
    ('CERTIFIED', True)
    """

    _parameters: ClassVar = {"C": numeric(0.0, above=True, infinite=True), "nu": SHARE}

    def __init__(
        self,
        *,
        nu: float = 0.5,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 1e-3,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        callback: Callable[[Progress], object] | None = None,
        on_interrupt: str = "raise",
        device: str = "cpu",
    ) -> None:
        self.nu = nu
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
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
            state=partial(nu_svr, nu=float(self.nu)),
            options={"shrinking": self.shrinking},
            copies=2,
            centred=True,
        )

    def _as_stated(self, points: list[Point], reduced: Reduction) -> list[Point]:
        """Return both duals of rows what their difference does not show of the sums."""
        problem, point = reduced.tasks[0].problem, points[0]
        above, below = point.beta.reshape(2, -1)
        room = problem.upper[: len(above)] - np.maximum(above, -below)
        missing = problem.totals[0] - float(above.sum())
        if missing < _NEAR * problem.totals[0]:  # rounding, which would free a dual at 0
            return points
        extra = np.diff(np.minimum(np.cumsum(room), missing), prepend=0.0)
        beta = np.concatenate([above + extra, below - extra])
        return [replace(point, beta=np.clip(beta, problem.lower, problem.upper))]
