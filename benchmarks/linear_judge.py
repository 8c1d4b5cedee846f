"""One judge for all linear models: primal and dual values in float64 NumPy, from the data.

With t = +-1, the margins m_i = t_i (w'x_i + b), and r = 1 for an intercept that is regularised like
any weight (LIBLINEAR's), r = 0 for a free one:

    primal  |w|^2 / 2 + r b^2 / 2 + C sum_i L(m_i)
    dual    sum_i g(alpha_i) - |sum_i alpha_i t_i x_i|^2 / 2 - r (sum_i alpha_i t_i)^2 / 2

    hinge          L = max(0, 1 - m)      g = alpha                        0 <= alpha <= C
    squared hinge  L = max(0, 1 - m)^2    g = alpha - alpha^2 / 4C         0 <= alpha
    logistic       L = log(1 + exp(-m))   g = C entropy of alpha / C       0 <= alpha <= C

and sum_i alpha_i t_i = 0 where the intercept is free. Any feasible alpha bounds the optimum from
below, any (w, b) from above. Of a fitted model only coef_ and intercept_ are used. Several classes
are as many problems, one against the rest, and their values are added up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import entr, expit

from benchmarks.contest import C
from benchmarks.data import Data

Array = NDArray[np.float64]
_ROUNDING = 1e-9  # relative to the sum of alpha: how far sum alpha t may be from 0


@dataclass(frozen=True)
class Problem:
    loss: str
    free: bool

    def __str__(self) -> str:
        return f"{self.loss}-{'free' if self.free else 'regularized'}"

    def loss_of(self, margins: Array) -> Array:
        if self.loss == "logistic":
            return np.logaddexp(0.0, -margins)
        short = np.maximum(0.0, 1.0 - margins)
        return short if self.loss == "hinge" else short**2

    def slope(self, margins: Array) -> Array:
        """Minus a smooth loss's derivative: times C, the dual point that belongs to a plane."""
        return expit(-margins) if self.loss == "logistic" else 2 * np.maximum(0.0, 1.0 - margins)

    def curvature(self, margins: Array) -> Array:
        if self.loss == "logistic":
            return expit(margins) * expit(-margins)
        return 2.0 * (margins < 1.0)

    def primal(self, X: Any, t: Array, w: Array, b: float) -> float:
        bias = 0.0 if self.free else b * b
        return 0.5 * float(w @ w + bias) + C * float(self.loss_of(t * (X @ w + b)).sum())

    def dual(self, X: Any, t: Array, alpha: Array) -> float:
        """The dual value; an alpha that is not feasible bounds nothing and is refused."""
        beta = alpha * t
        bounded = alpha.min() >= 0 and (self.loss == "squared_hinge" or alpha.max() <= C)
        if not bounded or (self.free and abs(beta.sum()) > _ROUNDING * alpha.sum()):
            raise ValueError(f"the dual point of {self} is not feasible")
        w = X.T @ beta
        bias = 0.0 if self.free else beta.sum() ** 2
        return float(self._gain(alpha).sum()) - 0.5 * float(w @ w + bias)

    def _gain(self, alpha: Array) -> Array:
        if self.loss == "logistic":
            return C * (entr(alpha / C) + entr(1.0 - alpha / C))
        return alpha if self.loss == "hinge" else alpha - alpha**2 / (4 * C)


def signs(y: NDArray[Any]) -> list[Array]:
    """For each class +1 where it is and -1 elsewhere; one such vector when there are but two."""
    classes = np.unique(y)
    wanted = classes[1:] if len(classes) == 2 else classes
    return [np.where(y == label, 1.0, -1.0) for label in wanted]


def planes(model: Any) -> list[tuple[Array, float]]:
    """(w, b) of each class, also of a model that holds one estimator a class."""
    if hasattr(model, "estimators_"):
        return [plane for part in model.estimators_ for plane in planes(part)]
    coef = model.coef_.toarray() if sparse.issparse(model.coef_) else np.asarray(model.coef_)
    coef = np.atleast_2d(coef).astype(np.float64)
    b = np.broadcast_to(np.ravel(model.intercept_), len(coef))
    return list(zip(coef, map(float, b), strict=True))


def primal_of(model: Any, problem: Problem, data: Data) -> float:
    pairs = zip(signs(data.y), planes(model), strict=True)
    return sum(problem.primal(data.X, t, w, b) for t, (w, b) in pairs)
