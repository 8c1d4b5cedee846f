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

    def spread(self, numbers: Vector) -> Vector | np.float64:
        """Give every place the number of its part."""
        if len(self) == 1:
            return numbers[0]
        return np.repeat(numbers, np.diff(self.starts))


@dataclass(frozen=True)
class Seen:
    """What there is to see of a point of every problem; ``g`` is p - f(x) of every variable."""

    primal: Vector
    dual: Vector
    violation: Vector
    b: Vector
    g: Vector
    inside: Mask
    """Whether the point is in its box and, with a bias, sums to 0 up to rounding."""


@dataclass(frozen=True)
class Stack:
    """max p'beta - beta'K beta / 2 over [lower, upper], with sum beta = 0 if ``bias``, of many."""

    p: Vector
    lower: Vector
    upper: Vector
    segments: Segments
    bias: bool = True

    @classmethod
    def of(cls, problem: BoxQP) -> Stack:
        """Take a single problem."""
        segments = Segments(np.array([0, len(problem)]))
        return cls(problem.p, problem.lower, problem.upper, segments, problem.bias)

    def __len__(self) -> int:
        return len(self.segments)

    def __iter__(self) -> Iterator[BoxQP]:
        for part in self.segments:
            yield BoxQP(self.p[part], self.lower[part], self.upper[part], self.bias)

    @cached_property
    def hard(self) -> bool:
        """Whether some bound is infinite, so that a primal has constraints."""
        return not (np.isfinite(self.lower).all() and np.isfinite(self.upper).all())

    @cached_property
    def at_zero(self) -> Vector:
        """Values of the primals at w = 0 and b = 0: no dual value of a convex one is above it."""
        with np.errstate(invalid="ignore"):
            cost = np.maximum(self.upper * self.p, self.lower * self.p)
        return self.segments.sum(np.where(self.p == 0, 0.0, cost))

    def look(self, beta: Vector, product: Vector) -> Seen:
        """Look at points beta, where ``product`` is K beta."""
        gradient, sum_of = self.p - product, self.segments.sum
        rises, falls = beta < self.upper, beta > self.lower
        up = self.segments.max(np.where(rises, gradient, -np.inf))
        low = self.segments.min(np.where(falls, gradient, np.inf))
        b = self._bias(gradient, rises & falls, up, low)
        half, g = 0.5 * sum_of(beta * product), gradient - self.segments.spread(b)
        primal = self._attained(beta, product, b) if self.hard else half + self._losses(g)
        violation = up - low if self.bias else np.maximum(np.maximum(up, 0.0), -low)
        dual = sum_of(self.p * beta) - half
        return Seen(primal, dual, violation, b, g, self._inside(beta))

    def _bias(self, gradient: Vector, free: Mask, up: Vector, low: Vector) -> Vector:
        """Find every b: the mean of F over the free variables, or the middle where none is free."""
        if not self.bias:
            return np.zeros(len(self))
        count, total = self.segments.sum(free), self.segments.sum(np.where(free, gradient, 0.0))
        with np.errstate(invalid="ignore"):
            ends = np.where(np.isfinite(up), up, low), np.where(np.isfinite(low), low, up)
            middle = 0.5 * (ends[0] + ends[1])
        middle = np.where(np.isfinite(middle), middle, 0.0)
        return np.where(count > 0, total / np.maximum(count, 1), middle)

    def _losses(self, g: Vector) -> Vector:
        return self.segments.sum(np.maximum(self.upper * g, self.lower * g))

    def _attained(self, beta: Vector, product: Vector, b: Vector) -> Vector:
        parts = zip(self, self.segments, b.tolist(), strict=True)
        return np.array([p.attained(beta[s], product[s], b_) for p, s, b_ in parts])

    def _inside(self, beta: Vector) -> Mask:
        outside = self.segments.sum((beta > self.upper) | (beta < self.lower) | np.isnan(beta))
        if not self.bias:
            return outside == 0
        slack = 1e-9 * (1.0 + self.segments.sum(np.abs(beta)))
        return (outside == 0) & (np.abs(self.segments.sum(beta)) <= slack)
