"""LinearSVC against scikit-learn's (LIBLINEAR), hinge and squared hinge, C = 1.

Both regularise the intercept. LIBLINEAR runs on one thread, ours on all cores; ``dual="auto"`` lets
either choose between primal and dual.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from benchmarks.contest import C
from benchmarks.data import Data
from benchmarks.linear_contest import Effort, Match, measure
from benchmarks.linear_judge import Problem

TARGET = 1e-3
LOSSES = ["hinge", "squared_hinge"]


def ours(loss: str, tol: float) -> Any:
    from maxmargin import LinearSVC

    return LinearSVC(C=C, loss=loss, tol=tol, dual="auto")


def peer(loss: str, tol: float, max_iter: int) -> Any:
    from sklearn.svm import LinearSVC

    return LinearSVC(C=C, loss=loss, tol=tol, dual="auto", max_iter=max_iter, random_state=0)


def match(loss: str) -> Match:
    problem = Problem(loss, free=False)
    return Match(loss, problem, partial(ours, loss), partial(peer, loss))


def rows(data: Data, effort: Effort) -> list[dict[str, Any]]:
    return [measure(match(loss), data, TARGET, effort) for loss in LOSSES]
