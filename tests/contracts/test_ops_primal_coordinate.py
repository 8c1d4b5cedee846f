"""Coordinate descent on a model with an l1 penalty, compiled and in NumPy: the same epochs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize_scalar

from maxmargin.ops.engine import Engine

GROUP = "primal_coordinate"
reference = getattr(Engine("reference"), GROUP)

DTYPES = pytest.mark.parametrize("dtype", [np.float32, np.float64])


@st.composite
def models(draw, dtype):
    """Columns, penalties, curvatures, and weights with slopes to start from."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(1, 10)), draw(st.integers(1, 6))
    X = (rng.normal(size=(n, d)) * (rng.uniform(size=(n, d)) < 0.6)).astype(dtype)
    penalty, weights = np.ones(d), rng.normal(size=d) * (rng.uniform(size=d) < 0.5)
    penalty[-1] = draw(st.sampled_from([0.0, 1.0]))
    return X, penalty, rng.uniform(0.1, 2, n), weights, 2 * rng.normal(size=n)


def storage(X, as_sparse):
    if as_sparse:
        columns = sparse.csc_matrix(X)
        return columns.data, columns.indices, columns.indptr
    return X.T.ravel(), np.empty(0, np.int32), np.arange(0, X.size + 1, X.shape[0])


def descend(ops, model, orders, as_sparse, slack=np.inf):
    X, penalty, D, weights, P = model
    weights, P, answers = weights.copy(), P.copy(), []
    H = D @ X.astype(np.float64) ** 2
    for order in orders:
        order = np.array(order)  # noqa: PLW2901  (a copy that may be reordered)
        stay, worst = ops.descend(*storage(X, as_sparse), penalty, H, D, order, slack, weights, P)
        answers += [worst, *order[:stay]]
    return weights, P, np.array(answers)


def value(model, weights):
    X, penalty, D, start, P = model
    change = X.astype(np.float64) @ (weights - start)
    return P @ change + D @ change**2 / 2 + penalty @ np.abs(weights)


@DTYPES
@pytest.mark.parametrize("as_sparse", [False, True])
@given(data=st.data())
def test_keeps_the_slopes_and_never_loses(ops, dtype, as_sparse, data):
    model = data.draw(models(dtype))
    X, _, D, start, P = model
    least = value(model, start)
    for epochs in (1, 2, 5):
        weights, slopes, _ = descend(ops, model, [range(X.shape[1])] * epochs, as_sparse)
        np.testing.assert_allclose(slopes, P + D * (X @ (weights - start)), atol=1e-8)
        assert value(model, weights) <= least + 1e-9
        least = value(model, weights)


@DTYPES
@given(data=st.data())
def test_twins_and_storages_agree(tested, dtype, data):
    model = data.draw(models(dtype))
    orders = [data.draw(st.permutations(range(model[0].shape[1]))) for _ in range(3)]
    slack = data.draw(st.sampled_from([np.inf, 0.1]))
    answers = [
        descend(ops, model, orders, as_sparse, slack)
        for ops in (tested, reference)
        for as_sparse in (False, True)
    ]
    for other in answers[1:]:
        for one, two in zip(answers[0], other, strict=True):
            np.testing.assert_allclose(one, two, rtol=1e-7, atol=1e-7)


@given(data=st.data())
def test_products_do_what_columns_do(tested, ops, data):
    model = data.draw(models(np.float64))
    X, penalty, D, start, P = model
    A, G, weights = X.T @ (D[:, None] * X), X.T @ P, start.copy()
    epochs = ops.descend_products(A, penalty, -1.0, 3, weights, G)
    assert epochs == 3
    expected, slopes, _ = descend(tested, model, [range(X.shape[1])] * 3, False)
    np.testing.assert_allclose(weights, expected, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(G, X.T @ slopes, rtol=1e-7, atol=1e-7)


def test_products_stop_at_the_aim(ops):
    A, G, weights = np.eye(2), np.array([-3.0, 0.5]), np.zeros(2)
    assert ops.descend_products(A, np.ones(2), 1e-9, 9, weights, G) == 2
    np.testing.assert_array_equal([weights, G], [[2.0, 0.0], [-1.0, 0.5]])


@given(
    weight=st.floats(-3, 3), G=st.floats(-5, 5), H=st.floats(0.1, 5), c=st.sampled_from([0.0, 1.0])
)
def test_a_weight_goes_to_its_minimum(ops, weight, G, H, c):
    def along(moved):
        return G * (moved - weight) + H * (moved - weight) ** 2 / 2 + c * abs(moved)

    best = ops.best_weight(weight, G, H, c)
    found = minimize_scalar(along, bounds=(-60, 60), method="bounded")
    assert along(best) <= min(found.fun, along(0.0)) + 1e-9


def test_columns_without_curvature_stay(ops):
    assert ops.best_weight(0.5, 3.0, 0.0, 1.0) == 0.5


@pytest.mark.parametrize(
    ("weight", "G", "expected"), [(2.0, -1.0, 0.0), (-2.0, 0.5, 0.5), (0.0, 0.9, 0.0), (0, -3, 2)]
)
def test_violation_of_a_weight(ops, weight, G, expected):
    assert ops.violation(weight, G, 1.0) == pytest.approx(expected)


def test_columns_well_inside_leave(ops):
    """Slopes are 0.5 and 0.95: with a slack of 0.1 only the second stays."""
    X, P = np.eye(2), np.array([0.5, 0.95])
    order = np.array([0, 1])
    stay, worst = ops.descend(
        *storage(X, False), np.ones(2), np.ones(2), np.ones(2), order, 0.1, np.zeros(2), P
    )
    assert (stay, worst, order[0]) == (1, 0.0, 1)
