"""Reading a model of InterpretML: by what its fitted attributes mean, worked out by hand."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from maxmargin import GlassBoxClassifier, GlassBoxRegressor
from maxmargin.glass_box import from_interpret

ROWS = pd.DataFrame({"n": [np.nan, 0.9, 1.0, 2.5], "w": ["x", "y", "never seen", None]})


def ebm(**other):
    """A column of numbers, cut otherwise for its pair, and one of words."""
    main = np.array([9.0, 1.0, 2.0, 3.0, 99.0])  # missing, below 1, below 2, from 2, unknown
    words = np.array([7.0, 10.0, 20.0, 0.5])  # missing, y, x, unknown
    pair = np.arange(16.0).reshape(4, 4) / 100  # numbers below and from 2.5, with both others
    return SimpleNamespace(
        bins_=[[np.array([1.0, 2.0]), np.array([2.5])], [{"y": 1, "x": 2}]],
        term_features_=[(0,), (1,), (0, 1)],
        term_scores_=[main, words, pair],
        standard_deviations_=[0 * main, 0 * words, 0 * pair],
        bin_weights_=[np.array([1.0, 1, 1, 1, 0]), np.array([1.0, 1, 1, 0]), np.ones((4, 4))],
        intercept_=np.array([100.0]),
        feature_names_in_=["n", "w"],
        link_="identity",
        **other,
    )


def test_values_are_those_of_its_bins():
    """A cut belongs to the bin above it there."""
    model = from_interpret(ebm())
    assert isinstance(model, GlassBoxRegressor)
    expected = [100 + 9 + 20 + 0.02, 100 + 1 + 10 + 0.05, 100 + 2 + 0.5 + 0.07, 100 + 3 + 7 + 0.08]
    np.testing.assert_allclose(model.predict(ROWS), expected)
    np.testing.assert_array_equal(model.explain(ROWS).sum(), model.predict(ROWS))
    assert {term.name for term in model.terms_} == {"n", "w", "n x w"}


def test_classes_are_taken_over():
    model = from_interpret(ebm(classes_=np.array(["no", "yes"])))
    assert isinstance(model, GlassBoxClassifier)
    assert model.predict(ROWS).tolist() == ["yes"] * 4


@pytest.mark.parametrize(
    ("given", "error", "sentence"),
    [
        (SimpleNamespace(), TypeError, "takes a fitted ExplainableBoostingMachine"),
        (SimpleNamespace(**vars(ebm()) | {"link_": "log"}), ValueError, "the link 'identity'"),
        (
            SimpleNamespace(**vars(ebm()) | {"term_features_": [(0, 1, 2)]}),
            ValueError,
            "has larger terms",
        ),
    ],
    ids=["no model", "link", "larger terms"],
)
def test_what_cannot_be_read_is_refused(given, error, sentence):
    with pytest.raises(error, match=sentence):
        from_interpret(given)
