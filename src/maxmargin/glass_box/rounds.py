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

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
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
_FRESH = 8  # rounds that use the same sums of curvatures
_BLOCK = 8  # rounds of a bag at a time, where not all rows' values are kept
_MOST_BYTES = 1 << 26  # of the rows' values in all bags


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


@dataclass(frozen=True)
class Base:
    """What the values of the rows begin with: constants, and terms that were learnt before.

    Parameters
    ----------
    constants : ndarray of shape (functions,)
    terms : sequence of (Terms, begin, values)
        With the values of all bags.
    """

    constants: Vector
    terms: Sequence[tuple[Terms, Any, Vector]] = ()

    def write(self, bag: int, z: Vector) -> None:
        """Write the values of the rows in a bag."""
        z[:] = self.constants[:, None]
        for terms, begin, values in self.terms:
            add_values(terms, begin, values[bag], z)


def add_values(terms: Terms, begin: Any, values: Vector, z: Vector) -> None:
    """Add what terms give to the rows' values, by function."""
    add = engine_of(z).glass_box.add_term
    for k, total in enumerate(z):
        for t, line in enumerate(terms.codes):
            add(line, values[k, begin[t] : begin[t + 1]], total)


class ShapeBooster:
    """Bags that grow together, a round at a time.

    The rows' values are kept for all bags if they fit into ``_MOST_BYTES``. Otherwise a bag makes
    ``_BLOCK`` rounds at a time, on values that are added up anew from its terms, so that memory
    does not grow with the number of bags.

    Parameters
    ----------
    terms : Columns or Pairs
    objective : Objective
    fold : ndarray of shape (rows,)
        Bag b holds out the rows of part b.
    n_bags : int
    base : Base
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
        n_bags: int,
        base: Base,
        rule: Rule,
        workers: Workers,
        first: int = 0,
        judges: int | None = None,
    ) -> None:
        self.terms, self._objective, self._fold, self._base = terms, objective, fold, base
        self._rule, self._workers, self._greed = rule.numbers(), workers, rule.greed
        self.made = self.first = self.best_round = first
        self.begin = np.append(0, np.cumsum(terms.widths)).astype(np.int64)
        shape = n_bags, len(base.constants)
        self.values = np.zeros((*shape, self.begin[-1]))
        self._H, self._W = np.zeros_like(self.values), np.zeros((n_bags, self.begin[-1]))
        self._gains = np.zeros((*shape, len(terms.codes)))
        self._best, self._lowest = self.values.copy(), np.inf
        self._judges = n_bags if judges is None else judges
        self._held = [np.flatnonzero(fold == b) for b in range(n_bags)]
        self._sizes = np.array([objective.size(rows) for rows in self._held[: self._judges]])
        small = int(np.prod(shape)) * fold.size * 8 <= _MOST_BYTES
        self._z = np.empty((*shape, fold.size)) if small else None
        self._block, self._spare = 1 if small else _BLOCK, deque[Vector]()
        self._losses, self._waiting = np.zeros((n_bags, self._block)), deque[float]()
        workers.each(self._begin_bag, range(n_bags))
        self._first_losses = self._best_losses = self._losses[:, 0].copy()

    def _begin_bag(self, b: int) -> None:
        with self._values_of(b, fresh=True) as (z, room):
            self._losses[b, 0] = self._objective.loss(z, self._held[b])
            np.multiply(self._objective.weight, self._fold != b, out=room[0])
            self._sum(room[0], self._W[b])

    @contextmanager
    def _values_of(self, b: int, fresh: bool = False) -> Iterator[tuple[Vector, Vector]]:
        """Lend the values of the rows in a bag, and room for slopes, curvatures and moves.

        There are as many rooms as threads.
        """
        n_functions = len(self._base.constants)
        try:
            room = self._spare.pop()
        except IndexError:
            size = 2 * n_functions + 1 + (n_functions if self._z is None else 0)
            room = np.empty((size, self._fold.size))
        z = room[-n_functions:] if self._z is None else self._z[b]
        if fresh or self._z is None:
            self._base.write(b, z)
            add_values(self.terms, self.begin, self.values[b], z)
        yield z, room
        self._spare.append(room)

    def _sum(self, values: Vector, sums: Vector) -> None:
        codes = self.terms.codes
        engine_of(codes).glass_box.sum_bins(codes, self.begin, values, sums)

    def round(self) -> Round | Stop:
        """Make one round in every bag."""
        if not self._waiting:
            self._workers.each(self._grow, range(len(self.values)))
            self._waiting.extend(self._held_loss(k) for k in range(self._block))
        self.made += 1
        loss = self._waiting.popleft()
        near = ROUNDING * abs(self._lowest) if np.isfinite(self._lowest) else 0.0
        if not self._waiting and loss < self._lowest - near:
            self._lowest, self.best_round = loss, self.made
            self._best[:] = self.values
            self._best_losses = self._losses[:, -1].copy()
        return Round(self.made, validation_loss=loss)

    def _grow(self, b: int) -> None:
        with self._values_of(b) as (z, room):
            n = len(z)
            for k in range(self._block):
                number = self.made - self.first + k
                self._one_round(b, number, z, room[:n], room[n : 2 * n], room[2 * n])
                self._losses[b, k] = self._objective.loss(z, self._held[b])

    def _one_round(self, b: int, number: int, z: Vector, g: Vector, h: Vector, d: Vector) -> None:
        self._objective.slopes(z, self._fold, b, g, h)
        all_steps = number % _ALL == 0
        for k in range(len(z)):
            if number % _FRESH == 0:
                self._sum(h[k], self._H[b, k])
            slopes = g[k], h[k], self._H[b, k], self._W[b]
            gains = self._gains[b, k]
            floor = -np.inf if all_steps else self._greed * float(gains.max())
            moved = d, self.values[b, k]
            self.terms.sweep(self.begin, self._rule, *slopes, *moved, gains, floor)
            z[k] += d

    def _held_loss(self, place: int) -> float:
        """Return the mean loss of the judges' rows held out, each where it was not learnt from."""
        total, size = np.cumsum(self._losses[: self._judges, place])[-1], self._sizes.sum()
        return float(total / size) if size > 0 else float("nan")

    @property
    def first_loss(self) -> float:
        """The mean loss of the judges' rows held out, before the first round."""
        return float(self._first_losses[: self._judges].sum() / max(self._sizes.sum(), 1e-300))

    def gained(self, errors: float) -> bool:
        """Whether the best round is better than none, by some standard errors of the bags."""
        if not np.isfinite(self._lowest):
            return False
        held = self._sizes > 0
        fall = (self._first_losses - self._best_losses)[: self._judges][held] / self._sizes[held]
        error = fall.std(ddof=1) / len(fall) ** 0.5 if len(fall) > 1 else 0.0
        return bool(fall.mean() > errors * error)

    def state(self) -> dict[str, Any]:
        """Return what ``resume`` needs to go on from here."""
        return {
            "values": self.values.copy(),
            "gains": self._gains.copy(),
            "losses": np.stack([self._first_losses, self._best_losses]),
            "lowest": float(self._lowest),
            "made": self.made - self.first,
        }

    def resume(self, state: dict[str, Any]) -> None:
        """Go on from the state of another booster of the same terms and rows."""
        self.values[:] = self._best[:] = state["values"]
        self._gains[:], self._lowest = state["gains"], state["lowest"]
        self._first_losses, self._best_losses = state["losses"]
        self.made = self.best_round = self.first + state["made"]
        self._workers.each(self._refresh, range(len(self.values)))

    def _refresh(self, b: int) -> None:
        """Add up the rows' values, and sum curvatures."""
        n = len(self._base.constants)
        with self._values_of(b, fresh=True) as (z, room):
            self._objective.slopes(z, self._fold, b, room[:n], room[n : 2 * n])
            for k in range(n):
                self._sum(room[n + k], self._H[b, k])

    def keep(self, n_rounds: int) -> None:  # noqa: ARG002  (the best one, which was noted)
        """Return to the best round."""
        self.values[:] = self._best
        self.made = self.best_round
        self.release()

    def release(self) -> None:
        """Free the memory of the rows' values, which are added up anew if need be."""
        self._z = None
        self._spare.clear()

    def finished(self) -> tuple[Terms, Any, Vector]:
        """Return terms and values as a part of a ``Base``."""
        return self.terms, self.begin, self.values

    def held_values(self) -> Vector:
        """Return the values of all rows, each in the bag that holds it out, by function."""
        found = np.empty((len(self._base.constants), self._fold.size))
        last = len(self.values) - 1

        def work(b: int) -> None:
            rows = self._held[b] if b < last else np.flatnonzero(self._fold >= last)
            with self._values_of(b) as (z, _):
                found[:, rows] = z[:, rows]

        self._workers.each(work, range(len(self.values)))
        return found
