"""Merge equal rows into one of a larger weight, in an order that only their values decide.

A row that is there twice and a row of weight 2 are the same, and a row whose twin was left in would
be predicted by it, which says nothing about new rows. So equal rows with equal targets become one,
and a fit depends neither on the order of rows nor on how repeats are written.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.ops.clock import look
from maxmargin.tabular.sampling import spread_order

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Distinct:
    """Distinct rows, by the position of the first of each, and the weights of all of each."""

    rows: NDArray[np.intp]
    weight: Vector

    def sample(self, count: int, target: NDArray[Any], seed: int) -> Distinct:
        """Return some of the rows, at random; of labels every class has its share."""
        label = None
        if target.dtype.kind != "f":
            label = np.unique(target[self.rows], return_inverse=True)[1]
        some = np.sort(spread_order(len(self.rows), label, seed)[:count])
        return Distinct(self.rows[some], self.weight[some])


def find_distinct(
    columns: Sequence[NDArray[Any]], target: NDArray[Any], weight: Vector
) -> Distinct:
    """Find the distinct rows of positive weight.

    Examples
    --------
    >>> x, y = np.array([2.0, 1.0, 2.0, np.nan]), np.array([0, 0, 0, 1])
    >>> found = find_distinct([x], y, np.array([1.0, 1.0, 3.0, 0.0]))
    >>> found.rows.tolist(), found.weight.tolist()
    ([1, 0], [1.0, 4.0])
    """
    kept = np.flatnonzero(weight > 0)
    number = _numbers(each[kept] for each in (target, *columns))
    order = np.argsort(number, kind="stable")
    starts = np.flatnonzero(np.diff(number[order], prepend=-1))
    sums = np.add.reduceat(weight[kept][order], starts) if len(starts) else np.zeros(0)
    return Distinct(kept[order[starts]], sums)


def _numbers(columns: Iterable[NDArray[Any]]) -> NDArray[np.intp]:
    """Return the number of each row in their order, by the first column, then the second, ..."""
    number = np.zeros(0, np.intp)
    for place, column in enumerate(columns):
        look()
        codes = _codes(column)
        codes -= codes.min(initial=0)
        pairs = codes if place == 0 else number * (int(codes.max(initial=0)) + 1) + codes
        number = np.unique(pairs, return_inverse=True)[1].reshape(-1)
        if number.max(initial=-1) == len(number) - 1:  # all differ already
            break
    return number


def _codes(values: NDArray[Any]) -> NDArray[np.intp]:
    """Return the number of each value in their order; missing values are alike."""
    if values.dtype.kind == "O":
        words = values.tolist()  # not an array of text: its longest would be the width of all
        number = {w: n for n, w in enumerate(sorted({w for w in words if w is not None}))}
        return np.array([-1 if w is None else number[w] for w in words], dtype=np.intp)
    return np.unique(values, return_inverse=True)[1].reshape(-1)
