"""Interior points for linear machines, and what they stand on."""

import numpy as np
import pytest

from maxmargin.certify import Status
from maxmargin.losses import Hinge, SquaredHinge
from maxmargin.ops.design import Design
from maxmargin.ops.threads import Workers
from maxmargin.problems import CrammerSinger, LinearProblem
from maxmargin.solvers import (
    JointInteriorPoint,
    Limits,
    LinearInteriorPoint,
    LinearWorkingSet,
    PrimalCoordinate,
    SparseInteriorPoint,
    TwoClasses,
    run,
)
from maxmargin.solvers.linear.feature_sign import minimise
from maxmargin.solvers.linear.rotation import Rotation
from maxmargin.solvers.plan import fallbacks

RNG = np.random.default_rng(3)
X = RNG.normal(size=(60, 4)) * np.array([1.0, 10.0, 0.1, 1.0])
T = np.where(X[:, 0] + 0.5 * RNG.normal(size=60) > 0, 1.0, -1.0)


@pytest.fixture
def workers():
    with Workers() as threads:
        yield threads


@pytest.mark.parametrize("loss", [Hinge(), SquaredHinge()], ids=lambda loss: loss.name)
@pytest.mark.parametrize("free", [True, False])
@pytest.mark.parametrize("offset", [0.0, 1e5])
def test_linear_machines_of_any_offset_are_solved_in_few_steps(loss, free, offset, workers):
    problem = LinearProblem(loss, T, np.full(60, 10.0), "l2", free)
    design = Design(X + (0.0 if free else offset), 1.0, workers)
    solution = run(LinearInteriorPoint(problem, design), Limits(1e-8, 60))
    assert solution.certificate.status is Status.CERTIFIED
    assert solution.iterations < 40


@pytest.mark.parametrize("free", [True, False])
@pytest.mark.parametrize("offset", [0.0, 1e5])
def test_l1_is_solved_in_few_steps_and_has_weights_of_0(free, offset, workers):
    noise = np.column_stack([X, RNG.normal(size=(60, 6))]) + (0.0 if free else offset)
    problem = LinearProblem(SquaredHinge(), T, np.full(60, 0.1), "l1", free)
    design = Design(noise, 1.0, workers)
    solution = run(SparseInteriorPoint(problem, design), Limits(1e-6, 60))
    assert solution.certificate.status is Status.CERTIFIED
    assert solution.iterations < 40
    assert (solution.point.theta[:10] == 0).any()
    slow = run(PrimalCoordinate(problem, design), Limits(1e-6, 1000))
    assert solution.certificate.primal == pytest.approx(slow.certificate.primal, rel=1e-5)


@pytest.mark.parametrize("classes", [2, 3])
def test_joint_machines_far_from_the_origin_are_solved(classes, workers):
    labels = np.searchsorted([0.0, 1.0][: classes - 1], X[:, 0]).astype(np.intp)
    problem = CrammerSinger(labels, np.ones(60), classes)
    solver = (TwoClasses if classes == 2 else JointInteriorPoint)(
        problem, Design(X + 1e4, 1.0, workers)
    )
    solution = run(solver, Limits(1e-6, 100))
    assert solution.certificate.status is Status.CERTIFIED
    assert solution.iterations < 60


def test_who_takes_over(workers):
    narrow, wide = (Design(np.ones((3, d)), 1.0, workers) for d in (2, 2000))
    t, cost = np.array([1.0, -1.0, 1.0]), np.ones(3)
    hinge = LinearProblem(Hinge(), t, cost)
    sparse_weights = LinearProblem(SquaredHinge(), t, cost, "l1")
    assert [stage.solver for stage in fallbacks(hinge, narrow)] == [LinearInteriorPoint]
    assert [stage.solver for stage in fallbacks(hinge, wide)] == [LinearWorkingSet]
    assert [stage.solver for stage in fallbacks(sparse_weights, narrow)] == [SparseInteriorPoint]
    assert fallbacks(sparse_weights, wide) == ()


def test_turned_rows_have_the_same_lengths_and_values(workers):
    design = Design(X + 1e3, 2.0, workers)
    turned = Rotation.of(design)
    assert np.abs(turned.design.X[:, 1:]).max() < 100
    np.testing.assert_allclose(turned.design.row_norms(), design.row_norms(), rtol=1e-12)
    theta = RNG.normal(size=5)
    there = turned.design.values(theta)
    np.testing.assert_allclose(design.values(turned.back(theta)), there, rtol=1e-9, atol=1e-9)
    assert Rotation.of(Design(X, 2.0, workers)).normal is None


def nearly_parallel():
    columns = np.ones((50, 8)) + 1e-4 * RNG.normal(size=(50, 8))
    target = columns[:, 0] - columns[:, 1]
    return 1e9 * columns.T @ columns, np.ones(8), -1e9 * columns.T @ target


def test_feature_sign_search_minimises_over_nearly_parallel_columns():
    A, penalty, G = nearly_parallel()
    w = minimise(A, penalty, 1e-4, np.zeros(8), G, over=lambda: False)
    slopes = G + A @ w
    assert (w != 0).sum() < 8
    np.testing.assert_allclose(slopes[w != 0], -np.sign(w[w != 0]), atol=2e-3)
    assert np.abs(slopes).max() < 1 + 2e-3


def test_feature_sign_search_ends_with_the_best_so_far_when_time_is_over():
    A, penalty, G = nearly_parallel()
    looks = iter([False, False, True])
    w = minimise(A, penalty, 1e-4, np.zeros(8), G, over=lambda: next(looks))
    assert 1 <= (w != 0).sum() <= 2
    assert G @ w + w @ A @ w / 2 + np.abs(w).sum() < 0
