"""Which columns a distance should look at, and how much: chosen by leave-one-out.

The distance of neighbours counts every column, and columns that have nothing to do with the target
are noise in it. Two searches over the weights w of a distance, each judged by the leave-one-out
loss of the neighbours that it makes:

    eliminate   from all columns, drop again and again the one without which the loss is least,
                down to one; then keep the best set on the way (greedy backward elimination)
    weigh       column after column, try a few weights and keep one that makes the loss smaller,
                until a whole round changes none (coordinate search)

Both follow the loss, so the loss that they end with is too good; judge the model on other rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from maxmargin.ops.clock import Clock, TimeUp

Vector = NDArray[np.float64]
Judge = Callable[[list[Vector]], Vector]

SELECTIONS = ("eliminate", "weigh")
GRID = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)
_ROUNDS = 10  # after which a coordinate search has found what it will


@dataclass(frozen=True)
class AttributeStep:
    """One step of a search: what was changed, and the leave-one-out loss after it."""

    attribute: str
    weight: float
    loss: float


@dataclass(frozen=True)
class AttributeSearch:
    """The result of a search over the weights of columns.

    Attributes
    ----------
    attributes : tuple of str
        The columns.
    first_loss : float
        The leave-one-out loss before the first step: the error rate or the mean squared error; NaN
        if there was no time for it.
    steps : tuple of AttributeStep
        The steps, in order; an elimination goes down to the last column.
    weights : ndarray of shape (columns,)
        The best weights found.
    loss : float
        Their leave-one-out loss.
    complete : bool
        Whether the search finished within the time limit.
    """

    attributes: tuple[str, ...]
    first_loss: float
    steps: tuple[AttributeStep, ...] = field(repr=False)
    weights: Vector
    loss: float
    complete: bool = True

    @property
    def kept(self) -> list[str]:
        """The columns that count."""
        return [name for name, w in zip(self.attributes, self.weights, strict=True) if w > 0.0]

    def __str__(self) -> str:
        lines = [f"{'all as given':24s} {self.first_loss:8.4f}"]
        lines += [f"{f'{s.attribute} = {s.weight:g}':24s} {s.loss:8.4f}" for s in self.steps]
        return "\n".join(lines)


class _Path:
    """The steps of a search, and the best weights on the way."""

    def __init__(self, names: list[str], weights: Vector) -> None:
        self.names, self.weights, self.best = names, weights, weights
        self.first = self.loss = float("nan")  # until computed
        self.steps: list[AttributeStep] = []

    def begin(self, loss: float) -> None:
        self.first = self.loss = loss

    def go(self, column: int, weight: float, loss: float) -> None:
        self.weights = _changed(self.weights, column, weight)
        self.steps.append(AttributeStep(self.names[column], weight, loss))
        if loss <= self.loss:  # of equal losses the later: it has fewer columns
            self.best, self.loss = self.weights, loss

    def found(self, complete: bool) -> AttributeSearch:
        names, steps = tuple(self.names), tuple(self.steps)
        return AttributeSearch(names, self.first, steps, self.best, self.loss, complete)


def search_attributes(
    selection: str, judge: Judge, weights: Vector, names: list[str], clock: Clock
) -> AttributeSearch:
    """Search better weights of columns.

    Parameters
    ----------
    selection : {"eliminate", "weigh"}
    judge : callable
        Gives the leave-one-out losses of some weights.
    weights : ndarray of shape (columns,)
        Where to begin.
    names : list of str
        Of the columns.
    clock : Clock
        A search that it ends keeps the best so far.

    Returns
    -------
    AttributeSearch
    """
    path = _Path(names, weights)
    walk = _eliminate if selection == "eliminate" else _weigh
    try:
        path.begin(float(judge([weights])[0]))
        walk(path, judge)
    except TimeUp:
        if not clock.expired:  # a search around this one has ended
            raise
        return path.found(complete=False)
    return path.found(complete=True)


def _eliminate(path: _Path, judge: Judge) -> None:
    while np.count_nonzero(path.weights) > 1:
        columns = np.flatnonzero(path.weights).tolist()
        losses = judge([_changed(path.weights, j, 0.0) for j in columns])
        best = int(losses.argmin())
        path.go(columns[best], 0.0, float(losses[best]))


def _weigh(path: _Path, judge: Judge) -> None:
    for _ in range(_ROUNDS):
        before = len(path.steps)
        for j in range(len(path.weights)):
            _try_weights(path, judge, j)
        if len(path.steps) == before:
            return


def _try_weights(path: _Path, judge: Judge, column: int) -> None:
    tried = [w for w in GRID if w != path.weights[column]]
    changed = [_changed(path.weights, column, w) for w in tried]
    allowed = [k for k, weights in enumerate(changed) if weights.any()]
    losses = judge([changed[k] for k in allowed])
    best = int(losses.argmin())
    if losses[best] < path.loss:
        path.go(column, tried[allowed[best]], float(losses[best]))


def _changed(weights: Vector, column: int, weight: float) -> Vector:
    changed = weights.copy()
    changed[column] = weight
    return changed
