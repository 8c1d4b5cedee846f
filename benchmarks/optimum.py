"""Precise solutions for the judge, by plain methods that share nothing with the contestants.

- smooth losses: Newton's method, here;
- hinge, few columns: an interior point method;
- hinge, many columns: dual coordinate descent for a regularised intercept, LIBSVM for a free one.

What comes out is kept under ``.cache``: (w, b) and a feasible dual point for each class. The judge
works out both values anew, so that a bound taken from the cache is checked whenever it is used.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.contest import C
from benchmarks.data import CACHE, Data
from benchmarks.dual_points import coordinate_descent, libsvm
from benchmarks.interior_point import interior_point
from benchmarks.linear_judge import Array, Problem, primal_of, signs
from benchmarks.rows import FEW, PRECISE, Rows, Solution
from maxmargin.ops.threads import count_threads


@dataclass(frozen=True)
class Bounds:
    """The optimum lies between the two."""

    lower: float
    upper: float

    @property
    def gap(self) -> float:
        return (self.upper - self.lower) / self.upper

    def suboptimality(self, model: Any, problem: Problem, data: Data) -> float:
        """At most so much, relative to its own value, is a model's objective above the optimum."""
        primal = primal_of(model, problem, data)
        return (primal - self.lower) / primal


def bounds(problem: Problem, data: Data) -> Bounds:
    X, ts = data.X, signs(data.y)
    path = CACHE / f"optimum-{data.name}-{X.shape[0]}-{problem}.npz"
    if not path.exists():
        print(f"  {data.name}: solving {problem} precisely, for the judge", flush=True)
        with ThreadPoolExecutor(count_threads(None)) as pool:
            _keep(path, list(pool.map(partial(solve, problem, X), ts)))
    with np.load(path) as kept:
        w, b, alpha = kept["w"], kept["b"], kept["alpha"]
    lower = sum(problem.dual(X, t, a) for t, a in zip(ts, alpha, strict=True))
    upper = sum(problem.primal(X, t, v, c) for t, v, c in zip(ts, w, b, strict=True))
    return Bounds(lower, upper)


def _keep(path: Path, solutions: list[Solution]) -> None:
    w, b, alpha = (np.array(part) for part in zip(*solutions, strict=True))
    part = path.with_suffix(".part.npz")
    np.savez(part, w=w, b=b, alpha=alpha)
    part.replace(path)


def solve(problem: Problem, X: Any, t: Array) -> Solution:
    if problem.loss != "hinge":
        return newton(Rows(problem, X, t))
    if X.shape[1] <= FEW:
        return interior_point(Rows(problem, X, t))
    return libsvm(X, t) if problem.free else coordinate_descent(Rows(problem, X, t))


def newton(rows: Rows, steps: int = 100) -> Solution:
    problem, u = rows.problem, np.zeros(len(rows.R))
    for _ in range(steps):
        margins = rows.forward(u)
        alpha = C * problem.slope(margins)
        if rows.gap(u, alpha) <= PRECISE:
            break
        downhill = rows.backward(alpha) - rows.R * u
        direction = rows.system(C * problem.curvature(margins))(downhill)
        u = u + _step(rows, u, direction, 1e-4 * float(downhill @ direction)) * direction
    return rows.solution(u, alpha)


def _step(rows: Rows, u: Array, direction: Array, slope: float) -> float:
    """Halve the step until the objective falls enough (Armijo)."""
    step, here = 1.0, rows.primal(u)
    while step > 1e-10 and rows.primal(u + step * direction) > here - step * slope:
        step /= 2
    return step
