import numpy as np
import pytest

from maxmargin import TableSVC
from maxmargin.tabular.calibration import calibrate


def test_two_classes_find_the_slope_that_made_the_labels():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(4000, 1))
    label = (rng.random(4000) < 1 / (1 + np.exp(-(3.0 * values[:, 0])))).astype(int)
    p = calibrate(values, label, None).probabilities(values)[:, 1]
    true = 1 / (1 + np.exp(-(3.0 * values[:, 0])))
    assert np.abs(p - true).mean() < 0.02


def test_several_classes_sum_to_one_and_weights_are_repeats():
    rng = np.random.default_rng(1)
    values, label = rng.normal(size=(60, 3)), rng.integers(0, 3, 60)
    weight = rng.integers(1, 4, 60).astype(float)
    found = calibrate(values, label, weight)
    repeated = np.repeat(np.arange(60), weight.astype(int))
    same = calibrate(values[repeated], label[repeated], None)
    np.testing.assert_allclose(found.probabilities(values), same.probabilities(values), atol=1e-4)
    np.testing.assert_allclose(found.probabilities(values).sum(axis=1), 1.0)


def test_separated_classes_stay_finite():
    values = np.array([[-1.0], [1.0]] * 20)
    p = calibrate(values, np.array([0, 1] * 20), None).probabilities(values)
    assert np.isfinite(p).all()
    assert p[1, 1] > 0.9


@pytest.mark.parametrize("classes", [2, 3, 9])
def test_the_predicted_class_is_the_most_probable_one(classes):
    random = np.random.default_rng(classes)
    X = random.normal(size=(40 * classes, 3))
    y = np.clip(2.0 * np.abs(X[:, 0]) + random.normal(size=len(X)), 0, classes - 1).astype(int)
    y[:classes] = np.arange(classes)
    model = TableSVC(class_weight={0: 3.0}).fit(X, y)
    new = random.normal(size=(3000, 3))
    probable = model.classes_[model.predict_proba(new).argmax(axis=1)]
    np.testing.assert_array_equal(model.predict(new), probable)
    assert len(np.unique(probable)) > 1


def test_values_of_any_size_have_probabilities():
    found = calibrate(np.array([[-1.0], [0.5], [1.0]]), np.array([0, 1, 1]), None)
    p = found.probabilities(np.array([[1e200], [-1e200], [0.0]]))
    np.testing.assert_allclose(p, [[0, 1], [1, 0], [0.5, 0.5]])


def test_the_slopes_of_the_likelihood_lead_to_its_optimum():
    random = np.random.default_rng(0)
    v = random.uniform(-1.0, 1.0, 4000)
    p = 1.0 / (1.0 + np.exp(-2.0 * (1.5 * v + 2.0 * v**3)))
    found = calibrate(v[:, None], (random.random(4000) < p).astype(int), None)
    np.testing.assert_allclose(found.probabilities(v[:, None])[:, 1], p, atol=0.03)
