import numpy as np
import pytest
from sklearn import svm
from sklearn.metrics.pairwise import chi2_kernel

from maxmargin.kernels import RBF, FromFunction, Linear, Precomputed, check, exp
from maxmargin.kernels.choice import as_kernel


def test_a_kernel_passes_with_its_smallest_eigenvalue():
    X = np.random.default_rng(0).normal(size=(20, 3))
    result = check(RBF(gamma=1.0), X)
    assert result
    assert result.psd is True
    assert result.witness is None
    assert result.smallest_eigenvalue == pytest.approx(np.linalg.eigvalsh(RBF(gamma=1.0)(X))[0])
    assert str(result).startswith("PSD on 20 items: smallest eigenvalue")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rounding_is_not_taken_for_a_negative_eigenvalue(dtype):
    X = np.random.default_rng(1).normal(size=(200, 2)).astype(dtype)
    assert check(Linear(), X)  # rank 2: 198 eigenvalues are zero up to rounding
    assert check(RBF(gamma=0.01), np.repeat(X, 2, axis=0))


def test_a_witness_can_be_verified():
    K = np.array([[1.0, 2.0], [2.0, 1.0]])
    result = check(Precomputed(), K)
    assert not result
    assert result.smallest_eigenvalue == pytest.approx(-1)
    assert result.witness @ K @ result.witness < 0
    assert "\n" not in str(result)
    assert str(result).startswith("NOT PSD on 2 items: smallest eigenvalue -1")


def test_asymmetry_is_found():
    result = check(FromFunction(lambda x, y: 3.0 + (x > y)), [1, 2])
    assert not result
    assert result.asymmetry == 1
    assert str(result).startswith("NOT SYMMETRIC on 2 items")


def test_what_cannot_be_checked():
    with pytest.raises(ValueError, match="square"):
        check(Precomputed(), np.ones((2, 3)))
    with np.errstate(over="ignore"), pytest.raises(ValueError, match="gave inf for items 0 and 0"):
        check(exp(Linear()), [[100.0]])


def test_names_are_those_of_scikit_learn():
    X = np.random.default_rng(2).normal(size=(12, 3))
    y = X[:, 0] > 0
    for name in ("linear", "poly", "rbf", "sigmoid"):
        model = svm.SVC(kernel=name, C=1e-3).fit(X, y)
        ours = as_kernel(name)(X, X[model.support_]) @ model.dual_coef_[0] + model.intercept_
        np.testing.assert_allclose(ours, model.decision_function(X), rtol=1e-6, atol=1e-9)
    assert check("rbf", X).psd
    assert check("laplacian", X).psd
    assert check("precomputed", np.eye(3)).psd
    assert check(chi2_kernel, np.abs(X)).psd


@pytest.mark.parametrize(
    ("kernel", "error"), [("rbff", ValueError), (3, TypeError), (RBF, TypeError)]
)
def test_what_is_no_kernel_is_told_what_is(kernel, error):
    with pytest.raises(
        error, match=r"kernel such as RBF.*names 'linear', 'poly', 'rbf'.*got"
    ) as caught:
        check(kernel, np.eye(3))
    assert str(caught.value).endswith(f"got {kernel!r}.")
