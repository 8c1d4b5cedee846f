import signal

import numpy as np
import pandas as pd
import pytest
from sklearn import ensemble
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_digits, make_friedman1
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from maxmargin.boosting import AdaBoostClassifier, BaggingClassifier, DecisionStump
from maxmargin.evaluation import BiasVariance, bias_variance, member_correlation, round_errors

RNG = np.random.default_rng(0)


def noisy(random, n=80):
    """Draw labels of x in [0, 1] that are 1 with probability x."""
    x = random.uniform(size=(n, 1))
    return x, np.where(random.uniform(size=n) < x[:, 0], "yes", "no")


def assert_it_adds_up(found):
    assert found.error == found.noise + found.bias + found.variance
    assert found.variance == found.variance_unbiased - found.variance_biased
    assert found.errors.mean() == pytest.approx(found.error, rel=1e-12)


@pytest.mark.parametrize("classes", [2, 4])
def test_the_zero_one_terms_add_up_to_the_error_and_are_those_of_domingos(classes):
    said = RNG.integers(classes, size=(7, 30))
    p = RNG.dirichlet(np.full(classes, 0.5), size=30)
    found = BiasVariance.of_labels(said, p)
    assert_it_adds_up(found)
    slow = np.zeros(4)
    for x in range(30):
        q = np.bincount(said[:, x], minlength=classes) / 7
        best, main = p[x].argmax(), q.argmax()
        others = [k for k in range(classes) if k != best]
        noise = 1.0 - p[x, best]
        # In the words of the paper: c1 = P(y = y*) - P(y != y*) P(y = t | y* != t).
        hit = sum(p[x, k] * q[k] for k in others) / noise
        assert main == best or q[main] >= q[best]
        slow += (noise * (q[best] - hit), main != best,
                 (main == best) * (1 - q[main]), (main != best) * q[best])  # fmt: skip
    terms = found.noise, found.bias, found.variance_unbiased, found.variance_biased
    np.testing.assert_allclose(terms, slow / 30, atol=1e-12)
    assert found.error == pytest.approx(np.mean(1.0 - p[np.arange(30), said]), rel=1e-12)


def test_with_two_classes_and_no_noise_variance_turns_where_the_main_prediction_is_wrong():
    said = RNG.integers(2, size=(9, 50))
    labels = RNG.integers(2, size=50)
    found = BiasVariance.of_labels(said, np.eye(2)[labels])
    main = (said.mean(axis=0) > 0.5).astype(int)
    bias, variance = main != labels, (said != main).mean(axis=0)
    assert found.noise == 0.0
    assert found.variance == pytest.approx(np.mean((1 - 2 * bias) * variance))
    np.testing.assert_array_equal(found.main, main)


def test_the_squared_terms_add_up_with_the_noise():
    said, m, noise = RNG.normal(size=(6, 20)), RNG.normal(size=20), RNG.uniform(size=20)
    found = BiasVariance.of_values(said, m, noise)
    assert_it_adds_up(found)
    assert found.error == pytest.approx(np.mean((said - m) ** 2) + noise.mean(), rel=1e-12)
    assert found.variance == pytest.approx(said.var(axis=0).mean())


class Constant(ClassifierMixin, BaseEstimator):
    """Say yes, whatever is asked."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), "yes")


def test_where_the_bayes_rule_is_known_a_constant_has_no_variance_and_the_rule_no_bias():
    x = np.linspace(0.005, 0.995, 100)[:, None]
    models = {"constant": Constant(), "stump": DecisionStump()}
    told = []
    found = bias_variance(
        models, x, sample=noisy, truth=x[:, 0], n_repeats=30, random_state=0,
        callback=lambda done, total: told.append((done, total)),
    )  # fmt: skip
    assert told[-1] == (60, 60)
    constant, stump = found["constant"], found["stump"]
    assert (constant.bias, constant.variance) == (0.5, 0.0)
    assert constant.error == pytest.approx(0.5)  # P(no) on average
    assert constant.bayes_error == pytest.approx(0.25)
    assert stump.bias < 0.1
    assert stump.variance > 0.0
    assert constant.bayes_error < stump.interval.low
    for each in found.values():
        assert_it_adds_up(each)


def test_boosting_has_less_bias_than_a_stump_and_bagging_less_variance_than_a_tree():
    def sample(random, n=150):
        X = random.uniform(-1.0, 1.0, (n, 2))
        return X, np.where(X[:, 0] + X[:, 1] > 0.2, 1, 0) ^ (random.uniform(size=n) < 0.1)

    models = {
        "stump": DecisionStump(),
        "boosted": AdaBoostClassifier(n_estimators=30),
        "tree": DecisionTreeClassifier(random_state=0),
        "bagged": BaggingClassifier(DecisionTreeClassifier(random_state=0), 15, random_state=0),
    }
    X = RNG.uniform(-1.0, 1.0, (400, 2))
    p = np.where(X.sum(axis=1) > 0.2, 0.9, 0.1)
    found = bias_variance(models, X, sample=sample, truth=p, n_repeats=15, random_state=0)
    assert found["boosted"].bias < 0.5 * found["stump"].bias
    assert found["bagged"].variance < 0.8 * found["tree"].variance


def test_the_squared_error_of_probabilities_and_of_numbers():
    x = np.linspace(0.0, 1.0, 40)[:, None]
    stump = DecisionStump()
    brier = bias_variance(
        stump, x, sample=noisy, truth=np.c_[1 - x, x], loss="squared_error", n_repeats=5
    )["DecisionStump"]
    assert_it_adds_up(brier)
    assert brier.noise == pytest.approx(np.mean(2 * x * (1 - x)))
    assert brier.main.shape == (40, 2)

    def line(random):
        u = random.uniform(size=(30, 1))
        return u, 2.0 * u[:, 0] + random.normal(scale=0.5, size=30)

    truth = 2.0 * x[:, 0], np.full(40, 0.25)
    found = bias_variance(
        LinearRegression(), x, sample=line, truth=truth, n_repeats=200, random_state=0
    )["LinearRegression"]
    assert_it_adds_up(found)
    # Of least squares the variance is known: sigma^2 (1 + 1) / n on the training rows, about.
    assert 0.25 / 30 < found.variance < 0.25 * 5 / 30
    assert found.bias < 0.1 * found.variance


def test_rows_in_any_container_and_order_give_the_same():
    X, y = make_friedman1(120, noise=0.5, random_state=0)
    table = pd.DataFrame(X).sample(frac=1.0, random_state=0)
    tree = DecisionTreeRegressor(max_depth=2, random_state=0)
    plain, framed = (
        bias_variance(tree, each, y[table.index], n_repeats=5, random_state=3)
        for each in (table.to_numpy(), table.set_axis([f"x{j}" for j in range(10)], axis=1))
    )
    assert plain["DecisionTreeRegressor"].error == framed["DecisionTreeRegressor"].error
    assert len(plain["DecisionTreeRegressor"].main) == 60


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "bias_variance needs y, or the truth"),
        ({"truth": [0.5] * 6}, "truth needs a sample"),
        ({"y": [0, 0, 0, 0, 0, 1]}, "class 1 has 1 rows: give more of it, or a sample"),
        ({"y": [0, 1] * 3, "n_repeats": 1}, "'n_repeats' parameter of bias_variance must be"),
        ({"y": [0, 1] * 3, "loss": "hinge"}, "'loss' parameter of bias_variance must be one of"),
        ({"sample": 3, "truth": [0.5] * 6}, "'sample' parameter of bias_variance must be a func"),
        ({"sample": lambda _: np.zeros(3), "y": [0, 1] * 3}, "must give a pair of X and y, not a"),
        ({"X": np.zeros((0, 1)), "y": []}, "X has no rows for bias_variance to judge models on"),
        ({"sample": noisy, "truth": [0.5] * 5}, "truth must give P.t | x. for 6 rows and 2 class"),
        ({"sample": noisy, "truth": [1.5] * 6}, "truth must hold probabilities"),
    ],
)
def test_what_cannot_be_taken_apart_is_refused_in_a_sentence(given, said):
    with pytest.raises(ValueError, match=said):
        bias_variance(DecisionStump(), **{"X": np.arange(6.0)[:, None], "n_repeats": 2} | given)


U = np.linspace(-1.0, 1.0, 40)[:, None]


def parabola(random, column=False):
    u = random.uniform(-1.0, 1.0, (30, 1))
    t = u**2 + random.normal(scale=0.1, size=(30, 1))
    return u, t if column else t.ravel()


def test_columns_of_numbers_are_taken_for_their_numbers():
    seed = {"n_repeats": 5, "random_state": 0}
    line, flat, tall = LinearRegression(), (U**2).ravel(), U**2
    for given in ({"truth": (flat, 0.01)}, {"y": flat}):
        wide = {"truth": (tall, np.full((40, 1), 0.01))} if "truth" in given else {"y": tall}
        plain = bias_variance(line, U, sample=parabola, **given, **seed)["LinearRegression"]
        drawn = lambda random: parabola(random, column=True)  # noqa: E731
        found = bias_variance(line, U, sample=drawn, **wide, **seed)["LinearRegression"]
        assert found.bias == plain.bias < 0.2
        assert found.main.shape == (40,)


@pytest.mark.parametrize(
    ("truth", "said"),
    [
        ((np.ones(1), 0.01), r"E.t . x. for 40 rows, but has the shape \(1,\)"),
        ((1.0, 0.01), r"E.t . x. for 40 rows, but has the shape \(\)"),
        ((np.ones((40, 40)), 0.01), r"but has the shape \(40, 40\)"),
        ((np.full(40, np.nan), 0.01), "a finite E.t . x. for every row"),
        ((np.ones(40), -0.01), "variance of t must be finite and at least 0"),
        ((np.ones(40), np.ones(3)), r"one for each of 40 rows, but has the shape \(3,\)"),
    ],
)
def test_a_truth_of_other_rows_is_refused_before_anything_is_fitted(truth, said):
    def never(random):
        raise AssertionError

    with pytest.raises(ValueError, match=said):
        bias_variance(LinearRegression(), U, sample=never, truth=truth)


def test_labels_and_values_of_other_rows_are_refused():
    for labels, p, said in (
        ([[0, 1, 1]], [[0.5, 0.5]], "are not of the same rows"),
        ([[-1]], [[0.5, 0.5]], "whole numbers from 0 to 1"),
        ([[2]], [[0.5, 0.5]], "whole numbers from 0 to 1"),
        ([[0.5]], [[0.5, 0.5]], "whole numbers from 0 to 1"),
        ([[0]], [0.5], "truth must hold probabilities"),
    ):
        with pytest.raises(ValueError, match=said):
            BiasVariance.of_labels(labels, p)
    with pytest.raises(ValueError, match="are not of the same rows"):
        BiasVariance.of_values([[1.0, 2.0]], [[1.0], [2.0]])


@pytest.mark.parametrize("judge", [bias_variance, round_errors])
def test_a_time_limit_keeps_the_sets_from_which_all_models_have_learnt(judge, monkeypatch):
    X = RNG.uniform(-1.0, 1.0, (200, 2))
    y = (X.sum(axis=1) > 0).astype(int)
    models = {"one": AdaBoostClassifier(n_estimators=2), "two": AdaBoostClassifier(n_estimators=3)}
    clock = {"now": 0.0}
    monkeypatch.setattr("time.perf_counter", lambda: clock["now"])

    def tick(done, total):
        clock["now"] = float(done)

    rest = {"n_repeats": 6, "random_state": 0, "callback": tick}
    found = judge(models, X, y, time_limit=7.0, **rest)
    assert [len(each.errors) for each in found.values()] == [3, 3]
    assert not found["one"].complete
    clock["now"] = 0.0
    whole = judge(models, X, y, **rest)
    assert all(each.complete for each in whole.values())
    np.testing.assert_array_equal(whole["two"].errors[:3], found["two"].errors)
    clock["now"] = 0.0
    with pytest.raises(TimeoutError, match="was reached after 1 of the 6 training sets"):
        judge(models, X, y, time_limit=3.0, **rest)
    with pytest.raises(ValueError, match="'time_limit' parameter of"):
        judge(models, X, y, time_limit=-1.0)


@pytest.mark.parametrize("judge", [bias_variance, round_errors])
def test_ctrl_c_raises_whatever_the_models_were_asked_to_do(judge):
    def interrupt(_done, _total):
        signal.raise_signal(signal.SIGINT)

    X = RNG.uniform(size=(40, 1))
    model = AdaBoostClassifier(n_estimators=2, on_interrupt="keep")
    with pytest.raises(KeyboardInterrupt):
        judge(model, X, X[:, 0] > 0.5, time_limit=60.0, callback=interrupt)


def test_models_without_probabilities_have_no_squared_error_of_them():
    with pytest.raises(TypeError, match="LinearSVC has no predict_proba"):
        bias_variance(
            LinearSVC(), np.zeros((4, 1)), sample=noisy, truth=[0.5] * 4, loss="squared_error"
        )
    with pytest.raises(ValueError, match="truth must be a pair of numbers"):
        bias_variance(LinearRegression(), np.zeros((4, 1)), sample=noisy, truth=[0.5] * 4)


DIGITS = load_digits(n_class=3, return_X_y=True)
VOTES = [
    AdaBoostClassifier(n_estimators=6),
    ensemble.AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=6),
    BaggingClassifier(DecisionTreeClassifier(max_depth=2), 6, random_state=0),
    ensemble.BaggingClassifier(DecisionTreeClassifier(), 6, max_features=0.5, random_state=0),
    ensemble.RandomForestClassifier(6, random_state=0),
]


@pytest.mark.parametrize("vote", VOTES, ids=lambda vote: f"{type(vote).__module__}.{vote}")
@pytest.mark.parametrize("classes", [2, 3])
def test_correlations_of_members_are_those_of_all_pairs(vote, classes):
    X, digit = DIGITS
    y = np.array(["a", "b", "c"])[digit % classes]
    model = make_pipeline(StandardScaler(), vote).fit(X[::2], y[::2])
    found = member_correlation(model, X[1::2], y[1::2])
    Z = model[:-1].transform(X[1::2])
    seen = getattr(vote, "estimators_features_", [slice(None)] * 6)
    said = np.array([m.predict(Z[:, c]) for m, c in zip(model[-1].estimators_, seen, strict=True)])
    said = said if said.dtype.kind in "UO" else model.classes_[said.astype(int)]
    wrong = said != y[1::2]
    pairs = np.triu_indices(6, 1)
    assert found.errors == pytest.approx(np.corrcoef(wrong)[pairs].mean())
    if classes == 2:
        assert found.predictions == pytest.approx(np.corrcoef(said == "a")[pairs].mean())
    assert found.member_error == pytest.approx(wrong.mean())
    assert found.error == pytest.approx(np.mean(model.predict(X[1::2]) != y[1::2]))
    assert found.n_members == 6


def test_numbers_have_members_too_and_what_never_varies_no_correlation():
    X, y = make_friedman1(100, random_state=0)
    forest = ensemble.RandomForestRegressor(4, random_state=0).fit(X[:50], y[:50])
    found = member_correlation(forest, X[50:], y[50:])
    said = np.array([tree.predict(X[50:]) for tree in forest.estimators_])
    assert found.predictions == pytest.approx(np.corrcoef(said)[np.triu_indices(4, 1)].mean())
    same = member_correlation(forest, np.zeros((5, 10)), np.arange(5.0))
    assert np.isnan(same.predictions)
    with pytest.raises(TypeError, match="DecisionStump has no estimators_"):
        member_correlation(DecisionStump().fit([[0], [1]], [0, 1]), [[0]], [0])
