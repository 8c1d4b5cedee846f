"""Separability: a hyperplane or a common point, each checked on the data."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from maxmargin import SVC, separate
from maxmargin.datasets import load_mixture


def sizes(X):
    return np.abs(X.toarray() if sparse.issparse(X) else X).max(axis=0)


def checked(X, y):
    """The answer, after the caller's own check of what proves it."""
    found, y = separate(X, y), np.asarray(y)
    low, high = np.unique(y)
    sign = np.where(y == high, 1.0, -1.0)
    if found.separable:
        values = sign * (X @ found.coef + found.intercept)
        assert values.min() > 0
        assert found.witness is None
        np.testing.assert_allclose(found.margin, values.min() / np.linalg.norm(found.coef))
    else:
        weights, size = found.witness, sizes(X)
        assert found.coef is None
        assert found.intercept is None
        assert found.margin == 0
        assert weights.min() >= 0
        for label in (low, high):
            np.testing.assert_allclose(weights[y == label].sum(), 1.0, rtol=1e-12)
        means = [X[y == label].T @ weights[y == label] for label in (low, high)]
        assert (np.abs(means[0] - means[1]) <= 1e-10 * size).all()
    return found


@st.composite
def data(draw):
    """Clouds that overlap or not, or points of a small grid, where hulls touch and rows repeat."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(2, 30)), draw(st.integers(1, 6))
    y = np.arange(n) % 2
    if draw(st.booleans()):
        X = rng.integers(-2, 3, size=(n, d)).astype(float)
    else:
        X = rng.normal(size=(n, d)) + draw(st.floats(0, 4)) * y[:, None]
    return X * 10.0 ** rng.integers(-3, 4, d) + draw(st.sampled_from([0.0, 10.0])), y


@given(data())
def test_exactly_one_answer_and_it_checks(case):
    X, y = case
    found = checked(X, y)
    assert found.separable == checked(sparse.csr_array(X), y).separable
    assert found.separable == checked(X, 1 - y).separable


def test_xor_has_the_middle_of_the_square_in_both_hulls():
    X, y = np.array([[0.0, 0], [1, 1], [0, 1], [1, 0]]), np.array([0, 0, 1, 1])
    found = checked(X, y)
    np.testing.assert_allclose(found.witness, 0.5)


@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1]),  # a common end
        ([[0.0, 0], [2, 0], [1, 0], [1, 1]], [0, 0, 1, 1]),  # a corner on an edge
        ([[0.0, 0], [3, 1], [1, 1 / 3], [0, 1]], [0, 0, 1, 1]),  # the same, up to rounding
        ([[1.0, 2], [1, 2], [5, 5]], [0, 1, 0]),  # a row with both labels
        ([[0.0, 0], [0, 0]], [0, 1]),  # nothing but zeros
    ],
)
def test_hulls_that_touch_are_not_separable(X, y):
    assert not checked(np.array(X), y).separable


def test_one_column():
    found = checked(np.array([[0.0], [1.0], [2.0], [4.0]]), ["a", "a", "b", "b"])
    assert found.margin == pytest.approx(0.5)
    np.testing.assert_allclose(-found.intercept / found.coef, [1.5])
    assert not checked(np.array([[0.0], [1.0], [2.0]]), [0, 1, 0]).separable


def test_fewer_rows_than_columns_are_separable_in_any_labelling():
    X = np.random.default_rng(0).normal(size=(8, 50))
    for y in np.eye(8, dtype=int)[:4]:
        assert checked(X, y).separable


def test_two_points_have_half_their_distance_as_margin():
    found = checked(np.array([[0.0, 0.0], [0.0, 3.0]]), [False, True])
    assert found.margin == pytest.approx(1.5)


def test_columns_of_very_different_size():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.arange(60) % 2
    X[:, 1] += 8 * y
    size = np.array([1e6, 1e-6, 1.0])
    assert checked(X, y).separable
    assert checked(X * size, y).separable
    assert checked(sparse.csr_array(X * size), y).separable
    X[:, 1] -= 8 * y
    assert not checked(X * size, y).separable


def test_a_thin_but_real_gap_is_seen():
    found = checked(np.array([[0.0], [1.0], [1.0 + 1e-9], [2.0]]), [0, 0, 1, 1])
    assert found.separable
    assert found.margin == pytest.approx(5e-10, rel=1e-5)


def test_far_from_the_origin():
    X = np.array([[0.0, 0], [1, 1], [0, 1], [1, 0]]) + 1e6
    assert not checked(X, [0, 0, 1, 1]).separable
    assert checked(X, [0, 1, 1, 1]).separable


@pytest.mark.parametrize("flipped", [0, 5])
def test_many_rows(flipped):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(5000, 20))
    y = (X @ rng.normal(size=20) > 0).astype(int)
    y[:flipped] = 1 - y[:flipped]
    assert checked(X, y).separable == (flipped == 0)


def test_the_mixture_is_not_separable():
    assert not checked(*load_mixture(return_X_y=True)).separable


def test_the_answer_is_a_value():
    found = separate([[0.0], [1.0]], [0, 1])
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.margin = 2.0


X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [1.0, 3.0]])
Y = np.array([0, 0, 1, 1])
BAD = {
    "nan": (np.where(X == 3, np.nan, X), Y),
    "inf": (np.where(X == 3, np.inf, X), Y),
    "nan in a sparse matrix": (sparse.csr_array(np.where(X == 3, np.nan, X)), Y),
    "one class": (X, [1, 1, 1, 1]),
    "continuous": (X, [0.1, 0.2, 0.3, 0.4]),
    "fewer labels": (X, Y[:3]),
    "one dimension": (X[:, 0], Y),
    "no rows": (X[:0], Y[:0]),
    "complex": (X + 1j, Y),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_in_the_words_of_svc(name):
    with pytest.raises(ValueError, match=r"\w") as theirs:
        SVC().fit(*BAD[name])
    with pytest.raises(type(theirs.value)) as ours:
        separate(*BAD[name])
    assert str(ours.value).replace("separate", "SVC") == str(theirs.value)


def test_more_than_two_classes():
    with pytest.raises(ValueError, match=r"two classes and y has 3; compare them pair by pair"):
        separate(X, [0, 1, 2, 2])


def test_no_answer_without_a_proof(monkeypatch):
    """Candidates that the data do not bear out are never returned."""

    class Wrong:
        x, status = np.zeros(4), 0

        class ineqlin:  # noqa: N801
            marginals = -np.ones(4)

    monkeypatch.setattr("maxmargin.ops.linear_program.linprog", lambda *args, **kwargs: Wrong)
    with pytest.raises(ArithmeticError, match="within rounding of touching"):
        separate(X, Y)
