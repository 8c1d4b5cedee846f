"""The glass box: shapes and pairs that are found, add up, keep directions and can be repeated."""

import numpy as np
import pandas as pd
import pytest

from maxmargin import GlassBoxClassifier, GlassBoxRegressor
from maxmargin.ensembles import Stop

QUICK = {"n_estimators": 30, "n_bags": 3}


def rows(count=600, columns=5, seed=0):
    return np.random.default_rng(seed).uniform(-1, 1, size=(count, columns))


def product(X):
    return X[:, 0] + np.where(X[:, 1] * X[:, 2] > 0, 2.0, -2.0)


@pytest.fixture(scope="module")
def fitted():
    X = rows()
    return GlassBoxRegressor(n_estimators=200).fit(X, product(X)), X


# what is learnt


def test_a_true_pair_is_the_first_found(fitted):
    model, _ = fitted
    pairs = [term.columns for term in model.terms_ if term.kind == "pair"]
    assert pairs[0] == (1, 2)


@pytest.mark.parametrize("seed", range(3))
def test_true_pairs_are_found_among_many(seed):
    X = rows(3000, 20, seed)
    y = np.sign(X[:, 3] * X[:, 17]) + 1.5 * np.sign(X[:, 5] * X[:, 6]) + X[:, 0]
    model = GlassBoxRegressor(pairs=2, max_pair_bins=8, **QUICK).fit(X, y)
    found = {term.columns for term in model.terms_ if term.kind == "pair"}
    assert found == {(3, 17), (5, 6)}


def test_columns_that_say_nothing_matter_little(fitted):
    model, X = fitted
    importance = {term.name: term.importance for term in model.terms_}
    assert importance["x1 x x2"] > 1.0 > 20 * importance["x3"]
    assert np.mean((model.predict(X) - product(X)) ** 2) < 0.05 * product(X).var()


def test_what_is_held_out_says_when_to_stop():
    X = rows(200)
    y = np.random.default_rng(1).normal(size=200)  # noise alone
    model = GlassBoxRegressor(pairs="none").fit(X, y)
    assert model.stop_ is Stop.EARLY
    assert len(model.history_) < 100


# reading it


def test_contributions_add_up_to_the_last_bit(fitted):
    model, X = fitted
    found = model.explain(X)
    np.testing.assert_array_equal(found.sum(), model.predict(X))
    assert found.contributions.shape == (len(X), len(model.term_names_))


def test_contributions_of_several_classes_add_up_to_the_last_bit():
    X = rows()
    y = np.digitize(X[:, 0] + X[:, 1] * X[:, 2], [-0.3, 0.3])
    model = GlassBoxClassifier(**QUICK).fit(X, y)
    found = model.explain(X)
    assert found.contributions.shape[2] == 3
    np.testing.assert_array_equal(found.sum(), model.decision_function(X))
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_terms_are_centred_and_pairs_purified(fitted):
    for term in fitted[0].terms_:
        weight, values = term.weight, term.values[0]
        assert (weight * values).sum() == pytest.approx(0.0, abs=1e-9 * weight.sum())
        if term.kind == "pair":
            np.testing.assert_allclose((weight * values).sum(axis=0), 0.0, atol=1e-8)
            np.testing.assert_allclose((weight * values).sum(axis=1), 0.0, atol=1e-8)


def test_bins_have_names_values_and_errors(fitted):
    for term in fitted[0].terms_:
        shape = tuple(map(len, term.bins))
        assert term.values.shape == term.errors.shape == (1, *shape)
        assert term.weight.shape == shape
        assert (term.errors >= 0).all()


# directions


@pytest.mark.parametrize("sign", [1, -1])
def test_monotone_shapes_never_turn(sign):
    """Of columns alone and in pairs: on many pairs of rows that differ in one column."""
    X = rows(800, 3)
    y = sign * (X[:, 0] + X[:, 0] * X[:, 1]) + 0.5 * np.random.default_rng(1).normal(size=800)
    model = GlassBoxRegressor(monotone={0: sign}, pairs=[(0, 1), (1, 2)], **QUICK).fit(X, y)
    low = rows(100_000, 3, seed=2)
    high = low.copy()
    high[:, 0] = np.random.default_rng(3).uniform(low[:, 0], 1.0)
    moved = sign * (model.predict(high) - model.predict(low))
    assert moved.min() >= 0.0
    assert moved.max() > 0.5
    for term in model.terms_:
        if 0 in term.columns:
            assert (sign * np.diff(term.values[:, 1:], axis=1) >= 0).all()


# weights, threads, groups


def test_weights_are_repeats():
    X = np.round(rows(120, 3), 1)
    y, weight = X[:, 0] + X[:, 1] ** 2, np.arange(120) % 3
    again = np.repeat(np.arange(120), weight)
    one = GlassBoxRegressor(**QUICK).fit(X, y, sample_weight=weight)
    other = GlassBoxRegressor(**QUICK).fit(X[again], y[again])
    np.testing.assert_allclose(one.predict(X), other.predict(X), rtol=1e-9)


def test_any_number_of_threads_gives_the_same_bits():
    X = rows(1000)
    y = product(X) > 0
    found = [GlassBoxClassifier(n_jobs=n, n_estimators=20).fit(X, y) for n in (1, 2, 4)]
    for model in found[1:]:
        for one, other in zip(found[0].terms_, model.terms_, strict=True):
            np.testing.assert_array_equal(one.values, other.values)
            np.testing.assert_array_equal(one.errors, other.errors)


def test_rows_of_a_group_are_held_out_together():
    """Targets that only the group explains: bags that saw one of its rows would do better."""
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(60), 5)
    X = rng.normal(size=(60, 2))[group]
    X = X + 1e-6 * rng.normal(size=X.shape)
    y = rng.normal(size=60)[group]
    options = {"n_estimators": 40, "n_iter_no_change": None, "pairs": "none"}
    apart = GlassBoxRegressor(**options).fit(X, y, groups=group).validation_loss_[-1]
    mixed = GlassBoxRegressor(**options).fit(X, y).validation_loss_[-1]
    assert apart > 1.3 * mixed


def test_few_groups_are_told_of():
    X = rows(90, 2)
    with pytest.warns(UserWarning, match="There are 3 groups for n_bags=8"):
        GlassBoxRegressor(n_estimators=3).fit(X, X[:, 0], groups=np.arange(90) % 3)


# missing values and categories


def test_missing_values_and_unknown_categories_have_bins_of_their_own():
    rng = np.random.default_rng(0)
    word = rng.choice(["a", "b", "c"], size=400).astype(object)
    number = rng.normal(size=400)
    y = (word == "b") * 2.0 + (number > 0)
    number[:80], y[:80] = np.nan, y[:80] + 5.0
    word[80:120] = None
    table = pd.DataFrame({"word": word, "number": number})
    model = GlassBoxRegressor(n_estimators=200, pairs="none").fit(table, y)
    new = pd.DataFrame({"word": ["a", "never seen", None], "number": [0.5, 0.5, np.nan]})
    found = model.explain(new)
    at = found.names.index("word")
    assert found.contributions[1, at] == 0.0
    assert found.contributions[2, at] != 0.0
    term = next(term for term in model.terms_ if term.name == "word")
    assert term.bins == (["missing", "a", "b", "c", "unknown"],)
    high = model.predict(pd.DataFrame({"word": ["a", "a"], "number": [np.nan, 0.5]}))
    assert high[0] > high[1] + 3.0


def test_more_categories_than_bins_share_one():
    rng = np.random.default_rng(0)
    word = np.array([f"w{k}" for k in rng.integers(0, 400, size=3000)])
    table = pd.DataFrame({"word": word})
    model = GlassBoxRegressor(pairs="none", **QUICK).fit(table, rng.normal(size=3000))
    assert len(model.terms_[0].bins[0]) == 254 + 2
    assert np.isfinite(model.predict(table)).all()


# losses


@pytest.mark.parametrize("loss", ["absolute_error", "huber", "quantile", "poisson"])
def test_losses_of_quantities_fall(loss):
    X = rows(400, 2)
    y = np.exp(X[:, 0]) + np.random.default_rng(1).exponential(size=400)
    model = GlassBoxRegressor(loss, n_estimators=80).fit(X, y)
    assert model.validation_loss_[-1] < 0.97 * model.validation_loss_[0]


@pytest.mark.parametrize("loss", ["exponential", "squared_hinge", "modified_huber", "squared"])
@pytest.mark.parametrize("classes", [2, 3])
def test_losses_of_labels_fall(loss, classes):
    X = rows(400, 2)
    y = np.digitize(X[:, 0], np.linspace(-1, 1, classes + 1)[1:-1])
    model = GlassBoxClassifier(loss, n_estimators=80).fit(X, y)
    assert model.score(X, y) > 0.93


# bad input


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"monotone": {"word": 1}}, "monotone asks for the column 'word', which is categorical"),
        ({"pairs": [("a", "a")]}, "a pair of the column 'a' with itself"),
        ({"pairs": [("a", "nothing")]}, "names a column 'nothing' that is not there"),
        ({"exclude": ["word", "a", "b"]}, "exclude leaves no column to learn from"),
        ({"monotone": [1, 0]}, "monotone has 2 entries and X has 3 columns"),
        ({"exclude": [("a", "b")], "pairs": [("a", "b")]}, "which exclude leaves out"),
        ({"max_bins": 300}, "must be at most 254"),
    ],
    ids=str,
)
def test_bad_wishes_are_refused_in_a_sentence(options, sentence):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"word": ["x", "y"] * 20, "a": rng.normal(size=40), "b": np.arange(40)})
    with pytest.raises(ValueError, match=sentence):
        GlassBoxClassifier(**options).fit(table, np.arange(40) % 2)


def test_more_pairs_than_there_are_are_told_of():
    X = rows(100, 3)
    with pytest.warns(UserWarning, match="pairs=9 asks for more pairs than the 3"):
        model = GlassBoxRegressor(pairs=9, **QUICK).fit(X, X[:, 0])
    assert len(model.term_names_) <= 6


def test_a_column_of_one_value_adds_nothing():
    X = rows(100, 3)
    X[:, 1] = 7.0
    model = GlassBoxRegressor(**QUICK).fit(X, X[:, 0])
    assert model.feature_importances_[1] == 0.0


def test_a_class_that_a_bag_has_not_seen_is_no_obstacle():
    X = rows(60, 2)
    y = np.zeros(60, int)
    y[:30], y[0] = 1, 2
    model = GlassBoxClassifier(**QUICK).fit(X, y)
    assert np.isfinite(model.predict_proba(X)).all()


@pytest.mark.parametrize(
    ("groups", "sentence"),
    [
        ([0, 1], r"groups has the shape \(2,\)"),
        ([None, "a"] * 20, "missing value"),
        (np.repeat([0.0, np.nan], 20), r"missing value \(row 20\)"),
    ],
    ids=["short", "None", "NaN"],
)
def test_groups_that_cannot_be_are_refused_beside_weights_of_zero_too(groups, sentence):
    X = rows(40, 2)
    weight = np.arange(40) % 4
    with pytest.raises(ValueError, match=sentence):
        GlassBoxRegressor().fit(X, X[:, 0], weight, groups=groups)


def test_a_regressor_wants_numbers():
    with pytest.raises(ValueError, match="y must be numbers: a regression predicts a quantity"):
        GlassBoxRegressor().fit(rows(4, 2), ["yes", "no", "yes", "no"])
