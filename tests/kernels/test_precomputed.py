import numpy as np
import pytest
from scipy import sparse

from maxmargin.kernels import Linear, Precomputed


def test_training_and_prediction_blocks():
    rng = np.random.default_rng(0)
    train, new = rng.normal(size=(6, 3)), rng.normal(size=(4, 3))
    kernel, support = Precomputed(), np.array([5, 0, 3])
    fitted = kernel.prepare(train @ train.T)
    asked = kernel.prepare(new @ train.T)
    np.testing.assert_array_equal(kernel.block(asked, fitted[support]), new @ train.T[:, support])
    block = kernel.block(fitted[1:3], fitted[support][1:])
    np.testing.assert_allclose(block, train[1:3] @ train[[0, 3]].T)


def test_the_matrix_is_returned_as_a_copy():
    K = np.eye(3)
    assert Precomputed()(K) is not K
    np.testing.assert_array_equal(Precomputed()(K, K), K)
    np.testing.assert_array_equal((2.0 * Precomputed() + 1.0)(K), 2 * K + 1)
    np.testing.assert_array_equal((Precomputed() + Linear())(K), 2 * K)


def test_wrong_matrices():
    with pytest.raises(TypeError, match="Sparse precomputed kernels are not supported"):
        Precomputed()(sparse.eye_array(3))
    with pytest.raises(ValueError, match="must be square"):
        Precomputed().diag(np.ones((2, 3)))
    with pytest.raises(ValueError, match="2 columns for 3 items"):
        Precomputed()(np.ones((3, 2)), np.eye(3))
    kernel = Precomputed()
    with pytest.raises(ValueError, match="has 2 columns; it needs one column a training item"):
        kernel.block(kernel.prepare(np.ones((3, 2))), kernel.prepare(np.eye(3)))
