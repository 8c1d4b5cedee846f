import numpy as np

from maxmargin.tabular.calibration import calibrate


def test_two_classes_find_the_slope_that_made_the_labels():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(4000, 1))
    label = (rng.random(4000) < 1 / (1 + np.exp(-(3.0 * values[:, 0] - 0.5)))).astype(int)
    p = calibrate(values, label, None).probabilities(values)[:, 1]
    true = 1 / (1 + np.exp(-(3.0 * values[:, 0] - 0.5)))
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
