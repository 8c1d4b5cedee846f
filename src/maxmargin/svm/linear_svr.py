"""Linear support vector regression on explicit features: the drop-in for LinearSVR."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from maxmargin.inputs.parameters import numeric, one_of
from maxmargin.inputs.targets import check_targets
from maxmargin.inputs.vectors import check_vectors
from maxmargin.losses import Insensitive, SquaredInsensitive
from maxmargin.problems import LinearProblem
from maxmargin.solvers import Progress, Solution
from maxmargin.svm.linear_model import DUAL, LinearEstimator

Vector = NDArray[np.float64]

_LOSSES = {
    "epsilon_insensitive": Insensitive,
    "squared_epsilon_insensitive": SquaredInsensitive,
}


class LinearSVR(RegressorMixin, LinearEstimator):
    """Linear support vector regression, with a certificate of how close to optimal it is.

    Minimises, over weights w and an intercept b,

        |w|^2 / 2 + C sum_i max(0, |t_i - w'x_i - b| - epsilon)^p,    p = 1 or 2.

    Parameters, defaults and fitted attributes are those of ``sklearn.svm.LinearSVR``; added,
    keyword-only: ``intercept``, ``time_limit``, ``n_jobs``, ``callback``, ``on_interrupt``, and the
    attributes ``certificate_`` and ``certificates_``.

    Parameters
    ----------
    epsilon : float, default=0.0
        Half the width of the zone in which errors cost nothing, in units of y.
    tol : float, default=1e-4
        Largest relative duality gap.
    C : float, default=1.0
        Cost of a unit of error beyond the zone.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default="epsilon_insensitive"
        p = 1 or 2 above.
    fit_intercept : bool, default=True
        Whether there is an intercept.
    intercept_scaling : float, default=1.0
        Value of the column that stands for a regularised intercept: the larger, the freer.
    dual : bool or "auto", default="auto"
        Kept for scikit-learn's sake: Newton's method solves both at once.
    verbose : int, default=0
        Print a line for every step.
    random_state : int, RandomState instance or None, default=None
        Of the sample of rows that is solved first.
    max_iter : int, default=1000
        Limit on the steps.
    intercept : {"regularized", "free"}, default="regularized"
        Whether the penalty counts the intercept, as LIBLINEAR's does.
    time_limit : float, default=None
        Seconds after which the best point so far is returned.
    n_jobs : int, default=None
        Threads; None for all cores, and for one in a worker of somebody's pool.
    callback : callable, default=None
        Called with a ``Progress`` at every step.
    on_interrupt : {"raise", "keep"}, default="raise"
        What Ctrl-C does: raise KeyboardInterrupt and leave the model as it was, or end the fit
        with the best point so far and a warning.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where the model is fitted: on the CPU, or on an NVIDIA card ("cuda:1" for the second one).
        "auto" takes a card if there is one and enough to do.

    Attributes
    ----------
    coef_ : ndarray of shape (columns,)
    intercept_ : ndarray of shape (1,), or 0.0 without one
    certificate_ : Certificate
        How close to optimal the model is, by its duality gap.
    certificates_ : list of that one
    n_iter_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin import LinearSVR
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> model = LinearSVR(C=10.0).fit(X, X @ [1.0, -2.0, 0.5] + 3.0)
    >>> model.coef_.round(2).tolist(), model.certificate_.status.name
    ([1.0, -2.0, 0.5], 'CERTIFIED')
    """

    _parameters: ClassVar = {
        "epsilon": numeric(0.0),
        "loss": one_of(*_LOSSES),
        "dual": DUAL,
    }

    def __init__(
        self,
        *,
        epsilon: float = 0.0,
        tol: float = 1e-4,
        C: float = 1.0,
        loss: str = "epsilon_insensitive",
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        dual: bool | str = "auto",
        verbose: int = 0,
        random_state: Any = None,
        max_iter: int = 1000,
        intercept: str = "regularized",
        time_limit: float | None = None,
        n_jobs: int | None = None,
        callback: Callable[[Progress], object] | None = None,
        on_interrupt: str = "raise",
        device: str = "cpu",
    ) -> None:
        self.epsilon = epsilon
        self.tol = tol
        self.C = C
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.dual = dual
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter
        self.intercept = intercept
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.callback = callback
        self.on_interrupt = on_interrupt
        self.device = device

    def _validate(self, X: Any, y: Any) -> tuple[Any, Vector]:
        X, y = check_vectors(self, X, y=y, y_numeric=True)
        return X, check_targets(y)

    def _known(self, X: Any, y: Any) -> Vector:
        target = check_targets(y)
        if len(target) != X.shape[0]:
            raise ValueError("certify needs the data the model was fitted to: one target a row.")
        return target

    def _costs(self, target: Any) -> Vector:
        return np.full(len(target), float(self.C))

    def _tasks(self, target: Any, cost: Vector) -> list[Any]:
        loss = _LOSSES[self.loss](float(self.epsilon))
        return [LinearProblem(loss, target, cost, "l2", self._free())]

    def _recover(self, solutions: list[Solution], shift: Vector | None) -> None:
        super()._recover(solutions, shift)
        self.coef_ = self.coef_.ravel()

    def predict(self, X: Any) -> Vector:
        """Predict the targets of rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns)

        Returns
        -------
        values : ndarray of shape (rows,)
        """
        return self._values(X).ravel()
