"""Kernel values on a device are those of the CPU."""

import inspect

import numpy as np
import pytest
from scipy import sparse

import maxmargin.kernels as room
from maxmargin.kernels import (
    RBF,
    Constant,
    Kernel,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    Precomputed,
    RationalQuadratic,
    Sigmoid,
    Spectrum,
    exp,
)
from maxmargin.kernels.gram import Gram
from maxmargin.kernels.on_device import (
    KERNELS,
    NoDeviceFormError,
    check_device_form,
    missing_form,
)
from maxmargin.solvers.kernel_values.on_device import DeviceGram, DeviceProducts

VALUES = [
    RBF(0.3),
    RBF(sigma=0.7),
    Laplacian(0.2),
    Matern(1.5, 0.4),
    Matern(2.5, 0.4, "absolute"),
    RationalQuadratic(1.0, 0.3),
    RationalQuadratic(0.5, 0.3, "absolute"),
    Linear(),
    Polynomial(3, 0.2, 1.0),
    Sigmoid(0.1, 0.2),
    Linear() + 2.0 * RBF(0.3),
    Constant(2.0) + Linear(),
    RBF(0.3) * Polynomial(2, 0.1),
    (Linear() + Constant(1.0)) ** 3,
    exp(Sigmoid(0.1, 0.0)),
    RBF(0.3).restrict([0, 2]) * Laplacian(0.1).restrict([1]),
    (Polynomial(2, 0.5) + RBF(0.1)).normalized(),
]


def _rows(dtype, n=40):
    return np.random.default_rng(0).normal(size=(n, 4)).astype(dtype)


def _block(kernel, X, card, **more):
    matrix = DeviceGram(Gram.of(kernel, X), card, 1 << 26, **more)
    everything = matrix.index(np.arange(len(matrix)))
    return matrix, matrix.block(everything, everything).cpu().numpy()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kernel", VALUES, ids=repr)
def test_values_are_those_of_the_cpu(kernel, dtype, card):
    X = _rows(dtype)
    _, found = _block(kernel, X, card)
    assert found.dtype == dtype
    scale = np.abs(kernel(X)).max()
    assert np.abs(found - kernel(X)).max() <= (1e-4 if dtype == np.float32 else 1e-12) * scale


@pytest.mark.parametrize("kernel", [RBF(0.3), Laplacian(0.2), Polynomial(2, 0.3)], ids=repr)
def test_sparse_rows_have_the_values_of_dense_ones(kernel, card):
    X = np.where(np.random.default_rng(1).random((40, 6)) < 0.3, 1.5, 0.0)
    _, found = _block(kernel, sparse.csr_matrix(X), card)
    assert np.allclose(found, kernel(X), atol=1e-12)


def test_a_given_matrix_is_read(card):
    K = RBF(0.5)(_rows(np.float64))
    assert np.array_equal(_block(Precomputed(), K, card)[1], K)


def test_a_whole_matrix_has_the_same_values(card):
    X = _rows(np.float64)
    matrix, found = _block(RBF(0.3), X, card, shared=True)
    assert matrix.whole is not None
    assert np.allclose(found, RBF(0.3)(X), atol=1e-12)


@pytest.mark.parametrize("kernel", [RBF(0.3), Laplacian(0.2)], ids=repr)
def test_sums_add_up_in_double_precision(kernel, card):
    X, w = _rows(np.float64), np.random.default_rng(2).normal(size=15)
    matrix = DeviceGram(Gram.of(kernel, X), card, 1 << 26)
    seen, moved = np.arange(3, 30), np.arange(0, 30, 2)
    sums = matrix.sums(matrix.index(seen), matrix.index(moved), matrix.vector(w))
    assert np.allclose(sums.cpu().numpy(), kernel(X)[np.ix_(seen, moved)] @ w, atol=1e-12)


def test_products_are_those_of_the_matrix(card):
    X, B = _rows(np.float64), np.random.default_rng(3).normal(size=(40, 2))
    products = DeviceProducts(DeviceGram(Gram.of(RBF(0.3), X), card, 1 << 26))
    K = RBF(0.3)(X)
    assert np.allclose(products.times(B), K @ B, atol=1e-12)
    assert np.allclose(products.times(B[:, 0]), K @ B[:, 0], atol=1e-12)
    assert np.allclose(products.columns(np.array([1, 5])), K[:, [1, 5]], atol=1e-12)


def test_every_kernel_of_vectors_is_listed_or_refused():
    public = {each for _, each in inspect.getmembers(room, inspect.isclass)}
    kernels = {each for each in public if issubclass(each, Kernel) and not inspect.isabstract(each)}
    assert set(KERNELS) <= kernels
    assert missing_form(RBF(0.1) + Spectrum(2)) == Spectrum(2)
    with pytest.raises(NoDeviceFormError, match=r"Spectrum\(k=2\).*device='cuda'"):
        check_device_form(2.0 * Spectrum(2), "cuda")


def test_a_subclass_that_fills_something_else_is_refused():
    class Mine(RBF):
        """Not the RBF, in spite of its name."""

    assert missing_form(Mine(0.5)) == Mine(0.5)
