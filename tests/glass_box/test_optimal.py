"""refit="optimal": the optimum of the penalised problem on the bins, with a proof."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge

from maxmargin import GlassBoxClassifier, GlassBoxRegressor, Status
from maxmargin.glass_box.optimal import _one_hot

RNG = np.random.default_rng(0)
X = np.round(RNG.uniform(-1, 1, size=(300, 3)), 1)
VALUE = X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * RNG.normal(size=300)
OPTIONS = {"n_estimators": 20, "n_bags": 2, "pairs": 1, "refit": "optimal", "ridge": 0.5}


def test_of_quantities_it_is_ridge_regression_on_the_bins():
    model = GlassBoxRegressor(**OPTIONS).fit(X, VALUE)
    assert model.certificate_.status is Status.CERTIFIED
    bins = _one_hot(model._terms, model._code(X)).toarray()
    other = Ridge(alpha=0.5).fit(bins, VALUE)
    np.testing.assert_allclose(model.predict(X), other.predict(bins), atol=0.01)


def test_of_classes_nothing_has_a_lower_objective_by_more_than_the_gap():
    y = np.where(VALUE > 0, 1, -1)
    model = GlassBoxClassifier(**OPTIONS).fit(X, y)
    bins = _one_hot(model._terms, model._code(X)).toarray()
    other = LogisticRegression(C=2.0, tol=1e-10, max_iter=10_000).fit(bins, y)
    loss = np.logaddexp(0.0, -y * other.decision_function(bins)).sum()
    least = 2.0 * loss + 0.5 * (other.coef_**2).sum()
    held = model.certificate_
    assert held.status is Status.CERTIFIED
    assert held.dual <= least * (1 + 1e-9)
    assert held.primal <= least * (1 + 2e-4)
    np.testing.assert_allclose(model.decision_function(X), other.decision_function(bins), atol=0.02)


def test_contributions_still_add_up_to_the_last_bit():
    model = GlassBoxRegressor(**OPTIONS).fit(X, VALUE)
    np.testing.assert_array_equal(model.explain(X).sum(), model.predict(X))


@pytest.mark.parametrize(
    ("model", "y", "sentence"),
    [
        (GlassBoxClassifier(**OPTIONS), np.arange(300) % 3, "is for two classes; y has 3"),
        (GlassBoxRegressor("huber", **OPTIONS), VALUE, "is for loss='squared_error'"),
        (GlassBoxRegressor(monotone={0: 1}, **OPTIONS), VALUE, "knows no directions"),
    ],
    ids=["classes", "loss", "directions"],
)
def test_what_has_no_proof_is_refused(model, y, sentence):
    with pytest.raises(ValueError, match=sentence):
        model.fit(X, y)


def test_a_certificate_belongs_to_the_values_that_it_was_computed_for():
    model = GlassBoxRegressor(**OPTIONS).fit(X, VALUE)
    term = next(term for term in model.terms_ if term.name == "x0")
    assert not hasattr(model.with_term("x0", np.zeros(len(term.bins[0]))), "certificate_")
    assert hasattr(model, "certificate_")
    assert not hasattr(model.set_params(refit=None).fit(X, VALUE), "certificate_")
