"""The sequential dual method, compiled and in NumPy: the same epochs to the last few bits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize

from maxmargin.ops.engine import Engine
from maxmargin.problems import CrammerSinger

GROUP = "crammer_singer"
reference = getattr(Engine("reference"), GROUP)

DTYPES = pytest.mark.parametrize("dtype", [np.float32, np.float64])


@st.composite
def problems(draw, dtype):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d, classes = draw(st.integers(1, 10)), draw(st.integers(1, 5)), draw(st.integers(2, 5))
    X = (rng.normal(size=(n, d)) * (rng.uniform(size=(n, d)) < 0.6)).astype(dtype)
    problem = CrammerSinger(rng.integers(classes, size=n), rng.uniform(0.01, 10, n), classes)
    return X, problem, draw(st.sampled_from([0.0, 1.0, 2.5]))


def storage(X, as_sparse):
    if as_sparse:
        rows = sparse.csr_matrix(X)
        return rows.data, rows.indices, rows.indptr
    return X.ravel(), np.empty(0, np.int32), np.arange(0, X.size + 1, X.shape[1])


def with_constant(X, constant):
    X = X.astype(np.float64)
    return np.c_[X, np.full(len(X), constant)] if constant else X


def ascend(ops, case, orders, as_sparse, slack=np.inf):
    X, problem, constant = case
    Z = with_constant(X, constant)
    alpha, W = np.zeros((len(X), problem.classes)), np.zeros((Z.shape[1], problem.classes))
    norms, answers = (Z**2).sum(axis=1), []
    for order in orders:
        order = np.array(order)  # noqa: PLW2901  (a copy that may be reordered)
        stay, gap, worst = ops.ascend(
            *storage(X, as_sparse),
            constant,
            norms,
            problem.labels,
            problem.cost,
            order,
            slack,
            alpha,
            W,
        )
        answers += [gap, worst, *order[:stay]]
    return alpha, W, np.array(answers)


@DTYPES
@pytest.mark.parametrize("as_sparse", [False, True])
@given(data=st.data())
def test_stays_feasible_keeps_the_weights_and_never_loses(ops, dtype, as_sparse, data):
    case = data.draw(problems(dtype))
    X, problem, constant = case
    Z, value = with_constant(X, constant), 0.0
    for epochs in (1, 2, 5):
        alpha, W, _ = ascend(ops, case, [range(len(X))] * epochs, as_sparse)
        assert problem.feasible(alpha)
        np.testing.assert_allclose(W, Z.T @ alpha, atol=1e-8)
        dual = problem.dual(alpha, Z.T @ alpha)
        assert dual >= value - 1e-9
        value = dual


@DTYPES
@given(data=st.data())
def test_twins_and_storages_agree(tested, dtype, data):
    """With rows that leave in the first epoch only: later a dual is 0 or a rounding error of it."""
    case = data.draw(problems(dtype))
    epochs, slack = data.draw(st.sampled_from([(3, np.inf), (1, 0.1)]))
    orders = [data.draw(st.permutations(range(len(case[0])))) for _ in range(epochs)]
    answers = [
        ascend(ops, case, orders, as_sparse, slack)
        for ops in (tested, reference)
        for as_sparse in (False, True)
    ]
    for other in answers[1:]:
        for one, two in zip(answers[0], other, strict=True):
            np.testing.assert_allclose(one, two, rtol=1e-7, atol=1e-7)


@given(seed=st.integers(0, 2**32 - 1), classes=st.integers(2, 5))
def test_a_row_gets_its_best_duals(ops, seed, classes):
    """Against a general solver, on the small problem itself."""
    rng = np.random.default_rng(seed)
    own, cost, A = int(rng.integers(classes)), rng.uniform(0.1, 2), rng.uniform(0.2, 2)
    g, bounds = rng.normal(size=classes), np.zeros(classes)
    bounds[own] = cost
    best = np.empty(classes)
    ops.best_duals(g, np.zeros(classes), own, cost, A, np.empty(classes), best)

    def value(alpha):
        return A * alpha @ alpha / 2 + g @ alpha

    found = minimize(
        value,
        np.zeros(classes),
        bounds=[(None, bound) for bound in bounds],
        constraints={"type": "eq", "fun": np.sum},
        method="SLSQP",
    )
    assert abs(best.sum()) <= 1e-12
    assert (best <= bounds).all()
    assert value(best) <= found.fun + 1e-6


def test_rows_far_ahead_leave(ops):
    """Row 0 is ahead by 2 - 1 = 1 with duals 0, row 1 is behind."""
    X, labels, cost = np.array([[1.0], [0.1]]), np.array([1, 0]), np.ones(2)
    for slack, stayed in ((0.5, [1]), (1.5, [0, 1])):
        alpha, W, order = np.zeros((2, 2)), np.array([[-1.0, 1.0]]), np.array([0, 1])
        stay, gap, worst = ops.ascend(
            *storage(X, False), 0.0, (X**2)[:, 0], labels, cost, order, slack, alpha, W
        )
        np.testing.assert_array_equal(order[:stay], stayed)
        assert not alpha[0].any()
        assert gap == pytest.approx(1.2)
        assert worst == pytest.approx(1.2)


@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=6), st.floats(1e-6, 1e3))
def test_the_level_is_found_also_where_corners_meet_it(ops, corners, total):
    corners = np.array(corners)
    corners[0] = corners[-1] + total  # the last one is at the level, up to rounding, or below
    s = ops.level(corners.copy(), total)
    assert np.maximum(0.0, corners - s).sum() == pytest.approx(total, rel=1e-6, abs=1e-9)
