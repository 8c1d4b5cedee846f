"""Relative objective error and test accuracy against seconds, C = 1: our solvers and the peers.

Every point is a fit of its own: ours with a tolerance from loose to tight, the peers with ever more
iterations. Three problems are solved (hinge or squared hinge, intercept regularised or free), and a
method's error is relative to the optimum of its own: (primal - optimum) / optimum, both from the
judge. A method that takes longer than the limit is not asked for more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks.contest import C, timed
from benchmarks.data import Data
from benchmarks.ladder import fit, iterations
from benchmarks.linear_judge import Problem, primal_of
from benchmarks.optimum import bounds

NAMES = ["a9a-csr", "moneyfx"]
LIMIT, ENOUGH = 30.0, 1e-7  # seconds of a fit, relative error
HINGE, SQUARED, FREE = (
    Problem("hinge", False),
    Problem("squared_hinge", False),
    Problem("hinge", True),
)
_TOLERANCES = [10.0**-k for k in range(8)]
_FINER = [m * tol for tol in _TOLERANCES for m in (1, 0.3)]
_SWEEPS = sorted({m * 2**k for k in range(18) for m in (1, 3)})


@dataclass(frozen=True)
class Method:
    name: str
    problem: Problem
    make: Callable[[Any], Any]
    ladder: list[Any]
    peer: bool = False


def _linear(loss: str, solver: str, tol: float) -> Any:
    from maxmargin import LinearSVC

    return LinearSVC(C=C, loss=loss, solver=solver, tol=tol, time_limit=LIMIT)


def _kernel(solver: str, tol: float) -> Any:
    from maxmargin import SVC

    return SVC(C=C, kernel="linear", solver=solver, tol=tol, time_limit=LIMIT)


def _liblinear(loss: str, max_iter: int) -> Any:
    from sklearn.svm import LinearSVC

    return LinearSVC(C=C, loss=loss, tol=1e-10, max_iter=max_iter, random_state=0)


def _libsvm(max_iter: int) -> Any:
    from sklearn.svm import SVC

    return SVC(C=C, kernel="linear", tol=1e-10, max_iter=max_iter)


def _ours(maker: str, problem: Problem, solver: str) -> Method:
    linear = maker == "LinearSVC"
    make = partial(_linear, problem.loss, solver) if linear else partial(_kernel, solver)
    return Method(f"{maker} {solver}", problem, make, _FINER if linear else _TOLERANCES)


METHODS = [
    _ours("LinearSVC", HINGE, "dual_coordinate"),
    _ours("SVC", HINGE, "coordinate_ascent"),  # its intercept is the kernel's added 1: regularised
    Method("LIBLINEAR", HINGE, partial(_liblinear, "hinge"), _SWEEPS, peer=True),
    _ours("LinearSVC", SQUARED, "newton"),
    _ours("LinearSVC", SQUARED, "dual_coordinate"),
    _ours("LinearSVC", SQUARED, "gradient_descent"),
    Method("LIBLINEAR", SQUARED, partial(_liblinear, "squared_hinge"), _SWEEPS, peer=True),
    _ours("SVC", FREE, "working_set"),
    _ours("SVC", FREE, "smo"),
    _ours("SVC", FREE, "osuna"),
    Method("LIBSVM", FREE, _libsvm, [100 * 3**k for k in range(15)], peer=True),
]


def row(data: Data, test: Data, repeats: int) -> dict[str, Any]:
    curves = [curve for method in METHODS if (curve := _curve(method, data, test, repeats))]
    return {
        "data": data.name,
        "rows": data.X.shape[0],
        "columns": data.X.shape[1],
        "curves": curves,
    }


def _curve(method: Method, data: Data, test: Data, repeats: int) -> dict[str, Any] | None:
    few = data.head(500)
    try:
        fit(method.make(method.ladder[0]), few.X, few.y)  # compiles
    except (ImportError, TypeError, ValueError) as reason:
        print(f"  Left out: {method.name}, {method.problem}: {reason}")
        return None
    points = _points(method, data, test, repeats)
    print(f"  {method.name}, {method.problem}: {points[-1]}", flush=True)
    named = {"method": method.name, "loss": method.problem.loss, "free": method.problem.free}
    return {**named, "peer": method.peer, "points": points}


def _points(method: Method, data: Data, test: Data, repeats: int) -> list[dict[str, float]]:
    optimum, points = bounds(method.problem, data).lower, []
    for how in method.ladder:
        seconds, model = _fit(partial(method.make, how), data, repeats)
        error = primal_of(model, method.problem, data) / optimum - 1.0
        accuracy = float(np.mean(model.predict(test.X) == test.y))
        points.append({"seconds": seconds, "error": error, "accuracy": accuracy})
        done = method.peer and iterations(model) < how
        if done or error <= ENOUGH or seconds > LIMIT:
            break
    return points


def _fit(make: Callable[[], Any], data: Data, repeats: int) -> tuple[float, Any]:
    """The median of some fits; of one, when that takes long."""
    first, model = timed(lambda: fit(make(), data.X, data.y))
    more = repeats - 1 if first < 1.0 else 0
    runs = [timed(lambda: fit(make(), data.X, data.y))[0] for _ in range(more)]
    return float(np.median([first, *runs])), model
