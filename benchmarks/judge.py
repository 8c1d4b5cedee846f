"""One judge for all contestants: primal and dual value of a fitted model, in float64 NumPy.

Only the model's support, dual coefficients and intercept are used, never what the solver says of
itself. With t = +1 for the second class and -1 for the first, beta the dual coefficients:

    dual    sum_i t_i beta_i - beta'K beta / 2
    primal  beta'K beta / 2 + C sum_i max(0, 1 - t_i f(x_i)),      f = K beta + b

The primal bounds the optimum from above for any model; the dual bounds it from below as far as
beta is feasible: sum beta = 0 and 0 <= t_i beta_i <= C, whose worst failure is reported.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benchmarks.contest import C
from benchmarks.data import Data

GAP_BOUND = 2e-3  # relative; more than a tolerance of 1e-3 should leave
DUAL_BOUND = 1e-3  # relative difference of dual values that still counts as the same objective
_ROWS = 1_024


@dataclass(frozen=True)
class Verdict:
    primal: float
    dual: float
    infeasible: float
    support: int

    @property
    def gap(self) -> float:
        return (self.primal - self.dual) / max(abs(self.primal), abs(self.dual))


def judge(model: Any, data: Data, gamma: float) -> Verdict:
    beta, b = _coefficients(model), float(model.intercept_[0])
    t = np.where(data.y == model.classes_[1], 1.0, -1.0)
    X = data.dense()
    product = _product(X, X[model.support_], beta, gamma)
    mine = t[model.support_]
    quadratic = 0.5 * float(beta @ product[model.support_])
    primal = quadratic + C * float(np.maximum(0.0, 1.0 - t * (product + b)).sum())
    return Verdict(primal, float(mine @ beta) - quadratic, _infeasible(mine, beta), len(beta))


def _coefficients(model: Any) -> NDArray[np.float64]:
    found = model.dual_coef_
    dense = found.toarray() if sparse.issparse(found) else np.asarray(found)
    return dense.ravel().astype(np.float64)


def _infeasible(t: NDArray[Any], beta: NDArray[Any]) -> float:
    alpha = t * beta
    outside = max(float(-alpha.min()), float(alpha.max()) - C, 0.0)
    return max(outside, abs(float(beta.sum())))


def _product(X: Any, support: Any, beta: NDArray[Any], gamma: float) -> NDArray[np.float64]:
    """K beta for all rows, a block of them at a time."""
    S = support.astype(np.float64)
    norms = np.einsum("ij,ij->i", S, S)
    blocks = (X[i : i + _ROWS].astype(np.float64) for i in range(0, len(X), _ROWS))
    return np.concatenate([_block(A, S, norms, gamma) @ beta for A in blocks])


def _block(A: Any, S: Any, norms: Any, gamma: float) -> NDArray[np.float64]:
    K = A @ S.T
    K *= -2.0
    K += np.einsum("ij,ij->i", A, A)[:, None]
    K += norms
    np.maximum(K, 0.0, out=K)
    K *= -gamma
    return np.exp(K, out=K)


def objection(verdicts: dict[str, Verdict]) -> str:
    """Why the times of a row cannot be compared; empty when they can."""
    loose = [f"gap of {name} {v.gap:.0e}" for name, v in verdicts.items() if v.gap > GAP_BOUND]
    first, *others = verdicts.values()
    apart = [abs(v.dual - first.dual) / abs(first.dual) for v in others]
    differ = [f"dual values differ by {d:.0e}" for d in apart if d > DUAL_BOUND]
    return "; ".join(loose + differ)
