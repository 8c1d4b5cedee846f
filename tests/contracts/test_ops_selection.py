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
