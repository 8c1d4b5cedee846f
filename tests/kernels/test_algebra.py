import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import ParameterGrid

from maxmargin.kernels import (
    RBF,
    Constant,
    FromFunction,
    Linear,
    Polynomial,
    Precomputed,
    Product,
    Scaled,
    Sigmoid,
    Sum,
    exp,
)


def test_operators_build_trees():
    k = RBF(gamma=0.1)
    assert k + Linear() == Sum(k, Linear())
    assert k + 1.0 == Sum(k, Constant(1.0))
    assert 1 + k == Sum(Constant(1), k)
    assert k * Linear() == Product(k, Linear())
    assert k * 2.5 == 2.5 * k == np.float64(2.5) * k == Scaled(2.5, k)


def test_repr_reads_as_it_was_written():
    k = (RBF(gamma=0.1) + Linear()) * Linear() ** 2 + exp(Linear().restrict([0, 1]))
    assert repr(k) == (
        "(RBF(gamma=0.1) + Linear()) * Linear() ** 2 + exp(Linear().restrict([0, 1]))"
    )
    assert repr(Linear() + (Linear() + 1)) == "Linear() + (Linear() + Constant(c=1))"
    assert repr((2.0 * Linear()) ** 3) == "(2.0 * Linear()) ** 3"
    assert repr(2.0 * (3.0 * Linear())) == "2.0 * (3.0 * Linear())"
    assert repr((Linear() + 1.0).normalized()) == "(Linear() + Constant(c=1.0)).normalized()"


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda k: -2.0 * k, "Scaled needs weight >= 0, got -2.0"),
        (lambda k: k + (-1.0), "Constant needs c >= 0, got -1.0"),
        (lambda k: k**0.5, "whole number >= 0 for exponent, got 0.5"),
        (lambda k: k**-1, "whole number >= 0 for exponent, got -1"),
        (lambda k: k - Linear(), "difference of kernels"),
        (lambda k: 1.0 - k, "difference of kernels"),
        (lambda k: -k, "number >= 0"),
        (lambda k: float("nan") * k, "finite weight"),
        (lambda k: k.restrict(3), "slice or a list of columns"),
    ],
)
def test_what_makes_no_kernel_is_refused(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        make(RBF(gamma=1.0))


@pytest.mark.parametrize("make", [lambda k: k + "a", lambda k: "a" * k, lambda k: k * [1.0]])
def test_only_kernels_and_numbers_combine(make):
    with pytest.raises(TypeError):
        make(Linear())


def test_exp_takes_a_kernel():
    with pytest.raises(TypeError, match=r"made of kernels such as RBF\(gamma='scale'\), got 2"):
        exp(2.0)


def test_psd_is_carried_through():
    good, bad, unknown = Linear(), Sigmoid(), FromFunction(min)
    assert (good + good * good**2).psd is True
    assert exp(good.restrict([0]).normalized()).psd is True
    for combined in (good + bad, good * unknown, bad + bad, exp(bad), bad**2, bad.normalized()):
        assert combined.psd is None
    assert (3.0 * bad).psd is False
    assert (3.0 * unknown).psd is None
    assert (0 * bad).psd is True
    assert Precomputed().psd is None


def test_parameters_of_parts_are_reached_by_path():
    k = RBF(gamma=0.1) + 2.0 * Polynomial(degree=2)
    params = k.get_params()
    assert params["left__gamma"] == 0.1
    assert params["right__kernel__degree"] == 2
    for point in ParameterGrid({"left__gamma": [1.0, 2.0], "right__kernel__degree": [2, 3]}):
        k.set_params(**point)
        assert {name: k.get_params()[name] for name in point} == point


def test_a_part_can_be_replaced():
    k = (RBF(gamma=0.1) + Linear()).set_params(left=Polynomial(), left__degree=5)
    assert k == Polynomial(degree=5) + Linear()


def test_refused_parameters_leave_the_kernel_as_it_was():
    k = RBF(gamma=0.1) + Linear()
    with pytest.raises(ValueError, match="number >= 0, 'scale' or 'auto' for gamma, got -1"):
        k.set_params(left__gamma=-1)
    with pytest.raises(TypeError, match="made of kernels"):
        k.set_params(right=3)
    assert k == RBF(gamma=0.1) + Linear()


def test_restrict_takes_lists_slices_and_masks():
    X = np.arange(12.0).reshape(4, 3)
    expected = X[:, [0, 2]] @ X[:, [0, 2]].T
    for columns in ([0, 2], (0, 2), np.array([0, 2]), slice(0, 3, 2), [True, False, True]):
        k = Linear().restrict(columns)
        np.testing.assert_array_equal(k(X), expected)
        assert eval(repr(k)) == k
    with pytest.raises(ValueError, match="3 columns, which do not include"):
        Linear().restrict([5])(X)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_restrict_takes_names_of_columns(frame):
    X = np.arange(12.0).reshape(4, 3)
    table = frame({"c0": X[:, 0], "word": ["a", "b", "a", "b"], "c2": X[:, 2]})
    k = Linear().restrict(["c2", "c0"])
    np.testing.assert_array_equal(k(table), X[:, [2, 0]] @ X[:, [2, 0]].T)
    np.testing.assert_array_equal(k.restrict(["c0", "c2"])(table), k(table))
    assert eval(repr(k)) == k
    assert k.resolved(table) == Linear().restrict([2, 0])
    with pytest.raises(ValueError, match=r"^X has no column 'c1'; it has 'c0', 'word', 'c2'\.$"):
        Linear().restrict(["c0", "c1"])(table)
    with pytest.raises(ValueError, match="names columns, and X is without names; give a DataFrame"):
        k(X)


def test_restrict_by_number_takes_columns_by_position():
    X = np.arange(6.0).reshape(2, 3)
    table = pd.DataFrame(X, columns=[2, 1, 0])
    np.testing.assert_array_equal(Linear().restrict([0])(table), np.outer(X[:, 0], X[:, 0]))


def test_tables_with_other_columns_are_not_compared():
    table = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    with pytest.raises(
        ValueError, match="X has the columns 'a', 'b' and Y has 'b', 'a'; give both"
    ):
        Linear()(table, table[["b", "a"]])


def test_normalized_has_ones_and_leaves_zero_rows_alone():
    X = [[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]]
    K = Linear().normalized()(X)
    np.testing.assert_allclose(K, [[0, 0, 0], [0, 1, 1], [0, 1, 1]], rtol=1e-15)
    np.testing.assert_array_equal(Linear().normalized().diag(X), [0, 1, 1])
    with pytest.raises(ValueError, match=r"cannot be normalized: .* at row 1"):
        Sigmoid(coef0=-1.0).normalized().diag([[2.0], [0.0]])


def test_kernels_on_different_kinds_of_items_combine():
    def same_start(a, b):
        return float(a[0] == b[0])

    k = FromFunction(same_start, psd=True) + 1.0
    np.testing.assert_array_equal(k(["ab", "ac", "b"]), [[2, 2, 1], [2, 2, 1], [1, 1, 2]])
