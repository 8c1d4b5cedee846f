"""SMO, compiled and in NumPy: the same laws, the same first step, the same optimum."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin.ops.engine import Engine
from maxmargin.ops.kinds import COPIED, GIVEN

GROUP = "smo"
reference = getattr(Engine("reference"), GROUP)

DTYPES = [np.float32, np.float64]
NAMES = ["smo_pairs", "smo_single"]
TOL = 1e-3
NO_GROUPS = np.empty(0, np.int8)


@dataclass
class Small:
    """A box QP on a stored matrix, at beta = 0 or inside the box."""

    K: np.ndarray
    p: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    beta: np.ndarray

    @property
    def exact(self):
        return self.K.astype(np.float64)

    def gradient(self, beta):
        return self.p - self.exact @ beta

    def dual(self, beta):
        return self.p @ beta - beta @ self.exact @ beta / 2

    def violation(self, name, beta):
        F = self.gradient(beta)
        up = F[beta < self.upper].max(initial=-np.inf)
        low = F[beta > self.lower].min(initial=np.inf)
        return up - low if name == "smo_pairs" else max(0.0, up, -low)


@st.composite
def smalls(draw, dtype):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    q, rank = draw(st.integers(2, 12)), draw(st.integers(1, 6))
    features = rng.normal(size=(q, rank))
    if draw(st.booleans()):  # duplicate rows: zero curvature between them
        features[-1] = features[0]
    p, C = np.where(np.arange(q) % 2, -1.0, 1.0), draw(st.floats(0.01, 10))
    lower, upper = np.where(p > 0, 0.0, -C), np.where(p > 0, C, 0.0)
    inside = rng.uniform(lower, upper) if draw(st.booleans()) else np.zeros(q)
    return Small((features @ features.T).astype(dtype), p, lower, upper, inside)


@st.composite
def generic(draw):
    """A problem in general position, at a point inside the box: no two variables ever tie."""
    rng, q = np.random.default_rng(draw(st.integers(0, 2**32 - 1))), draw(st.integers(2, 40))
    features, C = rng.normal(size=(q, q)), draw(st.floats(0.01, 10))
    sign = np.where(np.arange(q) % 2, -1.0, 1.0)
    lower, upper = np.where(sign > 0, 0.0, -C), np.where(sign > 0, C, 0.0)
    p = sign + 0.1 * rng.normal(size=q)
    return Small(features @ features.T, p, lower, upper, rng.uniform(lower, upper))


def all_there(K):
    """Rows that are all there, from which nothing need be brought."""
    nothing, none = np.empty((0, 0), K.dtype), np.empty(0, K.dtype)
    source = GIVEN, nothing, np.empty(0, np.intp), nothing, none, np.empty(0)
    return K, np.arange(len(K)), np.zeros(1, np.int64), *source


def to_be_copied(K, room=3):
    """No row is there; each is copied from a larger matrix in which the variables are spread."""
    q = len(K)
    index = np.random.default_rng(q).permutation(q + room)[:q]
    larger = np.full((q + room, q + room), np.nan, K.dtype)
    larger[np.ix_(index, index)] = K
    nothing, none = np.empty((0, 0), K.dtype), np.empty(0, K.dtype)
    store = np.full((q, q), np.nan, K.dtype)
    source = COPIED, larger, index, nothing, none, np.empty(0)
    return store, np.full(q, -1), np.zeros(1, np.int64), *source


def optimise(ops, name, small, target=TOL, most=20_000, rows=all_there):
    beta = small.beta.copy()
    F, matrix = small.gradient(beta), rows(small.K)
    point = np.diag(small.K).copy(), beta, F, small.lower, small.upper, target, most
    if name == "smo_single":
        steps, flattest = ops.smo_single(*matrix, *point)
    else:
        used = np.zeros(len(beta), dtype=bool)
        steps, flattest, *wanted = ops.smo_pairs(*matrix, *point, True, used, NO_GROUPS, 1)
        assert wanted == [-1, -1]
    return beta, F, int(steps), float(flattest)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_stays_in_the_box_keeps_the_gradient_and_never_loses(ops, name, dtype, data):
    small = data.draw(smalls(dtype))
    beta, F, steps, flattest = optimise(ops, name, small)
    assert (beta >= small.lower).all()
    assert (beta <= small.upper).all()
    np.testing.assert_allclose(F, small.gradient(beta), atol=1e-8)
    assert small.dual(beta) >= small.dual(small.beta) - 1e-9
    assert flattest >= -1e-4 * small.exact.max()
    if name == "smo_pairs":
        np.testing.assert_allclose(beta.sum(), small.beta.sum(), atol=1e-9)
    if steps < 20_000:
        assert small.violation(name, beta) <= TOL + 1e-7


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_twins_reach_the_same_optimum(tested, name, dtype, data):
    small = data.draw(smalls(dtype))
    (fast, *_), (slow, *_) = (optimise(ops, name, small) for ops in (tested, reference))
    # Both violate by at most TOL, so each is within TOL times the room of the box of the optimum.
    room = TOL * np.abs(small.upper - small.lower).sum()
    np.testing.assert_allclose(small.dual(fast), small.dual(slow), atol=room + 1e-9)


@pytest.mark.parametrize("name", NAMES)
@given(small=generic())
def test_twins_make_the_same_step(tested, name, small):
    fast, slow = (optimise(ops, name, small, most=1) for ops in (tested, reference))
    assert fast[2] == slow[2] <= 1
    np.testing.assert_allclose(fast[0], slow[0], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(fast[1], slow[1], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(fast[3], slow[3], rtol=1e-9)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_rows_that_are_copied_when_wanted_change_nothing(ops, name, dtype, data):
    small = data.draw(smalls(dtype))
    there, copied = (optimise(ops, name, small, rows=r) for r in (all_there, to_be_copied))
    assert there[2] == copied[2]
    np.testing.assert_array_equal(there[0], copied[0])
    np.testing.assert_array_equal(there[1], copied[1])


@pytest.mark.parametrize("dtype", DTYPES)
@given(data=st.data())
def test_products_are_of_the_rows_that_count(ops, dtype, data):
    small = data.draw(smalls(dtype))
    beta, product = small.beta, np.empty(len(small.p))
    slots = np.where(beta != 0, np.arange(len(beta))[::-1], -1)
    ops.times(small.K[::-1].copy(), slots, beta, product)
    np.testing.assert_allclose(product, small.exact @ beta, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", NAMES)
def test_stops_where_it_is_told_to_and_goes_on_from_there(ops, name, dtype):
    rng = np.random.default_rng(4)
    features, p = rng.normal(size=(30, 30)), np.where(np.arange(30) % 2, -1.0, 1.0)
    box = np.where(p > 0, 0.0, -1.0), np.where(p > 0, 1.0, 0.0)
    small = Small((features @ features.T).astype(dtype), p, *box, np.zeros(30))
    first = small.violation(name, small.beta)
    rough, _, few, _ = optimise(ops, name, small, target=0.25 * first)
    whole_way, _, many, _ = optimise(ops, name, small, target=1e-9)
    assert 1e-9 < small.violation(name, rough) <= 0.25 * first + 1e-6
    assert few < many
    onward = replace(small, beta=rough)
    rest, _, more, _ = optimise(ops, name, onward, target=1e-9)
    assert small.dual(rest) == pytest.approx(small.dual(whole_way), rel=1e-9)
    assert few + more <= many + 2


def test_reports_the_smallest_curvature_met(ops):
    K = np.array([[1.0, 2.0], [2.0, 1.0]])  # (1, -1) has curvature -2
    small = Small(K, np.array([1.0, -1.0]), np.array([0.0, -1]), np.array([1.0, 0]), np.zeros(2))
    beta, _, steps, flattest = optimise(ops, "smo_pairs", small)
    np.testing.assert_array_equal(beta, [1, -1])
    assert (steps, flattest) == (1, -2.0)


@pytest.mark.parametrize("name", NAMES)
def test_does_nothing_at_the_optimum(ops, name):
    K, zero = np.eye(2), np.zeros(2)
    small = Small(K, zero, -np.ones(2), np.ones(2), zero)
    beta, F, steps, flattest = optimise(ops, name, small)
    assert steps == 0
    assert flattest == np.inf
    np.testing.assert_array_equal([beta, F], np.zeros((2, 2)))


# SMO on the rows at hand


def optimise_rows(ops, small, stored, *, second_order=True, tol=TOL, most=20_000):
    """Run on a store that has some rows, in scrambled lines; returns also what is wanted next."""
    q, beta = len(small.p), small.beta.copy()
    slots = np.full(q, -1)
    slots[stored] = np.arange(len(stored))[::-1]
    store = np.full((q, q), np.nan, small.K.dtype)
    store[slots[stored]] = small.K[stored]
    _, _, *source = all_there(small.K)
    F, used = small.gradient(beta), np.zeros(q, dtype=bool)
    args = store, slots, *source, np.diag(small.K).copy(), beta, F, small.lower, small.upper
    steps, flattest, i, j = ops.smo_pairs(*args, tol, most, second_order, used, NO_GROUPS, 1)
    return beta, F, int(steps), float(flattest), (int(i), int(j)), used


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("second_order", [True, False])
@given(data=st.data())
def test_rows_at_hand_give_the_steps_or_say_what_is_missing(ops, second_order, dtype, data):
    small = data.draw(smalls(dtype))
    q = len(small.p)
    stored = np.array(sorted(data.draw(st.sets(st.integers(0, q - 1)))), dtype=np.intp)
    beta, F, steps, _, pair, used = optimise_rows(ops, small, stored, second_order=second_order)
    assert (beta >= small.lower).all()
    assert (beta <= small.upper).all()
    np.testing.assert_allclose(F, small.gradient(beta), atol=1e-8)
    np.testing.assert_allclose(beta.sum(), small.beta.sum(), atol=1e-9)
    assert set(np.flatnonzero(beta != small.beta)) <= set(stored) & set(np.flatnonzero(used))
    if pair == (-1, -1):
        assert steps == 20_000 or small.violation("smo_pairs", beta) <= TOL + 1e-7
    else:
        assert not set(pair) <= set(stored)
        assert small.violation("smo_pairs", beta) > TOL - 1e-7


@pytest.mark.parametrize("second_order", [True, False])
@given(small=generic())
def test_twins_make_the_same_step_on_rows(tested, second_order, small):
    everything = np.arange(len(small.p))
    fast, slow = (
        optimise_rows(ops, small, everything, second_order=second_order, most=1)
        for ops in (tested, reference)
    )
    assert fast[2] == slow[2] <= 1
    np.testing.assert_allclose(fast[0], slow[0], rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(fast[5], slow[5])


def test_first_order_takes_the_maximal_violating_pair_and_second_order_the_better_one(ops):
    K = np.array([[1.0, 0.9, 0.0], [0.9, 1.0, 0.0], [0.0, 0.0, 9.0]])
    p = np.array([1.0, -1.0, -1.1])  # 2 violates more with 0, and 1 gains more
    small = Small(K, p, np.array([0.0, -9, -9]), np.array([9.0, 0, 0]), np.zeros(3))
    everything = np.arange(3)
    first = optimise_rows(ops, small, everything, second_order=False, most=1)
    second = optimise_rows(ops, small, everything, second_order=True, most=1)
    np.testing.assert_allclose(first[0], [0.21, 0, -0.21])
    np.testing.assert_allclose(second[0], [9, -9, 0])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", NAMES)
def test_an_infinite_bound_is_never_reached(ops, name, dtype):
    """Two points at -1 and 1, and one farther out: alpha = 1/2, 1/2 and 0."""
    x, p = np.array([-1.0, 1.0, 3.0]), np.array([-1.0, 1.0, 1.0])
    lower, upper = np.where(p > 0, 0.0, -np.inf), np.where(p > 0, np.inf, 0.0)
    small = Small(np.outer(x, x).astype(dtype), p, lower, upper, np.zeros(3))
    beta, F, _, _ = optimise(ops, name, small, target=1e-9)
    assert np.isfinite(beta).all()
    assert np.isfinite(F).all()
    assert small.violation(name, beta) <= 1e-6
    if name == "smo_pairs":
        np.testing.assert_allclose(beta, [-0.5, 0.5, 0.0], atol=1e-6)
