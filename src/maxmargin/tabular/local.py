"""Exact machines of what a smoother one leaves, each of the rows of one cell of the table.

Where the boundary is fine, the landmarks of a whole table are too few. So the table is cut into
cells (``cells``), and in each a least-squares machine of its own rows learns the residuals of the
machine of landmarks; every row teaches exactly, and is left out exactly to see what that is worth
(``least_squares``). Cells in which it does not help keep the machine of landmarks alone. The width
of the kernel and the ridge are the same in all cells; they are chosen in a few of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.certify import Certificate, Point, judge
from maxmargin.kernels.gram import Gram
from maxmargin.losses import SquaredError
from maxmargin.ops.clock import Clock
from maxmargin.ops.threads import side_by_side
from maxmargin.problems import KernelProblem
from maxmargin.svm.decision import by_class
from maxmargin.tabular.candidate import Candidate
from maxmargin.tabular.cells import Cells, cut
from maxmargin.tabular.least_squares import solve, solve_closely

Vector = NDArray[np.float64]
Matrix = NDArray[Any]
Index = NDArray[np.intp]

MOST = 1500  # rows of a cell
CUTS = 4  # ways of cutting, if there are so many columns
CHOOSING = 8  # cells in which width and ridge are chosen
GAMMAS = (0.5, 1.0, 2.0, 4.0)  # times that of the machine of landmarks
RIDGES = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
GAIN = 0.005  # share of its squared error by which a cell has to become better
TOLERANCE = 1e-3  # relative gap that a machine of a cell is certified by


@dataclass(frozen=True)
class LocalMachines:
    """f(x) = sum_i beta_i k(x, x_i) over the rows i of the cell of x, for every output."""

    candidate: Candidate
    cells: Cells
    factor: float
    """What scaled rows are multiplied by before the kernel sees them."""
    places: Index
    """The rows of all machines, cell by cell, among those that the model is made of."""
    edges: Index
    """Where those of each cell begin and end; cells without a machine have none."""
    beta: Vector
    """A line an output."""

    def __restored__(self) -> None:
        """Check what was read: every row of a cell has a coefficient for each output."""
        size, edges = len(self.places), self.edges
        sound = self.places.shape == (size,) and self.beta.ndim == 2 and self.beta.shape[1] == size
        sound = sound and edges.shape == (self.cells.count + 1,) and 0.0 < self.factor < np.inf
        if not (sound and edges[0] == 0 and edges[-1] == size and (np.diff(edges) >= 0).all()):
            raise ValueError("The cells of a stored machine for tables do not fit together.")

    def fits(self, known: Matrix, outputs: int) -> bool:
        """Whether it is made of these rows, for so many outputs."""
        within = bool(((self.places >= 0) & (self.places < len(known))).all())
        return within and len(self.beta) == outputs and self._cuts(known.shape[1])

    def _cuts(self, width: int) -> bool:
        return self.cells.directions.shape[1] == width

    def values(self, X: Matrix, known: Matrix, n_jobs: int | None) -> Vector:
        """Evaluate the machines; X and the rows of the model are scaled as the landmarks are."""
        found = self.cells.find(X)
        out = np.zeros((len(X), len(self.beta)))
        busy = np.flatnonzero(np.diff(self.edges) > 0)

        def work(cell: int) -> None:
            rows = np.flatnonzero(found == cell)
            if len(rows):
                out[rows] = self._of_cell(cell, X[rows], known)

        side_by_side(work, np.intersect1d(busy, found).tolist(), n_jobs)
        return out

    def of_cell(self, cell: int) -> slice:
        """Return where the rows of a cell stand."""
        return slice(int(self.edges[cell]), int(self.edges[cell + 1]))

    def support(self, part: slice, known: Matrix) -> Matrix:
        """Return rows of a cell as the kernel sees them."""
        return np.asarray(known[self.places[part]].astype(np.float64) * self.factor)

    def _of_cell(self, cell: int, X: Matrix, known: Matrix) -> Vector:
        kernel, part = self.candidate.kernel, self.of_cell(cell)
        support = kernel.prepare(self.support(part, known))
        given = kernel.prepare(X.astype(np.float64) * self.factor)
        beta = np.ascontiguousarray(self.beta[:, part])
        count = part.stop - part.start
        return np.asarray(by_class(kernel, given, support, [count], beta, _only, 1))


def _only(sums: Matrix) -> Matrix:
    return np.array(sums[:, 0])


@dataclass(frozen=True)
class Fit:
    """Machines of cells, what they say of left-out rows, and their certificates."""

    machines: tuple[LocalMachines, ...]
    """One for each way of cutting, whose mean counts."""
    left_out: Vector
    certificates: tuple[Certificate, ...]

    @property
    def cells(self) -> tuple[int, int]:
        """How many cells have a machine, and how many there are."""
        sizes = np.concatenate([np.diff(each.edges) for each in self.machines])
        return int((sizes > 0).sum()), len(sizes)


@dataclass(frozen=True)
class _Piece:
    """The machine of a cell."""

    beta: Vector
    left_out: Vector
    certificates: tuple[Certificate, ...]


@dataclass(frozen=True)
class Residuals:
    """Scaled rows, what is left to be learned of each, and their weights."""

    X: Matrix
    left: Vector
    weight: Vector

    def part(self, rows: Index, factor: float) -> Residuals:
        """Return some of the rows, scaled by a factor, in double precision."""
        return Residuals(
            self.X[rows].astype(np.float64) * factor, self.left[rows], self.weight[rows]
        )


def fit_cells(
    candidate: Candidate, task: Residuals, clock: Clock, n_jobs: int | None
) -> Fit | None:
    """Fit a machine in every cell where that helps; None where it nowhere does."""
    chosen: Candidate | None = None
    found: list[tuple[LocalMachines, Vector, tuple[Certificate, ...]]] = []
    for rank in range(min(CUTS, task.X.shape[1])):
        if clock.over():
            break
        cells, places = cut(task.X, MOST, rank)
        places = [_some(rows) for rows in places]
        if chosen is None:
            chosen = _choose(candidate, task, places, clock, n_jobs)
        if chosen is not None:
            factor = _factor(candidate, chosen.gamma / candidate.gamma)
            pieces = _fit_all(chosen, task, factor, places, clock, n_jobs)
            if pieces:
                found.append(_join(chosen, cells, factor, task, places, pieces))
    if not found:
        return None
    left_out = np.mean([values for _, values, _ in found], axis=0)
    certificates = tuple(each for _, _, judged in found for each in judged)
    return Fit(tuple(machines for machines, _, _ in found), left_out, certificates)


def _fit_all(
    chosen: Candidate,
    task: Residuals,
    factor: float,
    places: list[Index],
    clock: Clock,
    n_jobs: int | None,
) -> dict[int, _Piece]:
    """Fit the machines of all cells, the worst cells first, as long as there is time."""
    loss = task.weight * np.square(task.left).sum(axis=1)
    order = np.argsort([-loss[rows].sum() for rows in places], kind="stable").tolist()

    def work(cell: int) -> _Piece | None:
        return None if clock.over() else _fit(chosen, task.part(places[cell], factor))

    pieces = zip(order, side_by_side(work, order, n_jobs), strict=True)
    return {cell: piece for cell, piece in sorted(pieces) if piece is not None}


def _join(
    chosen: Candidate,
    cells: Cells,
    factor: float,
    task: Residuals,
    places: list[Index],
    pieces: dict[int, _Piece],
) -> tuple[LocalMachines, Vector, tuple[Certificate, ...]]:
    """Put the machines of cells side by side; also returns their values of left-out rows."""
    sizes = np.zeros(len(places) + 1, np.intp)
    left_out = np.zeros(task.left.shape)
    for cell, piece in pieces.items():
        sizes[cell + 1] = len(places[cell])
        left_out[places[cell]] = piece.left_out
    rows = np.concatenate([places[cell] for cell in pieces])
    beta = np.hstack([piece.beta for piece in pieces.values()])
    machines = LocalMachines(chosen, cells, factor, rows, np.cumsum(sizes), beta)
    return machines, left_out, tuple(c for piece in pieces.values() for c in piece.certificates)


def _some(rows: Index) -> Index:
    """Return the rows of a cell, or some of them where they could not be told apart."""
    return rows[np.linspace(0, len(rows) - 1, MOST).astype(np.intp)] if len(rows) > MOST else rows


def _factor(candidate: Candidate, gamma: float) -> float:
    return gamma if candidate.metric == "absolute" else float(np.sqrt(gamma))


def _choose(
    candidate: Candidate, task: Residuals, places: list[Index], clock: Clock, n_jobs: int | None
) -> Candidate | None:
    """Choose the width and the ridge by which left-out rows of a few cells are told best."""
    some = np.unique(np.linspace(0, len(places) - 1, CHOOSING).astype(np.intp)).tolist()

    def work(pair: tuple[int, float]) -> list[float]:
        cell, gamma = pair
        part = task.part(places[cell], _factor(candidate, gamma))
        Z = candidate.kernel.prepare(part.X)
        K = np.asarray(candidate.kernel.block(Z, Z), np.float32)
        return [np.inf if clock.over() else _left_out_error(K, part, r) for r in RIDGES]

    losses = side_by_side(work, product(some, GAMMAS), n_jobs)
    total = np.reshape(losses, (len(some), len(GAMMAS), len(RIDGES))).sum(axis=0)
    gamma, ridge = np.unravel_index(int(total.argmin()), total.shape)
    if not np.isfinite(total.min()):
        return None
    return replace(candidate, gamma=candidate.gamma * GAMMAS[gamma], ridge=RIDGES[ridge])


def _left_out_error(K: Matrix, part: Residuals, ridge: float) -> float:
    found = solve(K, part.left, ridge, part.weight)
    if found is None:
        return np.inf
    return float(part.weight @ np.square(found.values - part.left).sum(axis=1))


def _fit(chosen: Candidate, part: Residuals) -> _Piece | None:
    """Fit and judge the machine of a cell; None where left-out rows are told no better."""
    gram = Gram.of(chosen.kernel, part.X)
    K = np.asarray(gram.block(gram.rows, gram.rows))
    found = solve_closely(K, part.left, chosen.ridge, part.weight)
    if found is None or not np.isfinite(found[0].beta).all():
        return None
    machine, products = found
    before = float(part.weight @ np.square(part.left).sum(axis=1))
    after = float(part.weight @ np.square(machine.values - part.left).sum(axis=1))
    if not after < (1.0 - GAIN) * before:
        return None
    beta, cost = np.ascontiguousarray(machine.beta.T), part.weight / chosen.ridge
    certificates = []
    for target, line, values in zip(part.left.T, beta, products.T, strict=True):
        problem = KernelProblem(SquaredError(), np.array(target), cost, False)
        certificates.append(judge(problem, Point(line, np.array(values), gram.rounding), TOLERANCE))
    return _Piece(beta, machine.values, tuple(certificates))
