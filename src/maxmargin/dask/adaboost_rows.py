"""What a worker computes in a round of AdaBoost: its rows' weights after all rounds, in sums.

The rounds so far are all that is sent. A worker that knows the weights after some of them applies
the rest; one that has just read its rows applies all of them, to the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxmargin.dask.bins import Binned, Cuts, binned, dense, on_grid, sum_bins
from maxmargin.dask.rows import Parts, Rows, in_order
from maxmargin.dask.stump_search import Neighbours, Values, join_neighbours, neighbours

Vector = NDArray[np.float64]

_FLOOR = 1e-250


class Step(NamedTuple):
    """A round: rows with x <= cut are said to be ``left``, and weights are multiplied."""

    feature: int
    cut: float
    left: float
    wrong: float
    right: float
    floors: bool
    alpha: float


@dataclass(frozen=True)
class Votes:
    """How rows begin: the label of the positive class, and weights."""

    positive: Any
    unit: float
    class_weight: tuple[float, float] | None
    negative: Any


class _State(NamedTuple):
    steps: tuple[Step, ...]
    label: Vector
    share: Vector
    weight: Vector
    votes: Vector


class RoundSums(NamedTuple):
    """Of some rows after the rounds so far."""

    value: Vector
    up: Vector
    parts: Parts
    near: Neighbours | None

    @property
    def squares(self) -> float:
        """The sum of squared weights."""
        return in_order(self.parts, 0)

    @property
    def train_error(self) -> float:
        """The weighted share of rows that the vote gets wrong."""
        return in_order(self.parts, 1) / in_order(self.parts, 2)


def plus_round(one: RoundSums, other: RoundSums) -> RoundSums:
    """Add the sums of two parts of the rows."""
    near = None if one.near is None or other.near is None else join_neighbours(one.near, other.near)
    return RoundSums(
        one.value + other.value,
        one.up + other.up,
        one.parts | other.parts,
        near,
    )


def _begin(rows: Rows, votes: Votes) -> _State:
    label = np.where(rows.y == votes.positive, 1.0, -1.0)
    share = rows.weights / votes.unit
    if votes.class_weight is not None:
        share = share * np.where(label > 0, votes.class_weight[1], votes.class_weight[0])
    return _State((), label, share, share.copy(), np.zeros(len(rows)))


def state_of(rows: Rows, votes: Votes, steps: tuple[Step, ...]) -> _State:
    """Return weights and votes after some rounds."""
    state: _State = rows.memo.get("boost") or _begin(rows, votes)
    if state.steps != steps[: len(state.steps)]:
        state = _begin(rows, votes)
    X = dense(rows)
    for step in steps[len(state.steps) :]:
        _apply(X, state, step)
    rows.memo["boost"] = state = state._replace(steps=steps)
    return state


def _apply(X: Any, state: _State, step: Step) -> None:
    if step.feature < 0:
        said = np.full(len(state.label), step.left)
    else:
        said = np.where(X[:, step.feature] <= step.cut, step.left, -step.left)
    wrong = said != state.label
    weight = state.weight
    if step.right == 1.0:
        weight[wrong] *= step.wrong
    else:
        weight *= np.where(wrong, step.wrong, step.right)
    if step.floors:
        np.maximum(weight, _FLOOR, out=weight)
    state.votes[:] += step.alpha * said


def signed(rows: Rows, state: _State, exponent: int) -> Vector:
    """Return the weights with the sign of the label, on a grid."""
    key, value = rows.memo.get("signed", (None, None))
    if key != (len(state.steps), exponent):
        value = on_grid(state.weight, exponent) * state.label
        rows.memo["signed"] = (len(state.steps), exponent), value
    signs: Vector = value
    return signs


def sum_round(
    rows: Rows, cuts: Cuts, votes: Votes, steps: tuple[Step, ...], exponent: int
) -> RoundSums:
    """Sum signed weights by bins, after the rounds so far."""
    bins, state = binned(rows, cuts), state_of(rows, votes, steps)
    values = signed(rows, state, exponent)
    wrong = (state.votes > 0.0) != (state.label > 0.0)
    last = steps[-1] if steps and steps[-1].feature >= 0 else None
    near = None if last is None else neighbours(rows, last.feature, last.cut)
    squares = float(state.weight @ state.weight)
    return RoundSums(
        sum_bins(bins, values),
        sum_bins(bins, np.maximum(values, 0.0)),
        {rows.number: (squares, float(state.share[wrong].sum()), float(state.share.sum()))},
        near,
    )


def measure(rows: Rows, votes: Votes, steps: tuple[Step, ...]) -> tuple[float, float]:
    """Return the weight of validation rows that the vote gets wrong, and of all."""
    state = state_of(rows, votes, steps)
    wrong = (state.votes > 0.0) != (state.label > 0.0)
    return float(state.share[wrong].sum()), float(state.share.sum())


def ask_inside(
    rows: Rows,
    cuts: Cuts,
    votes: Votes,
    steps: tuple[Step, ...],
    exponent: int,
    verb: Any,
    wanted: Any,
) -> Any:
    """Call ``sum_inside`` or ``list_values`` on the values of a round."""
    bins: Binned = binned(rows, cuts)
    values = signed(rows, state_of(rows, votes, steps), exponent)
    return verb(rows, Values(values, None), bins, wanted)


def largest_weight(rows: Rows) -> float:
    """Return the largest weight of a partition."""
    return float(rows.weights.max(initial=0.0))


def draw_validation(rows: Rows, fraction: float, seed: int, held: bool) -> Rows:
    """Return the rows that are held out, or the others."""
    rng = np.random.default_rng([seed, rows.number])
    out = rng.random(len(rows)) < fraction
    some = np.flatnonzero(out == held)
    weight = None if rows.weight is None else rows.weight[some]
    return Rows(rows.X[some], rows.y[some], weight, rows.number)
