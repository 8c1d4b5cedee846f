"""The fast paths of linear fits give what the slow ones do, whatever the size, storage, threads."""

import numpy as np
import pytest
from scipy import sparse

from maxmargin import LinearClassifier, LinearSVC, Status
from maxmargin.losses import Hinge, Logistic, SquaredHinge
from maxmargin.ops.design import Design
from maxmargin.ops.threads import Workers
from maxmargin.problems import LinearProblem
from maxmargin.solvers import CoordinatesFirst, Limits, Newton, SmallNewton, run
from maxmargin.solvers.linear.propose import LinearStart

KINDS = [Hinge(), SquaredHinge(), Logistic()]
LOSSES = pytest.mark.parametrize("loss", KINDS, ids=lambda x: x.name)
SHAPES = [(10, 1), (10, 40), (200, 20), (1_000, 3), (100_000, 2)]
WIDE = (40, 10_000)  # smooth losses on sparse rows alone: nothing else is Newton's with such rows
STORAGES = [np.asarray, sparse.csr_matrix]
CASES = [
    *((loss, shape, storage) for loss in KINDS for shape in SHAPES for storage in STORAGES),
    *((loss, WIDE, sparse.csr_matrix) for loss in KINDS if loss.smooth),
]


def made(n, d, density=0.5, dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).astype(dtype)
    if d > 1:
        X *= rng.uniform(size=(n, d)) < density
    t = np.where(X @ rng.normal(size=d) + rng.normal(size=n) > 0, 1.0, -1.0)
    t[:2] = -1.0, 1.0
    return X, t, rng.uniform(0.2, 2.0, n)


def primal(kind, problem, X, tol=1e-7, start=None):
    with Workers(1) as workers:
        solution = run(kind(problem, Design(X, 1.0, workers), start), Limits(tol))
    assert solution.certificate.status is Status.CERTIFIED
    return solution


@pytest.mark.parametrize(("loss", "shape", "storage"), CASES)
@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_compiled_steps_end_where_the_others_do(loss, free, shape, storage, dtype):
    n, d = shape
    X, t, cost = made(n, d, 0.5 if d < 100 else 0.002, dtype)
    problem = LinearProblem(loss, t, cost, "l2", free)
    ours, theirs = (primal(kind, problem, storage(X), 1e-6) for kind in (SmallNewton, Newton))
    np.testing.assert_allclose(ours.certificate.primal, theirs.certificate.primal, rtol=3e-6)


@LOSSES
def test_a_start_near_the_optimum_saves_steps(loss):
    X, t, cost = made(500, 10)
    problem = LinearProblem(loss, t, cost, "l2", False)
    cold = primal(SmallNewton, problem, X, 1e-4)
    warm = primal(SmallNewton, problem, X, 1e-4, LinearStart(cold.point.theta, cold.point.beta))
    assert warm.iterations < cold.iterations


@pytest.mark.parametrize("hard", [False, True])
def test_coordinates_first_ends_where_newton_does(hard):
    """Easy sparse rows are done by coordinates; dense ones at a high cost are handed over."""
    X, t, cost = made(400, 30, 0.9 if hard else 0.1)
    problem = LinearProblem(Hinge(), t, cost * (1e4 if hard else 1.0), "l2", False)
    ours, theirs = (
        primal(kind, problem, sparse.csr_matrix(X), 1e-6) for kind in (CoordinatesFirst, Newton)
    )
    np.testing.assert_allclose(ours.certificate.primal, theirs.certificate.primal, rtol=3e-6)


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("classes", [2, 5])
@pytest.mark.parametrize(
    "model",
    [LinearSVC(loss="hinge"), LinearSVC(), LinearSVC(dual=True), LinearClassifier()],
    ids=lambda m: f"{type(m).__name__}-{m.loss}",
)
def test_any_number_of_threads_gives_the_same_bits(model, storage, classes):
    X, _, weight = made(60_000, 6, 0.7)
    y = np.random.default_rng(1).integers(classes, size=60_000) + (X[:, 0] > 0)
    found = []
    for n_jobs in (1, 2, 16):
        model.set_params(n_jobs=n_jobs, class_weight="balanced", tol=1e-2)
        model.fit(storage(X), y % classes, sample_weight=weight)
        found.append(np.c_[model.coef_, model.intercept_])
    assert (found[0] == found[1]).all()
    assert (found[0] == found[2]).all()


@pytest.mark.parametrize("model", [LinearSVC(), LinearSVC(loss="hinge"), LinearClassifier()])
def test_weights_are_repetitions_on_the_fast_path(model):
    X, t, _ = made(120, 6)
    times = np.random.default_rng(2).integers(0, 3, size=120)
    times[:2] = 1
    weighted = model.fit(X, t, sample_weight=times).coef_.copy()
    repeated = model.fit(np.repeat(X, times, axis=0), np.repeat(t, times)).coef_
    np.testing.assert_allclose(weighted, repeated, atol=1e-5)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_wide_dense_rows_are_solved_by_coordinates_to_the_same_optimum(loss):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1_200, 600))
    y = X[:, :5].sum(axis=1) + rng.normal(size=len(X)) > 0
    quick = LinearSVC(loss=loss, tol=1e-5, max_iter=10**6).fit(X, y)
    slow = LinearSVC(loss=loss, tol=1e-5, solver="newton").fit(X, y)
    values = [model.certificate_.primal for model in (quick, slow)]
    assert quick.certificate_.status.name == slow.certificate_.status.name == "CERTIFIED"
    assert values[0] == pytest.approx(values[1], rel=3e-5)
    assert quick.n_iter_ != slow.n_iter_
