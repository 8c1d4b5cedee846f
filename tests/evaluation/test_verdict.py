import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import make_moons
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.svm import SVC

from maxmargin.evaluation import Verdict, alpaydin_f, corrected_t, dietterich_t, holm

D = np.array([[0.05, 0.01], [0.04, 0.03], [0.02, 0.06], [0.03, 0.03], [0.07, 0.02]])


def test_5x2_tests_by_hand():
    # s_i^2 = (d_i1 - d_i2)^2 / 2: (16 + 1 + 16 + 0 + 25) / 2 = 29 in units of 1e-4.
    t = dietterich_t(D)
    assert t.statistic == pytest.approx(0.05 / np.sqrt(29e-4 / 5))
    assert t.p == pytest.approx(2 * (1 - stats.t.cdf(t.statistic, 5)))
    f = alpaydin_f(D)
    assert f.statistic == pytest.approx((D**2).sum() / (2 * 29e-4))
    assert f.p == pytest.approx(1 - stats.f.cdf(f.statistic, 10, 5))
    assert t.difference == f.difference == pytest.approx(0.036)


def test_critical_values_are_the_papers():
    # Dietterich rejects above t_5 = 2.571, Alpaydin above F_{10,5} = 4.74, both at 0.05.
    assert 2 * stats.t.sf(2.571, 5) == pytest.approx(0.05, abs=1e-4)
    assert stats.f.sf(4.74, 10, 5) == pytest.approx(0.05, abs=1e-3)


def test_the_corrected_t_test_gives_the_numbers_of_scikit_learn_s_worked_example():
    """Radial against linear, on moons, by ten times ten folds: t = 0.750, one-sided p = 0.227."""
    X, y = make_moons(noise=0.352, random_state=1, n_samples=100)
    folds = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0)
    radial, linear = (
        cross_val_score(SVC(kernel=kernel, random_state=0), X, y, cv=folds, scoring="roc_auc")
        for kernel in ("rbf", "linear")
    )
    found = corrected_t(radial - linear, n_train=90, n_test=10)
    assert found.statistic == pytest.approx(0.750, abs=5e-4)
    assert found.p / 2 == pytest.approx(0.227, abs=5e-4)


@pytest.mark.parametrize("test", [dietterich_t, alpaydin_f])
def test_5x2_tests_find_chance_about_as_often_as_they_say(test):
    rng = np.random.default_rng(0)
    p = np.array([test(rng.normal(size=(5, 2))).p for _ in range(400)])
    assert 0.01 <= np.mean(p < 0.05) <= 0.08


@pytest.mark.parametrize(
    "test", [dietterich_t, alpaydin_f, lambda d: corrected_t(d, n_train=9, n_test=1)]
)
def test_no_difference_is_no_evidence_and_a_constant_one_is_all(test):
    nothing, same = test(np.zeros((5, 2))), test(np.full((5, 2), -0.125))
    assert nothing.p == 1.0
    assert same.p == 0.0
    assert same.words("a", "b") == "b is better (p < 0.0001)"


def test_words_are_honest():
    assert Verdict(0.02, 1.0, 0.31).words() == "the difference may be chance (p = 0.31)"
    assert Verdict(0.02, 1.0, 0.0312).words("a", "b") == "a is better (p = 0.031)"
    assert Verdict(0.02, 1.0, 0.05).words() == "the difference may be chance (p = 0.05)"
    assert Verdict(0.02, 1.0, 0.0497).words("a", "b") == "a is better (p = 0.0497)"


def test_holm_s_steps_by_hand_and_never_below_the_plain_values():
    np.testing.assert_allclose(holm([0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02])
    np.testing.assert_allclose(holm([0.6, 0.7]), [1.0, 1.0])
    assert holm([]).tolist() == []


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: alpaydin_f([0.1] * 10), r"needs finite differences .* got shape \(10,\)"),
        (lambda: dietterich_t(np.full((5, 2), np.nan)), "finite differences"),
        (lambda: corrected_t([0.1], n_train=9, n_test=1), "two differences or more"),
        (lambda: corrected_t([0.1, 0.2], n_train=0, n_test=1), "'n_train' parameter"),
    ],
)
def test_what_cannot_be_tested_is_refused_in_a_sentence(call, said):
    with pytest.raises(ValueError, match=said):
        call()
