"""Linear classifiers of any loss; with the logistic one, logistic regression."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if

from maxmargin import losses
from maxmargin.certify import Status
from maxmargin.inputs.parameters import ParameterError, numeric, one_of
from maxmargin.losses import Hinge, Loss
from maxmargin.losses.probability import class_probabilities, gives_probabilities
from maxmargin.problems import LinearProblem
from maxmargin.solvers import LINEAR_SOLVERS, Progress, solvers_for
from maxmargin.solvers.plan import Wish
from maxmargin.solvers.solver import has
from maxmargin.svm.linear_model import LinearModel

Vector = NDArray[np.float64]

_SOLVERS = ("auto", *LINEAR_SOLVERS)


def _check_loss(owner: str, loss: Loss) -> None:
    """Refuse losses that cannot be minimised, or without a proof of how well they were."""
    loss.check_targets(np.array([-1.0, 1.0]))
    if not loss.convex:
        raise ParameterError(
            f"The 'loss' parameter of {owner} must be convex to be minimised; {loss.name} is "
            "not. Train with one that bounds it, such as 'hinge' or 'logistic'."
        )
    if not (loss.smooth or loss == Hinge()):
        raise ParameterError(
            f"The 'loss' parameter of {owner} must have a derivative everywhere or be the hinge; "
            f"{loss.name} does not say that it is smooth."
        )
    if not has(loss.conjugate):
        raise ParameterError(
            f"The 'loss' parameter of {owner} must have a conjugate, of which the certificate is "
            f"made; define that of {loss.name}."
        )


class LinearClassifier(LinearModel):
    """A linear model of any convex loss, with a certificate of how close to optimal it is.

    Minimises R(w) + C sum_i L(w'x_i + b, t_i). With the logistic loss this is logistic regression:
    by maximum likelihood with penalty=None, and with penalty="l2" the maximum a posteriori under
    independent Gaussian priors of variance C on the weights.

    Parameters
    ----------
    loss : str or Loss, default="logistic"
        "logistic", "squared_hinge", "hinge", "exponential", "squared", "modified_huber", or a value
        of ``maxmargin.losses``. One's own must be smooth and convex and have a conjugate, of which
        the certificate is made; without a curvature it is minimised by gradient descent.
    penalty : {"l2", "l1"} or None, default="l2"
        |w|^2 / 2, the sum of |w_j| ("l1": losses logistic and squared_hinge), or none.
    C : float, default=1.0
        Cost of a unit of loss; the prior's variance.
    tol : float, default=1e-4
        Largest gap between the primal and the dual value, relative to them.
    fit_intercept : bool, default=True
    intercept : {"free", "regularized"}, default="free"
        Whether the penalty leaves b out, or includes b / intercept_scaling as LIBLINEAR does.
    intercept_scaling : float, default=1.0
    class_weight : dict or "balanced", default=None
        Factors of C by class.
    solver : str, default="auto"
        "newton", "gradient_descent" (smooth losses), "dual_coordinate" (hinge, squared_hinge with a
        regularised intercept), "working_set" (hinge, free intercept), "primal_coordinate" (l1),
        "projected_subgradient" (losses of bounded slope, regularised intercept), "pegasos" (hinge,
        regularised intercept), or "auto". The last two are to learn from.
    learning_rate : float, default=None
        Of gradient_descent: a fixed rate; None finds one on the way. Of projected_subgradient a
        fixed rate too, which ends near the minimum; None is 1/s in step s, which ends there.
    max_iter : int, default=1000
        Limit on the solver's steps for each problem.
    random_state : int, RandomState instance or None, default=None
        Of the order in which rows are visited; None is always the same order.
    verbose : int, default=0
        Print a line for every step.
    time_limit : float, default=None
        Seconds after which the best point so far is returned.
    n_jobs : int, default=None
        Threads; None for all cores. The result does not depend on it.
    callback : callable, default=None
        Called with a ``Progress`` at every step; see ``maxmargin.solvers.Trace``.
    on_interrupt : {"raise", "keep"}, default="raise"
        What Ctrl-C does: raise KeyboardInterrupt and leave the model as it was, or end the fit
        with the best point so far and a warning. Inside a search, a pipeline or an ensemble it
        always raises.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where the model is fitted: on the CPU, or on an NVIDIA card ("cuda:1" for the second one).
        "auto" takes a card if there is one and enough to do.
    sampling : {"epochs", "uniform"}, default="epochs"
        Of solver="dual_coordinate", as in ``LinearSVC``.

    Attributes
    ----------
    coef_, intercept_, classes_, n_features_in_, feature_names_in_, n_iter_
        As in scikit-learn.
    certificate_ : Certificate
        Of the problem with the worst relative gap.
    certificates_ : list of Certificate
        Of all problems.

    Examples
    --------
    >>> from maxmargin import LinearClassifier
    >>> from maxmargin.datasets import load_mixture
    >>> X, y = load_mixture(return_X_y=True)
    >>> model = LinearClassifier(loss="logistic", penalty=None).fit(X, y)
    >>> model.predict_proba(X[:2]).round(2).tolist()
    [[0.7, 0.3], [0.73, 0.27]]
    """

    _parameters: ClassVar = {
        "penalty": one_of("l2", "l1", none=True),
        "solver": one_of(*_SOLVERS),
        "learning_rate": numeric(0.0, above=True, none=True),
    }

    def __init__(
        self,
        loss: str | Loss = "logistic",
        *,
        penalty: str | None = "l2",
        C: float = 1.0,
        tol: float = 1e-4,
        fit_intercept: bool = True,
        intercept: str = "free",
        intercept_scaling: float = 1.0,
        class_weight: dict[Any, float] | str | None = None,
        solver: str = "auto",
        learning_rate: float | None = None,
        max_iter: int = 1000,
        random_state: Any = None,
        verbose: int = 0,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        callback: Callable[[Progress], object] | None = None,
        on_interrupt: str = "raise",
        device: str = "cpu",
        sampling: str = "epochs",
    ) -> None:
        self.loss = loss
        self.penalty = penalty
        self.C = C
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.intercept = intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.solver = solver
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.callback = callback
        self.on_interrupt = on_interrupt
        self.device = device
        self.sampling = sampling

    def _check_parameters(self) -> None:
        super()._check_parameters()
        loss = losses.named(self.loss)
        _check_loss(type(self).__name__, loss)
        fitting = solvers_for(loss, self.penalty or "none", self._free())
        if not fitting or self.solver not in ("auto", *fitting):
            raise ParameterError(
                f"{type(self).__name__} cannot combine loss={loss.name!r}, penalty="
                f"{self.penalty!r}, intercept={self.intercept!r} and solver={self.solver!r}; "
                "solver='auto' chooses one that fits, and the docstring says which fits what."
            )

    def _problem(self, t: Vector, cost: Vector) -> LinearProblem:
        penalty = "none" if self.penalty is None else self.penalty
        return LinearProblem(losses.named(self.loss), t, cost, penalty, self._free())

    def _wish(self) -> Wish:
        rate = {"rate": self.learning_rate}
        options = {"gradient_descent": rate, "projected_subgradient": rate}
        return Wish(
            self.solver, "auto", {**options, "dual_coordinate": {"sampling": self.sampling}}
        )

    def _sentences(self) -> dict[Status, str]:
        """Return a sentence for separable classes without a penalty: their weights diverge."""
        unsolved = [c for c in self.certificates_ if c.status is not Status.CERTIFIED]
        one_error = float(self.C * losses.named(self.loss).value(0.0, 1.0))
        if self.penalty is None and any(c.primal < 1e-3 * one_error for c in unsolved):
            said = (
                "The classes are separable, so that without a penalty the loss has no minimum: "
                "weights grow for ever; use penalty='l2'."
            )
            return {unsolved[0].status: said} | {
                c.status: "" for c in unsolved if c.status is not unsolved[0].status
            }
        return {}

    @available_if(gives_probabilities)
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
        return class_probabilities(losses.named(self.loss), self.decision_function(X))

    @available_if(gives_probabilities)
    def predict_log_proba(self, X: Any) -> Vector:
        """Take the logarithm of predict_proba."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))
