"""What the three boosted models of any loss share."""

import pickle
import signal
import threading

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from maxmargin.boosting import (
    AdaBoostClassifier,
    BoostingClassifier,
    BoostingRanker,
    BoostingRegressor,
    DecisionStump,
    History,
    RegressionStump,
    Round,
    Stop,
)
from maxmargin.losses import Loss, ResidualLoss

X, Y = make_classification(240, 6, n_informative=4, flip_y=0.1, random_state=0)
Z = X @ [3.0, -2.0, 1.0, 0.5, 0.0, 0.0] + np.random.default_rng(0).normal(size=240)
RELEVANCE = np.digitize(X @ [1.0, -1.0, 0.5, 0.2, 0.0, 0.0], [-1.0, 1.0])
MODELS = [
    (BoostingClassifier(), Y),
    (BoostingClassifier("exponential", DecisionStump()), Y),
    (BoostingClassifier(), RELEVANCE),
    (BoostingRegressor(), Z),
    (BoostingRegressor("absolute_error", DecisionTreeRegressor(max_depth=2, max_features=2)), Z),
    (BoostingRanker(), RELEVANCE),
]
every_model = pytest.mark.parametrize(("model", "y"), MODELS, ids=lambda each: repr(each)[:60])


def raw(model):
    return model._raw(X)


def same(a, b):
    np.testing.assert_array_equal(a.constants_, b.constants_)
    np.testing.assert_array_equal(a.coefficients_, b.coefficients_)
    np.testing.assert_array_equal(a.train_loss_, b.train_loss_)
    np.testing.assert_array_equal(a.validation_loss_, b.validation_loss_)
    np.testing.assert_array_equal(raw(a), raw(b))
    assert a.stop_ is b.stop_


# AdaBoost


def test_adaboost_round_for_round():
    ada = AdaBoostClassifier(n_estimators=80).fit(X, Y)
    ours = BoostingClassifier(
        "exponential", DecisionStump(), init="zero", learning_rate=1.0, n_estimators=80
    ).fit(X, Y)
    assert ours.n_estimators_ == len(ada.estimators_) == 80
    for (a,), b in zip(ours.estimators_, ada.estimators_, strict=True):
        assert (a.feature_, a.threshold_) == (b.feature_, b.threshold_)
        assert (a.split_.left, a.split_.right) == (b.split_.left, b.split_.right)
    np.testing.assert_allclose(ours.coefficients_[:, 0], ada.alphas_, rtol=1e-10)
    np.testing.assert_allclose(ours.history_.column("error"), ada.estimator_errors_, rtol=1e-10)
    np.testing.assert_allclose(ours.train_loss_, ada.bounds_.product, rtol=1e-10)
    np.testing.assert_allclose(ours.history_.column("train_error"), ada.bounds_.error, atol=1e-12)
    np.testing.assert_array_equal(ours.predict(X), ada.predict(X))


def test_adaboost_with_weights_and_trees():
    weight = np.random.default_rng(0).uniform(0.2, 2.0, len(Y))
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    ada = AdaBoostClassifier(tree, n_estimators=10).fit(X, Y, weight)
    ours = BoostingClassifier("exponential", tree, init="zero", learning_rate=1.0, n_estimators=10)
    ours.fit(X, Y, weight)
    np.testing.assert_allclose(ours.coefficients_[:, 0], ada.alphas_, rtol=1e-9)


def test_a_member_without_error_ends_the_exponential_loss():
    x = np.arange(10.0)[:, None]
    model = BoostingClassifier("exponential", DecisionStump(), init="zero", learning_rate=1.0)
    model.fit(x, x[:, 0] > 4)
    assert (model.n_estimators_, model.stop_) == (1, Stop.PERFECT)
    assert model.score(x, x[:, 0] > 4) == 1.0


# descent


@every_model
@pytest.mark.parametrize("step", ["auto", "line_search"])
def test_the_training_loss_falls_in_every_round(model, y, step):
    fitted = clone(model).set_params(n_estimators=25, step=step).fit(X, y)
    assert fitted.n_estimators_ == len(fitted.train_loss_) == 25
    assert (np.diff(fitted.train_loss_) <= 1e-12).all()
    assert fitted.train_loss_[-1] < 0.99 * fitted.train_loss_[0]


def test_a_constant_step_is_a_constant_coefficient():
    model = BoostingRegressor(step=0.5, learning_rate=0.2, n_estimators=7).fit(X, Z)
    np.testing.assert_allclose(model.coefficients_, 0.1)
    stump = RegressionStump().fit(X, Z - Z.mean())
    first = next(model.staged_predict(X))
    np.testing.assert_allclose(first, Z.mean() + 0.1 * stump.predict(X))


def test_a_newton_step_that_is_too_long_is_cut():
    """All but one row are sure of their class: the curvature of that leaf has all but vanished."""
    x = np.concatenate([np.full(50, -1.0), np.full(50, 1.0)])[:, None]
    y = np.where(x[:, 0] > 0, 1, 0)
    y[-1] = 0
    model = BoostingClassifier(learning_rate=1.0, n_estimators=200).fit(x, y)
    assert np.isfinite(model.train_loss_).all()
    assert (np.diff(model.train_loss_) <= 1e-12).all()


def test_boosting_stops_when_no_stump_leads_downhill():
    """Of two rows of one kind and opposite labels nothing is to be learnt after the first stump."""
    x = np.array([[0.0], [0.0], [1.0], [1.0]])
    model = BoostingRegressor(learning_rate=1.0).fit(x, [0.0, 2.0, 4.0, 6.0])
    assert (model.n_estimators_, model.stop_) == (1, Stop.TOO_WEAK)
    np.testing.assert_allclose(model.predict(x), [1, 1, 5, 5])


def test_a_target_that_is_constant_needs_no_round():
    model = BoostingRegressor().fit(X, np.full(len(X), 3.0))
    assert (model.n_estimators_, model.stop_) == (0, Stop.PERFECT)
    np.testing.assert_array_equal(model.predict(X[:3]), [3.0, 3.0, 3.0])
    assert list(model.staged_predict(X)) == []
    np.testing.assert_array_equal(model.feature_importances_, np.zeros(6))


class Savage(Loss):
    """A loss of one's own: not convex, with a value and a derivative only."""

    def value(self, z, t):
        return (1 + np.exp(2 * np.multiply(z, t))) ** -2

    def derivative(self, z, t):
        e = np.exp(2 * np.multiply(z, t))
        return -4 * t * e * (1 + e) ** -3


class LogCosh(Loss):
    def value(self, z, t):
        r = np.subtract(z, t)
        return np.logaddexp(r, -r) - np.log(2)

    def derivative(self, z, t):
        return np.tanh(np.subtract(z, t))


@pytest.mark.parametrize("step", ["leaves", "line_search", 1.0])
@pytest.mark.parametrize(
    ("make", "loss", "y"), [(BoostingClassifier, Savage(), Y), (BoostingRegressor, LogCosh(), Z)]
)
def test_a_loss_of_ones_own(make, loss, y, step):
    model = make(loss, step=step, n_estimators=40).fit(X, y)
    assert model.train_loss_[-1] < model.train_loss_[0]
    assert model.score(X, y) > 0.2
    assert (np.diff(model.train_loss_) <= 1e-12).all() or step == 1.0


# limits


@every_model
def test_a_warm_start_is_one_long_fit_to_the_bit(model, y):
    options = {"random_state": 3, "n_iter_no_change": 50}
    whole = clone(model).set_params(n_estimators=12, **options).fit(X, y)
    parts = clone(model).set_params(n_estimators=5, warm_start=True, **options).fit(X, y)
    parts.set_params(n_estimators=9).fit(X, y)
    parts.set_params(n_estimators=12).fit(X, y)
    same(parts, whole)
    assert [r.round for r in parts.history_] == list(range(1, whole.n_estimators_ + 1))


@every_model
def test_equal_for_any_number_of_threads_and_from_run_to_run(model, y):
    one, two = (
        clone(model).set_params(n_estimators=8, n_jobs=n, random_state=0).fit(X, y) for n in (1, 3)
    )
    same(one, two)


def test_a_warm_start_cannot_unmake_rounds():
    model = BoostingRegressor(n_estimators=5, warm_start=True).fit(X, Z)
    with pytest.raises(ValueError, match="must be larger or equal to the 5 rounds made before"):
        model.set_params(n_estimators=4).fit(X, Z)
    assert model.n_estimators_ == 5


def test_a_warm_start_keeps_the_classes():
    model = BoostingClassifier(n_estimators=5, warm_start=True).fit(X, Y)
    with pytest.raises(ValueError, match="needs the classes of the earlier fit"):
        model.set_params(n_estimators=9).fit(X, RELEVANCE)
    np.testing.assert_array_equal(model.classes_, [0, 1])


def test_early_stopping_returns_to_the_best_round():
    noise = np.random.default_rng(0).choice([0, 1], size=len(X))
    options = {"learning_rate": 1.0, "n_iter_no_change": 5, "random_state": 0}
    history = History()
    model = BoostingClassifier(n_estimators=500, callback=history, **options).fit(X, noise)
    watched = history.column("validation_loss")
    assert np.isnan(history.column("validation_error")).all()
    assert "validation loss" in str(history[0])
    assert model.stop_ is Stop.EARLY
    assert model.n_estimators_ == watched.argmin() + 1 < len(history)
    assert model.validation_loss_[-1] == watched.min()
    again = clone(model).set_params(n_estimators=model.n_estimators_, callback=None).fit(X, noise)
    np.testing.assert_array_equal(raw(again), raw(model))
    before = raw(model)
    model.set_params(warm_start=True, n_estimators=600).fit(X, noise)
    np.testing.assert_array_equal(raw(model), before)


def test_the_validation_part_is_not_learnt_from():
    options = {"n_estimators": 10, "random_state": 0}
    a = BoostingRegressor(n_iter_no_change=20, **options).fit(X, Z)
    b = BoostingRegressor(**options).fit(X, Z)
    assert np.isfinite(a.validation_loss_).all()
    assert np.isnan(b.validation_loss_).all()
    assert a.train_loss_[0] != b.train_loss_[0]


def test_callback_and_verbose(capsys):
    seen = []
    model = BoostingClassifier(n_estimators=3, callback=seen.append, verbose=1).fit(X, Y)
    assert [r.round for r in seen] == [1, 2, 3]
    assert all(isinstance(r, Round) for r in seen)
    np.testing.assert_array_equal([r.loss for r in seen], model.train_loss_)
    errors = [np.mean(said != Y) for said in model.staged_predict(X)]
    np.testing.assert_allclose([r.train_error for r in seen], errors)
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_a_time_limit_keeps_the_rounds_so_far():
    model = BoostingRegressor(n_estimators=10_000, time_limit=0.0).fit(X, Z)
    assert (model.n_estimators_, model.stop_) == (1, Stop.TIME_LIMIT)


def test_ctrl_c_can_keep_the_rounds_so_far():
    def interrupt(made):
        if made.round == 4:
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    model = BoostingRegressor(n_estimators=10_000, callback=interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, Z)
    with pytest.warns(ConvergenceWarning, match="INTERRUPTED"):
        model.set_params(on_interrupt="keep").fit(X, Z)
    assert model.stop_ is Stop.INTERRUPTED
    assert 4 <= model.n_estimators_ <= 5


def test_a_fit_that_fails_leaves_the_model_as_it_was():
    def fail(made):
        if made.round == 3:
            raise RuntimeError("enough")

    model = BoostingRegressor(n_estimators=5).fit(X, Z)
    before = raw(model)
    with pytest.raises(RuntimeError, match="enough"):
        model.set_params(callback=fail).fit(X[:100], Z[:100])
    np.testing.assert_array_equal(raw(model), before)


# data


@every_model
def test_weights_are_repetitions(model, y):
    weight = np.random.default_rng(0).integers(0, 3, len(y))
    rows = np.repeat(np.arange(len(y)), weight)
    if isinstance(model.estimator, DecisionTreeRegressor):  # draws features, whatever the rows
        model = clone(model).set_params(estimator=DecisionTreeRegressor(max_depth=2))
    a = clone(model).set_params(n_estimators=5, random_state=0).fit(X, y, sample_weight=weight)
    b = clone(model).set_params(n_estimators=5, random_state=0).fit(X[rows], y[rows])
    np.testing.assert_allclose(raw(a), raw(b), rtol=1e-9, atol=1e-9)


@every_model
def test_sparse_rows_are_rows(model, y):
    x = np.where(np.abs(X) < 0.7, 0.0, X)
    a = clone(model).set_params(n_estimators=5, random_state=0).fit(x, y)
    b = clone(model).set_params(n_estimators=5, random_state=0).fit(sparse.csr_matrix(x), y)
    np.testing.assert_allclose(a._raw(x), b._raw(sparse.csc_matrix(x)), rtol=1e-9, atol=1e-12)


@every_model
def test_pickled_models_predict_the_same(model, y):
    fitted = clone(model).set_params(n_estimators=4).fit(X, y)
    np.testing.assert_array_equal(raw(pickle.loads(pickle.dumps(fitted))), raw(fitted))


def test_missing_values_go_to_the_better_side():
    x = X.copy()
    gone = Y == 1
    x[gone, 0] = np.nan
    model = BoostingClassifier(n_estimators=20).fit(x, Y)
    assert model.score(x, Y) == 1.0


class Backwards(ResidualLoss):
    """A derivative of the wrong sign."""

    smooth = convex = True

    def _value(self, r):
        return 0.5 * r * r

    def _derivative(self, r):
        return -r


class BackwardsBent(Backwards):
    """The same with Newton steps."""

    def _curvature(self, r):
        return np.ones_like(r)


@pytest.mark.parametrize("loss", [Backwards(), BackwardsBent()])
@pytest.mark.parametrize("estimator", [None, DecisionStump(), DecisionTreeRegressor(max_depth=2)])
def test_a_derivative_of_the_wrong_sign_is_told_of(loss, estimator):
    with pytest.warns(ConvergenceWarning, match="the model is a constant: check that the loss's"):
        model = BoostingRegressor(loss, estimator, n_estimators=9).fit(X, Z)
    assert (model.n_estimators_, model.stop_) == (0, Stop.TOO_WEAK)
    assert not list(model.staged_predict(X))
    np.testing.assert_array_equal(model.predict(X), np.full(len(X), model.constants_[0]))


def test_leaves_that_want_no_step_end_the_rounds():
    """Both medians are 0 from the start: the rows that pull are too few on either side."""
    x, z = np.arange(10.0)[:, None], np.where(np.arange(10) % 5 == 4, 1.0, 0.0)
    with pytest.warns(ConvergenceWarning, match="lowers the training loss"):
        model = BoostingRegressor("absolute_error").fit(x[:8], z[:8])
    assert model.stop_ is Stop.TOO_WEAK


def test_any_regressor_and_its_importances():
    model = BoostingRegressor(estimator=Ridge(), n_estimators=5).fit(X, Z)
    assert model.train_loss_[-1] < model.train_loss_[0]
    with pytest.raises(AttributeError, match="Ridge has no feature_importances_"):
        model.feature_importances_  # noqa: B018


def test_a_forest_is_a_regressor_and_not_a_tree_with_leaves():
    forest = RandomForestRegressor(3, max_depth=2)
    model = BoostingRegressor(estimator=forest, n_estimators=5, random_state=0).fit(X, Z)
    assert model.train_loss_[-1] < model.train_loss_[0]
    assert (model.coefficients_ != model.learning_rate).any()  # by line search


@pytest.mark.parametrize("stump", [DecisionStump, RegressionStump])
def test_categories_may_be_given_to_the_stump(stump):
    colours = np.array(["red", "green", "blue", "red", "green", "blue"], dtype=object)[:, None]
    y = (colours[:, 0] == "green").astype(int)
    options = {"n_estimators": 1, "learning_rate": 1.0}
    model = BoostingClassifier(estimator=stump(categorical_features=[0]), **options).fit(colours, y)
    assert model.score(colours, y) == 1.0
    member = model.estimators_[0, 0]
    np.testing.assert_array_equal(member.predict(colours) > 0, y == 1)


BAD = {
    "n_estimators": ({"n_estimators": 0}, "'n_estimators' parameter of BoostingRegressor must be"),
    "rate": ({"learning_rate": 0.0}, "'learning_rate' parameter of BoostingRegressor must be"),
    "step": ({"step": "newton"}, "must be one of 'auto', 'leaves', 'line_search'"),
    "step size": ({"step": -1.0}, "'step' parameter of BoostingRegressor must be a number greater"),
    "init": ({"init": "mean"}, "must be one of 'constant', 'zero'"),
    "patience": ({"n_iter_no_change": 0}, "'n_iter_no_change' parameter"),
    "time": ({"time_limit": -1}, "'time_limit' parameter"),
    "loss": ({"loss": "mse"}, "must be one of 'squared_error', 'absolute_error'"),
    "zero_one": ({"loss": "zero_one"}, "must have a derivative to descend along"),
    "labels": ({"loss": "hinge"}, "hinge is one of labels -1 and [+]1"),
    "a class": ({"estimator": Ridge}, "must be None, a classifier or a regressor"),
    "no weights": ({"estimator": KNeighborsRegressor()}, "must take sample_weight in fit"),
    "no leaves": ({"estimator": Ridge(), "step": "leaves"}, "needs a regression stump or a"),
    "signs": ({"estimator": DecisionStump(), "step": "leaves"}, "needs a regression stump or a"),
    "categories": (
        {"estimator": Ridge(), "categorical_features": [0]},
        "categorical_features of BoostingRegressor are for stumps",
    ),
    "a stump's criterion": (
        {"estimator": DecisionStump("entropy")},
        "'criterion' parameter of DecisionStump must be one of 'error', 'gini'",
    ),
    "a stump's subsets": (
        {"estimator": RegressionStump(categorical_split="all")},
        "'categorical_split' parameter of RegressionStump must be one of",
    ),
    "categories twice": (
        {"estimator": DecisionStump(categorical_features=[0]), "categorical_features": [1]},
        "give them to one of the two",
    ),
    "fraction": (
        {"n_iter_no_change": 3, "validation_fraction": 1e-9},
        "leaves no rows to validate on",
    ),
    "all rows": ({"validation_fraction": 1.0}, "must be below 1, so that rows are left"),
}


@pytest.mark.parametrize(("options", "sentence"), BAD.values(), ids=BAD)
def test_bad_parameters_are_refused_in_a_sentence(options, sentence):
    model = BoostingRegressor(**options)
    with pytest.raises((ValueError, TypeError), match=sentence):
        model.fit(X, Z)
    assert not hasattr(model, "n_features_in_")


@every_model
def test_bad_data_are_refused_in_a_sentence(model, y):
    fit = clone(model).set_params(n_estimators=3).fit
    with pytest.raises(ValueError, match="Negative values in data passed to `sample_weight`"):
        fit(X, y, sample_weight=-np.ones(len(y)))
    with pytest.raises(ValueError, match="All sample weights are zero"):
        fit(X, y, sample_weight=np.zeros(len(y)))
    if model.estimator is None:
        with pytest.raises(ValueError, match="no feature varies with the target"):
            fit(np.ones((len(y), 2)), y)


def test_missing_values_where_the_learner_takes_none():
    x = X.copy()
    x[0, 0] = np.nan
    with pytest.raises(ValueError, match="Input X contains NaN, which Ridge does not take"):
        BoostingRegressor(estimator=Ridge()).fit(x, Z)


def test_a_loss_that_overflows_is_refused():
    with pytest.raises(ValueError, match="use a smaller step or learning_rate"):
        BoostingRegressor("poisson", step=1e6).fit(X, np.abs(Z))


@pytest.mark.parametrize("size", [1e308, 1e-310])
@every_model
def test_the_size_of_the_weights_does_not_matter(model, y, size):
    weight = np.where(X[:, 0] > 0, 1.0, 0.5)
    model = clone(model).set_params(n_estimators=5, random_state=0)
    expected = model.fit(X, y, sample_weight=weight).predict(X)
    scaled = clone(model).fit(X, y, sample_weight=weight * size).predict(X)
    np.testing.assert_allclose(scaled, expected, rtol=1e-9, atol=1e-12)


def test_a_class_of_one_row_is_left_to_learn_from():
    y = np.r_[Y[:40], 2]
    options = {"n_iter_no_change": 2, "validation_fraction": 0.6, "random_state": 0}
    model = BoostingClassifier(n_estimators=3, **options).fit(X[:41], y)
    assert (model.constants_ > -10).all()  # log-odds of a class without rows would be -32


@pytest.mark.parametrize("first", [None, DecisionTreeRegressor(max_depth=1)], ids=["stump", "tree"])
def test_a_warm_start_with_another_kind_of_estimator_is_refused(first):
    model = BoostingRegressor(estimator=first, n_estimators=2, warm_start=True).fit(X, Z)
    before = model.predict(X)
    other = DecisionTreeRegressor(max_depth=1) if first is None else None
    model.set_params(estimator=other, n_estimators=4)
    with pytest.raises(ValueError, match="goes on with the kind of estimator of the fit before"):
        model.fit(X, Z)
    np.testing.assert_array_equal(model.set_params(estimator=first).predict(X), before)
