r"""The best split of rows that lie on many workers, without sorting across the network.

Workers send sums over coarse bins. The sum S(x) of the values of all rows up to x is known at the
ends of bins; inside of one it stays within

    S(begin) - (sum of the bin's negative values) <= S(x) <= S(begin) + (sum of its positive ones),

and so does the sum of weights. Scores of splits are convex in these sums, so no split inside is
better than the best corner of that box. Only bins whose bound can still win are refined, by finer
cuts, and at last by their distinct values, until the best split is exactly that of all rows. Sums
are of values on a grid, hence exact in any order: partitions, their sizes and who adds them up
change no bit. Equal scores go to the smallest feature, then the smallest threshold, as in
``trees/columns.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxmargin.dask.bins import Binned, Cuts, dense
from maxmargin.dask.rows import Rows
from maxmargin.ops import split_score
from maxmargin.trees.split import midpoint

Vector = NDArray[np.float64]
Index = NDArray[np.int64]

SLACK = 1e-12
_FEW = 40_000
"""Rows that are sent as values without refining their bins before."""


class Values(NamedTuple):
    """What rows are split by: values, and weights unless all are 1; both on a grid."""

    value: Vector
    weight: Vector | None


class BinSums(NamedTuple):
    """Sums over bins: of values, of positive values, of weights."""

    value: Vector
    up: Vector
    weight: Vector


def plus(one: BinSums, other: BinSums) -> BinSums:
    """Add exact sums."""
    return BinSums(*(a + b for a, b in zip(one, other, strict=True)))


@dataclass(frozen=True)
class Question:
    """The criterion of a search: the edge of labels, or least squares."""

    square: bool
    total: Vector
    size: float
    """Sum of the sizes of values."""
    steepest: float = np.inf
    """The largest |value| / weight of a row."""

    def score(self, value: Vector, weight: Vector) -> Vector:
        """Score splits by the sums of one side."""
        if not self.square:
            return np.asarray(split_score.edge(value[..., None], self.total))
        return np.asarray(split_score.square(np.stack([value, weight], axis=-1), self.total))

    def bound(self, low: Vector, high: Vector, before: Vector, after: Vector) -> Vector:
        """Bound the score for sums within [low, high] and weights within [before, after]."""
        if not self.square:
            return np.maximum(self.score(low, before), self.score(high, before))
        corners = [self.score(v, h) for v in (low, high) for h in (before, after)]
        best = np.max(corners, axis=0)
        first, last = before <= 0.0, after >= self.total[1]
        best = np.where(first, self._at_the_end(np.maximum(high, -low), after), best)
        T = self.total[0]
        beyond = np.maximum(np.abs(T - low), np.abs(T - high))
        return np.where(last, self._at_the_end(beyond, self.total[1] - before), best)

    def _at_the_end(self, most: Vector, weight: Vector) -> Vector:
        """Bound the score of a side so small that its weight may be next to nothing."""
        T, H = self.total
        rest = H - weight
        with np.errstate(divide="ignore", invalid="ignore"):
            other = np.where(rest > 0.0, (abs(T) + most) ** 2 / rest, np.inf)
        return (most * self.steepest + other - T * T / H) / H

    @property
    def baseline(self) -> float:
        """The score without a split."""
        return 0.0 if self.square else float(abs(self.total[0]))

    def slack(self, best: float) -> float:
        """By how much equal scores may differ through rounding."""
        if not self.square:
            return SLACK * max(best, self.size)
        tiny = SLACK * self.size / float(self.total[1])
        return tiny * float(np.sqrt(max(best, 0.0))) + tiny * tiny


@dataclass(frozen=True)
class Found:
    """The best split: rows with x <= ``cut`` are its left side, with these sums."""

    feature: int
    cut: float
    score: float
    value: float
    weight: float


# on a worker


def sum_inside(
    rows: Rows, values: Values, bins: Binned, wanted: list[tuple[int, int, Vector]]
) -> BinSums:
    """Sum over the finer bins of some bins; each is given with its cuts."""
    X, parts = dense(rows), []
    for feature, number, cuts in wanted:
        some = bins.rows_of(feature, number)
        code = np.searchsorted(cuts, X[some, feature])
        parts.append(_by_code(values, some, code, len(cuts) + 1))
    return BinSums(*(np.concatenate([part[k] for part in parts]) for k in range(3)))


def _by_code(values: Values, some: Any, code: Any, count: int) -> BinSums:
    v = values.value[some]
    h = None if values.weight is None else values.weight[some]
    up = np.bincount(code, np.maximum(v, 0.0), count).astype(np.float64)
    weight = np.bincount(code, h, count).astype(np.float64)
    return BinSums(np.bincount(code, v, count).astype(np.float64), up, weight)


class Points(NamedTuple):
    """Distinct values of some bins with their sums; ``counts`` says how many each bin has."""

    counts: Index
    x: Vector
    value: Vector
    weight: Vector


def list_values(
    rows: Rows, values: Values, bins: Binned, wanted: list[tuple[int, int, float, float]]
) -> Points:
    """List the distinct values within (low, high] of some bins."""
    X, parts = dense(rows), []
    for feature, number, low, high in wanted:
        some = bins.rows_of(feature, number)
        x = X[some, feature].astype(np.float64)
        kept = (x > low) & (x <= high)
        parts.append(_distinct(x[kept], values, some[kept]))
    counts = np.array([len(part[0]) for part in parts], np.int64)
    return Points(counts, *(np.concatenate([part[k] for part in parts]) for k in range(3)))


def _distinct(x: Vector, values: Values, some: Any) -> tuple[Vector, Vector, Vector]:
    order = np.argsort(x, kind="stable")
    x, some = x[order] + 0.0, some[order]
    if len(x) == 0:
        return x, x, x
    first = np.flatnonzero(np.append(True, x[1:] != x[:-1]))
    value = np.add.reduceat(values.value[some], first)
    if values.weight is None:
        return x[first], value, np.diff(np.append(first, len(x))).astype(np.float64)
    return x[first], value, np.add.reduceat(values.weight[some], first)


def join_points(one: Points, other: Points) -> Points:
    """Merge distinct values of two parts of the rows."""
    group = np.concatenate([np.repeat(np.arange(len(p.counts)), p.counts) for p in (one, other)])
    x = np.concatenate([one.x, other.x])
    order = np.lexsort((x, group))
    group, x = group[order], x[order]
    if len(x) == 0:
        return one
    new = np.append(True, (x[1:] != x[:-1]) | (group[1:] != group[:-1]))
    first = np.flatnonzero(new)
    value = np.add.reduceat(np.concatenate([one.value, other.value])[order], first)
    weight = np.add.reduceat(np.concatenate([one.weight, other.weight])[order], first)
    counts = np.bincount(group[first], minlength=len(one.counts))
    return Points(counts.astype(np.int64), x[first], value, weight)


class Neighbours(NamedTuple):
    """Of a cut: the values next to it and the rows on its left."""

    below: float
    above: float
    left: int


def neighbours(rows: Rows, feature: int, cut: float) -> Neighbours:
    """Find the values of one column next to a cut."""
    x = dense(rows)[:, feature].astype(np.float64)
    left = x <= cut
    return Neighbours(
        float(x[left].max(initial=-np.inf)),
        float(x[~left].min(initial=np.inf)),
        int(np.count_nonzero(left)),
    )


def join_neighbours(one: Neighbours, other: Neighbours) -> Neighbours:
    """Join what two parts of the rows say."""
    return Neighbours(
        max(one.below, other.below), min(one.above, other.above), one.left + other.left
    )


def threshold_of(found: Neighbours) -> float:
    """Put the threshold where a local search would."""
    return midpoint(found.below + 0.0, found.above + 0.0)


# on the client


class Search:
    """One search: what is known of splits, and which bins are still to be refined.

    ``refine`` asks for sums over finer bins, and ``values`` for distinct values.
    """

    def __init__(self, question: Question, cuts: Cuts, counts: Index, sums: BinSums) -> None:
        self._question, self._cuts, self._counts = question, cuts, counts
        self._known: list[tuple[int, Vector, Vector, Vector, Vector]] = []
        self._open: list[tuple[float, int, int, float, float, float, float]] = []
        self._best = question.baseline
        begin = cuts.begin
        for j, edges in enumerate(cuts.coarse):
            part = slice(int(begin[j]), int(begin[j + 1]))
            self._take_bins(j, edges, BinSums(*(each[part] for each in sums)))
        self.traffic = 0

    def _take_bins(self, feature: int, edges: Vector, sums: BinSums) -> None:
        """Note the splits at the ends of a column's coarse bins, and bound those inside."""
        S, h = np.cumsum(sums.value), np.cumsum(sums.weight)
        self._note(feature, edges, S[:-1], h[:-1])
        before, at = np.append(0.0, S[:-1]), np.append(0.0, h[:-1])
        down = sums.up - sums.value
        bound = self._question.bound(before - down, before + sums.up, at, h)
        inner = self._has_inside(feature)
        for b in np.flatnonzero(inner):
            low = -np.inf if b == 0 else float(edges[b - 1])
            high = np.inf if b == len(edges) else float(edges[b])
            self._open.append((float(bound[b]), feature, int(b), low, high, before[b], at[b]))

    def _has_inside(self, feature: int) -> Any:
        """Return which bins may hold several values."""
        edges, count = self._cuts.coarse[feature], self._counts[feature]
        several = count[: len(edges) + 1] > 1
        return several & (not self._cuts.exact[feature])

    def _note(self, feature: int, x: Vector, value: Vector, weight: Vector) -> None:
        if len(x):
            score = self._question.score(value, weight)
            self._known.append((feature, x, score, value, weight))
            self._best = max(self._best, float(score.max()))

    def _winning(self, some: list[Any]) -> list[Any]:
        target = self._best - self._question.slack(self._best)
        return [each for each in some if each[0] >= target]

    def run(
        self,
        refine: Callable[[list[tuple[int, int, Vector]]], BinSums],
        values: Callable[[list[tuple[int, int, float, float]]], Points],
    ) -> Found | None:
        """Refine until nothing inside of a bin can win, and return the best split."""
        candidates = self._winning(self._open)
        rows = sum(int(self._counts[c[1]][c[2]]) for c in candidates)
        if rows > _FEW:
            candidates = self._winning(self._refine(candidates, refine))
        if candidates:
            self._list(candidates, values)
        return self._choose()

    def _refine(self, candidates: list[Any], refine: Any) -> list[Any]:
        wanted = [(c[1], c[2], self._cuts.inside(c[1], c[2])) for c in candidates]
        sums, opened, place = refine(wanted), [], 0
        for (_, j, b, low, high, S0, h0), (_, _, edges) in zip(candidates, wanted, strict=True):
            part = BinSums(*(each[place : place + len(edges) + 1] for each in sums))
            place += len(edges) + 1
            S, h = S0 + np.cumsum(part.value), h0 + np.cumsum(part.weight)
            self._note(j, edges, S[:-1], h[:-1])
            before, at = np.append(S0, S[:-1]), np.append(h0, h[:-1])
            down = part.up - part.value
            bound = self._question.bound(before - down, before + part.up, at, h)
            ends = [low, *edges.tolist(), high]
            opened += [
                (float(bound[k]), j, b, ends[k], ends[k + 1], before[k], at[k])
                for k in np.flatnonzero(part.weight > 0.0)
            ]
        return opened

    def _list(self, candidates: list[Any], values: Any) -> None:
        points = values([(c[1], c[2], c[3], c[4]) for c in candidates])
        stops = np.cumsum(points.counts)
        for (_, j, _, _, high, S0, h0), stop, count in zip(
            candidates, stops, points.counts, strict=True
        ):
            some = slice(int(stop - count), int(stop))
            S, h = S0 + np.cumsum(points.value[some]), h0 + np.cumsum(points.weight[some])
            x = points.x[some]
            inside = slice(0, len(x) - 1) if high == np.inf else slice(0, len(x))
            self._note(j, x[inside], S[inside], h[inside])

    def _choose(self) -> Found | None:
        """Return the first of the best splits; None if none is better than no split."""
        question = self._question
        slack = question.slack(self._best)
        if not self._best > question.baseline + slack:
            return None
        best: Found | None = None
        for feature, x, score, value, weight in self._known:
            for k in np.flatnonzero(score >= self._best - slack):
                if best is None or (feature, x[k]) < (best.feature, best.cut):
                    numbers = float(x[k]), float(score[k]), float(value[k]), float(weight[k])
                    best = Found(feature, *numbers)
        return best
