"""What every kernel promises, on every kernel there is, against a double loop."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from maxmargin import kernels
from maxmargin.kernels import (
    RBF,
    Constant,
    FeatureMap,
    FromFunction,
    Kernel,
    Laplacian,
    Linear,
    Polynomial,
    Precomputed,
    Sigmoid,
    check,
    exp,
)


def min_sum(x, y):
    return np.minimum(x, y).sum() + 10.0


def sum_product(X, Y):
    return (np.asarray(X.sum(axis=1)).reshape(-1, 1) * np.asarray(Y.sum(axis=1)).reshape(1, -1)) / 7


def absolute(X):
    return abs(X)


def first_square(x):
    return float(x[0] ** 2)


def normalized_cubic(x, y):
    return cubic(x, y) / np.sqrt(cubic(x, x) * cubic(y, y))


def cubic(x, y):
    return (0.5 * (x @ y) + 1) ** 3


def rbf(x, y):
    return np.exp(-0.3 * ((x - y) ** 2).sum())


# Each kernel beside its definition for two rows. Every class of kernels must stand here.
VECTOR_KERNELS = {
    Linear(): lambda x, y: x @ y,
    Polynomial(degree=3, gamma=0.5, coef0=1.0): cubic,
    Polynomial(degree=2, gamma=0.2, coef0=-1.0): lambda x, y: (0.2 * (x @ y) - 1) ** 2,
    Polynomial(degree=0): lambda x, y: 1.0,
    Polynomial(degree=1, coef0=0.0): lambda x, y: x @ y,
    Polynomial(degree=7, gamma=0.1): lambda x, y: (0.1 * (x @ y) + 1) ** 7,
    Sigmoid(gamma=0.2, coef0=-0.3): lambda x, y: np.tanh(0.2 * (x @ y) - 0.3),
    RBF(gamma=0.3): rbf,
    RBF(sigma=2.0): lambda x, y: np.exp(-((x - y) ** 2).sum() / 8),
    RBF(gamma=0): lambda x, y: 1.0,
    Laplacian(gamma=0.4): lambda x, y: np.exp(-0.4 * np.abs(x - y).sum()),
    Constant(2.5): lambda x, y: 2.5,
    RBF(gamma=0.3) + Linear(): lambda x, y: rbf(x, y) + x @ y,
    Linear() + 1.5: lambda x, y: x @ y + 1.5,
    RBF(gamma=0.3) * Linear(): lambda x, y: rbf(x, y) * (x @ y),
    2.5 * RBF(gamma=0.3): lambda x, y: 2.5 * rbf(x, y),
    Linear() ** 3: lambda x, y: (x @ y) ** 3,
    exp(0.1 * Linear()): lambda x, y: np.exp(0.1 * (x @ y)),
    Linear().restrict([0, 2]): lambda x, y: x[0] * y[0] + x[2] * y[2],
    RBF(gamma=0.3).restrict(slice(1, None)): lambda x, y: rbf(x[1:], y[1:]),
    Polynomial(3, 0.5).normalized(): normalized_cubic,
    (RBF(gamma=0.3) + 2.0 * Linear()) ** 2 * Constant(0.5): (
        lambda x, y: 0.5 * (rbf(x, y) + 2 * (x @ y)) ** 2
    ),
}
DENSE_KERNELS = {
    FeatureMap(absolute): lambda x, y: abs(x) @ abs(y),
    FeatureMap(first_square, batch=False): lambda x, y: x[0] ** 2 * y[0] ** 2,
    FromFunction(min_sum, psd=None): min_sum,
    FromFunction(sum_product, psd=True, batch=True): lambda x, y: x.sum() * y.sum() / 7,
}
KERNELS = [*VECTOR_KERNELS, *DENSE_KERNELS, Precomputed()]
VECTORS = [pytest.param(k, f, id=repr(k)) for k, f in VECTOR_KERNELS.items()]
ANY_DENSE = [pytest.param(k, f, id=repr(k)) for k, f in (VECTOR_KERNELS | DENSE_KERNELS).items()]
ALL = [pytest.param(k, id=repr(k)) for k in KERNELS]


def double_loop(f, X, Y):
    X, Y = X.astype(np.float64), Y.astype(np.float64)
    return np.array([[f(x, y) for y in Y] for x in X])


def rows(n, seed, dtype=np.float64):
    """Rows with about half of their entries zero, so that sparse and dense see the same data."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5)) * (rng.random((n, 5)) < 0.6)
    return (X + (X.sum(axis=1, keepdims=True) == 0)).astype(dtype)


def tolerance(dtype):
    return {"rtol": 2e-5, "atol": 2e-6} if dtype == np.float32 else {"rtol": 1e-12, "atol": 1e-13}


def subclasses(cls):
    return {cls} | {deeper for sub in cls.__subclasses__() for deeper in subclasses(sub)}


def test_no_kernel_escapes():
    concrete = {cls for cls in subclasses(Kernel) if cls.__module__.startswith("maxmargin.")}
    concrete = {cls for cls in concrete if not cls.__abstractmethods__}
    assert concrete == {type(part) for k in KERNELS for part in parts(k)}
    assert {cls.__name__ for cls in concrete} <= set(kernels.__all__)


def parts(kernel):
    return [kernel, *(v for v in kernel.get_params().values() if isinstance(v, Kernel))]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("kernel", "f"), ANY_DENSE)
def test_matrix_is_the_double_loop(kernel, f, dtype):
    X, Y = rows(7, 0, dtype), rows(10, 1, dtype)
    K = kernel(X, Y)
    assert K.dtype == dtype
    np.testing.assert_allclose(K, double_loop(f, X, Y), **tolerance(dtype))
    np.testing.assert_allclose(kernel(X), double_loop(f, X, X), **tolerance(dtype))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("kernel", "f"), VECTORS)
def test_sparse_is_dense(kernel, f, dtype):
    X, Y = rows(9, 2, dtype), rows(6, 3, dtype)
    expected = double_loop(f, X, Y)
    for left, right in [(sparse.csr_array, sparse.csc_matrix), (sparse.coo_array, np.asarray)]:
        np.testing.assert_allclose(kernel(left(X), right(Y)), expected, **tolerance(dtype))
        np.testing.assert_allclose(kernel(right(X), left(Y)), expected, **tolerance(dtype))
        assert kernel(left(X), right(Y)).dtype == dtype


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("kernel", "f"), ANY_DENSE)
def test_diagonal_is_the_matrix_diagonal(kernel, f, dtype):
    X = rows(8, 4, dtype)
    assert kernel.diag(X).dtype == dtype
    np.testing.assert_allclose(kernel.diag(X), np.diag(double_loop(f, X, X)), **tolerance(dtype))


@pytest.mark.parametrize("kernel", ALL)
def test_blocks_are_parts_of_the_matrix(kernel):
    X = rows(12, 5) @ rows(12, 5).T
    A, K = kernel.prepare(X), kernel(X)
    chosen, some = np.array([7, 1, 1, 4]), slice(2, 9)
    for left in (chosen, some):
        for right in (chosen, some):
            block = kernel.block(A[left], A[right])
            np.testing.assert_allclose(block, K[left][:, right], rtol=1e-10, atol=1e-13)
    np.testing.assert_allclose(kernel.diagonal(A[chosen]), np.diag(K)[chosen], rtol=1e-10)
    assert len(A[chosen]) == 4
    assert len(A[some]) == 7


@pytest.mark.parametrize("kernel", ALL)
def test_a_block_is_written_into_out_and_nowhere_else(kernel):
    X = rows(6, 6) @ rows(6, 6).T
    A, expected = kernel.prepare(X), kernel(X)
    for out in (np.full((8, 9), 7.0), np.full((9, 8), 7.0).T, np.full((16, 18), 7.0)[::2, ::2]):
        view = out[1:7, 2:8]
        assert kernel.block(A, A, view) is view
        np.testing.assert_allclose(view, expected, rtol=1e-10)
        view[...] = 7.0
        assert (out == 7.0).all()


@pytest.mark.parametrize("kernel", ALL)
def test_kernels_are_values(kernel):
    twin = clone(kernel)
    assert twin == kernel
    assert twin is not kernel
    assert hash(twin) == hash(kernel)
    assert pickle.loads(pickle.dumps(kernel)) == kernel
    assert [k for k in KERNELS if k == kernel] == [kernel]
    assert kernel != "kernel"


@pytest.mark.parametrize("kernel", ALL)
def test_repr_makes_the_kernel_again(kernel):
    assert "\n" not in repr(kernel)
    assert eval(repr(kernel), vars(kernels) | globals()) == kernel


@pytest.mark.parametrize("kernel", ALL)
def test_parameters_can_be_set_to_themselves(kernel):
    twin = clone(kernel)
    assert twin.set_params(**twin.get_params()) == kernel
    with pytest.raises(ValueError, match="Invalid parameter 'nonsense'"):
        twin.set_params(nonsense=1)


@pytest.mark.parametrize("kernel", [k for k in KERNELS if k.psd])
def test_what_is_said_to_be_psd_passes_the_check(kernel):
    assert check(kernel, rows(30, 7))


@pytest.mark.parametrize(("kernel", "f"), VECTORS)
def test_prepared_rows_that_need_no_change_are_not_copied(kernel, f):
    X = rows(4, 8)
    prepared = kernel.prepare(X)
    if hasattr(prepared, "X") and not isinstance(kernel, kernels.Restricted):
        assert prepared.X is X
        assert prepared[1:3].X.base is X
