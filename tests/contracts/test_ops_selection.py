import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin.ops.engine import Engine

GROUP = "selection"
reference = getattr(Engine("reference"), GROUP)


def box(seed, n):
    """F, beta and bounds, with variables at either bound, free, and fixed."""
    rng = np.random.default_rng(seed)
    lower, upper = -rng.integers(0, 2, n).astype(float), rng.integers(0, 2, n).astype(float)
    beta = np.clip(rng.choice([-1.0, -0.5, 0.0, 0.5, 1.0], n), lower, upper)
    return rng.normal(size=n), beta, lower, upper


@given(seed=st.integers(0, 10**6), n=st.integers(1, 40))
def test_survey(tested, seed, n):
    assert tested.survey(*box(seed, n)) == pytest.approx(reference.survey(*box(seed, n)))


@given(seed=st.integers(0, 10**6), n=st.integers(1, 40), b=st.floats(-1, 1))
def test_slopes(tested, seed, n, b):
    out, twin = np.empty(n), np.empty(n)
    tested.slopes(*box(seed, n), b, out)
    reference.slopes(*box(seed, n), b, twin)
    np.testing.assert_allclose(out, twin)
    _, beta, lower, upper = box(seed, n)
    assert (beta[out > 0] < upper[out > 0]).all()
    assert (beta[out < 0] > lower[out < 0]).all()


@given(seed=st.integers(0, 10**6), n=st.integers(1, 400), room=st.integers(1, 50))
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_violators(tested, seed, n, room, sign):
    slope = np.random.default_rng(seed).normal(size=n) * (np.arange(n) % 3 > 0)
    found = []
    for ops in (tested, reference):
        steepest, others = np.empty(room, np.intp), np.empty(n, np.intp)
        rest = others[: ops.violators(slope, sign, steepest, others)]
        assert len(np.unique(rest)) == len(rest)
        found.append((set(steepest.tolist()), set(rest.tolist())))
    assert found[0] == found[1]


def test_of_a_million_the_steepest_are_found(tested):
    slope = np.random.default_rng(0).normal(size=1_000_000)
    steepest, others = np.empty(300, np.intp), np.empty(len(slope), np.intp)
    count = tested.violators(slope, 1.0, steepest, others)
    np.testing.assert_array_equal(np.sort(steepest), np.sort(np.argsort(-slope)[:300]))
    assert count == np.count_nonzero(slope > 0) - 300
