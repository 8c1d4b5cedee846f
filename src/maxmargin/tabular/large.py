"""Machines of tables with more rows than an exact machine takes.

All rows teach a machine of landmarks (``landmarks``), whose ridge is chosen on some rows set aside;
they come back before the last solution. Then every row teaches, exactly, in a machine of its own
cell what the landmarks leave (``local``). Each step is kept if rows set aside say so.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.certify import Certificate
from maxmargin.ops.clock import Clock
from maxmargin.tabular.candidate import Candidate
from maxmargin.tabular.landmarks import Landmarks, Sums, add_up, evaluate, judge_landmarks
from maxmargin.tabular.local import Fit, LocalMachines, Residuals, fit_cells
from maxmargin.tabular.machine import LandmarkMachine, LeastSquaresMachine, Member
from maxmargin.tabular.task import Task

Vector = NDArray[np.float64]
Matrix = NDArray[Any]
Index = NDArray[np.intp]

LANDMARKS = 1000
RIDGES = (0.1, 1.0, 10.0)
SET_ASIDE = 5000  # rows, or a tenth where that is fewer


@dataclass(frozen=True)
class LargeFit:
    """A machine of all rows, which of them it holds, and what it says of those set aside."""

    member: Member
    rows: Index
    aside: Index
    values: Vector
    trials: tuple[tuple[str, int, float], ...]


def fit_large(
    task: Task, candidate: Candidate, offset: Vector, clock: Clock, n_jobs: int | None, seed: int
) -> LargeFit:
    """Fit the machine of a candidate to all rows of a task."""
    n = len(task)
    X = candidate.scaled(task.rows)
    weight = np.ones(n) if task.weight is None else task.weight
    count = min(SET_ASIDE, n // 10)
    aside = np.sort(np.random.default_rng(seed).permutation(n)[:count])
    landmarks = Landmarks.draw(candidate.kernel, X, LANDMARKS, seed)
    every = add_up(landmarks, X, task.Y, weight, clock, n_jobs)
    some = add_up(landmarks, X[aside], task.Y[aside], weight[aside], clock, n_jobs)
    K = landmarks.block(X[aside])
    ridge, told = _choose_ridge(landmarks, every.without(some), K, task.part(aside))

    beta, theta = landmarks.solve(every, ridge)
    known = evaluate(landmarks, beta, X, task.Y, weight / ridge, clock, n_jobs)
    judged = judge_landmarks(landmarks, theta, known, task.Y, weight / ridge)
    certificates = tuple(judged)
    local = None
    if known.complete:
        left = Residuals(X, task.Y - known.values, weight)
        local = fit_cells(candidate, left, clock, n_jobs)
    smooth = LeastSquaresMachine(
        candidate, X[landmarks.places].astype(np.float64), np.ascontiguousarray(beta.T), offset
    )
    return _put_together(task, X, smooth, landmarks.places, local, certificates, (aside, told))


def _choose_ridge(landmarks: Landmarks, sums: Sums, K: Vector, aside: Task) -> tuple[float, Vector]:
    """Return the best ridge and what its machine says of rows that are not in the sums."""
    found = []
    for ridge in RIDGES:
        values = K @ landmarks.solve(sums, ridge)[0]
        found.append((_loss(aside, values), ridge, values))
    _, ridge, values = min(found, key=lambda each: each[0])
    return ridge, values


def _put_together(
    task: Task,
    X: Matrix,
    smooth: LeastSquaresMachine,
    landmarks: Index,
    local: Fit | None,
    certificates: tuple[Certificate, ...],
    judged: tuple[Index, Vector],
) -> LargeFit:
    """Keep the machines of cells if rows set aside say so; count rows by those that are held."""
    aside, told = judged
    part, n = task.part(aside), len(task)
    scale = _loss(part, np.zeros(part.Y.shape)) or 1.0
    said = f"{len(landmarks):,} landmarks that all rows taught"
    trials = [(said, n, _loss(part, told) / scale)]
    machines: tuple[LocalMachines, ...] = ()
    if local is not None:
        both = told + local.left_out[aside]
        trials.append((f"{said}, and {_describe(local)}", n, _loss(part, both) / scale))
        if trials[1][2] < trials[0][2]:
            told, machines = both, local.machines
            certificates = certificates + local.certificates
    rows = np.unique(np.concatenate([landmarks, *(each.places for each in machines)]))
    machines = tuple(replace(m, places=np.searchsorted(rows, m.places)) for m in machines)
    machine = LandmarkMachine(smooth, X[rows], np.searchsorted(rows, landmarks), machines)
    values = told + smooth.offset
    return LargeFit(Member(machine, 1.0, certificates), rows, aside, values, tuple(trials))


def _describe(local: Fit) -> str:
    chosen, (kept, count) = local.machines[0].candidate, local.cells
    return (
        f"machines of the rows of {kept:,} of {count:,} cells "
        f"(gamma {chosen.gamma:.3g}, ridge {chosen.ridge:.3g})"
    )


def _loss(task: Task, values: Vector) -> float:
    return float(np.average(np.square(values - task.Y).mean(axis=1), weights=task.weight))
