"""Kernel values given to SVC."""

from contextlib import suppress

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from maxmargin import (
    SVC,
    SVCCV,
    AdaBoostClassifier,
    BaggingClassifier,
    HardMarginSVC,
    OneVsOneClassifier,
    OneVsRestClassifier,
    SlackBudgetSVC,
    Status,
)
from maxmargin.datasets import load_mixture
from maxmargin.kernels import RBF, Categorical, Linear, Precomputed, Spectrum

X, y = load_mixture(return_X_y=True)


def test_a_fitted_model_keeps_its_kernel_when_the_parameter_changes():
    model = SVC(kernel=RBF(gamma=1.0) + Linear()).fit(X, y)
    before = model.decision_function(X)
    model.set_params(kernel__left__gamma=50.0)
    np.testing.assert_array_equal(model.decision_function(X), before)
    assert not np.allclose(clone(model).fit(X, y).decision_function(X), before)


def test_the_value_precomputed_is_the_name_precomputed():
    K = RBF(gamma=1.0)(X)
    value, name = (SVC(kernel=kernel).fit(K, y) for kernel in (Precomputed(), "precomputed"))
    np.testing.assert_array_equal(value.decision_function(K), name.decision_function(K))
    scores = [cross_val_score(SVC(kernel=k), K, y) for k in (Precomputed(), "precomputed")]
    np.testing.assert_array_equal(*scores)
    with pytest.raises(ValueError, match="must be a square matrix"):
        SVC(kernel=Precomputed()).fit(K[:, :50], y)


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e4])
def test_an_offset_of_float32_data_costs_a_radial_kernel_nothing(offset):
    rng = np.random.default_rng(0)
    data = rng.normal(size=(300, 5)) + offset
    label = (data - offset)[:, 0] * (data - offset)[:, 1] > 0
    model = SVC().fit(data.astype(np.float32), label)
    exact = SVC().fit(data.astype(np.float32).astype(np.float64), label)
    values = model.decision_function(data.astype(np.float32))
    np.testing.assert_allclose(values, exact.decision_function(data), atol=2e-2)
    assert model.certify(data.astype(np.float32), label).status.name == "CERTIFIED"


@pytest.mark.parametrize("offset", [1e4, 1e7, 1e8])
@pytest.mark.parametrize(
    "model",
    [HardMarginSVC(), SlackBudgetSVC(budget=1.0), SVC(kernel="linear"), SVC(kernel=Linear())],
)
def test_an_offset_does_not_change_a_linear_kernels_margin(model, offset):
    rng = np.random.default_rng(0)
    label = np.repeat([1, 0], 40)
    data = rng.normal(size=(80, 3)) + np.where(label == 1, 4.0, -4.0)[:, None] * [1, 0, 0]
    data = (data + offset) - offset  # what is left of them far from the origin
    near, far = clone(model).fit(data, label), clone(model).fit(data + offset, label)
    assert far.certificate_.status is Status.CERTIFIED
    assert far.certify(data + offset, label).status is Status.CERTIFIED
    np.testing.assert_allclose(far.coef_, near.coef_, rtol=1e-6)
    values = far.decision_function(data + offset)
    np.testing.assert_allclose(values, near.decision_function(data), atol=1e-6)
    np.testing.assert_allclose(
        (data + offset) @ far.coef_[0] + far.intercept_, values, atol=1e-14 * offset + 1e-7
    )


WRAPPERS = [
    lambda kernel: OneVsRestClassifier(SVC(kernel=kernel)),
    lambda kernel: OneVsOneClassifier(SVC(kernel=kernel)),
    lambda kernel: BaggingClassifier(SVC(kernel=kernel), n_estimators=2, random_state=0),
    lambda kernel: AdaBoostClassifier(SVC(C=100.0, kernel=kernel), n_estimators=2),
    lambda kernel: SVCCV(kernel=kernel, Cs=2, cv=2),
]


@pytest.mark.parametrize("wrapped", WRAPPERS, ids=["rest", "pairs", "bag", "boost", "search"])
def test_wrappers_hand_columns_on_by_name(wrapped):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"note": list("ab") * 30, "thal": 1, "age": rng.normal(size=60)})
    y = np.digitize(table["age"], [-0.4, 0.4])
    numbers = table[["thal", "age"]]
    mixed = RBF(2.0).restrict("age") + Categorical().restrict(["note"])
    for kernel, X in ((mixed, table), (RBF(2.0).restrict("age"), numbers)):
        model = wrapped(kernel).fit(X, y)
        assert model.feature_names_in_.tolist() == list(X.columns)
        assert model.score(X, y) > 0.85
        turned = X[X.columns[::-1]]
        with suppress(ValueError):  # of scikit-learn's check of names, as in SVC
            np.testing.assert_array_equal(model.predict(turned), model.predict(X))
    with pytest.raises(ValueError, match="X has no column 'sex'"):
        wrapped(RBF(2.0).restrict("sex")).fit(table, y)


def test_ensembles_say_where_items_belong():
    words, kinds = ["night", "light", "sun", "moon"] * 3, [1, 1, 0, 0] * 3
    for ensemble in (BaggingClassifier, AdaBoostClassifier):
        with pytest.raises(ValueError, match="a column of a DataFrame"):
            ensemble(SVC(kernel=Spectrum(2))).fit(words, kinds)
        model = ensemble(SVC(kernel=Spectrum(2).restrict("word")), n_estimators=2, random_state=0)
        table = pd.DataFrame({"word": words})
        assert model.fit(table, kinds).score(table, kinds) == 1.0
