"""The rounds: cyclic boosting of a list of terms, in all bags side by side.

With z the values of the rows, L the loss and w the weights of the rows that a bag learns from, a
round of a bag is

    1  g_i = w_i L'(z_i), h_i = w_i L''(z_i)
    2  for every term in turn: the few leaves of its bins that lower
       sum_i g_i d_i + h_i d_i^2 / 2 the most, d what the round has added so far;
       d_i <- d_i - rate G / H in each leaf, G and H its sums of g_i + h_i d_i and h_i
    3  z <- z + d

Lou, Caruana, Gehrke and Hooker, Accurate intelligible models with pairwise interactions, KDD 2013,
algorithm 1, in the form of InterpretML: small steps, bags, early stopping. Here an exponential is
taken once a row and round, not once a row and term.

All bags make the same number of rounds, the one after which the rows held out, each by one bag,
have the least loss together. For pairs half of the bags are judges: the rows that they hold out had
no part in choosing the pairs, which would look better on those than they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.ensembles.rounds import ROUNDING, Round, Stop
from maxmargin.glass_box.objective import Objective
from maxmargin.ops.engine import engine_of
from maxmargin.ops.threads import Workers

Vector = NDArray[np.float64]

_ALL = 8  # rounds after which all terms take a step again
_FRESH = 4  # rounds that use the same sums of curvatures


@dataclass(frozen=True)
class Rule:
    """How a term takes a step.

    Parameters
    ----------
    rate : float
        Factor of every step.
    least : float
        Weight of a leaf.
    ridge : float
        Added to the curvature of a leaf.
    longest : float
        Step of a leaf, before the rate.
    softer : float
        Added to the curvature of a category when categories are put in order.
    sharpness : int
        A column's step is the mean of all its cuts, weighed by their gains to this power: 0 is as
        smooth as can be, and a large one takes the best cut.
    greed : float
        A term takes a step if its last gain was at least this share of the largest one; now and
        then all do.
    """

    rate: float
    least: float
    ridge: float
    longest: float
    softer: float
    sharpness: int
    greed: float

    def numbers(self) -> Vector:
        """Give them as the loops read them."""
        first = self.rate, self.least, self.ridge, self.longest, self.softer
        return np.array([*first, self.sharpness], dtype=np.float64)


@dataclass(frozen=True)
class Columns:
    """Columns as terms."""

    codes: NDArray[np.uint8]
    n_bins: NDArray[np.int64]
    kind: NDArray[np.int64]
    widths: NDArray[np.int64]

    def sweep(self, begin: Any, rule: Vector, *arrays: Any) -> None:
        """Let every column take a step."""
        ops = engine_of(self.codes).glass_box
        ops.sweep_columns(self.codes, begin, self.n_bins, self.kind, rule, *arrays)


@dataclass(frozen=True)
class Pairs:
    """Pairs of columns as terms."""

    codes: NDArray[np.uint16]
    shape: NDArray[np.int64]
    kind: NDArray[np.int64]

    @property
    def widths(self) -> NDArray[np.int64]:
        """Cells of each pair."""
        return self.shape[:, 0] * self.shape[:, 1]

    def sweep(self, begin: Any, rule: Vector, *arrays: Any) -> None:
        """Let every pair take a step."""
        ops = engine_of(self.codes).glass_box
        ops.sweep_pairs(self.codes, begin, self.shape, self.kind, rule, *arrays)


Terms = Columns | Pairs


class ShapeBooster:
    """Bags that grow together, a round at a time.

    Parameters
    ----------
    terms : Columns or Pairs
    objective : Objective
    fold : ndarray of shape (rows,)
        Bag b holds out the rows of part b.
    z : ndarray of shape (bags, functions, rows)
        Values to begin with; changed in place.
    rule : Rule
    workers : Workers
    first : int
        Number of the round before the first.
    judges : int or None
        How many bags, the first ones, say which round is the best; None for all.
    """

    def __init__(
        self,
        terms: Terms,
        objective: Objective,
        fold: NDArray[np.int16],
        z: Vector,
        rule: Rule,
        workers: Workers,
        first: int = 0,
        judges: int | None = None,
    ) -> None:
        self._terms, self._objective, self._fold, self.z = terms, objective, fold, z
        self._rule, self._workers, self._greed = rule.numbers(), workers, rule.greed
        self.made = self.first = self.best_round = first
        self.begin = np.append(0, np.cumsum(terms.widths)).astype(np.int64)
        n_bags, n_functions, _ = z.shape
        self.values = np.zeros((n_bags, n_functions, self.begin[-1]))
        self._H, self._W = np.zeros_like(self.values), np.zeros((n_bags, self.begin[-1]))
        self._g, self._h = np.empty((2, *z.shape))
        self._gains = np.zeros((n_bags, n_functions, len(terms.codes)))
        self._losses, self._bends = np.zeros(n_bags), True
        self._best, self._lowest = self.values.copy(), np.inf
        self._judges = n_bags if judges is None else judges
        self._judged = float(objective.weight[fold < self._judges].sum())
        self._workers.each(self._begin_bag, range(n_bags))
        self.first_loss = self._held_loss()

    def _begin_bag(self, b: int) -> None:
        weight = np.where(self._fold == b, 0.0, self._objective.weight)
        self._sum(weight, self._W[b])
        self._look(b)

    def _sum(self, values: Vector, sums: Vector) -> None:
        codes = self._terms.codes
        engine_of(codes).glass_box.sum_bins(codes, self.begin, values, sums)

    def _look(self, b: int) -> None:
        """See the loss, and what leads down, where a bag is now."""
        held, g, h = self._fold == b, self._g[b], self._h[b]
        self._losses[b] = self._objective.evaluate(self.z[b], held, g, h, self._bends)
        if self._bends:
            for k in range(len(h)):
                self._sum(h[k], self._H[b, k])

    def round(self) -> Round | Stop:
        """Make one round in every bag."""
        self.made += 1
        self._bends = (self.made - self.first) % _FRESH == 0
        self._workers.each(self._grow, range(len(self.z)))
        loss = self._held_loss()
        near = ROUNDING * abs(self._lowest) if np.isfinite(self._lowest) else 0.0
        if loss < self._lowest - near:
            self._lowest, self.best_round = loss, self.made
            self._best[:] = self.values
        return Round(self.made, validation_loss=loss)

    def _grow(self, b: int) -> None:
        d = np.empty(self.z.shape[2])
        all_steps = (self.made - self.first) % _ALL == 1
        for k in range(len(self.z[b])):
            slopes = self._g[b, k], self._h[b, k], self._H[b, k], self._W[b]
            gains = self._gains[b, k]
            floor = -np.inf if all_steps else self._greed * float(gains.max())
            moved = d, self.values[b, k]
            self._terms.sweep(self.begin, self._rule, *slopes, *moved, gains, floor)
            self.z[b, k] += d
        self._look(b)

    def _held_loss(self) -> float:
        """Give the mean loss of the judges' rows held out, each where it was not learnt from."""
        total = float(np.cumsum(self._losses[: self._judges])[-1])
        return total / self._judged if self._judged > 0 else float("nan")

    @property
    def gained(self) -> bool:
        """Whether the best round is better than none."""
        return self._lowest < self.first_loss

    def keep(self, n_rounds: int) -> None:  # noqa: ARG002  (the best one, which was noted)
        """Return to the best round."""
        self.values[:] = self._best

    def restart(self, constants: Vector) -> None:
        """Set the rows' values to what constants and terms give."""
        add = engine_of(self.z).glass_box.add_term

        def work(b: int) -> None:
            self.z[b] = constants[:, None]
            for k, total in enumerate(self.z[b]):
                for t, line in enumerate(self._terms.codes):
                    add(line, self.values[b, k, self.begin[t] : self.begin[t + 1]], total)

        self._workers.each(work, range(len(self.z)))
