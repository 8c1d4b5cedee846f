"""Losses and links of glass boxes beyond squares and classes."""

import numpy as np
import pytest

from maxmargin import GlassBoxRegressor
from maxmargin.losses import Gamma, Quantile, Tweedie

QUICK = {"n_estimators": 60, "n_bags": 3, "pairs": "none"}
RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, size=(600, 3))
MEAN = np.exp(1.0 + X[:, 0] + (X[:, 1] > 0))


@pytest.mark.parametrize("loss", ["gamma", "tweedie", Gamma(), Tweedie(1.2)], ids=str)
def test_amounts_have_the_mean_that_they_are_drawn_with(loss):
    y = MEAN * RNG.gamma(2.0, 0.5, size=600)
    if "weedie" in str(loss):
        y[RNG.random(600) < 0.3] = 0.0
    model = GlassBoxRegressor(loss, **QUICK).fit(X, y)
    assert np.corrcoef(np.log(model.predict(X)), np.log(MEAN))[0, 1] > 0.95
    assert model.predict(X).mean() == pytest.approx(y.mean(), rel=0.05)
    np.testing.assert_allclose(np.exp(model.explain(X).sum()), model.predict(X), rtol=1e-14)


@pytest.mark.parametrize(
    ("loss", "y", "sentence"),
    [
        ("gamma", [1.0, 0.0, 2.0], r"above 0: y\[1\] is 0"),
        ("tweedie", [1.0, 2.0, -1.0], r"of at least 0: y\[2\] is -1"),
        ("tweedie", [0.0, 0.0, 0.0], "all of y is 0"),
        ("poisson", [1.0, -3.0, 2.0], r"not negative: y\[1\] is -3"),
    ],
)
def test_targets_without_meaning_are_refused(loss, y, sentence):
    with pytest.raises(ValueError, match=sentence):
        GlassBoxRegressor(loss).fit(X[:3], y)


@pytest.mark.parametrize("level", [0.1, 0.9])
def test_quantiles_have_their_share_of_rows_below(level):

    y = X[:, 0] + RNG.normal(size=600)
    model = GlassBoxRegressor(Quantile(level), **QUICK).fit(X, y)
    assert np.mean(y <= model.predict(X)) == pytest.approx(level, abs=0.07)


def ranked(seed):
    """Queries whose rows have a level of their own, which says nothing of their order."""
    rng = np.random.default_rng(seed)
    query = np.repeat(np.arange(80), 6)
    rows = np.column_stack([rng.uniform(-1, 1, size=(480, 2)), rng.normal(size=80)[query]])
    relevance = np.digitize(rows[:, 0] - rows[:, 1] ** 2 + 0.1 * rng.normal(size=480), [-0.5, 0.2])
    return rows, relevance.astype(float), query


def test_rows_of_a_query_are_put_in_order():
    rows, relevance, query = ranked(0)
    model = GlassBoxRegressor("pairwise_logistic", **QUICK).fit(rows, relevance, groups=query)
    new, held, queries = ranked(1)
    assert model.score(new, held, groups=queries) > 0.9
    names = [term.name for term in model.terms_]
    assert set(names[:2]) == {"x0", "x1"}
    np.testing.assert_array_equal(model.explain(new).sum(), model.predict(new))


def test_a_ranking_needs_a_pair():
    rows, relevance, query = ranked(0)
    with pytest.raises(ValueError, match="There is no pair to put in order"):
        GlassBoxRegressor("pairwise_logistic").fit(rows, 0 * relevance, groups=query)


def test_weights_of_a_ranking_are_repeats():
    rows, relevance, query = ranked(0)
    weight = np.arange(480) % 3
    again = np.repeat(np.arange(480), weight)
    models = [
        GlassBoxRegressor("pairwise_logistic", **QUICK).fit(rows, relevance, weight, groups=query),
        GlassBoxRegressor("pairwise_logistic", **QUICK).fit(
            rows[again], relevance[again], groups=query[again]
        ),
    ]
    scores = [model.predict(rows) for model in models]
    np.testing.assert_allclose(*scores, atol=1e-8)


def test_numbers_that_overflow_are_refused_or_scaled():
    y = X[:, 0]
    with pytest.raises(ValueError, match=r"y reaches 1e\+154"):
        GlassBoxRegressor(**QUICK).fit(X, 1e154 * np.sign(y))
    heavy = GlassBoxRegressor(**QUICK).fit(X, y, np.full(600, 1e300))
    light = GlassBoxRegressor(**QUICK).fit(X, y, np.full(600, 2.0**40))
    np.testing.assert_allclose(heavy.predict(X), light.predict(X), rtol=1e-6)
