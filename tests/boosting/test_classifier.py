import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from maxmargin.boosting import BoostingClassifier, DecisionStump
from maxmargin.losses import Hinge, Logistic, MarginLoss

X, Y = make_classification(200, 5, n_informative=3, n_redundant=0, flip_y=0.1, random_state=1)
LOSSES = ["logistic", "exponential", "squared", "squared_hinge", "modified_huber", "hinge"]
LEARNERS = [None, DecisionStump(), DecisionStump("gini"), DecisionTreeClassifier(max_depth=2)]


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_every_loss_with_every_kind_of_learner(loss, learner):
    model = BoostingClassifier(loss, learner, n_estimators=40, learning_rate=0.3).fit(X, Y)
    assert model.score(X, Y) > 0.85
    assert (np.diff(model.train_loss_) <= 1e-12).all()


def test_the_constant_is_the_log_odds():
    p = np.mean(Y[:150])
    model = BoostingClassifier(n_estimators=1).fit(X[:150], Y[:150])
    assert model.constants_[0] == pytest.approx(np.log(p / (1 - p)))
    assert BoostingClassifier(n_estimators=1, init="zero").fit(X, Y).constants_[0] == 0.0


def test_the_loss_reported_is_the_loss_of_the_stages():
    model = BoostingClassifier(n_estimators=15).fit(X, Y)
    t = np.where(Y == 1, 1.0, -1.0)
    stages = [Logistic().value(F, t).mean() for F in model.staged_decision_function(X)]
    np.testing.assert_allclose(model.train_loss_, stages)


@pytest.mark.parametrize("loss", LOSSES[:-1])
def test_probabilities_follow_the_decision(loss):
    model = BoostingClassifier(loss, n_estimators=20).fit(X, Y)
    p = model.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    np.testing.assert_array_equal(p[:, 1] > 0.5, model.decision_function(X) > 0)
    np.testing.assert_allclose(list(model.staged_predict_proba(X))[-1], p, atol=1e-12)
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(model.predict_log_proba(X), np.log(p))


def test_boosted_stumps_are_calibrated_where_the_model_is_right():
    """Additive log odds, drawn: the estimates come close to the probabilities themselves."""
    rng = np.random.default_rng(0)
    x = rng.uniform(-2, 2, size=(4000, 2))
    p = 1 / (1 + np.exp(-(x[:, 0] + np.sin(2 * x[:, 1]))))
    model = BoostingClassifier(n_estimators=150).fit(x, rng.random(4000) < p)
    assert np.abs(model.predict_proba(x)[:, 1] - p).mean() < 0.05


def test_the_hinge_says_nothing_about_probabilities():
    model = BoostingClassifier(Hinge(), n_estimators=5).fit(X, Y)
    assert not hasattr(model, "predict_proba")
    why = r"'predict_proba': loss=Hinge\(\) says nothing about probabilities; use loss='logistic'"
    with pytest.raises(AttributeError, match=why):
        model.predict_proba  # noqa: B018
    assert BoostingClassifier.predict_proba.__doc__
    assert not hasattr(BoostingClassifier("hing"), "predict_proba")


def test_nor_does_a_loss_of_ones_own():
    class Smooth(MarginLoss):
        def _value(self, m):
            return np.logaddexp(0.0, -m) ** 2

        def _derivative(self, m):
            return -2 * np.logaddexp(0.0, -m) / (1 + np.exp(m))

    model = BoostingClassifier(Smooth(), n_estimators=5).fit(X, Y)
    for name in ("predict_proba", "predict_log_proba", "staged_predict_proba"):
        with pytest.raises(AttributeError, match=f"'{name}': .*says nothing about probabilities"):
            getattr(model, name)


def test_several_classes_are_one_function_each():
    x, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = BoostingClassifier(n_estimators=60).fit(x, names)
    assert model.score(x, names) > 0.96
    assert model.estimators_.shape == model.coefficients_.shape == (60, 3)
    assert model.predict_proba(x).shape == model.decision_function(x).shape == (150, 3)
    np.testing.assert_array_equal(list(model.staged_predict(x))[-1], model.predict(x))
    losses = np.zeros(60)
    for k, name in enumerate(model.classes_):
        alone = BoostingClassifier(n_estimators=60).fit(x, names == name)
        np.testing.assert_allclose(alone.decision_function(x), model.decision_function(x)[:, k])
        losses += alone.train_loss_
    np.testing.assert_allclose(model.train_loss_, losses)


def test_a_class_that_has_nothing_to_learn_waits_for_the_others():
    """The first class is known after one stump in {-1, +1}; the others go on."""
    x = np.column_stack([np.repeat([0.0, 1.0, 1.0], 20), np.random.default_rng(0).normal(size=60)])
    y = np.repeat([0, 1, 2], 20)
    model = BoostingClassifier("squared", learning_rate=1.0, n_estimators=10).fit(x, y)
    assert model.coefficients_[-1, 0] == 0.0
    assert (model.coefficients_[-1, 1:] != 0.0).all()
    assert np.isfinite(model.predict_proba(x)).all()
    assert model.estimators_[-1, 0].predict(x).tolist() == [0.0] * 60


def test_sub_estimators_of_a_pipeline_of_parameters():
    grid = GridSearchCV(BoostingClassifier(n_estimators=10), {"learning_rate": [0.1, 1.0]}, cv=3)
    assert 0.7 < grid.fit(X, Y).best_score_ <= 1.0


def test_a_linear_classifier_as_weak_learner():
    model = BoostingClassifier("exponential", LogisticRegression(), n_estimators=5).fit(X, Y)
    assert model.train_loss_[-1] < model.train_loss_[0]


@pytest.mark.parametrize(
    ("y", "weight", "sentence"),
    [
        (np.zeros(200), None, "The number of classes has to be greater than one; got 1 class"),
        (Y, np.where(Y == 1, 1.0, 0.0), "all samples of a class have zero weight"),
        (np.linspace(0, 1, 200), None, "Unknown label type"),
    ],
)
def test_bad_targets_are_refused_in_a_sentence(y, weight, sentence):
    with pytest.raises(ValueError, match=sentence):
        BoostingClassifier().fit(X, y, weight)


def test_a_loss_of_counts_is_not_one_of_labels():
    with pytest.raises(ValueError, match="take labels -1 and \\+1, which poisson does not"):
        BoostingClassifier("poisson").fit(X, Y)


def test_an_unknown_loss_is_answered_with_those_of_labels():
    listed = "'hinge', 'squared_hinge', 'logistic', 'exponential', 'squared', 'modified_huber'"
    with pytest.raises(ValueError, match=f"must be one of {listed}. Got 'log_loss' instead"):
        BoostingClassifier("log_loss").fit(X, Y)


def test_more_classes_than_rows_of_each():
    model = BoostingClassifier(n_estimators=2).fit(X[:7], np.arange(7))
    assert model.predict(X[:7]).shape == (7,)
