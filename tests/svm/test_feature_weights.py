"""Weights on the features of a kernel give the decision values of the machine."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from maxmargin import SVC, LinearSVC, feature_weights
from maxmargin.kernels import Polynomial, Spectrum, Words

RNG = np.random.default_rng(0)
X = ["".join(RNG.choice(list(letters), size=9)) for letters in ("aab", "abc", "bcc") * 12]
TWO, THREE = np.array(["p", "q", "q"] * 12), np.array(["p", "q", "r"] * 12)
KERNEL = Spectrum(2).normalized()


def values(model, found, intercept):
    """<w, phi(x)> + b, written out."""
    step = KERNEL.features().fit([X[i] for i in model.support_])
    assert step.get_feature_names_out().tolist() == found.names.tolist()
    return step.transform(X) @ found.values + intercept


def test_two_classes():
    model = SVC(kernel=KERNEL, tol=1e-6).fit(X, TWO)
    found = feature_weights(model)
    assert (found.against, found.towards) == ("p", "q")
    expected = model.decision_function(X)
    np.testing.assert_allclose(values(model, found, model.intercept_[0]), expected, rtol=1e-9)
    largest = found.values[found.largest(4)]
    assert (np.diff(largest) >= 0).all()
    assert largest[0] == found.values.min()
    assert largest[-1] == found.values.max()
    assert len(found.largest(1000)) == np.count_nonzero(found.values)


def test_a_pair_of_three_classes_and_one_against_the_others():
    pairs = SVC(kernel=KERNEL, tol=1e-6, decision_function_shape="ovo").fit(X, THREE)
    ordered = pairs.decision_function(X)[:, 1]  # p against r, positive for p
    found = feature_weights(pairs, ("p", "r"))
    np.testing.assert_allclose(-values(pairs, found, -pairs.intercept_[1]), ordered, rtol=1e-9)
    turned = feature_weights(pairs, ("r", "p"))
    np.testing.assert_array_equal(turned.values, -found.values)
    rest = SVC(kernel=KERNEL, tol=1e-6, multiclass="ovr").fit(X, THREE)
    found = feature_weights(rest, "q")
    assert (found.against, found.towards) == ("the others", "q")
    expected = rest.decision_function(X)[:, 1]
    np.testing.assert_allclose(values(rest, found, rest.intercept_[1]), expected, rtol=1e-9)


def test_linear_models_behind_steps_that_name_their_features():
    for step in (KERNEL.features(), CountVectorizer(analyzer="char", ngram_range=(2, 2))):
        model = make_pipeline(step, LinearSVC()).fit(X, TWO)
        found = feature_weights(model)
        assert found.names.tolist() == step.get_feature_names_out().tolist()
        np.testing.assert_array_equal(found.values, model[-1].coef_[0])
    several = make_pipeline(Words(pattern=".").features(), LogisticRegression()).fit(X, THREE)
    np.testing.assert_array_equal(feature_weights(several, "r").values, several[-1].coef_[2])
    plain = LinearSVC().fit(np.arange(6.0).reshape(3, 2), [0, 1, 1])
    assert feature_weights(plain).names.tolist() == ["x0", "x1"]
    squares = SVC(kernel=Polynomial(2)).fit(np.arange(6.0).reshape(3, 2), [0, 1, 1])
    assert len(feature_weights(squares).values) == 6


def test_what_has_no_weights_or_no_such_class_is_refused():
    rows = np.arange(6.0).reshape(3, 2)
    with pytest.raises(TypeError, match="SVC has no weights on features: RBF"):
        feature_weights(SVC().fit(rows, [0, 1, 1]))
    with pytest.raises(TypeError, match="precomputed matrix has no features"):
        feature_weights(SVC(kernel="precomputed").fit(rows @ rows.T, [0, 1, 1]))
    with pytest.raises(TypeError, match="SVC has no weights on named features"):
        feature_weights(make_pipeline(FunctionTransformer(), SVC()).fit(rows, [0, 1, 1]))
    model = SVC(kernel=KERNEL).fit(X, THREE)
    with pytest.raises(ValueError, match=r"3 classes are compared in pairs; give classes=\(one"):
        feature_weights(model)
    steps = make_pipeline(KERNEL.features(), LinearSVC()).fit(X, THREE)
    with pytest.raises(ValueError, match="3 classes are each told from the rest; give classes='p'"):
        feature_weights(steps)
    with pytest.raises(ValueError, match="There is no class 'z' to choose"):
        feature_weights(model, ("p", "z"))
