"""Editing a glass box by hand, and whole points in place of it."""

import numpy as np
import pytest

from maxmargin import GlassBoxClassifier, GlassBoxRegressor

RNG = np.random.default_rng(0)
X = np.round(RNG.uniform(-1, 1, size=(400, 3)), 1)
Y = (X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * RNG.normal(size=400) > 0).astype(int)


@pytest.fixture(scope="module")
def model():
    return GlassBoxClassifier(n_estimators=60, n_bags=2, pairs=1).fit(X, Y)


def test_a_term_of_zeros_takes_its_contribution_away(model):
    before = model.explain(X)
    term = next(term for term in model.terms_ if term.name == "x0")
    edited = model.with_term("x0", np.zeros(len(term.bins[0])))
    after = edited.explain(X)
    assert (after.contributions[:, before.names.index("x0")] == 0.0).all()
    np.testing.assert_array_equal(after.sum(), edited.decision_function(X))
    assert model.explain(X).contributions.tolist() == before.contributions.tolist()


def test_values_of_another_shape_are_refused(model):
    with pytest.raises(ValueError, match="has values of the shape"):
        model.with_term("x0", [1.0, 2.0])
    with pytest.raises(ValueError, match="There is no term 'age'"):
        model.with_term("age", [1.0])


def test_points_say_nearly_what_the_model_says(model):
    card = model.to_scorecard(points=100)
    points = model.score_points(X, card)
    off = np.abs(card.decision(points) - model.decision_function(X))
    assert off.max() <= 0.5 * (len(model.term_names_) + 1) / card.factor + 1e-12
    np.testing.assert_allclose(card.probability(points), model.predict_proba(X)[:, 1], atol=0.02)


def test_the_points_printed_are_those_added_up(model):
    card = model.to_scorecard()
    assert str(card).count("\n") == len(card.lines)
    assert min(line.points for line in card.lines) == 0
    names = {line.term for line in card.lines}
    assert names == set(model.term_names_)
    most = sum(max(a.points for a in card.lines if a.term == name) for name in names)
    points = model.score_points(X, card)
    assert card.base <= points.min() <= points.max() <= card.base + most


@pytest.mark.parametrize("loss", ["exponential", "squared_hinge"])
def test_points_stand_for_the_probabilities_of_the_loss(loss):
    model = GlassBoxClassifier(loss, n_estimators=10, n_bags=2, pairs="none").fit(X, Y)
    card = model.to_scorecard(points=1000)
    p = card.probability(model.score_points(X, card))
    np.testing.assert_allclose(p, model.predict_proba(X)[:, 1], atol=0.005)


def test_points_of_a_quantity_have_no_probability():
    model = GlassBoxRegressor(n_estimators=2, n_bags=2, pairs="none").fit(X, X[:, 0])
    with pytest.raises(ValueError, match="points of a quantity have no probability"):
        model.to_scorecard().probability(3)
