"""The machines that a search leaves, each with its certificate, and their weighted average."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.certify import Certificate, Point, judge
from maxmargin.kernels.gram import Gram
from maxmargin.losses import SquaredError
from maxmargin.problems import KernelProblem
from maxmargin.svm import SVC
from maxmargin.svm.decision import by_class
from maxmargin.svm.svr import SVR
from maxmargin.tabular.candidate import Candidate
from maxmargin.tabular.distances import trend_kernel
from maxmargin.tabular.least_squares import solve_exactly
from maxmargin.tabular.local import LocalMachines
from maxmargin.tabular.preparation import Rows
from maxmargin.tabular.search import Trial
from maxmargin.tabular.task import Task

Vector = NDArray[np.float64]
Matrix = NDArray[Any]
Index = NDArray[np.intp]

BLOCK = 16_384  # rows that many landmarks and cells are asked about at a time
MOST_PICKS = 10  # of members for the average, with replacement
TOLERANCE = 1e-4  # relative gap that a least-squares machine is certified by
EPSILON = 0.05  # half the width of the zone of a regression, in standard deviations of the target


@dataclass(frozen=True)
class LeastSquaresMachine:
    """f(x) = sum_i beta_i k(x, x_i) for every output."""

    candidate: Candidate
    support: Matrix
    """Scaled rows, as the kernel sees them."""
    beta: Vector
    """A line an output."""
    offset: Vector
    """The mean of each output, which is added."""

    def __restored__(self) -> None:
        """Check what was read: every row of the support has a coefficient for each output."""
        sound = self.support.ndim == 2 and self.support.dtype.kind == "f" and self.offset.ndim == 1
        if not sound or self.beta.shape != (len(self.offset), len(self.support)):
            raise ValueError("The parts of a stored machine for tables do not fit together.")

    @property
    def outputs(self) -> int:
        """How many values a row gets."""
        return len(self.offset)

    def takes(self, row: Rows) -> bool:
        """Whether prepared rows are as wide as the support."""
        return self.candidate.scaled(row).shape[1] == self.support.shape[1]

    def values(self, rows: Rows, n_jobs: int | None) -> Vector:
        """Evaluate the machine on prepared rows."""
        return self.of_scaled(self.candidate.scaled(rows, self.support.dtype), n_jobs)

    def of_scaled(self, X: Matrix, n_jobs: int | None) -> Vector:
        """Evaluate the machine on rows as the kernel sees them."""
        kernel = self.candidate.kernel
        given, known = kernel.prepare(X), kernel.prepare(self.support)
        lines = by_class(kernel, given, known, [len(self.support)], self.beta, _only, n_jobs)
        return np.asarray(lines) + self.offset


def _only(sums: Matrix) -> Matrix:
    return np.array(sums[:, 0])


@dataclass(frozen=True)
class SupportVectorMachine:
    """A support vector machine of all rows, for tables too large for least squares."""

    candidate: Candidate
    model: SVC | SVR

    @property
    def outputs(self) -> int:
        """How many values a row gets."""
        if isinstance(self.model, SVR) or len(self.model.classes_) == 2:
            return 1
        return len(self.model.classes_)

    def takes(self, row: Rows) -> bool:
        """Whether prepared rows are as wide as those of the fit."""
        return bool(self.candidate.scaled(row).shape[1] == self.model.n_features_in_)

    def values(self, rows: Rows, n_jobs: int | None) -> Vector:
        """Evaluate the machine on prepared rows."""
        X = self.candidate.scaled(rows)
        model = self.model.set_params(n_jobs=n_jobs)
        values = model.predict(X) if isinstance(model, SVR) else model.decision_function(X)
        return np.asarray(values[:, None] if values.ndim == 1 else values)


@dataclass(frozen=True)
class LandmarkMachine:
    """A least-squares machine of landmarks that all rows taught, and what cells of rows add."""

    smooth: LeastSquaresMachine
    """Its support are the landmarks."""
    known: Matrix
    """The rows that the model is made of, scaled as the landmarks are, in single precision."""
    places: Index
    """Which of them the landmarks are."""
    local: tuple[LocalMachines, ...]
    """Machines of what it leaves, where they help; their mean is added."""

    def __restored__(self) -> None:
        """Check what was read: landmarks and cells are rows that are there."""
        count, width = len(self.known), self.smooth.support.shape[1]
        sound = self.known.ndim == 2 and self.known.dtype.kind == "f"
        sound = sound and self.known.shape[1] == width and self.places.ndim == 1
        sound = sound and len(self.places) == len(self.smooth.support)
        sound = sound and bool(((self.places >= 0) & (self.places < count)).all())
        if not (sound and all(each.fits(self.known, self.outputs) for each in self.local)):
            raise ValueError("The parts of a stored machine for tables do not fit together.")

    @property
    def outputs(self) -> int:
        """How many values a row gets."""
        return self.smooth.outputs

    def takes(self, row: Rows) -> bool:
        """Whether prepared rows are as wide as the landmarks."""
        return self.smooth.takes(row)

    @property
    def candidate(self) -> Candidate:
        """The kernel of the landmarks."""
        return self.smooth.candidate

    def values(self, rows: Rows, n_jobs: int | None) -> Vector:
        """Evaluate the machine on prepared rows, some at a time."""
        size, exact = len(rows.X), self.smooth.support.dtype
        parts = [np.zeros((0, len(self.smooth.beta)))]
        for first in range(0, size, BLOCK):
            part = rows.part(np.arange(first, min(first + BLOCK, size)))
            X = self.candidate.scaled(part)
            values = self.smooth.of_scaled(X.astype(exact), n_jobs)
            for each in self.local:
                values = values + each.values(X, self.known, n_jobs) / len(self.local)
            parts.append(values)
        return np.concatenate(parts)


@dataclass(frozen=True)
class Member:
    """A machine, how much it counts, and its certificates."""

    machine: LeastSquaresMachine | SupportVectorMachine | LandmarkMachine
    share: float
    certificates: tuple[Certificate, ...]
    slope: Vector | None = field(default=None, metadata={"later": True})
    """Of the linear trend that is added, a row a column of ``Rows.trend``, a column an output."""

    def __restored__(self) -> None:
        """Check what was read: the trend has a slope for each output."""
        if self.slope is None:
            return
        if self.slope.ndim != 2 or self.slope.shape[1] != self.machine.outputs:
            raise ValueError("The parts of a stored machine for tables do not fit together.")

    def takes(self, row: Rows) -> bool:
        """Whether prepared rows have the columns of the machine and of the trend."""
        fits = self.slope is None or row.trend.shape[1] == len(self.slope)
        return fits and self.machine.takes(row)

    def trend(self, rows: Rows) -> Vector:
        """Return the linear trend of prepared rows, a column an output."""
        if self.slope is None:
            return np.zeros((len(rows.X), self.machine.outputs))
        return np.asarray(rows.trend @ self.slope)

    def values(self, rows: Rows, n_jobs: int | None) -> Vector:
        """Evaluate the machine and the trend on prepared rows."""
        return self.machine.values(rows, n_jobs) + self.trend(rows)


def fit_least_squares(task: Task, candidate: Candidate, share: float, offset: Vector) -> Member:
    """Fit a least-squares machine to all rows in double precision, and judge it."""
    support = candidate.scaled(task.rows, np.float64)
    gram = Gram.of(candidate.kernel, support)
    K = gram.kernel._evaluate(gram.rows, gram.rows)
    rounding = gram.rounding
    if candidate.trend:
        K += trend_kernel(task.rows, candidate.trend, np.float64)
        rounding = gram.stored(K).rounding
    found = solve_exactly(K, task.Y, candidate.ridge, task.weight)
    if found is None:
        raise ValueError(
            "The kernel matrix of the best machine is singular; drop repeated columns."
        )
    beta = np.ascontiguousarray(found.T)
    weight = np.ones(len(task)) if task.weight is None else task.weight
    cost, products = weight / candidate.ridge, beta @ K
    certificates = []
    for target, line, product in zip(task.Y.T, beta, products, strict=True):
        problem = KernelProblem(SquaredError(), np.array(target), cost, False)
        certificates.append(judge(problem, Point(line, product, rounding), TOLERANCE))
    machine = LeastSquaresMachine(candidate, support, beta, offset)
    slope = find_slope(task.rows, candidate, found) if candidate.trend else None
    return Member(machine, share, tuple(certificates), slope)


def find_slope(rows: Rows, candidate: Candidate, beta: Matrix) -> Vector:
    """Return the slope of the trend of a machine with these coefficients."""
    return np.asarray(candidate.trend * (rows.trend.T @ beta), dtype=np.float64)


def fit_support_vectors(
    task: Task,
    candidate: Candidate,
    factor: float,
    share: float,
    seconds: float | None,
    n_jobs: int | None,
) -> Member:
    """Fit a support vector machine to rows, at a cost of ``factor`` over the candidate's ridge."""
    options: dict[str, Any] = {
        "kernel": candidate.kernel,
        "C": factor / candidate.ridge,
        "time_limit": seconds,
        "n_jobs": n_jobs,
    }
    X = candidate.scaled(task.rows)
    if task.label is None:
        regressor = SVR(epsilon=EPSILON, **options)
        regressor.fit(X, task.Y[:, 0], sample_weight=task.weight)
        found = (regressor.certificate_,)
        return Member(SupportVectorMachine(candidate, regressor), share, found)
    classifier = SVC(**options).fit(X, task.label, sample_weight=task.weight)
    machine = SupportVectorMachine(candidate, classifier)
    return Member(machine, share, tuple(classifier.certificates_))


def choose_members(
    task: Task, finalists: Sequence[Trial], rows: NDArray[np.bool_]
) -> list[tuple[Trial, float]]:
    """Choose machines whose average predicts left-out rows best, and their shares.

    Only some of the rows are looked at: those that had no part in finding the machines.

    Greedy selection with replacement (Caruana, Niculescu-Mizil, Crew and Ksikes, "Ensemble
    selection from libraries of models", ICML 2004), begun with the best machine alone.
    """
    task = task.part(np.flatnonzero(rows))
    values = [trial.found.values[rows] for trial in finalists]
    picks, total = [0], values[0].copy()
    best = _loss(task, total)
    while len(picks) < MOST_PICKS:
        n = len(picks) + 1
        losses = [_loss(task, (total + each) / n) for each in values]
        pick = int(np.argmin(losses))
        if not losses[pick] < best:
            break
        best = losses[pick]
        picks.append(pick)
        total += values[pick]
    counts = np.bincount(picks, minlength=len(finalists))
    return [
        (trial, count / len(picks))
        for trial, count in zip(finalists, counts.tolist(), strict=True)
        if count
    ]


def _loss(task: Task, values: Matrix) -> float:
    return float(np.average(np.square(values - task.Y).mean(axis=1), weights=task.weight))


def average(members: Sequence[Member], rows: Rows, n_jobs: int | None) -> Vector:
    """Evaluate the weighted average of members on prepared rows."""
    total: Any = 0.0
    for member in members:
        total = total + member.share * member.values(rows, n_jobs)
    return np.asarray(total)
