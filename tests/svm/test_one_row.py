import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from maxmargin import SVC, SVR
from maxmargin.svm import decision


@pytest.fixture(scope="module")
def data():
    random = np.random.default_rng(3)
    X = random.normal(size=(90, 4))
    return X, np.arange(90) % 5


def slow_votes(first_wins, n_classes):
    won = np.zeros((len(first_wins), n_classes), dtype=int)
    for column, (i, j) in enumerate(decision._pairs(n_classes).T):
        won[:, i] += first_wins[:, column]
        won[:, j] += ~first_wins[:, column]
    return won


def slow_confidence(values, n_classes):
    total = np.zeros((len(values), n_classes))
    for column, (i, j) in enumerate(decision._pairs(n_classes).T):
        total[:, i] += values[:, column]
        total[:, j] -= values[:, column]
    return total / (3 * (np.abs(total) + 1))


@pytest.mark.parametrize("classes", [2, 3, 7, 26])
def test_votes_and_confidences_are_those_of_pair_after_pair(classes):
    values = np.random.default_rng(classes).normal(size=(6, classes * (classes - 1) // 2))
    values[0, 0] = 0.0
    votes = decision.votes(values > 0, classes)
    assert votes.dtype == np.int64
    assert (votes == slow_votes(values > 0, classes)).all()
    confidence = decision.squeezed_confidence(values, classes)
    assert (confidence == slow_confidence(values, classes)).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_list_an_array_and_a_table_of_one_row_are_one(data, dtype):
    X, y = data[0].astype(dtype), data[1]
    model = SVC().fit(X, y)
    alone = model.decision_function(X[:1])
    if dtype == np.float64:
        assert (model.decision_function(X[:1].tolist()) == alone).all()
        assert (
            model.decision_function([[0, 1, 2, 3]])
            == model.decision_function(np.array([[0.0, 1.0, 2.0, 3.0]]))
        ).all()
    assert (SVC().fit(pd.DataFrame(X), y).decision_function(pd.DataFrame(X)[:1]) == alone).all()


def test_what_a_model_keeps_for_decisions_is_renewed_by_a_fit(data):
    X, y = data
    model = SVC().fit(X, y)
    first = model.decision_function(X[:3])
    copies = pickle.loads(pickle.dumps(model)), clone(model).fit(X, y)
    for copy in copies:
        assert (copy.decision_function(X[:3]) == first).all()
    model.set_params(C=50.0).fit(X[::-1] + 1.0, y)
    fresh = SVC(C=50.0).fit(X[::-1] + 1.0, y)
    assert (model.decision_function(X[:3]) == fresh.decision_function(X[:3])).all()


def test_one_row_of_no_threads_is_refused_as_many_are(data):
    X, y = data
    model = SVR().fit(X, y).set_params(n_jobs=0)
    for rows in (X[:1], X):
        with pytest.raises(ValueError, match="n_jobs == 0"):
            model.predict(rows)


@pytest.mark.parametrize("kernel", ["rbf", "poly"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_decision_of_two_classes_does_not_depend_on_the_rows_beside_it(dtype, kernel):
    random = np.random.default_rng(2)
    X, others = (random.normal(size=(n, 7)).astype(dtype) for n in (700, 3_000))
    model = SVC(kernel=kernel, n_jobs=1).fit(X, X[:, 0] > 0.5)
    all_of_them = model.decision_function(others)
    for n_jobs, rows in ((1, 1), (3, 1), (1, 13), (3, 97), (2, 1_000), (16, 3_000)):
        some = model.set_params(n_jobs=n_jobs).decision_function(others[-rows:])
        np.testing.assert_array_equal(some, all_of_them[-rows:])


@pytest.mark.parametrize("columns", [1, 3, 300, 10_000])
def test_decisions_of_many_columns_are_sums_over_support_vectors(columns):
    random = np.random.default_rng(columns)
    X = random.normal(size=(150, columns))
    model = SVC(gamma=1.0 / columns).fit(X, X[:, 0] > 0)
    rows = random.normal(size=(5, columns))
    squares = ((rows[:, None] - model.support_vectors_) ** 2).sum(axis=2)
    slow = np.exp(-squares / columns) @ model.dual_coef_[0] + model.intercept_
    np.testing.assert_allclose(model.decision_function(rows), slow, rtol=1e-9, atol=1e-9)
