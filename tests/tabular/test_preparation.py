import numpy as np
import pytest
from scipy.stats import norm

from maxmargin.tabular.preparation import BLOCKS, CLIP, MOST_LEVELS, Preparation


def learn(*columns, target=None):
    n = len(columns[0])
    y = np.linspace(-1, 1, n)[:, None] if target is None else target
    names = [f"c{j}" for j in range(len(columns))]
    return Preparation.learn(columns, names, y)


def words(*values):
    return np.array(values, dtype=object)


def block(rows, name):
    return rows.X[:, rows.block == BLOCKS.index(name)]


def test_numbers_are_standardised_and_ranked():
    values = np.random.default_rng(0).lognormal(size=500)
    preparation, rows = learn(values)
    standard, ranks = block(rows, "standardised")[:, 0], block(rows, "ranks")[:, 0]
    expected = np.clip((values - values.mean()) / values.std(), -CLIP, CLIP)
    np.testing.assert_allclose(standard, expected)
    place = (values.argsort().argsort() + 0.5) / 500
    scores = norm.ppf(place)
    np.testing.assert_allclose(ranks, (scores - scores.mean()) / scores.std(), atol=1e-9)
    np.testing.assert_array_equal(preparation.rows([values]).X, rows.X)


def test_ranks_do_not_notice_monotone_distortions():
    values = np.random.default_rng(1).normal(size=300)
    plain, bent = (block(learn(v)[1], "ranks") for v in (values, np.exp(3 * values)))
    np.testing.assert_allclose(plain, bent, atol=1e-9)


def test_huge_numbers_stay_finite():
    _, rows = learn(np.array([1e308, -1e308, 0.0, 5.0]))
    assert np.isfinite(rows.X).all()


def test_missing_and_infinite_values_get_an_indicator():
    _, rows = learn(np.array([1.0, np.nan, np.inf, 4.0]))
    assert block(rows, "missing")[:, 0].tolist() == [0, 1, 1, 0]
    assert (block(rows, "standardised")[1:3] == 0).all()


def test_words_share_what_is_rare():
    column = words(*["a"] * 50, *["b"] * 30, *[f"r{i}" for i in range(20)])
    preparation, rows = learn(column)
    indicators = block(rows, "levels")
    assert indicators.shape[1] == 3
    lengths = indicators.max(axis=0)
    assert lengths[0] < lengths[1] < lengths[2]
    assert "20 rare ones share an indicator" in str(preparation)


def test_many_words_are_few_indicators():
    column = words(*[f"w{i // 2}" for i in range(20_000)])
    _, rows = learn(column)
    assert block(rows, "levels").shape[1] == MOST_LEVELS


def test_a_word_never_seen_is_near_the_mean():
    column = words(*"aabbb")
    preparation, _ = learn(column)
    new = preparation.rows([words("z", None)])
    assert (new.X == 0).all()


def test_target_means_do_not_see_their_own_row():
    """Words without meaning, each of two rows: a leak would show as agreement with the target."""
    rng = np.random.default_rng(2)
    y = rng.normal(size=(400, 1))
    column = words(*[f"w{i}" for i in rng.permutation(400) // 2])
    _, rows = learn(column, target=y)
    means = block(rows, "target means")[:, 0]
    assert abs(np.corrcoef(means, y[:, 0])[0, 1]) < 0.15


def test_dates_become_numbers():
    column = np.array(
        ["2024-01-05T06:00", "2024-02-06T18:30", "2024-02-01T18:30", "NaT"], dtype="datetime64[us]"
    )
    preparation, rows = learn(column)
    assert "month as a number" in str(preparation)
    assert "hour as a number" in str(preparation)
    assert np.isfinite(rows.X).all()


@pytest.mark.parametrize(
    ("column", "why"),
    [
        (np.full(4, np.nan), "every value is missing"),
        (np.ones(4), "every row has the same value"),
        (words(None, None, None, None), "every value is missing"),
        (words(*"aaaa"), "every row has the same value"),
        (words(*"abcd"), "every row has a word of its own"),
        (np.full(4, "NaT", dtype="datetime64[us]"), "every value is missing"),
        (np.arange(4.0), "the same as 'c0'"),
    ],
)
def test_useless_columns_are_dropped_and_say_why(column, why):
    preparation, rows = learn(np.arange(4.0), column)
    assert f"dropped: {why}" in str(preparation)
    assert rows.X.shape[1] == 2


def test_no_usable_column():
    with pytest.raises(ValueError, match=r"No column of X can be used: c0 +dropped: every row"):
        learn(np.ones(5))


def test_prepared_columns_know_theirs_and_no_target_has_no_means():
    """Gaps, words and days, with a column between them that is dropped."""
    columns = [
        np.array([1.0, np.nan, 3.0, 4.0]),
        np.ones(4),
        words("a", "b", "a", "c"),
        np.array(["2024-01-05", "2024-02-06", "2024-03-07", "2024-07-07"], "datetime64[us]"),
    ]
    for outputs, wide in ((0, 2), (2, 4)):  # rare words share one
        target = np.arange(4.0 * outputs).reshape(4, outputs)
        preparation, rows = Preparation.learn(columns, list("abcd"), target)
        places = preparation.places(columns)
        assert len(places) == rows.X.shape[1] == preparation.rows(columns).X.shape[1]
        found = np.bincount(places)
        assert found[:3].tolist() == [3, 0, wide]
        assert found[3] > 2
