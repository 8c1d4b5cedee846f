"""Dual coordinate descent, compiled and in NumPy: the same passes to the last few bits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from maxmargin.losses import Hinge, SquaredHinge
from maxmargin.ops.design import Design
from maxmargin.ops.engine import Engine
from maxmargin.ops.kinds import DUAL_ALPHA, DUAL_LINE
from maxmargin.ops.threads import Workers

GROUP = "dual_coordinate"
reference = getattr(Engine("reference"), GROUP)

DTYPES = pytest.mark.parametrize("dtype", [np.float32, np.float64])
STORAGES = pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])


@st.composite
def problems(draw, dtype):
    """Rows, some of them 0, labels, a diagonal and bounds as of the hinge or the squared hinge."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(1, 12)), draw(st.integers(1, 20))
    X = (rng.normal(size=(n, d)) * (rng.uniform(size=(n, d)) < 0.6)).astype(dtype)
    t, cost = rng.choice([-1.0, 1.0], n), rng.uniform(0.01, 10, n)
    squared = draw(st.booleans())
    diagonal = 0.5 / cost if squared else np.zeros(n)
    upper = np.full(n, np.inf) if squared else cost
    return X, draw(st.sampled_from([0.0, 1.0, 2.5])), t, diagonal, upper


def with_constant(X, constant):
    X = X.astype(np.float64)
    return np.c_[X, np.full(len(X), constant)] if constant else X


def lines_of(alpha, t, diagonal, upper, curvature):
    """What is known of the rows, side by side."""
    lines = np.zeros((len(t), DUAL_LINE))
    inverse = np.divide(1.0, curvature, out=np.zeros(len(t)), where=curvature > 0)
    lines[:, :6] = np.column_stack([alpha, t, diagonal, upper, curvature, inverse])
    return lines


def descend(ops, problem, orders, storage):
    X, constant, t, diagonal, upper = problem
    Z = with_constant(X, constant)
    rows = Design(storage(X), constant, Workers(1)).csr
    theta, answers = np.zeros(Z.shape[1]), []
    lines = lines_of(np.zeros(len(X)), t, diagonal, upper, (Z**2).sum(axis=1) + diagonal)
    for order in orders:
        order = np.array(order)  # noqa: PLW2901  (a copy that may be reordered)
        before = dual(problem, lines[:, DUAL_ALPHA])
        kept, gain = ops.descend(*rows, constant, lines.ravel(), order, len(order), theta)
        risen = dual(problem, lines[:, DUAL_ALPHA]) - before
        np.testing.assert_allclose(gain, risen, rtol=1e-6, atol=1e-7 * (1 + abs(before)))
        answers += list(order[:kept])
    return lines[:, DUAL_ALPHA].copy(), theta, np.array(answers)


def dual(problem, alpha):
    X, constant, t, diagonal, _ = problem
    v = with_constant(X, constant).T @ (alpha * t)
    return alpha.sum() - v @ v / 2 - diagonal @ alpha**2 / 2


@DTYPES
@STORAGES
@given(data=st.data())
def test_stays_feasible_keeps_the_sum_and_never_loses(ops, dtype, storage, data):
    problem = data.draw(problems(dtype))
    X, constant, t, _, upper = problem
    value = 0.0
    for passes in (1, 2, 5):
        alpha, theta, _ = descend(ops, problem, [range(len(X))] * passes, storage)
        assert ((alpha >= 0) & (alpha <= upper)).all()
        expected = with_constant(X, constant).T @ (alpha * t)
        np.testing.assert_allclose(theta, expected, atol=1e-9 * (1 + alpha.sum()))
        assert dual(problem, alpha) >= value - 1e-9
        value = dual(problem, alpha)


@DTYPES
@given(data=st.data())
def test_twins_and_storages_agree(tested, dtype, data):
    problem = data.draw(problems(dtype))
    orders = [data.draw(st.permutations(range(len(problem[0])))) for _ in range(3)]
    answers = [
        descend(ops, problem, orders, storage)
        for ops in (tested, reference)
        for storage in (np.asarray, sparse.csr_matrix)
    ]
    for other in answers[1:]:
        np.testing.assert_allclose(answers[0][0], other[0], rtol=1e-6, atol=1e-7)
        np.testing.assert_allclose(answers[0][1], other[1], rtol=1e-6, atol=1e-7)


@STORAGES
def test_one_row_at_a_time_goes_to_the_best_of_its_duals(ops, storage):
    """Along one dual the objective is a parabola: no other value of it in the box is better."""
    rng = np.random.default_rng(0)
    X, t = rng.normal(size=(6, 3)), np.array([1.0, -1, 1, -1, 1, -1])
    for diagonal, upper in ((np.zeros(6), np.full(6, 0.3)), (np.ones(6), np.full(6, np.inf))):
        problem = X, 1.0, t, diagonal, upper
        alpha, _, _ = descend(ops, problem, [range(6), [2]], storage)
        best = dual(problem, alpha)
        for other in np.linspace(0, min(3.0, upper[0]), 100):
            moved = alpha.copy()
            moved[2] = other
            assert dual(problem, moved) <= best + 1e-12


def test_rows_at_rest_leave_the_order(ops):
    """theta = 0: gradients are -1; the row at its bound of 2 rests, the one at 0 does not."""
    rows, order, theta = Design(np.eye(3), 0.0, Workers(1)).csr, np.array([2, 0, 1]), np.zeros(3)
    alpha = np.array([0.0, 2.0, 0.0])
    lines = lines_of(alpha, np.ones(3), np.zeros(3), np.full(3, 2.0), np.ones(3))
    kept, _ = ops.descend(*rows, 0.0, lines.ravel(), order, 3, theta)
    alpha = lines[:, DUAL_ALPHA]
    assert kept == 2
    assert order[:2].tolist() == [2, 0]
    assert alpha.tolist() == [1.0, 2.0, 1.0]
    assert theta.tolist() == [1.0, 0.0, 1.0]


def test_only_the_active_rows_are_visited(ops):
    rows, order = Design(np.eye(3), 0.0, Workers(1)).csr, np.array([2, 0, 1])
    lines = lines_of(np.zeros(3), np.ones(3), np.zeros(3), np.full(3, 2.0), np.ones(3))
    ops.descend(*rows, 0.0, lines.ravel(), order, 1, np.zeros(3))
    assert lines[:, DUAL_ALPHA].tolist() == [0.0, 0.0, 1.0]


@STORAGES
@given(data=st.data())
def test_many_passes_are_passes_one_after_the_other(tested, storage, data):
    X, constant, t, diagonal, upper = data.draw(problems(np.float64))
    rows = Design(storage(X), constant, Workers(1)).csr
    curvature = (with_constant(X, constant) ** 2).sum(axis=1) + diagonal
    seed, most = data.draw(st.integers(1, 2**64 - 1)), data.draw(st.integers(1, 6))
    answers = []
    for ops in (tested, reference):
        theta, order = np.zeros(X.shape[1] + (constant != 0)), np.arange(len(X))
        lines = lines_of(np.zeros(len(X)), t, diagonal, upper, curvature)
        state = np.array([seed], dtype=np.uint64)
        rest = most, 1e9, 0.0, state, theta
        made = ops.descend_often(*rows, constant, lines.ravel(), order, len(X), *rest)
        assert 1 <= made[0] <= most
        answers.append((lines[:, DUAL_ALPHA], theta))
    for ours, theirs in zip(*answers, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-7)


@given(seed=st.integers(0, 2**32 - 1), squared=st.booleans())
def test_a_look_finds_who_would_move(tested, seed, squared):
    rng = np.random.default_rng(seed)
    t, upper = rng.choice([-1.0, 1.0], 12), np.full(12, np.inf if squared else 1.0)
    alpha = rng.choice([0.0, 0.5, 1.0], 12)
    lines = lines_of(alpha, t, np.full(12, 0.5 * squared), upper, np.ones(12))
    values, found = rng.normal(size=12), []
    for ops in (tested, reference):
        order = np.full(12, -1)
        count, total, squares = ops.gather(values, lines.ravel(), order)
        found.append((order[:count].tolist(), round(total, 9), round(squares, 9)))
    assert found[0] == found[1]


def test_a_row_of_zeros_stays_where_it_is(ops):
    problem = np.zeros((2, 1)), 0.0, np.ones(2), np.zeros(2), np.ones(2)
    alpha, theta, _ = descend(ops, problem, [range(2)], np.asarray)
    assert not alpha.any()
    assert not theta.any()


@given(n=st.integers(0, 40), part=st.integers(0, 40), seed=st.integers(1, 2**64 - 1))
def test_shuffles_agree_and_keep_the_rows(tested, n, part, seed):
    active, orders = min(n, part), []
    for ops in (tested, reference):
        order, state = np.arange(n), np.array([seed], dtype=np.uint64)
        ops.shuffle(order, active, state)
        assert sorted(order[:active]) == list(range(active))
        assert order[active:].tolist() == list(range(active, n))
        orders.append((order.tolist(), int(state[0])))
    assert orders[0] == orders[1]


def test_a_shuffle_brings_every_row_everywhere(tested):
    counts, state = np.zeros((6, 6)), np.array([1], dtype=np.uint64)
    for _ in range(6000):
        order = np.arange(6)
        tested.shuffle(order, 6, state)
        counts[order, np.arange(6)] += 1
    # Of 6,000 shuffles each place sees each row 1,000 times, give or take 29.
    assert np.abs(counts - 1000).max() < 150


@given(seed=st.integers(0, 2**32 - 1), squared=st.booleans(), share=st.floats(0, 1))
def test_the_slope_between_two_points_is_that_of_the_price(tested, seed, squared, share):
    rng = np.random.default_rng(seed)
    values, change = rng.normal(size=(2, 9))
    t, cost = rng.choice([-1.0, 1.0], 9), rng.uniform(0.1, 3.0, 9)
    answers = [
        ops.slope_between(values, change, t, cost, squared, share) for ops in (tested, reference)
    ]
    np.testing.assert_allclose(answers[0], answers[1], rtol=1e-12, atol=1e-12)
    loss = SquaredHinge() if squared else Hinge()
    slope = cost @ (loss.derivative(values + share * change, t) * change)
    np.testing.assert_allclose(answers[0], slope, rtol=1e-10, atol=1e-12)


@given(n=st.integers(0, 40), seed=st.integers(1, 2**64 - 1))
def test_draws_agree_and_are_rows(tested, n, seed):
    orders = []
    for ops in (tested, reference):
        order, state = np.full(n, -1), np.array([seed], dtype=np.uint64)
        ops.draw(order, state)
        assert ((order >= 0) & (order < n)).all()
        orders.append((order.tolist(), int(state[0])))
    assert orders[0] == orders[1]


def test_every_row_is_drawn_as_often(tested):
    order, state = np.empty(60_000, np.intp), np.array([1], dtype=np.uint64)
    tested.draw(order, state)
    # Of 60,000 draws each tenth of the rows gets 6,000, give or take 73.
    assert np.abs(np.histogram(order, 10)[0] - 6000).max() < 370


@DTYPES
@given(data=st.data())
def test_a_row_may_be_visited_more_than_once(tested, dtype, data):
    problem = data.draw(problems(dtype))
    n = len(problem[0])
    drawn = st.lists(st.integers(0, n - 1), min_size=1, max_size=2 * n)
    orders = [data.draw(drawn) for _ in range(2)]
    fast, slow = (descend(ops, problem, orders, np.asarray) for ops in (tested, reference))
    np.testing.assert_allclose(fast[0], slow[0], rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(fast[1], slow[1], rtol=1e-6, atol=1e-7)
