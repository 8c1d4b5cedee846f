"""AdaBoost: what ends it, what it takes, what it gives, and that none of it is half fitted."""

import pickle
import signal
import threading

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits, make_classification
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from maxmargin.boosting import (
    AdaBoostClassifier,
    DecisionStump,
    History,
    MarginDistribution,
    Stop,
)
from maxmargin.datasets import load_mixture

X, Y = load_mixture(return_X_y=True)
X3, Y3 = make_classification(240, 6, n_informative=4, n_redundant=0, n_classes=3, random_state=0)
NAMES = np.array(["ant", "bee", "cat"])
TREE = DecisionTreeClassifier(max_depth=2)
KINDS = {
    "error": AdaBoostClassifier(n_estimators=12),
    "gini": AdaBoostClassifier(DecisionStump("gini"), n_estimators=12),
    "tree": AdaBoostClassifier(TREE, n_estimators=6, random_state=0),
    "drawn": AdaBoostClassifier(n_estimators=8, resample=True, random_state=0),
    "neighbours": AdaBoostClassifier(
        KNeighborsClassifier(7), n_estimators=4, resample=True, random_state=0
    ),
    "slow": AdaBoostClassifier(n_estimators=12, learning_rate=0.2),
}
DATA = {"two": (X, Y), "three": (X3, NAMES[Y3])}
every_kind = pytest.mark.parametrize("kind", KINDS)
both = pytest.mark.parametrize("data", DATA)


def fitted(kind="error", data="two", **changes):
    return clone(KINDS[kind]).set_params(**changes).fit(*DATA[data])


def state(model):
    """All that a fit sets, as comparable bytes."""
    kept = {k: v for k, v in vars(model).items() if k not in ("callback", "history_")}
    return {name: pickle.dumps(value) for name, value in kept.items()}


# What a fitted model is


@both
@every_kind
def test_the_fitted_attributes_fit_together(kind, data):
    model = fitted(kind, data)
    rows, labels = DATA[data]
    n = len(model.estimators_)
    assert model.stop_ is Stop.ROUNDS
    assert n == model.n_estimators == len(model.history_) == len(model.bounds_)
    assert model.estimator_weights_.shape == model.estimator_errors_.shape == (n,)
    np.testing.assert_array_equal(model.alphas_, model.estimator_weights_ / 2)
    np.testing.assert_array_equal(model.classes_, np.unique(labels))
    assert model.n_classes_ == len(model.classes_)
    assert model.n_features_in_ == rows.shape[1]
    np.testing.assert_array_equal(model.history_.column("alpha"), model.alphas_)
    np.testing.assert_array_equal(model.history_.column("error"), model.estimator_errors_)
    assert model.weights_.shape == labels.shape
    assert model.weights_.sum() == pytest.approx(1.0, rel=1e-12)
    assert model.bounds_.error[-1] == pytest.approx(1 - model.score(rows, labels), abs=1e-12)
    e, K = model.estimator_errors_, model.n_classes_
    expected = model.learning_rate * (np.log((1 - e) / e) + np.log(K - 1))
    np.testing.assert_allclose(model.estimator_weights_, expected, rtol=1e-13)


@both
@every_kind
def test_the_last_stage_is_the_model_to_the_last_bit(kind, data):
    model = fitted(kind, data)
    rows, labels = DATA[data]
    *_, values = model.staged_decision_function(rows)
    *_, said = model.staged_predict(rows)
    *_, shares = model.staged_predict_proba(rows)
    scores = list(model.staged_score(rows, labels))
    np.testing.assert_array_equal(values, model.decision_function(rows))
    np.testing.assert_array_equal(said, model.predict(rows))
    np.testing.assert_array_equal(shares, model.predict_proba(rows))
    assert scores[-1] == model.score(rows, labels)
    assert len(scores) == len(model.estimators_)
    np.testing.assert_allclose(1 - np.array(scores), model.bounds_.error, atol=1e-12)


@both
@every_kind
def test_every_stage_is_the_model_of_so_many_rounds(kind, data):
    rows, _ = DATA[data]
    model, short = fitted(kind, data), fitted(kind, data, n_estimators=3)
    stages = list(model.staged_decision_function(rows))
    np.testing.assert_array_equal(stages[2], short.decision_function(rows))


@both
@every_kind
def test_members_vote_as_classifiers_of_their_own(kind, data):
    model = fitted(kind, data)
    rows, _ = DATA[data]
    votes = np.zeros((len(rows), model.n_classes_))
    for member, weight in zip(model.estimators_, model.estimator_weights_, strict=True):
        votes[np.arange(len(rows)), np.searchsorted(model.classes_, member.predict(rows))] += weight
    share = votes / model.estimator_weights_.sum()
    values = model.decision_function(rows)
    if data == "two":
        np.testing.assert_allclose(values, 2 * (share[:, 1] - share[:, 0]), atol=1e-12)
    else:
        np.testing.assert_allclose(values, (3 * share - 1) / 2, atol=1e-12)
    np.testing.assert_allclose(model.predict_proba(rows).sum(axis=1), 1.0)
    np.testing.assert_allclose(model.predict_log_proba(rows), np.log(model.predict_proba(rows)))


@pytest.mark.parametrize("kind", ["error", "gini", "tree"])
def test_feature_importances_are_shares(kind):
    model = fitted(kind, "three")
    importances = model.feature_importances_
    assert importances.shape == (6,)
    assert importances.sum() == pytest.approx(1.0)
    if kind != "tree":
        features = [member.split_.feature for member in model.estimators_]
        alphas = np.bincount(features, model.alphas_, minlength=6)
        np.testing.assert_allclose(importances, alphas / alphas.sum())


def test_feature_importances_need_members_that_have_them():
    with pytest.raises(AttributeError, match="KNeighborsClassifier has no feature_importances_"):
        _ = fitted("neighbours").feature_importances_
    with pytest.raises(NotFittedError):
        _ = AdaBoostClassifier().feature_importances_


def test_nothing_is_known_before_a_fit():
    model = AdaBoostClassifier()
    for ask in (model.predict, model.decision_function, model.predict_proba):
        with pytest.raises(NotFittedError):
            ask(X)
    with pytest.raises(NotFittedError):
        next(model.staged_predict(X))
    with pytest.raises(NotFittedError):
        model.hardest(3)
    with pytest.raises(NotFittedError):
        model.margins(X, Y)


@every_kind
def test_equal_from_run_to_run_for_any_number_of_threads_and_after_pickling(kind):
    one, other = fitted(kind, n_jobs=1), fitted(kind, n_jobs=3)
    np.testing.assert_array_equal(one.weights_, other.weights_)
    np.testing.assert_array_equal(one.estimator_weights_, other.estimator_weights_)
    again = pickle.loads(pickle.dumps(one))
    np.testing.assert_array_equal(again.decision_function(X), other.decision_function(X))


# Margins and the hardest rows


@both
def test_margins_after_any_round(data):
    model = fitted("error", data)
    rows, labels = DATA[data]
    for rounds, said in enumerate(model.staged_predict(rows), 1):
        margins = model.margins(rows, labels, rounds=rounds)
        assert (np.abs(margins) <= 1).all()
        assert (margins[said == labels] >= -1e-12).all()
        assert (margins[said != labels] <= 1e-12).all()
    np.testing.assert_array_equal(margins, model.margins(rows, labels))
    share = MarginDistribution.of(margins)(-1e-9)
    assert share <= model.bounds_.error[-1] + 1e-12


def test_margins_refuse_rounds_and_labels_that_are_not_the_models():
    model = fitted()
    for rounds in (0, 13, 1.5):
        with pytest.raises(ValueError, match="rounds"):
            model.margins(X, Y, rounds=rounds)
    with pytest.raises(ValueError, match="label for each"):
        model.margins(X, Y + 5)
    with pytest.raises(ValueError, match="label for each"):
        model.margins(X, Y[:-1])


def test_hardest_counts_in_the_rows_given_to_fit():
    weight = np.ones(len(Y))
    weight[:50] = 0.0
    model = AdaBoostClassifier(n_estimators=20).fit(X, Y, weight)
    alone = AdaBoostClassifier(n_estimators=20).fit(X[50:], Y[50:])
    np.testing.assert_array_equal(model.weights_[50:], alone.weights_)
    np.testing.assert_array_equal(model.hardest(7).rows, alone.hardest(7).rows + 50)
    np.testing.assert_array_equal(model.hardest(7).weights, model.weights_[model.hardest(7).rows])
    assert (model.weights_[:50] == 0).all()
    assert len(model.hardest(10_000).rows) == len(Y) - 50
    with pytest.raises(ValueError, match="'k'"):
        model.hardest(0)


# What ends it


def test_a_first_learner_without_error_is_enough():
    model = AdaBoostClassifier().fit([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"])
    assert model.stop_ is Stop.PERFECT
    assert len(model.estimators_) == 1
    assert model.estimator_errors_.tolist() == [0.0]
    assert model.estimator_weights_.tolist() == [1.0]
    assert model.alphas_.tolist() == [0.5]
    assert model.bounds_["product"].tolist() == model.bounds_.error.tolist() == [0.0]
    assert model.history_[0].bound == 0.0
    np.testing.assert_allclose(model.weights_, 0.25)
    assert model.predict([[9.0]]).tolist() == ["b"]


def test_a_later_learner_without_error_ends_the_rounds_within_the_bound():
    class OnceWrong(ClassifierMixin, BaseEstimator):
        """Errs on the first rows in its first round and never again."""

        rounds = 0

        def fit(self, X, y, sample_weight=None):
            self.classes_, self.y_ = np.unique(y), np.asarray(y).copy()
            OnceWrong.rounds += 1
            if OnceWrong.rounds == 1:
                self.y_[:10] = 1 - self.y_[:10]
            return self

        def predict(self, X):
            return self.y_

    model = AdaBoostClassifier(OnceWrong()).fit(X, Y)
    assert model.stop_ is Stop.PERFECT
    assert len(model.estimators_) == 2
    assert (model.bounds_.error <= model.bounds_["product"]).all()
    assert np.isfinite(model.alphas_).all()


def test_no_better_than_chance_at_first_is_an_error():
    with pytest.raises(ValueError, match="worse than random"):
        AdaBoostClassifier().fit(np.zeros((6, 2)), [0, 1, 0, 1, 0, 1])
    with pytest.raises(ValueError, match="worse than random guessing among 3 classes"):
        AdaBoostClassifier().fit(np.ones((6, 1)), [0, 1, 2, 0, 1, 2])


def test_constant_features_leave_the_larger_class():
    model = AdaBoostClassifier().fit(np.zeros((5, 2)), [0, 1, 1, 1, 0])
    assert model.stop_ is Stop.TOO_WEAK
    assert len(model.estimators_) == 1
    assert model.predict(np.zeros((1, 2))).tolist() == [1]
    assert model.feature_importances_.tolist() == [0.0, 0.0]


def test_thousands_of_rounds_stay_finite():
    rng = np.random.default_rng(0)
    few = rng.normal(size=(40, 2))
    labels = (few[:, 0] > 0).astype(int)
    labels[:3] = 1 - labels[:3]
    model = AdaBoostClassifier(n_estimators=5000).fit(few, labels)
    assert np.isfinite(model.weights_).all()
    assert (model.weights_ > 0).all()
    assert model.weights_.sum() == pytest.approx(1.0, rel=1e-12)
    assert np.isfinite(model.estimator_weights_).all()
    assert np.isfinite(model.decision_function(few)).all()
    assert (model.bounds_.error <= model.bounds_["product"] + 1e-12).all()


def test_a_wild_learning_rate_stays_finite():
    model = AdaBoostClassifier(n_estimators=200, learning_rate=1e4).fit(X, Y)
    assert np.isfinite(model.weights_).all()
    assert np.isfinite(model.decision_function(X)).all()
    assert not np.isnan(model.bounds_["product"]).any()


def interrupt_at(number):
    def callback(made):
        if made.round == number:
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    return callback


@pytest.mark.parametrize("kind", ["error", "tree"])
def test_ctrl_c_raises_and_leaves_the_model_as_it_was(kind):
    model = fitted(kind, n_estimators=3)
    before = model.decision_function(X)
    with pytest.raises(KeyboardInterrupt):
        model.set_params(n_estimators=500, callback=interrupt_at(4)).fit(X, Y)
    np.testing.assert_array_equal(model.decision_function(X), before)


@pytest.mark.parametrize("kind", ["error", "tree"])
def test_ctrl_c_can_keep_the_rounds_so_far(kind):
    with pytest.warns(ConvergenceWarning, match="INTERRUPTED"):
        model = fitted(kind, n_estimators=500, callback=interrupt_at(4), on_interrupt="keep")
    assert model.stop_ is Stop.INTERRUPTED
    short = fitted(kind, n_estimators=4)
    np.testing.assert_array_equal(model.decision_function(X), short.decision_function(X))
    np.testing.assert_array_equal(model.weights_, short.weights_)


def test_a_time_limit_keeps_the_rounds_so_far():
    model = fitted(n_estimators=10**6, time_limit=0.0)
    assert model.stop_ is Stop.TIME_LIMIT
    assert len(model.estimators_) == 1
    assert fitted(time_limit=1e9).stop_ is Stop.ROUNDS


def test_callback_and_verbose_see_every_round(capsys):
    history = History()
    model = fitted(callback=history, verbose=1)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(history) == 12
    assert "bound" in lines[0]
    assert history.rounds == model.history_.rounds
    np.testing.assert_array_equal(history.column("train_error"), model.bounds_.error)
    np.testing.assert_allclose(history.column("bound"), model.bounds_["product"], rtol=1e-12)
    assert np.isnan(history.column("validation_error")).all()


# Early stopping and warm starts


@pytest.mark.parametrize("kind", ["error", "tree", "drawn"])
@both
def test_early_stopping_returns_to_the_lowest_validation_error(kind, data):
    rows, labels = DATA[data]
    history = History()
    changes = {"n_estimators": 400, "n_iter_no_change": 5, "validation_fraction": 0.3}
    model = fitted(kind, data, **changes, random_state=1, callback=history)
    assert model.stop_ is Stop.EARLY
    errors = history.column("validation_error")
    assert len(model.estimators_) == errors.argmin() + 1 < len(errors)
    assert len(model.history_) == len(model.bounds_) == len(model.estimators_)
    aside = model.weights_ == 0
    assert aside.sum() == round(0.3 * len(labels))
    assert 1 - model.score(rows[aside], labels[aside]) == pytest.approx(errors.min(), abs=1e-12)
    counts = (
        np.unique(labels[aside], return_counts=True)[1] / np.unique(labels, return_counts=True)[1]
    )
    np.testing.assert_allclose(counts, 0.3, atol=0.03)
    assert not np.isin(model.hardest(len(labels)).rows, np.flatnonzero(aside)).any()
    alone = clone(model).set_params(n_iter_no_change=None, n_estimators=len(model.estimators_))
    if kind == "error":
        alone.fit(rows[~aside], labels[~aside])
        np.testing.assert_array_equal(model.weights_[~aside], alone.weights_)
        np.testing.assert_array_equal(model.decision_function(rows), alone.decision_function(rows))


def test_early_stopping_weighs_the_validation_rows():
    weight = np.random.default_rng(0).uniform(0.1, 3.0, size=len(Y))
    model = AdaBoostClassifier(n_estimators=5, n_iter_no_change=50, random_state=0).fit(
        X, Y, weight
    )
    aside = model.weights_ == 0
    wrong = model.predict(X[aside]) != Y[aside]
    expected = weight[aside][wrong].sum() / weight[aside].sum()
    assert model.history_[-1].validation_error == pytest.approx(expected, rel=1e-12)


@both
@every_kind
@pytest.mark.parametrize("watched", [False, True])
def test_a_warm_start_is_one_long_fit_to_the_last_bit(kind, data, watched):
    changes = {"n_iter_no_change": 3, "validation_fraction": 0.25} if watched else {}
    whole = fitted(kind, data, n_estimators=9, random_state=5, **changes)
    parts = fitted(kind, data, n_estimators=2, random_state=5, warm_start=True, **changes)
    for n_estimators in (5, 5, 9):
        parts.set_params(n_estimators=n_estimators).fit(*DATA[data])
    rows, _ = DATA[data]
    assert parts.stop_ is whole.stop_
    np.testing.assert_array_equal(parts.weights_, whole.weights_)
    np.testing.assert_array_equal(parts.estimator_weights_, whole.estimator_weights_)
    np.testing.assert_array_equal(parts.bounds_.tolist(), whole.bounds_.tolist())
    np.testing.assert_array_equal(parts.decision_function(rows), whole.decision_function(rows))


@pytest.mark.parametrize("classes", [2, 3])
def test_a_member_without_error_is_not_outvoted(classes):
    """Drawn rows may hide the perfect question at first; once it is asked it decides."""
    late = 0
    for seed in range(60):
        rows = np.random.default_rng(seed).normal(size=(12, 2))
        labels = np.digitize(rows[:, 0], [0.0, 1.0][: classes - 1])
        if len(set(labels)) < classes:
            continue
        tree = DecisionTreeClassifier(max_depth=2)
        model = AdaBoostClassifier(tree, resample=True, random_state=seed).fit(rows, labels)
        if model.stop_ is Stop.PERFECT:
            assert model.score(rows, labels) == 1.0
            late += len(model.estimators_) > 1
            before = model.estimator_weights_[:-1].sum()
            assert model.estimator_weights_[-1] == pytest.approx(1.0 + before)
            assert (model.bounds_.error <= model.bounds_.product + 1e-12).all()
    assert late > 5


def test_a_warm_start_goes_on_after_an_interrupt():
    keep = {"warm_start": True, "on_interrupt": "keep"}
    with pytest.warns(ConvergenceWarning, match="INTERRUPTED"):
        model = fitted(n_estimators=10, callback=interrupt_at(3), **keep)
    assert len(model.estimators_) == 3
    model.set_params(callback=None).fit(X, Y)
    np.testing.assert_array_equal(model.weights_, fitted(n_estimators=10).weights_)


def test_a_warm_start_adds_nothing_to_what_is_finished():
    model = AdaBoostClassifier(warm_start=True).fit([[0.0], [1.0]], [0, 1])
    model.set_params(n_estimators=99).fit([[0.0], [1.0]], [0, 1])
    assert model.stop_ is Stop.PERFECT
    assert len(model.estimators_) == 1


def test_a_warm_start_refuses_fewer_rounds_other_classes_and_another_learner():
    model = fitted(warm_start=True)
    before = state(model)
    with pytest.raises(ValueError, match="n_estimators=3 must be at least the 12 rounds"):
        model.set_params(n_estimators=3).fit(X, Y)
    model.set_params(n_estimators=12)
    with pytest.raises(ValueError, match="same classes"):
        model.fit(X, Y + 1)
    with pytest.raises(ValueError, match="features"):
        model.fit(X[:, :1], Y)
    assert state(model) == before
    with pytest.raises(ValueError, match="kind of estimator"):
        model.set_params(estimator=TREE, n_estimators=20).fit(X, Y)
    trees = fitted(estimator=TREE, warm_start=True)
    with pytest.raises(ValueError, match="kind of estimator"):
        trees.set_params(estimator=None, n_estimators=20).fit(X, Y)


def test_without_warm_start_a_fit_begins_anew():
    model = fitted()
    first = model.weights_
    model.fit(X[::2], Y[::2])
    model.fit(X, Y)
    np.testing.assert_array_equal(model.weights_, first)


# What it takes


@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csc_array, np.asfortranarray])
@both
def test_any_form_of_the_same_numbers(form, data):
    rows, labels = DATA[data]
    rows = rows.round(1) * (np.abs(rows) > 0.5)
    dense = AdaBoostClassifier(n_estimators=10).fit(rows, labels)
    other = AdaBoostClassifier(n_estimators=10).fit(form(rows), labels)
    np.testing.assert_allclose(other.decision_function(form(rows)), dense.decision_function(rows))


FORMS = [sparse.csr_matrix, sparse.csc_array, np.float32, np.asfortranarray]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", ["error", "gini"])
@both
def test_the_last_stage_is_the_model_in_any_form(form, kind, data):
    rows, labels = DATA[data]
    rows = form(np.where(np.abs(rows) > 0.5, rows.round(1), 0.0))
    model = clone(KINDS[kind]).fit(rows, labels)
    *_, values = model.staged_decision_function(rows)
    np.testing.assert_array_equal(values, model.decision_function(rows))
    assert model.bounds_.error[-1] == pytest.approx(1 - model.score(rows, labels), abs=1e-12)


def test_weights_near_the_end_of_doubles():
    weight = np.where(Y == 1, 2.0, 1.0)
    one = AdaBoostClassifier(n_estimators=10).fit(X, Y, weight)
    other = AdaBoostClassifier(n_estimators=10).fit(X, Y, 5e307 * weight)
    np.testing.assert_allclose(one.weights_, other.weights_, rtol=1e-9)


def test_float32_is_learnt_as_it_is():
    model = AdaBoostClassifier(n_estimators=30).fit(X.astype(np.float32), Y)
    np.testing.assert_allclose(
        model.bounds_.error[-1], 1 - model.score(X.astype(np.float32), Y), atol=1e-12
    )


def test_missing_values_are_the_stumps_business():
    holes = X.copy()
    holes[np.random.default_rng(0).uniform(size=X.shape) < 0.2] = np.nan
    model = AdaBoostClassifier(n_estimators=20).fit(holes, Y)
    assert model.bounds_.error[-1] == pytest.approx(1 - model.score(holes, Y), abs=1e-12)
    assert model.score(holes, Y) > 0.7
    with pytest.raises(ValueError, match="NaN"):
        AdaBoostClassifier(LogisticRegression()).fit(holes, Y)
    tree = AdaBoostClassifier(TREE, n_estimators=3).fit(holes, Y)  # which takes them
    assert tree.score(holes, Y) > 0.7


def test_tables_with_categories():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "colour": rng.choice(["blue", "green", "red"], size=150),
            "size": rng.normal(size=150),
        }
    )
    labels = np.where((table["colour"] == "green") ^ (table["size"] > 0.5), "in", "out")
    model = AdaBoostClassifier(n_estimators=30, categorical_features=["colour"]).fit(table, labels)
    given = DecisionStump(categorical_features=["colour"])
    same = AdaBoostClassifier(given, n_estimators=30).fit(table, labels)
    np.testing.assert_array_equal(model.weights_, same.weights_)
    assert model.feature_names_in_.tolist() == ["colour", "size"]
    assert model.bounds_.error[-1] == pytest.approx(1 - same.score(table, labels), abs=1e-12)
    assert same.categorical_features == "from_dtype"
    typed = table.astype({"colour": "category"})
    found = AdaBoostClassifier(n_estimators=30, categorical_features="from_dtype")
    np.testing.assert_array_equal(found.fit(typed, labels).weights_, model.weights_)
    with pytest.raises(ValueError, match="for the default stump"):
        AdaBoostClassifier(DecisionStump(), categorical_features=[0]).fit(table, labels)


def test_any_classifier_with_weights_or_by_drawing():
    for learner in (GaussianNB(), LogisticRegression(), TREE):
        model = AdaBoostClassifier(learner, n_estimators=5, random_state=0).fit(X, Y)
        assert model.score(X, Y) > 0.7
    drawn = fitted("neighbours")
    assert drawn.score(X, Y) > 0.7
    other = fitted("neighbours", random_state=1)
    assert (drawn.estimator_errors_ != other.estimator_errors_).any()


def test_labels_of_any_kind_and_a_grid_search():
    model = AdaBoostClassifier(n_estimators=10).fit(X3, NAMES[Y3].tolist())
    assert set(model.predict(X3)) <= set(NAMES)
    bools = AdaBoostClassifier(n_estimators=10).fit(X, Y[0] == Y)
    assert bools.predict(X).dtype == bool
    grid = {"n_estimators": [2, 5], "estimator__criterion": ["error", "gini"]}
    search = GridSearchCV(AdaBoostClassifier(DecisionStump()), grid, cv=2).fit(X, Y)
    assert search.best_score_ > 0.7


# Metadata


class Noting(ClassifierMixin, BaseEstimator):
    """A stump that takes a tag for each row and a setting, and notes both."""

    def fit(self, X, y, sample_weight=None, tag=None, setting=None):
        self.stump_ = DecisionStump().fit(X, y, sample_weight)
        self.classes_, self.tag_, self.setting_ = self.stump_.classes_, tag, setting
        self.weight_ = sample_weight
        return self

    def predict(self, X):
        return self.stump_.predict(X)


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def test_metadata_reach_the_members(routing):
    tag, weight = np.arange(len(Y)), np.ones(len(Y))
    weight[:5] = 0
    learner = Noting().set_fit_request(tag=True, setting=True)
    model = AdaBoostClassifier(learner, n_estimators=3)
    model.fit(X, Y, sample_weight=weight, tag=tag, setting="quick")
    for member in model.estimators_:
        np.testing.assert_array_equal(member.tag_, tag[5:])
        assert member.setting_ == "quick"
        assert member.weight_.sum() == pytest.approx(1.0)
    plain = AdaBoostClassifier(Noting(), n_estimators=3).fit(X, Y, sample_weight=weight)
    np.testing.assert_array_equal(model.weights_, plain.weights_)


def test_metadata_follow_rows_that_are_drawn_or_set_aside(routing):
    learner = Noting().set_fit_request(tag=True, setting=True)
    drawn = AdaBoostClassifier(learner, n_estimators=2, resample=True, random_state=0)
    drawn.fit(X, Y, tag=X[:, 0])
    tags = drawn.estimators_[0].tag_
    assert len(tags) == len(Y) > len(np.unique(tags))
    parted = AdaBoostClassifier(learner, n_estimators=2, n_iter_no_change=5, random_state=0)
    parted.fit(X, Y, tag=X[:, 0])
    np.testing.assert_array_equal(parted.estimators_[0].tag_, X[parted.weights_ > 0, 0])


def test_metadata_nobody_asked_for_are_refused(routing):
    with pytest.raises(TypeError, match="tag"):
        AdaBoostClassifier().fit(X, Y, tag=np.arange(len(Y)))
    with pytest.raises(ValueError, match="tag"):  # asked for by neither yes nor no
        AdaBoostClassifier(Noting()).fit(X, Y, tag=np.arange(len(Y)))


def test_weights_are_routed_through_a_pipeline_and_into_one(routing):
    weight = np.random.default_rng(0).uniform(0.5, 2, size=len(Y))
    model = AdaBoostClassifier(n_estimators=5).set_fit_request(sample_weight=True)
    scaler = StandardScaler().set_fit_request(sample_weight=False)
    outer = make_pipeline(scaler, model).fit(X, Y, sample_weight=weight)
    alone = AdaBoostClassifier(n_estimators=5).fit(StandardScaler().fit_transform(X), Y, weight)
    np.testing.assert_array_equal(outer[-1].weights_, alone.weights_)
    inner = make_pipeline(scaler, DecisionStump().set_fit_request(sample_weight=True))
    within = AdaBoostClassifier(inner, n_estimators=5).fit(X, Y, weight)
    np.testing.assert_allclose(within.estimator_errors_, alone.estimator_errors_, rtol=1e-9)


def test_without_routing_other_parameters_are_refused():
    with pytest.raises(ValueError, match=r"\['tag'\] only with metadata routing"):
        AdaBoostClassifier(Noting()).fit(X, Y, tag=np.arange(len(Y)))
    with pytest.raises(ValueError, match="Pipeline doesn't support sample_weight"):
        AdaBoostClassifier(make_pipeline(StandardScaler(), DecisionStump())).fit(X, Y)


# Bad input: one sentence, and nothing half fitted

BAD = {
    "n_estimators=0": ({"n_estimators": 0}, {}, "n_estimators"),
    "n_estimators=2.5": ({"n_estimators": 2.5}, {}, "n_estimators"),
    "learning_rate=0": ({"learning_rate": 0.0}, {}, "learning_rate"),
    "tol<0": ({"tol": -1.0}, {}, "tol"),
    "resample": ({"resample": "yes"}, {}, "resample"),
    "validation_fraction=1": ({"validation_fraction": 1.0}, {}, "validation_fraction"),
    "validation_fraction=0": ({"validation_fraction": 0.0}, {}, "validation_fraction"),
    "n_iter_no_change=0": ({"n_iter_no_change": 0}, {}, "n_iter_no_change"),
    "time_limit<0": ({"time_limit": -1.0}, {}, "time_limit"),
    "estimator is text": ({"estimator": "stump"}, {}, "must be a classifier"),
    "estimator is a class": ({"estimator": DecisionStump}, {}, "must be a classifier"),
    "regressor": ({"estimator": DecisionTreeRegressor()}, {}, "must be a classifier"),
    "no weights": (
        {"estimator": KNeighborsClassifier()},
        {},
        "KNeighborsClassifier doesn't support sample_weight; resample=True",
    ),
    "clusters": ({"estimator": KMeans(2, n_init=1)}, {}, "must be a classifier"),
    "criterion": ({"estimator": DecisionStump("entropy")}, {}, "criterion"),
    "negative weight": ({}, {"sample_weight": -np.ones(len(Y))}, "Negative values"),
    "zero weights": ({}, {"sample_weight": np.zeros(len(Y))}, "zero"),
    "NaN weight": ({}, {"sample_weight": np.full(len(Y), np.nan)}, "NaN"),
    "too few weights": ({}, {"sample_weight": np.ones(3)}, "sample_weight"),
    "one class": ({}, {"y": np.zeros(len(Y))}, "classes has to be greater than one"),
    "one class with weight": ({}, {"sample_weight": (Y == 0) * 1.0}, "all belong to one class"),
    "continuous labels": ({}, {"y": X[:, 0]}, "Unknown label type"),
    "no labels": ({}, {"y": None}, "y"),
    "too few labels": ({}, {"y": Y[:-1]}, "inconsistent"),
    "one dimension": ({}, {"X": X[:, 0]}, "1D array"),
    "texts": ({}, {"X": np.full((len(Y), 2), "red")}, "."),
    "infinite": ({}, {"X": np.full((len(Y), 2), np.inf)}, "infinity"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_sentence_and_leaves_the_model_as_it_was(case):
    params, given, words = BAD[case]
    model = fitted()
    data = {"X": X, "y": Y} | given
    model.set_params(**params)
    before = state(model)
    with pytest.raises((ValueError, TypeError), match=words):
        model.fit(**data)
    assert state(model) == before
    fresh = AdaBoostClassifier(**params)
    with pytest.raises((ValueError, TypeError), match=words):
        fresh.fit(**data)
    assert not [name for name in vars(fresh) if name.endswith("_") or name.startswith("_")]


def test_more_classes_than_rows_with_weight():
    weight = np.zeros(6)
    weight[:3] = 1
    with pytest.raises(ValueError, match=r"more classes \(6\) than rows .* \(3\)"):
        AdaBoostClassifier().fit(np.arange(6.0)[:, None], np.arange(6), weight)


def test_a_validation_part_needs_every_class():
    labels = np.array([0] * 30 + [1])
    with pytest.raises(ValueError, match="every class in both parts"):
        AdaBoostClassifier(n_iter_no_change=2).fit(np.arange(31.0)[:, None], labels)


def test_a_callback_that_fails_leaves_nothing_behind():
    def fail(made):
        if made.round == 3:
            raise RuntimeError("from the callback")

    model = AdaBoostClassifier(callback=fail)
    with pytest.raises(RuntimeError, match="from the callback"):
        model.fit(X, Y)
    assert not hasattr(model, "classes_")


def test_an_error_of_a_later_member_leaves_nothing_behind():
    class Fragile(DecisionTreeClassifier):
        fits = 0

        def fit(self, X, y, sample_weight=None):
            Fragile.fits += 1
            if Fragile.fits == 3:
                raise RuntimeError("tired")
            return super().fit(X, y, sample_weight)

    model = AdaBoostClassifier(Fragile(max_depth=1))
    with pytest.raises(RuntimeError, match="tired"):
        model.fit(X, Y)
    assert not hasattr(model, "classes_")


def test_ten_digits_by_stumps():
    rows, labels = load_digits(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=60, learning_rate=0.5).fit(rows, labels)
    assert model.score(rows, labels) > 0.6
    assert model.decision_function(rows).shape == (len(labels), 10)
