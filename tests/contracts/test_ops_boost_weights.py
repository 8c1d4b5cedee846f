"""The compiled loops over the weights of boosting and their NumPy twins give the same numbers."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from maxmargin.ops.engine import Engine

GROUP = "boost_weights"
reference = getattr(Engine("reference"), GROUP)

seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(0, 70)


def told(seed, n, n_classes=2):
    rng = np.random.default_rng(seed)
    predicted, label = rng.integers(0, n_classes, size=(2, n)).astype(np.int32)
    return rng, rng.exponential(size=n), predicted, label


@given(seeds, sizes)
def test_weigh_wrong(tested, seed, n):
    _, weight, predicted, label = told(seed, n)
    fast, slow = (ops.weigh_wrong(weight, predicted, label) for ops in (tested, reference))
    np.testing.assert_allclose(fast, slow, rtol=1e-13)


@given(seeds, sizes)
def test_weigh_both(tested, seed, n):
    _, weight, predicted, label = told(seed, n)
    fast, slow = (ops.weigh_both(weight, predicted, label) for ops in (tested, reference))
    np.testing.assert_allclose(fast, slow, rtol=1e-13)


@given(seeds, sizes)
def test_weigh_all(tested, seed, n):
    _, weight, _, _ = told(seed, n)
    np.testing.assert_allclose(tested.weigh_all(weight), reference.weigh_all(weight), rtol=1e-13)


@given(seeds, sizes, st.floats(0, 2), st.floats(0, 2), st.sampled_from([0.0, 1e-250, 0.5]))
def test_reweigh(tested, seed, n, right, wrong, floor):
    _, weight, predicted, label = told(seed, n)
    twin = weight.copy()
    tested.reweigh(weight, predicted, label, right, wrong, floor)
    reference.reweigh(twin, predicted, label, right, wrong, floor)
    np.testing.assert_array_equal(weight, twin)


@given(seeds, sizes, st.floats(0, 3))
def test_add_sign(tested, seed, n, alpha):
    rng, weight, predicted, label = told(seed, n)
    decision = alpha * rng.integers(-2, 3, size=n).astype(np.float64)  # some end at 0 exactly
    twin = decision.copy()
    fast = tested.add_sign(decision, predicted, label, alpha, weight)
    slow = reference.add_sign(twin, predicted, label, alpha, weight)
    np.testing.assert_array_equal(decision, twin)
    np.testing.assert_allclose(fast, slow, rtol=1e-13)


@given(seeds, sizes, st.integers(2, 5), st.floats(0, 3))
def test_add_vote(tested, seed, n, n_classes, alpha):
    rng, weight, predicted, label = told(seed, n, n_classes)
    votes = alpha * rng.integers(0, 3, size=(n, n_classes)).astype(np.float64)
    twin = votes.copy()
    fast = tested.add_vote(votes, predicted, label, alpha, weight)
    slow = reference.add_vote(twin, predicted, label, alpha, weight)
    np.testing.assert_array_equal(votes, twin)
    np.testing.assert_allclose(fast, slow, rtol=1e-13)
