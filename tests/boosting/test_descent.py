"""Rounds as steps down a gradient: what a model tells of them, against vectors written out."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from maxmargin.boosting import (
    AdaBoostClassifier,
    BoostingClassifier,
    BoostingRanker,
    BoostingRegressor,
    DecisionStump,
)
from maxmargin.losses import named

RNG = np.random.default_rng(5)
X = RNG.normal(size=(80, 4))
NOISE = 0.5 * RNG.normal(size=80)
Z = X[:, 0] + X[:, 1] ** 2 + NOISE
Y = (Z > 1).astype(int)
T = 2.0 * Y - 1.0
WEIGHT = RNG.uniform(0.5, 2.0, size=80)


def expected(before, after, gradient, step, alpha):
    """The numbers of one round, by definition."""
    slope = -(gradient * step).sum()
    lengths = np.sqrt((gradient**2).sum() * (step**2).sum())
    return {
        "before": before,
        "after": after,
        "first_order": before - slope,
        "slope": slope / alpha,
        "cosine": slope / lengths,
    }


def assert_told(line, wanted):
    for name, value in wanted.items():
        assert line[name] == pytest.approx(value, rel=1e-9), name


@pytest.mark.parametrize("estimator", [None, DecisionTreeClassifier(max_depth=2)])
@pytest.mark.parametrize("rate", [1.0, 0.3])
def test_adaboost_steps_down_the_exponential_loss(estimator, rate):
    options = {"n_estimators": 12, "learning_rate": rate, "random_state": 0}
    model = AdaBoostClassifier(estimator, **options).fit(X, Y, sample_weight=WEIGHT)
    share, H = WEIGHT / WEIGHT.sum(), np.zeros(80)
    for line, alpha, member in zip(model.descent_, model.alphas_, model.estimators_, strict=True):
        h = 2.0 * member.predict(X) - 1.0
        losses, after = share * np.exp(-T * H), share @ np.exp(-T * (H + alpha * h))
        assert_told(line, expected(losses.sum(), after, -T * losses, alpha * h, alpha))
        assert line.pull == pytest.approx(losses.sum(), rel=1e-9)
        assert line.slope == pytest.approx(2.0 * line.edge * line.pull, rel=1e-12)
        H = H + alpha * h
    assert (model.descent_.first_order < model.descent_.after).all()  # convex: above its tangent
    assert (model.descent_.after < model.descent_.before).all()


MODELS = {
    "logistic leaves": (BoostingClassifier(), Y),
    "logistic signs": (BoostingClassifier("logistic", DecisionStump()), Y),
    "exponential": (BoostingClassifier("exponential", DecisionTreeClassifier(max_depth=2)), Y),
    "squares": (BoostingRegressor(), Z),
    "trees": (BoostingRegressor("huber", DecisionTreeRegressor(max_depth=2)), Z),
    "constant step": (BoostingRegressor("absolute_error", step=0.1), Z),
}


@pytest.mark.parametrize(("model", "y"), MODELS.values(), ids=MODELS)
def test_any_loss_tells_of_its_gradient(model, y):
    model.set_params(n_estimators=8, random_state=0).fit(X, y, sample_weight=WEIGHT)
    loss, share = named(model.loss), WEIGHT / WEIGHT.sum()
    target = T if y is Y else Z
    F = np.full(80, model.constants_[0])
    stages = zip(model.descent_, model.coefficients_[:, 0], model._staged_raw(X), strict=True)
    for line, alpha, raw in stages:
        tuned = loss.fitted_to(F, target, WEIGHT)  # Huber's threshold follows the residuals
        before, after = share @ tuned.value(F, target), share @ tuned.value(raw[:, 0], target)
        gradient = share * tuned.derivative(F, target)
        assert_told(line, expected(before, after, gradient, raw[:, 0] - F, alpha))
        if not np.isnan(line.pull):
            assert line.pull == pytest.approx(np.abs(gradient).sum(), rel=1e-9)
            assert line.slope == pytest.approx(2.0 * line.edge * line.pull, rel=1e-9)
        F = raw[:, 0].copy()
    assert (model.descent_.first_order <= model.descent_.after * (1 + 1e-12)).all()


def test_several_functions_take_one_step_together():
    y = np.digitize(Z, [0.5, 1.5])
    model = BoostingClassifier(n_estimators=5).fit(X, y)
    loss, t = named("logistic"), np.where(y[:, None] == np.arange(3), 1.0, -1.0)
    F = np.tile(model.constants_, (80, 1))
    for line, raw in zip(model.descent_, model._staged_raw(X), strict=True):
        before, after = (loss.value(at, t).sum() / 80 for at in (F, raw))
        assert_told(line, expected(before, after, loss.derivative(F, t) / 80, raw - F, 1.0))
        F = raw


def test_a_ranking_descends_by_pairs():
    query = np.repeat(np.arange(8), 10)
    model = BoostingRanker(n_estimators=5).fit(X, np.digitize(Z, [0.0, 1.0]), qid=query)
    descent = model.descent_
    assert ((descent.cosine > 0) & (descent.cosine <= 1)).all()
    assert (descent.first_order < descent.after).all()
    np.testing.assert_array_equal(descent.before[1:], descent.after[:-1])


def test_a_warm_start_tells_of_all_rounds():
    model = AdaBoostClassifier(n_estimators=4, warm_start=True).fit(X, Y)
    model.set_params(n_estimators=9).fit(X, Y)
    once = AdaBoostClassifier(n_estimators=9).fit(X, Y)
    np.testing.assert_array_equal(model.descent_, once.descent_)


def test_several_classes_of_samme_have_no_such_loss():
    model = AdaBoostClassifier(n_estimators=4).fit(X, np.digitize(Z, [0.5, 1.5]))
    assert np.isnan(model.descent_.cosine).all()
