import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, make_friedman1
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import estimator_checks_generator

from maxmargin import SVC, TableSVC, TableSVR, UnscaledColumnsWarning
from maxmargin.datasets import load_heart
from maxmargin.storage import load_model, save_model
from maxmargin.tabular import final

# This check needs an environment variable that SciPy reads when it is imported.
ELSEWHERE = "check_array_api_input"


def checks():
    for model in (TableSVC(), TableSVR()):
        for each, check in estimator_checks_generator(model):
            name = getattr(check, "func", check).__name__
            if name != ELSEWHERE:
                yield pytest.param(each, check, id=f"{model!r}-{name}")


@pytest.mark.parametrize(("estimator", "check"), list(checks()))
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def mixed(n=150, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "size": rng.lognormal(size=n),
            "colour": rng.choice(["red", "green", "blue"], n),
            "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n), "D"),
            "flag": rng.random(n) < 0.5,
            "nothing": np.nan,
        }
    )
    frame.loc[::7, "size"] = np.nan
    y = np.where((frame["colour"] == "red") ^ (frame["size"].fillna(0) > 1.5), "yes", "no")
    return frame, y


def test_a_mixed_table():
    frame, y = mixed()
    model = TableSVC().fit(frame, y)
    assert model.score(frame, y) > 0.9
    assert model.certificate_.status.name == "CERTIFIED"
    said = str(model.preparation_)
    assert "nothing  dropped: every value is missing" in said
    assert "size     a number, with an indicator of missing values" in said
    assert cross_val_score(model, frame, y, cv=3).mean() > 0.8


def test_several_classes_and_probabilities():
    X, y = load_iris(return_X_y=True)
    model = TableSVC().fit(X[::2], y[::2])
    p = model.predict_proba(X[1::2])
    assert (model.predict(X[1::2]) == y[1::2]).mean() > 0.9
    assert -np.log(p[np.arange(75), y[1::2]]).mean() < 0.25
    assert model.decision_function(X).shape == (150, 3)


def test_a_quantity_with_intervals():
    X, y = make_friedman1(500, noise=1.0, random_state=0)
    model = TableSVR().fit(X[:300], y[:300])
    assert model.score(X[300:], y[300:]) > 0.8
    low, high = model.predict_interval(X[300:], 0.9)
    assert 0.84 <= np.mean((y[300:] >= low) & (y[300:] <= high)) <= 0.96
    with pytest.raises(ValueError, match="coverage must be between 0 and 1, got 1"):
        model.predict_interval(X, 1)


@pytest.mark.parametrize("kind", ["classes", "several", "quantity"])
def test_more_rows_than_least_squares_takes(kind, monkeypatch):
    """With the border between the two ways lowered, large tables are small."""
    monkeypatch.setattr(final, "MOST_SEARCHED", 120)
    monkeypatch.setattr("maxmargin.tabular.search.FIRST_ROWS", 60)
    monkeypatch.setattr("maxmargin.tabular.search.MOST_SEARCHED", 120)
    X, y = make_friedman1(300, noise=0.5, random_state=0)
    if kind == "quantity":
        model = TableSVR().fit(X[:200], y[:200])
        assert model.score(X[200:], y[200:]) > 0.7
    else:
        label = np.digitize(y, np.quantile(y, [0.5] if kind == "classes" else [0.33, 0.67]))
        model = TableSVC().fit(X[:200], label[:200])
        assert model.score(X[200:], label[200:]) > (0.8 if kind == "classes" else 0.6)
        assert np.isfinite(model.predict_proba(X)).all()
    assert model.certificate_.status.name == "CERTIFIED"
    assert len(model.support_) == 200


def test_a_weight_of_zero_is_no_row_and_classes_weigh():
    frame, y = mixed(80)
    weight = np.ones(80)
    weight[60:] = 0.0
    some, part = TableSVC().fit(frame, y, weight), TableSVC().fit(frame[:60], y[:60])
    np.testing.assert_array_equal(some.decision_function(frame), part.decision_function(frame))
    assert some.support_.max() < 60
    rare = np.where(np.arange(80) % 8 == 0, "rare", "usual")
    plain = TableSVC().fit(frame, rare).decision_function(frame).mean()
    assert (
        TableSVC(class_weight="balanced").fit(frame, rare).decision_function(frame).mean() < plain
    )


def test_any_number_of_threads_gives_the_same_bits():
    frame, y = mixed(90)
    one, two = (TableSVC(n_jobs=n).fit(frame, y).decision_function(frame) for n in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_a_limit_keeps_the_best_so_far():
    X, y = make_friedman1(400, random_state=0)
    with pytest.warns(ConvergenceWarning, match="before the search was done"):
        model = TableSVR(time_limit=0.02).fit(X, y)
    assert np.isfinite(model.predict(X)).all()


def test_model_files(tmp_path):
    frame, y = mixed(80)
    model = TableSVC().fit(frame, y)
    save_model(tmp_path / "m", model)
    again = load_model(tmp_path / "m").value
    np.testing.assert_array_equal(again.predict_proba(frame), model.predict_proba(frame))
    assert str(again.preparation_) == str(model.preparation_)


def test_search_results_name_what_was_tried():
    X, y = load_iris(return_X_y=True)
    found = TableSVC().fit(X, y).search_results()
    assert len(found["candidate"]) == len(found["loss"]) == len(found["rows"]) > 100


def test_repeats_are_weights_and_the_order_of_rows_says_nothing():
    frame, y = mixed(60)
    weight = np.random.default_rng(3).integers(1, 4, 60)
    again = np.random.default_rng(4).permutation(np.repeat(np.arange(60), weight))
    weighed = TableSVC().fit(frame, y, weight)
    repeated = TableSVC().fit(frame.iloc[again], y[again])
    np.testing.assert_array_equal(
        weighed.decision_function(frame), repeated.decision_function(frame)
    )


@pytest.mark.parametrize("share", [2.0**-7, 2.0**-900])
def test_weights_that_are_shares_are_those_of_whole_rows(share):
    X = np.random.default_rng(0).normal(size=(60, 2))
    whole, weight = TableSVR().fit(X, X[:, 0]), np.full(60, share)
    np.testing.assert_array_equal(TableSVR().fit(X, X[:, 0], weight).predict(X), whole.predict(X))
    classes = TableSVC().fit(X, X[:, 0] > 0, weight)
    assert classes.score(X, X[:, 0] > 0) > 0.9


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda X, y: (X, np.where(y == y[0], y, None)), "instead of a label"),
        (lambda X, y: (X, np.full(len(y), "one")), "number of classes has to be greater than one"),
        (lambda X, y: (X[["nothing"]], y), "No column of X can be used"),
        (lambda X, y: (X, y[:-1]), "inconsistent numbers of samples"),
    ],
)
def test_bad_input(change, sentence):
    with pytest.raises(ValueError, match=sentence):
        TableSVC().fit(*change(*mixed(40)))


def test_it_needs_no_preparing_where_a_plain_machine_does():
    X, y = load_heart(return_X_y=True)
    kept = np.isfinite(X).all(axis=1)
    with pytest.warns(UnscaledColumnsWarning):
        plain = cross_val_score(SVC(), X[kept], y[kept], cv=3).mean()
    assert cross_val_score(TableSVC(), X[kept], y[kept], cv=3).mean() > plain + 0.05


@pytest.mark.parametrize("coverage", [0.0, 1, "90 %", None])
def test_a_coverage_that_is_no_share_is_refused(coverage):
    X = np.arange(20.0)[:, None]
    with pytest.raises(ValueError, match="coverage must be between 0 and 1"):
        TableSVR().fit(X, X[:, 0]).predict_interval(X, coverage)
