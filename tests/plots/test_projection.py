import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from maxmargin import SVC, BoostingClassifier, OneVsRestClassifier, UnscaledColumnsWarning
from maxmargin.datasets import load_heart
from maxmargin.plots import projection

X, Y = load_heart(return_X_y=True)


@pytest.fixture(scope="module")
def fitted():
    return make_pipeline(StandardScaler(), SVC()).fit(X, Y)


def test_support_vectors_are_ringed_where_the_rows_are_those_of_the_fit(fitted):
    display = projection(fitted, X, Y)
    np.testing.assert_array_equal(np.flatnonzero(display.support), np.sort(fitted[-1].support_))
    rings = np.asarray(display.support_.get_offsets())
    np.testing.assert_array_equal(rings, display.points[display.support])
    assert projection(fitted, X[:50], Y[:50]).support_ is None


def test_the_decision_value_is_exact(fitted):
    display = projection(fitted, X, Y, across="decision")
    np.testing.assert_allclose(display.points[:, 0], fitted.decision_function(X))
    assert [line.get_xdata()[0] for line in display.ax_.lines] == [0.0, -1.0, 1.0]
    assert display.ax_.get_xlabel() == "decision value f(x)"


def test_where_there_is_no_hinge_there_are_no_margins():
    logistic = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, Y)
    assert projection(logistic, X, Y, across="decision").levels == (0.0,)
    bayes = projection(GaussianNB().fit(X, Y), X, Y, across="decision")
    assert bayes.levels == (0.5,)
    assert bayes.axis_names[0] == "probability of the second class"
    wrapped = make_pipeline(StandardScaler(), OneVsRestClassifier(SVC())).fit(X, Y)
    assert projection(wrapped, X, Y, across="decision").levels == (0.0, -1.0, 1.0)


def test_components_do_not_depend_on_units(fitted):
    plain = projection(fitted, X, Y)
    with pytest.warns(UnscaledColumnsWarning):
        scaled = make_pipeline(SVC()).fit(1e3 * X, Y)
    found = projection(scaled, 1e3 * X, Y).points
    np.testing.assert_allclose(np.abs(found), np.abs(plain.points), atol=1e-8)


def test_of_many_rows_some_are_drawn_always_the_same(fitted):
    first, second = (projection(fitted, X, Y, max_rows=40) for _ in range(2))
    assert len(first.points) == 40
    assert first.n_rows == len(Y)
    np.testing.assert_array_equal(first.points, second.points)
    assert sum(len(each.get_offsets()) for each in first.points_) == 40


def test_what_is_rare_stands_in_front(fitted):
    rare = np.where(np.arange(len(Y)) < 9, "a", "b")
    points = projection(clone(fitted).fit(X, rare), X, rare).points_
    assert points[0].get_zorder() > points[1].get_zorder()


def test_classes_have_looks_and_too_many_are_right_or_wrong():
    flowers = load_iris(return_X_y=True)
    display = projection(SVC().fit(*flowers), *flowers)
    assert display.names == ["0", "1", "2"]
    assert len({display.look(kind) for kind in range(3)}) == 3
    digits, label = (part[:200] for part in load_digits(return_X_y=True))
    model = GaussianNB().fit(digits, label)
    many = projection(model, digits, label)
    assert many.names == ["right", "wrong"]
    assert many.kinds.sum() == np.sum(model.predict(digits) != label)


def test_sparse_rows_a_single_column_and_dollars():
    words = np.array([["a"], ["b"], ["c"], ["a"]])
    label = np.array(["$x$", "y", "y", "$x$"])
    model = make_pipeline(OneHotEncoder(), SVC()).fit(words, label)
    display = projection(model, words, label)
    assert display.ax_.get_legend().get_texts()[0].get_text() == r"\$x\$"
    display.figure_.draw_without_rendering()
    single = projection(SVC().fit(X[:, :1], Y), X[:, :1], Y)
    assert not single.points[:, 1].any()


def test_gaps_and_several_classes_are_refused_in_a_sentence(fitted):
    gaps = np.where(X[0] == X, np.nan, X)
    model = BoostingClassifier(n_estimators=2).fit(gaps, Y)
    with pytest.raises(ValueError, match=r"^BoostingClassifier sees words or gaps"):
        projection(model, gaps, Y)
    flowers = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=r"^SVC has no decision value of two classes"):
        projection(SVC().fit(*flowers), *flowers, across="decision")
    with pytest.raises(ValueError, match="'across'"):
        projection(fitted, X, Y, across="rows")
