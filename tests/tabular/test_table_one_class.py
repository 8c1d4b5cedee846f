"""Where most rows of a table lie."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score
from sklearn.utils.estimator_checks import estimator_checks_generator

from maxmargin import TableOneClass
from maxmargin.storage import load_model, save_model

# This check needs an environment variable that SciPy reads when it is imported.
ELSEWHERE = "check_array_api_input"


def checks():
    for each, check in estimator_checks_generator(TableOneClass()):
        name = getattr(check, "func", check).__name__
        if name != ELSEWHERE:
            yield pytest.param(each, check, id=name)


@pytest.mark.parametrize(("estimator", "check"), list(checks()))
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def table(n=200):
    """Orders: few words and a price that goes with them."""
    rng = np.random.default_rng(0)
    kind = rng.choice(["pen", "book", "chair"], n, p=[0.5, 0.3, 0.2])
    price = np.array([{"pen": 1.0, "book": 20.0, "chair": 200.0}[k] for k in kind])
    price = price * rng.lognormal(0.0, 0.2, n)
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n), "D")
    return pd.DataFrame({"kind": kind, "price": price, "day": day, "shop": "only one"})


def test_rows_that_do_not_fit_together_lie_outside():
    frame = table()
    model = TableOneClass(nu=0.1).fit(frame[:150])
    assert len(model.outliers_) == 15
    assert (model.predict(frame[150:]) == 1).mean() > 0.7
    odd = frame[150:].assign(kind="desk", price=9e9)
    said = np.r_[model.decision_function(frame[150:]), model.decision_function(odd)]
    assert roc_auc_score(np.repeat([0, 1], 50), -said) > 0.95
    swapped = pd.DataFrame(
        {"kind": ["pen", "chair"], "price": [200.0, 1.0], "day": frame["day"][:2], "shop": ""}
    )
    values = model.decision_function(frame[150:])
    assert model.decision_function(swapped).max() < np.median(values)
    assert "shop   dropped: every row has the same value" in str(model.preparation_)
    assert model.certificate_.status.name == model.stop_.name == "CERTIFIED"
    np.testing.assert_allclose(
        model.score_samples(frame) - model.offset_, model.decision_function(frame)
    )


def test_outliers_of_the_table_itself():
    frame = table()
    frame.loc[[20, 30, 40], "price"] = [0.0001, 5000.0, np.nan]
    frame.loc[50, "kind"] = "desk"
    model = TableOneClass(nu=0.05).fit(frame)
    assert {20, 30, 40, 50} <= set(model.outliers_.tolist())
    assert len(model.outliers_) <= 10
    assert model.support_.max() < 200


def test_nu_is_about_the_share_of_new_rows_outside():
    X = np.random.default_rng(0).normal(size=(700, 3))
    shares = [
        (TableOneClass(nu=nu).fit(X[:200]).predict(X[200:]) == -1).mean() for nu in (0.1, 0.4)
    ]
    assert 0.04 < shares[0] < 0.16
    assert 0.3 < shares[1] < 0.5
    wide, narrow = (TableOneClass(gamma=g).fit(X[:200]).decision_function(X) for g in (0.3, 3.0))
    assert np.abs(wide - narrow).max() > 0.1


def test_repeats_are_weights_and_the_order_of_rows_says_nothing():
    frame = table(60)
    weight = np.random.default_rng(3).integers(0, 4, 60)
    again = np.random.default_rng(4).permutation(np.repeat(np.arange(60), weight))
    weighed = TableOneClass(n_jobs=1).fit(frame, sample_weight=weight)
    repeated = TableOneClass(n_jobs=2).fit(frame.iloc[again])
    np.testing.assert_array_equal(
        weighed.decision_function(frame), repeated.decision_function(frame)
    )


def test_model_files(tmp_path):
    frame = table(60)
    model = TableOneClass().fit(frame)
    save_model(tmp_path / "m", model)
    again = load_model(tmp_path / "m").value
    np.testing.assert_array_equal(again.decision_function(frame), model.decision_function(frame))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"nu": 0.0}, "'nu' parameter of TableOneClass must be a number above 0 and at most 1"),
        ({"gamma": 0}, "'gamma' parameter of TableOneClass must be a number greater than 0"),
        ({"time_limit": -1}, "time_limit"),
        ({}, "No column of X can be used"),
    ],
)
def test_bad_input(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        TableOneClass(**options).fit(pd.DataFrame({"a": list("abcdefghi")}))
