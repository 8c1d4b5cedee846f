import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
)

from maxmargin import SVC, SVCCV
from maxmargin.evaluation import evaluate
from maxmargin.kernels import RBF, FromFunction, Linear, Precomputed


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


# A fitted machine asks for the columns of its support vectors and for nothing else.


def three_classes():
    X, y = make_blobs(60, centers=3, cluster_std=2.0, random_state=0)
    return RBF(0.1)(X[:40]), RBF(0.1)(X[40:], X[:40]), y[:40], y[40:]


def columns_of(model, values):
    return {int(i): values[:, i] for i in model.support_}


def test_the_columns_of_support_vectors_are_enough():
    K, new, y, later = three_classes()
    model = SVC(kernel="precomputed").fit(K, y)
    assert len(model.support_) < len(K)
    asked = []

    def block(rows):
        asked.append(rows)
        return new[:, rows]

    for given in (columns_of(model, new), block):
        np.testing.assert_array_equal(model.predict(given), model.predict(new))
        np.testing.assert_allclose(
            model.decision_function(given), model.decision_function(new), rtol=1e-12
        )
        assert model.score(given, later) == model.score(new, later)
    np.testing.assert_array_equal(asked[0], model.support_)
    best = SVCCV([1.0, 10.0], kernel="precomputed", cv=3).fit(K, y)
    support = columns_of(best.best_estimator_, new)
    np.testing.assert_array_equal(best.predict(support), best.predict(new))


def test_wrong_columns():
    K, new, y, _ = three_classes()
    model = SVC(kernel="precomputed").fit(K, y)
    columns = columns_of(model, new)
    first, last = model.support_[[0, -1]].tolist()
    with pytest.raises(ValueError, match=f"^Column {last} is missing: .* in support_[.]$"):
        model.predict({i: column for i, column in columns.items() if i != last})
    with pytest.raises(ValueError, match="different lengths"):
        model.predict(columns | {first: new[:3, first]})
    with pytest.raises(ValueError, match="has 40 columns for"):
        model.predict(lambda rows: new)
    with pytest.raises(ValueError, match="NaN"):
        model.predict(columns | {first: np.full(len(new), np.nan)})
    with pytest.raises(ValueError, match="got a dict"):
        SVC(kernel=FromFunction(np.dot)).fit(list(new), new[:, 0] > 0.5).predict({0: new[0]})


def test_every_kind_of_fold_slices_both_axes():
    X, y = make_blobs(60, centers=2, cluster_std=4.0, random_state=0)
    K, folds = RBF(0.1)(X), StratifiedKFold(3)
    usual, matrix = SVC(gamma=0.1), SVC(kernel="precomputed")
    expected = cross_val_score(usual, X, y, cv=folds)
    assert len(set(expected)) > 1
    np.testing.assert_array_equal(cross_val_score(matrix, K, y, cv=folds), expected)
    np.testing.assert_array_equal(
        cross_val_score(SVC(kernel=Precomputed()), K, y, cv=folds), expected
    )
    np.testing.assert_array_equal(cross_val_predict(matrix, K, y), cross_val_predict(usual, X, y))
    grid = {"C": [0.1, 1.0, 10.0]}
    one, other = GridSearchCV(usual, grid, cv=folds).fit(X, y), GridSearchCV(matrix, grid, cv=folds)
    scores = other.fit(K, y).cv_results_["mean_test_score"]
    np.testing.assert_array_equal(scores, one.cv_results_["mean_test_score"])
    np.testing.assert_array_equal(
        SVCCV(grid["C"], kernel="precomputed", cv=folds).fit(K, y).cv_results_["mean_test_score"],
        scores,
    )
    protocol = list(folds.split(X, y))
    ours = [
        evaluate({"a": m}, Z, y, protocol=protocol)["a"].scores
        for m, Z in ((usual, X), (matrix, K))
    ]
    np.testing.assert_array_equal(*ours)
