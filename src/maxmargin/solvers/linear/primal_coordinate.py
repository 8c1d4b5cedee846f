r"""Coordinate descent in the primal, for penalties with a corner: |theta|_1.

Problem: ``problems.linear`` with the "l1" penalty and a loss that has a derivative and a curvature,

    min_theta  |theta|_1 + sum_i c_i L(f_i, t_i),    f_i = theta'x_i,

a free intercept left out of the norm. At theta the losses are replaced by their parabolas,

    min_d  g'd + sum_i D_i (x_i'd)^2 / 2 + |theta + d|_1,    g = sum_i c_i L'(f_i) x_i,
           D_i = c_i (L''(f_i) + mu),

whose minimum is approached by one-dimensional Newton steps, one column at a time in random order;
the penalty's corner makes many weights exactly 0. The step d is then shortened until

    F(theta + s d) - F(theta) <= sigma s (g'd + |theta + d|_1 - |theta|_1),

so the objective never rises. Yuan, Chang, Hsieh, Lin, "A comparison of optimization methods and
software for large-scale L1-regularized linear classification", JMLR 11, 2010, make such a step in
each coordinate (their CDN); Yuan, Ho, Lin, "An improved GLMNET for L1-regularized logistic
regression", JMLR 13, 2012, make it once for all of them, as here: the loss is evaluated a few times
for many epochs over the columns, the hot loop knows no loss, and close to the optimum steps are
Newton's. Columns of weight 0 whose slope is well inside [-1, 1] are left out of a model, and looked
at again with the next one.

Few columns are not read at all: a model is known by the products sum_i D_i x_i x_i', and an epoch
by them costs the same for any number of rows (Friedman, Hastie, Tibshirani, "Regularization paths
for generalized linear models via coordinate descent", J. Stat. Softw. 33, 2010, section 2.2). What
epochs cannot minimise, because columns are nearly parallel, ``feature_sign`` does.
``iterations`` counts epochs over columns, or matrices of products.

The damping mu is theirs, nu, and all but 0 unless a step had to be shortened: a parabola can be far
too flat, as where a loss is straight.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from maxmargin.certify import LinearPoint
from maxmargin.ops.clock import pieces
from maxmargin.ops.design import Design
from maxmargin.problems import LinearProblem
from maxmargin.problems.linear import Vector
from maxmargin.solvers.linear.feature_sign import minimise
from maxmargin.solvers.linear.propose import LinearStart, propose
from maxmargin.solvers.linear.sweep import Index, sweep
from maxmargin.solvers.run import Limits
from maxmargin.solvers.solver import GapSolver, Scope, smooth_and_curved

_SIGMA = 0.01  # share of the model's gain that a step must bring
_HALVINGS = 12
_EPOCHS = 50  # most over one model
NARROW = 512  # columns whose products cost less than the epochs that they save
_FEWEST, _TIGHT = 1000, 1e-3  # epochs by products, and what may be left of the violation then
_LOOSE, _TIGHTER = 0.1, 0.25  # what may be left of it otherwise, and less where that was easy
_LEAST, _FIRST, _MORE = 1e-12, 1e-3, 4.0  # damping: as good as none, when it begins, its growth
_EPS = float(np.finfo(np.float64).eps)


class PrimalCoordinate(GapSolver):
    """Newton steps whose models are minimised over one column at a time."""

    scope: ClassVar = Scope(smooth_and_curved, ("l1",))

    def __init__(
        self,
        problem: LinearProblem,
        design: Design,
        start: LinearStart | None = None,
        seed: int = 0,
    ) -> None:
        self.scope.refuse_others(self, problem)
        self.problem, self.iterations = problem, 0
        self._design, self._verbs = design, design.engine.primal_coordinate
        self._columns: Any = _columns(design) if design.width > NARROW else None
        self._random = np.random.default_rng(seed)
        self._penalty = np.ones(design.width)
        if problem.free:
            self._penalty[-1] = 0.0
        self._damping, self._precision = _LEAST, _LOOSE
        self._keep(np.zeros(len(design)), np.zeros(design.width))
        if start is None:
            self._stand(np.zeros(design.width), np.zeros(len(design)))
        else:
            self._stand(start.theta.copy(), design.values(start.theta))

    def _keep(self, beta: Vector, back: Vector) -> None:
        """Take these as the duals that bound the objective best."""
        self._beta = beta
        self._dual = self.problem.dual(beta, back)

    def _stand(self, theta: Vector, values: Vector) -> None:
        """Stand at theta; its duals are kept if they bound the objective better than before."""
        problem = self.problem
        self._theta, self._values = theta, values
        self._primal = problem.primal(theta, values)
        self._slopes = problem.slopes(values)
        self._back = self._design.back(self._slopes)
        beta = problem.balanced(self._slopes)
        back = self._design.back(beta) if problem.free else self._back
        if problem.dual(beta, back) > self._dual:
            self._keep(beta, back)

    def merit(self) -> float:
        """Minus the primal."""
        return -self._primal

    def step(self, limits: Limits) -> None:
        """Minimise a model in a few epochs and go towards its minimum."""
        left = _EPOCHS if limits.max_iter < 0 else limits.max_iter - self.iterations
        self._search(self._minimise_model(min(_EPOCHS, left), limits))

    def _minimise_model(self, most: int, limits: Limits) -> Vector:
        """Return weights that are about the best for the parabolas drawn here, as time allows."""
        problem, first = self.problem, float(self._violations().max())
        D = problem.curvatures(self._values) + self._damping * problem.cost
        if self._columns is None:
            return self._by_products(D, first, limits)
        return self._by_columns(D, first, most, limits)

    def _by_products(self, D: Vector, first: float, limits: Limits) -> Vector:
        """Minimise to a small part of the first violation: epochs that read no data cost little."""
        weights, G = self._theta.copy(), -self._back
        A = self._design.products(D)
        most = max(_FEWEST, len(self.problem))  # which costs as much as the products
        aim, self.iterations = _TIGHT * first, self.iterations + 1
        for part in pieces(most, most * A.size):
            some = part.stop - part.start
            made = self._verbs.descend_products(A, self._penalty, aim, some, weights, G)
            if made < some or limits.clock.over():
                return weights
        return minimise(A, self._penalty, aim, weights, G, limits.clock.over)

    def _by_columns(self, D: Vector, first: float, most: int, limits: Limits) -> Vector:
        """Minimise in a few epochs over the columns that matter."""
        weights, P, H = self._theta.copy(), -self._slopes, self._design.squares(D)
        slack = min(1.0, first / len(self.problem))
        order = np.flatnonzero((weights != 0) | (np.abs(self._back) >= self._penalty - slack))
        share = self._design.stored / self._design.width

        def visit(some: Index) -> Any:
            return self._verbs.descend(*self._columns, self._penalty, H, D, some, slack, weights, P)

        for epoch in range(most):
            order = self._random.permutation(order)
            order, found = sweep(order, share * len(order), visit, limits)
            self.iterations += 1
            if limits.clock.over():
                break
            if max(worst for (worst,) in found) <= self._precision * first:
                self._precision *= _TIGHTER if epoch == 0 else 1.0
                break
        return weights

    def _violations(self) -> Vector:
        """How far 0 is from the subgradients of the objective, for each weight."""
        signs = np.sign(self._theta) * self._penalty
        inside = np.maximum(0.0, np.abs(self._back) - self._penalty)
        return np.where(self._theta != 0, np.abs(self._back - signs), inside)

    def _search(self, weights: Vector) -> None:
        """Go all the way to these weights if that pays, or a part of it."""
        d = weights - self._theta
        change = self._design.values(d)
        size = self._penalty @ (np.abs(weights) - np.abs(self._theta))
        gain, rounding = float(size - self._back @ d), 4 * _EPS * abs(self._primal)
        for halving in range(_HALVINGS):
            s = 0.5**halving
            theta = weights if halving == 0 else self._theta + s * d
            values = self._values + s * change
            if self.problem.primal(theta, values) <= self._primal + _SIGMA * s * gain + rounding:
                self._damp(halving > 0)
                self._stand(theta, values)
                return
        self._damp(True)

    def _damp(self, more: bool) -> None:
        """Trust parabolas less after a step that had to be shortened, and more after others."""
        if more:
            self._damping = max(_FIRST, _MORE * self._damping)
        else:
            self._damping = max(_LEAST, self._damping / _MORE)

    def point(self) -> LinearPoint:
        """Return the point and the best duals known, with fresh products."""
        self._stand(self._theta, self._design.values(self._theta))
        return propose(self.problem, self._design, self._theta, self._beta)

    def restart(self, point: LinearPoint) -> None:
        """Go on from fresh values."""
        self._keep(point.beta, point.back)
        self._stand(point.theta, point.values)


def _columns(design: Design) -> tuple[Any, Any, Any]:
    """Store columns, that of the constant too: values, rows and starts; no rows when dense."""
    data, columns, starts = design.csr
    n, d = len(design), design.columns
    if len(columns) == 0 and len(data) > 0:
        dense = np.empty((design.width, n), data.dtype)
        dense[:d], dense[d:] = data.reshape(n, d).T, design.constant
        return dense.ravel(), columns, np.arange(0, dense.size + 1, n)
    X = sparse.csr_matrix((data, columns, starts), shape=(n, d)).tocsc()
    if not design.constant:
        return X.data, X.indices, X.indptr
    constant = np.full(n, design.constant, X.dtype)
    rows = np.append(X.indices, np.arange(n, dtype=X.indices.dtype))
    return np.append(X.data, constant), rows, np.append(X.indptr, len(rows))
