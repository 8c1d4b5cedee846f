import numpy as np
import pytest
from scipy.stats import binom
from sklearn.datasets import load_iris
from sklearn.metrics import roc_auc_score

from maxmargin import SVC, BaggingClassifier
from maxmargin.report import Proportion, Scores


@pytest.mark.parametrize(("count", "total"), [(73, 90), (1, 7), (500, 1000)])
def test_the_interval_is_exact(count, total):
    low, high = Proportion(count, total).interval()
    assert binom.sf(count - 1, total, low) == pytest.approx(0.025)
    assert binom.cdf(count, total, high) == pytest.approx(0.025)


def test_none_and_all_have_ends_at_0_and_1():
    assert Proportion(0, 20).interval()[0] == 0.0
    assert Proportion(20, 20).interval()[1] == 1.0


def test_scores_count_what_is_right():
    X, y = np.arange(6.0)[:, None], np.array(["a", "a", "a", "b", "b", "b"])
    model = SVC(kernel="linear", C=100.0).fit(X, y)
    scores = Scores.of(model, X, np.array(["a", "b", "a", "b", "b", "a"]))
    assert scores.confusion.tolist() == [[2, 1], [1, 2]]
    assert scores.accuracy == Proportion(4, 6)
    assert scores.majority == ("a", Proportion(3, 6))
    assert scores.worst == ("a", Proportion(2, 3))


def test_a_label_the_model_never_saw_counts_as_wrong():
    X = np.arange(4.0)[:, None]
    model = SVC().fit(X, [0, 0, 1, 1])
    scores = Scores.of(model, X, [0, 0, 1, 2])
    assert scores.labels == (0, 1, 2)
    assert scores.accuracy == Proportion(3, 4)
    assert scores.worst == (2, Proportion(0, 1))


def test_mistakes_are_counted_the_most_frequent_first():
    X = np.array([0.0, 1.0, 2.0])[[0, 0, 1, 1, 2]][:, None]
    model = SVC().fit([[0.0], [1.0], [2.0]], ["a", "b", "c"])
    scores = Scores.of(model, X, ["b", "b", "b", "c", "c"])
    assert scores.confusions == [("b", "a", 2), ("c", "b", 1)]


@pytest.mark.parametrize("model", [SVC(), SVC(decision_function_shape="ovo")])
def test_values_of_pairs_are_not_taken_for_those_of_classes(model):
    X, y = load_iris(return_X_y=True)
    scores = Scores.of(model.fit(X, y), X, y)
    expected = SVC().fit(X, y).decision_function(X)
    areas = [roc_auc_score(y == c, expected[:, c]) for c in range(3)]
    assert scores.roc.area == pytest.approx(np.mean(areas))
    assert model.decision_function(X).shape == (150, 3)


def test_probabilities_make_a_curve_too():
    X, y = load_iris(return_X_y=True)
    for kept in (y < 3, y < 2):
        model = BaggingClassifier(random_state=0).fit(X[kept], y[kept])
        p = model.predict_proba(X[kept])
        area = Scores.of(model, X[kept], y[kept]).roc.area
        expected = np.mean([roc_auc_score(y[kept] == c, p[:, c]) for c in model.classes_])
        assert area == pytest.approx(expected)
