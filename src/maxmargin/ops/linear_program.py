"""Linear programs by HiGHS, for as long as the fit around them may go on."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import OptimizeResult, linprog

from maxmargin.ops.aside import aside
from maxmargin.ops.clock import seconds_left, stop_if_over

Vector = NDArray[np.float64]

_OPTIONS = {  # the smallest tolerances that HiGHS takes
    "primal_feasibility_tolerance": 1e-10,
    "dual_feasibility_tolerance": 1e-10,
}
_FIRST_SECONDS, _MORE_SECONDS = 2.0, 4.0  # that HiGHS gets at first, then by factors
_LIMIT_REACHED = 1  # linprog's status


def optimum(cost: Vector, *, presolve: bool = True, **program: Any) -> OptimizeResult:
    """Solve a linear program by HiGHS, for as long as the fit around it may continue.

    HiGHS can be told in advance when to end, and not while it is at work. So that a program nobody
    waits for any more soon does, a long one is begun again with more time; what that costs is at
    most a third of the whole. A program with nothing to simplify is solved sooner without
    ``presolve``.
    """
    limit = _FIRST_SECONDS
    while True:
        options = {**_OPTIONS, "presolve": presolve, "time_limit": min(limit, seconds_left())}
        solved = aside(partial(linprog, cost, **program, options=options))
        if solved.status != _LIMIT_REACHED:
            return solved
        stop_if_over()
        limit *= _MORE_SECONDS
