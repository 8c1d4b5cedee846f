"""Probabilities agree with the predictions, which scikit-learn's do not promise."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_blobs
from sklearn.metrics import log_loss

from maxmargin import SVC
from maxmargin.datasets import load_mixture
from maxmargin.svm.calibration import best_temperature, probabilities, scores

DEPRECATED = "ignore:The `probability` parameter:FutureWarning"
pytestmark = pytest.mark.filterwarnings(DEPRECATED)


@pytest.fixture(params=["binary", "three", "ovr", "five"])
def fitted(request):
    X, y = {
        "binary": lambda: load_mixture(return_X_y=True),
        "three": lambda: load_iris(return_X_y=True),
        "ovr": lambda: load_iris(return_X_y=True),
        "five": lambda: make_blobs(150, centers=5, cluster_std=4.0, random_state=1),
    }[request.param]()
    multiclass = "ovr" if request.param == "ovr" else "ovo"
    return SVC(probability=True, random_state=0, multiclass=multiclass).fit(X, y), X, y


def test_rows_are_distributions(fitted):
    model, X, _ = fitted
    p = model.predict_proba(X)
    assert p.shape == (len(X), len(model.classes_))
    assert (p >= 0).all()
    np.testing.assert_allclose(p.sum(axis=1), 1)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), p)


def test_the_most_probable_class_is_the_predicted_one(fitted):
    model, X, _ = fitted
    near = np.concatenate([X, X + 0.3, X[::-1] * 1.1])
    most = model.classes_[model.predict_proba(near).argmax(axis=1)]
    np.testing.assert_array_equal(most, model.predict(near))


def test_better_than_a_guess(fitted):
    model, X, y = fitted
    uniform = np.log(len(model.classes_))
    assert log_loss(y, model.predict_proba(X)) < uniform


def test_monotone_in_the_decision_value_of_two_classes():
    X, y = load_mixture(return_X_y=True)
    model = SVC(probability=True, random_state=0).fit(X, y)
    order = np.argsort(model.decision_function(X))
    p = model.predict_proba(X)[order, 1]
    assert (np.diff(p) >= 0).all()
    np.testing.assert_array_equal(p > 0.5, model.decision_function(X)[order] > 0)


def test_the_same_seed_gives_the_same_probabilities():
    X, y = load_mixture(return_X_y=True)
    one, two = (SVC(probability=True, random_state=3).fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))


def test_the_model_itself_is_not_changed_by_calibration():
    X, y = load_mixture(return_X_y=True)
    plain, calibrated = SVC().fit(X, y), SVC(probability=True).fit(X, y)
    np.testing.assert_array_equal(plain.decision_function(X), calibrated.decision_function(X))


def test_weights_take_part():
    X, y = load_mixture(return_X_y=True)
    weight = np.where(y == 1, 3.0, 1.0)
    model = SVC(probability=True, random_state=0).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_two_rows_are_too_few_to_split():
    model = SVC(probability=True).fit([[0.0], [1.0]], [0, 1])
    p = model.predict_proba([[0.0], [1.0]])
    np.testing.assert_array_equal(p.argmax(axis=1), [0, 1])


@pytest.mark.filterwarnings("default")
def test_asking_warns_as_scikit_learn_does():
    with pytest.warns(FutureWarning, match="`probability` parameter is deprecated"):
        SVC(probability=True).fit(*load_iris(return_X_y=True))


def test_the_best_temperature_is_found():
    """Labels drawn from the softmax of z / 2 have temperature 2."""
    rng = np.random.default_rng(0)
    z = scores(rng.normal(scale=4, size=20_000))
    p = 1 / (1 + np.exp(-z[:, 1] / 2))
    label = (rng.uniform(size=len(p)) < p).astype(int)
    assert best_temperature(z, label) == pytest.approx(2, rel=0.05)


def test_a_tie_is_given_to_the_predicted_class():
    p = probabilities(np.array([[1.0, 2.0, 0.0]]), 1.0, np.array([0]))
    assert p.argmax() == 0
    np.testing.assert_allclose(p.sum(), 1)
