import numpy as np
import pytest

from maxmargin.kernels import RBF, Laplacian


def test_sigma_is_a_way_to_give_gamma():
    X = np.random.default_rng(0).normal(size=(5, 2))
    np.testing.assert_array_equal(RBF(sigma=2.0)(X), RBF(gamma=0.125)(X))
    assert RBF(sigma=2.0).get_params() == {"gamma": None, "sigma": 2.0}
    assert RBF(sigma=2.0) != RBF(gamma=0.125)


@pytest.mark.parametrize(
    ("arguments", "error", "sentence"),
    [
        ({}, ValueError, "exactly one of gamma and sigma"),
        ({"gamma": 1.0, "sigma": 1.0}, ValueError, "exactly one of gamma and sigma"),
        ({"gamma": -1.0}, ValueError, "finite number >= 0, 'scale' or 'auto' for gamma, got -1.0"),
        ({"gamma": np.inf}, ValueError, "finite number >= 0, 'scale' or 'auto' for gamma, got inf"),
        ({"gamma": "wide"}, ValueError, "number >= 0, 'scale' or 'auto' for gamma, got 'wide'"),
        ({"gamma": True}, TypeError, "number >= 0, 'scale' or 'auto' for gamma, got True"),
        ({"sigma": 0.0}, ValueError, "sigma > 0"),
    ],
)
def test_wrong_parameters(arguments, error, sentence):
    with pytest.raises(error, match=sentence):
        RBF(**arguments)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_extreme_rates_compare_for_equality(dtype):
    X = np.array([[0.0], [1.0], [1.0]], dtype)
    equal = [[1, 0, 0], [0, 1, 1], [0, 1, 1]]
    for kernel in (RBF(gamma=1e300), RBF(sigma=1e-200), Laplacian(gamma=1e300)):
        np.testing.assert_array_equal(kernel(X), equal)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_distant_points_have_exactly_no_similarity(dtype):
    K = RBF(gamma=1.0)(np.array([[0.0], [1e6]], dtype))
    np.testing.assert_array_equal(K, np.eye(2))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_values_stay_between_zero_and_one(dtype):
    X = np.random.default_rng(1).normal(size=(50, 20)).astype(dtype)
    K = RBF(gamma=0.01)(X)
    assert K.min() >= 0
    assert K.max() <= 1
    np.testing.assert_allclose(np.diag(K), 1, atol=20 * np.finfo(dtype).eps)


def test_blocks_larger_than_one_tile_agree_with_small_ones():
    X = np.random.default_rng(2).normal(size=(600, 4))
    for kernel in (RBF(gamma=0.3), Laplacian(gamma=0.3)):
        K = kernel(X)
        np.testing.assert_allclose(K[590:, :3], kernel(X[590:], X[:3]), rtol=1e-13)
