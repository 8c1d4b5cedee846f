"""Dual coordinate descent by itself, against LIBLINEAR's own: the same algorithm, C = 1.

Ours is ``LinearSVC(solver="dual_coordinate")``, the peer scikit-learn's with ``dual=True``; three
data sets, the hinge and its square, to relative objective errors of 1e-3 and 1e-5.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from benchmarks.contest import C
from benchmarks.data import Data
from benchmarks.linear_contest import Effort, Match, measure
from benchmarks.linear_judge import Problem
from benchmarks.linear_svc import LOSSES

NAMES = ["a9a-csr", "ijcnn1-csr", "moneyfx"]
TARGETS = [1e-3, 1e-5]
_MOST = 100_000  # iterations: the tolerance is to end it


def ours(loss: str, tol: float) -> Any:
    from maxmargin import LinearSVC

    return LinearSVC(C=C, loss=loss, tol=tol, solver="dual_coordinate", max_iter=_MOST)


def peer(loss: str, tol: float, max_iter: int) -> Any:
    from sklearn.svm import LinearSVC

    return LinearSVC(C=C, loss=loss, tol=tol, dual=True, max_iter=max_iter, random_state=0)


def task(loss: str, target: float) -> str:
    """Name one of the contests on a data set."""
    return f"{loss} {target:.0e}".replace("e-0", "e-")


TASKS = [task(loss, target) for loss in LOSSES for target in TARGETS]


def match(loss: str, target: float) -> Match:
    problem = Problem(loss, free=False)
    return Match(task(loss, target), problem, partial(ours, loss), partial(peer, loss))


def rows(data: Data, effort: Effort) -> list[dict[str, Any]]:
    pairs = [(loss, target) for loss in LOSSES for target in TARGETS]
    return [measure(match(loss, target), data, target, effort) for loss, target in pairs]
