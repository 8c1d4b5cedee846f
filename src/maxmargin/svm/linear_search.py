"""Scores of linear machines over folds and costs C, each cost from the solution of the one before.

Weights change little from a cost to the next, and duals grow about as the cost does: Newton's
method and the coordinates both begin near their end.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from maxmargin.inputs.container import take_rows
from maxmargin.ops.clock import Clock, TimeUp
from maxmargin.ops.threads import side_by_side
from maxmargin.progress import advance, muted, part
from maxmargin.solvers import Solution
from maxmargin.solvers.linear.propose import LinearStart
from maxmargin.svm.search_cv import MISSING, Cell, Tell, score, silent

Vector = NDArray[np.float64]
Index = NDArray[np.intp]


@dataclass(frozen=True)
class LinearSearch:
    """Rows, folds and the machine to try on them; see ``kernel_search.Search``."""

    model: Any
    given: Any
    """The rows as the user has them, because scorers see some of them."""
    y: NDArray[Any]
    weight: Vector | None
    folds: Sequence[tuple[Index, Index]]
    scorer: Any
    clock: Clock

    def run(self, prices: Sequence[float], tell: Tell = silent) -> list[list[Cell]]:
        """Score every cost on every fold: by fold, by cost; ``tell`` hears of every score."""

        def work(fold: tuple[Index, Index]) -> list[Cell]:
            cells: list[Cell] = []
            try:
                with part(1.0 / len(self.folds)):
                    for number, cell in enumerate(self._cells(fold, prices)):
                        cells.append(cell)  # those before the end of time count
                        tell(0, number, cell)
                        advance((number + 1) / len(prices))
            except TimeUp:
                if not self.clock.over():
                    raise  # it is not this search's time that is up
            return cells + [MISSING] * (len(prices) - len(cells))

        return side_by_side(work, self.folds, self.model.n_jobs)

    def _cells(self, fold: tuple[Index, Index], prices: Sequence[float]) -> Iterator[Cell]:
        (train, others), model = fold, clone(self.model)
        X, label = model._validate(take_rows(self.given, train), self.y[train])
        weight = None if self.weight is None else self.weight[train]
        judged = take_rows(self.given, others), self.y[others]
        weights = None if self.weight is None else self.weight[others]
        solutions: list[Solution] = []
        before = prices[0]
        for price in prices:
            self.clock.stop_if_over()
            begun = perf_counter()
            model.C = price
            rows, sides, cost = model._weigh(X, label, weight)
            rows, shift = model._centred(rows)
            starts = [_grown(s, price / before) for s in solutions]
            with muted():  # each fit is a step of its fold
                solutions = model._solve(rows, sides, cost, self.clock, shift, starts or None)
            self.clock.stop_if_over()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # told once, for all fits
                model._recover(solutions, shift)
            fitted, before = perf_counter(), price
            value = score(self.scorer, model, *judged, weights)
            finished = all(s.certificate.status.name != "ITERATION_LIMIT" for s in solutions)
            yield Cell(value, fitted - begun, perf_counter() - fitted, finished)


def _grown(solution: Solution, ratio: float) -> LinearStart:
    """Begin at the weights found, with duals that have grown as the cost has."""
    return LinearStart(solution.point.theta, ratio * getattr(solution.point, "beta", np.empty(0)))
