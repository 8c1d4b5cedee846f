import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_classification

from maxmargin.boosting import (
    AdaBoostClassifier,
    BoostingClassifier,
    BoostingRanker,
    BoostingRegressor,
    DecisionStump,
)


@pytest.fixture(scope="module")
def data():
    X, y = make_classification(200, 6, n_informative=4, flip_y=0.1, random_state=0)
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    return X, y


MODELS = [
    BoostingClassifier(n_estimators=40),
    BoostingClassifier("exponential", DecisionStump(), n_estimators=40),
    AdaBoostClassifier(n_estimators=40),
]


@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_sum_is_the_decision_function(data, model, dtype):
    X, y = data[0].astype(dtype), data[1]
    model.fit(X, y)
    shapes = model.shape_functions()
    last = list(model.staged_decision_function(X))[-1]
    np.testing.assert_allclose(shapes.sum(X), last, atol=1e-12)
    new = np.random.default_rng(1).normal(size=(50, 6)).astype(dtype)
    np.testing.assert_allclose(shapes.sum(new), model.decision_function(new), atol=1e-12)


def test_regressor_and_ranker(data):
    X, _ = data
    for model in (BoostingRegressor(n_estimators=30), BoostingRanker(n_estimators=10)):
        shapes = model.fit(X, X[:, 0] > 0).shape_functions()
        np.testing.assert_allclose(shapes.sum(X), list(model.staged_predict(X))[-1], atol=1e-12)


def test_poisson_adds_up_to_the_logarithm(data):
    X, y = data
    model = BoostingRegressor("poisson", n_estimators=30).fit(X, 3 * y)
    np.testing.assert_allclose(np.exp(model.shape_functions().sum(X)), model.predict(X), rtol=1e-12)


def test_sparse_rows(data):
    X = np.nan_to_num(data[0])
    X[np.abs(X) < 1] = 0
    model = BoostingClassifier(n_estimators=30).fit(sparse.csr_matrix(X), data[1])
    last = list(model.staged_decision_function(X))[-1]
    np.testing.assert_allclose(model.shape_functions().sum(sparse.csc_matrix(X)), last, atol=1e-12)


@pytest.mark.parametrize("make", [BoostingClassifier, AdaBoostClassifier])
def test_several_classes_have_functions_each(make):
    X, y = make_classification(200, 6, n_informative=4, n_classes=3, random_state=0)
    y = np.array(["a", "b", "c"])[y]
    model = make(n_estimators=20).fit(X, y)
    values = model.decision_function(X)
    for k, label in enumerate("abc"):
        np.testing.assert_allclose(model.shape_functions(label).sum(X), values[:, k], atol=1e-12)
    with pytest.raises(ValueError, match=r"label=, one of \['a', 'b', 'c'\]. Got None"):
        model.shape_functions()
    two = make(n_estimators=2).fit(X[y != "c"], y[y != "c"])
    with pytest.raises(ValueError, match="speak for 'b' where they are positive; leave out the"):
        two.shape_functions("a")


def test_steps_by_hand():
    X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([0.0, 0.0, 1.0, 3.0])
    model = BoostingRegressor(n_estimators=2, learning_rate=1.0).fit(X, y)
    (shape,) = model.shape_functions()
    assert shape.thresholds.tolist() == [2.5, 3.5]
    assert (shape.name, shape.importance, shape.missing) == ("x0", 1.0, None)
    np.testing.assert_allclose(shape.values + model.constants_[0], model.predict([[0], [3], [9]]))
    # A value on a threshold is not above it.
    np.testing.assert_array_equal(shape([2.5, 3.5, np.nan]), [*shape.values[:2], shape.unseen])


def test_missing_values_have_a_value_where_there_were_some(data):
    X, y = data
    model = BoostingClassifier(n_estimators=40).fit(X, y)
    assert all(shape.missing == shape.unseen for shape in model.shape_functions())
    filled = BoostingClassifier(n_estimators=40).fit(np.nan_to_num(X), y)
    assert all(shape.missing is None for shape in filled.shape_functions())


def test_categories_keep_their_names():
    colour = np.array(["red", "green", "blue", "green", "red", "blue"] * 5, dtype=object)
    size = np.arange(30) % 7
    X = np.column_stack([colour, size]).astype(object)
    y = 2.0 * (colour == "green") + 0.1 * size
    model = BoostingRegressor(n_estimators=50, categorical_features=[0]).fit(X, y)
    shapes = model.shape_functions()
    assert shapes[0].categories == ["blue", "green", "red"]
    assert shapes[0].values.argmax() == 1
    np.testing.assert_allclose(shapes.sum(X), model.predict(X))
    unknown = np.array([["violet", 3]], dtype=object)
    expected = shapes.constant + shapes[0].unseen + shapes[1](np.array([3.0]))
    np.testing.assert_allclose(model.predict(unknown), expected)


def test_centred_functions_have_mean_zero_and_the_same_sum(data):
    X, y = data
    model = BoostingClassifier(n_estimators=30).fit(X, y)
    weight = np.random.default_rng(0).uniform(size=len(y))
    centred = model.shape_functions().centred(X, weight)
    np.testing.assert_allclose(centred.sum(X), model.decision_function(X), atol=1e-12)
    for shape in centred:
        assert np.average(shape(X[:, shape.feature]), weights=weight) == pytest.approx(0, abs=1e-12)


def test_looked_up_by_number_or_name():
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame({"age": [1.0, 2.0, 3.0, 4.0], "same": [0.0, 0.0, 0.0, 0.0]})
    shapes = BoostingRegressor(n_estimators=3).fit(X, [0, 0, 1, 1]).shape_functions()
    assert shapes["age"] is shapes[0]
    assert len(shapes) == 1
    with pytest.raises(KeyError, match="does not use feature 'same'"):
        shapes["same"]


def test_trees_are_no_sums_of_functions_of_one_feature(data):
    from sklearn.tree import DecisionTreeRegressor  # noqa: PLC0415

    tree = DecisionTreeRegressor(max_depth=2)
    model = BoostingRegressor(estimator=tree, n_estimators=2).fit(*data)
    with pytest.raises(AttributeError, match="is for ensembles of stumps"):
        model.shape_functions()
