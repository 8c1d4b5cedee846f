"""The loosest tolerance at which a peer reaches the target: what it would be fair to time.

A tolerance means something else to every solver. So a peer is fitted with one after the other, from
loose to tight, until the judge finds its objective close enough to the optimum; only that tolerance
enters the contest. A budget of seconds, turned into a limit of iterations, keeps this finite: where
it is spent first, the peer's row says that the target was not reached.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from benchmarks.contest import timed

TOLERANCES = [10.0, 3.0, *(m * 10.0**-k for k in range(6) for m in (1, 0.3)), 1e-6]
Make = Callable[[float, int], Any]
"""Makes a peer of a tolerance and a limit of iterations."""


@dataclass(frozen=True)
class Rung:
    tol: float
    max_iter: int
    seconds: float
    suboptimality: float
    cut: bool
    """It stopped at the limit of iterations."""


@contextmanager
def quiet() -> Iterator[None]:
    """The judge says whether a fit has converged; the peer need not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def fit(model: Any, X: Any, y: Any) -> Any:
    with quiet():
        return model.fit(X, y)


def iterations(model: Any) -> int:
    if hasattr(model, "estimators_"):
        return max(iterations(part) for part in model.estimators_)
    return int(np.max(model.n_iter_))


def limit(make: Make, X: Any, y: Any, budget: float) -> int:
    """So many iterations fit in the budget, judged by the first few (later ones may be cheaper)."""
    (few, a), (more, b) = (timed(lambda m=m: fit(make(1e-9, m), X, y)) for m in (2, 12))
    done = iterations(b) - iterations(a)
    each = (more - few) / done if done > 0 and more > few else budget / 1e6
    return int(np.clip(budget / each, 10, 1_000_000))


def climb(
    make: Make, X: Any, y: Any, budget: float, judge: Callable[[Any], float], target: float,
    start: int = 0,
) -> list[Rung]:  # fmt: skip
    """The rungs tried; the last is the first that reaches the target, or the last affordable."""
    most, rungs = limit(make, X, y, budget), []
    for tol in TOLERANCES[start:]:
        seconds, model = timed(lambda tol=tol: fit(make(tol, most), X, y))
        cut = iterations(model) >= most
        rungs.append(Rung(tol, most, seconds, judge(model), cut))
        if rungs[-1].suboptimality <= target or cut:
            break
    return rungs
