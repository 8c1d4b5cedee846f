"""What sample weights mean to machines for tables."""

import warnings

import numpy as np
import pytest

from maxmargin import TableSVC, TableSVR
from maxmargin.tabular.table_machine import _as_counts

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(80, 2))
VALUE = X[:, 0] + 0.3 * RANDOM.normal(size=80)
KINDS = [(TableSVC, VALUE > 0), (TableSVR, VALUE)]


@pytest.mark.parametrize(("kind", "y"), KINDS)
def test_the_scale_of_weights_that_do_not_count_makes_no_difference(kind, y):
    weight = RANDOM.uniform(0.5, 1.5, 80)
    one, other = kind().fit(X, y, weight), kind().fit(X, y, 1024.0 * weight)
    np.testing.assert_array_equal(one._values(X), other._values(X))


@pytest.mark.parametrize(("kind", "y"), KINDS)
def test_whole_weights_are_repeats(kind, y):
    weight = RANDOM.integers(1, 3, 80)
    again = np.repeat(np.arange(80), weight)
    weighed, repeated = kind().fit(X, y, weight), kind().fit(X[again], y[again])
    np.testing.assert_allclose(weighed._values(X), repeated._values(X), atol=1e-6)


def test_counts_that_are_all_large_are_asked_about():
    with pytest.warns(UserWarning, match="Every sample weight is 1000 or more"):
        _as_counts(np.full(3, 1000.0))


def test_other_counts_are_left_alone():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert _as_counts(np.array([0.0, 1.0, 500.0])).tolist() == [0.0, 1.0, 500.0]
        assert _as_counts(np.array([-1.0, 0.0])).tolist() == [0.0, 0.0]


def test_weights_near_the_largest_number_have_a_mean():
    found = _as_counts(np.array([1.5e308, 0.5, 1.0e308]))
    assert np.isfinite(found).all()
    assert found.max() < 2.0
