import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxmargin import SVC
from maxmargin.kernels import Precomputed, Sigmoid, check, nearest_psd

METHODS = ("clip", "shift", "flip")
K = np.array([[1.0, 2.0], [2.0, 1.0]])  # eigenvalues 3 and -1


@pytest.mark.parametrize(
    ("method", "matrix", "distance", "least"),
    [
        ("clip", [[1.5, 1.5], [1.5, 1.5]], 1.0, 0.0),
        ("shift", [[2.0, 2.0], [2.0, 2.0]], np.sqrt(2.0), 0.0),
        ("flip", [[2.0, 1.0], [1.0, 2.0]], 2.0, 1.0),
    ],
)
def test_two_by_two_by_hand(method, matrix, distance, least):
    repaired = nearest_psd(K, method)
    np.testing.assert_allclose(repaired.matrix, matrix, atol=1e-14)
    assert repaired.distance == pytest.approx(distance)
    assert repaired.relative_distance == pytest.approx(distance / np.sqrt(10.0))
    assert repaired.least_before == pytest.approx(-1.0)
    assert repaired.least_after == pytest.approx(least, abs=1e-14)
    assert str(repaired).startswith(f"{method}: moved by ")


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_nothing_is_nearer_than_what_is_clipped(n, seed):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(n, n))
    A, B = A + A.T, rng.normal(size=(n, n))
    found = {method: nearest_psd(A, method) for method in METHODS}
    for repaired in found.values():
        assert check(Precomputed(), repaired.matrix)
        np.testing.assert_array_equal(repaired.matrix, repaired.matrix.T)
        np.testing.assert_allclose(
            repaired.distance, np.linalg.norm(repaired.matrix - A), atol=1e-12
        )
        assert found["clip"].distance <= repaired.distance + 1e-12
    assert found["clip"].distance <= np.linalg.norm(B @ B.T - A) + 1e-12
    off = ~np.eye(n, dtype=bool)
    np.testing.assert_array_equal(found["shift"].matrix[off], A[off])


@pytest.mark.parametrize("method", METHODS)
def test_a_kernel_matrix_stays_as_it_is(method):
    A = np.array([[2.0, 1.0], [1.0, 2.0]])
    repaired = nearest_psd(A, method)
    np.testing.assert_array_equal(repaired.matrix, A)
    assert (repaired.distance, repaired.least_before) == (0.0, pytest.approx(1.0))


def test_a_repaired_matrix_is_certified():
    X = np.random.default_rng(0).normal(size=(30, 2))
    y, A = X[:, 0] > 0, Sigmoid(gamma=1.0, coef0=1.0)(X)
    assert not check(Precomputed(), A)
    model = SVC(kernel="precomputed").fit(nearest_psd(A).matrix, y)
    assert model.certificate_.status.name == "CERTIFIED"


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (
            [[1.0, 2.0], [0.0, 1.0]],
            r"is symmetric, and this one has 2 at \(0, 1\) and 0 at \(1, 0\)",
        ),
        ([[1.0, 2.0]], "A Gram matrix is square, this one has shape"),
        ([[np.nan]], "NaN"),
    ],
)
def test_wrong_matrices(given, sentence):
    with pytest.raises(ValueError, match=sentence):
        nearest_psd(given)
    with pytest.raises(ValueError, match="takes 'clip', 'shift', 'flip', got 'cut'"):
        nearest_psd(K, "cut")


def test_a_repaired_matrix_is_fitted_as_it_is():
    repaired = nearest_psd(K)
    model = SVC(kernel="precomputed").fit(repaired, [0, 1])
    assert model.certificate_ == SVC(kernel="precomputed").fit(repaired.matrix, [0, 1]).certificate_
