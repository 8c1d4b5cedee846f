import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import make_classification

from maxmargin import LinearSVC
from maxmargin.evaluation import (
    bootstrap,
    clopper_pearson,
    delong_interval,
    delong_test,
    mean_of_shares,
    score_interval,
    wilson,
)

# Newcombe, Statistics in Medicine 17 (1998), table I: methods 3 (score) and 5 (Clopper-Pearson).
NEWCOMBE = {
    (81, 263): ((0.2553, 0.3662), (0.2527, 0.3676)),
    (15, 148): ((0.0624, 0.1605), (0.0578, 0.1617)),
    (0, 20): ((0.0000, 0.1611), (0.0000, 0.1684)),
    (1, 29): ((0.0061, 0.1718), (0.0009, 0.1776)),
}


@pytest.mark.parametrize("share", NEWCOMBE)
def test_intervals_of_shares_are_the_published_ones(share):
    for find, published in zip((wilson, clopper_pearson), NEWCOMBE[share], strict=True):
        found = find(*share)
        np.testing.assert_allclose((found.low, found.high), published, atol=5.1e-5)
        assert found.value == share[0] / share[1]


def coverage(find, n, p, level):
    """Sum the chances of all counts whose interval covers the truth: exact, no simulation."""
    covered = [p in find(k, n, level=level) for k in range(n + 1)]
    return stats.binom.pmf(np.arange(n + 1), n, p)[covered].sum()


@pytest.mark.parametrize("p", [0.03, 0.2, 0.5, 0.91])
def test_the_exact_interval_covers_at_least_as_often_as_it_says(p):
    assert coverage(clopper_pearson, 60, p, 0.9) >= 0.9
    assert abs(coverage(wilson, 60, p, 0.9) - 0.9) < 0.06


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: clopper_pearson(5, 3), "'count' of Clopper-Pearson is 5, more than the total"),
        (lambda: wilson(1, 0), "'total' parameter of Wilson must be a whole number at least 1"),
        (lambda: wilson(1, 2, level=1.0), "'level' parameter of Wilson must be a number less than"),
        (lambda: bootstrap(np.mean, [1, 2], method="t"), "'method' parameter of bootstrap"),
        (lambda: delong_interval([0, 1, 2], [1, 2, 3]), "needs rows of two classes, got 3"),
        (lambda: delong_interval([0, 1], [1, 2], pos_label=5), "pos_label=5 is none of"),
    ],
)
def test_what_is_no_share_or_level_is_refused_in_a_sentence(call, said):
    with pytest.raises(ValueError, match=said):
        call()


def test_the_bootstrap_of_a_mean_is_close_to_its_normal_interval():
    x = np.random.default_rng(0).normal(3.0, 2.0, 200)
    reach = stats.norm.ppf(0.975) * x.std(ddof=1) / np.sqrt(200)
    for method in ("bca", "percentile"):
        found = bootstrap(lambda v: v.mean(), x, method=method, random_state=0)
        assert found.value == x.mean()
        ends = x.mean() - reach, x.mean() + reach
        np.testing.assert_allclose([found.low, found.high], ends, atol=0.06)


def test_the_bootstrap_repeats_and_resamples_rows_together():
    y = np.arange(30.0)
    same = bootstrap(lambda a, b: np.abs(a - b).max() + a.mean(), y, y, random_state=3)
    alone = bootstrap(lambda a: a.mean(), y, random_state=3)
    assert (same.low, same.high) == (alone.low, alone.high)


def test_bca_of_a_skewed_statistic_covers_about_as_often_as_it_says():
    rng = np.random.default_rng(1)
    covered = []
    for seed in range(60):
        x = rng.exponential(size=40)
        found = bootstrap(lambda v: v.mean(), x, level=0.9, n_resamples=199, random_state=seed)
        covered.append(1.0 in found)
    assert 0.75 <= np.mean(covered) <= 1.0


def test_no_interval_is_claimed_where_resamples_do_not_vary():
    found = bootstrap(lambda v: v.mean(), np.ones(20), random_state=0)
    assert found.value == 1.0
    assert np.isnan([found.low, found.high]).all()
    assert "no interval" in str(found)


# DeLong


def by_definition(y, *scores):
    """Areas and covariances by all pairs of a positive and a negative row."""
    placed = []
    for s in scores:
        pairs = s[y == 1][:, None] - s[y == 0][None, :]
        placed.append((pairs > 0) + 0.5 * (pairs == 0))
    V = [psi.mean(axis=1) for psi in placed]
    W = [psi.mean(axis=0) for psi in placed]
    m, n = placed[0].shape
    return np.array([psi.mean() for psi in placed]), np.cov(V) / m + np.cov(W) / n


def test_delong_is_what_all_pairs_of_rows_say():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 70)
    first = np.round(rng.normal(size=70) + y, 1)  # with ties
    second = np.round(0.5 * first + rng.normal(size=70), 1)
    areas, covariance = by_definition(y, first, second)
    found = delong_interval(y, first, scale="plain")
    reach = stats.norm.ppf(0.975) * np.sqrt(covariance[0, 0])
    np.testing.assert_allclose(
        [found.value, found.low, found.high], areas[0] + np.array([0, -reach, reach])
    )
    verdict = delong_test(y, first, second)
    z = (areas[0] - areas[1]) / np.sqrt(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
    np.testing.assert_allclose([verdict.statistic, verdict.p], [z, 2 * stats.norm.sf(abs(z))])
    assert verdict.difference == pytest.approx(areas[0] - areas[1])


def test_delong_by_hand():
    # Placements of the positives 3/4, 1 and of the negatives 1, 1, 1, 1/2: variances 1/32 and 1/16.
    found = delong_interval([0, 0, 0, 0, 1, 1], [1, 2, 3, 5, 4, 6], scale="plain", level=0.6826895)
    assert found.value == 0.875
    assert found.value - found.low == pytest.approx(np.sqrt(1 / 64 + 1 / 64), abs=1e-6)


def test_delong_covers_about_as_often_as_it_says():
    rng = np.random.default_rng(2)
    truth = stats.norm.cdf(1.2 / np.sqrt(2))
    y = np.repeat([0, 1], [60, 40])
    covered = [truth in delong_interval(y, rng.normal(size=100) + 1.2 * y) for _ in range(400)]
    assert 0.92 <= np.mean(covered) <= 0.98


def test_delong_s_test_finds_chance_about_as_often_as_it_says():
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1], 50)
    p = [delong_test(y, *(rng.normal(size=(2, 100)) + y)).p for _ in range(400)]
    assert 0.02 <= np.mean(np.array(p) < 0.05) <= 0.08


def test_the_logit_keeps_the_interval_inside_and_perfect_scores_have_none():
    found = delong_interval([0, 0, 0, 1, 1, 1], [1, 2, 4, 3, 5, 6])
    assert 0 < found.low < found.value < found.high < 1
    perfect = delong_interval([0, 0, 1, 1], [1, 2, 3, 4])
    assert perfect.value == 1.0
    assert np.isnan(perfect.low)


def test_a_positive_label_may_be_named():
    y, scores = np.array(["a", "b", "a", "b", "b"]), np.array([2.0, 1.0, 3.0, 2.5, 0.0])
    one, other = delong_interval(y, scores), delong_interval(y, -scores, pos_label="a")
    assert one.value == other.value


def test_a_mean_of_shares_knows_little_of_a_class_of_one_row():
    sure, unsure = mean_of_shares([90, 90], [100, 100]), mean_of_shares([90, 1], [100, 1])
    assert sure.value == pytest.approx(0.9)
    assert sure.high - sure.low < 0.09
    assert unsure.value == pytest.approx(0.95)
    assert unsure.low < 0.6
    assert unsure.high == pytest.approx(unsure.value, abs=0.05)
    perfect = mean_of_shares([5, 5], [5, 5])
    assert perfect.high == perfect.value == 1.0
    with pytest.raises(ValueError, match="as many counts"):
        mean_of_shares([3], [2])


def test_intervals_of_a_mean_of_shares_cover_as_often_as_they_say():
    rng, truth, n = np.random.default_rng(0), np.array([0.9, 0.6, 0.75]), np.array([40, 25, 60])
    drawn = rng.binomial(n, truth, size=(400, 3))
    covered = [truth.mean() in mean_of_shares(k, n) for k in drawn]
    assert 0.91 < np.mean(covered) < 0.98


def test_balanced_accuracy_of_rows_that_lack_a_class_says_nothing_to_the_terminal():
    X, y = make_classification(3000, 4, weights=[0.95], random_state=0)
    model = LinearSVC().fit(X, y)
    alone = score_interval(model, X[y == 0], y[y == 0], scoring="balanced_accuracy")
    assert alone.value == pytest.approx((model.predict(X[y == 0]) == 0).mean())
    many = score_interval(model, X, y, scoring="f1")
    assert many.method == "bootstrap, percentile"
    assert many.value in many
