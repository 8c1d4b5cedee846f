import numpy as np
import pytest

from maxmargin import SVC
from maxmargin.kernels import Matern, RationalQuadratic

KERNELS = [
    Matern(1.5, 0.7),
    Matern(2.5, 0.7, "absolute"),
    RationalQuadratic(1.0, 0.7),
    RationalQuadratic(3.0, 0.7, "absolute"),
]


@pytest.mark.parametrize(
    ("make", "error", "sentence"),
    [
        (lambda: Matern(0.5), ValueError, "nu 1.5 or 2.5, got 0.5"),
        (lambda: Matern(metric="l1"), ValueError, "metric 'squared' or 'absolute', got 'l1'"),
        (lambda: RationalQuadratic(0.0), ValueError, "alpha > 0, got 0.0"),
        (lambda: RationalQuadratic(np.nan), ValueError, "finite alpha"),
        (lambda: RationalQuadratic(gamma=-1), ValueError, "finite number >= 0"),
    ],
)
def test_wrong_parameters(make, error, sentence):
    with pytest.raises(error, match=sentence):
        make()


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_far_rows_have_no_similarity_and_equal_ones_have_all(kernel, dtype):
    X = np.array([[0.0], [1e18], [1e18]], dtype)
    K = kernel(X)
    np.testing.assert_allclose(K, [[1, 0, 0], [0, 1, 1], [0, 1, 1]], atol=1e-6)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_served_by_distances(kernel):
    X = np.random.default_rng(0).normal(size=(30, 3))
    rows = kernel.prepare(X)
    D = np.empty((30, 30))
    kernel.distances(rows, rows, D)
    K = np.empty_like(D)
    kernel.of_distances(D, K)
    np.testing.assert_allclose(K, kernel(X), rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_a_machine_of_it_is_certified(kernel, dtype):
    X = np.random.default_rng(1).normal(size=(120, 3)).astype(dtype)
    model = SVC(kernel=kernel, C=10.0).fit(X, X[:, 0] * X[:, 1] > 0)
    assert model.certificate_.status.name == "CERTIFIED"
    assert model.score(X, X[:, 0] * X[:, 1] > 0) > 0.9


def test_matern_lies_between_laplacian_and_rbf():
    """Of the same width at half height, the rougher kernel falls faster at first."""
    X = np.linspace(0, 0.1, 2)[:, None]
    rough, smooth = Matern(1.5, 1.0)(X)[0, 1], Matern(2.5, 1.0)(X)[0, 1]
    assert rough < smooth < 1.0
