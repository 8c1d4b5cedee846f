import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from maxmargin.boosting import AdaBoostClassifier, BaggingClassifier, BoostingClassifier
from maxmargin.datasets import load_mixture, make_overlapping
from maxmargin.evaluation import RoundErrors, round_errors, student


def sample(random, n=60):
    return make_overlapping(n, random_state=random)


X, Y = make_overlapping(300, random_state=1)


def test_errors_are_those_of_fits_to_the_same_training_sets():
    models = {
        "boosted": AdaBoostClassifier(n_estimators=8),
        "bag": BaggingClassifier(n_estimators=5, random_state=0),
        "forest": RandomForestClassifier(4, random_state=0),
        "descent": BoostingClassifier(n_estimators=6),
    }
    found = round_errors(models, X, Y, sample=sample, n_repeats=3, random_state=0)
    random = np.random.RandomState(0)
    for repeat in range(3):
        drawn = sample(random)
        for name, model in models.items():
            said = model.fit(*drawn).predict(X)
            assert found[name].errors[repeat, -1] == np.mean(said != Y)
    assert [found[name].errors.shape[1] for name in models] == [8, 5, 4, 6]


def test_a_fit_that_ended_early_stays_as_it_ended():
    stopped = AdaBoostClassifier(n_estimators=40, n_iter_no_change=2, random_state=0)
    found = round_errors(stopped, X, Y, sample=sample, n_repeats=4, random_state=0)
    errors = found["AdaBoostClassifier"]
    assert len(set(errors.rounds)) > 1
    for line, count in zip(errors.errors, errors.rounds, strict=True):
        assert (line[count - 1 :] == line[count - 1]).all()


def test_rise_saving_and_band_are_of_pairs():
    first = RoundErrors(np.array([[0.4, 0.1, 0.3], [0.4, 0.2, 0.3]]), np.array([3, 3]))
    other = RoundErrors(np.array([[0.4, 0.2], [0.4, 0.1]]), np.array([2, 2]))
    assert first.best == 2
    assert first.rise.value == pytest.approx(0.15)
    assert other.less(first).value == pytest.approx(0.15)
    low, high = first.band()
    assert (low[1], high[1]) == pytest.approx((0.15 - 0.05 * 12.7062, 0.15 + 0.05 * 12.7062))


def test_students_interval_is_that_of_scipy():
    values = [0.2, 0.25, 0.1, 0.4, 0.3]
    low, high = stats.ttest_1samp(values, 0.0).confidence_interval(0.9)
    found = student(values, level=0.9)
    assert (found.value, found.low, found.high) == pytest.approx((0.25, low, high))
    assert np.isnan(student([0.5]).low)


def test_halves_of_given_rows_keep_classes_together():
    flowers = load_iris(return_X_y=True)
    found = round_errors(AdaBoostClassifier(n_estimators=5), *flowers, random_state=0)
    assert found["AdaBoostClassifier"].final.value < 0.2
    again = round_errors(AdaBoostClassifier(n_estimators=5), *flowers, random_state=0)
    np.testing.assert_array_equal(
        found["AdaBoostClassifier"].errors, again["AdaBoostClassifier"].errors
    )


def test_what_has_no_rounds_is_refused():
    with pytest.raises(TypeError, match="'tree' is a DecisionTreeClassifier, which has no rounds"):
        round_errors({"tree": DecisionTreeClassifier()}, *load_mixture(return_X_y=True))
