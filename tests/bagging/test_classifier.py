"""Bagging against the obvious loop, and its out-of-bag error against brute force."""

import signal
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from maxmargin.boosting import BaggingClassifier, DecisionStump, Stop

LEARNERS = [
    None,
    DecisionStump("gini"),
    DecisionTreeClassifier(max_depth=3),
    KNeighborsClassifier(3),  # takes no weights
]


def data(n_classes=2):
    X, y = make_classification(
        200, 6, n_informative=4, n_classes=n_classes, flip_y=0.1, random_state=1
    )
    return X, np.array(["a", "b", "c"])[y]


def fitted(estimator=None, n_classes=2, **how):
    X, y = data(n_classes)
    how = {"n_estimators": 12, "random_state": 3, **how}
    return BaggingClassifier(estimator, **how).fit(X, y), X, y


def obvious_members(model, X, label):
    for bag, member in zip(model.estimators_samples_, model.estimators_, strict=True):
        each = DecisionStump() if model.estimator is None else clone(model.estimator)
        if "random_state" in each.get_params():
            each.set_params(random_state=member.random_state)
        yield each.fit(X[bag], label[bag])


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("estimator", LEARNERS)
def test_members_are_what_their_bags_alone_would_give(estimator, n_classes):
    model, X, y = fitted(estimator, n_classes)
    label = np.searchsorted(model.classes_, y)
    Z = np.random.default_rng(0).standard_normal((500, X.shape[1])) * 2
    members = list(obvious_members(model, X, label))
    if n_classes == 2 or not isinstance(estimator, DecisionTreeClassifier):  # trees may tie
        for own, obvious in zip(model.estimators_, members, strict=True):
            np.testing.assert_allclose(own.predict_proba(Z), obvious.predict_proba(Z), atol=1e-12)
    average = np.mean([own.predict_proba(Z) for own in model.estimators_], axis=0)
    np.testing.assert_allclose(model.predict_proba(Z), average, atol=1e-12)
    np.testing.assert_array_equal(model.predict(Z), model.classes_[average.argmax(axis=1)])


@pytest.mark.parametrize("estimator", LEARNERS)
@pytest.mark.parametrize("bootstrap", [True, False])
def test_out_of_bag_error_is_that_of_brute_force_after_every_member(estimator, bootstrap):
    how = {"oob_score": True, "bootstrap": bootstrap, "max_samples": 0.6, "n_estimators": 25}
    model, X, y = fitted(estimator, 3, **how)
    label = np.searchsorted(model.classes_, y)
    votes = np.zeros((len(y), 3))
    for k, (bag, member) in enumerate(
        zip(model.estimators_samples_, model.estimators_, strict=True)
    ):
        said = member.predict_proba(X)
        for i in sorted(set(range(len(y))) - set(bag.tolist())):
            votes[i] += said[i]
        judged = votes.sum(axis=1) > 0
        wrong = votes[judged].argmax(axis=1) != label[judged]
        assert model.oob_errors_[k] == pytest.approx(wrong.mean())
    shares = votes / votes.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.oob_decision_function_, shares, atol=1e-12)
    assert model.oob_score_ == pytest.approx(np.mean(shares.argmax(axis=1) == label))


def test_bags_have_the_size_asked_for():
    for max_samples, size in ((1.0, 200), (0.25, 50), (30, 30)):
        model, _, _ = fitted(max_samples=max_samples)
        assert {len(bag) for bag in model.estimators_samples_} == {size}
    model, _, _ = fitted(bootstrap=False, max_samples=0.5)
    assert all(len(set(bag.tolist())) == 100 for bag in model.estimators_samples_)
    several = {tuple(sorted(bag.tolist())) for bag in model.estimators_samples_}
    assert len(several) == len(model.estimators_)


@pytest.mark.parametrize("estimator", LEARNERS)
def test_threads_change_no_bit(estimator):
    how = {"oob_score": True, "max_samples": 0.3}
    (one, X, _), (three, _, _) = (fitted(estimator, 3, n_jobs=n, **how) for n in (1, 3))
    np.testing.assert_array_equal(one.predict_proba(X), three.predict_proba(X))
    np.testing.assert_array_equal(one.oob_errors_, three.oob_errors_)


def test_order_storage_and_precision_of_the_rows_do_not_matter():
    X, y = data(3)
    X = np.where(np.abs(X) < 0.5, 0.0, X).astype(np.float32)
    shuffled = np.random.default_rng(0).permutation(len(y))
    model = BaggingClassifier(random_state=0)
    expected = clone(model).fit(X, y).predict_proba(X)
    inputs = (X[shuffled], y[shuffled]), (sparse.csr_matrix(X), y), (X.astype(np.float64), y)
    for rows, labels in inputs:
        found = clone(model).fit(rows, labels).predict_proba(X)
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_a_weight_of_two_is_a_repeated_row():
    X, y = data()
    weight = np.random.default_rng(0).integers(0, 4, len(y))
    weighted = BaggingClassifier(random_state=0).fit(X, y, sample_weight=weight)
    repeated = BaggingClassifier(random_state=0).fit(X.repeat(weight, 0), y.repeat(weight))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-12)
    assert not np.isin(np.flatnonzero(weight == 0), weighted.estimators_samples_).any()


@pytest.mark.parametrize("estimator", LEARNERS)
def test_warm_start_goes_on_where_it_stopped(estimator):
    how = {"oob_score": True, "max_samples": 0.2}
    whole, X, y = fitted(estimator, **how)
    parts, _, _ = fitted(estimator, n_estimators=7, warm_start=True, **how)
    first = parts.estimators_
    parts.set_params(n_estimators=12).fit(X, y)
    for before, now in zip(first, parts.estimators_[:7], strict=True):
        np.testing.assert_array_equal(before.predict_proba(X), now.predict_proba(X))
    np.testing.assert_array_equal(parts.predict_proba(X), whole.predict_proba(X))
    np.testing.assert_array_equal(parts.oob_errors_, whole.oob_errors_)
    with pytest.warns(UserWarning, match="none is added"):
        parts.fit(X, y)
    with pytest.raises(ValueError, match="at least the number of members"):
        parts.set_params(n_estimators=3).fit(X, y)
    with pytest.raises(ValueError, match="goes on with the data of the fit before"):
        parts.set_params(n_estimators=20).fit(X[:100], y[:100])
    with pytest.raises(ValueError, match="goes on with oob_score=True of the fit before"):
        parts.set_params(oob_score=False).fit(X, y)
    assert len(parts.estimators_) == 12


def test_categories_and_missing_values_reach_the_stumps():
    rng = np.random.default_rng(0)
    colour = rng.integers(0, 4, 300)
    number = rng.standard_normal(300)
    y = np.isin(colour, [1, 2]) ^ (rng.random(300) < 0.05)
    number[rng.random(300) < 0.2] = np.nan
    X = np.column_stack([number, colour])
    model = BaggingClassifier(
        DecisionStump(categorical_features=[1]), 9, max_samples=0.3, oob_score=True, random_state=0
    ).fit(X, y)
    assert {member.feature_ for member in model.estimators_} == {1}
    assert model.score(X, y) > 0.9
    assert model.oob_score_ > 0.9
    only = BaggingClassifier(random_state=0).fit(X[:, :1], y)
    assert np.isfinite(only.predict_proba([[np.nan], [0.0]])).all()


def test_a_category_outside_the_bag_goes_where_missing_values_go():
    X = np.array([[0.0], [0.0], [0.0], [1.0], [2.0]])
    y = np.array([0, 0, 0, 1, 1])
    stump = DecisionStump(categorical_features=[0])
    model = BaggingClassifier(stump, 30, random_state=0).fit(X, y)
    pairs = zip(model.estimators_samples_, model.estimators_, strict=True)
    splits = [m.split_ for bag, m in pairs if 4 not in bag and m.feature_ == 0]
    assert splits
    assert all(s.categories[2] == s.missing_right for s in splits if len(s.categories) > 2)


def test_a_time_limit_and_a_callback_keep_whole_members():
    seen = []
    model, X, _ = fitted(time_limit=0.0, callback=seen.append, oob_score=False)
    assert model.stop_ is Stop.TIME_LIMIT
    assert len(model.estimators_) == len(seen) == 1
    assert model.predict(X).shape == (len(X),)


@pytest.mark.parametrize("estimator", [None, KNeighborsClassifier(3)])
def test_ctrl_c_can_keep_the_members_so_far(estimator):
    def interrupt(made):
        if made.round == 3:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        fitted(estimator, callback=interrupt)
    with pytest.warns(ConvergenceWarning, match="INTERRUPTED"):
        model, X, y = fitted(estimator, callback=interrupt, warm_start=True, on_interrupt="keep")
    assert model.stop_ is Stop.INTERRUPTED
    assert len(model.estimators_) == 3
    model.set_params(callback=None).fit(X, y)
    whole, _, _ = fitted(estimator)
    np.testing.assert_array_equal(model.predict_proba(X), whole.predict_proba(X))


def test_classes_that_a_bag_lacks_get_no_probability_from_its_member():
    X, y = load_iris(return_X_y=True)
    rare = np.r_[0:50, 50:100, 100:102]
    model = BaggingClassifier(KNeighborsClassifier(1), 20, max_samples=20, random_state=0)
    model.fit(X[rare], y[rare])
    assert any(len(member.classes_) == 2 for member in model.estimators_)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_bagging_helps_trees_and_the_estimate_is_honest():
    X, y = load_breast_cancer(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    train, test = order[:300], order[300:]
    tree = DecisionTreeClassifier(random_state=0)
    model = BaggingClassifier(tree, 60, oob_score=True, random_state=0).fit(X[train], y[train])
    assert model.score(X[test], y[test]) > tree.fit(X[train], y[train]).score(X[test], y[test])
    assert abs(model.oob_score_ - model.score(X[test], y[test])) < 0.04


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"n_estimators": 0}, "'n_estimators' parameter of BaggingClassifier"),
        ({"max_samples": 0.0}, "'max_samples' parameter of BaggingClassifier"),
        ({"max_samples": 1.5}, "'max_samples' parameter of BaggingClassifier"),
        ({"max_samples": True}, "'max_samples' parameter of BaggingClassifier"),
        ({"bootstrap": "yes"}, "must be True or False"),
        ({"bootstrap": False, "max_samples": 300}, "without replacement from 200"),
        ({"bootstrap": False, "oob_score": True}, "needs rows outside of the bags"),
        ({"estimator": LinearRegression()}, "must be a classifier"),
        ({"estimator": 3}, "must be a classifier"),
        ({"estimator": DecisionStump("entropy")}, "'criterion' parameter of DecisionStump"),
        ({"time_limit": -1}, "'time_limit' parameter"),
    ],
)
def test_bad_parameters_are_named(how, sentence):
    X, y = data()
    with pytest.raises(ValueError, match=sentence):
        BaggingClassifier(**how).fit(X, y)


@pytest.mark.parametrize(
    ("weight", "sentence"),
    [
        (lambda y: np.full(len(y), -1.0), "Negative values"),
        (lambda y: np.zeros(len(y)), "All sample weights are zero"),
        (lambda y: np.where(y == "a", 1.0, 0.0), "single class"),
        (lambda y: np.full(len(y), np.nan), "NaN"),
        (lambda y: np.ones(3), "one weight a row"),
    ],
)
def test_bad_weights_are_refused_and_nothing_is_half_fitted(weight, sentence):
    model, X, y = fitted(oob_score=True, max_samples=0.3)
    before = dict(model.__dict__)
    with pytest.raises(ValueError, match=sentence):
        model.fit(X, y, sample_weight=weight(y))
    assert model.__dict__ == before


def test_one_class_is_refused_and_missing_values_only_where_the_learner_cannot_take_them():
    X, y = data()
    with pytest.raises(ValueError, match="number of classes has to be greater than one"):
        BaggingClassifier().fit(X, np.zeros(len(y)))
    X[0, 0] = np.nan
    BaggingClassifier().fit(X, y)
    with pytest.raises(ValueError, match="NaN"):
        BaggingClassifier(LogisticRegression()).fit(X, y)


def test_rows_in_every_bag_are_told_of():
    X, y = data()
    with pytest.warns(UserWarning, match="have no out-of-bag vote"):
        model = BaggingClassifier(n_estimators=1, oob_score=True, random_state=0).fit(X, y)
    lacking = np.isnan(model.oob_decision_function_).all(axis=1)
    assert set(np.flatnonzero(lacking)) == set(model.estimators_samples_[0].tolist())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        BaggingClassifier(n_estimators=60, oob_score=True, random_state=0).fit(X, y)


def test_members_read_the_categories_of_the_ensemble():
    colours = np.array(["red", "green", "blue"] * 20, dtype=object)[:, None]
    y = (colours[:, 0] == "green").astype(int)
    model = BaggingClassifier(DecisionStump(categorical_features=[0]), random_state=0)
    member = model.fit(colours, y).estimators_[0]
    np.testing.assert_array_equal(member.predict(colours), y)


def test_weights_that_add_up_to_one_make_bags_of_a_row_and_a_warning():
    X, y = np.arange(20.0)[:, None], np.arange(20) % 2
    model, weight = BaggingClassifier(random_state=0), np.full(20, 1 / 20)
    with pytest.warns(UserWarning, match="give max_samples as a number of rows"):
        model.fit(X, y, sample_weight=weight)
    model.set_params(max_samples=20).fit(X, y, sample_weight=weight)
    assert [len(bag) for bag in model.estimators_samples_] == [20] * 10


def test_weights_of_infinite_sum_are_refused():
    with pytest.raises(ValueError, match="divide the weights by the largest"):
        BaggingClassifier().fit(np.eye(4), [0, 1, 0, 1], sample_weight=np.full(4, 1e308))


def test_a_warm_start_takes_the_same_columns_and_other_members():
    X, y = np.random.default_rng(0).normal(size=(40, 3)), np.arange(40) % 2
    tree = DecisionTreeClassifier(max_depth=1)
    model = BaggingClassifier(tree, 2, warm_start=True, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="expecting 3 features"):
        model.set_params(n_estimators=4).fit(X[:, :2], y)
    assert len(model.set_params(estimator=None).fit(X, y).predict(X)) == 40


def test_stumps_and_other_members_vote_together():
    X, y = np.random.default_rng(0).normal(size=(40, 3)), np.arange(40) % 2
    model = BaggingClassifier(None, 2, warm_start=True, random_state=0).fit(X, y)
    for count, estimator in ((4, DecisionTreeClassifier(max_depth=2)), (6, DecisionStump())):
        model.set_params(n_estimators=count, estimator=estimator).fit(X, y)
        kinds = [type(member) for member in model.estimators_]
        assert kinds[count - 2 :] == [type(estimator)] * 2
        average = np.mean([member.predict_proba(X) for member in model.estimators_], axis=0)
        np.testing.assert_allclose(model.predict_proba(X), average, atol=1e-15)
    assert kinds == [DecisionStump] * 2 + [DecisionTreeClassifier] * 2 + [DecisionStump] * 2
