"""Learning by heart: rows that are stored are right, and that says nothing about others."""

import numpy as np
import pytest

from maxmargin import SVC
from maxmargin.evaluation import clopper_pearson
from maxmargin.neighbors import KNeighborsClassifierCV

RNG = np.random.default_rng(0)
X, NEW = RNG.normal(size=(300, 3)), RNG.normal(size=(2000, 3))
COINS, MORE_COINS = RNG.integers(2, size=300), RNG.integers(2, size=2000)


def test_learning_is_storing_and_a_question_asks_the_nearest_row():
    model = KNeighborsClassifierCV([1]).fit(X, COINS)
    gaps = np.linalg.norm(NEW[:, None, :] - X, axis=2)
    np.testing.assert_array_equal(model.predict(NEW), COINS[gaps.argmin(axis=1)])


@pytest.mark.parametrize("model", [KNeighborsClassifierCV([1]), SVC(C=100.0, gamma=100.0)], ids=str)
def test_what_memorises_coins_errs_on_none_of_its_rows_and_on_half_of_the_others(model):
    model.fit(X, COINS)
    assert model.score(X, COINS) == 1.0
    wrong = int((model.predict(NEW) != MORE_COINS).sum())
    risk = clopper_pearson(wrong, len(NEW), level=0.999)
    assert risk.low < 0.5 < risk.high
