"""The compiled passes of a round of gradient boosting and their NumPy twins agree."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin.losses import Exponential, Logistic
from maxmargin.ops.engine import Engine

GROUP = "gradient"
reference = getattr(Engine("reference"), GROUP)

PASSES = {"logistic_pass": Logistic(), "exponential_pass": Exponential()}
seeds = st.integers(0, 2**32 - 1)


def rows(seed, n):
    rng = np.random.default_rng(seed)
    z = rng.normal(size=n) * rng.choice([1.0, 20.0, 100.0])
    return z, rng.choice([-1.0, 1.0], size=n), rng.uniform(0.0, 2.0, size=n)


@pytest.mark.parametrize("name", PASSES)
@given(seeds, st.integers(0, 30), st.data())
def test_passes(tested, name, seed, n, data):
    z, t, weight = rows(seed, n)
    first = data.draw(st.integers(0, n))
    stop = data.draw(st.integers(first, n))
    fast, slow = np.zeros((2, n)), np.zeros((2, n))
    total = getattr(tested, name)(z, t, weight, first, stop, *fast)
    assert total == pytest.approx(getattr(reference, name)(z, t, weight, first, stop, *slow))
    np.testing.assert_allclose(fast, slow, rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("name", PASSES)
@given(seed=seeds)
def test_passes_are_the_calculus_of_the_loss(ops, name, seed):
    z, t, weight = rows(seed, 20)
    loss, (pull, curvature) = PASSES[name], np.zeros((2, 20))
    total = getattr(ops, name)(z, t, weight, 0, 20, pull, curvature)
    assert total == pytest.approx(weight @ loss.value(z, t))
    np.testing.assert_allclose(pull, -weight * loss.derivative(z, t), rtol=1e-9, atol=1e-300)
    np.testing.assert_allclose(curvature, weight * loss.curvature(z, t), rtol=1e-9, atol=1e-300)


@given(seeds, st.integers(0, 30))
def test_sides(tested, seed, n):
    rng = np.random.default_rng(seed)
    values, right = rng.normal(size=n), rng.random(n) < 0.5
    one, other = tested.side_sums(values, right), reference.side_sums(values, right)
    np.testing.assert_allclose(one, other, atol=1e-13)
    fast, slow = np.zeros(n), np.zeros(n)
    tested.add_sides(values, right, -1.5, 0.25, fast)
    reference.add_sides(values, right, -1.5, 0.25, slow)
    np.testing.assert_array_equal(fast, slow)


def test_two_rows_by_hand(ops):
    z, t, weight, (pull, curvature) = (
        np.zeros(2),
        np.array([1.0, -1.0]),
        np.array([1.0, 2.0]),
        np.zeros((2, 2)),
    )
    assert ops.logistic_pass(z, t, weight, 0, 2, pull, curvature) == pytest.approx(3 * np.log(2))
    assert (pull.tolist(), curvature.tolist()) == ([0.5, -1.0], [0.25, 0.5])
    assert ops.exponential_pass(z, t, weight, 0, 2, pull, curvature) == 3.0
    assert (pull.tolist(), curvature.tolist()) == ([1.0, -2.0], [1.0, 2.0])
    assert ops.side_sums(np.array([1.0, 2.0]), np.array([True, False])) == (2.0, 1.0)
