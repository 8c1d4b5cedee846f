import numpy as np
import pytest
from scipy import sparse
from sklearn import svm
from sklearn.base import clone

from maxmargin.kernels import RBF, Laplacian, Linear, Polynomial, Sigmoid, check, exp

X = np.random.default_rng(0).normal(size=(30, 4)) * [1.0, 3.0, 0.2, 1.0] + 1.0
SCALE = 1.0 / (4 * X.var())
WITH_GAMMA = [RBF, Polynomial, Sigmoid, Laplacian]


@pytest.mark.parametrize("kind", WITH_GAMMA)
@pytest.mark.parametrize(("name", "number"), [("scale", SCALE), ("auto", 0.25)])
def test_a_name_is_a_number_of_the_rows(kind, name, number):
    named, given = kind(gamma=name), kind(gamma=number)
    assert named.resolved(X) == given
    assert given.resolved(X) is given
    np.testing.assert_array_equal(named(X, X[:3]), given(X, X[:3]))
    np.testing.assert_array_equal(named.diag(X), given.diag(X))
    assert clone(named) == named
    assert repr(named) == f"{kind.__name__}({'degree=3, ' * (kind is Polynomial)}gamma={name!r}" + (
        ", coef0=1.0)" if kind in (Polynomial, Sigmoid) else ")"
    )


def test_new_rows_see_the_number_of_the_first_ones():
    k = RBF(gamma="scale")
    np.testing.assert_array_equal(k(X, 100 * X), RBF(gamma=SCALE)(X, 100 * X))


@pytest.mark.parametrize(
    "combine",
    [
        lambda k: k + Linear(),
        lambda k: Linear() * k,
        lambda k: 2.0 * k,
        lambda k: k**2,
        exp,
        lambda k: k.normalized(),
        lambda k: (3.0 * (Linear() + k.normalized()) ** 2) + 1.0,
    ],
)
@pytest.mark.parametrize("kind", WITH_GAMMA)
def test_the_algebra_passes_it_down(combine, kind):
    assert combine(kind(gamma="scale")).resolved(X) == combine(kind(gamma=SCALE))
    np.testing.assert_array_equal(combine(kind(gamma="scale"))(X), combine(kind(gamma=SCALE))(X))


def test_a_restricted_kernel_sees_its_columns_only():
    expected = RBF(gamma=1.0 / (2 * X[:, 1:3].var())).restrict([1, 2]) + Laplacian(gamma=0.25)
    assert (RBF(gamma="scale").restrict([1, 2]) + Laplacian(gamma="auto")).resolved(X) == expected


def test_a_weight_counts_as_often_as_a_row():
    weight = np.arange(30) % 3
    often = np.repeat(X, weight, axis=0)
    for make in (np.asarray, sparse.csr_array):
        found = RBF(gamma="scale").resolved(make(X), weight.astype(float)).rate
        assert found == pytest.approx(1.0 / (4 * often.var()))


def test_it_is_the_number_of_scikit_learn():
    y = X[:, 0] > 1
    for name in ("scale", "auto"):
        for make in (np.asarray, sparse.csr_array):
            model = svm.SVC(gamma=name).fit(make(X), y)
            assert RBF(gamma=name).resolved(make(X)).rate == pytest.approx(model._gamma, rel=1e-12)


@pytest.mark.parametrize("rows", [np.ones((3, 2)), np.array([[1e-170, 0.0]]), np.zeros((2, 2))])
def test_rows_that_hardly_differ_have_a_number_too(rows):
    assert 0 < RBF(gamma="scale").resolved(rows).rate < np.inf


def test_bad_rows_are_blamed_for_themselves():
    with pytest.raises(ValueError, match=r"Input X contains NaN \(row 1, column 0\)"):
        (RBF(gamma="scale") + Linear())([[1.0], [np.nan]])


@pytest.mark.parametrize("kind", WITH_GAMMA)
def test_prepared_rows_cannot_tell_it(kind):
    k = kind(gamma="scale")
    A = k.prepare(X)
    with pytest.raises(ValueError, match=r"takes its gamma from the rows of a fit: use .*resolved"):
        k.block(A, A)


def test_the_facts_stay():
    assert RBF(gamma="scale").psd is Polynomial(gamma="auto").psd is True
    assert Polynomial(gamma="scale", coef0=-1.0).psd is Sigmoid(gamma="scale").psd is False
    assert check(RBF(gamma="scale"), X)
