import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin.losses.descent import minimise

positions = st.floats(-1e6, 1e6).filter(lambda p: abs(p) > 1e-6)


@given(positions, st.floats(1e-3, 1e3), st.floats(1e-4, 1e4))
def test_parabola(place, scale, guess):
    found = minimise(
        lambda a: scale * (a - place) ** 2, lambda a: 2 * scale * (a - place), guess=guess
    )
    assert found == pytest.approx(place, rel=1e-10)


@given(positions)
def test_kink(place):
    found = minimise(lambda a: abs(a - place), lambda a: np.sign(a - place))
    assert found == pytest.approx(place, rel=1e-10)


def test_at_the_minimum_already():
    assert minimise(lambda a: a * a, lambda a: 2 * a) == 0.0


def test_no_minimum_ends_where_the_slope_is_flat():
    found = minimise(lambda a: np.exp(-a), lambda a: -np.exp(-a))
    assert 20 < found < 100
    assert np.exp(-found) < 1e-12


def test_a_slope_that_never_changes_ends_too():
    assert np.isfinite(minimise(lambda a: -a, lambda a: -1.0))


def test_overflow_far_away():
    with np.errstate(over="ignore"):
        found = minimise(lambda a: np.exp(a) - 2 * a, lambda a: np.exp(a) - 2, guess=1e6)
    assert found == pytest.approx(np.log(2), rel=1e-12)


def test_not_convex_is_bounded_and_leads_downhill():
    calls = []

    def value(a):
        calls.append(a)
        return np.cos(a) + 0.01 * a

    def slope(a):
        calls.append(a)
        return -np.sin(a) + 0.01

    found = minimise(lambda a: value(a + 1.0), lambda a: slope(a + 1.0))
    assert value(found + 1.0) < value(1.0)
    assert len(calls) < 500


def test_a_wrong_slope_gives_no_step_uphill():
    assert minimise(abs, lambda a: -1.0 if a < 1.0 else 1.0) == pytest.approx(0.0, abs=1e-15)


def test_a_slope_that_is_not_a_number_is_refused():
    with pytest.raises(ValueError, match="The derivative of the loss is nan at the start"):
        minimise(lambda a: a, lambda a: float("nan"))
