import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits, load_iris, make_classification
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from maxmargin.boosting import BoostingClassifier, BoostingRegressor, DecisionStump, Stop
from maxmargin.boosting.additive_model import AdditiveModel
from maxmargin.inputs.parameters import ParameterError
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


def additive(n=3_000, noise=0.3):
    """No single feature tells the rarer class: evidence of two of them has to be added up."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 4))
    return x, (x[:, 0] + np.abs(x[:, 1]) + noise * rng.normal(size=n) > 2.0).astype(int)


def test_the_hinge_learns_where_every_leaf_prefers_one_class():
    x, y = additive()
    hinge, logistic = (BoostingClassifier(loss).fit(x, y) for loss in ("hinge", "logistic"))
    assert hinge.score(x, y) > 0.05 + (1 - y.mean())
    assert hinge.score(x, y) == pytest.approx(logistic.score(x, y), abs=0.04)
    m = np.where(y == 1, 1.0, -1.0) * hinge.decision_function(x)
    above = hinge.train_loss_[-1] - np.maximum(0.0, 1.0 - m).mean()
    assert 0.0 < above <= 0.25
    assert (np.diff(hinge.train_loss_) < 0).all()


@pytest.mark.parametrize("seed", [1, 2, 9, 13])
@pytest.mark.parametrize("rate", [0.1, 1.0])
def test_huber_goes_on_while_there_is_descent(seed, rate):
    """From the median of a leaf the mean of what is cut off may lie on the wrong side of 0."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(2000, 5))
    z = x[:, 0] + 0.7 * x[:, 1] + np.abs(x[:, 2]) + rng.normal(size=2000)
    y = z > np.quantile(z, rng.choice([0.5, 0.8, 0.95]))
    model = BoostingClassifier("huber", learning_rate=rate).fit(x, y)
    assert (model.stop_, model.n_estimators_) == (Stop.ROUNDS, 100)
    assert (np.diff(model.train_loss_) <= 1e-12).all()


class Kinked(MarginLoss):
    """Curved only between 0 and 1: beyond, Newton's step is 0 though there is a slope."""

    smooth = convex = True

    def _value(self, m):
        h = np.maximum(1.0 - m, 0.0)
        c = np.minimum(h, 0.5)
        return 2.0 * c * (h - 0.5 * c)

    def _derivative(self, m):
        return -2.0 * np.clip(1.0 - m, 0.0, 0.5)

    def _curvature(self, m):
        return 2.0 * ((m < 1.0) & (m > 0.5))


def test_a_leaf_without_curvature_is_searched():
    x, y = additive()
    model = BoostingClassifier(Kinked(), init="zero").fit(x, y)
    assert model.stop_ is Stop.ROUNDS
    assert model.score(x, y) > 0.03 + (1 - y.mean())


@pytest.mark.parametrize("step", [0.1, 0.3, 0.7])
def test_predictions_are_those_of_the_last_stage_on_exact_ties_too(step):
    """Steps of one size cancel to 0 in one order and to a rounding error in another."""
    rng = np.random.default_rng(5)
    x = rng.integers(0, 3, size=(1000, 4)).astype(float)
    for y in (rng.integers(0, 2, size=1000), rng.integers(0, 3, size=1000)):
        options = {"n_estimators": 20, "init": "zero", "step": step}
        model = BoostingClassifier("logistic", DecisionStump(), **options).fit(x, y)
        stages = list(model.staged_decision_function(x))
        np.testing.assert_array_equal(model.decision_function(x), stages[-1])
        np.testing.assert_array_equal(model.predict(x), list(model.staged_predict(x))[-1])


@pytest.mark.parametrize("loss", LOSSES[:-1])
def test_the_likeliest_class_is_the_one_predicted(loss):
    """Of ten classes several reach a probability of 1, or none more than 0."""
    digits, y = load_digits(return_X_y=True)
    model = BoostingClassifier(loss, n_estimators=15, learning_rate=1.0).fit(digits[:500], y[:500])
    p = model.predict_proba(digits)
    np.testing.assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(digits))
    np.testing.assert_allclose(p.sum(axis=1), 1.0, rtol=1e-15)
    for staged, said in zip(
        model.staged_predict_proba(digits), model.staged_predict(digits), strict=True
    ):
        np.testing.assert_array_equal(model.classes_[staged.argmax(axis=1)], said)


def test_predicting_a_row_reads_what_fit_prepared(monkeypatch):
    """No shape function and no importance is worked out for a prediction."""
    x, y = load_iris(return_X_y=True)
    model = BoostingClassifier(n_estimators=5).fit(x, y)
    expected = model.predict(x)

    def fail(*_):
        raise AssertionError

    monkeypatch.setattr(AdditiveModel, "_shape", fail)
    monkeypatch.setattr(AdditiveModel, "_importance", fail)
    np.testing.assert_array_equal(model.predict(x), expected)
    np.testing.assert_array_equal(model.set_params(n_jobs=1).predict(x[:1]), expected[:1])


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


WORDS = pd.DataFrame({"colour": ["red", "blue", "red", "green"] * 15, "size": np.arange(60.0)})
IS_RED = np.array([1, 0, 1, 0] * 15)


@pytest.mark.parametrize("given", ["from_dtype", ["colour"], [0]])
@pytest.mark.parametrize(
    ("kind", "tree"),
    [
        (BoostingClassifier, DecisionTreeRegressor(max_depth=2)),
        (BoostingClassifier, DecisionTreeClassifier(max_depth=2)),
        (BoostingRegressor, DecisionTreeRegressor(max_depth=2)),
    ],
)
def test_trees_take_words(kind, tree, given):
    model = kind(estimator=tree, n_estimators=20, categorical_features=given).fit(WORDS, IS_RED)
    assert model.score(WORDS, IS_RED) > 0.95
    strange = WORDS.assign(colour="violet")  # unknown: as if it were missing
    assert np.isfinite(model.predict(strange).astype(float)).all()
    codes = WORDS.assign(colour=WORDS["colour"].map({"blue": 0, "green": 1, "red": 2}))
    again = kind(estimator=tree, n_estimators=20, categorical_features=None).fit(codes, IS_RED)
    np.testing.assert_array_equal(model.predict(WORDS), again.predict(codes))


def test_other_learners_are_told_of_a_way_that_works():
    model = BoostingClassifier(estimator=LinearRegression())
    with pytest.raises(ValueError, match=r"'red'; encode it as numbers, as OneHotEncoder does\.$"):
        model.fit(WORDS, IS_RED)
    with pytest.raises(ParameterError, match="as OneHotEncoder does"):
        model.set_params(categorical_features=["colour"]).fit(WORDS, IS_RED)
