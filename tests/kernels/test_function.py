import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import chi2_kernel

from maxmargin.kernels import FeatureMap, FromFunction, check


def overlap(a, b):
    return len(set(a) & set(b))


def test_items_may_be_anything():
    items = ["ab", "bc", "d"]
    expected = [[2, 1, 0], [1, 2, 0], [0, 0, 1]]
    np.testing.assert_array_equal(FromFunction(overlap)(items), expected)
    np.testing.assert_array_equal(FromFunction(overlap)(tuple(items)), expected)
    np.testing.assert_array_equal(FromFunction(overlap)(np.array(items, dtype=object)), expected)
    np.testing.assert_array_equal(FromFunction(overlap).diag(items), [2, 2, 1])
    prepared = FromFunction(overlap).prepare(items)
    assert prepared[np.array([2, 0])].items == ["d", "ab"]


def test_a_batch_function_sees_the_collections():
    X = np.random.default_rng(0).random((5, 3))
    kernel = FromFunction(chi2_kernel, psd=True, batch=True)
    np.testing.assert_allclose(kernel(X), chi2_kernel(X))
    np.testing.assert_allclose(kernel.diag(X), np.ones(5))
    assert kernel(X.astype(np.float32)).dtype == np.float32


def test_a_batch_function_sees_sparse_data_as_they_are():
    X = sparse.csr_array(np.eye(3))
    kernel = FromFunction(lambda A, B: (A @ B.T).toarray(), batch=True)
    np.testing.assert_array_equal(kernel(X), np.eye(3))


def test_wrong_functions():
    with pytest.raises(TypeError, match="a function of two items, got 3"):
        FromFunction(3)
    with pytest.raises(ValueError, match="True, False or None for psd, got 'yes'"):
        FromFunction(overlap, psd="yes")
    with pytest.raises(
        ValueError, match=r"gave shape \(\), it should be \(2, 2\); a function of two"
    ):
        FromFunction(lambda X, Y: 1.0, batch=True)(["a", "b"])
    with pytest.raises(TypeError, match="a function of the data"):
        FeatureMap("phi")
    with pytest.raises(ValueError, match=r"gave shape \(3,\) for 2 items|gave shape \(3, 1\)"):
        FeatureMap(lambda X: [1, 2, 3])(["a", "b"])


def test_wrong_items():
    for X in ("text", 3, [], {"a", "b"}, {"a": 1}, (word for word in "ab"), np.float64(3.0)):
        with pytest.raises(
            ValueError, match=r"^(Expected a list or an array of|Found no) items.*\.$"
        ):
            FromFunction(overlap)(X)


def test_the_fact_can_be_set():
    kernel = FromFunction(overlap).set_params(psd=True)
    assert kernel.psd is True
    with pytest.raises(ValueError, match="psd"):
        kernel.set_params(psd="perhaps")
    assert kernel.psd is True


def test_a_feature_map_of_one_number_multiplies():
    X = np.array([[1.0], [2.0], [3.0]])
    kernel = FeatureMap(lambda X: X[:, 0] + 1)
    np.testing.assert_array_equal(kernel(X), np.outer([2, 3, 4], [2, 3, 4]))
    np.testing.assert_array_equal(kernel.diag(X), [4, 9, 16])


def test_features_may_be_sparse():
    X = np.array([[1.0, 0.0], [2.0, 3.0]])
    np.testing.assert_array_equal(FeatureMap(sparse.csr_array)(X), X @ X.T)


@pytest.mark.parametrize(("value", "name"), [(np.nan, "NaN"), (np.inf, "infinity")])
def test_a_function_that_gives_no_number_is_to_blame(value, name):
    def broken(a, b):
        return value if "bc" in (a, b) else 1.0

    def broken_matrix(A, B):
        return np.array([[broken(a, b) for b in B] for a in A])

    words, sentence = ["ab", "bc"], f"function broken.* gave {name} for '.*' and 'bc'; it must give"
    for kernel in (FromFunction(broken), FromFunction(broken_matrix, batch=True)):
        with pytest.raises(ValueError, match=sentence):
            kernel(words)
        with pytest.raises(ValueError, match=sentence):
            kernel.diag(words)
        with pytest.raises(ValueError, match=sentence):
            check(kernel, words)
    with pytest.raises(ValueError, match=f"^phi gave {name} for 'bc'; it must give finite numbers"):
        FeatureMap(lambda x: broken(x, ""), batch=False)(words)
