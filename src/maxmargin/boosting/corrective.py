r"""Fully corrective boosting: all coefficients of an additive model at once, members being given.

With members h_j, rows of weights s_i that sum to 1, the constant F that the model begins with and
l_j > 0,

    primal   min_{a >= 0}  P(a) = sum_i s_i L(z_i, t_i) + 1/2 sum_j l_j a_j^2,
                           z_i = F + sum_j a_j h_j(x_i).

L(z, t) >= u z - L*(u, t) for every u, and what is left is least in each a_j >= 0 by itself:

    dual     max_u   D(u) = sum_i s_i (u_i F - L*(u_i, t_i)) - 1/2 sum_j min(0, g_j)^2 / l_j,
                     g_j = sum_i s_i u_i h_j(x_i).

At u_i = dL/dz_i, where the first inequality is an equality, no conjugate is left in the gap:

    P(a) - D(u) = 1/2 sum_j (l_j a_j^2 + 2 a_j g_j + min(0, g_j)^2 / l_j),

with the terms (l_j a_j + g_j)^2 / l_j where g_j < 0 and otherwise l_j a_j^2 + 2 a_j g_j, none of
them negative. So any a has a proof of how good it is. The ridge makes P strictly convex: it has
one minimum, also where the
members separate all rows and the loss alone would fall for ever. It is

    l_j = ridge c mean_i h_j(x_i)^2,     c the mean curvature of L at F,

which leaves the functions a_j h_j as they are when a member is scaled.

The search is Newton's: the minimum over a >= 0 of the parabola at a, by block principal pivoting
(Portugal, Judice and Vicente, A comparison of block pivoting and interior-point algorithms for
linear least squares problems with nonnegative variables, Math. Comp. 63, 1994), and half of the way
there as long as P does not fall. Corrective boosting: J. Kivinen and M. K. Warmuth, Boosting as
entropy projection, COLT 1999; with a ridge, S. Shalev-Shwartz, N. Srebro and T. Zhang, Trading
accuracy for sparsity in optimization problems with sparsity constraints, SIAM J. Optim. 20, 2010.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from maxmargin.boosting.objective import ObjectivePoint, RowObjective
from maxmargin.boosting.theory import inner
from maxmargin.inputs.parameters import FLAG, Parameter, ParameterError, numeric
from maxmargin.ops.clock import stop_if_over
from maxmargin.ops.design import Design
from maxmargin.ops.threads import Workers

Vector = NDArray[np.float64]

TOL = 1e-9
"""The gap that the coefficients are fitted to, relative to P."""
LEAST_RIDGE = 1e-12
"""With less the parabolas of Newton's steps are flat to rounding."""

_EPS = float(np.finfo(np.float64).eps)
_STEPS = 100
_HALVINGS = 60
_FAR = 1e100  # as far as a step may go: a loss beyond all numbers is halved away, nan is not
_ENOUGH = 1e-4  # of the fall that the slope promises
_SAME = 1e-12  # members whose directions differ by less are the same


CORRECTIVE_PARAMETERS: dict[str, Parameter] = {
    "corrective": FLAG,
    "ridge": numeric(LEAST_RIDGE),
}
"""What the parameters of joint coefficients may be."""


def refuse_first(model: Any) -> None:
    """Raise for a first coefficient that is both fixed and fitted."""
    if model.init == "first":
        raise ParameterError(
            f"init='first' of {type(model).__name__} leaves the first coefficient at 1, and "
            "corrective=True fits it again; give one of the two."
        )


@dataclass(frozen=True)
class JointOptimality:
    """The optimality of jointly fitted coefficients: mean loss, lower bound and gap.

    Parameters
    ----------
    primal : float
        The mean loss with the price of the coefficients, at the coefficients of the model.
    dual : float
        No coefficients of these members have a lower one.
    floor : float
        By how much rounding may have changed the gap between the two.
    tol : float
        The gap that was asked for, relative to ``primal``.

    Examples
    --------
    >>> print(JointOptimality(primal=0.25, dual=0.25, floor=1e-17, tol=1e-9))
    primal 0.25  dual 0.25  gap 0e+00: proved
    """

    primal: float
    dual: float
    floor: float
    tol: float

    @property
    def gap(self) -> float:
        """Primal minus dual."""
        return self.primal - self.dual

    @property
    def proved(self) -> bool:
        """Whether the gap, with all that rounding can add to it, is at most ``tol`` times P."""
        return bool(self.gap + self.floor <= self.tol * abs(self.primal))

    def __str__(self) -> str:
        said = "proved" if self.proved else "not proved"
        values = f"primal {self.primal:.7g}  dual {self.dual:.7g}"
        return f"{values}  gap {max(0.0, self.gap):.0e}: {said}"


@dataclass(frozen=True)
class JointFit:
    """Coefficients, where they lead, the slopes of the loss along members, and what is proved."""

    a: Vector
    point: ObjectivePoint
    g: Vector
    optimality: JointOptimality


class Correction:
    """Members' values on the training rows, whose coefficients are fitted together.

    Parameters
    ----------
    objective : RowObjective
        A smooth and convex loss of the rows.
    constant : float
        F, what the model begins with.
    ridge : float
    workers : Workers
    """

    def __init__(
        self, objective: RowObjective, constant: float, ridge: float, workers: Workers
    ) -> None:
        self._objective, self._constant, self._workers = objective, constant, workers
        self._share = objective.weight / objective.weight.sum()
        start = self._evaluate(np.full(len(self._share), constant))
        bend = float(self._bend(start).sum()) / objective.size
        self._price = ridge * (bend if bend > 0.0 else 1.0)
        self._h, self._ridge = np.empty((len(self._share), 8)), np.empty(0)

    def __len__(self) -> int:
        return len(self._ridge)

    def add(self, h: Vector) -> None:
        """Take in the values of one more member."""
        if len(self) == self._h.shape[1]:
            self._h = np.concatenate([self._h, np.empty_like(self._h)], axis=1)
        self._h[:, len(self)] = h
        square = inner(self._share, h * h)
        self._ridge = np.append(self._ridge, self._price * (square if square > 0.0 else 1.0))

    def drop(self, count: int) -> None:
        """Keep the first members alone."""
        self._ridge = self._ridge[:count]

    def knows(self, h: Vector) -> bool:
        """Return whether a member equal to this one up to scale exists."""
        if len(self) == 0:
            return False
        known = self._design()
        products = known.back(h)
        squares = known.squares(np.ones(len(h))) * inner(h, h)
        return bool((products >= (1.0 - _SAME) * np.sqrt(squares)).any())

    def fit(self, start: Vector) -> JointFit:
        """Fit the coefficients of all members, from a start that is not negative."""
        design = self._design()
        a = start.copy()
        fit = self._look(design, a)
        for _ in range(_STEPS):
            stop_if_over()
            if fit.optimality.proved or fit.optimality.gap <= fit.optimality.floor:
                break
            after = self._step(design, fit)
            if after is None:
                break
            stands = after.optimality.primal >= fit.optimality.primal
            fit = after
            if stands:  # what is left is rounding
                break
        return self._polished(design, fit)

    def _polished(self, design: Design, fit: JointFit) -> JointFit:
        """Take one more step where that lowers the gap: near the minimum it squares it."""
        after = self._step(design, fit)
        better = after is not None and after.optimality.gap < fit.optimality.gap
        return after if after is not None and better else fit

    def value(self, a: Vector) -> JointFit:
        """Judge coefficients as they are."""
        return self._look(self._design(), a)

    def _design(self) -> Design:
        return Design(np.ascontiguousarray(self._h[:, : len(self)]), 0.0, self._workers)

    def _evaluate(self, z: Vector) -> ObjectivePoint:
        point = ObjectivePoint.empty(len(z))
        point.z = z
        with np.errstate(over="ignore", invalid="ignore"):  # a step too long is halved
            self._objective.evaluate(point)
        return point

    def _bend(self, point: ObjectivePoint) -> Vector:
        """Return the curvature of every row's loss, which some objectives leave out."""
        if point.curvature is not None:
            return point.curvature
        curvature = self._objective.loss.curvature(point.z, self._objective.t)
        return self._objective.weight * curvature

    def _look(self, design: Design, a: Vector) -> JointFit:
        point = self._evaluate(design.values(a) + self._constant)
        if not (np.isfinite(point.value) and np.isfinite(point.pull).all()):  # a step too far
            return JointFit(
                a, point, np.zeros(len(a)), JointOptimality(np.inf, -np.inf, np.inf, TOL)
            )
        g = -design.back(point.pull) / self._objective.size
        with np.errstate(over="ignore", invalid="ignore"):  # far away no number is one
            return JointFit(a, point, g, self._judge(design, a, point, g))

    def _judge(
        self, design: Design, a: Vector, point: ObjectivePoint, g: Vector
    ) -> JointOptimality:
        """Return what is proved about the coefficients."""
        ridge, downhill = self._ridge, np.minimum(0.0, g)
        squares = (ridge * a + downhill) ** 2 / ridge + 2.0 * a * np.maximum(0.0, g)
        primal = point.value + 0.5 * float(ridge @ (a * a))
        floor = self._rounding(design, a, point, g)
        return JointOptimality(primal, primal - 0.5 * float(squares.sum()), floor, TOL)

    def _rounding(self, design: Design, a: Vector, point: ObjectivePoint, g: Vector) -> float:
        """Bound by how much the gap changes where rounding moves every slope g_j."""
        largest = np.abs(design.X).max(axis=0, initial=0.0)
        reach = abs(self._constant) + float(largest @ a)
        z_error = _EPS * (2.0 + len(a)) * reach
        pull = float(np.abs(point.pull).sum()) * _EPS * (4.0 + np.sqrt(len(point.z)))
        moved = float(np.abs(self._bend(point)).sum()) * z_error
        far = largest * (pull + moved) / self._objective.size
        price = self._ridge * a
        steep = np.where(g < far, np.abs(price + np.minimum(0.0, g)), 0.0)
        steep += np.where(g > -far, price, 0.0)
        gap = float(np.sum(far * (steep + far) / self._ridge))
        return gap + 4.0 * _EPS * abs(point.value)

    def _step(self, design: Design, fit: JointFit) -> JointFit | None:
        """Take a step of Newton's, or less; None where P falls no more."""
        slope = fit.g + self._ridge * fit.a
        bend = design.products(self._bend(fit.point)) / self._objective.size
        bend[np.diag_indices_from(bend)] += self._ridge
        target = minimise_parabola(bend, slope - bend @ fit.a, fit.a > 0.0)
        way = target - fit.a
        promised = float(slope @ way)
        length = min(1.0, _FAR / max(_FAR, float(np.max(np.abs(way), initial=0.0))))
        if not (np.isfinite(promised) and promised < 0.0):
            return None
        if -promised <= 4.0 * _EPS * abs(fit.optimality.primal):  # too little for P to show
            after = self._look(design, target)
            return after if after.optimality.gap < fit.optimality.gap else None
        for _ in range(_HALVINGS):
            a = target if length == 1.0 else fit.a + length * way
            after = self._look(design, a)
            if after.optimality.primal <= fit.optimality.primal + _ENOUGH * length * promised:
                return after
            length *= 0.5
        return None


def minimise_parabola(Q: Vector, q: Vector, positive: NDArray[np.bool_]) -> Vector:
    """Return argmin over b >= 0 of b'Q b / 2 + q'b, for a positive definite Q.

    Parameters
    ----------
    Q : ndarray of shape (d, d)
    q : ndarray of shape (d,)
    positive : ndarray of bool of shape (d,)
        Which b_j are expected to be positive.

    Returns
    -------
    b : ndarray of shape (d,)

    Examples
    --------
    >>> minimise_parabola(np.eye(2), np.array([-1.0, 2.0]), np.array([True, True])).tolist()
    [1.0, 0.0]
    """
    free, few, patience = positive.copy(), len(q) + 1, 3
    rounding = 8.0 * _EPS * (np.abs(q) + 1e-300)
    for _ in range(10 * len(q) + 10):  # rounding aside it ends by itself
        b = np.zeros(len(q))
        if free.any():
            b[free] = cho_solve(cho_factor(Q[np.ix_(free, free)], lower=True), -q[free])
        bad = np.flatnonzero((free & (b < 0.0)) | (~free & (Q @ b + q < -rounding)))
        if len(bad) == 0:
            return b
        if len(bad) < few:
            few, patience = len(bad), 3
        elif patience > 0:
            patience -= 1
        else:
            bad = bad[-1:]  # one at a time cannot go round in circles
        free[bad] = ~free[bad]
    return np.maximum(0.0, b)
