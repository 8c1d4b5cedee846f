"""What kernel machines of any loss share: which losses they take, who solves their problems."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

from maxmargin import losses
from maxmargin.inputs.parameters import FLAG, ParameterError, numeric
from maxmargin.losses import Huber, Loss, MarginLoss
from maxmargin.losses.choice import NUMBER_LOSSES
from maxmargin.ops.clock import Clock
from maxmargin.problems.kernel import is_straight, kernel_problem, variables_a_row
from maxmargin.solvers import Decomposition
from maxmargin.solvers.cholesky import IndefiniteError
from maxmargin.solvers.kernel_newton import KernelNewton
from maxmargin.solvers.solver import smooth_and_curved
from maxmargin.svm.kernel_estimator import KernelEstimator
from maxmargin.svm.kernel_fit import Learned
from maxmargin.svm.training import Training


class Representer(KernelEstimator):
    """f = sum_i beta_i k(., x_i) + b of the least |f|^2 / 2 + sum_i C_i L(f(x_i), t_i)."""

    _parameters: ClassVar = {"C": numeric(0.0, above=True), "fit_intercept": FLAG}

    shrinking = True

    @property
    def _by_recipe(self) -> bool:
        return False

    def _loss(self) -> Loss:
        return losses.named(self.loss)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        _check_loss(type(self).__name__, self._loss())

    @property
    def _intercept(self) -> str:
        return "free" if self.fit_intercept else "none"

    def _learn(self, training: Training, clock: Clock) -> Learned:
        try:
            ready = training if is_straight(self._loss()) else training.in_double()
            return super()._learn(ready, clock)
        except IndefiniteError:
            raise ValueError(
                f"{self.kernel!r} is not positive semidefinite on these rows, so that "
                f"{type(self).__name__} has no minimum; use a kernel that is, or SVC, which takes "
                "others too."
            ) from None

    def _filled(self, clock: Clock, intercept: str) -> dict[str, Any]:
        """Return which problem a recipe states and who solves it."""
        loss = self._loss()
        straight = is_straight(loss)
        return {
            "price": float(self.C),
            **self._resources(clock),
            "state": partial(kernel_problem, loss=loss, free=intercept == "free"),
            "solver": Decomposition if straight else KernelNewton,
        }

    def _copies(self) -> int:
        return variables_a_row(self._loss())


def _check_loss(owner: str, loss: Loss) -> None:
    """Refuse losses that cannot be minimised, or without a proof of how well they were."""
    wanted = f"The 'loss' parameter of {owner} must"
    if not loss.convex:
        raise ParameterError(f"{wanted} be convex to be minimised; {loss.name} is not.")
    if isinstance(loss, Huber) and loss.level is not None:
        raise ParameterError(f"{wanted} have a fixed delta: give Huber(delta), without a level.")
    if not (is_straight(loss) or smooth_and_curved(loss)):
        raise ParameterError(
            f"{wanted} be smooth and have a curvature; {loss.name} does not say that it is."
        )
    try:
        loss.conjugate(0.0, 1.0)
    except NotImplementedError:
        raise ParameterError(
            f"{wanted} have a conjugate, of which the certificate is made; define that of "
            f"{loss.name}."
        ) from None


def check_for_labels(owner: str, loss: Loss) -> None:
    """Refuse losses of numbers where rows have labels."""
    if loss.name in NUMBER_LOSSES:
        raise ParameterError(
            f"The 'loss' parameter of {owner} must be one of labels, such as 'logistic'; "
            f"{loss.name} is for numbers, of KernelMachineRegressor."
        )


def check_for_numbers(owner: str, loss: Loss) -> None:
    """Refuse losses of labels where rows have numbers."""
    if isinstance(loss, MarginLoss):
        raise ParameterError(
            f"The 'loss' parameter of {owner} must be one of numbers, such as 'squared_error'; "
            f"{loss.name} is for labels, of KernelMachineClassifier."
        )
