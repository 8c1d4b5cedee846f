import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import mean_poisson_deviance
from sklearn.tree import DecisionTreeRegressor

from maxmargin.boosting import BoostingRegressor, DecisionStump, RegressionStump
from maxmargin.losses import Huber, Quantile

RNG = np.random.default_rng(0)
X = RNG.uniform(-2, 2, size=(300, 3))
MEAN = np.sin(2 * X[:, 0]) + np.abs(X[:, 1])
Y = MEAN + 0.1 * RNG.normal(size=300)
LOSSES = ["squared_error", "absolute_error", "huber", Huber(level=0.9), "quantile"]
LEARNERS = [None, RegressionStump(), DecisionStump(), DecisionTreeRegressor(max_depth=3)]


@pytest.mark.parametrize("loss", LOSSES, ids=str)
@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_every_loss_with_every_kind_of_learner(loss, learner):
    model = BoostingRegressor(loss, learner, n_estimators=80, learning_rate=0.3).fit(X, Y)
    assert model.score(X, Y) > 0.7
    assert np.mean((model.predict(X) - MEAN) ** 2) < 0.3 * MEAN.var()


def test_one_step_of_least_squares_by_hand():
    model = BoostingRegressor(n_estimators=1, learning_rate=0.5)
    model.fit([[1], [2], [3], [4]], [0.0, 0.0, 4.0, 8.0])
    np.testing.assert_allclose(model.constants_, [3.0])
    np.testing.assert_allclose(model.predict([[1], [4]]), [1.5, 4.5])
    np.testing.assert_allclose(model.train_loss_, [(1.5**2 * 2 + 0.5**2 + 3.5**2) / 8])
    (stump,) = model.estimators_[0]
    assert (stump.threshold_, stump.split_.left, stump.split_.right) == (2.5, -3.0, 3.0)


def test_quantiles_hold_their_share_of_the_rows():
    rng = np.random.default_rng(1)
    x = rng.uniform(size=(2000, 1))
    y = x[:, 0] + rng.normal(size=2000) * (0.2 + x[:, 0])
    low, high = (
        BoostingRegressor(Quantile(q), n_estimators=150).fit(x, y).predict(x) for q in (0.1, 0.9)
    )
    assert np.mean(y <= low) == pytest.approx(0.1, abs=0.02)
    assert np.mean(y <= high) == pytest.approx(0.9, abs=0.02)
    wide = high - low
    assert wide[x[:, 0] > 0.8].mean() > 2 * wide[x[:, 0] < 0.2].mean()


def test_robust_losses_do_not_follow_outliers():
    y = Y.copy()
    y[::10] += 100.0
    errors = {}
    for loss in ("squared_error", "absolute_error", "huber"):
        model = BoostingRegressor(loss, n_estimators=200, learning_rate=0.3).fit(X, y)
        errors[loss] = np.mean(np.abs(model.predict(X) - MEAN))
    assert errors["absolute_error"] < 0.1 * errors["squared_error"]
    assert errors["huber"] < 0.1 * errors["squared_error"]


def test_counts():
    rng = np.random.default_rng(0)
    mean = np.exp(MEAN)
    y = rng.poisson(mean)
    model = BoostingRegressor("poisson", n_estimators=200).fit(X, y)
    assert (model.predict(X) > 0).all()
    assert model.train_loss_[-1] == pytest.approx(mean_poisson_deviance(y, model.predict(X)) / 2)
    assert np.corrcoef(model.predict(X), mean)[0, 1] > 0.95
    assert np.exp(model.constants_[0]) == pytest.approx(y.mean())
    np.testing.assert_allclose(list(model.staged_predict(X))[-1], model.predict(X))


@pytest.mark.parametrize(
    ("y", "sentence"),
    [
        (np.where(np.arange(300) == 7, -1.0, 1.0), r"not negative: y\[7\] is -1;"),
        (np.zeros(300), "all of y is 0"),
    ],
)
def test_what_is_no_count_is_refused(y, sentence):
    with pytest.raises(ValueError, match=sentence):
        BoostingRegressor("poisson").fit(X, y)


def test_an_unknown_loss_is_answered_with_those_of_numbers():
    listed = (
        "'squared_error', 'absolute_error', 'huber', 'quantile', 'insensitive', "
        "'squared_insensitive', 'poisson', 'gamma', 'tweedie'"
    )
    with pytest.raises(ValueError, match=f"must be one of {listed}. Got 'mae' instead"):
        BoostingRegressor("mae").fit(X, Y)


def test_leaves_without_a_count_stay_finite():
    x = np.arange(10.0)[:, None]
    model = BoostingRegressor("poisson", n_estimators=50, learning_rate=1.0).fit(x, x[:, 0] > 4)
    assert np.isfinite(model.predict(x)).all()
    assert model.predict(x)[0] < 0.01


def test_the_importances_find_the_features_that_count():
    model = BoostingRegressor(n_estimators=100).fit(X, Y)
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert model.feature_importances_[2] < 0.02
    trees = BoostingRegressor(estimator=DecisionTreeRegressor(max_depth=2)).fit(X, Y)
    assert trees.feature_importances_[2] < 0.05


def test_a_constant_step_that_climbs_is_told_of():
    with pytest.warns(ConvergenceWarning, match="training loss rose from .* with step=30.0 and"):
        BoostingRegressor(step=30.0, n_estimators=5).fit(X, Y)
    model = BoostingRegressor(step=1.0, n_estimators=5).fit(X, Y)
    assert model.train_loss_[-1] < model.train_loss_[0]


def test_targets_whose_squares_vanish_are_told_of_as_such():
    with pytest.raises(ValueError, match="squares vanish in double precision; multiply the targ"):
        BoostingRegressor().fit(X, 1e-170 * Y)
    scaled = 1e-170 * BoostingRegressor(n_estimators=5).fit(X, Y).predict(X)
    model = BoostingRegressor("absolute_error", n_estimators=5).fit(X, 1e-170 * Y)
    assert model.train_loss_[-1] < model.train_loss_[0]
    assert np.abs(model.predict(X)).max() < 2 * np.abs(scaled).max()
    stump = RegressionStump().fit(X, 1e-170 * Y)
    np.testing.assert_allclose(stump.predict(X), 1e-170 * RegressionStump().fit(X, Y).predict(X))
