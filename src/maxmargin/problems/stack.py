"""Many box QPs in long vectors, one after the other: the problems of many classes.

What there is to see of their points is seen of all at once: NumPy takes as long to look at thirty
numbers as at a thousand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from maxmargin.problems.box_qp import BoxQP

Vector = NDArray[np.float64]
Mask = NDArray[np.bool_]
Index = NDArray[np.intp]


@dataclass(frozen=True)
class Segments:
    """Parts of long vectors: where each begins, and the end."""

    starts: Index

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __iter__(self) -> Iterator[slice]:
        return (slice(a, b) for a, b in pairwise(self.starts.tolist()))

    def sum(self, values: Vector | Mask) -> Vector:
        """Add up each part, in an order that does not depend on the others."""
        return np.add.reduceat(values, self.starts[:-1], dtype=np.float64)

    def max(self, values: Vector) -> Vector:
        """Find the largest value of each part."""
        return np.maximum.reduceat(values, self.starts[:-1])

    def min(self, values: Vector) -> Vector:
        """Find the smallest value of each part."""
        return np.minimum.reduceat(values, self.starts[:-1])

    def all(self, facts: Mask) -> Mask:
        """Return whether all of each part is true."""
        return np.logical_and.reduceat(facts, self.starts[:-1])

    def spread(self, numbers: Vector) -> Vector | np.float64:
        """Assign every place the number of its part."""
        if len(self) == 1:
            return numbers[0]
        return np.repeat(numbers, self.sizes)

    @cached_property
    def sizes(self) -> Index:
        """How long each part is."""
        return self.starts[1:] - self.starts[:-1]


@dataclass(frozen=True)
class StackPoint:
    """What there is to see of a point of every problem; ``g`` is p - f(x) of every variable."""

    primal: Vector
    dual: Vector
    violation: Vector
    g: Vector
    stray: Vector
    """What sums that are not quite what they should be count in the primal."""
    inside: Mask
    """Whether the point is in its box and, with a bias, has its sums up to rounding."""


@dataclass(frozen=True)
class Stack:
    """max p'beta - beta'K beta / 2 over [lower, upper], with sum beta = 0 if ``bias``, of many."""

    p: Vector
    lower: Vector
    upper: Vector
    segments: Segments
    bias: bool = True
    groups: Segments | None = None
    """Parts with a sum and a bias of their own, where a single problem has several."""
    totals: tuple[float, ...] = (0.0,)
    """What each group sums to, of every problem the same."""
    copies: int = 1
    """Variables that see the same row, one after the other over all rows."""
    shift: float = 0.0
    """What was taken off all targets of a single problem."""

    @classmethod
    def of(cls, problem: BoxQP) -> Stack:
        """Take a single problem."""
        segments, box = Segments(np.array([0, len(problem)])), (problem.lower, problem.upper)
        groups = None
        if problem.groups is not None:
            numbers = np.arange(len(problem.totals) + 1)
            groups = Segments(np.searchsorted(problem.groups, numbers))
        copies, shift = problem.copies, problem.shift
        return cls(problem.p, *box, segments, problem.bias, groups, problem.totals, copies, shift)

    def __len__(self) -> int:
        return len(self.segments)

    @cached_property
    def rows(self) -> Segments:
        """Where each problem's rows begin: as its variables, unless a row has several."""
        return self.segments if self.copies == 1 else Segments(self.segments.starts // self.copies)

    def of_rows(self, beta: Vector) -> Vector:
        """Add up the variables of every row, which are the coefficients of a model."""
        return beta if self.copies == 1 else beta.reshape(self.copies, -1).sum(axis=0)

    def of_variables(self, values: Vector) -> Vector:
        """Assign every variable what its row has."""
        return values if self.copies == 1 else np.tile(values, self.copies)

    def __iter__(self) -> Iterator[BoxQP]:
        for part in self.segments:
            yield BoxQP(self.p[part], self.lower[part], self.upper[part], self.bias)

    @cached_property
    def hard(self) -> bool:
        """Whether some bound is infinite, so that a primal has constraints."""
        return bool(np.isinf(self.lower.min()) or np.isinf(self.upper.max()))

    @cached_property
    def at_zero(self) -> Vector:
        """Values of the primals at w = 0 and b = 0: no dual value of a convex one is above it."""
        if not self.hard:
            return self._losses(self.p)
        with np.errstate(invalid="ignore"):
            cost = np.maximum(self.upper * self.p, self.lower * self.p)
        return self.segments.sum(np.where(self.p == 0, 0.0, cost))

    def look(self, beta: Vector, product: Vector) -> StackPoint:
        """Look at points beta, where ``product`` is K beta."""
        gradient, sum_of, parts = self.p - product, self.segments.sum, self.groups or self.segments
        rises, falls = beta < self.upper, beta > self.lower
        up = parts.max(np.where(rises, gradient, -np.inf))
        low = parts.min(np.where(falls, gradient, np.inf))
        b = self._bias(gradient, rises & falls, up, low)
        half, g = 0.5 * sum_of(beta * product), gradient - parts.spread(b)
        primal = self._attained(beta, product, b) if self.hard else half + self._losses(g)
        if any(self.totals):
            primal = primal + self._joined(b * np.asarray(self.totals))
        violation = up - low if self.bias else np.maximum(np.maximum(up, 0.0), -low)
        violation = violation if self.groups is None else violation.max(keepdims=True)
        off = self._off(beta)
        inside = self._inside(beta, off)
        stray = self._joined(np.abs(b * off)) if self.bias else np.zeros(len(self))
        return StackPoint(primal, sum_of(self.p * beta) - half, violation, g, stray, inside)

    def _joined(self, of_groups: Vector) -> Vector:
        """Add up what there is of each group, for its problem."""
        return of_groups if self.groups is None else of_groups.sum(keepdims=True)

    def _off(self, beta: Vector) -> Vector:
        """By how much each group's sum differs from what it should be."""
        sums = (self.groups or self.segments).sum(beta)
        return sums - np.asarray(self.totals) if any(self.totals) else sums

    def _bias(self, gradient: Vector, free: Mask, up: Vector, low: Vector) -> Vector:
        """Find every b: the mean of F over the free variables, or the middle where none is free."""
        if not self.bias:
            return np.zeros(len(self))
        parts = self.groups or self.segments
        count, total = parts.sum(free), parts.sum(np.where(free, gradient, 0.0))
        if count.all():
            return total / count
        with np.errstate(invalid="ignore"):
            ends = np.where(np.isfinite(up), up, low), np.where(np.isfinite(low), low, up)
            middle = 0.5 * (ends[0] + ends[1])
        middle = np.where(np.isfinite(middle), middle, 0.0)
        return np.where(count > 0, total / np.maximum(count, 1), middle)

    def _losses(self, g: Vector) -> Vector:
        return self.segments.sum(np.maximum(self.upper * g, self.lower * g))

    def _attained(self, beta: Vector, product: Vector, b: Vector) -> Vector:
        parts = zip(self, self.segments, b[:, None], strict=True)
        return np.array([p.attained(beta[s], product[s], b_) for p, s, b_ in parts])

    def _inside(self, beta: Vector, off: Vector) -> Mask:
        inside = self.segments.all((beta <= self.upper) & (beta >= self.lower))  # so no NaN is
        if not self.bias:
            return inside
        slack, off = 1e-9 * (1.0 + self.segments.sum(np.abs(beta))), np.abs(off)
        return inside & ((off if self.groups is None else off.max()) <= slack)
