import numpy as np
import pytest

from maxmargin.boosting import Columns, Stop
from maxmargin.boosting.samme import Samme, too_weak
from maxmargin.boosting.training_set import RowVotes
from maxmargin.boosting.weak_learner import PresortedStump

X = np.array([[1.0], [2.0], [3.0], [4.0]])
LABEL = np.array([0, 1, 0, 1], dtype=np.int32)


def rounds(label, count):
    with Columns(X, n_jobs=1) as columns:
        learner = PresortedStump(columns, label, 2, "error")
        booster = Samme(learner, RowVotes(label, np.ones(4), 2), 2, 1.0)
        return booster, [booster.round() for _ in range(count)]


def test_a_round_has_the_coefficient_of_its_error():
    booster, (made,) = rounds(LABEL, 1)
    assert made.error == 0.25
    assert made.alpha == pytest.approx(0.5 * np.log(3.0))
    assert booster.coefficients == [pytest.approx(np.log(3.0))]


def test_the_rows_that_were_wrong_weigh_half_of_all():
    booster, _ = rounds(LABEL, 1)
    wrong = booster.training.votes > 0.0
    wrong = wrong != (LABEL == 1)
    assert booster.weight[wrong].sum() / booster.weight.sum() == pytest.approx(0.5)


def test_a_member_without_error_is_the_last():
    label = np.array([0, 0, 1, 1], dtype=np.int32)
    _, (made, then) = rounds(label, 2)
    assert made.stop is Stop.PERFECT
    assert then is Stop.PERFECT


def test_only_a_first_member_that_guesses_is_an_error():
    assert too_weak(0.5, 2, first=False) is Stop.TOO_WEAK
    with pytest.raises(ValueError, match="as bad as or worse than random guessing"):
        too_weak(0.5, 2, first=True)
