"""From 2 to 100 classes: the answers of scikit-learn, every problem certified, little memory."""

import tracemalloc

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.svm import SVC as LibSVC  # noqa: N811

from maxmargin import SVC, Status


def blobs(classes, rows=8, columns=4, dtype=np.float64):
    """So many rows a class, two of which overlap."""
    X, y = make_blobs(rows * classes, columns, centers=classes, cluster_std=2.0, random_state=0)
    return X.astype(dtype), y


@pytest.mark.parametrize("classes", [2, 3, 10, 40, 100])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_same_answers_as_one_problem_after_the_other(classes, dtype):
    X, y = blobs(classes, dtype=dtype)
    options = {"C": 10.0, "gamma": 0.1, "decision_function_shape": "ovo", "tol": 1e-5}
    ours, theirs = SVC(**options).fit(X, y), LibSVC(**options).fit(X, y)
    assert len(ours.certificates_) == classes * (classes - 1) // 2
    assert {c.status for c in ours.certificates_} == {Status.CERTIFIED}
    values, others = ours.decision_function(X), theirs.decision_function(X)
    np.testing.assert_allclose(values, others, atol=5e-4)
    apart = np.abs(others).reshape(len(X), -1).min(axis=1) > 1e-3  # no vote hangs on a digit
    np.testing.assert_array_equal(ours.predict(X)[apart], theirs.predict(X)[apart])


@pytest.mark.parametrize("rows", [3, 30, 90])
@pytest.mark.parametrize("columns", [2, 80], ids=["rows on demand", "one matrix"])
def test_problems_of_any_size_beside_each_other(rows, columns):
    X, y = blobs(12, rows, columns)
    uneven = np.flatnonzero((y != 3) | (np.cumsum(y == 3) <= 2))  # one class has two rows
    X, y = X[uneven], y[uneven]
    options = {"C": 3.0, "decision_function_shape": "ovo", "tol": 1e-5}
    ours, theirs = SVC(**options).fit(X, y), LibSVC(**options).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=5e-4)
    assert {c.status for c in ours.certificates_} == {Status.CERTIFIED}


@pytest.mark.parametrize("verb", ["predict", "decision_function"])
def test_values_of_all_pairs_are_never_there_for_all_rows(verb):
    X, y = blobs(60, 3)
    model, many = SVC(n_jobs=1).fit(X, y), np.tile(X, (60, 1))
    getattr(model, verb)(X)
    tracemalloc.start()
    getattr(model, verb)(many)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    pairs = 8 * len(many) * 60 * 59 // 2
    assert peak < pairs / 2
