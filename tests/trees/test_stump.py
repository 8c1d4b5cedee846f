"""Stumps as ordinary estimators."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import NotFittedError

from maxmargin.boosting import DecisionStump, RegressionStump, Split
from maxmargin.datasets import load_going_to_class, load_ten_points

seeds = st.integers(0, 2**32 - 1)


def test_the_first_round_of_the_ten_points():
    X, y = load_ten_points(return_X_y=True)
    stump = DecisionStump().fit(X, y)
    assert (stump.feature_, stump.threshold_) == (0, 2.5)
    assert stump.error_ == pytest.approx(0.3)
    assert stump.predict([[2.4, 0.0], [2.6, 0.0]]).tolist() == [1, -1]
    np.testing.assert_allclose(stump.predict_proba([[2.6, 0.0]]), [[5 / 8, 3 / 8]])
    assert stump.feature_importances_.tolist() == [1, 0]


def test_weights_choose_the_split():
    X, y = [[0.0], [1.0], [2.0], [3.0]], ["b", "a", "b", "b"]
    assert DecisionStump().fit(X, y).predict(X).tolist() == ["b"] * 4
    stump = DecisionStump().fit(X, y, sample_weight=[1, 5, 1, 1])
    assert stump.threshold_ == 1.5
    assert stump.error_ == pytest.approx(1 / 8)
    assert stump.split_.gain == pytest.approx(7 - 1)


@pytest.mark.parametrize("criterion", ["error", "gini"])
def test_rows_without_weight_are_as_if_absent(criterion):
    X, y = load_breast_cancer(return_X_y=True)
    weight = np.arange(len(y)) % 3
    kept = weight > 0
    some = DecisionStump(criterion).fit(X, y, weight)
    fewer = DecisionStump(criterion).fit(X[kept], y[kept], weight[kept])
    assert some.split_ == fewer.split_


@pytest.mark.parametrize("criterion", ["error", "gini"])
def test_several_classes(criterion):
    X, y = load_iris(return_X_y=True, as_frame=True)
    stump = DecisionStump(criterion).fit(X, y)
    assert stump.error_ == pytest.approx(1 / 3)
    assert stump.score(X, y) == pytest.approx(2 / 3)
    np.testing.assert_allclose(stump.predict_proba(X).sum(axis=1), 1.0)
    assert stump.feature_names_in_.tolist() == X.columns.tolist()


@pytest.mark.parametrize("criterion", ["error", "gini"])
@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_array, sparse.csr_matrix])
def test_sparse_rows_and_their_index_types(criterion, form):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((60, 5)) < 0.7, 0.0, rng.normal(size=(60, 5)))
    y = X[:, 3] > 0
    dense = DecisionStump(criterion).fit(X, y)
    for index in (np.int32, np.int64):
        matrix = form(X)
        matrix.indices, matrix.indptr = matrix.indices.astype(index), matrix.indptr.astype(index)
        stump = DecisionStump(criterion).fit(matrix, y)
        assert (stump.feature_, stump.threshold_) == (dense.feature_, dense.threshold_)
        np.testing.assert_array_equal(stump.predict(matrix), dense.predict(X))
    assert dense.error_ == 0.0


def test_single_precision_is_split_as_double():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3)).astype(np.float32)
    y = X[:, 1] > 0.1
    one, two = DecisionStump().fit(X, y), DecisionStump().fit(X.astype(float), y)
    assert one.split_ == two.split_
    np.testing.assert_array_equal(one.predict(X), y)


def test_whole_numbers_and_lists():
    stump = DecisionStump().fit([[1, 5], [2, 5], [3, 5]], [0, 0, 1])
    assert stump.threshold_ == 2.5


def test_missing_values_go_to_the_better_side():
    X = np.array([[0.0], [1.0], [2.0], [np.nan], [np.nan]])
    for label in (0, 1):
        y = [0, 0, 1, label, label]
        stump = DecisionStump().fit(X, y)
        assert stump.error_ == 0.0
        assert stump.predict([[np.nan]]) == [label]


@pytest.mark.parametrize("criterion", ["error", "gini"])
def test_a_constant_table_gives_the_majority(criterion):
    stump = DecisionStump(criterion).fit(np.ones((5, 2)), [0, 1, 1, 0, 1])
    assert stump.feature_ == -1
    assert np.isnan(stump.threshold_)
    assert stump.predict(np.zeros((2, 2))).tolist() == [1, 1]
    np.testing.assert_allclose(stump.predict_proba(np.zeros((1, 2))), [[0.4, 0.6]])
    assert stump.feature_importances_.tolist() == [0, 0]


def test_categories_as_texts():
    X, y = load_going_to_class(return_X_y=True)
    stump = DecisionStump(categorical_features=[0, 1, 2, 3]).fit(X, y)
    assert stump.error_ == pytest.approx(1 / 8)
    assert stump.is_categorical_.all()
    strange = np.array([["Snow", "?", "?", "?"]], dtype=object)
    assert stump.predict(strange)[0] in y


def test_one_category_against_the_rest():
    X = np.array([["a"], ["b"], ["c"], ["a"], ["b"], ["c"]], dtype=object)
    y = [0, 1, 0, 0, 1, 0]
    alone = DecisionStump(categorical_features=[0], categorical_split="one_vs_rest").fit(X, y)
    assert alone.error_ == 0.0
    assert alone.split_.categories.tolist() == [False, True, False]


def test_a_fit_that_fails_leaves_the_model_as_it_was():
    stump = DecisionStump().fit([[0.0], [1.0]], [0, 1])
    before = pickle.dumps(stump)
    with pytest.raises(ValueError, match="Negative values"):
        stump.fit([[0.0, 1.0], [1.0, 1.0]], [0, 1], sample_weight=[1, -1])
    assert pickle.dumps(stump) == before


X2, Y2 = np.array([[0.0], [1.0]]), [0, 1]
BAD = [
    (X2, [1, 1], None, "greater than one"),
    (X2, [0.0, np.nan], None, "Input y contains NaN"),
    (X2, [0.5, 0.25], None, "Unknown label type"),
    ([[np.inf], [0.0]], Y2, None, "infinity"),
    (X2, Y2, [1, -1], "Negative values in data passed to `sample_weight`: -1 for row 1"),
    (X2, Y2, [0, 0], "All sample weights are zero"),
    (X2, Y2, [1, np.nan], "NaN or infinity"),
    (X2, Y2, [1, 1, 1], r"sample_weight.shape == \(3,\)"),
    (X2, Y2, [[1], [1]], "1D array"),
    ([["a"], ["b"]], Y2, None, "Column 0 of X holds strings"),
    (np.zeros((0, 1)), [], None, "0 sample"),
]


@pytest.mark.parametrize(("X", "y", "weight", "sentence"), BAD)
def test_bad_input(X, y, weight, sentence):
    stump = DecisionStump()
    with pytest.raises(ValueError, match=sentence):
        stump.fit(X, y, weight)
    with pytest.raises(NotFittedError):
        stump.predict(X2)


@pytest.mark.parametrize(
    ("stump", "name"),
    [
        (DecisionStump("entropy"), "criterion"),
        (DecisionStump(categorical_split="any"), "categorical_split"),
        (RegressionStump(categorical_split=1), "categorical_split"),
    ],
)
def test_bad_parameters(stump, name):
    with pytest.raises(ValueError, match=f"The '{name}' parameter of {type(stump).__name__}"):
        stump.fit(X2, Y2)


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e300])
def test_weights_of_any_size(scale):
    X, y = load_ten_points(return_X_y=True)
    for criterion in ("error", "gini"):
        one = DecisionStump(criterion).fit(X, y, np.full(10, scale))
        assert (one.feature_, one.threshold_) == (0, 2.5)


def test_a_stump_of_a_split():
    split = Split(1, 0.5, left=1.0, right=-1.0)
    stump = DecisionStump._of(split, np.array(["no", "yes"]), 2)
    assert stump.predict([[0.0, 0.0], [0.0, 1.0]]).tolist() == ["yes", "no"]
    assert stump.predict_proba([[0.0, 0.0]]).tolist() == [[0.0, 1.0]]
    assert clone(stump).get_params() == DecisionStump().get_params()
    value = RegressionStump._of(Split(1, 0.5, left=2.0, right=3.0), 2)
    assert value.predict([[0.0, 0.0], [0.0, 1.0]]).tolist() == [2.0, 3.0]


# regression


def test_means_of_two_sides():
    stump = RegressionStump().fit([[1], [2], [3]], [0.0, 4.0, 8.0], sample_weight=[1, 1, 2])
    assert stump.threshold_ == 2.5  # 4^2/2 + 16^2/2 is more than 20^2/3
    np.testing.assert_allclose(stump.predict([[0], [9]]), [2.0, 8.0])
    assert stump.split_.gain == pytest.approx(136 - 100)


def test_the_mean_far_from_zero_does_not_hide_the_split():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = (X[:, 2] > 0.3) * 1.0
    near, far = RegressionStump().fit(X, y), RegressionStump().fit(X, y + 1e9)
    assert (near.feature_, near.threshold_) == (far.feature_, far.threshold_)


@pytest.mark.parametrize("scale", [1e-200, 1e150, 1e300])
def test_targets_of_any_size(scale):
    X, y = np.arange(4.0).reshape(-1, 1), np.array([0.0, 0.0, 1.0, 1.0]) * scale
    stump = RegressionStump().fit(X, y)
    np.testing.assert_allclose(stump.predict(X), y, rtol=1e-12, atol=1e-15 * scale)


def test_targets_that_are_all_equal_are_not_split():
    stump = RegressionStump().fit(np.arange(4.0).reshape(-1, 1), np.full(4, 0.1))
    assert stump.feature_ == -1
    np.testing.assert_allclose(stump.predict([[1.0]]), 0.1)


@given(seeds, st.integers(2, 30))
def test_a_weight_of_two_is_two_rows(seed, n):
    rng = np.random.default_rng(seed)
    X, weight = rng.integers(0, 5, size=(n, 2)) + 0.0, rng.integers(1, 3, size=n)
    y = rng.integers(0, 2, size=n)
    y[:2] = 0, 1
    many = np.repeat(np.arange(n), weight)
    for stump in (DecisionStump(), DecisionStump("gini"), RegressionStump()):
        one, two = clone(stump).fit(X, y, weight), clone(stump).fit(X[many], y[many])
        assert (one.feature_, one.threshold_) == pytest.approx(
            (two.feature_, two.threshold_), nan_ok=True
        )


def test_names_of_columns_are_checked():
    X = pd.DataFrame({"a": [0.0, 1.0], "b": [0.0, 1.0]})
    stump = DecisionStump().fit(X, [0, 1])
    with pytest.raises(ValueError, match="feature names"):
        stump.predict(X[["b", "a"]])
