r"""A concave quadratic in a box, with or without one equality: the dual of every SVM here.

With K the Gram matrix, p a vector, l <= u bounds (l_i <= 0 <= u_i):

    dual     max_beta   p'beta - beta'K beta / 2
             s.t.       l_i <= beta_i <= u_i,     and, when there is a bias, sum_i beta_i = 0

    primal   min_{w,b}  |w|^2 / 2 + sum_i max(u_i g_i, l_i g_i),    g_i = p_i - f(x_i),
             f(x) = <w, phi(x)> + b                                 (b = 0 without a bias)

A bias may have another sum than 0, and variables may be in groups G of which each has a sum s_G and
a bias b_G of its own; then the primal has f(x_i) = <w, phi(x_i)> + b_G and the sum of all b_G s_G
besides. What that states is in ``nu.py`` and ``regression.py``.

At the optimum w = sum_i beta_i phi(x_i), so f(x_i) = (K beta)_i + b.

The soft-margin classifier is p_i = t_i, [l_i, u_i] = [0, C_i] where t_i = +1 and [-C_i, 0] where
t_i = -1: then beta_i = alpha_i t_i and max(u_i g_i, l_i g_i) = C_i max(0, 1 - t_i f(x_i)), the
hinge loss. Writing the dual in beta instead of alpha makes the equality's coefficients all one.

An infinite bound makes a loss a constraint of the primal: g_i <= 0 where u_i is infinite, g_i >= 0
where l_i is. With C_i infinite that is the hard margin, t_i f(x_i) >= 1. A point of the dual meets
such constraints only up to the tolerance, but a multiple s (w, b) of it meets them exactly, and its
value is one that the primal attains.

The optimality conditions use the gradient F = p - K beta. A variable is in I_up when beta_i < u_i
and in I_low when beta_i > l_i. With a bias, beta is optimal if and only if

    max_{I_up} F <= min_{I_low} F      (every b between the two is an optimal bias),

and without one if and only if max_{I_up} F <= 0 <= min_{I_low} F. How far this fails is the
violation; it is LIBSVM's stopping quantity m(alpha) - M(alpha) (Fan, Chen, Lin 2005, eq. 6).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import isinf
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class BoxQP:
    """max p'beta - beta'K beta / 2 over the box [lower, upper], with sum beta = 0 if ``bias``."""

    p: Vector
    lower: Vector
    upper: Vector
    bias: bool = True
    groups: NDArray[np.int8] | None = None
    """The number of each variable's group, ascending; None where all are in one."""
    totals: tuple[float, ...] = (0.0,)
    """What the variables of each group sum to, with a bias."""
    copies: int = 1
    """Variables that see the same row, one after the other over all rows."""
    shift: float = 0.0
    """What was taken off all targets, and belongs to the bias that a user gets."""

    def __len__(self) -> int:
        return len(self.p)

    def part(self, variables: NDArray[np.intp], gradient: Vector) -> BoxQP:
        """State the problem of some variables, the others fixed where the gradient is this."""
        chosen = gradient[variables], self.lower[variables], self.upper[variables]
        groups = None if self.groups is None else self.groups[variables]
        return BoxQP(*chosen, self.bias, groups, self.totals)

    @cached_property
    def members(self) -> tuple[Any, ...]:
        """Which variables are in each group."""
        if self.groups is None:
            return (slice(None),)
        return tuple(np.flatnonzero(self.groups == g) for g in range(len(self.totals)))

    def spread(self, b: Vector) -> Vector | np.float64:
        """Assign every variable the bias of its group."""
        return b[0] if self.groups is None else b[self.groups]

    def dual(self, beta: Vector, product: Vector) -> float:
        """Value of the dual at beta, where ``product`` is K beta."""
        return float(self.p @ beta - 0.5 * (beta @ product))

    def primal(self, beta: Vector, product: Vector, b: float | Vector) -> float:
        """Value of the primal at w = sum_i beta_i phi(x_i) and b, one a group."""
        b = np.atleast_1d(b)
        g, upper, lower = self.p - product - self.spread(b), self.upper, self.lower
        if self.hard:  # an infinite bound costs nothing where the constraint is met exactly
            upper, lower, g = upper[g != 0], lower[g != 0], g[g != 0]
        losses = np.maximum(upper * g, lower * g).sum()
        return float(0.5 * (beta @ product) + losses + b @ np.asarray(self.totals))

    @cached_property
    def hard(self) -> bool:
        """Whether some bound is infinite, so that the primal has constraints."""
        if len(self.p) == 0:
            return False
        return isinf(np.minimum.reduce(self.lower)) or isinf(np.maximum.reduce(self.upper))

    def stretch(self, values: Vector) -> float:
        """Find the s with which s f(x_i) meets the constraints most narrowly; infinite if none.

        ``values`` are the f(x_i). For the hard margin s is 1 / min_i t_i f(x_i).
        """
        above, below = np.isinf(self.upper), np.isinf(self.lower)
        wanted = np.concatenate([self.p[above], -self.p[below]])
        given = np.concatenate([values[above], -values[below]])
        if (given[wanted > 0] <= 0).any():
            return np.inf
        least = float((wanted[wanted > 0] / given[wanted > 0]).max(initial=0.0))
        falls = (wanted <= 0) & (given < 0)
        most = float((wanted[falls] / given[falls]).min(initial=np.inf))
        s = least or min(1.0, most)
        return s if s <= most else np.inf

    def attained(self, beta: Vector, product: Vector, b: float | Vector) -> float:
        """Value of the primal at w and b, stretched to meet the constraints that there are."""
        if not self.hard:
            return self.primal(beta, product, b)
        values = product + self.spread(np.atleast_1d(b))
        s = self.stretch(values)
        if not np.isfinite(s):
            return np.inf
        g = self.p - s * values
        upper, lower = (np.where(np.isinf(u), 0.0, u) for u in (self.upper, self.lower))
        return float(0.5 * s * s * (beta @ product) + np.maximum(upper * g, lower * g).sum())

    def objectives(self, beta: Vector, product: Vector) -> tuple[float, float]:
        """Primal and dual value at beta, with the bias that its free variables say."""
        b = self.biases(beta, self.p - product)
        return self.attained(beta, product, b), self.dual(beta, product)

    def limits(self, beta: Vector, gradient: Vector) -> tuple[Vector, Vector]:
        """max_{I_up} F and min_{I_low} F of each group; without a bias compared with 0."""
        rises, falls = beta < self.upper, beta > self.lower
        up = np.array([gradient[m].max(where=rises[m], initial=-np.inf) for m in self.members])
        low = np.array([gradient[m].min(where=falls[m], initial=np.inf) for m in self.members])
        return (up, low) if self.bias else (np.maximum(up, 0.0), np.minimum(low, 0.0))

    def violation(self, beta: Vector, gradient: Vector) -> float:
        """By how much the optimality conditions fail; at most 0 means optimal."""
        up, low = self.limits(beta, gradient)
        return float((up - low).max() if self.bias else np.maximum(up, -low).max())

    def intercept(self, beta: Vector, gradient: Vector) -> float:
        """Find b of the model: the middle of the groups'."""
        of_groups = self.biases(beta, gradient)
        return float(of_groups[0] if len(of_groups) == 1 else of_groups.mean())

    def biases(self, beta: Vector, gradient: Vector) -> Vector:
        """Find b of each group: the mean of F over its free variables, or the middle without any.

        Free variables lie on their margin, so all of them say the same b at the optimum.
        """
        if not self.bias:
            return np.zeros(1)
        free = (beta > self.lower) & (beta < self.upper)
        of_groups, ends = [], None
        for number, m in enumerate(self.members):
            on_margin = gradient[m][free[m]]
            if len(on_margin):
                of_groups.append(np.add.reduce(on_margin) / len(on_margin))
            else:
                ends = np.column_stack(self.limits(beta, gradient)) if ends is None else ends
                of_groups.append(_middle(ends[number]))
        return np.array(of_groups)

    def feasible(self, beta: Vector) -> bool:
        """Whether beta is in the box and, with a bias, has its sums up to rounding."""
        inside = bool((beta >= self.lower).all() and (beta <= self.upper).all())
        slack = 1e-9 * (1.0 + float(np.abs(beta).sum()))
        sums = [float(beta[m].sum()) for m in self.members]
        off = max(abs(s - wanted) for s, wanted in zip(sums, self.totals, strict=True))
        return inside and (not self.bias or off <= slack)


def _middle(ends: Vector) -> float:
    finite = ends[np.isfinite(ends)]
    return float(finite.mean()) if len(finite) else 0.0


def c_svc(t: NDArray[Any], C: float | Vector, *, bias: bool = True) -> BoxQP:
    """State the soft-margin classifier of labels t in {-1, +1} and cost C, one or one a row.

    Examples
    --------
    >>> problem = c_svc(np.array([1, -1]), 2.0)
    >>> problem.lower.tolist(), problem.upper.tolist()
    ([0.0, -2.0], [2.0, 0.0])
    """
    t = np.asarray(t, dtype=np.float64)
    signed = t * np.asarray(C, dtype=np.float64)
    return BoxQP(t, np.minimum(signed, 0.0), np.maximum(signed, 0.0), bias)


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

    def reduce(self, ufunc: np.ufunc, values: Any) -> Any:
        """Reduce each part, for instance by ``np.maximum`` to its largest value."""
        return ufunc.reduceat(values, self.starts[:-1])

    def spread(self, numbers: Vector) -> Vector | np.float64:
        """Assign every place the number of its part."""
        if len(self.starts) == 2:
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
        gradient, sum_of, parts = self.p - product, self.segments.sum, self.segments
        if self.groups is not None:
            parts = self.groups
        rises, falls = beta < self.upper, beta > self.lower
        up = parts.reduce(np.maximum, np.where(rises, gradient, -np.inf))
        low = parts.reduce(np.minimum, np.where(falls, gradient, np.inf))
        b = self._bias(gradient, rises & falls, up, low)
        half, g = 0.5 * sum_of(beta * product), gradient - parts.spread(b)
        primal = self._attained(beta, product, b) if self.hard else half + self._losses(g)
        if any(self.totals):
            primal = primal + self._joined(b * np.asarray(self.totals))
        violation = up - low if self.bias else np.maximum(np.maximum(up, 0.0), -low)
        violation = violation if self.groups is None else violation.max(keepdims=True)
        inside = self.segments.reduce(
            np.logical_and, (beta <= self.upper) & (beta >= self.lower)
        )  # so no NaN is
        stray = np.zeros(len(self.segments))
        if self.bias:
            off = np.abs(parts.sum(beta) - np.asarray(self.totals))
            stray = self._joined(np.abs(b) * off)
            worst = off if self.groups is None else off.max()
            inside = inside & (worst <= 1e-9 * (1.0 + sum_of(np.abs(beta))))
        return StackPoint(primal, sum_of(self.p * beta) - half, violation, g, stray, inside)

    def _joined(self, of_groups: Vector) -> Vector:
        """Add up what there is of each group, for its problem."""
        return of_groups if self.groups is None else of_groups.sum(keepdims=True)

    def _bias(self, gradient: Vector, free: Mask, up: Vector, low: Vector) -> Vector:
        """Find every b: the mean of F over the free variables, or the middle where none is free."""
        if not self.bias:
            return np.zeros(len(self))
        parts = self.segments if self.groups is None else self.groups
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
