r"""The duals of a support vector machine for every cost C, from 0 on, exactly.

    max_alpha   sum_i alpha_i - 1/2 sum_ij alpha_i alpha_j t_i t_j K_ij
    s.t.        0 <= alpha_i <= C,   sum_i t_i alpha_i = 0;      f(x_i) = sum_j alpha_j t_j K_ij + b

Hastie, Rosset, Tibshirani, Zhu, "The entire regularization path for the support vector machine",
JMLR 5 (2004): alpha and b are linear in C between finitely many corners. On a stretch, rows short
of their margin (t_i f(x_i) < 1) have alpha_i = C, rows beyond it 0, and those on it, the elbow, are
where their rates of change, alpha_i' = d alpha_i / dC, keep them:

    min_{alpha'}  1/2 |sum_i alpha_i' t_i phi(x_i)|^2     s.t.  sum_i t_i alpha_i' = 0,
                  alpha_i' = 1 where short,   0 where beyond,   free in the elbow,
                  alpha_i' >= 0 on the margin at alpha_i = 0,   <= 1 on the margin at alpha_i = C.

The last line is of the rows that have just arrived at a corner. The paper tries them one by one
(section 3); stated as a quadratic program, solved by active sets (Nocedal, Wright, "Numerical
Optimization", algorithm 16.3), it holds for any number that arrive together, and for elbows whose
matrix is singular, as of repeated rows: any solution will do. At C = 0 it is the paper's program
for the start (section 3.1.2). A stretch without an elbow leaves b an interval, which ends the
stretch when it closes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve

from maxmargin.ops.clock import stop_if_over

Vector = NDArray[np.float64]
Mask = NDArray[np.bool_]

_EPS = float(np.finfo(np.float64).eps)
_NEAR = 1e-9  # an alpha so close to a bound is at it, and a row so close to its margin is on it
_SINGULAR = 1e-12  # of the largest: a smaller pivot is none
_ABOUT = 1e-6  # how far the alpha / C to begin with may be off
_STILL = 1e-13  # a rate of alpha that rounding explains
_ROUNDED = 1e-10  # of what was summed up: a slope smaller than this is none


class LostError(ValueError):
    """Rounding leaves no direction to go on in."""


@dataclass(frozen=True)
class Corner:
    """Where the path turns."""

    C: float
    alpha: Vector
    b: float
    product: Vector
    """K beta, summed anew."""
    elbow: Mask
    """Which rows move off both bounds from here on."""
    short: Mask
    """Which rows go on at alpha = C."""


@dataclass(frozen=True)
class Rates:
    """The direction in which the path leaves a corner."""

    alpha: Vector
    b: float
    moving: Mask


def follow(K: Vector, t: Vector, C_max: float, start: Vector) -> Iterator[Corner]:
    """Go from corner to corner.

    Parameters
    ----------
    K : ndarray of shape (rows, rows)
        Positive semidefinite.
    t : ndarray of -1.0 and 1.0
        With both.
    C_max : float
        Where to stop.
    start : ndarray of shape (rows,)
        About what alpha / C is for the smallest C.

    Yields
    ------
    corner : Corner
        The first at 0, the last at C_max.
    """
    walk, stuck = _Walk(K, t), 0
    C, alpha, b, product = 0.0, np.zeros(len(t)), float(np.sign(t.sum())), np.zeros(len(t))
    rates = walk.first(start)
    while True:
        stop_if_over()
        short = ~rates.moving & (rates.alpha == 1.0)
        yield Corner(C, alpha, b, product, rates.moving, short)
        left = C_max - C
        if left <= 0:
            return
        step, b = walk.next_event(C, alpha, b, product, rates, left)
        stuck = stuck + 1 if C + step == C else 0
        if stuck > (len(t) if C > 0 else 0):
            raise LostError("rows change sides without end")
        C = C_max if step == left else C + step
        alpha, b, product = walk.moved(C, alpha + step * rates.alpha, b, rates)
        rates = walk.rates(C, alpha, b, product)


class _Walk:
    """A problem, and the steps that a path of it is made of."""

    def __init__(self, K: Vector, t: Vector) -> None:
        self._Q, self._t = K * t * t[:, None], t
        self._size = np.abs(K).max(axis=1)

    # directions

    def first(self, start: Vector) -> Rates:
        """Leave C = 0: the smaller class is short of its margin, the larger has as much weight."""
        t = self._t
        few = t == -np.sign(t.sum())
        if t.sum() == 0:
            return self._rates(np.ones(len(t)), np.ones(len(t)), np.ones(len(t)))
        return self._rates(_feasible(start, t, few), few.astype(np.float64), np.ones(len(t)))

    def rates(self, C: float, alpha: Vector, b: float, product: Vector) -> Rates:
        """Leave a corner."""
        margin = self._t * (product + b)
        slack = _NEAR + 64 * _EPS * float(self._size.max() * alpha.sum())
        on = np.abs(margin - 1.0) <= slack
        full, empty = _at_bounds(alpha, C)
        low = np.where(full & ~on, 1.0, np.where(empty, 0.0, -np.inf))
        high = np.where(empty & ~on, 0.0, np.where(full, 1.0, np.inf))
        between = ~full & ~empty
        begin = np.where(full, 1.0, 0.0)
        return self._rates(_balanced(begin, self._t, between), low, high)

    def _rates(self, rates: Vector, low: Vector, high: Vector) -> Rates:
        """Solve for the rates by active sets, from some that are feasible."""
        moving = (rates > low) & (rates < high)
        for turn in range(50 + 20 * len(rates)):
            slope = self._Q @ rates
            if not moving.any():
                pair, slope_b = self._open(slope, rates, low, high)
                if pair is None:
                    return Rates(rates, slope_b, moving)
                moving[pair] = True
            change, slope_b = self._minimum(moving, slope)
            rates, blocked = _go(rates, change, low, high, moving)
            if blocked is not None:
                moving[blocked] = False
                continue
            margins = self._Q @ rates + self._t * slope_b
            worst = _most_wrong(margins, rates, low, high, moving, self._floor(rates), turn)
            if worst is None:
                rates[np.abs(rates) <= _STILL] = 0.0
                return Rates(rates, slope_b, moving)
            moving[worst] = True
        raise LostError("rounding leaves it open which rows move")

    def _floor(self, rates: Vector) -> float:
        """Return which slopes of margins rounding explains; rates of 0 come of some around 1."""
        return _ROUNDED * float(self._size.max()) * max(1.0, float(np.abs(rates).sum()))

    def _minimum(self, moving: Mask, slope: Vector) -> tuple[Vector, float]:
        """Return the shortest change of some rates that makes their margins stay, and b's rate."""
        change = np.zeros(len(moving))
        rows = np.flatnonzero(moving)
        change[rows], slope_b = self._keep(rows, -slope[rows], 0.0)
        return change, slope_b

    def _keep(self, rows: Any, wanted: Vector, total: float) -> tuple[Vector, float]:
        """Change the alphas of some rows, and b, so that their margins change as wanted."""
        return solve_bordered(self._Q[np.ix_(rows, rows)], self._t[rows], wanted, total)

    def _open(self, slope: Vector, rates: Vector, low: Vector, high: Vector) -> Any:
        """Without an elbow: which two rows have to move, or what b may do if none has to.

        b' lies between bounds -t_i slope_i: above it those of rows short with t_i = 1 or beyond
        with t_i = -1, if they are on their margin, and below it the others.
        """
        bounds, at_low = -self._t * slope, rates == low
        loose = low < high
        above, below = self._above(at_low) & loose, ~self._above(at_low) & loose
        upper = np.where(above, bounds, np.inf)
        lower = np.where(below, bounds, -np.inf)
        i, j = int(upper.argmin()), int(lower.argmax())
        if lower[j] > upper[i] + self._floor(rates):
            return [i, j], 0.0
        ends = [end for end in (lower[j], upper[i]) if np.isfinite(end)]
        return None, float(np.mean(ends)) if ends else 0.0

    def _above(self, beyond: Mask) -> Mask:
        """Return which rows bound b from above: short ones of +1, those beyond of -1."""
        return (self._t > 0) != beyond

    # steps

    def next_event(
        self, C: float, alpha: Vector, b: float, product: Vector, rates: Rates, most: float
    ) -> tuple[float, float]:
        """Return after which step, ``most`` at most, a row changes sides, and what b is then."""
        slope = self._t * (self._Q @ rates.alpha)
        if not rates.moving.any():
            return self._closing(product, slope, rates, most)
        t, moving = self._t, rates.moving
        margin, margin_rate = t * (product + b), t * (slope + rates.b)
        short, floor = ~moving & (rates.alpha == 1.0), self._floor(rates.alpha)
        beyond = ~moving & ~short
        steps = [
            _reach(alpha, rates.alpha, moving),
            _reach(C - alpha, 1.0 - rates.alpha, moving),
            _reach(1.0 - margin, -margin_rate, short & (margin_rate > floor)),
            _reach(margin - 1.0, margin_rate, beyond & (margin_rate < -floor)),
        ]
        step = min(*steps, most)
        return step, b + step * rates.b

    def _closing(
        self, product: Vector, slope: Vector, rates: Rates, most: float
    ) -> tuple[float, float]:
        """Find the step after which the interval of b is a point (Dinkelbach's method)."""
        bounds, above = self._t - product, self._above(rates.alpha == 0.0)
        step = most
        while True:
            then = bounds - step * slope
            upper, lower = np.where(above, then, np.inf), np.where(above, -np.inf, then)
            i, j = int(upper.argmin()), int(lower.argmax())
            if upper[i] >= lower[j] - _NEAR - step * self._floor(rates.alpha):
                ends = [end for end in (lower[j], upper[i]) if np.isfinite(end)]
                return step, float(np.mean(ends))
            crossing = max(0.0, (bounds[i] - bounds[j]) / (slope[i] - slope[j]))
            if crossing >= step:  # as close as rounding lets the two come
                return step, float(0.5 * (upper[i] + lower[j]))
            step = crossing

    def moved(
        self, C: float, alpha: Vector, b: float, rates: Rates
    ) -> tuple[Vector, float, Vector]:
        """Arrive at a corner: bounds are met exactly, and so are the margins of the elbow."""
        alpha = np.where(rates.moving, alpha, np.where(rates.alpha == 1.0, C, 0.0))
        full, empty = _at_bounds(alpha, C)
        alpha[empty], alpha[full] = 0.0, C
        inside = rates.moving & (alpha > 0) & (alpha < C)
        if inside.any():
            rows = np.flatnonzero(inside)
            short = 1.0 - (self._Q @ alpha + self._t * b)[rows]
            change, change_b = self._keep(rows, short, -float(self._t @ alpha))
            alpha[rows], b = np.clip(alpha[rows] + change, 0.0, C), b + change_b
        return alpha, b, self._t * (self._Q @ alpha)


def solve_bordered(Q: Vector, t: Vector, right: Vector, total: float) -> tuple[Vector, float]:
    """Solve Q x + t y = right, t'x = total, by the shortest solution where there are several.

    Examples
    --------
    >>> solve_bordered(np.eye(2), np.array([1.0, -1.0]), np.array([1.0, 1.0]), 0.0)
    (array([1., 1.]), 0.0)
    """
    try:
        L = np.linalg.cholesky(Q)
    except np.linalg.LinAlgError:
        return _solve_singular(Q, t, right, total)
    pivots = np.square(L.diagonal())
    if pivots.min() <= _SINGULAR * pivots.max():
        return _solve_singular(Q, t, right, total)
    x, along = (cho_solve((L, True), each, check_finite=False) for each in (right, t))
    y = float((t @ x - total) / (t @ along))
    return x - y * along, y


def _solve_singular(Q: Vector, t: Vector, right: Vector, total: float) -> tuple[Vector, float]:
    system = np.zeros((len(t) + 1, len(t) + 1))
    system[:-1, :-1], system[:-1, -1], system[-1, :-1] = Q, t, t
    solution = np.linalg.lstsq(system, np.append(right, total), rcond=_SINGULAR)[0]
    return solution[:-1], float(solution[-1])


def _at_bounds(alpha: Vector, C: float) -> tuple[Mask, Mask]:
    """Return which rows are at C and which at 0; the largest of all may be far below C."""
    return alpha >= C - _NEAR * C, alpha <= _NEAR * alpha.max()


def _feasible(start: Vector, t: Vector, few: Mask) -> Vector:
    """Return both classes the same weight, all of the smaller one's, from about where to begin."""
    rates = np.where(few, 1.0, np.clip(start, 0.0, 1.0))
    rates[rates < _ABOUT], rates[rates > 1.0 - _ABOUT] = 0.0, 1.0
    rates = _balanced(rates, t, (rates > 0.0) & (rates < 1.0))
    if abs(t @ rates) <= _NEAR and rates.min() >= 0.0 and rates.max() <= 1.0:
        return rates
    return np.where(few, 1.0, few.sum() / (~few).sum())


def _balanced(rates: Vector, t: Vector, free: Mask) -> Vector:
    """Correct some rates by the same amount, so that all sum to 0."""
    rates = rates.copy()
    rates[free] -= t[free] * (t @ rates) / max(1, int(free.sum()))
    return rates


def _go(
    rates: Vector, change: Vector, low: Vector, high: Vector, moving: Mask
) -> tuple[Vector, int | None]:
    """Change rates as far as their bounds allow; say who is in the way."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        room = np.where(change < 0, (low - rates) / change, (high - rates) / change)
    room = np.where(moving & (change != 0), room, np.inf)
    first = int(room.argmin())
    if room[first] >= 1.0:
        return rates + change, None
    rates = rates + max(0.0, float(room[first])) * change
    rates[first] = low[first] if change[first] < 0 else high[first]
    return rates, first


def _most_wrong(
    margins: Vector,
    rates: Vector,
    low: Vector,
    high: Vector,
    moving: Mask,
    floor: float,
    turn: int,
) -> int | None:
    """Find a row at a bound that its margin's rate pulls off it; in the end the first, by Bland."""
    loose = ~moving & (low < high)
    pull = np.where(rates == low, -margins, margins) * loose
    wrong = np.flatnonzero(pull > floor)
    if len(wrong) == 0:
        return None
    return int(wrong[0] if turn > 10 * len(rates) else pull.argmax())


def _reach(left: Vector, rate: Vector, rows: Mask) -> float:
    """Return the smallest step after which something that shrinks is used up."""
    shrinks = rows & (rate < 0)
    if not shrinks.any():
        return np.inf
    return float((np.maximum(left[shrinks], 0.0) / -rate[shrinks]).min())
