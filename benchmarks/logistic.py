"""LinearClassifier(loss="logistic") against scikit-learn's LogisticRegression, C = 1.

Its solver lbfgs leaves the intercept free, liblinear regularises it: two problems, and ours is set
to each in turn. LogisticRegression separates several classes by another model than one against the
rest, so there it stands inside OneVsRestClassifier, in the fastest of three ways to run that.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from benchmarks.contest import C
from benchmarks.data import Data
from benchmarks.linear_contest import Effort, Match, measure
from benchmarks.linear_judge import Problem

SOLVERS = {"lbfgs": "free", "liblinear": "regularized"}


def ours(intercept: str, tol: float) -> Any:
    from maxmargin import LinearClassifier

    return LinearClassifier(loss="logistic", C=C, penalty="l2", tol=tol, intercept=intercept)


def peer(solver: str, tol: float, max_iter: int) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=C, solver=solver, tol=tol, max_iter=max_iter)


def match(solver: str) -> Match:
    intercept = SOLVERS[solver]
    problem = Problem("logistic", free=intercept == "free")
    return Match(solver, problem, partial(ours, intercept), partial(peer, solver), binary=True)


def rows(data: Data, effort: Effort, target: float) -> list[dict[str, Any]]:
    return [measure(match(solver), data, target, effort) for solver in SOLVERS]
