import numpy as np
import pytest

from maxmargin.kernels import RBF
from maxmargin.ops.positive_definite import invert, invert_factor
from maxmargin.tabular.least_squares import solve, solve_exactly


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("outputs", [1, 3])
def test_leaving_out_is_what_fitting_without_the_row_gives(weighted, outputs):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(40, 3)), rng.normal(size=(40, outputs))
    weight = rng.uniform(0.5, 2.0, 40) if weighted else None
    K, ridge = RBF(0.5)(X), 0.1
    found = solve(K, Y, ridge, weight)
    slack = ridge * (np.ones(40) if weight is None else 1 / weight)
    np.testing.assert_allclose((K + np.diag(slack)) @ found.beta, Y, atol=1e-10)
    for i in range(40):
        rest = np.delete(np.arange(40), i)
        beta = np.linalg.solve(K[np.ix_(rest, rest)] + np.diag(slack[rest]), Y[rest])
        np.testing.assert_allclose(found.values[i], K[i, rest] @ beta, atol=1e-9)


def test_a_singular_matrix_is_no_error():
    assert solve(np.ones((3, 3)), np.ones((3, 1)), 0.0, None) is None


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 2, 255, 300])
def test_inverse(dtype, n):
    A = np.random.default_rng(n).normal(size=(n, n))
    A = (A @ A.T + n * np.eye(n)).astype(dtype)
    inverse = A.copy()
    assert invert(inverse)
    np.testing.assert_array_equal(inverse, inverse.T)
    atol = 100 * n * np.finfo(dtype).eps
    np.testing.assert_allclose(A @ inverse, np.eye(n), atol=atol)
    factor = A.copy()
    assert invert_factor(factor)
    np.testing.assert_array_equal(factor, np.triu(factor))
    np.testing.assert_allclose(factor @ factor.T, inverse, atol=atol)


def test_inverse_of_what_is_not_definite():
    assert not invert(np.array([[1.0, 2.0], [2.0, 1.0]]))
    assert not invert_factor(np.array([[1.0, 2.0], [2.0, 1.0]]))
    with pytest.raises(TypeError, match="C-contiguous"):
        invert(np.eye(2, dtype=int))


@pytest.mark.parametrize("ridge", [1.0, 1e-3, 1e-7, 1e-10])
@pytest.mark.parametrize("weighted", [False, True])
def test_refined_coefficients_are_those_of_double_precision(ridge, weighted):
    """Also where single precision calls the matrix singular."""
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(80, 2)), rng.normal(size=(80, 2))
    weight = rng.uniform(0.5, 2.0, 80) if weighted else None
    K = RBF(0.1)(X)
    beta = solve_exactly(K, Y, ridge, weight)
    slack = ridge * (np.ones(80) if weight is None else 1 / weight)
    residual = (K + np.diag(slack)) @ beta - Y
    assert np.abs(residual).max() < 1e-10 * max(1.0, np.abs(beta).max())


def test_refinement_of_a_singular_matrix_is_no_error():
    assert solve_exactly(np.ones((3, 3)), np.ones((3, 1)), 0.0, None) is None
