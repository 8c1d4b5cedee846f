import numpy as np
import pytest
from scipy import sparse

from maxmargin.kernels import RBF, Laplacian, Linear
from maxmargin.kernels.points import as_matrix, as_points, row_major, squared_norms


@pytest.mark.parametrize(
    ("X", "sentence"),
    [
        ([1.0, 2.0], r"Expected a 2D array, got shape \(2,\)"),
        ([["a"], ["b"]], "takes numbers"),
        ([[1.0], [np.nan]], r"contains NaN \(row 1, column 0\)"),
        ([[1.0, -np.inf]], r"contains infinity \(row 0, column 1\)"),
        (np.empty((0, 3)), "at least one row"),
        (np.empty((3, 0)), "at least one row and one column"),
        ([[1j]], "Complex data not supported"),
        ([[1.0], [1.0, 2.0]], "rows of X have different lengths"),
        (
            np.array([["2024-01-01"]], "datetime64[D]"),
            r"X holds dates or times \(datetime64\[D\]\)",
        ),
        (iter([[1.0]]), "^Expected a list or an array of items, got a list_iterator"),
        (sparse.csr_array([[0.0, np.nan], [1.0, 0.0]]), r"NaN \(row 0, column 1\)"),
    ],
)
@pytest.mark.parametrize("kernel", [Linear(), RBF(gamma=1.0), Laplacian()])
def test_bad_data_is_refused_in_one_sentence(kernel, X, sentence):
    with pytest.raises(ValueError, match=sentence):
        kernel(X)


@pytest.mark.parametrize("kernel", [Linear(), RBF(gamma=1.0), Laplacian()])
def test_widths_must_agree(kernel):
    with pytest.raises(ValueError, match="X has 2 columns and Y has 3"):
        kernel(np.ones((4, 2)), np.ones((4, 3)))


def test_precision_is_kept_and_integers_become_float64():
    assert as_matrix(np.ones((2, 2), np.float32)).dtype == np.float32
    for dtype in (int, bool, np.float16, object):
        assert as_matrix(np.ones((2, 2), dtype)).dtype == np.float64
    assert as_matrix(sparse.eye_array(3, dtype=np.float32)).dtype == np.float32
    assert as_matrix(sparse.eye_array(3, dtype=int)).dtype == np.float64


def test_a_block_has_the_precision_of_its_rows():
    X = np.random.default_rng(0).normal(size=(5, 3))
    for kernel in (Linear(), RBF(gamma=0.5), Laplacian()):
        K = kernel(X.astype(np.float32), X)
        assert K.dtype == np.float32
        np.testing.assert_allclose(K, kernel(X), rtol=1e-5, atol=1e-6)


def test_sparse_rows_are_canonical_with_narrow_indices():
    wide = sparse.csr_array(
        (np.array([1.0, 2.0, 4.0]), np.array([2, 0, 2], np.int64), np.array([0, 3, 3], np.int64)),
        shape=(2, 3),
    )
    matrix = as_matrix(wide)
    assert matrix.indices.dtype == matrix.indptr.dtype == np.int32
    np.testing.assert_array_equal(matrix.toarray(), [[2, 0, 5], [0, 0, 0]])
    np.testing.assert_array_equal(squared_norms(matrix), [29, 0])
    assert wide.nnz == 3  # the caller's matrix is left alone


def test_canonical_sparse_data_are_shared():
    X = sparse.eye_array(4, format="csr")
    assert np.shares_memory(as_matrix(X).data, X.data)


def test_wide_and_empty_sparse_rows():
    X = sparse.random(40, 100_000, 5e-4, format="csr", random_state=0)
    X = sparse.vstack([X, sparse.csr_matrix((2, 100_000))], format="csr")
    np.testing.assert_allclose(Linear()(X), (X @ X.T).toarray(), rtol=1e-12)
    nothing = sparse.csr_array((3, 4))
    np.testing.assert_array_equal(Linear()(nothing), np.zeros((3, 3)))
    np.testing.assert_array_equal(RBF(gamma=1.0)(nothing), np.ones((3, 3)))


def test_huge_rows_are_refused_where_squares_are_needed():
    with pytest.raises(ValueError, match="square of row 1 of X overflows float32"):
        RBF(gamma=1.0)(np.array([[0.0], [1e20]], np.float32))
    with pytest.raises(ValueError, match="square of row 0 of X overflows float64"):
        RBF(gamma=1.0)(sparse.csr_array([[1e200]]))


def test_large_finite_sums_are_not_taken_for_infinity():
    X = np.full((2, 2), 3e38, np.float32)
    assert as_matrix(X) is X


def test_row_major_of_a_slice_of_columns():
    buffer = np.arange(20.0).reshape(4, 5)
    flat, stride = row_major(buffer[1:3, 2:4])
    assert stride == 5
    np.testing.assert_array_equal(flat, buffer.ravel()[7:14])
    assert np.shares_memory(flat, buffer)


def test_points_select_rows():
    points = as_points(np.arange(6.0).reshape(3, 2), sq_norms=True)
    np.testing.assert_array_equal(points[np.array([2, 0])].X, [[4, 5], [0, 1]])
    np.testing.assert_array_equal(points[1:].sq_norms, [13, 41])
