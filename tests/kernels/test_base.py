from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy import sparse

from maxmargin.kernels import RBF, Kernel, Laplacian, Linear, Polynomial
from maxmargin.kernels.points import as_points


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize(
    "kernel", [RBF(gamma=0.3), Polynomial(), Laplacian(), 2.0 * Linear() + 1.0]
)
def test_threads_write_the_same_bits(kernel, make):
    X = make(np.random.default_rng(0).normal(size=(64, 9)).astype(np.float32))
    A = kernel.prepare(X)
    chunks = [slice(j, j + 7) for j in range(0, 64, 7)]
    alone, together = np.empty((64, 64), np.float32), np.empty((64, 64), np.float32)
    for columns in chunks:
        kernel.block(A, A[columns], alone[:, columns])
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda columns: kernel.block(A, A[columns], together[:, columns]), chunks))
    np.testing.assert_array_equal(alone, together)


def test_four_things_make_a_kernel():
    class Cosine(Kernel):
        psd = True

        def prepare(self, X):
            points = as_points(X)
            return as_points(points.X / np.linalg.norm(points.X, axis=1, keepdims=True))

        def fill(self, A, B, out):
            np.matmul(A.X, B.X.T, out=out)

        def diagonal(self, A):
            return np.ones(len(A), A.dtype)

    X = np.random.default_rng(1).normal(size=(5, 3))
    np.testing.assert_allclose(Cosine()(X), Linear().normalized()(X), rtol=1e-12)
    assert repr(3.0 * Cosine()) == "3.0 * Cosine()"
    assert (Cosine() + 1.0).psd is True
    assert Cosine() == Cosine()


def test_a_matrix_of_many_blocks():
    X = np.random.default_rng(2).normal(size=(1100, 2))
    Y = np.random.default_rng(3).normal(size=(2100, 2))
    np.testing.assert_allclose(Linear()(X, Y), X @ Y.T, rtol=1e-12)


def test_numpy_scalars_print_as_numbers():
    assert repr(RBF(gamma=np.float64(0.5))) == "RBF(gamma=0.5)"
    assert RBF(gamma=np.float64(0.5)) == RBF(gamma=0.5)
