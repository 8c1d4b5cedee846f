import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from scipy.stats import norm

from maxmargin.datasets import make_overlapping, make_rings, make_separable, make_xor

GENERATORS = [make_separable, make_overlapping, make_rings, make_xor]

every_generator = pytest.mark.parametrize("make", GENERATORS, ids=lambda make: make.__name__)


@every_generator
@pytest.mark.parametrize("n_samples", [2, 3, 10, 101])
def test_half_the_rows_belong_to_each_class(make, n_samples):
    X, y = make(n_samples, random_state=0)
    assert X.shape == (n_samples, 2)
    assert X.dtype == np.float64
    assert y.tolist().count(1) == (n_samples + 1) // 2
    assert y.tolist().count(-1) == n_samples // 2


@every_generator
def test_same_seed_same_data(make):
    X, y = make(30, random_state=7)
    again, y_again = make(30, random_state=np.random.RandomState(7))
    np.testing.assert_array_equal(X, again)
    np.testing.assert_array_equal(y, y_again)
    other, _ = make(30, random_state=8)
    assert not np.array_equal(X, other)


@given(
    n_samples=st.integers(2, 80),
    n_features=st.integers(1, 12),
    margin=st.floats(1e-3, 1e3),
    seed=st.integers(0, 2**32 - 1),
)
def test_separable_data_have_exactly_the_margin_asked_for(n_samples, n_features, margin, seed):
    X, y = make_separable(n_samples, margin=margin, n_features=n_features, random_state=seed)
    positive, negative = X[y > 0], X[y < 0]
    distances = cdist(positive, negative)
    i, j = np.unravel_index(distances.argmin(), distances.shape)
    # Half the distance of any opposite pair bounds every margin from above ...
    assert distances[i, j] / 2 == pytest.approx(margin, rel=1e-9)
    # ... and the bisector of the nearest pair attains it.
    normal = (positive[i] - negative[j]) / distances[i, j]
    reach = y * ((X - (positive[i] + negative[j]) / 2) @ normal)
    assert reach.min() == pytest.approx(margin, rel=1e-9)


def test_overlap_is_the_normal_tail():
    X, y = make_overlapping(20_000, separation=3.0, n_features=4, random_state=0)
    bayes_error = np.mean(np.sign(X.sum(axis=1)) != y)
    assert bayes_error == pytest.approx(norm.cdf(-1.5), abs=0.01)


def test_rings_have_their_radii():
    X, y = make_rings(50, inner=0.5, outer=3.0, noise=0, random_state=0)
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), np.where(y > 0, 0.5, 3.0))


def test_xor_fills_all_four_corners():
    X, y = make_xor(4, noise=0, random_state=0)
    assert {tuple(x) for x in X.tolist()} == {(1, 1), (-1, -1), (1, -1), (-1, 1)}
    np.testing.assert_array_equal(X.prod(axis=1), y)


@every_generator
@pytest.mark.parametrize("n_samples", [1, 0, -5, 2.5, "many", None, True])
def test_bad_number_of_samples(make, n_samples):
    with pytest.raises(ValueError, match=r"n_samples must be an integer of at least 2, got"):
        make(n_samples)


@pytest.mark.parametrize(
    ("make", "parameters", "sentence"),
    [
        (make_separable, {"margin": 0}, "margin must be a finite number above 0, got 0"),
        (make_separable, {"margin": float("nan")}, "margin must be a finite number above 0"),
        (make_separable, {"n_features": 0}, "n_features must be an integer of at least 1"),
        (make_overlapping, {"separation": -1}, "separation must be a finite number 0 or more"),
        (make_overlapping, {"n_features": 1.5}, "n_features must be an integer of at least 1"),
        (make_rings, {"inner": 3.0}, "inner must be below outer, got 3.0 and 2.0"),
        (make_rings, {"outer": float("inf")}, "outer must be a finite number above 0"),
        (make_rings, {"noise": "some"}, "noise must be a finite number 0 or more, got 'some'"),
        (make_xor, {"noise": -0.1}, "noise must be a finite number 0 or more"),
    ],
)
def test_bad_parameters_are_named(make, parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        make(10, **parameters)
