"""Projected subgradient descent: its steps, its ball and what it says when it gets no farther."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from maxmargin import LinearClassifier, LinearSVC, Status
from maxmargin.datasets import load_mixture
from maxmargin.losses import Hinge, named
from maxmargin.ops.design import Design
from maxmargin.ops.threads import Workers
from maxmargin.problems import LinearProblem
from maxmargin.solvers import LINEAR_SOLVERS, Limits, Newton, ProjectedSubgradient, run

X, y = load_mixture(return_X_y=True)
T = np.where(y == 1, 1.0, -1.0)
LOSSES = ["hinge", "logistic", "modified_huber"]


def problem(loss="hinge", C=1.0):
    return LinearProblem(named(loss), T, np.full(len(T), C))


def obvious(loss, C, steps, radius):
    """The step as it is written down, in lambda, with a loop over the rows."""
    L, weight, w = named(loss), 1 / (len(X) * C), np.zeros(X.shape[1])
    for s in range(1, steps + 1):
        slope = sum(L.derivative(w @ x, t) * x for x, t in zip(X, T, strict=True)) / len(X)
        w = w - (weight * w + slope) / (weight * s)
        w = w * min(1.0, radius / np.linalg.norm(w))
    return w


@pytest.mark.parametrize("loss", LOSSES)
def test_steps_are_those_of_the_obvious_loop(loss):
    with Workers(1) as workers:
        solver = ProjectedSubgradient(problem(loss, 0.3), Design(X, 0.0, workers))
        for _ in range(7):
            solver._advance(Limits())
    np.testing.assert_allclose(solver._theta, obvious(loss, 0.3, 7, solver._radius), rtol=1e-9)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
def test_the_minimum_lies_in_the_ball(loss, C):
    with Workers(1) as workers:
        design = Design(X, 1.0, workers)
        best = run(Newton(problem(loss, C), design), Limits(1e-8)).point.theta
        radius = ProjectedSubgradient(problem(loss, C), design)._radius
    assert np.linalg.norm(best) <= radius
    if loss == "hinge":  # 1 / sqrt(lambda)
        assert radius == pytest.approx(np.sqrt(len(X) * C))


@pytest.mark.parametrize("solver", ["projected_subgradient", "pegasos"])
def test_it_says_how_far_it_got(solver):
    """A gap of 1e-2 is certified, one of 1e-8 is not claimed."""
    options = {"loss": "hinge", "solver": solver, "random_state": 0}
    coarse = LinearSVC(**options, tol=2e-2).fit(X, y)
    assert coarse.certificate_.status is Status.CERTIFIED
    best = LinearSVC(loss="hinge", tol=1e-9).fit(X, y).certificate_
    assert best.dual <= coarse.certificate_.primal <= best.primal * 1.02
    with pytest.warns(ConvergenceWarning, match="ITERATION_LIMIT"):
        fine = LinearSVC(**options, tol=1e-8, max_iter=300).fit(X, y)
    assert fine.certificate_.dual <= best.primal <= fine.certificate_.primal * (1 + 1e-9)


def test_steps_of_a_fixed_length_do_not_come_to_rest():
    options = {"loss": "hinge", "intercept": "regularized", "solver": "projected_subgradient"}
    falling = LinearClassifier(**options, tol=1e-3, max_iter=3000).fit(X, y)
    assert falling.certificate_.status is Status.CERTIFIED
    with pytest.warns(ConvergenceWarning, match="ITERATION_LIMIT"):
        fixed = LinearClassifier(**options, learning_rate=0.05, tol=1e-3, max_iter=3000).fit(X, y)
    assert fixed.certificate_.relative_gap > 1e-2


def test_pegasos_draws_rows_by_their_cost():
    weight = np.where(np.arange(len(X)) % 2, 3.0, 1.0)
    with Workers(1) as workers:
        weighted = LinearProblem(Hinge(), T, weight)
        solver = LINEAR_SOLVERS["pegasos"](weighted, Design(X, 1.0, workers), None, 1)
        drawn = np.bincount(np.concatenate([solver._draw() for _ in range(500)]), minlength=200)
    assert drawn[1::2].sum() / drawn.sum() == pytest.approx(0.75, abs=0.01)
    options = {"loss": "hinge", "tol": 2e-2}
    heavy = LinearSVC(**options, solver="pegasos", random_state=0).fit(X, y, sample_weight=weight)
    exact = LinearSVC(**options).fit(X, y, sample_weight=weight)
    assert heavy.certificate_.status is Status.CERTIFIED
    assert heavy.certificate_.primal == pytest.approx(exact.certificate_.primal, rel=3e-2)
