"""Where a solver of linear models may begin: at the solution of a neighbouring problem."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxmargin.problems import LinearProblem

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class LinearStart:
    """Coefficients theta and duals beta; a solver takes those that it works on."""

    theta: Vector
    beta: Vector

    def alpha(self, problem: LinearProblem, upper: Vector) -> Vector:
        """Return t_i beta_i, put into the box [0, upper]."""
        return np.clip(problem.t * self.beta, 0.0, upper)
